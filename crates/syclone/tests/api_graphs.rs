//! Command graphs of kernels, copies and host tasks: what replays compute, and what can't be recorded.

#[path = "rig/device.rs"]
mod device;

use device::device;
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

#[kernel]
fn scale(item: Item<1>, factor: u64, x: View<u64>, y: ItemMut<u64>) {
    y[item] = factor * x[item];
}

#[kernel]
fn add_one(item: Item<1>, x: ItemMut<u64>) {
    x[item] += 1;
}

#[kernel]
fn total(item: Item<1>, x: View<u64>, sum: Reducer<u64, Plus>) {
    sum.combine(x[item]);
}

#[kernel]
fn strays(item: Item<1>, x: View<u64>, y: ItemMut<u64>) {
    y[item] = x[item.id(0) + x.extent(0)];
}

const N: usize = 1003;

fn queue() -> Queue {
    Queue::new(&device()).expect("a CPU queue")
}

#[test]
fn replays_compute_what_submitting_the_commands_again_computes_in_every_way() {
    for way in Way::ALL {
        let way = if way == Way::LockStep { Way::Regions } else { way };
        let queue = queue();
        let (x, y, sum) = (Buffer::<u64>::new(N), Buffer::<u64>::new(N), Buffer::<u64>::new(1));
        let graph = Graph::new(queue.device());
        with_way(way, || {
            graph.add(|h| h.parallel_for(N, add_one(x.read_write(h)))).unwrap();
            graph.add(|h| h.parallel_for(N, scale(3, x.read(h), y.write(h)))).unwrap();
            graph.add(|h| h.parallel_for(N, total(y.read(h), sum.reduce(h, Plus)))).unwrap();
        });
        let graph = graph.instantiate().unwrap();
        assert_eq!(graph.order()[2].1, [1]);
        for round in 1..=4 {
            queue.replay(&graph).unwrap();
            assert_eq!(sum.host_read().unwrap()[0], 3 * round * N as u64, "{way:?}");
        }
        assert_eq!(x.to_vec().unwrap(), [4; N]);
    }
}

#[test]
fn a_sum_may_be_kept_from_replay_to_replay() {
    let queue = queue();
    let (x, sum) = (Buffer::from_vec(vec![2u64; N]), Buffer::<u64>::new(1));
    let graph = Graph::new(queue.device());
    graph.add(|h| h.parallel_for(N, total(x.read(h), sum.reduce(h, Plus).including_initial_value()))).unwrap();
    let graph = graph.instantiate().unwrap();
    (0..3).for_each(|_| drop(queue.replay(&graph).unwrap()));
    assert_eq!(sum.to_vec().unwrap(), [6 * N as u64]);
}

#[test]
fn arguments_memory_and_range_can_be_updated() {
    let queue = queue();
    let (x, y, z) = (Buffer::from_vec(vec![1u64; N]), Buffer::<u64>::new(N), Buffer::<u64>::new(N));
    let graph = Graph::new(queue.device());
    let step = graph.add(|h| h.parallel_for(N, scale(2, x.read(h), y.write(h)))).unwrap();
    let graph = graph.instantiate().unwrap();
    queue.replay(&graph).unwrap();
    graph.update(&step, |h| h.parallel_for(N, scale(5, x.read(h), y.write(h)))).unwrap();
    assert_eq!(y.host_read().unwrap()[N - 1], 2, "an update reaches no replay that was submitted before");
    queue.replay(&graph).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5; N]);
    graph.update(&step, |h| h.parallel_for(10, scale(7, y.read(h), z.write(h)))).unwrap();
    queue.replay(&graph).unwrap();
    let z = z.to_vec().unwrap();
    assert_eq!((&z[..10], &z[10..]), (&[35; 10][..], &[0; N - 10][..]));
    let stranger = queue.submit(|_| Ok(())).unwrap();
    assert!(matches!(graph.update(&stranger, |_| Ok(())), Err(Error::NotInGraph { .. })));
    let adds = graph.update(&step, |h| {
        h.depends_on(&stranger);
        Ok(())
    });
    assert!(matches!(adds, Err(Error::NotReplayable { .. })));
}

#[test]
fn copies_fills_usm_and_host_tasks_are_recorded_by_code_that_takes_a_queue() {
    let queue = queue();
    let mut usm = queue.alloc_shared::<u64>(N).unwrap();
    let (buffer, log) = (Buffer::<u64>::new(N), Buffer::<u64>::new(1));
    let (graph, copied) = queue
        .record(|queue| {
            let first: Vec<u64> = (0..N as u64).collect();
            queue.copy_from_slice(&first, &mut usm)?;
            queue.parallel_for(N, add_one(usm.item_mut()))?;
            let copied = queue.copy(&usm, &buffer)?;
            queue.barrier()?;
            queue.submit(|h| {
                let mut log = log.read_write(h);
                h.replayed_host_task(move |task| task.write(&mut log).map(|log| log[0] += 1))
            })?;
            assert!(matches!(queue.wait(), Err(Error::Recorded { .. })));
            Ok(copied)
        })
        .unwrap();
    assert!(matches!(copied.wait(), Err(Error::Recorded { .. })));
    assert_eq!(graph.len(), 5);
    let graph = graph.instantiate().unwrap();
    for _ in 0..3 {
        queue.fill(&buffer, 0).unwrap();
        queue.replay(&graph).unwrap();
    }
    let expected: Vec<u64> = (1..=N as u64).collect();
    assert_eq!(buffer.to_vec().unwrap(), expected);
    assert_eq!(usm.host().unwrap()[..], expected);
    assert_eq!(log.to_vec().unwrap(), [3]);
    // The graph keeps the memory of its commands.
    drop(usm);
    queue.replay(&graph).unwrap().wait().unwrap();
}

#[test]
fn what_can_run_once_only_is_refused() {
    let queue = queue();
    let graph = Graph::new(queue.device());
    let once = graph.add(|h| h.host_task(|_| ()));
    assert!(matches!(once, Err(Error::NotReplayable { .. })));
    let mut data = vec![1u64; 4];
    syclone::scope(|s| {
        let scoped = s.buffer_mut(&mut data, 4)?;
        let borrowed = graph.add(|h| h.fill(scoped.write(h), 9));
        assert!(matches!(borrowed, Err(Error::NotReplayable { command, .. }) if command == "fill"));
        Ok::<_, Error>(())
    })
    .unwrap();
    assert_eq!(data, [1; 4]);
    assert!(graph.is_empty());
    let elsewhere = Queue::new(&Device::cpu_with_threads(1).unwrap()).unwrap();
    assert!(matches!(elsewhere.replay(&graph.instantiate().unwrap()), Err(Error::ForeignGraph { .. })));
}

#[test]
fn a_failure_names_its_kernel_and_queue_graph_and_device_stay_usable() {
    let queue = queue();
    let (x, y, z) = (Buffer::from_vec(vec![1u64; N]), Buffer::<u64>::new(N), Buffer::<u64>::new(N));
    let graph = Graph::new(queue.device());
    let bad = graph.add(|h| h.parallel_for(N, strays(x.read(h), y.write(h)))).unwrap();
    graph.add(|h| h.parallel_for(N, scale(2, y.read(h), z.write(h)))).unwrap();
    let graph = graph.instantiate().unwrap();
    let error = queue.replay(&graph).unwrap().wait().unwrap_err();
    assert!(matches!(&error, Error::OutOfBounds { kernel, parameter, .. } if kernel == "strays" && parameter == "x"));
    let reader = queue.submit(|h| h.parallel_for(N, scale(2, z.read(h), y.write(h)))).unwrap();
    assert_eq!(reader.wait().unwrap_err().first_cause(), &error);
    assert_eq!(queue.wait(), Err(error));
    graph.update(&bad, |h| h.parallel_for(N, scale(4, x.read(h), y.write(h)))).unwrap();
    queue.replay(&graph).unwrap().wait().unwrap();
    assert_eq!(z.to_vec().unwrap(), [8; N]);
}

#[test]
fn a_replay_follows_the_events_that_its_command_group_depends_on() {
    let queue = QueueOptions::new().profiling(true).build(&device()).unwrap();
    let x = Buffer::<u64>::new(N);
    let graph = Graph::in_order(queue.device());
    (0..3).for_each(|_| drop(graph.add(|h| h.parallel_for(N, add_one(x.read_write(h)))).unwrap()));
    let graph = graph.instantiate().unwrap();
    let slow = queue.submit(|h| h.host_task(|_| std::thread::sleep(std::time::Duration::from_millis(10)))).unwrap();
    let replay = queue
        .submit(|h| {
            h.depends_on(&slow);
            h.replay(&graph)
        })
        .unwrap();
    replay.wait().unwrap();
    let (slow, replay) = (slow.profiling().unwrap(), replay.profiling().unwrap());
    assert!(replay.submitted < slow.end && slow.end <= replay.start && replay.start < replay.end);
}

#[test]
fn the_checked_device_has_nothing_to_say_of_a_graph_that_is_right() {
    let device = Device::select("cpu:check").unwrap();
    let queue = Queue::new(&device).unwrap();
    let (x, y, sum) = (Buffer::<u64>::new(64), Buffer::<u64>::new(64), Buffer::<u64>::new(1));
    let graph = Graph::new(&device);
    graph.add(|h| h.parallel_for(64, add_one(x.read_write(h)))).unwrap();
    graph.add(|h| h.parallel_for(64, scale(3, x.read(h), y.write(h)))).unwrap();
    graph.add(|h| h.parallel_for(64, total(y.read(h), sum.reduce(h, Plus)))).unwrap();
    let graph = graph.instantiate().unwrap();
    (0..3).for_each(|_| drop(queue.replay(&graph).unwrap()));
    assert_eq!(sum.to_vec().unwrap(), [3 * 3 * 64]);
    let reports = device.take_reports();
    assert!(reports.is_empty(), "{reports:?}");
}
