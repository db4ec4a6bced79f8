//! Borrowed host memory: written back when its scope ends, however it ends.

#[path = "rig/device.rs"]
mod device;

use device::device;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use syclone::ScopedBuffer;
use syclone::prelude::*;

fn queue() -> Queue {
    Queue::new(&device()).expect("a CPU queue")
}

fn slow_double<const D: usize>(queue: &Queue, buffer: &ScopedBuffer<'_, u32, D>) -> Event {
    queue
        .submit(|h| {
            let mut data = buffer.read_write(h);
            h.host_task(move |task| {
                std::thread::sleep(Duration::from_millis(30));
                task.write(&mut data).map(|data| data.iter_mut().for_each(|x| *x *= 2))
            })
        })
        .unwrap()
}

#[test]
fn the_scope_waits_for_its_commands_and_the_slice_holds_their_results() {
    let queue = queue();
    let mut data = [1, 2, 3, 4, 5, 6];
    let address = data.as_ptr();
    syclone::scope(|s| {
        let buffer = s.buffer_mut(&mut data, [2, 3]).unwrap();
        assert_eq!(buffer.host_read().unwrap().as_ptr(), address, "no copy is made");
        slow_double(&queue, &buffer);
        slow_double(&queue, &buffer.clone());
    });
    assert_eq!(data, [4, 8, 12, 16, 20, 24]);
}

#[test]
fn the_scope_waits_although_events_and_handles_are_leaked() {
    let queue = queue();
    let mut data = vec![1u32; 1000];
    syclone::scope(|s| {
        let buffer = s.buffer_mut(&mut data, 1000).unwrap();
        std::mem::forget(slow_double(&queue, &buffer));
        std::mem::forget(buffer);
    });
    data.iter_mut().for_each(|x| *x += 1);
    assert_eq!(data, vec![3; 1000]);
}

#[test]
fn the_scope_waits_when_its_closure_panics() {
    let queue = queue();
    let mut data = vec![1u32; 10];
    let result = catch_unwind(AssertUnwindSafe(|| {
        syclone::scope(|s| {
            let buffer = s.buffer_mut(&mut data, 10).unwrap();
            slow_double(&queue, &buffer);
            panic!("on purpose");
        })
    }));
    assert_eq!(*result.unwrap_err().downcast::<&str>().unwrap(), "on purpose");
    assert_eq!(data, vec![2; 10]);
}

#[test]
fn the_scope_waits_for_copies_that_name_a_buffer_without_an_access() {
    let queue = queue();
    let (source, mut target) = (vec![7u8; 1 << 20], vec![0u8; 1 << 20]);
    syclone::scope(|s| {
        let from = s.buffer(&source, 1 << 20).unwrap();
        let to = s.buffer_mut(&mut target, 1 << 20).unwrap();
        queue.copy(&from, &to).unwrap();
        assert_eq!(source[0], 7, "what is borrowed to be read can be read meanwhile");
    });
    assert!(source == target);
}

#[test]
fn many_commands_in_one_scope_are_all_waited_for() {
    let queue = queue();
    let mut data = [0u64; 1];
    syclone::scope(|s| {
        let buffer = s.buffer_mut(&mut data, 1).unwrap();
        for _ in 0..1000 {
            queue
                .submit(|h| {
                    let mut data = buffer.read_write(h);
                    h.host_task(move |task| task.write(&mut data).map(|data| data[0] += 1))
                })
                .unwrap();
        }
    });
    assert_eq!(data, [1000]);
}

#[test]
fn a_failed_command_does_not_keep_the_scope_from_ending() {
    let queue = queue();
    let mut data = [1u32, 2];
    let event = syclone::scope(|s| {
        let buffer = s.buffer_mut(&mut data, 2).unwrap();
        let failed = queue.submit(|h| {
            let _data = buffer.write(h);
            h.host_task(|_| Err::<(), _>("on purpose"))
        });
        slow_double(&queue, &buffer);
        failed.unwrap()
    });
    assert!(event.wait().is_err());
    assert_eq!(data, [1, 2]);
    assert!(queue.wait().is_err());
}

#[test]
fn extents_that_do_not_fit_the_slice_are_an_error() {
    let mut data = [0u8; 5];
    syclone::scope(|s| {
        let result = s.buffer_mut(&mut data, [2, 3]);
        assert!(matches!(result, Err(Error::LengthMismatch { source_len: 5, target_len: 6, .. })));
    });
}

#[test]
fn a_host_task_gets_no_scoped_buffer_because_it_may_not_wait() {
    let event = queue().submit(|h| {
        h.host_task(|_| {
            let mut data = [0u8; 4];
            syclone::scope(|s| s.buffer_mut(&mut data, 4).map(|_| ()))
        })
    });
    let error = event.unwrap().wait().unwrap_err();
    assert!(error.to_string().contains("would block a worker"), "{error}");
}

#[test]
fn parts_of_a_borrowed_slice_are_independent() {
    let queue = queue();
    let mut data = [1u32, 2, 3, 4, 5, 6];
    syclone::scope(|s| {
        let buffer = s.buffer_mut(&mut data, [3, 2]).unwrap();
        let (first, last) = (buffer.slice(..1).unwrap(), buffer.slice(2..).unwrap());
        queue.submit(|h| h.copy(first.read(h), last.write(h))).unwrap();
        slow_double(&queue, &buffer.slice(1..2).unwrap());
        assert!(buffer.slice(2..4).is_err());
    });
    assert_eq!(data, [1, 2, 6, 8, 1, 2]);
}

/// The scope may not return, and would wait for ever for what its own thread holds: it says so and aborts.
#[test]
fn a_scope_that_can_never_end_aborts_the_process_with_the_reason() {
    const CHILD: &str = "SYCLONE_TEST_ENDLESS_SCOPE";
    if std::env::var_os(CHILD).is_some() {
        let (queue, held, mut data) = (queue(), Buffer::<u32>::new(2), [0u32; 2]);
        let _guard = held.host_write().unwrap();
        syclone::scope(|s| {
            let buffer = s.buffer_mut(&mut data, 2).unwrap();
            queue.copy(&held, &buffer).unwrap();
        });
        unreachable!("the scope has returned before its command ended");
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_scope_that_can_never_end_aborts_the_process_with_the_reason", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&child.stderr);
    assert!(!child.status.success());
    assert!(stderr.contains("a scope of borrowed buffers cannot end"), "{stderr}");
    assert!(!stderr.contains("has returned"), "{stderr}");
}
