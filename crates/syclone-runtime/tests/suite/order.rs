//! The order that memory accesses give, on one device with several workers and across devices.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use crate::common::{Words, kernel};
use crate::device_with;
use syclone_runtime::{Access, AccessMode, Command, Device, Error, Queue, QueueOptions};

const PAUSE: Duration = Duration::from_millis(20);

fn two_workers() -> Device {
    device_with(2)
}

/// Writes `value` to every word, slowly.
fn slow_write(words: &Words, value: u64) -> Command {
    let target = words.clone();
    kernel("slow_write", 1, vec![words.write()], move |_, _| {
        std::thread::sleep(PAUSE);
        (0..target.len()).for_each(|idx| target.set(idx, value));
        Ok(())
    })
}

/// Copies the first word of one object to that of another.
fn forward(from: &Words, to: &Words) -> Command {
    let (source, target) = (from.clone(), to.clone());
    kernel("forward", 1, vec![from.read(), to.write()], move |_, _| {
        target.set(0, source.get(0));
        Ok(())
    })
}

#[test]
fn a_reader_follows_the_last_writer() {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    let (a, b) = (Words::new(&device, 1), Words::new(&device, 1));
    queue.submit(slow_write(&a, 7)).unwrap();
    queue.submit(forward(&a, &b)).unwrap();
    assert_eq!(b.host().unwrap(), [7]);
}

#[test]
fn a_writer_follows_every_reader_since_the_last_writer() {
    let device = device_with(4);
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 1);
    a.host_set(&[5]);
    let seen: Vec<Words> = (0..3).map(|_| Words::new(&device, 1)).collect();
    for to in &seen {
        let (source, target) = (a.clone(), to.clone());
        let slow_read = kernel("slow_read", 1, vec![a.read(), to.write()], move |_, _| {
            std::thread::sleep(PAUSE);
            target.set(0, source.get(0));
            Ok(())
        });
        queue.submit(slow_read).unwrap();
    }
    let target = a.clone();
    queue
        .submit(kernel("overwrite", 1, vec![a.write()], move |_, _| {
            target.set(0, 6);
            Ok(())
        }))
        .unwrap();
    queue.wait().unwrap();
    assert!(seen.iter().all(|words| words.get(0) == 5));
    assert_eq!(a.get(0), 6);
}

#[test]
fn a_writer_follows_the_last_writer() {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 1);
    queue.submit(slow_write(&a, 1)).unwrap();
    let target = a.clone();
    let quick = kernel("quick", 1, vec![a.write()], move |_, _| {
        target.set(0, 2);
        Ok(())
    });
    queue.submit(quick).unwrap().wait().unwrap();
    queue.wait().unwrap();
    assert_eq!(a.get(0), 2);
}

/// Two commands that can only end if they run at the same time.
fn meet(first: Vec<Access>, second: Vec<Access>) {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    let meeting = Arc::new(Barrier::new(2));
    for accesses in [first, second] {
        let meeting = Arc::clone(&meeting);
        let command = kernel("meet", 1, accesses, move |_, _| {
            meeting.wait();
            Ok(())
        });
        queue.submit(command).unwrap();
    }
    queue.wait().unwrap();
}

#[test]
fn commands_on_different_memory_run_at_the_same_time() {
    let device = two_workers();
    meet(vec![Words::new(&device, 1).write()], vec![Words::new(&device, 1).write()]);
}

#[test]
fn readers_of_one_object_run_at_the_same_time() {
    let a = Words::new(&two_workers(), 1);
    meet(vec![a.read()], vec![a.read()]);
}

#[test]
fn writers_of_disjoint_ranges_of_one_object_run_at_the_same_time() {
    let a = Words::new(&two_workers(), 2);
    let half = |range| vec![Access::range(&a.0, AccessMode::Write, range, "half")];
    meet(half(0..8), half(8..16));
}

#[test]
fn a_part_follows_a_writer_of_the_whole_and_the_whole_follows_writers_of_its_parts() {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 3);
    queue.submit(slow_write(&a, 1)).unwrap();
    for idx in 0..3 {
        let target = a.clone();
        let part = Access::range(&a.0, AccessMode::ReadWrite, idx * 8..idx * 8 + 8, "part");
        let add = kernel("add", 1, vec![part], move |_, _| {
            std::thread::sleep(PAUSE / 4);
            target.set(idx, target.get(idx) + idx as u64);
            Ok(())
        });
        queue.submit(add).unwrap();
    }
    let target = a.clone();
    let double = kernel("double", 1, vec![a.read_write()], move |_, _| {
        (0..3).for_each(|idx| target.set(idx, 2 * target.get(idx)));
        Ok(())
    });
    queue.submit(double).unwrap();
    assert_eq!(a.host().unwrap(), [2, 4, 6]);
}

#[test]
fn the_order_holds_across_queues_and_devices() {
    let devices = [two_workers(), device_with(1), Device::default_device().unwrap()];
    let queues = devices.each_ref().map(|device| Queue::new(device).unwrap());
    let a = Words::new(&devices[0], 1);
    for step in 0..300u64 {
        let target = a.clone();
        let command = kernel("step", 1, vec![a.read_write()], move |_, _| {
            target.set(0, target.get(0) * 3 % 1_000_003 + step);
            Ok(())
        });
        queues[step as usize % 3].submit(command).unwrap();
    }
    let expected = (0..300u64).fold(0, |value, step| value * 3 % 1_000_003 + step);
    assert_eq!(a.host().unwrap(), [expected]);
}

#[test]
fn every_chunk_runs_once_on_workers_with_distinct_numbers_and_finish_runs_after_them() {
    let device = device_with(3);
    let queue = Queue::new(&device).unwrap();
    let counts = Words::new(&device, 10_000);
    let busy: Arc<[AtomicBool; 3]> = Arc::default();
    let target = counts.clone();
    let caller = std::thread::current().id();
    let command = kernel("count", 10_000, vec![counts.read_write()], move |chunk, worker| {
        assert_ne!(std::thread::current().id(), caller);
        assert!(!busy[worker.index()].swap(true, Ordering::SeqCst), "two chunks at once on one worker");
        target.set(chunk, target.get(chunk) + 1);
        busy[worker.index()].store(false, Ordering::SeqCst);
        Ok(())
    });
    queue.submit(command).unwrap().wait().unwrap();
    assert!(counts.host().unwrap().iter().all(|&count| count == 1));
}

#[test]
fn a_device_runs_no_more_at_once_than_it_has_workers_however_many_queues_and_threads_submit() {
    let device = two_workers();
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (device, running, most) = (&device, &running, &most);
            scope.spawn(move || {
                let options = QueueOptions { in_order: thread % 2 == 0, profiling: false };
                let queue = Queue::with(device, options).unwrap();
                for _ in 0..20 {
                    let (running, most) = (Arc::clone(running), Arc::clone(most));
                    let command = kernel("busy", 5, Vec::new(), move |_, worker| {
                        assert!(worker.index() < 2);
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                        Ok(())
                    });
                    queue.submit(command).unwrap();
                }
                // Threads that wait must not help out beyond the workers either.
                queue.wait().unwrap();
            });
        }
    });
    let most = most.load(Ordering::SeqCst);
    assert!((1..=2).contains(&most), "{most} chunks at once on two workers");
}

#[test]
fn a_command_that_names_memory_twice_and_writes_it_is_refused() {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 4);
    let both = vec![a.read(), Access::range(&a.0, AccessMode::Write, 8..16, "out")];
    let error = queue.submit(kernel("twice", 1, both, |_, _| Ok(()))).unwrap_err();
    let expected = Error::AccessConflict { command: "twice".into(), first: "in".into(), second: "out".into() };
    assert_eq!(error, expected);
    queue.submit(kernel("reads", 1, vec![a.read(), a.read()], |_, _| Ok(()))).unwrap().wait().unwrap();
    let halves = vec![
        Access::range(&a.0, AccessMode::Read, 0..16, "low"),
        Access::range(&a.0, AccessMode::Write, 16..32, "high"),
    ];
    queue.submit(kernel("halves", 1, halves, |_, _| Ok(()))).unwrap().wait().unwrap();
}

#[test]
fn an_access_outside_its_object_is_refused() {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 4);
    let access = Access::range(&a.0, AccessMode::Read, 24..40, "x");
    let error = queue.submit(kernel("outside", 1, vec![access], |_, _| Ok(()))).unwrap_err();
    assert_eq!(error, Error::RangeOutsideObject { command: "outside".into(), start: 24, end: 40, bytes: 32 });
}

#[test]
fn sixteen_threads_on_one_queue_lose_no_update() {
    for in_order in [false, true] {
        let device = two_workers();
        let queue = Queue::with(&device, QueueOptions { in_order, profiling: false }).unwrap();
        let (a, b) = (Words::new(&device, 1), Words::new(&device, 1));
        let runs = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let (queue, a, b, runs) = (&queue, &a, &b, &runs);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let (x, y, runs) = (a.clone(), b.clone(), Arc::clone(runs));
                        // The two objects are named in different orders, which must not make a cycle.
                        let accesses = if thread % 2 == 0 {
                            vec![a.read_write(), b.read_write()]
                        } else {
                            vec![b.read_write(), a.read_write()]
                        };
                        let command = kernel("add", 1, accesses, move |_, _| {
                            x.set(0, x.get(0) + 1);
                            y.set(0, y.get(0) + 2);
                            runs.fetch_add(1, Ordering::Relaxed);
                            Ok(())
                        });
                        queue.submit(command).unwrap();
                    }
                });
            }
        });
        queue.wait().unwrap();
        assert_eq!((a.get(0), b.get(0), runs.load(Ordering::Relaxed)), (3200, 6400, 3200));
    }
}

#[test]
fn no_command_is_left_lying_while_a_worker_is_free() {
    let device = two_workers();
    let queue = Queue::new(&device).unwrap();
    for round in 0..1500u64 {
        // From spinning to sleeping workers, and everything in between.
        std::thread::sleep(Duration::from_micros(round % 7 * 25));
        let (send, receive) = std::sync::mpsc::channel();
        let first = queue.submit(kernel("first", (round % 3) as usize, Vec::new(), |_, _| Ok(()))).unwrap();
        // Ends only if the other worker takes what comes after it; by way of a chain in every other round.
        let blocked = Command::host_task("blocked", move || {
            receive.recv_timeout(Duration::from_secs(20)).expect("the other worker should have sent");
            Ok(())
        });
        let blocked = if round % 2 == 0 { blocked.after(&first) } else { blocked };
        let event = queue.submit(blocked).unwrap();
        let unblock = Command::host_task("unblock", move || {
            send.send(()).expect("the receiver is waiting");
            Ok(())
        });
        queue.submit(if round % 5 == 0 { unblock.after(&first) } else { unblock }).unwrap();
        event.wait().unwrap();
    }
}
