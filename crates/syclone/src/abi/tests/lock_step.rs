use std::cell::{Cell, RefCell};

use super::{SIZES, WIDTHS, awkward, for_all_groups, one_group, per_item, with_memory};
use crate::abi::lock_step::{self, run};
use crate::abi::{Divergence, GroupArg, GroupCx, Oob, Uniform, group, sub_group};
use crate::kernel::{NdItem, SpanOf};
use crate::types::ops::{Maximum, Plus};

#[test]
fn items_wait_for_each_other_at_barriers_in_any_control_flow() {
    for_all_groups(|g| {
        let n = g.size();
        let cells: Vec<Cell<usize>> = (0..n).map(Cell::new).collect();
        let cells = &cells;
        // Rotates the values once a round; without the barriers an item would see its neighbour's next value.
        run(g, |item, cx| async move {
            let i = item.local_linear_id();
            for round in 0..5 {
                if round == 3 {
                    continue;
                }
                let next = cells[(i + 1) % n].get();
                cx.barrier(10).await;
                cells[i].set(next);
                cx.barrier(11).await;
            }
        });
        let values: Vec<usize> = cells.iter().map(Cell::get).collect();
        assert_eq!(values, (0..n).map(|i| (i + 4) % n).collect::<Vec<_>>());
    });
}

#[test]
fn collectives_give_what_the_whole_group_versions_give() {
    for_all_groups(|g| {
        let n = g.size();
        let results: RefCell<Vec<Vec<f64>>> = RefCell::new(vec![Vec::new(); n]);
        let results = &results;
        run(g, |item, cx| async move {
            let i = item.local_linear_id();
            let x = awkward(i);
            let mut out = Vec::new();
            // Twice, so that buffers are used again.
            for _ in 0..2 {
                use lock_step::{group, sub_group};
                out.push(group::reduce(&cx, x, Plus).await as f64);
                out.push(group::inclusive_scan(&cx, x, Plus).await as f64);
                out.push(group::exclusive_scan(&cx, x, Maximum).await as f64);
                out.push(group::inclusive_scan_init(&cx, x, 3.0, Plus).await as f64);
                out.push(group::exclusive_scan_init(&cx, x, 3.0, Plus).await as f64);
                out.push(group::broadcast(&cx, i as u64, n - 1).await as f64);
                out.push(group::any(&cx, i == 2).await as u8 as f64);
                out.push(group::all(&cx, i < 40).await as u8 as f64);
                out.push(group::none(&cx, i == 2).await as u8 as f64);
                out.push(group::shift_left(&cx, x, 2).await as f64);
                out.push(group::shift_right(&cx, x, 2).await as f64);
                out.push(group::permute_xor(&cx, x, 3).await as f64);
                out.push(group::select(&cx, x, n - 1 - i).await as f64);
                out.push(sub_group::reduce(&cx, x, Plus).await as f64);
                out.push(sub_group::inclusive_scan(&cx, x, Plus).await as f64);
                out.push(sub_group::exclusive_scan(&cx, x, Plus).await as f64);
                out.push(sub_group::inclusive_scan_init(&cx, x, 3.0, Plus).await as f64);
                out.push(sub_group::exclusive_scan_init(&cx, x, 3.0, Plus).await as f64);
                out.push(sub_group::broadcast(&cx, x, 1).await as f64);
                out.push(sub_group::any(&cx, i == 2).await as u8 as f64);
                out.push(sub_group::all(&cx, i < 40).await as u8 as f64);
                out.push(sub_group::none(&cx, i == 2).await as u8 as f64);
                out.push(sub_group::ballot(&cx, i.is_multiple_of(3)).await as f64);
                out.push(sub_group::shuffle(&cx, x, 2).await as f64);
                out.push(sub_group::shuffle_up(&cx, x, 1).await as f64);
                out.push(sub_group::shuffle_down(&cx, x, 1).await as f64);
                out.push(sub_group::shuffle_xor(&cx, x, 1).await as f64);
            }
            results.borrow_mut()[i] = out;
        });
        let x = per_item(g, awkward);
        let ids = per_item(g, |i| i as u64);
        let [is_two, below_40, thirds] =
            [per_item(g, |i| i == 2), per_item(g, |i| i < 40), per_item(g, |i| i.is_multiple_of(3))];
        let bit = |b: bool| b as u8 as f64;
        for i in 0..n {
            let expected = [
                group::reduce(g, x, Plus) as f64,
                group::inclusive_scan(g, x, Plus).get(i) as f64,
                group::exclusive_scan(g, x, Maximum).get(i) as f64,
                group::inclusive_scan_init(g, x, Uniform(3.0), Plus).get(i) as f64,
                group::exclusive_scan_init(g, x, Uniform(3.0), Plus).get(i) as f64,
                group::broadcast(g, ids, Uniform(n - 1)) as f64,
                bit(group::any(g, is_two)),
                bit(group::all(g, below_40)),
                bit(group::none(g, is_two)),
                group::shift_left(g, x, Uniform(2)).get(i) as f64,
                group::shift_right(g, x, Uniform(2)).get(i) as f64,
                group::permute_xor(g, x, Uniform(3)).get(i) as f64,
                x.get(n - 1 - i) as f64,
                sub_group::reduce(g, x, Plus).get(i) as f64,
                sub_group::inclusive_scan(g, x, Plus).get(i) as f64,
                sub_group::exclusive_scan(g, x, Plus).get(i) as f64,
                sub_group::inclusive_scan_init(g, x, Uniform(3.0), Plus).get(i) as f64,
                sub_group::exclusive_scan_init(g, x, Uniform(3.0), Plus).get(i) as f64,
                sub_group::broadcast(g, x, Uniform(1)).get(i) as f64,
                bit(sub_group::any(g, is_two).get(i)),
                bit(sub_group::all(g, below_40).get(i)),
                bit(sub_group::none(g, is_two).get(i)),
                sub_group::ballot(g, thirds).get(i) as f64,
                sub_group::shuffle(g, x, Uniform(2)).get(i) as f64,
                sub_group::shuffle_up(g, x, Uniform(1)).get(i) as f64,
                sub_group::shuffle_down(g, x, Uniform(1)).get(i) as f64,
                sub_group::shuffle_xor(g, x, Uniform(1)).get(i) as f64,
            ];
            let (first, second) = (&results.borrow()[i][..expected.len()], &results.borrow()[i][expected.len()..]);
            assert_eq!(first, expected, "item {i} of {n}, width {}", g.sub_group_size);
            assert_eq!(second, expected, "item {i} of {n}, width {}", g.sub_group_size);
        }
    });
}

#[test]
fn joint_algorithms_give_every_item_the_result_and_write_once() {
    for_all_groups(|g| {
        let tile = g.local::<[u32; 10]>();
        let flags = g.local::<[bool; 4]>();
        // SAFETY: local memory of the running group.
        unsafe { *tile.raw_span().ptr.cast() = [1u32; 10] };
        run(g, |_, cx| async move {
            use lock_step::group as joint;
            assert_eq!(joint::joint_reduce(&cx, tile, Plus).await, 10);
            joint::joint_inclusive_scan(&cx, tile, tile, Plus).await;
            assert_eq!(joint::joint_reduce(&cx, tile, Maximum).await, 10);
            joint::joint_exclusive_scan(&cx, tile, tile, Plus).await;
            assert_eq!(joint::joint_reduce(&cx, tile, Maximum).await, 45);
            assert!(!joint::joint_any(&cx, flags).await);
            assert!(!joint::joint_all(&cx, flags).await);
            assert!(joint::joint_none(&cx, flags).await);
        });
    });
}

#[test]
fn joint_algorithms_of_a_sub_group_work_on_its_own_span() {
    for_all_groups(|g| {
        let tile = g.local::<[u32; 256]>();
        run(g, |item, cx| async move {
            use lock_step::sub_group as joint;
            let (sub_group, i) = (item.sub_group(), item.local_linear_id());
            let own = tile.span(sub_group.id() * sub_group.max_size(), sub_group.size());
            // SAFETY: local memory of the running group, an element of the item's own.
            unsafe { *tile.raw_span().ptr.add(i) = 1 };
            let len = sub_group.size() as u32;
            // As often as the sub-group's number says, while the others do something else.
            for _ in 0..sub_group.id() % 3 {
                assert_eq!(joint::joint_reduce(&cx, own, Plus).await, len);
            }
            joint::joint_inclusive_scan(&cx, own, own, Plus).await;
            assert_eq!(joint::joint_reduce(&cx, own, Maximum).await, len);
            joint::joint_exclusive_scan(&cx, own, own, Plus).await;
            assert_eq!(joint::joint_reduce(&cx, own, Maximum).await, len * (len - 1) / 2);
            let none = g.local::<[bool; 3]>();
            assert!(!joint::joint_any(&cx, none).await);
            assert!(!joint::joint_all(&cx, none).await);
            assert!(joint::joint_none(&cx, none).await);
        });
    });
}

/// Runs `body` in a group of 33 items and gives the divergence.
fn divergence_of(
    width: usize,
    body: impl Fn(usize, lock_step::Cx<'_, 1>) -> std::pin::Pin<Box<dyn Future<Output = ()> + '_>>,
) -> Option<Divergence> {
    with_memory(|memory| {
        let g = one_group(memory, 33, width);
        run(&g, |item, cx| body(item.local_linear_id(), cx));
        memory.take_divergence()
    })
}

#[test]
fn items_that_end_while_others_wait_are_a_divergence() {
    let found = divergence_of(8, |i, cx| {
        Box::pin(async move {
            if i != 5 {
                cx.barrier(77).await;
            }
        })
    });
    assert_eq!(found, Some(Divergence { line: 77, arrived: 32, expected: 33 }));
}

#[test]
fn items_that_wait_at_different_places_are_a_divergence() {
    let at_two_lines = divergence_of(8, |i, cx| Box::pin(async move { cx.barrier(if i < 3 { 20 } else { 21 }).await }));
    assert_eq!(at_two_lines, Some(Divergence { line: 20, arrived: 3, expected: 33 }));
    let two_types_in_one_line = divergence_of(8, |i, cx| {
        Box::pin(async move {
            if i < 4 {
                lock_step::group::reduce(&cx.at(30), 1u8, Plus).await;
            } else {
                lock_step::group::reduce(&cx.at(30), 1u64, Plus).await;
            }
        })
    });
    assert_eq!(two_types_in_one_line, Some(Divergence { line: 30, arrived: 4, expected: 33 }));
}

#[test]
fn a_sub_group_works_alone_while_the_others_do_something_else() {
    for width in [4, 8, 16] {
        with_memory(|memory| {
            let g = one_group(memory, 33, width);
            let sums: Vec<Cell<usize>> = (0..33).map(|_| Cell::new(0)).collect();
            let sums = &sums;
            run(&g, |item, cx| async move {
                let (i, sub_group) = (item.local_linear_id(), item.sub_group());
                for _ in 0..sub_group.id() {
                    cx.sub_group_barrier(3).await;
                    sums[i].set(sums[i].get() + lock_step::sub_group::reduce(&cx, 1usize, Plus).await);
                }
                cx.barrier(4).await;
            });
            assert_eq!(memory.take_divergence(), None);
            for (i, sum) in sums.iter().enumerate() {
                let sub_group = g.sub_group(i);
                assert_eq!(sum.get(), sub_group.id() * sub_group.size());
            }
        });
    }
}

#[test]
fn a_sub_group_of_which_only_some_items_come_is_a_divergence() {
    let found = divergence_of(8, |i, cx| {
        Box::pin(async move {
            if i >= 8 && i % 2 == 0 {
                lock_step::sub_group::any(&cx.at(41), true).await;
            }
        })
    });
    assert_eq!(found, Some(Divergence { line: 41, arrived: 4, expected: 8 }));
}

#[test]
fn every_future_is_dropped_after_a_run_a_divergence_and_a_panic() {
    struct Counted<'a>(&'a Cell<usize>);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let dropped = Cell::new(0);
    let attempt = |kind: usize| {
        dropped.set(0);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            with_memory(|memory| {
                let g = one_group(memory, 33, 8);
                run(&g, |item, cx| {
                    let counted = Counted(&dropped);
                    async move {
                        let _counted = counted;
                        match kind {
                            1 if item.local_linear_id() == 9 => return,
                            2 if item.local_linear_id() == 9 => panic!("item 9"),
                            _ => {}
                        }
                        cx.barrier(1).await;
                    }
                });
            });
        }));
        assert_eq!(result.is_err(), kind == 2);
        dropped.get()
    };
    assert_eq!([0, 1, 2].map(attempt), [33; 3]);
}

#[test]
fn long_loops_of_collectives_keep_their_memory() {
    with_memory(|memory| {
        let g = one_group(memory, 64, 16);
        run(&g, |item, cx| async move {
            let mut x = item.local_linear_id() as u64;
            for _ in 0..2000 {
                x = lock_step::group::shift_left(&cx, x, 1).await;
                x = lock_step::sub_group::shuffle_xor(&cx, x, 3).await;
            }
        });
        // What the run used fits in a few chunks: a mark made now is not far from the start.
        let before = g.mark();
        let after = one_group(memory, 64, 16).mark();
        assert_ne!(before, after);
        assert!(format!("{before:?}").contains("chunk: 0"), "{before:?}");
    });
}

#[test]
fn faults_and_multi_dimensional_items_work_as_in_regions() {
    with_memory(|memory| {
        // SAFETY: one group at a time, inside `with_memory`.
        let g = unsafe { GroupCx::nd_range([1, 0], [2, 2], [3, 5], 4, 0, memory) };
        let seen = RefCell::new(Vec::new());
        let seen = &seen;
        run(&g, |item, cx| async move {
            cx.barrier(1).await;
            seen.borrow_mut().push((cx.index(), [item.global_id(0), item.global_id(1)]));
            let mut oob = Oob::in_a_test();
            oob.note(1 << cx.index());
            cx.report(oob);
        });
        let expected: Vec<_> = (0..15).map(|i| (i, [3 + i / 5, i % 5])).collect();
        assert_eq!(*seen.borrow(), expected);
        assert_eq!(memory.take_faults(), (1 << 15) - 1);
    });
}

#[test]
fn the_sizes_under_test_have_partial_sub_groups() {
    assert!(SIZES.iter().any(|size| WIDTHS.iter().any(|width| size % width != 0 && size > width)));
    let uniform: &dyn GroupArg<u8> = &Uniform(3);
    assert_eq!(uniform.get(17), 3);
}

#[test]
fn closures_may_name_the_contexts_type_as_macro_output_does() {
    with_memory(|memory| {
        let g = one_group(memory, 3, 4);
        run(&g, |item: NdItem<1>, ax: lock_step::Cx<'_, 1>| async move {
            ax.barrier(1).await;
            let again = ax.group().nd_item(ax.group().local_of(ax.index()));
            assert_eq!(again.local_id(0), item.local_id(0));
        });
    });
}
