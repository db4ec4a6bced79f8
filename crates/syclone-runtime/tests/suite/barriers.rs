//! Barriers in a queue: an order in time that no memory shows.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Words, calls, failing, is_dependency_failure, kernel, out_of_bounds};
use crate::device_with;
use syclone_runtime::{AccessMode, Command, Error, Queue, QueueOptions};

/// Counts itself after a pause.
fn counts(count: &Arc<AtomicUsize>) -> Command {
    let count = Arc::clone(count);
    kernel("counts", 1, Vec::new(), move |_, _| {
        std::thread::sleep(Duration::from_millis(2));
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

#[test]
fn a_barrier_follows_everything_before_it_and_everything_after_follows_it() {
    let device = device_with(4);
    for in_order in [false, true] {
        let queue = Queue::with(&device, QueueOptions { in_order, profiling: false }).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let mut seen = Vec::new();
        for _ in 0..5 {
            (0..8).for_each(|_| drop(queue.submit(counts(&count)).unwrap()));
            queue.barrier().unwrap();
            let (look, saw) = (Arc::clone(&count), Arc::new(AtomicUsize::new(0)));
            seen.push(Arc::clone(&saw));
            let looks = move || saw.store(look.load(Ordering::Relaxed), Ordering::Relaxed);
            queue.submit(calls("looks", Vec::new(), looks)).unwrap();
            queue.barrier().unwrap();
        }
        queue.wait().unwrap();
        let seen: Vec<usize> = seen.iter().map(|saw| saw.load(Ordering::Relaxed)).collect();
        assert_eq!(seen, [8, 16, 24, 32, 40], "in order: {in_order}");
    }
}

#[test]
fn a_barrier_for_some_events_holds_up_later_commands_for_those_only() {
    let (first, second) = (Queue::new(&device_with(2)).unwrap(), Queue::new(&device_with(1)).unwrap());
    let held = Words::new(second.device(), 1);
    let token = held.0.wait_for_host(AccessMode::Write).unwrap();
    let awaited = second.submit(kernel("awaited", 1, vec![held.write()], |_, _| Ok(()))).unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let log = Arc::clone(&log);
        calls(what, Vec::new(), move || log.lock().unwrap().push(what))
    };
    let before = first.submit(note("before")).unwrap();
    first.barrier_after(std::slice::from_ref(&awaited)).unwrap();
    let after = first.submit(note("after")).unwrap();
    before.wait().unwrap();
    assert_eq!(after.wait_timeout(Duration::from_millis(20)), None);
    drop(token);
    after.wait().unwrap();
    awaited.wait().unwrap();
    assert_eq!(*log.lock().unwrap(), ["before", "after"]);
}

#[test]
fn a_barrier_passes_on_no_failure_but_of_the_events_that_it_was_given() {
    let queue = Queue::new(&device_with(2)).unwrap();
    let bad = queue.submit(failing("bad", Vec::new())).unwrap();
    queue.barrier().unwrap().wait().unwrap();
    let barrier = queue.barrier_after(&[bad]).unwrap();
    let after = queue.submit(kernel("after", 1, Vec::new(), |_, _| Ok(()))).unwrap();
    assert!(is_dependency_failure(&barrier.wait().unwrap_err(), "barrier", "bad"));
    after.wait().unwrap();
    assert_eq!(queue.wait(), Err(out_of_bounds("bad")));
}

#[test]
fn waiting_for_a_barrier_behind_an_own_host_access_is_an_error_at_once() {
    let device = device_with(1);
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 1);
    let token = a.0.wait_for_host(AccessMode::Write).unwrap();
    queue.submit(kernel("held", 1, vec![a.write()], |_, _| Ok(()))).unwrap();
    let barrier = queue.barrier().unwrap();
    let after = queue.submit(Command::empty("after")).unwrap();
    assert_eq!(barrier.wait(), Err(Error::WaitWouldDeadlock { command: "barrier".into() }));
    assert_eq!(after.wait(), Err(Error::WaitWouldDeadlock { command: "after".into() }));
    drop(token);
    after.wait().unwrap();
}

/// Otherwise a command could follow one that was submitted after a barrier which follows it, and none of the three would run.
#[test]
fn barriers_and_memory_give_one_order_to_what_several_threads_submit() {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let shared = Words::new(&device, 1);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (queue, shared) = (&queue, &shared);
            scope.spawn(move || {
                for round in 0..2000 {
                    let access = if round % 10 == 0 { shared.read_write() } else { shared.read() };
                    queue.submit(calls("uses", vec![access], || ())).unwrap();
                    if round % 5 == thread {
                        queue.barrier().unwrap();
                    }
                }
            });
        }
    });
    let last = queue.barrier().unwrap();
    assert_eq!(last.wait_timeout(Duration::from_secs(100)), Some(Ok(())), "commands wait for each other");
    queue.wait().unwrap();
}
