//! Transposed, strided, expanded operands, and parts of larger matrices.

use syclone::abi::ways::Way;
use syclone::prelude::*;

use crate::products::*;
use crate::rig::{in_every_way, run};

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
