//! The portable kernels: the same product on global memory, with tiles in local memory, and with sub-tiles in registers.
//!
//! All take sizes that are no multiple of anything: what lies outside a matrix is taken as zero and never written.
//!
//! Those with barriers are compiled for lock-step too where tests run them in every way.

use syclone::prelude::*;

/// One work-item an element, everything from global memory.
#[kernel]
pub fn range<T: Float>(item: Item<2>, a: View<T, 2>, b: View<T, 2>, c: ItemMut<T, 2>) {
    let (row, col) = (item.id(0), item.id(1));
    let mut sum = T::ZERO;
    for p in 0..a.extent(1) {
        sum += a[[row, p]] * b[[p, col]];
    }
    c[item] = sum;
}

/// A work-group computes a `B` × `B` tile of C from tiles of A and B in local memory.
#[cfg_attr(not(test), kernel(work_group_size(B, B)))]
#[cfg_attr(test, kernel(fallback, work_group_size(B, B)))]
pub fn tiled<T: Float, const B: usize>(item: NdItem<2>, a: View<T, 2>, b: View<T, 2>, c: ItemMut<T, 2>) {
    let tile_a = local::<[[T; B]; B]>();
    let tile_b = local::<[[T; B]; B]>();
    let (m, n, k) = (a.extent(0), b.extent(1), a.extent(1));
    let (row, col) = (item.global_id(0), item.global_id(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let mut sum = T::ZERO;
    for t in 0..(k + B - 1) / B {
        let (a_col, b_row) = (t * B + lc, t * B + lr);
        tile_a[lr][lc] = if row < m && a_col < k { a[[row, a_col]] } else { T::ZERO };
        tile_b[lr][lc] = if b_row < k && col < n { b[[b_row, col]] } else { T::ZERO };
        item.barrier();
        for p in 0..B {
            sum += tile_a[lr][p] * tile_b[p][lc];
        }
        item.barrier();
    }
    if row < m && col < n {
        c[item] = sum;
    }
}

/// [`tiled`] with a tile that is only known when it is launched.
#[cfg_attr(not(test), kernel)]
#[cfg_attr(test, kernel(fallback))]
pub fn tiled_at_launch<T: Float>(
    item: NdItem<2>,
    tile_a: LocalAccessor<T, 2>,
    tile_b: LocalAccessor<T, 2>,
    a: View<T, 2>,
    b: View<T, 2>,
    c: ItemMut<T, 2>,
) {
    let tile = tile_a.extent(0);
    let (m, n, k) = (a.extent(0), b.extent(1), a.extent(1));
    let (row, col) = (item.global_id(0), item.global_id(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let mut sum = T::ZERO;
    for t in 0..(k + tile - 1) / tile {
        let (a_col, b_row) = (t * tile + lc, t * tile + lr);
        tile_a[[lr, lc]] = if row < m && a_col < k { a[[row, a_col]] } else { T::ZERO };
        tile_b[[lr, lc]] = if b_row < k && col < n { b[[b_row, col]] } else { T::ZERO };
        item.barrier();
        for p in 0..tile {
            sum += tile_a[[lr, p]] * tile_b[[p, lc]];
        }
        item.barrier();
    }
    if row < m && col < n {
        c[item] = sum;
    }
}

/// Rows of C that an item of [`register_tiled`] computes, in one column.
pub const ITEM_ROWS: usize = 8;
/// Items of a group of [`register_tiled`], down and across.
pub const GROUP: [usize; 2] = [8, 64];
/// Rows of C that a group computes.
pub const BLOCK_ROWS: usize = GROUP[0] * ITEM_ROWS;
/// Columns of C that a group computes.
pub const BLOCK_COLUMNS: usize = GROUP[1];
/// How much of the inner size a group has in local memory at once.
pub const DEPTH: usize = 32;

/// A work-item computes a column of eight elements of C in registers: an element of B in local memory serves all eight.
///
/// Launched over groups of [`GROUP`]. Each element of C belongs to one item, which alone writes it. The sums are eight
/// variables rather than an array, because an array indexed by a loop is memory on many devices.
#[cfg_attr(not(test), kernel(work_group_size(GROUP[0], GROUP[1])))]
#[cfg_attr(test, kernel(fallback, work_group_size(GROUP[0], GROUP[1])))]
pub fn register_tiled<T: Float>(item: NdItem<2>, a: View<T, 2>, b: View<T, 2>, c: ScatterMut<T, 2>) {
    let tile_a = local::<[[T; DEPTH]; BLOCK_ROWS]>();
    let tile_b = local::<[[T; BLOCK_COLUMNS]; DEPTH]>();
    let (m, n, k) = (a.extent(0), b.extent(1), a.extent(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let (first_row, col) = (item.group_id(0) * BLOCK_ROWS, item.global_id(1));
    let sub_row = lr * ITEM_ROWS;
    let (mut sum0, mut sum1, mut sum2, mut sum3) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    let (mut sum4, mut sum5, mut sum6, mut sum7) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    for t in 0..(k + DEPTH - 1) / DEPTH {
        // Half of the items of a row bring a row of A's tile, all of them a row of B's.
        if lc < DEPTH {
            for step in 0..BLOCK_ROWS / GROUP[0] {
                let r = step * GROUP[0] + lr;
                let (row, inner) = (first_row + r, t * DEPTH + lc);
                tile_a[r][lc] = if row < m && inner < k { a[[row, inner]] } else { T::ZERO };
            }
        }
        for step in 0..DEPTH / GROUP[0] {
            let p = step * GROUP[0] + lr;
            let inner = t * DEPTH + p;
            tile_b[p][lc] = if inner < k && col < n { b[[inner, col]] } else { T::ZERO };
        }
        item.barrier();
        for p in 0..DEPTH {
            let x = tile_b[p][lc];
            sum0 += tile_a[sub_row][p] * x;
            sum1 += tile_a[sub_row + 1][p] * x;
            sum2 += tile_a[sub_row + 2][p] * x;
            sum3 += tile_a[sub_row + 3][p] * x;
            sum4 += tile_a[sub_row + 4][p] * x;
            sum5 += tile_a[sub_row + 5][p] * x;
            sum6 += tile_a[sub_row + 6][p] * x;
            sum7 += tile_a[sub_row + 7][p] * x;
        }
        item.barrier();
    }
    let row = first_row + sub_row;
    if col < n {
        if row < m {
            c[[row, col]] = sum0;
        }
        if row + 1 < m {
            c[[row + 1, col]] = sum1;
        }
        if row + 2 < m {
            c[[row + 2, col]] = sum2;
        }
        if row + 3 < m {
            c[[row + 3, col]] = sum3;
        }
        if row + 4 < m {
            c[[row + 4, col]] = sum4;
        }
        if row + 5 < m {
            c[[row + 5, col]] = sum5;
        }
        if row + 6 < m {
            c[[row + 6, col]] = sum6;
        }
        if row + 7 < m {
            c[[row + 7, col]] = sum7;
        }
    }
}

/// Rows of C that an item of [`vectorised`] computes.
pub const VECTOR_ROWS: usize = 4;
/// Columns of C that an item of [`vectorised`] computes: the lanes of its vectors.
pub const LANES: usize = 16;

/// A work-item computes four short vectors of C, and reads B in vectors from global memory.
///
/// `b` and `c` are the matrices as one row after another, `n` elements each. When `n` is no multiple of [`LANES`], vectors
/// would cross the ends of rows, so their lanes are moved one by one. Each element of C belongs to one item, which alone
/// writes it.
#[kernel]
pub fn vectorised<T: Float>(item: Item<2>, n: usize, a: View<T, 2>, b: View<T>, c: ScatterMut<T>) {
    let (first, strip) = (item.id(0) * VECTOR_ROWS, item.id(1));
    let (m, k) = (a.extent(0), a.extent(1));
    let whole = n % LANES == 0;
    let mut sums = [Vector::<T, LANES>::splat(T::ZERO); VECTOR_ROWS];
    for p in 0..k {
        let mut x = Vector::<T, LANES>::splat(T::ZERO);
        if whole {
            x = b.load_vector::<LANES>(p * (n / LANES) + strip);
        } else {
            for lane in 0..LANES {
                let col = strip * LANES + lane;
                if col < n {
                    x[lane] = b[p * n + col];
                }
            }
        }
        for i in 0..VECTOR_ROWS {
            // Rows past the last are computed again from the last one, and not written.
            sums[i] += x * a[[min(first + i, m - 1), p]];
        }
    }
    for i in 0..VECTOR_ROWS {
        if first + i < m {
            if whole {
                c.store_vector((first + i) * (n / LANES) + strip, sums[i]);
            } else {
                for lane in 0..LANES {
                    let col = strip * LANES + lane;
                    if col < n {
                        c[(first + i) * n + col] = sums[i][lane];
                    }
                }
            }
        }
    }
}

/// Side of a tile of [`transpose`].
pub const TRANSPOSE_TILE: usize = 16;

/// Writes the transpose of `b`, tile by tile through local memory, so that both sides are touched along their rows.
#[cfg_attr(not(test), kernel(work_group_size(TRANSPOSE_TILE, TRANSPOSE_TILE)))]
#[cfg_attr(test, kernel(fallback, work_group_size(TRANSPOSE_TILE, TRANSPOSE_TILE)))]
pub fn transpose<T: Float>(item: NdItem<2>, b: View<T, 2>, transposed: ItemMut<T, 2>) {
    let tile = local::<[[T; TRANSPOSE_TILE]; TRANSPOSE_TILE]>();
    let (k, n) = (b.extent(0), b.extent(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let (row, col) = (item.group_id(1) * TRANSPOSE_TILE + lr, item.group_id(0) * TRANSPOSE_TILE + lc);
    tile[lr][lc] = if row < k && col < n { b[[row, col]] } else { T::ZERO };
    item.barrier();
    if item.global_id(0) < n && item.global_id(1) < k {
        transposed[item] = tile[lc][lr];
    }
}

/// One work-item an element, from A and the transpose of B, both read along their rows.
#[kernel]
pub fn transposed_b<T: Float>(item: Item<2>, a: View<T, 2>, transposed: View<T, 2>, c: ItemMut<T, 2>) {
    let (row, col) = (item.id(0), item.id(1));
    let k = a.extent(1);
    // Sixteen sums, so that they can be a vector: one sum would have to be added up in order.
    let mut sums = [T::ZERO; LANES];
    for block in 0..k / LANES {
        for lane in 0..LANES {
            let p = block * LANES + lane;
            sums[lane] += a[[row, p]] * transposed[[col, p]];
        }
    }
    let mut sum = T::ZERO;
    for lane in 0..LANES {
        sum += sums[lane];
    }
    for p in k / LANES * LANES..k {
        sum += a[[row, p]] * transposed[[col, p]];
    }
    c[item] = sum;
}
