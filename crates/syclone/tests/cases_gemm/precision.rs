//! What is summed in which type.

use syclone::abi::ways::Way;
use syclone::prelude::*;

use crate::products::*;
use crate::rig::{in_every_way, run};

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
