//! Launches of nothing: no kernel runs, nobody waits, and results are what they began with.

use syclone::prelude::*;

use crate::rig;
use crate::rig::{assert_says, failure, in_every_way, run};

/// Kernels that count how often they run, over ranges and nd-ranges of this many dimensions.
macro_rules! visitors {
    ($($range:ident $groups:ident $dims:literal)*) => {$(
        #[kernel]
        fn $range(_item: Item<$dims>, visits: AtomicView<u32>) {
            visits.atomic(0).fetch_add(1);
        }

        #[kernel(fallback)]
        fn $groups(_item: NdItem<$dims>, visits: AtomicView<u32>) {
            visits.atomic(0).fetch_add(1);
        }
    )*};
}

visitors! { visit visit_in_groups 1 visit_2d visit_in_groups_2d 2 visit_3d visit_in_groups_3d 3 }

#[kernel]
fn total(item: Item<1>, x: View<i64>, sum: Reducer<i64, Plus>) {
    sum.combine(x[item]);
}

#[kernel]
fn length(item: Item<1>, x: View<i64>, lens: ItemMut<usize>) {
    lens[item] = x.len();
}

#[test]
fn ranges_without_items_run_no_kernel_and_delay_nobody() {
    in_every_way(|queue, way| {
        let visits = Buffer::<u32>::new(1);
        run(queue, |h| h.parallel_for(0, visit(visits.atomic(h))));
        run(queue, |h| h.parallel_for([256, 0], visit_2d(visits.atomic(h))));
        run(queue, |h| h.parallel_for([0, 5], visit_2d(visits.atomic(h))));
        run(queue, |h| h.parallel_for([0, 0, 0], visit_3d(visits.atomic(h))));
        run(queue, |h| h.parallel_for(NdRange::new(0, 4), visit_in_groups(visits.atomic(h))));
        run(queue, |h| h.parallel_for(NdRange::new([256, 0], [4, 2]), visit_in_groups_2d(visits.atomic(h))));
        run(queue, |h| h.parallel_for(NdRange::new([0, 5], [1, 5]), visit_in_groups_2d(visits.atomic(h))));
        run(queue, |h| h.parallel_for(NdRange::new([0, 0, 0], [1, 2, 3]), visit_in_groups_3d(visits.atomic(h))));
        assert_eq!(visits.host_read().expect("reads")[0], 0, "{way:?}");
        let empty = queue.submit(|h| h.parallel_for(0, visit(visits.atomic(h)))).expect("submits");
        run(queue, |h| {
            h.depends_on(&empty);
            h.parallel_for([2, 3], visit_2d(visits.atomic(h)))
        });
        assert_eq!(visits.host_read().expect("reads")[0], 6, "{way:?}");
    });
}

#[test]
fn nothing_is_copied_filled_and_reduced_without_error() {
    in_every_way(|queue, way| {
        let (none, other) = (Buffer::<i64>::new(0), Buffer::<i64>::new(0));
        queue.fill(&none, 7).expect("submits").wait().expect("fills");
        queue.copy(&none, &other).expect("submits").wait().expect("copies");
        queue.copy_from_slice(&[], &none).expect("submits").wait().expect("copies");
        assert!(none.to_vec().expect("reads").is_empty());
        let some = Buffer::from_vec(vec![1i64, 2, 3]);
        let end = some.slice(3..).expect("an empty part");
        queue.fill(&end, 7).expect("submits").wait().expect("fills");
        queue.copy(&none, &end).expect("submits").wait().expect("copies");
        assert_eq!(some.to_vec().expect("reads"), [1, 2, 3], "{way:?}");
        let mut device = queue.alloc_device::<i64>(0).expect("no memory");
        let mut shared = queue.alloc_shared::<i64>(0).expect("no memory");
        queue.fill(&mut device, 7).expect("submits").wait().expect("fills");
        queue.copy(&device, &mut shared).expect("submits").wait().expect("copies");
        queue.copy_from_slice(&[], &mut device).expect("submits").wait().expect("copies");
        assert!(queue.to_vec(&device).expect("reads").is_empty() && shared.host().expect("reads").is_empty());
        // Items that meet an empty view find that out.
        let lens = Buffer::from_vec(vec![usize::MAX; 3]);
        run(queue, |h| h.parallel_for(3, length(none.read(h), lens.write(h))));
        assert_eq!(lens.to_vec().expect("reads"), [0; 3], "{way:?}");
        let ten = Buffer::from_vec(vec![10i64]);
        run(queue, |h| h.parallel_for(0, total(none.read(h), ten.reduce(h, Plus).including_initial_value())));
        assert_eq!(ten.host_read().expect("reads")[0], 10, "{way:?}");
        run(queue, |h| h.parallel_for(0, total(none.read(h), ten.reduce(h, Plus))));
        assert_eq!(ten.host_read().expect("reads")[0], 0, "{way:?}: nothing adds up to the identity");
    });
}

#[test]
fn group_sizes_of_zero_or_that_do_not_divide_are_refused_before_the_launch() {
    let visits = Buffer::<u32>::new(1);
    let queue = rig::queue();
    let launch = |shape: NdRange<2>| failure(&queue, |h| h.parallel_for(shape, visit_in_groups_2d(visits.atomic(h))));
    assert_says(&launch(NdRange::new([4, 4], [2, 0])), &["visit_in_groups", "dimension 1 is 0"]);
    assert_says(&launch(NdRange::new([0, 4], [2, 0])), &["visit_in_groups", "dimension 1 is 0"]);
    assert_says(
        &launch(NdRange::new([4, 10], [2, 4])),
        &["visit_in_groups", "4 does not divide", "10", "round the global size up to 12"],
    );
    assert_eq!(visits.host_read().expect("reads")[0], 0);
    run(&queue, |h| h.parallel_for(NdRange::new([4, 12], [2, 4]), visit_in_groups_2d(visits.atomic(h))));
    assert_eq!(visits.host_read().expect("reads")[0], 48);
}

#[kernel(fallback)]
fn count_in_groups(item: NdItem<2>, count: Reducer<u64, Plus>, greatest: Reducer<i32, Maximum>) {
    item.barrier();
    count.combine(1);
    greatest.combine(item.global_id(1) as i32);
}

#[test]
fn reductions_over_no_groups_give_what_they_began_with() {
    in_every_way(|queue, way| {
        for extents in [[0, 4], [4, 0], [0, 0]] {
            let (count, greatest) = (Buffer::from_vec(vec![10u64]), Buffer::from_vec(vec![7i32]));
            run(queue, |h| {
                let count = count.reduce(h, Plus).including_initial_value();
                h.parallel_for(NdRange::new(extents, [2, 2]), count_in_groups(count, greatest.reduce(h, Maximum)))
            });
            assert_eq!(count.host_read().expect("reads")[0], 10, "{way:?} {extents:?}");
            assert_eq!(greatest.host_read().expect("reads")[0], i32::MIN, "{way:?} {extents:?}");
            // The same launch with items.
            run(queue, |h| {
                let count = count.reduce(h, Plus).including_initial_value();
                h.parallel_for(NdRange::new([4, 6], [2, 2]), count_in_groups(count, greatest.reduce(h, Maximum)))
            });
            assert_eq!(count.host_read().expect("reads")[0], 34, "{way:?} {extents:?}");
            assert_eq!(greatest.host_read().expect("reads")[0], 5, "{way:?} {extents:?}");
        }
    });
}

#[kernel]
fn add_one(item: Item<1>, data: ItemMut<i32>) {
    data[item] += 1;
}

#[kernel]
fn copy_plus_one(item: Item<2>, x: View<i32, 2>, y: ItemMut<i32, 2>) {
    y[item] = x[item] + 1;
}

#[kernel(fallback)]
fn length_of_local(item: NdItem<1>, space: LocalAccessor<i32>, lens: ItemMut<usize>) {
    item.barrier();
    lens[item] = space.len() + 40;
}

#[test]
fn memory_of_several_dimensions_and_rows_with_gaps_may_be_empty_too() {
    in_every_way(|queue, way| {
        for extents in [[0, 5], [5, 0], [0, 0]] {
            let (x, y) = (Buffer::<i32, 2>::new(extents), Buffer::<i32, 2>::new(extents));
            let (p, q) = (Buffer::<i32, 2>::pitched(extents), Buffer::<i32, 2>::pitched(extents));
            let (p, q) = (p.expect("a shape"), q.expect("a shape"));
            run(queue, |h| h.parallel_for(extents, copy_plus_one(x.read(h), y.write(h))));
            run(queue, |h| h.parallel_for(extents, copy_plus_one(p.read(h), q.write(h))));
            queue.fill(&p, 3).expect("submits").wait().expect("fills");
            queue.copy(&p, &y).expect("submits").wait().expect("copies");
            queue.copy(&y, &q).expect("submits").wait().expect("copies");
            assert!(y.to_vec().expect("reads").is_empty() && q.to_vec().expect("reads").is_empty(), "{way:?}");
        }
        let lens = Buffer::<usize>::new(4);
        run(queue, |h| h.parallel_for(NdRange::new(4, 2), length_of_local(LocalAccessor::new(0), lens.write(h))));
        assert_eq!(lens.to_vec().expect("reads"), [40; 4], "{way:?}");
    });
}

#[test]
fn launches_of_nothing_pass_on_in_order_queues_inline_and_in_graphs() {
    in_every_way(|queue, way| {
        let in_order = Queue::in_order(queue.device()).expect("a queue");
        let (none, some) = (in_order.alloc_device::<i32>(0), in_order.alloc_device::<i32>(4));
        let (mut none, mut some) = (none.expect("no memory"), some.expect("memory"));
        in_order.fill(&mut some, 4).expect("submits");
        for _ in 0..3 {
            in_order.parallel_for(0, add_one(none.item_mut())).expect("submits");
            in_order.parallel_for(4, add_one(some.item_mut())).expect("submits");
        }
        assert_eq!(in_order.to_vec(&some).expect("reads"), [7; 4], "{way:?}");
        let (none, some) = (Buffer::<i32>::new(0), Buffer::<i32>::new(3));
        run(queue, |h| {
            let none = none.write(h);
            h.parallel_for(0, syclone::kernel!(|item: Item<1>| none[item] = 3))
        });
        let graph = Graph::new(queue.device());
        let nothing = graph.add(|h| h.parallel_for(0, add_one(none.read_write(h)))).expect("records");
        let after = graph.add(|h| {
            h.depends_on(&nothing);
            h.parallel_for(3, add_one(some.read_write(h)))
        });
        after.expect("records");
        let graph = graph.instantiate().expect("a graph");
        for _ in 0..5 {
            queue.replay(&graph).expect("submits");
        }
        queue.wait().expect("runs");
        assert_eq!(some.to_vec().expect("reads"), [5; 3], "{way:?}");
    });
}
