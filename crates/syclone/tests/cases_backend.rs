//! What other implementations' back ends got wrong, with the right values: launch geometry, host data, failures, devices.

mod rig;

use rig::{assert_says, run};
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;
use syclone_runtime::{DryRunOptions, FaultKind};

// Launch geometry.

/// Kernels that count their visits to each cell and note the linear id, over ranges and nd-ranges of this many dimensions.
macro_rules! counters {
    ($($range:ident $groups:ident $dims:literal)*) => {$(
        #[kernel]
        fn $range(item: Item<$dims>, cells: AtomicView<u32>, ids: ItemMut<u64, $dims>) {
            cells.atomic(item.global_linear_id()).fetch_add(1);
            ids[item] = item.linear_id() as u64;
        }

        #[kernel(fallback)]
        fn $groups(item: NdItem<$dims>, cells: AtomicView<u32>, ids: ItemMut<u64, $dims>) {
            let local = item.local_linear_id();
            item.barrier();
            cells.atomic(item.group_linear_id() * item.group().size() + local).fetch_add(1);
            ids[item] = item.global_linear_id() as u64;
        }
    )*};
}

counters! { count_1d count_groups_1d 1 count_2d count_groups_2d 2 count_3d count_groups_3d 3 }

/// Checks that every cell was visited once and every id is the row-major position.
#[track_caller]
fn check_cells(cells: &Buffer<u32>, ids: &[u64], what: &str) {
    assert!(cells.host_read().expect("reads").iter().all(|&visits| visits == 1), "{what}: each item runs once");
    assert!(ids.iter().copied().eq(0..ids.len() as u64), "{what}: the last dimension is the fastest");
}

macro_rules! check_geometry {
    ($count:ident $groups:ident $dims:literal: $($extents:expr, $local:expr;)*) => {$(
        for way in Way::ALL {
            let (extents, local): ([usize; $dims], [usize; $dims]) = ($extents, $local);
            let items: usize = extents.iter().product();
            if way == Way::Interpreter && items > 70_000 {
                continue;
            }
            let (cells, ids) = (Buffer::<u32>::new(items), Buffer::<u64, $dims>::new(extents));
            with_way(way, || run(&rig::queue(), |h| h.parallel_for(extents, $count(cells.atomic(h), ids.write(h)))));
            check_cells(&cells, &ids.host_read().expect("reads"), &format!("{way:?} {extents:?}"));
            rig::queue().fill(&cells, 0).expect("submits");
            rig::queue().fill(&ids, u64::MAX).expect("submits");
            let shape = NdRange::new(extents, local);
            with_way(way, || run(&rig::queue(), |h| h.parallel_for(shape, $groups(cells.atomic(h), ids.write(h)))));
            check_cells(&cells, &ids.host_read().expect("reads"), &format!("{way:?} {extents:?} by {local:?}"));
        }
    )*};
}

#[test]
fn long_and_prime_ranges_visit_each_item_once() {
    check_geometry! { count_1d count_groups_1d 1:
        [1_000_003], [1];
        [70_000], [1];
        [70_000 * 3], [3];
        [97], [97];
        [1], [1];
    }
}

#[test]
fn flat_and_tall_ranges_visit_each_item_once() {
    check_geometry! { count_2d count_groups_2d 2:
        [256, 5], [4, 5];
        [65_536, 1], [256, 1];
        [2_000_000, 1], [1, 1];
        [1, 65_536], [1, 128];
        [70_000, 2], [1, 2];
        [2, 70_000], [2, 1];
        [61, 67], [61, 1];
    }
}

#[test]
fn deep_ranges_visit_each_item_once() {
    check_geometry! { count_3d count_groups_3d 3:
        [1, 1, 65_536], [1, 1, 64];
        [70_000, 1, 1], [1, 1, 1];
        [1, 70_000, 1], [1, 1, 1];
        [1, 1, 70_000], [1, 1, 1];
        [7, 11, 13], [7, 1, 13];
        [4, 6, 8], [2, 3, 4];
    }
}

#[kernel]
fn sum_of_ids(item: Item<1>, sum: Reducer<i64, Plus>) {
    sum.combine(item.global_id(0) as i64);
}

#[kernel]
fn scale(item: Item<1>, factor: f32, data: ItemMut<f32>) {
    data[item] *= factor;
}

#[test]
fn the_ids_of_a_prime_number_of_items_add_up() {
    let (queue, sum) = (rig::queue(), Buffer::<i64>::new(1));
    run(&queue, |h| h.parallel_for(1_000_003, sum_of_ids(sum.reduce(h, Plus))));
    assert_eq!(sum.host_read().expect("reads")[0], 500_002_500_003);
}

// Host data.

#[test]
fn an_upload_is_safe_from_what_happens_to_its_source() {
    let queue = rig::queue();
    let upload = |len: usize, round: usize| {
        let data = Buffer::<f32>::new(len);
        let index = round as f32;
        let mut source = vec![index; len];
        std::mem::forget(queue.copy_from_slice(&source, &data).expect("submits"));
        if round.is_multiple_of(2) {
            source.fill(-1.0);
        } else {
            source = vec![-2.0; len];
        }
        std::mem::forget(queue.submit(|h| h.parallel_for(len, scale(2.0, data.read_write(h)))).expect("submits"));
        // One download is dropped, and one waited for.
        drop(queue.download(&data).expect("submits"));
        let result = queue.download(&data).expect("submits").wait().expect("reads");
        assert!(result.iter().all(|&x| x == 2.0 * index), "round {round}");
        drop(source);
    };
    // An interpreter needs its time.
    let (rounds, large) = if queue.device().is_checked() { (20, 1 << 18) } else { (1000, 16 << 20) };
    (0..rounds).for_each(|round| upload(10_000, round));
    (0..4).for_each(|round| upload(large, round));
}

/// The same for memory that is USM's: on the device, on the host, and shared.
#[test]
fn an_upload_to_usm_memory_is_safe_from_what_happens_to_its_source() {
    let queue = rig::queue();
    const LEN: usize = 10_000;
    let mut device = queue.alloc_device::<f32>(LEN).expect("memory");
    let mut host = queue.alloc_host::<f32>(LEN).expect("memory");
    let mut shared = queue.alloc_shared::<f32>(LEN).expect("memory");
    macro_rules! upload {
        ($memory:ident, $round:expr) => {{
            let mut source: Vec<f32> = (0..LEN).map(|i| (i + $round) as f32).collect();
            std::mem::forget(queue.copy_from_slice(&source, &mut $memory).expect("submits"));
            source.fill(-1.0);
            drop(source);
            let _other = vec![-2.0f32; LEN];
            std::mem::forget(queue.parallel_for(LEN, scale(2.0, $memory.item_mut())).expect("submits"));
            drop(queue.download(&$memory).expect("submits"));
            let result = queue.download(&$memory).expect("submits").wait().expect("reads");
            let right = result.iter().enumerate().all(|(i, &x)| x == 2.0 * (i + $round) as f32);
            assert!(right, "{} memory, round {}", stringify!($memory), $round);
        }};
    }
    for round in 0..300 {
        upload!(device, round);
        upload!(host, round);
        upload!(shared, round);
    }
}

#[kernel]
fn add_one(item: Item<1>, data: ItemMut<i32>) {
    data[item] += 1;
}

/// Host memory of the library's own is no slice: the host waits for the copy before it changes it, or the copy owns it.
#[test]
fn a_copy_from_host_memory_and_one_in_a_graph_keep_what_was_there_when_they_were_submitted() {
    const LEN: usize = 1 << 18;
    let queue = rig::queue();
    let mut host = queue.alloc_host::<i32>(LEN).expect("memory");
    let target = Buffer::<i32>::new(LEN);
    let start = target.slice(..16).expect("it is inside");
    let recorded = queue.record(|queue| {
        let source = vec![7; 16];
        queue.copy_from_slice(&source, &start)
    });
    let graph = recorded.expect("records").0.instantiate().expect("a graph");
    for round in 0..if queue.device().is_checked() { 3 } else { 50 } {
        host.host_mut().expect("the host's turn").fill(round);
        std::mem::forget(queue.copy(&host, &target).expect("submits"));
        host.host_mut().expect("the copy has ended").fill(-1);
        std::mem::forget(queue.submit(|h| h.parallel_for(LEN, add_one(target.read_write(h)))).expect("submits"));
        std::mem::forget(queue.download(&target).expect("submits"));
        let download = queue.download(&target).expect("submits");
        queue.fill(&target, -9).expect("submits");
        queue.replay(&graph).expect("submits");
        assert!(download.wait().expect("reads").iter().all(|&x| x == round + 1), "round {round}");
        let end = target.to_vec().expect("reads");
        assert_eq!((&end[..16], &end[16..18]), (&[7; 16][..], &[-9; 2][..]), "round {round}");
    }
}

// Failures.

#[kernel]
fn read_next(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
    out[item] = x[item.global_id(0) + 1];
}

#[kernel(fallback)]
fn copy_in_groups(item: NdItem<1>, x: View<i32>, space: LocalAccessor<i32>, out: ItemMut<i32>) {
    space[item.local_id(0)] = x[item];
    item.barrier();
    out[item] = space[item.local_id(0)];
}

#[test]
fn a_failed_launch_is_never_reported_as_success() {
    rig::in_every_way(|queue, way| {
        let (x, out, other) =
            (Buffer::from_vec(vec![1; 8]), Buffer::from_vec(vec![-77; 8]), Buffer::from_vec(vec![5; 8]));
        let limit = queue.device().info().max_work_group_size;
        // Refused at once: a group that is too large, and more local memory than there is.
        for (local, space) in [(2 * limit, 1), (8, 1 << 40)] {
            let kernel = |h: &Handler<'_>| {
                h.parallel_for(
                    NdRange::new(local, local),
                    copy_in_groups(x.read(h), LocalAccessor::new(space), out.write(h)),
                )
            };
            let error = queue.submit(kernel).expect_err("the launch is refused").to_string();
            assert_says(&error, &["copy_in_groups", "cpu"]);
            assert_eq!(out.host_read().expect("nothing ran")[..], [-77; 8], "{way:?}");
        }
        // Fails while it runs.
        let failed = queue.submit(|h| h.parallel_for(8, read_next(x.read(h), out.write(h)))).expect("submits");
        let dependent = queue.submit(|h| h.parallel_for(8, add_one(out.read_write(h)))).expect("submits");
        let independent = queue.submit(|h| h.parallel_for(8, add_one(other.read_write(h)))).expect("submits");
        let error = failed.wait().expect_err("an element too many").to_string();
        assert_says(&error, &["read_next", "'x'"]);
        let text = dependent.wait().expect_err("depends on what failed").to_string();
        assert_says(&text, &["'add_one' did not run", &error]);
        assert!(out.host_read().is_err(), "{way:?}: what a failed kernel wrote is no result");
        independent.wait().expect("independent commands run");
        assert_eq!(other.host_read().expect("reads")[..], [6; 8], "{way:?}");
        assert_eq!(queue.wait().expect_err("the queue's first error").to_string(), error, "{way:?}");
        queue.wait().expect("it is reported once");
        // A queue that is dropped without a wait says it, and aborts nothing.
        let dropped = Queue::new(queue.device()).expect("a queue");
        let last = dropped.submit(|h| h.parallel_for(8, read_next(x.read(h), out.write(h)))).expect("submits");
        drop(dropped);
        assert_eq!(last.wait().expect_err("an element too many").to_string(), error, "{way:?}");
    });
}

#[kernel]
fn overwrite(item: Item<1>, data: ItemMut<i32>) {
    data[item] = 1;
}

/// The text of the error that a command ends in, at its submission or later.
fn outcome(command: Result<Event>) -> std::result::Result<(), String> {
    command.and_then(|event| event.wait()).map_err(|error| error.to_string())
}

/// Each fault that a device can have, on a device that has it on demand.
#[test]
fn no_fault_of_a_device_passes_an_old_value_for_a_result() {
    use FaultKind::{Allocation, Build, Completion, Copy, DeviceLost, Launch};
    for kind in [Build, Launch, Copy, Completion, DeviceLost] {
        let dry = DryRunOptions::new("card").run_kernels().build().expect("a device");
        let queue = Queue::new(dry.device()).expect("a queue");
        let (out, other) = (Buffer::from_vec(vec![-77; 8]), Buffer::from_vec(vec![5; 8]));
        dry.fail_next(kind);
        let (name, first) = match kind {
            Copy => ("copy", queue.copy_from_slice(&[1; 8], &out)),
            _ => ("overwrite", queue.submit(|h| h.parallel_for(8, overwrite(out.write(h))))),
        };
        let refused = first.is_err();
        let error = outcome(first).expect_err("there was a fault");
        assert_says(&error, &[name, "dry-run device 'card'"]);
        let dependent = outcome(queue.submit(|h| h.parallel_for(8, add_one(out.read_write(h)))));
        let independent = outcome(queue.submit(|h| h.parallel_for(8, add_one(other.read_write(h)))));
        match kind {
            // Told at once, so that there is no command: the memory is what it was, and nobody has to hear of it again.
            Build | Launch => {
                assert!(refused, "{kind:?}");
                assert_eq!(dependent, Ok(()), "{kind:?}");
                assert_eq!(out.to_vec().expect("reads"), [-76; 8], "{kind:?}");
                queue.wait().expect("it was reported");
            }
            DeviceLost => {
                assert_says(&dependent.expect_err("the device is lost"), &["card", "lost"]);
                assert_says(&independent.clone().expect_err("the device is lost"), &["card", "lost"]);
                out.host_read().expect_err("what a lost device wrote is no result");
                queue.wait().expect_err("the queue's first error");
            }
            _ => {
                assert_says(&dependent.expect_err("depends on what failed"), &["'add_one' did not run", &error]);
                assert_says(&out.host_read().expect_err("no result").to_string(), &["did not run", &error]);
                assert_eq!(queue.wait().expect_err("the queue's first error").to_string(), error);
            }
        }
        queue.wait().expect("it is reported once");
        if kind != DeviceLost {
            assert_eq!(independent, Ok(()), "{kind:?}");
            assert_eq!(other.to_vec().expect("reads"), [6; 8], "{kind:?}");
            // Written anew, the memory is good again.
            queue.fill(&out, 3).expect("submits");
            assert_eq!(out.to_vec().expect("reads"), [3; 8], "{kind:?}");
        }
    }
    let dry = DryRunOptions::new("card").run_kernels().build().expect("a device");
    let queue = Queue::new(dry.device()).expect("a queue");
    dry.fail_next(Allocation);
    let error = queue.alloc_device::<i32>(1000).map(drop).expect_err("there was a fault").to_string();
    assert_says(&error, &["4000 bytes", "card"]);
    let memory = queue.alloc_device::<i32>(1000).expect("the next one is served");
    assert_eq!(queue.to_vec(&memory).expect("reads"), [0; 1000]);
}

// First launches.

/// A kernel for each number.
#[kernel]
fn sum_below<const N: u32>(item: Item<1>, out: ItemMut<u32>) {
    let mut sum = 0;
    for k in 0..N {
        sum += k;
    }
    out[item] = sum * 1000 + item.global_id(0) as u32;
}

/// What is found out of a kernel at its first launch is found out right, also by several threads at the same time.
#[test]
fn a_kernel_may_be_launched_for_the_first_time_by_eight_threads_at_once_in_any_way() {
    fn launch_by_eight<const N: u32>() {
        let together = std::sync::Barrier::new(8);
        let launch = |way| {
            let (queue, out) = (rig::queue(), Buffer::<u32>::new(50));
            together.wait();
            with_way(way, || run(&queue, |h| h.parallel_for(50, sum_below::<N>(out.write(h)))));
            let sum: u32 = (0..N).sum();
            assert!(
                out.host_read().expect("reads").iter().copied().eq((0..50).map(|i| sum * 1000 + i)),
                "{N}, {way:?}"
            );
        };
        std::thread::scope(|threads| {
            for way in Way::ALL.into_iter().cycle().take(8) {
                threads.spawn(move || launch(way));
            }
        });
    }
    launch_by_eight::<0>();
    launch_by_eight::<1>();
    launch_by_eight::<2>();
    launch_by_eight::<3>();
    launch_by_eight::<4>();
    launch_by_eight::<5>();
    launch_by_eight::<6>();
    launch_by_eight::<7>();
    launch_by_eight::<8>();
    launch_by_eight::<9>();
}

// Devices and threads.

#[test]
fn two_devices_take_turns_and_memory_follows() {
    let devices = [1, 2].map(|threads| Device::cpu_with_threads(threads).expect("a device"));
    let queues = [0, 1].map(|i| Queue::new(&devices[i]).expect("a queue"));
    let mut memory = [0, 1].map(|i: usize| queues[i].alloc_device::<i32>(64).expect("memory"));
    let wandering = Buffer::<i32>::new(64);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for round in 0..1000 {
                for i in 0..2 {
                    queues[i].fill(&mut memory[i], 10 * (i as i32 + 1) + round - 1).expect("submits");
                    queues[i].parallel_for(64, add_one(memory[i].item_mut())).expect("submits");
                    queues[i].submit(|h| h.parallel_for(64, add_one(wandering.read_write(h)))).expect("submits");
                }
                let [first, second] = &mut memory;
                assert_eq!(queues[0].to_vec(&*first).expect("reads"), [10 + round; 64]);
                assert_eq!(queues[1].to_vec(&*second).expect("reads"), [20 + round; 64]);
                queues[0].copy(&*first, &mut *second).expect("submits");
                assert_eq!(queues[1].to_vec(&*second).expect("reads"), [10 + round; 64]);
            }
        });
    });
    assert_eq!(wandering.host_read().expect("reads")[..], [2000; 64]);
}

#[test]
fn sixteen_threads_on_one_queue_lose_nothing() {
    let (queue, total) = (rig::queue(), Buffer::<i32>::new(64));
    std::thread::scope(|threads| {
        for _ in 0..16 {
            threads.spawn(|| {
                for _ in 0..100 {
                    queue.submit(|h| h.parallel_for(64, add_one(total.read_write(h)))).expect("submits");
                }
            });
        }
    });
    assert_eq!(total.host_read().expect("reads")[..], [1600; 64]);
}

/// Drops the three in this order.
fn drop_in_order<T>(order: [usize; 3], device: Device, queue: Queue, memory: T) {
    let (mut device, mut queue, mut memory) = (Some(device), Some(queue), Some(memory));
    for which in order {
        match which {
            0 => drop(device.take()),
            1 => drop(queue.take()),
            _ => drop(memory.take()),
        }
    }
}

#[test]
fn devices_queues_and_memory_are_dropped_in_any_order() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let device = Device::cpu_with_threads(2).expect("a device");
        let queue = Queue::new(&device).expect("a queue");
        let data = Buffer::<i32>::new(1 << 16);
        let event = queue.submit(|h| h.parallel_for(1 << 16, add_one(data.read_write(h)))).expect("submits");
        drop_in_order(order, device, queue, data);
        event.wait().expect("the command ends well");
        // The same with USM memory, whose last command nobody waits for.
        let device = Device::cpu_with_threads(2).expect("a device");
        let queue = Queue::new(&device).expect("a queue");
        let mut data = queue.alloc_device::<i32>(1 << 16).expect("memory");
        let event = queue.parallel_for(1 << 16, add_one(data.item_mut())).expect("submits");
        drop_in_order(order, device, queue, data);
        event.wait().expect("the command ends well");
    }
}
