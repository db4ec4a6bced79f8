use super::{one_group, with_memory};
use crate::abi::{Divergence, GroupCx};
use crate::kernel::{LocalAccessor, Oob, SpanOf};

#[test]
fn local_memory_is_zero_aligned_and_never_aliases_within_a_group() {
    with_memory(|memory| {
        for _ in 0..3 {
            let group = one_group(memory, 4, 4);
            let a = group.local::<[u32; 5]>();
            let b = group.local::<[bool; 3]>();
            let c = group.bind_local(&LocalAccessor::<u64>::new(7));
            let (a, b, c) = (a.raw_span(), b.raw_span(), c.raw_span());
            let ranges = [
                (a.ptr as usize, a.ptr as usize + 20),
                (b.ptr as usize, b.ptr as usize + 3),
                (c.ptr as usize, c.ptr as usize + 56),
            ];
            for (i, range) in ranges.iter().enumerate() {
                assert_eq!(range.0 % 64, 0);
                for other in &ranges[i + 1..] {
                    assert!(range.1 <= other.0 || other.1 <= range.0);
                }
            }
            // SAFETY: spans of local memory of the running group.
            unsafe {
                for i in 0..5 {
                    assert_eq!(*a.ptr.add(i), 0);
                    *a.ptr.add(i) = u32::MAX;
                }
                for i in 0..7 {
                    assert_eq!(*c.ptr.add(i), 0);
                    *c.ptr.add(i) = u64::MAX;
                }
                assert!((0..3).all(|i| !*b.ptr.add(i)));
            }
        }
    });
}

#[test]
fn local_memory_beyond_the_workers_block_is_still_memory_of_its_own() {
    with_memory(|memory| {
        let group = one_group(memory, 1, 1);
        let inside = group.local::<[u8; 4000]>().raw_span();
        let beyond = group.local::<[u8; 4000]>().raw_span();
        // SAFETY: spans of local memory of the running group.
        unsafe {
            inside.ptr.write_bytes(1, 4000);
            beyond.ptr.write_bytes(2, 4000);
            assert!((0..4000).all(|i| *inside.ptr.add(i) == 1 && *beyond.ptr.add(i) == 2));
        }
    });
}

#[test]
fn reports_add_up_until_they_are_taken_and_the_first_divergence_stays() {
    with_memory(|memory| {
        for bits in [1 << 3, 1 << 31, 0] {
            let mut oob = Oob::in_a_test();
            oob.note(bits);
            one_group(memory, 2, 1).report(oob);
        }
        assert!(memory.has_report());
        assert_eq!(memory.take_faults(), 1 << 3 | 1 << 31);
        assert_eq!(memory.take_faults(), 0);
        let group = one_group(memory, 5, 1);
        group.diverged(7, 2);
        group.diverged(9, 4);
        assert_eq!(memory.take_divergence(), Some(Divergence { line: 7, arrived: 2, expected: 5 }));
        assert!(!memory.has_report());
    });
}

#[test]
fn ids_of_three_dimensional_items_are_row_major() {
    let (groups, local) = ([2usize, 3, 2], [2usize, 1, 4]);
    let mut seen = Vec::new();
    with_memory(|memory| {
        for gz in 0..2 {
            for gy in 0..3 {
                for gx in 0..2 {
                    // SAFETY: one group at a time, inside `with_memory`.
                    let group = unsafe { GroupCx::nd_range([gz, gy, gx], groups, local, 4, 0, memory) };
                    assert_eq!(group.size(), 8);
                    for linear in 0..8 {
                        let at = group.local_of(linear);
                        let item = group.nd_item(at);
                        assert_eq!(item.local_linear_id(), linear);
                        for dim in 0..3 {
                            assert_eq!(item.local_id(dim), at[dim]);
                            assert_eq!(item.group_id(dim), [gz, gy, gx][dim]);
                            assert_eq!(item.global_id(dim), [gz, gy, gx][dim] * local[dim] + at[dim]);
                            assert_eq!(item.global_range(dim), [4, 3, 8][dim]);
                            assert_eq!(item.local_range(dim), local[dim]);
                            assert_eq!(item.group_range(dim), groups[dim]);
                            assert_eq!(item.group().id(dim), [gz, gy, gx][dim]);
                            assert_eq!(item.group().range(dim), groups[dim]);
                            assert_eq!(item.group().local_range(dim), local[dim]);
                        }
                        assert_eq!(item.group().size(), 8);
                        assert_eq!(item.group_linear_id(), (gz * 3 + gy) * 2 + gx);
                        let (z, y, x) = (item.global_id(0), item.global_id(1), item.global_id(2));
                        assert_eq!(item.global_linear_id(), (z * 3 + y) * 8 + x);
                        seen.push(item.global_linear_id());
                        let sub_group = item.sub_group();
                        assert_eq!((sub_group.id(), sub_group.local_id()), (linear / 4, linear % 4));
                        assert_eq!((sub_group.size(), sub_group.max_size(), sub_group.count()), (4, 4, 2));
                    }
                }
            }
        }
    });
    seen.sort_unstable();
    assert_eq!(seen, (0..4 * 3 * 8).collect::<Vec<_>>());
}

#[test]
fn items_of_one_and_two_dimensions_and_of_plain_ranges_know_where_they_are() {
    with_memory(|memory| {
        // SAFETY: one group at a time, inside `with_memory`.
        let line = unsafe { GroupCx::nd_range([3], [5], [10], 4, 0, memory) };
        let item = line.nd_item([7]);
        assert_eq!((item.global_id(0), item.global_linear_id(), item.group_linear_id()), (37, 37, 3));
        assert_eq!((item.global_range(0), item.local_linear_id()), (50, 7));

        // SAFETY: as above.
        let plane = unsafe { GroupCx::nd_range([1, 2], [2, 3], [4, 5], 4, 0, memory) };
        let item = plane.nd_item([3, 4]);
        assert_eq!((item.global_id(0), item.global_id(1)), (7, 14));
        assert_eq!((item.global_linear_id(), item.local_linear_id()), (7 * 15 + 14, 19));

        // SAFETY: as above.
        let part = unsafe { GroupCx::range([6, 8], [2, 3], [9, 11], 0, memory) };
        let item = part.range_item([1, 2]);
        assert_eq!((item.global_id(0), item.id(1)), (7, 10));
        assert_eq!((item.range(0), item.global_range(1)), (9, 11));
        assert_eq!((item.linear_id(), item.global_linear_id()), (7 * 11 + 10, 87));
    });
}

#[test]
fn the_last_sub_group_is_as_small_as_what_is_left() {
    for (size, width, expected) in [(33, 32, vec![32, 1]), (48, 32, vec![32, 16]), (3, 8, vec![3]), (3, 1, vec![1; 3])]
    {
        with_memory(|memory| {
            let group = one_group(memory, size, width);
            let mut sizes = Vec::new();
            for i in 0..size {
                let sub_group = group.sub_group(i);
                assert_eq!(sub_group.id() * width + sub_group.local_id(), i);
                assert!(sub_group.local_id() < sub_group.size());
                assert_eq!((sub_group.max_size(), sub_group.count()), (width, expected.len()));
                if sub_group.local_id() == 0 {
                    sizes.push(sub_group.size());
                }
            }
            assert_eq!(sizes, expected);
        });
    }
}
