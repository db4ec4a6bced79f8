//! What other implementations got wrong in matrix products, with the right values: layouts, precision, sizes of zero and
//! one, small integers. The kernels are written here, in ways that users write them.

mod rig;

use rig::{in_every_way, run};
use syclone::abi::ways::Way;
use syclone::prelude::*;

/// Where the element of a batch, row and column lies.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Layout {
    offset: usize,
    batch: usize,
    row: usize,
    column: usize,
}

#[device_fn]
impl Layout {
    fn at(self, batch: usize, row: usize, column: usize) -> usize {
        self.offset + batch * self.batch + row * self.row + column * self.column
    }
}

/// Rows after each other, without gaps, one matrix after another.
fn packed(rows: usize, columns: usize) -> Layout {
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

const TILE: usize = 4;

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
struct Sizes {
    batch: usize,
    m: usize,
    n: usize,
    depth: usize,
}

fn multiply<T: Scalar>(
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

fn multiply_by_tiles(queue: &Queue, s: Sizes, a: &[f32], b: &[f32], beta: f32, c: &[f32]) -> Vec<f32> {
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
fn fill(rows: usize, columns: usize, number: impl Fn(usize, usize) -> i64) -> Vec<i64> {
    (0..rows * columns).map(|i| number(i / columns, i % columns)).collect()
}

fn fill_a(m: usize, depth: usize) -> Vec<i64> {
    fill(m, depth, |i, k| ((3 * i + 5 * k) % 11) as i64 - 5)
}

fn fill_b(depth: usize, n: usize) -> Vec<i64> {
    fill(depth, n, |k, j| ((7 * k + 2 * j) % 13) as i64 - 6)
}

fn reference(s: Sizes, a: &[i64], b: &[i64]) -> Vec<i64> {
    fill(s.m, s.n, |i, j| (0..s.depth).map(|p| a[i * s.depth + p] * b[p * s.n + j]).sum())
}

fn floats(values: &[i64]) -> Vec<f32> {
    values.iter().map(|&x| x as f32).collect()
}

// Layouts.

#[test]
fn a_transposed_operand_is_read_by_its_strides() {
    in_every_way(|queue, way| {
        let s = Sizes { batch: 1, m: 3, n: 2, depth: 2 };
        let transposed = Layout { row: 1, column: 3, ..packed(2, 3) };
        let c = multiply(
            queue,
            s,
            (&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], transposed),
            (&[1.0; 4], packed(2, 2)),
            0.0,
            (&[f32::NAN; 6], packed(3, 2)),
        );
        assert_eq!(c, [5.0, 5.0, 7.0, 7.0, 9.0, 9.0], "{way:?}");
    });
}

#[test]
fn swapped_axes_that_do_not_merge_into_one_stride_are_kept_apart() {
    in_every_way(|queue, way| {
        // [2, 3, 2, 4] with axes 1 and 2 swapped: two outer batches, each of two inner ones with rows 8 apart.
        let data: Vec<f32> = (0..48).map(|x| x as f32).collect();
        let s = Sizes { batch: 2, m: 3, n: 1, depth: 4 };
        let rows: Vec<f32> = (0..2)
            .flat_map(|outer| {
                let layout = Layout { offset: outer * 24, batch: 4, row: 8, column: 1 };
                multiply(
                    queue,
                    s,
                    (&data, layout),
                    (&[1.0; 4], Layout { offset: 0, batch: 0, row: 1, column: 1 }),
                    0.0,
                    (&[f32::NAN; 6], packed(3, 1)),
                )
            })
            .collect();
        assert_eq!(rows, [6.0, 38.0, 70.0, 22.0, 54.0, 86.0, 102.0, 134.0, 166.0, 118.0, 150.0, 182.0], "{way:?}");
    });
}

#[test]
fn an_operand_that_is_expanded_over_the_batch_is_read_again_for_each() {
    in_every_way(|queue, way| {
        let batch = if way == Way::Interpreter { 3 } else { 32 };
        let s = Sizes { batch, m: 32, n: 32, depth: 32 };
        let one = Layout { batch: 0, ..packed(32, 32) };
        let c = multiply(
            queue,
            s,
            (&[1.0f32; 1024], one),
            (&vec![1.0; batch * 1024], packed(32, 32)),
            0.0,
            (&vec![f32::NAN; batch * 1024], packed(32, 32)),
        );
        assert!(c.iter().all(|&x| x == 32.0), "{way:?}");
    });
}

#[test]
fn parts_of_larger_matrices_multiply_like_copies_and_leave_the_rest_alone() {
    in_every_way(|queue, way| {
        // A[1.., 1..] of 5 × 7 as the operand, and as the output of a 4 × 6 product with 6 × 6.
        let a = fill_a(5, 7);
        let b = fill_b(6, 6);
        let part = Layout { offset: 8, ..packed(5, 7) };
        let s = Sizes { batch: 1, m: 4, n: 6, depth: 6 };
        let copied: Vec<i64> = (1..5).flat_map(|i| a[i * 7 + 1..i * 7 + 7].to_vec()).collect();
        let expected = reference(s, &copied, &b);
        let c =
            multiply(queue, s, (&floats(&a), part), (&floats(&b), packed(6, 6)), 0.0, (&[f32::NAN; 24], packed(4, 6)));
        assert_eq!(c, floats(&expected), "{way:?}");
        let c = multiply(
            queue,
            s,
            (&floats(&copied), packed(4, 6)),
            (&floats(&b), packed(6, 6)),
            0.0,
            (&[-99.0; 35], part),
        );
        for (i, value) in c.iter().enumerate() {
            let (row, column) = (i / 7, i % 7);
            let outside = row == 0 || column == 0;
            let right = if outside { -99.0 } else { expected[(row - 1) * 6 + column - 1] as f32 };
            assert_eq!(*value, right, "{way:?}: row {row}, column {column}");
        }
    });
}

/// Kernels whose matrices have two dimensions, as they lie in memory: in `$of`, summed in `$sum`.
macro_rules! products_of_matrices {
    ($($name:ident $of:ty, |$x:ident| $value:expr => $sum:ty;)*) => {$(
        #[kernel]
        fn $name(item: Item<2>, a: View<$of, 2>, b: View<$of, 2>, c: ItemMut<$sum, 2>) {
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

/// The same with parts of the library's own: rows and columns of larger buffers, as operands and as the output.
#[test]
fn parts_of_larger_buffers_multiply_like_copies_and_leave_the_rest_alone() {
    in_every_way(|queue, way| {
        let (m, n, depth) = (7, 5, 6);
        let s = Sizes { batch: 1, m, n, depth };
        let (a, b) = (fill_a(m, depth), fill_b(depth, n));
        let expected = floats(&reference(s, &a, &b));
        // Each matrix lies at row 1 and column 2 of a larger one, which holds NaN, or 77 around the output.
        let part_of = |rows: usize, columns: usize, inside: &[f32], around: f32| {
            let all = Buffer::from_vec_with(vec![around; (rows + 3) * (columns + 4)], [rows + 3, columns + 4]);
            let all = all.expect("as many elements");
            let part = all.slice(1..rows + 1).and_then(|rows| rows.columns(2..columns + 2)).expect("it is inside");
            part.copy_from_slice(inside).expect("as many elements");
            (part, all)
        };
        let (a, _a) = part_of(m, depth, &floats(&a), f32::NAN);
        let (b, _b) = part_of(depth, n, &floats(&b), f32::NAN);
        let (c, all) = part_of(m, n, &[f32::NAN; 35], 77.0);
        run(queue, |h| h.parallel_for([m, n], product_of_f32(a.read(h), b.read(h), c.write(h))));
        assert_eq!(c.to_vec().expect("reads"), expected, "{way:?}");
        for (i, value) in all.to_vec().expect("reads").into_iter().enumerate() {
            let (row, column) = (i / (n + 4), i % (n + 4));
            if (1..=m).contains(&row) && (2..n + 2).contains(&column) {
                assert_eq!(value, expected[(row - 1) * n + column - 2], "{way:?}: row {row}, column {column}");
            } else {
                assert_eq!(value, 77.0, "{way:?}: row {row}, column {column}");
            }
        }
    });
}

// Precision.

/// Corners, sum, sum of squares and a sum by position of the product of the usual numbers, computed elsewhere.
const KNOWN: [([usize; 3], [i64; 7]); 5] = [
    ([17, 1, 33], [-260, -260, 143, 143, -142, 453_398, 601]),
    ([1, 105, 107], [29, 29, 29, 29, 29, 2_961_513, 989]),
    ([65, 63, 31], [-245, 179, 179, -287, 321, 98_977_449, 6158]),
    ([64, 64, 48], [-266, 219, -231, -33, 245, 180_040_101, -8773]),
    ([129, 127, 1000], [0, -5, 0, 0, -48, 2_261_448, -82]),
];

#[test]
fn products_of_halves_are_exact_in_f32() {
    in_every_way(|queue, way| {
        for ([m, n, k], known) in KNOWN {
            if m * n * k > 1_000_000 && (way != Way::Regions || queue.device().is_checked()) {
                continue;
            }
            macro_rules! check {
                ($kernel:ident, $type:ident) => {{
                    let halves = |values: Vec<i64>, extents: [usize; 2]| {
                        let values = values.into_iter().map(|x| $type::from_f32(x as f32)).collect();
                        Buffer::from_vec_with(values, extents).expect("as many elements")
                    };
                    let (a, b) = (halves(fill_a(m, k), [m, k]), halves(fill_b(k, n), [k, n]));
                    let c = Buffer::<f32, 2>::new([m, n]);
                    run(queue, |h| h.parallel_for([m, n], $kernel(a.read(h), b.read(h), c.write(h))));
                    let c: Vec<i64> = c.to_vec().expect("reads").into_iter().map(|x| x as i64).collect();
                    let weight = |i: usize| ((7 * (i / n) + 3 * (i % n)) % 17 + 1) as i64;
                    let found = [
                        c[0],
                        c[n - 1],
                        c[(m - 1) * n],
                        c[m * n - 1],
                        c.iter().sum(),
                        c.iter().map(|x| x * x).sum(),
                        c.iter().enumerate().map(|(i, x)| x * weight(i)).sum(),
                    ];
                    assert_eq!(found, known, "{way:?}: {m} x {n} x {k} of {}", stringify!($type));
                }};
            }
            check!(product_of_f16, f16);
            check!(product_of_bf16, bf16);
        }
    });
}

#[test]
fn products_in_f32_keep_all_its_bits() {
    in_every_way(|queue, way| {
        let s = Sizes { batch: 1, m: 46, n: 46, depth: 46 };
        let eye: Vec<f32> = (0..46 * 46).map(|i| if i % 47 == 0 { 1.0 } else { 0.0 }).collect();
        let numbers: Vec<f32> = (0..46 * 46).map(|i| i as f32).collect();
        let square = packed(46, 46);
        assert_eq!(
            multiply(queue, s, (&eye, square), (&numbers, square), 0.0, (&[f32::NAN; 46 * 46], square)),
            numbers,
            "{way:?}"
        );
        assert_eq!(multiply_by_tiles(queue, s, &eye, &numbers, 0.0, &[f32::NAN; 46 * 46]), numbers, "{way:?}");
    });
}

/// The sum of halves kept in f32, and rounded once at the end.
#[kernel]
fn dot_f16(x: View<f16>, y: View<f16>, wide: ScatterMut<f32>, narrow: ScatterMut<f16>) {
    let mut sum = 0.0f32;
    for i in 0..x.len() {
        sum += x[i].to_f32() * y[i].to_f32();
    }
    wide[0] = sum;
    narrow[0] = f16::from_f32(sum);
}

/// The same for bf16.
#[kernel]
fn sum_bf16(x: View<bf16>, narrow: ScatterMut<bf16>) {
    let mut sum = 0.0f32;
    for i in 0..x.len() {
        sum += x[i].to_f32();
    }
    narrow[0] = bf16::from_f32(sum);
}

#[test]
fn halves_are_summed_in_f32_and_rounded_once() {
    in_every_way(|queue, way| {
        let dot = |x: f32, y: f32| {
            let (x, y) =
                (Buffer::from_vec(vec![f16::from_f32(x); 4096]), Buffer::from_vec(vec![f16::from_f32(y); 4096]));
            let (wide, narrow) = (Buffer::<f32>::new(1), Buffer::<f16>::new(1));
            run(queue, |h| h.single_task(dot_f16(x.read(h), y.read(h), wide.write(h), narrow.write(h))));
            (wide.to_vec().expect("reads")[0], narrow.to_vec().expect("reads")[0].to_f32())
        };
        // A sum in f16 would stall at 2048.
        assert_eq!(dot(1.0, 1.0), (4096.0, 4096.0), "{way:?}");
        assert_eq!(dot(16.0, 16.0), (1_048_576.0, f32::INFINITY), "{way:?}");
        let (ones, sum) = (Buffer::from_vec(vec![bf16::from_f32(1.0); 70_000]), Buffer::<bf16>::new(1));
        run(queue, |h| h.single_task(sum_bf16(ones.read(h), sum.write(h))));
        assert_eq!(sum.to_vec().expect("reads")[0].to_f32(), 70_144.0, "{way:?}");
    });
}

/// What the library itself sums: a reduction over the launch, and one over a group and over a span.
#[kernel(fallback)]
fn sums_of_halves<T: Scalar>(item: NdItem<1>, x: View<T>, sum: Reducer<T, Plus>, groups: GroupMut<[T; 2]>) {
    let g = item.group();
    let v = x[item];
    sum.combine(v);
    let of_group = g.reduce(v, Plus);
    let of_span = g.joint_reduce(x, Plus);
    if item.local_id(0) == 0 {
        groups[item] = [of_group, of_span];
    }
}

#[test]
fn reductions_of_halves_do_not_stall() {
    in_every_way(|queue, way| {
        // One after another, the sum of ones in f16 would stall at 2048, and in bf16 at 256.
        let (x, sum, groups) = (Buffer::from_vec(vec![f16::ONE; 4096]), Buffer::<f16>::new(1), Buffer::new(4));
        run(queue, |h| {
            let kernel = sums_of_halves(x.read(h), sum.reduce(h, Plus), groups.write(h));
            h.parallel_for(NdRange::new(4096, 1024), kernel)
        });
        assert_eq!(sum.to_vec().expect("reads")[0].to_f32(), 4096.0, "{way:?}");
        for sums in groups.to_vec().expect("reads") {
            assert_eq!(sums.map(f16::to_f32), [1024.0, 4096.0], "{way:?}");
        }
        let (x, sum, groups) = (Buffer::from_vec(vec![bf16::ONE; 70_000]), Buffer::<bf16>::new(1), Buffer::new(70));
        run(queue, |h| {
            let kernel = sums_of_halves(x.read(h), sum.reduce(h, Plus), groups.write(h));
            h.parallel_for(NdRange::new(70_000, 1000), kernel)
        });
        assert_eq!(sum.to_vec().expect("reads")[0].to_f32(), 70_144.0, "{way:?}");
        for sums in groups.to_vec().expect("reads") {
            assert_eq!(sums.map(bf16::to_f32), [1000.0, 70_144.0], "{way:?}");
        }
    });
}

// Sizes of zero and one.

#[test]
fn an_inner_size_of_zero_writes_beta_times_the_output() {
    in_every_way(|queue, way| {
        let s = Sizes { batch: 1, m: 3, n: 4, depth: 0 };
        for (beta, before, after) in [(0.0f32, f32::NAN, 0.0f32), (2.0, 1.0, 2.0)] {
            let c = multiply(queue, s, (&[], packed(3, 0)), (&[], packed(0, 4)), beta, (&[before; 12], packed(3, 4)));
            assert_eq!(c, [after; 12], "{way:?}");
            assert_eq!(multiply_by_tiles(queue, s, &[], &[], beta, &[before; 12]), [after; 12], "{way:?}");
        }
    });
}

#[test]
fn products_without_rows_columns_or_batches_run_nothing() {
    in_every_way(|queue, way| {
        for [batch, m, n] in [[1, 0, 4], [1, 3, 0], [0, 3, 4]] {
            let s = Sizes { batch, m, n, depth: 3 };
            let (a, b) = (vec![1.0f32; batch * m * 3], vec![1.0f32; batch * 3 * n]);
            assert!(
                multiply(queue, s, (&a, packed(m, 3)), (&b, packed(3, n)), 0.0, (&[], packed(m, n))).is_empty(),
                "{way:?}"
            );
            assert!(multiply_by_tiles(queue, s, &a, &b, 0.0, &[]).is_empty(), "{way:?}");
        }
    });
}

#[test]
fn inner_sizes_below_one_tile_read_nothing_beyond_their_end() {
    in_every_way(|queue, way| {
        let shapes = [(5, 2, 1), (1, 1, 1)].into_iter().chain((1..=8).map(|depth| (6, 7, depth)));
        for (m, n, depth) in shapes {
            let s = Sizes { batch: 1, m, n, depth };
            let (a, b) = (fill_a(m, depth), fill_b(depth, n));
            let expected = floats(&reference(s, &a, &b));
            // What is out of bounds would be reported, and the run would end in an error.
            let (a, b) = (floats(&a), floats(&b));
            assert_eq!(
                multiply(
                    queue,
                    s,
                    (&a, packed(m, depth)),
                    (&b, packed(depth, n)),
                    0.0,
                    (&vec![f32::NAN; m * n], packed(m, n))
                ),
                expected,
                "{way:?} {s:?}"
            );
            assert_eq!(multiply_by_tiles(queue, s, &a, &b, 0.0, &vec![f32::NAN; m * n]), expected, "{way:?} {s:?}");
        }
        let s = Sizes { batch: 1, m: 5, n: 2, depth: 1 };
        let c = reference(s, &fill_a(5, 1), &fill_b(1, 2));
        assert_eq!((c[0], c[1], c[8], c[9], c.iter().sum::<i64>()), (30, 20, 24, 16, 60));
    });
}

// Small integers.

/// Kernels for the combinations of signs: products and sums in i32, zero points taken off each factor.
macro_rules! integer_products {
    ($($name:ident $a:ty, $b:ty;)*) => {$(
        #[kernel]
        fn $name(item: Item<2>, a: View<$a, 2>, a_zero: View<i32>, b: View<$b, 2>, b_zero: i32, c: ItemMut<i32, 2>) {
            let (row, column) = (item.id(0), item.id(1));
            let mut sum = 0;
            for p in 0..a.extent(1) {
                sum += (a[[row, p]] as i32 - a_zero[row]) * (b[[p, column]] as i32 - b_zero);
            }
            c[item] = sum;
        }
    )*};
}

integer_products! {
    product_u8_i8 u8, i8;
    product_u8_u8 u8, u8;
    product_i8_i8 i8, i8;
    product_i8_u8 i8, u8;
}

macro_rules! integer_product {
    ($queue:expr, $kernel:ident, $m:expr, $n:expr, $k:expr, $a:expr, $a_zero:expr, $b:expr, $b_zero:expr) => {{
        let (a, b) =
            (Buffer::from_vec_with($a, [$m, $k]).expect("fits"), Buffer::from_vec_with($b, [$k, $n]).expect("fits"));
        let (zeros, c) = (Buffer::from_vec($a_zero), Buffer::<i32, 2>::new([$m, $n]));
        run($queue, |h| h.parallel_for([$m, $n], $kernel(a.read(h), zeros.read(h), b.read(h), $b_zero, c.write(h))));
        c.to_vec().expect("the product")
    }};
}

#[test]
fn products_of_bytes_are_summed_without_saturation() {
    in_every_way(|queue, way| {
        let c = integer_product!(queue, product_u8_i8, 1, 1, 64, vec![255u8; 64], vec![0], vec![127i8; 64], 0);
        assert_eq!(c, [2_072_640], "{way:?}");
    });
}

#[test]
fn zero_points_are_taken_off_both_factors() {
    in_every_way(|queue, way| {
        let a = vec![238u8, 115, 94, 245, 111, 102, 158, 225, 48];
        let b = vec![25i8, 36, 125, 42, -123, 76, -81, -86, 35];
        let c = integer_product!(queue, product_u8_i8, 3, 3, 3, a, vec![42; 3], b, -26);
        assert_eq!(c, [12_100, 1951, 40_214, 11_745, 2293, 41_351, 18_030, -10_919, 36_548], "{way:?}");
    });
}

#[test]
fn every_combination_of_signs_equals_the_wide_sum_at_every_inner_size() {
    in_every_way(|queue, way| {
        macro_rules! check {
            ($kernel:ident $a:ty, $b:ty) => {
                for k in [1usize, 3, 31, 33] {
                    let (m, n) = (5, 6);
                    let a: Vec<$a> = (0..m * k).map(|i| (i * 89 % 251) as u8 as $a).collect();
                    let b: Vec<$b> = (0..k * n).map(|i| (i * 57 % 241) as u8 as $b).collect();
                    // A zero point for each row of A.
                    let (zeros, b_zero) = (vec![7, -3, 0, 120, -128], -26);
                    let expected: Vec<i64> = (0..m * n)
                        .map(|i| {
                            let (row, column) = (i / n, i % n);
                            (0..k)
                                .map(|p| {
                                    (a[row * k + p] as i64 - zeros[row] as i64)
                                        * (b[p * n + column] as i64 - b_zero as i64)
                                })
                                .sum()
                        })
                        .collect();
                    let c = integer_product!(queue, $kernel, m, n, k, a, zeros, b, b_zero);
                    assert!(c.iter().map(|&x| x as i64).eq(expected), "{way:?}, {} with K = {k}", stringify!($kernel));
                }
            };
        }
        check!(product_u8_i8 u8, i8);
        check!(product_u8_u8 u8, u8);
        check!(product_i8_i8 i8, i8);
        check!(product_i8_u8 i8, u8);
    });
}
