//! Kernels launched through the typed API: whose arguments are whose, and in which order commands run.

#[path = "rig/device.rs"]
mod device;

use device::device;
use syclone::prelude::*;

fn queue() -> Queue {
    Queue::new(&device()).expect("a CPU queue")
}

#[kernel]
fn twice(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
    out[item] = 2 * x[item];
}

#[kernel]
fn add(item: Item<1>, amount: i32, data: ItemMut<i32>) {
    data[item] += amount;
}

#[kernel]
fn linear_ids(item: Item<2>, out: ItemMut<usize, 2>) {
    out[item] = item.global_linear_id();
}

#[kernel(fallback)]
fn group_sums(item: NdItem<1>, x: View<i32>, sums: GroupMut<i32>) {
    let sum = item.group().reduce(x[item.global_id(0)], Plus);
    if item.local_id(0) == 0 {
        sums[item] = sum;
    }
}

#[kernel]
fn reverse(item: Item<1>, x: View<i32>, out: ScatterMut<i32>) {
    out[x.len() - 1 - item.global_id(0)] = x[item];
}

#[kernel]
fn count(item: Item<1>, counts: AtomicView<u32>) {
    counts.atomic(item.global_id(0) % 2).fetch_add(1);
}

#[kernel]
fn sum(item: Item<1>, x: View<i32>, total: Reducer<i32, Plus>) {
    total.combine(x[item]);
}

#[kernel]
fn first_of(x: View<i32>, out: ScatterMut<i32>) {
    out[0] = x[0];
}

#[test]
fn buffers_and_values_become_what_the_kernel_takes() {
    let queue = queue();
    let (x, y) = (Buffer::from_vec((0..100).collect::<Vec<i32>>()), Buffer::<i32>::new(100));
    queue.submit(|h| h.parallel_for(100, twice(x.read(h), y.write(h)))).unwrap();
    queue.submit(|h| h.parallel_for([100], add(5, y.read_write(h)))).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..100).map(|i| 2 * i + 5).collect::<Vec<_>>());

    let ids = Buffer::<usize, 2>::new([7, 9]);
    queue.submit(|h| h.parallel_for((7, 9), linear_ids(ids.write(h)))).unwrap();
    assert_eq!(ids.to_vec().unwrap(), (0..63).collect::<Vec<_>>());

    let sums = Buffer::<i32>::new(4);
    queue.submit(|h| h.parallel_for(NdRange::new(100, 25), group_sums(x.read(h), sums.write(h)))).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [300, 925, 1550, 2175]);

    // SAFETY: every item writes an element of its own.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(100, reverse(x.read(h), y.scatter(h))) }).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..100).rev().collect::<Vec<_>>());

    let counts = Buffer::<u32>::new(2);
    queue.submit(|h| h.parallel_for(101, count(counts.atomic(h)))).unwrap();
    assert_eq!(counts.to_vec().unwrap(), [51, 50]);

    let out = Buffer::<i32>::new(1);
    queue.submit(|h| h.single_task(first_of(x.slice(7..).unwrap().read(h), out.write(h)))).unwrap();
    assert_eq!(out.to_vec().unwrap(), [7]);
}

#[test]
fn a_reduction_replaces_or_includes_what_the_buffer_held() {
    let queue = queue();
    let (x, total) = (Buffer::from_vec((1..=1000).collect::<Vec<i32>>()), Buffer::from_vec(vec![10]));
    queue.submit(|h| h.parallel_for(1000, sum(x.read(h), total.reduce(h, Plus)))).unwrap();
    assert_eq!(total.to_vec().unwrap(), [500_500]);
    let included = |n: usize| {
        queue
            .submit(|h| {
                let total = total.reduce(h, Plus).including_initial_value();
                h.parallel_for(n, sum(x.read(h), total))
            })
            .unwrap()
    };
    included(1000);
    assert_eq!(total.to_vec().unwrap(), [1_001_000]);
    // Case 10: a reduction over nothing that includes the initial value is the initial value.
    total.copy_from_slice(&[10]).unwrap();
    included(0).wait().unwrap();
    assert_eq!(total.to_vec().unwrap(), [10]);
    let two = Buffer::<i32>::new(2);
    let wrong = queue.submit(|h| h.parallel_for(1000, sum(x.read(h), two.reduce(h, Plus))));
    assert!(matches!(wrong, Err(Error::LengthMismatch { source_len: 2, target_len: 1, .. })), "{wrong:?}");
}

#[test]
fn ranges_without_items_run_nothing_and_their_dependents_run() {
    let queue = queue();
    let (x, out) = (Buffer::from_vec(vec![1; 8]), Buffer::from_vec(vec![-1; 8]));
    let empty = queue.submit(|h| h.parallel_for(0, twice(x.read(h), out.write(h)))).unwrap();
    let flat = Buffer::<usize, 2>::new([0, 5]);
    for shape in [[256, 0], [0, 5], [0, 0]] {
        queue.submit(|h| h.parallel_for(shape, linear_ids(flat.write(h)))).unwrap().wait().unwrap();
    }
    let groups = Buffer::<i32>::new(0);
    queue
        .submit(|h| h.parallel_for(NdRange::new(0, 4), group_sums(x.read(h), groups.write(h))))
        .unwrap()
        .wait()
        .unwrap();
    let dependent = queue
        .submit(|h| {
            h.depends_on(&empty);
            h.parallel_for(8, add(3, out.read_write(h)))
        })
        .unwrap();
    dependent.wait().unwrap();
    assert_eq!(out.to_vec().unwrap(), [2; 8]);
}

#[test]
fn work_group_sizes_that_do_not_fit_are_errors_before_the_launch() {
    let queue = queue();
    let (x, sums) = (Buffer::from_vec(vec![1; 8]), Buffer::<i32>::new(2));
    let launch = |global: usize, local: usize| {
        queue.submit(|h| h.parallel_for(NdRange::new(global, local), group_sums(x.read(h), sums.write(h))))
    };
    assert!(matches!(launch(8, 0), Err(Error::WorkGroupSizeZero { dimension: 0, .. })));
    assert!(matches!(launch(8, 3), Err(Error::WorkGroupDoesNotDivide { global: 8, local: 3, .. })));
    let limit = device().info().max_work_group_size;
    assert!(matches!(launch(2 * limit, 2 * limit), Err(Error::WorkGroupTooLarge { asked, .. }) if asked == 2 * limit));
    launch(8, 4).unwrap().wait().unwrap();
    assert_eq!(sums.to_vec().unwrap(), [4, 4]);
}

#[test]
fn memory_named_twice_is_refused_with_both_parameters() {
    let queue = queue();
    let x = Buffer::<i32>::new(8);
    let error = queue.submit(|h| h.parallel_for(8, twice(x.read(h), x.write(h)))).unwrap_err();
    assert_eq!(error, Error::AccessConflict { command: "twice".into(), first: "x".into(), second: "out".into() });
    let (left, right) = (x.slice(..4).unwrap(), x.slice(4..).unwrap());
    queue.submit(|h| h.parallel_for(4, twice(left.read(h), right.write(h)))).unwrap().wait().unwrap();
}

#[test]
fn a_kernel_refuses_the_access_of_another_command_group() {
    let queue = queue();
    let (x, out) = (Buffer::<i32>::new(8), Buffer::<i32>::new(8));
    let mut kept = None;
    queue
        .submit(|h| {
            kept = Some(x.read(h));
            Ok(())
        })
        .unwrap();
    let error = queue.submit(|h| h.parallel_for(8, twice(kept.unwrap(), out.write(h)))).unwrap_err();
    assert_eq!(error, Error::StaleArgument { command: "twice".into(), parameter: "x".into() });
    // The same for a whole kernel that was made in another group.
    let mut kernel = None;
    queue
        .submit(|h| {
            kernel = Some(twice(x.read(h), out.write(h)));
            Ok(())
        })
        .unwrap();
    let error = queue.submit(|h| h.parallel_for(8, kernel.unwrap())).unwrap_err();
    assert!(matches!(error, Error::StaleArgument { .. }));
}

#[test]
fn usm_memory_is_an_argument_without_a_handler() {
    let queue = queue();
    let mut x = queue.alloc_shared::<i32>(4).unwrap();
    let mut y = queue.alloc_device::<i32>(4).unwrap();
    x.host_mut().unwrap().copy_from_slice(&[1, 2, 3, 4]);
    queue.parallel_for(4, twice(x.view(), y.item_mut())).unwrap();
    queue.parallel_for(4, add(1, y.item_mut())).unwrap();
    queue.parallel_for(2, twice(y.slice(2..).unwrap().view(), x.slice_mut(..2).unwrap().item_mut())).unwrap();
    assert_eq!(queue.to_vec(&y).unwrap(), [3, 5, 7, 9]);
    assert_eq!(x.host().unwrap()[..], [14, 18, 3, 4]);
    let (left, mut right) = x.split_at_mut(2).unwrap();
    queue.parallel_for(2, twice(left.view(), right.item_mut())).unwrap();
    drop(left);
    assert_eq!(x.host().unwrap()[..], [14, 18, 28, 36]);

    let mut total = queue.alloc_host::<i32>(1).unwrap();
    queue.parallel_for(4, sum(y.view(), total.reducer(Plus, false).unwrap())).unwrap();
    assert_eq!(total.host().unwrap()[0], 24);
    let mut counts = queue.alloc_host::<u32>(2).unwrap();
    queue.parallel_for(5, count(counts.atomic_view())).unwrap();
    assert_eq!(counts.host().unwrap()[..], [3, 2]);
    // SAFETY: every item writes an element of its own.
    unsafe { queue.parallel_for_unchecked(4, reverse(y.view(), x.scatter_mut())) }.unwrap();
    assert_eq!(x.host().unwrap()[..], [9, 7, 5, 3]);
    queue.single_task(first_of(x.view(), y.scatter_mut())).unwrap();
    assert_eq!(queue.to_vec(&y).unwrap(), [9, 5, 7, 9]);
}

#[test]
fn usm_memory_that_is_gone_or_foreign_is_refused() {
    let queue = queue();
    let mut y = queue.alloc_device::<i32>(4).unwrap();
    let kernel = {
        let gone = queue.alloc_device::<i32>(4).unwrap();
        twice(gone.view(), y.item_mut())
    };
    let error = queue.parallel_for(4, kernel).unwrap_err();
    assert_eq!(error, Error::StaleArgument { command: "twice".into(), parameter: "x".into() });

    let other = Device::cpu_with_threads(1).unwrap();
    let foreign = UsmDevice::<i32>::new(&other, 4).unwrap();
    let error = queue.parallel_for(4, twice(foreign.view(), y.item_mut())).unwrap_err();
    assert!(matches!(error, Error::ForeignArgument { ref parameter, .. } if parameter == "x"), "{error}");
    // Host memory is everybody's, and buffers go where they are used.
    let host = UsmHost::<i32>::new(&other, 4).unwrap();
    queue.parallel_for(4, twice(host.view(), y.item_mut())).unwrap();
    let buffer = Buffer::<i32>::new(4);
    let other = Queue::new(&other).unwrap();
    other.fill(&buffer, 4).unwrap();
    queue.submit(|h| h.parallel_for(4, twice(buffer.read(h), y.item_mut()))).unwrap();
    assert_eq!(queue.to_vec(&y).unwrap(), [8; 4]);
}

#[test]
fn usm_memory_may_be_dropped_after_the_launch() {
    let queue = queue();
    let out = Buffer::<i32>::new(1 << 16);
    for round in 0..50 {
        let mut x = queue.alloc_device::<i32>(1 << 16).unwrap();
        queue.fill(&mut x, round).unwrap();
        queue.submit(|h| h.parallel_for(1 << 16, twice(x.view(), out.write(h)))).unwrap();
        drop(x);
        assert_eq!(out.host_read().unwrap()[65_535], 2 * round);
    }
}

/// Case 49: a failed launch is never reported as success, and only what depends on it fails too.
#[test]
fn a_failed_kernel_fails_its_dependents_and_nothing_else() {
    let queue = queue();
    let (short, out, other) = (Buffer::from_vec(vec![1; 4]), Buffer::from_vec(vec![7; 8]), Buffer::<i32>::new(8));
    let failed = queue.submit(|h| h.parallel_for(8, twice(short.read(h), out.write(h)))).unwrap();
    let dependent = queue.submit(|h| h.parallel_for(8, add(1, out.read_write(h)))).unwrap();
    let independent = queue.submit(|h| h.parallel_for(8, add(1, other.read_write(h)))).unwrap();
    let error = failed.wait().unwrap_err();
    assert!(
        matches!(&error, Error::OutOfBounds { kernel, parameter, .. } if kernel == "twice" && parameter == "x"),
        "{error}"
    );
    assert!(matches!(dependent.wait(), Err(Error::DependencyFailed { first, .. }) if *first == error));
    assert!(out.host_read().is_err());
    independent.wait().unwrap();
    assert_eq!(queue.wait().unwrap_err().first_cause(), &error);
    queue.wait().unwrap();
    queue.fill(&out, 1).unwrap();
    assert_eq!(out.to_vec().unwrap(), [1; 8]);
}

#[test]
fn scoped_buffers_are_kernel_arguments() {
    let queue = queue();
    let (input, mut output) = (vec![4; 1000], vec![0; 1000]);
    syclone::scope(|s| {
        let (x, y) = (s.buffer(&input, 1000).unwrap(), s.buffer_mut(&mut output, 1000).unwrap());
        queue.submit(|h| h.parallel_for(1000, twice(x.read(h), y.write(h)))).unwrap();
        queue.submit(|h| h.parallel_for(1000, add(1, y.read_write(h)))).unwrap();
    });
    assert_eq!(output, [9; 1000]);
}
