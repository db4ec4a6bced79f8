//! Small integers: signs, zero points, and sums that do not saturate.

use syclone::prelude::*;

use crate::rig::{in_every_way, run};

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
