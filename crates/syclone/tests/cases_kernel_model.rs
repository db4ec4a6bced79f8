//! What other implementations of the programming model got wrong, with the right values; each in every way to run it.

mod rig;

use std::time::{Duration, Instant};

use rig::{assert_says, failure, in_every_way, run};
use syclone::prelude::*;

// Empty ranges and empty memory.

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

// Partial sub-groups.

/// What an item of a sub-group sees: ids, sizes, and the results of group algorithms.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Seen {
    id: u32,
    lane: u32,
    size: u32,
    max_size: u32,
    ones: u32,
    scan: u32,
    first: u32,
    next: u32,
    any: bool,
    all: bool,
    ballot: u32,
}

#[kernel(fallback)]
fn look_around(item: NdItem<1>, seen: ItemMut<Seen>) {
    let sg = item.sub_group();
    let me = item.local_id(0) as u32;
    let ones = sg.reduce(1u32, Plus);
    let scan = sg.inclusive_scan(1u32, Plus);
    let first = sg.broadcast(me, 0);
    let next = sg.shuffle_down(me, 1);
    let any = sg.any(me == 32);
    let all = sg.all(me < 32);
    let ballot = sg.ballot(me % 2 == 0);
    seen[item] = Seen {
        id: sg.id() as u32,
        lane: sg.local_id() as u32,
        size: sg.size() as u32,
        max_size: sg.max_size() as u32,
        ones,
        scan,
        first,
        next,
        any,
        all,
        ballot,
    };
}

#[test]
fn the_last_sub_group_of_a_group_is_as_small_as_it_is() {
    in_every_way(|queue, way| {
        let sizes = queue.device().info().sub_group_sizes.clone();
        for width in sizes {
            for group in [3usize, 33, 48, 1] {
                let seen = Buffer::from_vec(vec![Seen::zeroed(); 2 * group]);
                let shape = NdRange::new(2 * group, group).sub_group_size(width);
                run(queue, |h| h.parallel_for(shape, look_around(seen.write(h))));
                let seen = seen.host_read().expect("reads");
                for (i, seen) in seen.iter().enumerate() {
                    let me = i % group;
                    let (id, lane, start) = (me / width, me % width, me / width * width);
                    let n = width.min(group - start);
                    let members = start..start + n;
                    let expected = Seen {
                        id: id as u32,
                        lane: lane as u32,
                        size: n as u32,
                        max_size: width as u32,
                        ones: n as u32,
                        scan: lane as u32 + 1,
                        first: start as u32,
                        // From a lane that does not exist comes the item's own value.
                        next: if lane + 1 < n { me + 1 } else { me } as u32,
                        any: members.contains(&32),
                        all: start + n <= 32,
                        ballot: members.filter(|m| m % 2 == 0).map(|m| 1u32 << (m - start)).sum(),
                    };
                    assert_eq!(*seen, expected, "{way:?}: item {i}, groups of {group}, sub-groups of {width}");
                }
                let lanes: u32 = seen[..group].iter().filter(|seen| seen.lane == 0).map(|seen| seen.size).sum();
                assert_eq!(lanes as usize, group, "the sizes add up to the group");
            }
        }
    });
}

#[test]
fn a_sub_group_size_that_does_not_exist_is_refused_with_those_that_do() {
    let queue = rig::queue();
    let seen = Buffer::from_vec(vec![Seen::zeroed(); 8]);
    let text = failure(&queue, |h| h.parallel_for(NdRange::new(8, 8).sub_group_size(7), look_around(seen.write(h))));
    assert_says(&text, &["look_around", "sub-group size 7", "cpu", "[1, 4, 8, 16, 32]"]);
}

// Scans.

#[kernel(fallback)]
fn scan_in_place(item: NdItem<1>, data: ScatterMut<i32>) {
    item.group().joint_exclusive_scan(data, data, Plus);
}

#[kernel(fallback)]
fn scan_numbers(item: NdItem<1>, x: View<f32>, out: ItemMut<[f32; 5]>) {
    let g = item.group();
    let v = x[item.global_id(0)];
    let products = g.exclusive_scan(v, Multiplies);
    let sums = g.inclusive_scan_init(v, 10.0, Plus);
    let greatest = g.exclusive_scan(v, Maximum);
    let least = g.exclusive_scan(v, Minimum);
    let after = g.exclusive_scan_init(v, 0.5, Plus);
    out[item] = [products, sums, greatest, least, after];
}

#[kernel(fallback)]
fn scan_integers(item: NdItem<1>, x: View<i32>, out: ItemMut<[i32; 4]>) {
    let g = item.group();
    let v = x[item.global_id(0)];
    let greatest = g.exclusive_scan(v, Maximum);
    let least = g.exclusive_scan(v, Minimum);
    let products = g.exclusive_scan(v, Multiplies);
    let common = g.exclusive_scan(v, BitAnd);
    out[item] = [greatest, least, products, common];
}

#[kernel(fallback)]
fn count_before_me(item: NdItem<1>, out: ItemMut<[u32; 2]>) {
    let before = item.group().exclusive_scan(1u32, Plus);
    let lanes_before = item.sub_group().exclusive_scan(1u32, Plus);
    out[item] = [before, lanes_before];
}

#[test]
fn scans_in_place_read_before_they_write() {
    in_every_way(|queue, way| {
        for (values, expected, group) in
            [(vec![5, 0], vec![0, 5], 2), (vec![1; 10], (0..10).collect(), 5), (vec![3, 4, 5], vec![0, 3, 7], 8)]
        {
            let data = Buffer::from_vec(values);
            // SAFETY: only the group's own scan touches the data.
            run(queue, |h| unsafe {
                h.parallel_for_unchecked(NdRange::new(group, group), scan_in_place(data.scatter(h)))
            });
            assert_eq!(data.host_read().expect("reads")[..], expected, "{way:?}");
        }
    });
}

#[test]
fn scans_begin_with_the_identity_of_their_operator_or_with_what_they_are_given() {
    let scan = |queue: &Queue, values: &[f32]| {
        let (x, out) = (Buffer::from_slice(values), Buffer::<[f32; 5]>::new(values.len()));
        run(queue, |h| h.parallel_for(NdRange::new(values.len(), values.len()), scan_numbers(x.read(h), out.write(h))));
        out.to_vec().expect("reads")
    };
    in_every_way(|queue, way| {
        let column = |rows: &[[f32; 5]], k: usize| rows.iter().map(|row| row[k]).collect::<Vec<_>>();
        let rows = scan(queue, &[2.0, 3.0, 4.0]);
        assert_eq!(column(&rows, 0), [1.0, 2.0, 6.0], "{way:?}");
        assert_eq!(column(&rows, 4), [0.5, 2.5, 5.5], "{way:?}");
        assert_eq!(column(&scan(queue, &[1.0, 2.0, 3.0]), 1), [11.0, 13.0, 16.0], "{way:?}");
        let rows = scan(queue, &[-3.0, -5.0, -1.0]);
        assert_eq!(column(&rows, 2), [f32::NEG_INFINITY, -3.0, -3.0], "{way:?}");
        assert_eq!(column(&rows, 3), [f32::INFINITY, -3.0, -5.0], "{way:?}");
    });
}

#[test]
fn scans_of_integers_begin_with_the_ends_of_their_type() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_slice(&[-3, -5, -1]), Buffer::<[i32; 4]>::new(3));
        run(queue, |h| h.parallel_for(NdRange::new(3, 3), scan_integers(x.read(h), out.write(h))));
        let expected = [[i32::MIN, i32::MAX, 1, -1], [-3, -3, -3, -3], [-3, -5, 15, -3 & -5]];
        assert_eq!(out.host_read().expect("reads")[..], expected, "{way:?}");
    });
}

#[test]
fn a_scan_of_a_group_goes_on_across_its_sub_groups() {
    in_every_way(|queue, way| {
        let out = Buffer::<[u32; 2]>::new(96);
        run(queue, |h| h.parallel_for(NdRange::new(96, 48).sub_group_size(32), count_before_me(out.write(h))));
        let out = out.host_read().expect("reads");
        for (i, counts) in out.iter().enumerate() {
            let local = (i % 48) as u32;
            assert_eq!(*counts, [local, local % 32], "{way:?}");
        }
    });
}

// Atomics on floats and on 64 bits.

#[kernel]
fn greatest(item: Item<1>, x: View<f32>, cell: AtomicView<f32>) {
    cell.atomic(0).fetch_max(x[item]);
}

#[kernel]
fn least(item: Item<1>, x: View<f32>, cell: AtomicView<f32>) {
    cell.atomic(0).fetch_min(x[item]);
}

#[kernel]
fn sum(item: Item<1>, x: View<f32>, cell: AtomicView<f32>) {
    cell.atomic(0).fetch_add(x[item]);
}

#[kernel]
fn replace(_item: Item<1>, current: f32, new: f32, cell: AtomicView<f32>, done: AtomicView<u32>) {
    let (_, replaced) = cell.atomic(0).compare_exchange(current, new);
    if replaced {
        done.atomic(0).fetch_add(1);
    }
}

#[kernel]
fn add_wide(_item: Item<1>, cell: AtomicView<i64>) {
    cell.atomic(0).fetch_add(1 << 33);
}

#[kernel]
fn take_numbers(item: Item<1>, counter: AtomicView<u32>, numbers: ItemMut<u32>) {
    numbers[item] = counter.atomic(0).fetch_add(1);
}

#[test]
fn float_atomics_compare_values_and_end_with_nan() {
    in_every_way(|queue, way| {
        let cell =
            |start: f32, values: Vec<f32>, launch: fn(&Handler<'_>, &Buffer<f32>, &Buffer<f32>) -> Result<()>| {
                let (x, cell) = (Buffer::from_vec(values), Buffer::from_vec(vec![start]));
                run(queue, |h| launch(h, &x, &cell));
                cell.to_vec().expect("reads")[0]
            };
        let max = |h: &Handler<'_>, x: &Buffer<f32>, cell: &Buffer<f32>| {
            h.parallel_for(x.len(), greatest(x.read(h), cell.atomic(h)))
        };
        let min = |h: &Handler<'_>, x: &Buffer<f32>, cell: &Buffer<f32>| {
            h.parallel_for(x.len(), least(x.read(h), cell.atomic(h)))
        };
        let add = |h: &Handler<'_>, x: &Buffer<f32>, cell: &Buffer<f32>| {
            h.parallel_for(x.len(), sum(x.read(h), cell.atomic(h)))
        };
        assert_eq!(cell(-1.0, (0..512).map(|i| i as f32).collect(), max), 511.0, "{way:?}");
        assert_eq!(cell(f32::NEG_INFINITY, (-5..0).map(|i| i as f32).collect(), max), -1.0, "{way:?}");
        assert_eq!(cell(9.0, (-5..=5).map(|i| i as f32).collect(), min), -5.0, "{way:?}");
        let with_nan = || (0..256).map(|i| if i == 77 { f32::NAN } else { i as f32 }).collect::<Vec<_>>();
        // A NaN loses against any number; once added, it stays.
        assert_eq!(cell(-1.0, with_nan(), max), 255.0, "{way:?}");
        assert_eq!(cell(f32::NAN, vec![3.0, 4.0], min), 3.0, "{way:?}");
        assert!(cell(0.0, with_nan(), add).is_nan(), "{way:?}");
        // Zeros of both signs are equal, so the one that is there stays.
        assert_eq!(cell(-0.0, vec![0.0], max).to_bits(), (-0.0f32).to_bits(), "{way:?}");
        assert_eq!(cell(0.0, vec![-0.0], min).to_bits(), 0.0f32.to_bits(), "{way:?}");
        let replaced = |start: f32, current: f32| {
            let (cell, done) = (Buffer::from_vec(vec![start]), Buffer::<u32>::new(1));
            run(queue, |h| h.parallel_for(256, replace(current, 7.0, cell.atomic(h), done.atomic(h))));
            (cell.to_vec().expect("reads")[0], done.to_vec().expect("reads")[0])
        };
        assert_eq!(replaced(f32::NAN, f32::NAN), (7.0, 1), "{way:?}: bits are compared");
        assert_eq!(replaced(0.0, -0.0), (0.0, 0), "{way:?}: bits are compared");
    });
}

#[test]
fn wide_atomics_keep_both_halves_and_old_values_are_a_permutation() {
    in_every_way(|queue, way| {
        let cell = Buffer::<i64>::new(1);
        run(queue, |h| h.parallel_for(10_000, add_wide(cell.atomic(h))));
        assert_eq!(cell.host_read().expect("reads")[0], 85_899_345_920_000, "{way:?}");
        let (counter, numbers) = (Buffer::<u32>::new(1), Buffer::<u32>::new(4096));
        run(queue, |h| h.parallel_for(4096, take_numbers(counter.atomic(h), numbers.write(h))));
        let mut numbers = numbers.to_vec().expect("reads");
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..4096), "{way:?}");
    });
}

// Local memory.

#[kernel(fallback)]
fn local_is_the_groups(item: NdItem<1>, out: GroupMut<u32>, other: LocalAccessor<u32>) {
    let a = local::<[u32; 2]>();
    let b = local::<[u32; 3]>();
    let g = item.group_id(0) as u32;
    if item.local_id(0) == 0 {
        a[0] = g;
        b[0] = g + 1000;
        other[0] = g + 2000;
    }
    item.barrier();
    let mut busy = 1u32;
    for k in 0..(item.group_id(0) % 7) * 20 {
        busy = busy * 3 + k as u32 % 5;
        busy = busy % 1000;
    }
    b[1 + item.local_id(0)] = busy;
    item.barrier();
    if item.local_id(0) == 1 {
        let same = b[0] == a[0] + 1000 && other[0] == a[0] + 2000;
        out[item] = if same { a[0] } else { 999_999 };
    }
}

#[test]
fn local_memory_never_leaks_into_another_group() {
    in_every_way(|queue, way| {
        let other = Queue::new(queue.device()).expect("a queue");
        let outs = [Buffer::<u32>::new(64), Buffer::<u32>::new(64)];
        for round in 0..100 {
            let mut events = Vec::new();
            for (queue, out) in [queue, &other].into_iter().zip(&outs) {
                queue.fill(out, u32::MAX).expect("submits");
                let launch = queue.submit(|h| {
                    h.parallel_for(NdRange::new(128, 2), local_is_the_groups(out.write(h), LocalAccessor::new(1)))
                });
                events.push(launch.expect("submits"));
            }
            for (event, out) in events.iter().zip(&outs) {
                event.wait().expect("runs");
                assert!(out.host_read().expect("reads").iter().copied().eq(0..64), "{way:?}, round {round}");
            }
        }
    });
}

// Order of commands on USM.

#[kernel]
fn double(item: Item<1>, data: ItemMut<i32>) {
    data[item] *= 2;
}

#[kernel]
fn increment(item: Item<1>, data: ItemMut<i32>) {
    data[item] += 1;
}

#[kernel]
fn slowly_double(item: Item<1>, rounds: u32, data: ItemMut<i32>) {
    let mut busy = 1u32;
    for k in 0..rounds {
        busy = busy.wrapping_mul(1_664_525).wrapping_add(k ^ busy >> 3);
    }
    // It never is, but that takes the loop to know.
    data[item] *= 2 + (busy == 0x1234_5678) as i32;
}

#[kernel]
fn add_both(item: Item<1>, left: View<i32>, right: View<i32>, out: ItemMut<i32>) {
    out[item] = left[item] + right[item];
}

#[kernel]
fn add_to(item: Item<1>, x: View<i32>, amount: i32, out: ItemMut<i32>) {
    out[item] = x[item] + amount;
}

#[test]
fn ten_thousand_uploads_kernels_and_downloads_keep_their_order() {
    let device = Device::select("cpu").expect("every machine has the CPU device");
    let queues = [Queue::new(&device).expect("a queue"), Queue::in_order(&device).expect("a queue")];
    for queue in &queues {
        let mut x = queue.alloc_device::<i32>(3).expect("memory");
        let mut y = queue.alloc_device::<i32>(3).expect("memory");
        for round in 0..10_000 {
            let e1 = queue.copy_from_slice(&[1, 2, 3], &mut x).expect("submits");
            let e2 = queue.submit(|h| {
                h.depends_on(&e1);
                h.parallel_for(3, double(x.item_mut()))
            });
            let e2 = e2.expect("submits");
            let download = queue.download(&x).expect("submits");
            e2.wait().expect("runs");
            assert_eq!(download.wait().expect("reads"), [2, 4, 6], "round {round}");
            queue.fill(&mut x, 0).expect("submits");
            queue.parallel_for(3, increment(x.item_mut())).expect("submits");
            queue.copy(&x, &mut y).expect("submits");
            assert_eq!(queue.to_vec(&y).expect("reads"), [1, 1, 1], "round {round}");
        }
    }
}

/// How many rounds keep [`slowly_double`] busy for this long on this machine.
fn rounds_of_at_least(time: Duration, queue: &Queue) -> u32 {
    let data = Buffer::<i32>::new(3);
    let mut rounds = 1 << 20;
    loop {
        let start = Instant::now();
        run(queue, |h| h.parallel_for(3, slowly_double(rounds, data.read_write(h))));
        if start.elapsed() >= time {
            return rounds;
        }
        rounds *= 2;
    }
}

#[test]
fn diamonds_across_queues_and_devices_see_both_sides_even_behind_a_slow_kernel() {
    let device = Device::select("cpu").expect("every machine has the CPU device");
    let other_device = Device::cpu_with_threads(1).expect("a device");
    let queues =
        [Queue::new(&device), Queue::new(&device), Queue::new(&other_device)].map(|queue| queue.expect("a queue"));
    let slow = rounds_of_at_least(Duration::from_millis(50), &queues[0]);
    for round in 0..200 {
        let rounds = if round % 100 == 0 { slow } else { 10 };
        let start = Buffer::from_vec(vec![round, round + 1, round + 2]);
        let sides = [Buffer::<i32>::new(3), Buffer::<i32>::new(3)];
        let end = Buffer::<i32>::new(3);
        let e1 = queues[0].submit(|h| h.parallel_for(3, slowly_double(rounds, start.read_write(h)))).expect("submits");
        // A command that does nothing but depend.
        let e1 = queues[1].submit(|h| {
            h.depends_on(&e1);
            h.host_task(|_| ())
        });
        let e1 = e1.expect("submits");
        let middle: Vec<Event> = (0..2)
            .map(|side| {
                let group = queues[side + 1].submit(|h| {
                    h.depends_on(&e1);
                    h.parallel_for(3, add_to(start.read(h), 10 * (side as i32 + 1), sides[side].write(h)))
                });
                group.expect("submits")
            })
            .collect();
        run(&queues[0], |h| {
            h.depends_on_all(&middle);
            h.parallel_for(3, add_both(sides[0].read(h), sides[1].read(h), end.write(h)))
        });
        let expected = [0, 1, 2].map(|i| 4 * (round + i) + 30);
        assert_eq!(end.host_read().expect("reads")[..], expected, "round {round}");
    }
}

// Indices out of bounds.

#[kernel(fallback)]
fn read_far(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let shared = local::<[u32; 64]>();
    let place = if item.global_id(0) == 77 { x.len() + 1000 } else { item.global_id(0) };
    shared[item.local_id(0)] = x[place];
    item.barrier();
    out[item] = shared[item.local_id(0)] + 1;
}

#[kernel(fallback)]
fn write_far(item: NdItem<1>, out: ScatterMut<u32>) {
    let place = if item.global_id(0) == 77 { out.len() + 1000 } else { item.global_id(0) };
    out[place] = 5;
    item.barrier();
    let below = 0usize.wrapping_sub(item.global_id(0) % 3 + 1);
    out[below] = 6;
}

#[kernel(fallback)]
fn index_local_far(item: NdItem<1>, out: ItemMut<u32>) {
    let shared = local::<[u32; 8]>();
    let mut private = [0u32; 4];
    shared[item.local_id(0)] = 1;
    private[item.local_id(0)] = 1;
    item.barrier();
    out[item] = private[item.local_id(0) % 4];
}

#[kernel]
fn add_one(item: Item<1>, data: ItemMut<u32>) {
    data[item] += 1;
}

#[test]
fn an_index_out_of_bounds_reads_zero_drops_writes_and_names_kernel_and_parameter() {
    in_every_way(|queue, way| {
        // Parameters lie between guards in one larger allocation, where a stray access would be seen.
        const GUARD: usize = 4096;
        let memory = Buffer::from_vec(vec![0xdead_beef_u32; 2 * GUARD + 256]);
        let middle = memory.slice(GUARD..GUARD + 256).expect("a part");
        let out = Buffer::<u32>::new(256);
        middle.copy_from_slice(&[3; 256]).expect("copies");
        let text = failure(queue, |h| h.parallel_for(NdRange::new(256, 64), read_far(middle.read(h), out.write(h))));
        assert_says(&text, &["read_far", "'x'"]);
        queue.fill(&out, 0).expect("submits");
        // SAFETY: every element has one writer, or none.
        let text = failure(queue, |h| unsafe {
            h.parallel_for_unchecked(NdRange::new(256, 64), write_far(middle.scatter(h)))
        });
        assert_says(&text, &["write_far", "'out'"]);
        queue.fill(&middle, 0).expect("submits");
        let memory = memory.to_vec().expect("the part was written anew");
        assert!(memory[..GUARD].iter().chain(&memory[GUARD + 256..]).all(|&word| word == 0xdead_beef), "{way:?}");
        let text = failure(queue, |h| h.parallel_for(NdRange::new(64, 16), index_local_far(out.write(h))));
        assert_says(&text, &["index_local_far", "local or private array"]);
        queue.fill(&out, 4).expect("submits");
        run(queue, |h| h.parallel_for(256, add_one(out.read_write(h))));
        assert!(out.host_read().expect("the next kernel works")[..] == [5; 256], "{way:?}");
    });
}

#[kernel(fallback)]
fn go_on(item: NdItem<1>, x: View<u32>, sums: ItemMut<u32>, marks: ScatterMut<u32>) {
    let shared = local::<[u32; 8]>();
    let mut private = [0u32; 4];
    let me = item.local_id(0);
    let place = if me == 77 { x.len() + 1000 } else { me };
    shared[me] = me as u32 + 1;
    private[me] = 100;
    item.barrier();
    sums[item] = 1_000_000 + shared[me] + private[me] + x[place];
    marks[place] = 5;
}

/// What a failed kernel wrote can be seen in memory that the host lent to it.
#[test]
fn every_item_of_a_group_goes_on_after_an_index_out_of_bounds_with_zero_for_what_it_read() {
    in_every_way(|queue, way| {
        let x: Vec<u32> = (0..256).map(|i| 1000 * i + 1000).collect();
        let (mut sums, mut marks) = ([u32::MAX; 256], [3u32; 256]);
        syclone::scope(|s| {
            let x = s.buffer(&x, 256).expect("lent");
            let (sums, marks) =
                (s.buffer_mut(&mut sums, 256).expect("lent"), s.buffer_mut(&mut marks, 256).expect("lent"));
            // SAFETY: every mark has one writer, or none.
            let text = failure(queue, |h| unsafe {
                let kernel = go_on(x.read(h), sums.write(h), marks.scatter(h));
                h.parallel_for_unchecked(NdRange::new(256, 256), kernel)
            });
            assert_says(&text, &["go_on"]);
        });
        for i in 0..256 {
            let shared = if i < 8 { i as u32 + 1 } else { 0 };
            let private = if i < 4 { 100 } else { 0 };
            let global = if i == 77 { 0 } else { x[i] };
            assert_eq!(sums[i], 1_000_000 + shared + private + global, "{way:?}: item {i} reads");
            assert_eq!(marks[i], if i == 77 { 3 } else { 5 }, "{way:?}: item {i} writes");
        }
    });
}

/// A test that would hang takes the whole run with it, so it is worth a clock.
#[test]
fn errors_come_within_seconds() {
    in_every_way(|queue, way| {
        let start = Instant::now();
        let out = Buffer::<u32>::new(64);
        for _ in 0..100 {
            failure(queue, |h| h.parallel_for(NdRange::new(64, 16), index_local_far(out.write(h))));
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{way:?}");
    });
}
