//! Index spaces and the ids in them: `id`, `range`, `nd_range`, `item`, `nd_item` and `group`.

use super::written;
use syclone::prelude::*;

/// What an item of a plain range says of itself: ids, ranges, linear id.
#[kernel]
fn item_says<const SIZE: usize>(item: Item<3>, out: ItemMut<[usize; 7], 3>) {
    out[item] =
        [item.id(0), item.id(1), item.id(2), item.range(0), item.range(1), item.range(2), item.linear_id() * SIZE];
}

#[kernel]
fn linear_1(item: Item<1>, out: ItemMut<usize>) {
    out[item] = item.linear_id();
}

#[kernel]
fn linear_2(item: Item<2>, out: ItemMut<usize, 2>) {
    out[item] = item.linear_id();
}

/// Global, local and group ids, ranges and linear ids of an item in a group.
#[kernel]
fn nd_item_says(item: NdItem<2>, out: ItemMut<[usize; 15], 2>) {
    out[item] = [
        item.global_id(0),
        item.global_id(1),
        item.local_id(0),
        item.local_id(1),
        item.group_id(0),
        item.group_id(1),
        item.global_range(0),
        item.global_range(1),
        item.local_range(0),
        item.local_range(1),
        item.group_range(0),
        item.group_range(1),
        item.global_linear_id(),
        item.local_linear_id(),
        item.group_linear_id(),
    ];
}

#[kernel]
fn nd_linear_3(item: NdItem<3>, out: ItemMut<[usize; 3], 3>) {
    out[item] = [item.global_linear_id(), item.local_linear_id(), item.group_linear_id()];
}

#[kernel]
fn group_says(item: NdItem<2>, out: GroupMut<[usize; 8], 2>) {
    let group = item.group();
    if item.local_linear_id() == 0 {
        out[group] = [
            group.id(0),
            group.id(1),
            group.range(0),
            group.range(1),
            group.local_range(0),
            group.local_range(1),
            group.linear_id(),
            group.size(),
        ];
    }
}

#[kernel]
fn reversed_in_group(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let (lid, size) = (item.local_id(0), item.local_range(0));
    tile[lid] = x[item];
    item.barrier();
    out[item] = tile[size - 1 - lid];
}

#[kernel]
fn rounds(item: NdItem<1>, out: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let lid = item.local_id(0);
    tile[lid] = lid as u32;
    item.barrier();
    for _ in 0..8 {
        let next = tile[(lid + 1) % 8];
        item.barrier();
        tile[lid] = next;
        item.barrier();
    }
    out[item] = tile[lid];
}

/// `Item<3>` over `extents`, against three nested loops.
fn check_items(queue: &Queue, extents: [usize; 3]) -> Result<()> {
    let out = Buffer::<[usize; 7], 3>::new(extents);
    queue.submit(|h| h.parallel_for(extents, item_says::<1>(out.write(h))))?;
    let mut expected = Vec::new();
    for a in 0..extents[0] {
        for b in 0..extents[1] {
            for c in 0..extents[2] {
                expected.push([a, b, c, extents[0], extents[1], extents[2], expected.len()]);
            }
        }
    }
    assert_eq!(out.to_vec()?, expected, "{extents:?}");
    Ok(())
}

/// The indices of SYCL's `id`.
pub mod id {
    use super::*;

    crate::tests! {
        fn the_last_dimension_of_an_index_is_the_fastest(queue) {
            let out = Buffer::<usize, 2>::new([5, 7]);
            queue.submit(|h| h.parallel_for([5, 7], linear_2(out.write(h))))?;
            assert_eq!(out.to_vec()?, (0..35).collect::<Vec<_>>());
        }

        fn an_index_of_one_dimension_is_its_own_linear_index(queue) {
            let out = Buffer::<usize>::new(1001);
            queue.submit(|h| h.parallel_for(1001, linear_1(out.write(h))))?;
            assert_eq!(out.to_vec()?, (0..1001).collect::<Vec<_>>());
        }

        fn numbers_tuples_arrays_and_ranges_are_the_same_index_space(queue) {
            let out = Buffer::<usize, 2>::new([3, 4]);
            for round in 0..4 {
                out.copy_from_slice(&[99; 12])?;
                queue.submit(|h| match round {
                    0 => h.parallel_for((3, 4), linear_2(out.write(h))),
                    1 => h.parallel_for([3, 4], linear_2(out.write(h))),
                    2 => h.parallel_for(Range::new([3, 4]), linear_2(out.write(h))),
                    _ => h.parallel_for(Range::from((3, 4)), linear_2(out.write(h))),
                })?;
                assert_eq!(out.to_vec()?, (0..12).collect::<Vec<_>>(), "round {round}");
            }
        }
    }
}

/// Plain index spaces.
pub mod range {
    use super::*;

    crate::tests! {
        fn a_range_knows_its_extents_and_size(_queue) {
            assert_eq!(Range::new([2, 3, 4]).extents(), [2, 3, 4]);
            assert_eq!(Range::from(7).size(), Some(7));
            assert_eq!(Range::from((5, 6)).size(), Some(30));
            assert_eq!(Range::new([usize::MAX, 2]).size(), None);
            assert_eq!(Range::new([usize::MAX, 2, 0]).size(), Some(0));
            assert_eq!(Range::from([1, 2]), Range::new([1, 2]));
        }

        fn a_range_without_items_is_a_command_that_does_nothing(queue) {
            let out = Buffer::from_vec(vec![5usize; 4]);
            queue.submit(|h| h.parallel_for(0, linear_1(out.read_write(h))))?.wait()?;
            assert_eq!(out.to_vec()?, [5; 4]);
            let plane = Buffer::<usize, 2>::new([0, 3]);
            queue.submit(|h| h.parallel_for([0, 3], linear_2(plane.write(h))))?.wait()?;
            assert!(plane.is_empty());
        }

        fn every_index_of_odd_ranges_has_one_item(queue) {
            for extents in [[1, 1, 1], [3, 5, 7], [1, 1, 257], [129, 1, 2], [2, 65, 3]] {
                check_items(queue, extents)?;
            }
        }
    }
}

/// Index spaces in groups.
pub mod nd_range {
    use super::*;

    crate::tests! {
        fn an_nd_range_knows_its_global_and_local_extents(_queue) {
            let shape = NdRange::new([12, 8], [3, 4]).sub_group_size(8);
            assert_eq!((shape.global(), shape.local()), ([12, 8], [3, 4]));
        }

        fn every_index_of_an_nd_range_has_one_item_of_one_group(queue) {
            for (global, local) in [([4, 6, 8], [2, 3, 4]), ([3, 1, 5], [1, 1, 5]), ([2, 2, 16], [2, 1, 2])] {
                let out = Buffer::<[usize; 3], 3>::new(global);
                queue.submit(|h| h.parallel_for(NdRange::new(global, local), nd_linear_3(out.write(h))))?;
                let mut expected = Vec::new();
                for a in 0..global[0] {
                    for b in 0..global[1] {
                        for c in 0..global[2] {
                            let (la, lb, lc) = (a % local[0], b % local[1], c % local[2]);
                            let (ga, gb, gc) = (a / local[0], b / local[1], c / local[2]);
                            expected.push([
                                expected.len(),
                                (la * local[1] + lb) * local[2] + lc,
                                (ga * (global[1] / local[1]) + gb) * (global[2] / local[2]) + gc,
                            ]);
                        }
                    }
                }
                assert_eq!(out.to_vec()?, expected, "{global:?} in groups of {local:?}");
            }
        }

        fn a_group_size_that_does_not_divide_the_range_is_an_error_with_both_numbers(queue) {
            let out = Buffer::<[usize; 3], 3>::new([4, 6, 9]);
            let shape = NdRange::new([4, 6, 9], [2, 3, 4]);
            let refused = queue.submit(|h| h.parallel_for(shape, nd_linear_3(out.write(h))));
            let error = refused.expect_err("9 is no multiple of 4");
            assert!(matches!(error, Error::WorkGroupDoesNotDivide { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains("nd_linear_3") && text.contains('9') && text.contains('4'), "{text}");
        }

        fn a_group_of_no_items_is_an_error(queue) {
            let out = Buffer::<[usize; 3], 3>::new([4, 4, 4]);
            let shape = NdRange::new([4, 4, 4], [2, 0, 4]);
            let refused = queue.submit(|h| h.parallel_for(shape, nd_linear_3(out.write(h))));
            assert!(matches!(refused, Err(Error::WorkGroupSizeZero { .. })), "{refused:?}");
        }
    }
}

/// Items of a range.
pub mod item {
    use super::*;

    crate::tests! {
        fn an_item_knows_its_index_its_range_and_its_linear_index(queue) {
            check_items(queue, [4, 9, 11])?;
        }

        fn constants_of_a_generic_kernel_reach_every_item(queue) {
            let out = Buffer::<[usize; 7], 3>::new([2, 2, 2]);
            queue.submit(|h| h.parallel_for([2, 2, 2], item_says::<100>(out.write(h))))?;
            let linear: Vec<usize> = out.to_vec()?.iter().map(|said| said[6]).collect();
            assert_eq!(linear, (0..8).map(|i| i * 100).collect::<Vec<_>>());
        }
    }
}

/// Items in groups.
pub mod nd_item {
    use super::*;

    crate::tests! {
        fn an_item_of_a_group_knows_its_global_local_and_group_index(queue) {
            let (global, local) = ([6, 20], [3, 5]);
            let out = Buffer::<[usize; 15], 2>::new(global);
            queue.submit(|h| h.parallel_for(NdRange::new(global, local), nd_item_says(out.write(h))))?;
            let mut expected = Vec::new();
            for a in 0..6 {
                for b in 0..20 {
                    let (la, lb, ga, gb) = (a % 3, b % 5, a / 3, b / 5);
                    expected.push([a, b, la, lb, ga, gb, 6, 20, 3, 5, 2, 4, a * 20 + b, la * 5 + lb, ga * 4 + gb]);
                }
            }
            assert_eq!(out.to_vec()?, expected);
        }

        fn a_barrier_makes_what_the_group_wrote_visible(queue) {
            let x: Vec<u32> = (0..320).map(|i| i * 3 + 1).collect();
            for size in [1, 2, 5, 64] {
                let shape = NdRange::new(320, size);
                let out: Vec<u32> = written(queue, &x, 320, |h, x, out| {
                    h.parallel_for(shape, reversed_in_group(x.read(h), out.write(h)))
                })?;
                let expected: Vec<u32> = x.chunks(size).flat_map(|group| group.iter().rev().copied()).collect();
                assert_eq!(out, expected, "groups of {size}");
            }
        }

        fn barriers_in_a_loop_keep_its_rounds_apart(queue) {
            let out = Buffer::<u32>::new(24);
            queue.submit(|h| h.parallel_for(NdRange::new(24, 8), rounds(out.write(h))))?;
            // Eight steps around a circle of eight.
            assert_eq!(out.to_vec()?, (0..24).map(|i| i % 8).collect::<Vec<_>>());
        }
    }
}

/// Work-groups.
pub mod group {
    use super::*;

    crate::tests! {
        fn a_group_knows_its_index_its_extents_and_its_size(queue) {
            let out = Buffer::<[usize; 8], 2>::new([3, 2]);
            queue.submit(|h| h.parallel_for(NdRange::new([6, 14], [2, 7]), group_says(out.write(h))))?;
            let mut expected = Vec::new();
            for a in 0..3 {
                for b in 0..2 {
                    expected.push([a, b, 3, 2, 2, 7, a * 2 + b, 14]);
                }
            }
            assert_eq!(out.to_vec()?, expected);
        }

        fn groups_of_the_largest_size_run(queue) {
            let size = queue.device().info().max_work_group_size.min(1024);
            let out = Buffer::<[usize; 3], 3>::new([1, 1, 2 * size]);
            queue.submit(|h| h.parallel_for(NdRange::new([1, 1, 2 * size], [1, 1, size]), nd_linear_3(out.write(h))))?;
            let last = out.to_vec()?[2 * size - 1];
            assert_eq!(last, [2 * size - 1, size - 1, 1]);
        }

        fn a_group_larger_than_the_device_takes_is_an_error_with_the_limit(queue) {
            let limit = queue.device().info().max_work_group_size;
            let out = Buffer::<[usize; 3], 3>::new([1, 1, 1]);
            let shape = NdRange::new([1, 1, 2 * limit], [1, 1, 2 * limit]);
            let error = queue.submit(|h| h.parallel_for(shape, nd_linear_3(out.write(h)))).expect_err("too large");
            assert!(matches!(error, Error::WorkGroupTooLarge { .. }), "{error}");
            assert!(error.to_string().contains(&limit.to_string()), "{error}");
        }
    }
}
