//! Products of matrices as users write them, and the numbers that they are checked with.

use syclone::prelude::*;

use crate::rig::run;

/// Where the element of a batch, row and column lies.
#[derive(Clone, Copy, Debug, DeviceCopy)]
pub struct Layout {
    pub offset: usize,
    pub batch: usize,
    pub row: usize,
    pub column: usize,
}

#[device_fn]
impl Layout {
    fn at(self, batch: usize, row: usize, column: usize) -> usize {
        self.offset + batch * self.batch + row * self.row + column * self.column
    }
}

/// Rows after each other, without gaps, one matrix after another.
pub fn packed(rows: usize, columns: usize) -> Layout {
    Layout { offset: 0, batch: rows * columns, row: columns, column: 1 }
}

/// C = A·B + beta·C, for matrices of any layout. `depth` is the inner size; beta 0 means that C is not read.
#[kernel]
fn product<T: Scalar>(
    item: Item<3>,
    depth: usize,
    a: View<T>,
    a_layout: Layout,
    b: View<T>,
    b_layout: Layout,
    beta: T,
    c: ScatterMut<T>,
    c_layout: Layout,
) {
    let (batch, row, column) = (item.id(0), item.id(1), item.id(2));
    let mut sum = T::ZERO;
    for p in 0..depth {
        sum += a[a_layout.at(batch, row, p)] * b[b_layout.at(batch, p, column)];
    }
    let place = c_layout.at(batch, row, column);
    if beta != T::ZERO {
        sum += beta * c[place];
    }
    c[place] = sum;
}

pub const TILE: usize = 4;

/// The same through tiles in local memory, for packed matrices.
#[kernel(fallback, work_group_size(1, TILE, TILE))]
fn tiled_product(
    item: NdItem<3>,
    m: usize,
    n: usize,
    depth: usize,
    a: View<f32>,
    b: View<f32>,
    beta: f32,
    c: ScatterMut<f32>,
) {
    let tile_a = local::<[[f32; TILE]; TILE]>();
    let tile_b = local::<[[f32; TILE]; TILE]>();
    let (batch, row, column) = (item.global_id(0), item.global_id(1), item.global_id(2));
    let (r, q) = (item.local_id(1), item.local_id(2));
    let mut sum = 0.0;
    for first in (0..depth).step_by(TILE) {
        tile_a[r][q] = if row < m && first + q < depth { a[(batch * m + row) * depth + first + q] } else { 0.0 };
        tile_b[r][q] = if first + r < depth && column < n { b[(batch * depth + first + r) * n + column] } else { 0.0 };
        item.barrier();
        for p in 0..TILE {
            sum += tile_a[r][p] * tile_b[p][q];
        }
        item.barrier();
    }
    if row < m && column < n {
        let place = (batch * m + row) * n + column;
        if beta != 0.0 {
            sum += beta * c[place];
        }
        c[place] = sum;
    }
}

/// Sizes of a product.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    pub depth: usize,
}

pub fn multiply<T: Scalar>(
    queue: &Queue,
    s: Sizes,
    a: (&[T], Layout),
    b: (&[T], Layout),
    beta: T,
    c: (&[T], Layout),
) -> Vec<T> {
    let (x, y, z) = (Buffer::from_slice(a.0), Buffer::from_slice(b.0), Buffer::from_slice(c.0));
    run(queue, |h| {
        let kernel = product(s.depth, x.read(h), a.1, y.read(h), b.1, beta, z.scatter(h), c.1);
        // SAFETY: the layouts of outputs in this file give each item an element of its own.
        unsafe { h.parallel_for_unchecked([s.batch, s.m, s.n], kernel) }
    });
    z.to_vec().expect("the product")
}

pub fn multiply_by_tiles(queue: &Queue, s: Sizes, a: &[f32], b: &[f32], beta: f32, c: &[f32]) -> Vec<f32> {
    let (x, y, z) = (Buffer::from_slice(a), Buffer::from_slice(b), Buffer::from_slice(c));
    run(queue, |h| {
        let kernel = tiled_product(s.m, s.n, s.depth, x.read(h), y.read(h), beta, z.scatter(h));
        let shape = NdRange::new([s.batch, s.m.next_multiple_of(TILE), s.n.next_multiple_of(TILE)], [1, TILE, TILE]);
        // SAFETY: each item writes an element of its own.
        unsafe { h.parallel_for_unchecked(shape, kernel) }
    });
    z.to_vec().expect("the product")
}

/// The numbers that every shape is checked with: small integers, whose sums are exact in every type that holds them.
pub fn fill(rows: usize, columns: usize, number: impl Fn(usize, usize) -> i64) -> Vec<i64> {
    (0..rows * columns).map(|i| number(i / columns, i % columns)).collect()
}

pub fn fill_a(m: usize, depth: usize) -> Vec<i64> {
    fill(m, depth, |i, k| ((3 * i + 5 * k) % 11) as i64 - 5)
}

pub fn fill_b(depth: usize, n: usize) -> Vec<i64> {
    fill(depth, n, |k, j| ((7 * k + 2 * j) % 13) as i64 - 6)
}

pub fn reference(s: Sizes, a: &[i64], b: &[i64]) -> Vec<i64> {
    fill(s.m, s.n, |i, j| (0..s.depth).map(|p| a[i * s.depth + p] * b[p * s.n + j]).sum())
}

pub fn floats(values: &[i64]) -> Vec<f32> {
    values.iter().map(|&x| x as f32).collect()
}

/// Kernels whose matrices have two dimensions, as they lie in memory: in `$of`, summed in `$sum`.
macro_rules! products_of_matrices {
    ($($name:ident $of:ty, |$x:ident| $value:expr => $sum:ty;)*) => {$(
        #[kernel]
        pub fn $name(item: Item<2>, a: View<$of, 2>, b: View<$of, 2>, c: ItemMut<$sum, 2>) {
            let (row, column) = (item.id(0), item.id(1));
            let mut sum = <$sum>::ZERO;
            for p in 0..a.extent(1) {
                let $x = a[[row, p]];
                let left = $value;
                let $x = b[[p, column]];
                sum += left * $value;
            }
            c[item] = sum;
        }
    )*};
}

products_of_matrices! {
    product_of_f32 f32, |x| x => f32;
    product_of_f16 f16, |x| x.to_f32() => f32;
    product_of_bf16 bf16, |x| x.to_f32() => f32;
}
