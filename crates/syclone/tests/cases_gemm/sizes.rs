//! Sizes of zero and one, and inner sizes below one tile.

use crate::products::*;
use crate::rig::in_every_way;

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
