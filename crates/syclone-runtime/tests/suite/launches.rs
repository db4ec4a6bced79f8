//! Launches without events: the same order, errors and lifetimes as any command's, whichever way they take.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{Words, calls, failing, is_dependency_failure, kernel, out_of_bounds};
use crate::device_with;
use syclone_runtime::{
    Access, AccessMode, Command, Device, Error, KernelWork, Name, Queue, QueueOptions, Result, Worker,
};

struct Launch<F> {
    chunks: usize,
    body: F,
}

impl<F: Fn(usize) -> Result<()> + Send + Sync> KernelWork for Launch<F> {
    fn name(&self) -> Name {
        "launch".into()
    }

    fn chunks(&self) -> usize {
        self.chunks
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        (self.body)(chunk)
    }
}

fn launch(
    queue: &Queue,
    chunks: usize,
    accesses: impl IntoIterator<Item = Access>,
    body: impl Fn(usize) -> Result<()> + Send + Sync + 'static,
) {
    let mut accesses: Vec<Option<Access>> = accesses.into_iter().map(Some).collect();
    // SAFETY: the tests' bodies touch memory through `Words` of objects that their accesses name.
    unsafe { queue.launch(Launch { chunks, body }, &mut accesses) }.unwrap();
}

/// `words[0] = words[0] * 10 + digit`
fn append(queue: &Queue, words: &Words, digit: u64) {
    let target = words.clone();
    launch(queue, 1, [words.read_write()], move |_| {
        target.set(0, target.get(0) * 10 + digit);
        Ok(())
    });
}

fn in_order(workers: usize) -> (Device, Queue) {
    let device = device_with(workers);
    let queue = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
    (device, queue)
}

#[test]
fn launches_run_in_order_and_the_queues_wait_covers_them() {
    let (device, queue) = in_order(2);
    let a = Words::new(&device, 1);
    for round in 0..2000_u64 {
        let target = a.clone();
        launch(&queue, 1, [a.read_write()], move |_| {
            assert_eq!(target.get(0), round);
            target.set(0, round + 1);
            Ok(())
        });
    }
    queue.wait().unwrap();
    assert_eq!(a.get(0), 2000);
}

#[test]
fn launches_and_ordinary_commands_of_one_queue_take_turns() {
    let (device, queue) = in_order(2);
    let a = Words::new(&device, 1);
    for round in 0..300 {
        a.host_set(&[0]);
        append(&queue, &a, 1);
        // Without memory in common only the queue's order is left.
        let target = a.clone();
        let event = queue.submit(calls("ordinary", Vec::new(), move || target.set(0, target.get(0) * 10 + 2))).unwrap();
        append(&queue, &a, 3);
        queue.barrier().unwrap();
        append(&queue, &a, 4);
        if round % 2 == 0 {
            event.wait().unwrap();
        }
        queue.wait().unwrap();
        assert_eq!(a.get(0), 1234, "round {round}");
    }
}

#[test]
fn the_host_and_other_queues_follow_launches_and_are_followed_by_them() {
    let (device, queue) = in_order(2);
    let other = Queue::new(&device_with(1)).unwrap();
    let lanes = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
    let a = Words::new(&device, 1);
    for round in 0..300 {
        append(&queue, &a, 1);
        append(&queue, &a, 2);
        let target = a.clone();
        let ordinary = calls("other", vec![a.read_write()], move || target.set(0, target.get(0) * 10 + 3));
        other.submit(ordinary).unwrap();
        append(&queue, &a, 4);
        append(&lanes, &a, 5);
        append(&queue, &a, 6);
        assert_eq!(a.host().unwrap(), [123_456], "round {round}");
        a.host_set(&[0]);
    }
}

#[test]
fn many_threads_launch_on_many_queues_and_lose_no_update() {
    let device = device_with(2);
    let queues: Vec<Queue> =
        (0..3).map(|_| Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap()).collect();
    let objects: Vec<Words> = (0..3).map(|_| Words::new(&device, 1)).collect();
    std::thread::scope(|threads| {
        for thread in 0..6 {
            let (queues, objects) = (&queues, &objects);
            threads.spawn(move || {
                for round in 0..500 {
                    let target = objects[(thread + round / 50) % 3].clone();
                    let add = target.clone();
                    launch(&queues[thread % 3], 1, [target.read_write()], move |_| {
                        add.set(0, add.get(0) + 1);
                        Ok(())
                    });
                    if round % 100 == 99 {
                        target.host().unwrap();
                    }
                }
            });
        }
    });
    let sum: u64 = objects.iter().map(|words| words.host().unwrap()[0]).sum();
    assert_eq!(sum, 6 * 500);
}

#[test]
fn a_launch_of_many_chunks_runs_each_once_before_the_next_launch() {
    let (device, queue) = in_order(3);
    let a = Words::new(&device, 100);
    for round in 0..50_u64 {
        let target = a.clone();
        launch(&queue, 100, [a.read_write()], move |chunk| {
            assert_eq!(target.get(chunk), 2 * round);
            target.set(chunk, 2 * round + 1);
            Ok(())
        });
        let target = a.clone();
        launch(&queue, 1, [a.read_write()], move |_| {
            (0..100).for_each(|chunk| target.set(chunk, target.get(chunk) + 1));
            Ok(())
        });
    }
    assert_eq!(a.host().unwrap(), [100; 100]);
    launch(&queue, 0, [a.read()], |_| Err(out_of_bounds("nothing runs")));
    queue.wait().unwrap();
}

#[test]
fn a_failed_launch_taints_what_it_writes_and_nothing_else() {
    let (device, queue) = in_order(2);
    let (a, b, c) = (Words::new(&device, 1), Words::new(&device, 1), Words::new(&device, 1));
    for round in 1..=20 {
        for words in [&a, &b, &c] {
            words.host_set(&[round]);
        }
        launch(&queue, 1, [a.read_write()], |_| {
            std::thread::sleep(Duration::from_millis(1));
            Err(out_of_bounds("launch"))
        });
        // Launched before or after the failure is known, it makes no difference.
        let (from, to) = (a.clone(), b.clone());
        launch(&queue, 1, [a.read(), b.read_write()], move |_| {
            to.set(0, from.get(0) + 100);
            Ok(())
        });
        append(&queue, &c, 7);
        let reader = queue.submit(calls("reader", vec![b.read()], || {})).unwrap();
        assert!(is_dependency_failure(&reader.wait().unwrap_err(), "reader", "launch"), "round {round}");
        assert!(is_dependency_failure(&a.host().unwrap_err(), "host access", "launch"));
        assert_eq!((b.get(0), c.host().unwrap()), (round, vec![round * 10 + 7]));
        assert_eq!(queue.wait(), Err(out_of_bounds("launch")));
        // Written anew it is usable again.
        a.host_set(&[0]);
        append(&queue, &a, 5);
        assert_eq!(a.host().unwrap(), [5]);
        queue.wait().unwrap();
    }
}

#[test]
fn a_launch_that_reads_what_an_ordinary_command_failed_to_write_does_not_run() {
    let (device, queue) = in_order(1);
    let a = Words::new(&device, 1);
    queue.submit(failing("bad", vec![a.write()])).unwrap().wait().unwrap_err();
    append(&queue, &a, 1);
    assert_eq!(queue.wait(), Err(out_of_bounds("bad")));
    assert_eq!(a.get(0), 0);
    assert!(a.host().is_err());
}

#[test]
fn a_panic_in_a_launch_is_the_queues_error_and_its_handler_hears_of_it() {
    let device = device_with(1);
    let (sender, errors) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let handler: syclone_runtime::ErrorHandler = Arc::new(move |error: &Error| {
        let _ = sender.lock().unwrap().send(error.clone());
    });
    let options = QueueOptions { in_order: true, profiling: false };
    let queue = Queue::with_handler(&device, options, Some(handler)).unwrap();
    launch(&queue, 1, [], |_| panic!("no"));
    drop(queue);
    let error = errors.recv_timeout(Duration::from_secs(10)).unwrap();
    let is_own = |kernel: &str, message: &str| kernel == "launch" && message.starts_with("no");
    assert!(matches!(&error, Error::KernelPanic { kernel, message, .. } if is_own(kernel, message)), "{error:?}");
}

#[test]
fn memory_and_queue_may_be_dropped_while_launches_are_pending() {
    let (device, queue) = in_order(1);
    let runs = Arc::new(AtomicUsize::new(0));
    for _ in 0..100 {
        let (words, count) = (Words::new(&device, 8), Arc::clone(&runs));
        let target = words.clone();
        launch(&queue, 1, [words.read_write()], move |_| {
            std::thread::sleep(Duration::from_micros(50));
            target.set(7, 1);
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
    }
    drop(queue);
    while runs.load(Ordering::Relaxed) < 100 || Arc::strong_count(&runs) > 1 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(device.memory_stats().in_use, 0);
}

#[test]
fn more_launches_than_a_lane_holds_wait_for_room_or_go_the_ordinary_way() {
    let (device, queue) = in_order(1);
    let a = Words::new(&device, 1);
    let token = a.0.wait_for_host(AccessMode::Write).unwrap();
    // Held up, so all of these are pending at once.
    for _ in 0..1000 {
        append(&queue, &a, 0);
    }
    drop(token);
    launch(&queue, 1, [], |_| {
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    });
    for _ in 0..1000 {
        let target = a.clone();
        launch(&queue, 1, [a.read_write()], move |_| {
            target.set(0, target.get(0) + 1);
            Ok(())
        });
    }
    assert_eq!(a.host().unwrap(), [1000]);
}

#[test]
fn a_host_task_may_launch_but_not_wait() {
    let (device, queue) = in_order(1);
    let (inner, a) = (Arc::new(queue), Words::new(&device, 1));
    let (queue, words) = (Arc::clone(&inner), a.clone());
    let task = Command::host_task("launches", move || {
        for _ in 0..600 {
            let target = words.clone();
            launch(&queue, 1, [words.read_write()], move |_| {
                target.set(0, target.get(0) + 1);
                Ok(())
            });
        }
        assert!(matches!(queue.wait(), Err(Error::WaitInsideCommand { .. })));
        Ok(())
    });
    Queue::new(&device).unwrap().submit(task).unwrap().wait().unwrap();
    inner.wait().unwrap();
    assert_eq!(a.host().unwrap(), [600]);
}

#[test]
fn conflicting_arguments_are_refused_like_any_commands() {
    let (device, queue) = in_order(1);
    let a = Words::new(&device, 1);
    let mut accesses = [Some(a.read()), Some(a.read_write())];
    // SAFETY: the kernel touches no memory.
    let refused = unsafe { queue.launch(Launch { chunks: 1, body: |_| Ok(()) }, &mut accesses) };
    assert!(matches!(refused, Err(Error::AccessConflict { .. })));
    let event = queue.submit(kernel("fine", 1, vec![a.read_write()], |_, _| Ok(()))).unwrap();
    event.wait().unwrap();
}
