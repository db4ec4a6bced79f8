//! Queues, events and command groups: order, dependencies, devices and threads.

#[path = "rig/device.rs"]
mod device;

use device::device;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use syclone::prelude::*;

fn queue() -> Queue {
    Queue::new(&device()).expect("a CPU queue")
}

#[test]
fn a_command_group_launches_at_most_one_command() {
    let queue = queue();
    let (a, b) = (Buffer::<i32>::new(4), Buffer::<i32>::new(4));
    let two = queue.submit(|h| {
        h.fill(a.write(h), 1)?;
        h.fill(b.write(h), 2)
    });
    assert_eq!(two.unwrap_err(), Error::DuplicateLaunch { first: "fill".into(), second: "fill".into() });
    let ignored = queue.submit(|h| {
        h.fill(a.write(h), 1)?;
        let _ = h.host_task(|_| ());
        Ok(())
    });
    let error = ignored.unwrap_err();
    assert!(
        matches!(&error, Error::DuplicateLaunch { first, second }
            if first == "fill" && second == "api_queues::a_command_group_launches_at_most_one_command"),
        "a host task is named after where it is written: {error}"
    );
    assert_eq!(a.to_vec().unwrap(), [0; 4], "a group with a mistake does nothing");
    queue.submit(|_| Ok(())).unwrap().wait().unwrap();
}

#[test]
fn an_error_of_the_closure_submits_nothing() {
    let queue = queue();
    let buffer = Buffer::<i32>::new(1);
    let mistake = Error::InvalidThreadCount { asked: 0, limit: 8 };
    let result = queue.submit(|h| {
        h.fill(buffer.write(h), 1)?;
        Err(mistake.clone())
    });
    assert_eq!(result.unwrap_err(), mistake);
    assert_eq!(buffer.to_vec().unwrap(), [0]);
}

#[test]
fn dependencies_order_commands_across_queues_and_devices() {
    let second_device = Device::cpu_with_threads(1).unwrap();
    let (first, second) = (queue(), Queue::new(&second_device).unwrap());
    let log = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str, millis: u64| {
        let log = Arc::clone(&log);
        move |_: &syclone::HostTask| {
            std::thread::sleep(Duration::from_millis(millis));
            log.lock().unwrap().push(what);
        }
    };
    // A diamond over two devices: e1, then e2 and e3, then e4.
    let e1 = first.submit(|h| h.host_task(note("e1", 60))).unwrap();
    let after = |queue: &Queue, events: &[&Event], what, millis| {
        queue
            .submit(|h| {
                h.depends_on_all(events.iter().copied());
                h.host_task(note(what, millis))
            })
            .unwrap()
    };
    let e2 = after(&second, &[&e1], "middle", 10);
    let e3 = after(&first, &[&e1], "middle", 1);
    let empty = first
        .submit(|h| {
            h.depends_on(&e2);
            h.depends_on(&e3);
            Ok(())
        })
        .unwrap();
    after(&second, &[&empty], "e4", 0).wait().unwrap();
    assert_eq!(*log.lock().unwrap(), ["e1", "middle", "middle", "e4"]);
}

#[test]
fn an_in_order_queue_needs_no_dependencies() {
    let queue = Queue::in_order(&device()).unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    for step in 0..50 {
        let log = Arc::clone(&log);
        queue
            .submit(|h| {
                h.host_task(move |_| {
                    if step % 10 == 0 {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    log.lock().unwrap().push(step);
                })
            })
            .unwrap();
    }
    queue.wait().unwrap();
    assert_eq!(*log.lock().unwrap(), (0..50).collect::<Vec<_>>());
}

#[test]
fn the_error_handler_sees_what_wait_returns() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let options = QueueOptions::new().on_error(move |error| log.lock().unwrap().push(error.clone()));
    let queue = options.build(&device()).unwrap();
    queue.submit(|h| h.host_task(|_| Err::<(), _>("lost"))).unwrap();
    let error = queue.wait().unwrap_err();
    assert!(error.to_string().contains("lost"));
    assert!(queue.wait().is_ok(), "an error is returned once");
    assert_eq!(*seen.lock().unwrap(), [error]);
}

#[test]
fn a_panic_in_a_host_task_is_an_error_and_the_queue_goes_on() {
    let queue = queue();
    let event = queue.submit(|h| h.host_task(|_| panic!("task failed"))).unwrap();
    assert!(matches!(event.wait(), Err(Error::HostTaskPanic { message, .. }) if message == "task failed"));
    queue.submit(|h| h.host_task(|_| ())).unwrap().wait().unwrap();
    assert!(queue.wait().is_err());
}

#[test]
fn times_are_known_to_queues_that_asked_for_them() {
    let queue = QueueOptions::new().profiling(true).build(&device()).unwrap();
    let event = queue.submit(|h| h.host_task(|_| std::thread::sleep(Duration::from_millis(5)))).unwrap();
    event.wait().unwrap();
    let times = event.profiling().expect("profiling was asked for");
    assert!(times.submitted <= times.start && times.end - times.start >= 5_000_000, "{times:?}");
    let plain = self::queue().submit(|_| Ok(())).unwrap();
    plain.wait().unwrap();
    assert_eq!(plain.profiling(), None);
}

#[test]
fn sixteen_threads_share_one_queue_and_one_buffer() {
    let queue = queue();
    let buffer = Buffer::from_vec(vec![0u64; 1]);
    let ran = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..16 {
            threads.spawn(|| {
                for _ in 0..100 {
                    queue
                        .submit(|h| {
                            let mut data = buffer.read_write(h);
                            h.host_task(move |task| task.write(&mut data).map(|data| data[0] += 1))
                        })
                        .unwrap();
                    ran.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(buffer.to_vec().unwrap(), [ran.load(Ordering::Relaxed) as u64]);
}

#[test]
fn uploads_and_downloads_own_their_data() {
    let queue = queue();
    let buffer = Buffer::<f32>::new(10_000);
    for round in 0..100 {
        let mut data: Vec<f32> = (0..10_000).map(|i| (i + round) as f32).collect();
        queue.copy_from_slice(&data, &buffer).unwrap();
        data.fill(-1.0);
        drop(data);
        let event = queue
            .submit(|h| {
                let mut data = buffer.read_write(h);
                h.host_task(move |task| task.write(&mut data).map(|data| data.iter_mut().for_each(|x| *x *= 2.0)))
            })
            .unwrap();
        std::mem::forget(event);
        let (kept, dropped, leaked) =
            (queue.download(&buffer).unwrap(), queue.download(&buffer).unwrap(), queue.download(&buffer).unwrap());
        drop(dropped);
        std::mem::forget(leaked);
        let expected: Vec<f32> = (0..10_000).map(|i| 2.0 * (i + round) as f32).collect();
        assert!(kept.wait().unwrap() == expected, "round {round}");
    }
}

#[test]
fn devices_queues_and_buffers_may_be_dropped_in_any_order() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let device = Device::cpu_with_threads(1).unwrap();
        let queue = Queue::new(&device).unwrap();
        let buffer = Buffer::<u8>::new(1 << 16);
        queue.fill(&buffer, 1).unwrap();
        let (mut device, mut queue, mut buffer) = (Some(device), Some(queue), Some(buffer));
        for what in order {
            match what {
                0 => drop(device.take()),
                1 => drop(queue.take()),
                _ => drop(buffer.take()),
            }
        }
    }
}

#[test]
fn events_are_futures() {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let queue = queue();
    let mut event = queue.submit(|h| h.host_task(|_| std::thread::sleep(Duration::from_millis(10)))).unwrap();
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match std::pin::Pin::new(&mut event).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => break result.unwrap(),
            Poll::Pending => std::thread::park_timeout(Duration::from_secs(10)),
        }
    }
}

/// Waits until someone else has come here too, but not for ever.
fn meet(place: &AtomicUsize) -> std::result::Result<(), &'static str> {
    place.fetch_add(1, Ordering::SeqCst);
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while place.load(Ordering::SeqCst) < 2 {
        if std::time::Instant::now() > end {
            return Err("nobody came: the two did not run at the same time");
        }
        std::thread::yield_now();
    }
    Ok(())
}

#[test]
fn two_queues_overlap_the_copy_of_a_block_with_the_computation_of_the_one_before() {
    let device = Device::cpu_with_threads(2).unwrap();
    let options = || QueueOptions::new().in_order(true).profiling(true);
    let (copies, kernels) = (options().build(&device).unwrap(), options().build(&device).unwrap());
    let buffers = [Buffer::<u64>::new(1000), Buffer::<u64>::new(1000)];
    let results: Vec<Buffer<u64>> = (0..6).map(|_| Buffer::new(1000)).collect();
    // Where the copy of a block meets the computation of the one before, however slow the machine is.
    let places: Vec<Arc<AtomicUsize>> = (0..5).map(|_| Arc::default()).collect();
    let mut spans = Vec::new();
    for (block, result) in results.iter().enumerate() {
        let buffer = &buffers[block % 2];
        let copied_at = block.checked_sub(1).map(|before| Arc::clone(&places[before]));
        let computed_at = places.get(block).cloned();
        let copy = copies.submit(|h| {
            let mut target = buffer.write(h);
            h.host_task(move |task| {
                copied_at.map_or(Ok(()), |place| meet(&place))?;
                task.write(&mut target).expect("its own access").fill(block as u64);
                Ok::<(), &str>(())
            })
        });
        let computation = kernels.submit(|h| {
            let (source, mut target) = (buffer.read(h), result.write(h));
            h.host_task(move |task| {
                computed_at.map_or(Ok(()), |place| meet(&place))?;
                let source = task.read(&source).expect("its own access");
                task.write(&mut target).expect("its own access").copy_from_slice(source);
                Ok::<(), &str>(())
            })
        });
        spans.push((copy.unwrap(), computation.unwrap()));
    }
    copies.wait().unwrap();
    kernels.wait().unwrap();
    let times: Vec<_> =
        spans.iter().map(|(copy, computation)| (copy.profiling().unwrap(), computation.profiling().unwrap())).collect();
    for block in 0..6 {
        let (copied, computed) = times[block];
        assert!(copied.end <= computed.start, "block {block} is computed when it has been copied");
        if block >= 1 {
            let before = times[block - 1].1;
            assert!(copied.start < before.end && before.start < copied.end, "block {block}: {times:?}");
        }
        if block >= 2 {
            assert!(times[block - 2].1.end <= copied.start, "block {block} is not copied over one that is still read");
        }
        assert_eq!(results[block].to_vec().unwrap(), [block as u64; 1000]);
    }
}

/// Some arithmetic on each element, `rounds` times, by one work-item: one worker is busy with it, and another is free.
#[kernel]
fn churn(rounds: u32, x: View<f32>, y: ScatterMut<f32>) {
    for i in 0..x.len() {
        let mut value = x[i];
        for _ in 0..rounds {
            value = value * 0.5 + 1.0;
        }
        y[i] = value;
    }
}

#[test]
fn a_copy_command_runs_while_a_kernel_of_another_queue_does() {
    // Where there is one core, two workers take turns, and what they do overlaps by chance.
    if std::thread::available_parallelism().map_or(1, std::num::NonZero::get) < 2 {
        eprintln!("skipped: this process may use one core, on which two commands cannot run at once");
        return;
    }
    const ROUNDS: u32 = 64;
    let device = Device::cpu_with_threads(2).unwrap();
    let options = || QueueOptions::new().in_order(true).profiling(true);
    let (copies, kernels) = (options().build(&device).unwrap(), options().build(&device).unwrap());
    let mut tries = Vec::new();
    // Some tens of milliseconds each; longer in the next try, if a busy machine had no second core to spare.
    for scale in [1, 1, 2, 4, 8] {
        let (elements, copied) = (scale << 18, scale << 22);
        let (x, y) = (Buffer::from_vec(vec![3.0f32; elements]), Buffer::<f32>::new(elements));
        let (source, target) = (Buffer::from_vec(vec![7.0f32; copied]), Buffer::<f32>::new(copied));
        let kernel = kernels.submit(|h| h.single_task(churn(ROUNDS, x.read(h), y.scatter(h)))).unwrap();
        let copy = copies.copy(&source, &target).unwrap();
        kernel.wait().unwrap();
        copy.wait().unwrap();
        let expected = (0..ROUNDS).fold(3.0, |value, _| value * 0.5 + 1.0);
        assert!(y.host_read().unwrap().iter().all(|value| *value == expected));
        assert!(target.host_read().unwrap().iter().all(|value| *value == 7.0));
        let (kernel, copy) = (kernel.profiling().unwrap(), copy.profiling().unwrap());
        if copy.start < kernel.end && kernel.start < copy.end {
            return;
        }
        tries.push((kernel, copy));
    }
    panic!("no copy ran beside a kernel: {tries:?}");
}
