use super::{all_values, awkward, for_all_groups, one_group, per_item, tree, with_memory};
use crate::abi::{GroupCx, PerItem, Uniform, group, sub_group};
use crate::kernel::{LocalAccessor, SpanOf, View};
use crate::types::ops::{BitXor, Maximum, Multiplies, Plus};

/// The items of each sub-group.
fn sub_groups(g: &GroupCx<1>) -> Vec<Vec<usize>> {
    let items: Vec<usize> = (0..g.size()).collect();
    items.chunks(g.sub_group_size).map(<[usize]>::to_vec).collect()
}

/// What `expected(lane, items)` says of every item, where `items` are those of its sub-group.
fn check_lanes<T: Copy + PartialEq + std::fmt::Debug>(
    g: &GroupCx<1>,
    result: PerItem<T>,
    expected: impl Fn(usize, &[usize]) -> T,
) {
    for items in sub_groups(g) {
        for (lane, &i) in items.iter().enumerate() {
            assert_eq!(result.get(i), expected(lane, &items), "item {i} of {}, width {}", g.size(), g.sub_group_size);
        }
    }
}

#[test]
fn reductions_combine_in_the_documented_tree_bit_for_bit() {
    for_all_groups(|g| {
        let values: Vec<f32> = (0..g.size()).map(awkward).collect();
        let sum = group::reduce(g, per_item(g, awkward), Plus);
        assert_eq!(sum.to_bits(), tree(&values, |a, b| a + b).to_bits());
        assert_eq!(group::reduce(g, Uniform(1u32), Plus), g.size() as u32);
        assert_eq!(group::reduce(g, per_item(g, |i| -(i as i64)), Maximum), 0);
        let sums = sub_group::reduce(g, per_item(g, awkward), Plus);
        check_lanes(g, sums, |_, items| tree(&items.iter().map(|&i| awkward(i)).collect::<Vec<_>>(), |a, b| a + b));
        check_lanes(g, sub_group::reduce(g, Uniform(1u32), Plus), |_, items| items.len() as u32);
    });
}

#[test]
fn scans_go_from_left_to_right() {
    for_all_groups(|g| {
        let n = g.size();
        let fold = |upto: usize, start: Option<f32>, from: usize| {
            (from..upto).fold(start, |sum, i| Some(sum.map_or(awkward(i), |s| s + awkward(i))))
        };
        let x = per_item(g, awkward);
        let expected = |f: &dyn Fn(usize) -> f32| (0..n).map(f).collect::<Vec<_>>();
        assert_eq!(all_values(g, group::inclusive_scan(g, x, Plus)), expected(&|i| fold(i + 1, None, 0).unwrap()));
        assert_eq!(all_values(g, group::exclusive_scan(g, x, Plus)), expected(&|i| fold(i, None, 0).unwrap_or(0.0)));
        assert_eq!(
            all_values(g, group::inclusive_scan_init(g, x, Uniform(2.5), Plus)),
            expected(&|i| fold(i + 1, Some(2.5), 0).unwrap())
        );
        assert_eq!(
            all_values(g, group::exclusive_scan_init(g, x, Uniform(2.5), Plus)),
            expected(&|i| fold(i, Some(2.5), 0).unwrap())
        );
        check_lanes(g, sub_group::inclusive_scan(g, x, Plus), |lane, items| {
            fold(items[lane] + 1, None, items[0]).unwrap()
        });
        check_lanes(g, sub_group::exclusive_scan(g, x, Plus), |lane, items| {
            fold(items[lane], None, items[0]).unwrap_or(0.0)
        });
        let init = per_item(g, |i| i as f32);
        check_lanes(g, sub_group::inclusive_scan_init(g, x, init, Plus), |lane, items| {
            fold(items[lane] + 1, Some(items[0] as f32), items[0]).unwrap()
        });
        check_lanes(g, sub_group::exclusive_scan_init(g, x, init, Plus), |lane, items| {
            fold(items[lane], Some(items[0] as f32), items[0]).unwrap()
        });
    });
}

#[test]
fn values_move_between_items_and_stay_where_there_is_no_source() {
    for_all_groups(|g| {
        let n = g.size();
        let x = per_item(g, |i| i * 10);
        let from = |i: usize, source: Option<usize>| source.filter(|&s| s < n).unwrap_or(i) * 10;
        for k in [0, 1, 2, 5, 31, 40, usize::MAX] {
            let check = |result: PerItem<usize>, source: &dyn Fn(usize) -> Option<usize>| {
                let expected: Vec<_> = (0..n).map(|i| from(i, source(i))).collect();
                assert_eq!(all_values(g, result), expected, "{k} in {n}");
            };
            check(group::shift_left(g, x, Uniform(k)), &|i| i.checked_add(k));
            check(group::shift_right(g, x, Uniform(k)), &|i| i.checked_sub(k));
            check(group::permute_xor(g, x, Uniform(k)), &|i| Some(i ^ k));
            check(group::select(g, x, Uniform(k)), &|_| Some(k));

            let lane_from = |lane: usize, items: &[usize], source: Option<usize>| {
                items[source.filter(|&s| s < items.len()).unwrap_or(lane)] * 10
            };
            for down in [sub_group::shuffle_down, sub_group::shift_left] {
                check_lanes(g, down(g, x, Uniform(k)), |l, items| lane_from(l, items, l.checked_add(k)));
            }
            for up in [sub_group::shuffle_up, sub_group::shift_right] {
                check_lanes(g, up(g, x, Uniform(k)), |l, items| lane_from(l, items, l.checked_sub(k)));
            }
            for xor in [sub_group::shuffle_xor, sub_group::permute_xor] {
                check_lanes(g, xor(g, x, Uniform(k)), |l, items| lane_from(l, items, Some(l ^ k)));
            }
            for index in [sub_group::shuffle, sub_group::select, sub_group::broadcast] {
                check_lanes(g, index(g, x, Uniform(k)), |l, items| lane_from(l, items, Some(k)));
            }
        }
        let reversed = per_item(g, |i| n - 1 - i);
        assert_eq!(all_values(g, group::select(g, x, reversed)), (0..n).rev().map(|i| i * 10).collect::<Vec<_>>());
    });
}

#[test]
fn a_broadcast_gives_the_named_items_value_and_zero_for_no_item() {
    for_all_groups(|g| {
        let x = per_item(g, |i| i as u32 + 5);
        assert_eq!(group::broadcast(g, x, Uniform(g.size() - 1)), g.size() as u32 + 4);
        assert_eq!(group::broadcast(g, x, Uniform(g.size())), 0);
    });
}

#[test]
fn votes_and_ballots_count_every_item_once() {
    for_all_groups(|g| {
        let predicates: [fn(usize) -> bool; 4] = [|_| false, |_| true, |i| i == 2, |i| i % 3 != 1];
        for predicate in predicates {
            let p = per_item(g, predicate);
            let n = g.size();
            assert_eq!(group::any(g, p), (0..n).any(predicate));
            assert_eq!(group::all(g, p), (0..n).all(predicate));
            assert_eq!(group::none(g, p), !(0..n).any(predicate));
            check_lanes(g, sub_group::any(g, p), |_, items| items.iter().any(|&i| predicate(i)));
            check_lanes(g, sub_group::all(g, p), |_, items| items.iter().all(|&i| predicate(i)));
            check_lanes(g, sub_group::none(g, p), |_, items| !items.iter().any(|&i| predicate(i)));
            check_lanes(g, sub_group::ballot(g, p), |_, items| {
                items.iter().enumerate().map(|(lane, &i)| (predicate(i) as u32) << lane).sum()
            });
        }
    });
}

#[test]
fn joint_reductions_take_spans_longer_and_shorter_than_the_group() {
    for len in [0usize, 1, 7, 100] {
        with_memory(|memory| {
            let g = one_group(memory, 5, 4);
            let data: Vec<f32> = (0..len).map(awkward).collect();
            // SAFETY: `data` outlives the view.
            let view = unsafe { View::from_raw(data.as_ptr(), [len], None) };
            let sum = group::joint_reduce(&g, Uniform(view), Plus);
            let expected = if len == 0 { 0.0 } else { tree(&data, |a, b| a + b) };
            assert_eq!(sum.to_bits(), expected.to_bits());
            assert_eq!(group::joint_reduce(&g, Uniform(view.span(len, 0)), Multiplies), 1.0);
            assert!(!memory.has_report());
        });
    }
}

#[test]
fn joint_votes_look_at_every_element() {
    with_memory(|memory| {
        let g = one_group(memory, 3, 4);
        let flags = g.local::<[bool; 9]>();
        let span = Uniform(flags);
        let votes = || (group::joint_any(&g, span), group::joint_all(&g, span), group::joint_none(&g, span));
        assert_eq!(votes(), (false, false, true));
        // SAFETY: local memory of the running group.
        unsafe { *flags.raw_span().ptr.add(8) = true };
        assert_eq!(votes(), (true, false, false));
        assert!(group::joint_all(&g, Uniform(flags.span(8, 1))));
    });
}

#[test]
fn spans_beyond_their_memory_are_cut_and_reported() {
    with_memory(|memory| {
        let g = one_group(memory, 2, 4);
        let data = [1u32, 2, 4, 8];
        // SAFETY: `data` outlives the view.
        let mut view = unsafe { View::from_raw(data.as_ptr(), [4], None) };
        view.0.fault = 1 << 4;
        assert_eq!(group::joint_reduce(&g, Uniform(view.span(2, 9)), BitXor), 12);
        assert_eq!(memory.take_faults(), 1 << 4);
        assert_eq!(group::joint_reduce(&g, Uniform(view.span(5, 0)), BitXor), 0);
        assert_eq!(memory.take_faults(), 1 << 4);
        let short = g.bind_local(&LocalAccessor::<u32>::new(3).with_fault(1 << 7));
        group::joint_inclusive_scan(&g, Uniform(view), Uniform(short), Plus);
        assert_eq!(memory.take_faults(), 1 << 7);
        assert_eq!(group::joint_reduce(&g, Uniform(short), Plus), 1 + 3 + 7);
    });
}

#[test]
fn each_sub_group_has_a_span_of_its_own() {
    for_all_groups(|g| {
        let data: Vec<f32> = (0..g.size() + 5).map(awkward).collect();
        // SAFETY: `data` outlives the view.
        let view = unsafe { View::from_raw(data.as_ptr(), [data.len()], None) };
        let spans = per_item(g, |i| view.span(i / g.sub_group_size, 5));
        let bits = per_item(g, |i| sub_group::joint_reduce(g, spans, Plus).get(i).to_bits());
        check_lanes(g, bits, |_, items| {
            let start = items[0] / g.sub_group_size;
            tree(&data[start..start + 5], |a, b| a + b).to_bits()
        });
        let out = g.bind_local(&LocalAccessor::<f32>::new(data.len() * 5));
        let outs = per_item(g, |i| out.span(i / g.sub_group_size * 5, 5));
        sub_group::joint_exclusive_scan(g, spans, outs, Maximum);
        let highest = per_item(g, |i| sub_group::joint_reduce(g, outs, Maximum).get(i));
        check_lanes(g, highest, |_, items| {
            let start = items[0] / g.sub_group_size;
            data[start..start + 4].iter().copied().fold(f32::NEG_INFINITY, f32::max)
        });
    });
}
