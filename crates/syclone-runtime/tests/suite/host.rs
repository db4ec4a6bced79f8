//! Host accesses: the host waits its turn, and commands wait for the host.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::{Words, kernel};
use crate::device_with;
use syclone_runtime::{AccessMode, Command, Device, Error, EventStatus, Queue};

const PAUSE: Duration = Duration::from_millis(20);

fn setup() -> (Device, Queue, Words) {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let words = Words::new(&device, 2);
    (device, queue, words)
}

fn add_slowly(words: &Words, amount: u64) -> Command {
    let target = words.clone();
    kernel("add_slowly", 1, vec![words.read_write()], move |_, _| {
        std::thread::sleep(PAUSE);
        target.set(0, target.get(0) + amount);
        Ok(())
    })
}

#[test]
fn the_host_waits_for_a_running_writer() {
    let (_device, queue, a) = setup();
    queue.submit(add_slowly(&a, 3)).unwrap();
    assert_eq!(a.host().unwrap(), [3, 0]);
}

#[test]
fn a_writer_waits_until_the_host_has_read() {
    let (_device, queue, a) = setup();
    let token = a.0.wait_for_host(AccessMode::Read).unwrap();
    let event = queue.submit(add_slowly(&a, 1)).unwrap();
    std::thread::sleep(2 * PAUSE);
    assert_eq!((event.status(), a.get(0)), (EventStatus::Submitted, 0));
    drop(token);
    event.wait().unwrap();
    assert_eq!(a.get(0), 1);
}

#[test]
fn readers_and_the_reading_host_do_not_wait_for_each_other() {
    let (_device, queue, a) = setup();
    let first = a.0.wait_for_host(AccessMode::Read).unwrap();
    let second = a.0.wait_for_host(AccessMode::Read).unwrap();
    queue.submit(kernel("read", 1, vec![a.read()], |_, _| Ok(()))).unwrap().wait().unwrap();
    drop((first, second));
}

#[test]
fn a_reader_sees_what_the_host_wrote_before_it_let_go() {
    let (_device, queue, a) = setup();
    let token = a.0.wait_for_host(AccessMode::ReadWrite).unwrap();
    let event = queue.submit(add_slowly(&a, 1)).unwrap();
    a.set(0, 41);
    drop(token);
    event.wait().unwrap();
    assert_eq!(a.host().unwrap(), [42, 0]);
}

#[test]
fn host_accesses_to_disjoint_bytes_live_side_by_side() {
    let (_device, _queue, a) = setup();
    let low = a.0.wait_for_host_range(AccessMode::Write, 0..8).unwrap();
    let high = a.0.wait_for_host_range(AccessMode::Write, 8..16).unwrap();
    drop((low, high));
    let error = a.0.wait_for_host_range(AccessMode::Read, 8..24).unwrap_err();
    assert_eq!(error, Error::RangeOutsideObject { command: "host access".into(), start: 8, end: 24, bytes: 16 });
}

#[test]
fn a_wait_for_what_this_thread_itself_holds_up_is_an_error_and_no_hang() {
    let (device, queue, a) = setup();
    let b = Words::new(&device, 1);
    let token = a.0.wait_for_host(AccessMode::ReadWrite).unwrap();
    let direct = queue.submit(add_slowly(&a, 1)).unwrap();
    // Behind the access only through another command, and on other memory.
    let target = b.clone();
    let behind = kernel("behind", 1, vec![b.write()], move |_, _| {
        target.set(0, 9);
        Ok(())
    });
    let behind = queue.submit(behind.after(&direct)).unwrap();
    assert_eq!(direct.wait(), Err(Error::WaitWouldDeadlock { command: "add_slowly".into() }));
    assert_eq!(behind.wait(), Err(Error::WaitWouldDeadlock { command: "behind".into() }));
    assert!(matches!(queue.wait(), Err(Error::WaitWouldDeadlock { .. })));
    assert!(matches!(a.0.wait_for_host(AccessMode::Read), Err(Error::WaitWouldDeadlock { .. })));
    assert!(matches!(b.0.wait_for_host(AccessMode::Read), Err(Error::WaitWouldDeadlock { .. })));
    // What does not depend on it can be waited for.
    queue.submit(kernel("free", 1, vec![Words::new(&device, 1).write()], |_, _| Ok(()))).unwrap().wait().unwrap();
    drop(token);
    queue.wait().unwrap();
    assert_eq!((a.host().unwrap(), b.host().unwrap()), (vec![1, 0], vec![9]));
}

#[test]
fn another_thread_may_wait_for_the_host_access() {
    let (_device, queue, a) = setup();
    let token = a.0.wait_for_host(AccessMode::ReadWrite).unwrap();
    let event = queue.submit(add_slowly(&a, 1)).unwrap();
    let released = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            event.wait().unwrap();
            assert!(released.load(Ordering::Relaxed));
        });
        std::thread::sleep(PAUSE);
        released.store(true, Ordering::Relaxed);
        drop(token);
        waiter.join().unwrap();
    });
    event.wait().unwrap();
    assert_eq!(a.host().unwrap(), [1, 0]);
}

#[test]
fn threads_that_write_from_the_host_take_turns() {
    let (_device, queue, a) = setup();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let _token = a.0.wait_for_host(AccessMode::ReadWrite).unwrap();
                    a.set(0, a.get(0) + 1);
                    std::thread::yield_now();
                    a.set(1, a.get(1) + 1);
                }
            });
        }
        for _ in 0..50 {
            let target = a.clone();
            let command = kernel("both", 1, vec![a.read_write()], move |_, _| {
                (0..2).for_each(|idx| target.set(idx, target.get(idx) + 1));
                Ok(())
            });
            queue.submit(command).unwrap();
        }
    });
    assert_eq!(a.host().unwrap(), [850, 850]);
}
