//! `reduction`: values that all items of a launch contribute to.

use syclone::prelude::*;

use super::groups::mixed;

#[kernel]
fn reduce_all(
    item: Item<1>,
    x: View<i64>,
    sum: Reducer<i64, Plus>,
    least: Reducer<i64, Minimum>,
    or: Reducer<i64, BitOr>,
) {
    sum.combine(x[item]);
    least.combine(x[item]);
    or.combine(x[item]);
}

#[kernel]
fn reduce_in_groups(item: NdItem<2>, x: View<u32, 2>, product: Reducer<u32, Multiplies>, most: Reducer<u32, Maximum>) {
    product.combine(x[item]);
    if x[item] % 3 != 0 {
        most.combine(x[item]);
    }
}

#[kernel]
fn sum_of_floats(item: Item<1>, x: View<f32>, sum: Reducer<f32, Plus>) {
    sum.combine(x[item]);
}

/// Reductions over a launch.
pub mod reduction {
    use super::*;

    /// Sum, minimum and union of `x`, from what the results hold or not.
    fn reduced(queue: &Queue, x: &[i64], initial: bool) -> Result<[i64; 3]> {
        let input = Buffer::from_slice(x);
        let results = [1000, -1000, 1 << 40].map(|value| Buffer::from_vec(vec![value]));
        queue.submit(|h| {
            let (mut sum, mut least, mut or) =
                (results[0].reduce(h, Plus), results[1].reduce(h, Minimum), results[2].reduce(h, BitOr));
            if initial {
                (sum, least, or) =
                    (sum.including_initial_value(), least.including_initial_value(), or.including_initial_value());
            }
            h.parallel_for(x.len(), reduce_all(input.read(h), sum, least, or))
        })?;
        let [sum, least, or] = results.map(|result| result.to_vec());
        Ok([sum?[0], least?[0], or?[0]])
    }

    crate::tests! {
        fn several_reductions_of_one_launch_replace_what_was_there(queue) {
            let x: Vec<i64> = mixed(5003).iter().map(|&v| i64::from(v) - 200).collect();
            let least = x.iter().copied().min().expect("many");
            let expected = [x.iter().sum(), least, x.iter().fold(0, |a, b| a | b)];
            assert_eq!(reduced(queue, &x, false)?, expected);
        }

        fn the_initial_value_takes_part_if_asked_for(queue) {
            let x: Vec<i64> = mixed(1001).iter().map(|&v| i64::from(v)).collect();
            let or = x.iter().fold(1 << 40, |a, b| a | b);
            assert_eq!(reduced(queue, &x, true)?, [1000 + x.iter().sum::<i64>(), -1000, or]);
        }

        fn a_reduction_in_groups_may_leave_items_out(queue) {
            let x: Vec<u32> = mixed(96).iter().map(|&v| v | 1).collect();
            let (input, product, most) =
                (Buffer::from_vec_with(x.clone(), [8, 12])?, Buffer::<u32>::new(1), Buffer::<u32>::new(1));
            let shape = NdRange::new([8, 12], [4, 3]);
            queue.submit(|h| {
                h.parallel_for(
                    shape,
                    reduce_in_groups(input.read(h), product.reduce(h, Multiplies), most.reduce(h, Maximum)),
                )
            })?;
            assert_eq!(product.to_vec()?, [x.iter().fold(1, |a: u32, &b| a.wrapping_mul(b))]);
            assert_eq!(most.to_vec()?, [x.iter().copied().filter(|v| v % 3 != 0).max().expect("one of them")]);
        }

        fn float_sums_repeat_bit_for_bit_and_are_close_to_the_exact_sum(queue) {
            let x: Vec<f32> = mixed(20_011).iter().map(|&v| v as f32 * 0.37 - 150.0).collect();
            let exact: f64 = x.iter().map(|&v| f64::from(v)).sum();
            let size: f64 = x.iter().map(|&v| f64::from(v.abs())).sum();
            let input = Buffer::from_slice(&x);
            let mut first = None;
            for _ in 0..4 {
                let sum = Buffer::<f32>::new(1);
                queue.submit(|h| h.parallel_for(x.len(), sum_of_floats(input.read(h), sum.reduce(h, Plus))))?;
                let got = sum.to_vec()?[0];
                assert!((f64::from(got) - exact).abs() <= 1e-5 * size, "{got} for {exact}");
                assert_eq!(got.to_bits(), *first.get_or_insert(got.to_bits()));
            }
        }

        fn each_replay_of_a_recorded_reduction_begins_anew(queue) {
            let (x, sum) = (Buffer::from_vec(vec![0.5f32; 300]), Buffer::<f32>::new(1));
            let graph = Graph::new(queue.device());
            graph.add(|h| h.parallel_for(300, sum_of_floats(x.read(h), sum.reduce(h, Plus))))?;
            let graph = graph.instantiate()?;
            for _ in 0..3 {
                queue.replay(&graph)?.wait()?;
                assert_eq!(sum.to_vec()?, [150.0]);
            }
        }

        fn a_result_of_several_elements_is_an_error(queue) {
            let (x, sum) = (Buffer::from_vec(vec![1.0f32; 4]), Buffer::<f32>::new(2));
            let refused = queue.submit(|h| h.parallel_for(4, sum_of_floats(x.read(h), sum.reduce(h, Plus))));
            assert!(matches!(refused, Err(Error::LengthMismatch { .. })), "{refused:?}");
        }
    }
}
