//! The portable kernels: the same product on global memory, with tiles in local memory, and with sub-tiles in registers.
//!
//! All take sizes that are no multiple of anything: what lies outside a matrix is taken as zero and never written.

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
#[kernel(work_group_size(B, B))]
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
#[kernel]
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

/// Rows of C that an item of [`register_tiled`] computes.
pub const ITEM_ROWS: usize = 4;
/// Columns of C that an item of [`register_tiled`] computes.
pub const ITEM_COLUMNS: usize = 16;
/// Items of a group of [`register_tiled`], down and across.
pub const GROUP: [usize; 2] = [8, 4];
/// Rows of C that a group computes.
pub const BLOCK_ROWS: usize = GROUP[0] * ITEM_ROWS;
/// Columns of C that a group computes.
pub const BLOCK_COLUMNS: usize = GROUP[1] * ITEM_COLUMNS;
/// How much of the inner size a group has in local memory at once.
pub const DEPTH: usize = 32;
const ITEMS: usize = GROUP[0] * GROUP[1];

/// A work-item computes a sub-tile of C that it keeps in registers, from tiles in local memory.
///
/// Launched over groups of [`GROUP`]. Each element of C belongs to one item, which alone writes it.
#[kernel(work_group_size(GROUP[0], GROUP[1]))]
pub fn register_tiled<T: Float>(item: NdItem<2>, a: View<T, 2>, b: View<T, 2>, c: ScatterMut<T, 2>) {
    let tile_a = local::<[[T; DEPTH]; BLOCK_ROWS]>();
    let tile_b = local::<[[T; BLOCK_COLUMNS]; DEPTH]>();
    let (m, n, k) = (a.extent(0), b.extent(1), a.extent(1));
    let (first_row, first_col) = (item.group_id(0) * BLOCK_ROWS, item.group_id(1) * BLOCK_COLUMNS);
    let (sub_row, sub_col) = (item.local_id(0) * ITEM_ROWS, item.local_id(1) * ITEM_COLUMNS);
    let mut sums = [[T::ZERO; ITEM_COLUMNS]; ITEM_ROWS];
    for t in 0..(k + DEPTH - 1) / DEPTH {
        for step in 0..BLOCK_ROWS * DEPTH / ITEMS {
            let place = step * ITEMS + item.local_linear_id();
            let (r, p) = (place / DEPTH, place % DEPTH);
            let (row, inner) = (first_row + r, t * DEPTH + p);
            tile_a[r][p] = if row < m && inner < k { a[[row, inner]] } else { T::ZERO };
        }
        for step in 0..DEPTH * BLOCK_COLUMNS / ITEMS {
            let place = step * ITEMS + item.local_linear_id();
            let (p, q) = (place / BLOCK_COLUMNS, place % BLOCK_COLUMNS);
            let (inner, col) = (t * DEPTH + p, first_col + q);
            tile_b[p][q] = if inner < k && col < n { b[[inner, col]] } else { T::ZERO };
        }
        item.barrier();
        for p in 0..DEPTH {
            for i in 0..ITEM_ROWS {
                let x = tile_a[sub_row + i][p];
                for j in 0..ITEM_COLUMNS {
                    sums[i][j] += x * tile_b[p][sub_col + j];
                }
            }
        }
        item.barrier();
    }
    for i in 0..ITEM_ROWS {
        for j in 0..ITEM_COLUMNS {
            let (row, col) = (first_row + sub_row + i, first_col + sub_col + j);
            if row < m && col < n {
                c[[row, col]] = sums[i][j];
            }
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
#[kernel(work_group_size(TRANSPOSE_TILE, TRANSPOSE_TILE))]
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
