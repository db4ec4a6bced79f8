//! Who outlives whom: devices, queues, memory and events dropped in any order, on any thread.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{Words, kernel};
use crate::device_with;
use syclone_runtime::{AccessMode, Command, Error, MemoryObject, Queue};

fn set(words: &Words, value: u64) -> Command {
    let target = words.clone();
    kernel("set", 1, vec![words.write()], move |_, _| {
        std::thread::sleep(Duration::from_millis(2));
        target.set(0, value);
        Ok(())
    })
}

#[test]
fn device_queue_memory_and_event_can_be_dropped_in_any_order_while_a_command_runs() {
    for order in 0..24 {
        let device = device_with(1);
        let queue = Queue::new(&device).unwrap();
        let words = Words::new(&device, 1);
        let ended = Arc::new(AtomicUsize::new(0));
        let note = Arc::clone(&ended);
        queue.submit(set(&words, 5)).unwrap();
        let event = queue
            .submit(kernel("note", 1, vec![words.read()], move |_, _| {
                note.fetch_add(1, Ordering::Release);
                Ok(())
            }))
            .unwrap();
        let mut parts: Vec<Option<Box<dyn std::any::Any>>> =
            vec![Some(Box::new(device)), Some(Box::new(queue)), Some(Box::new(words)), Some(Box::new(event))];
        let mut left = vec![0, 1, 2, 3];
        for (count, divisor) in [(4, 6), (3, 2), (2, 1), (1, 1)] {
            let part = left.remove(order / divisor % count);
            drop(parts[part].take());
        }
        while ended.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
    }
}

#[test]
fn memory_dropped_under_a_command_lives_until_the_command_has_ended_and_no_longer() {
    let device = device_with(1);
    let queue = Queue::new(&device).unwrap();
    let object = MemoryObject::allocate(&device, 1 << 20).unwrap();
    let event = queue.submit(Command::fill(&object, 0, 1 << 20, &[1]).unwrap()).unwrap();
    let alive = Arc::downgrade(&object);
    drop(object);
    event.wait().unwrap();
    assert!(alive.upgrade().is_none(), "a waited-for command must not hold memory");
    assert_eq!(device.memory_stats().in_use, 0);
}

#[test]
fn a_vector_moved_in_comes_back_and_only_as_what_it_was() {
    let device = device_with(1);
    let queue = Queue::new(&device).unwrap();
    let vector = vec![1u16; 1000];
    let address = vector.as_ptr();
    let object = MemoryObject::from_vec(vector);
    assert_eq!(object.bytes(), 2000);
    queue.submit(Command::fill(&object, 0, 2000, &[7, 0]).unwrap()).unwrap().wait().unwrap();
    let object = object.try_into_vec::<i16>().unwrap_err();
    let other = Arc::clone(&object);
    let object = object.try_into_vec::<u16>().unwrap_err();
    drop(other);
    let vector = object.try_into_vec::<u16>().unwrap();
    assert_eq!((vector.as_ptr(), vector), (address, vec![u16::from_ne_bytes([7, 0]); 1000]));
    assert!(MemoryObject::allocate(&device, 8).unwrap().try_into_vec::<u8>().is_err());
    assert_eq!(MemoryObject::from_vec(Vec::<u64>::new()).try_into_vec::<u64>().unwrap(), []);
}

#[test]
fn the_elements_of_a_moved_in_vector_are_dropped_once() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let vector = || (0..10).map(|_| Counted(Arc::clone(&drops))).collect::<Vec<_>>();
    // SAFETY: no command writes them.
    let object = || unsafe { MemoryObject::from_values(vector()) };
    drop(object());
    assert_eq!(drops.load(Ordering::Relaxed), 10);
    drop(object().try_into_vec::<Counted>().unwrap_or_default());
    assert_eq!(drops.load(Ordering::Relaxed), 20);
}

#[test]
fn borrowed_host_memory_is_read_and_written_in_place() {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let (source, mut target) = (vec![3u8; 600_000], vec![0u8; 600_000]);
    {
        // SAFETY: both vectors outlive the objects, which are dropped after the wait; the source is only read.
        let [from, to] = unsafe {
            [
                MemoryObject::borrow(NonNull::from(&source[..]).cast(), source.len()),
                MemoryObject::borrow(NonNull::from(&mut target[..]).cast(), target.len()),
            ]
        };
        queue.submit(Command::copy(&from, 0, &to, 0, 600_000).unwrap()).unwrap().wait().unwrap();
    }
    assert_eq!(source, target);
}

#[test]
fn two_devices_work_side_by_side_from_fresh_threads() {
    let devices = [device_with(1), device_with(1)];
    let queues = devices.each_ref().map(|device| Queue::new(device).unwrap());
    let words = devices.each_ref().map(|device| Words::new(device, 1000));
    for idx in 0..1000 {
        for (which, base) in [(0, 10), (1, 20)] {
            let target = words[which].clone();
            let command = kernel("write", 1, vec![words[which].read_write()], move |_, _| {
                target.set(idx, base + idx as u64);
                Ok(())
            });
            queues[which].submit(command).unwrap();
        }
    }
    let [first, second] = words;
    let [_, queue] = queues;
    let copied = std::thread::spawn(move || {
        // From device 0 to device 1, by device 1's queue, on a thread that has seen neither.
        assert!(second.host().unwrap().iter().enumerate().all(|(idx, &word)| word == 20 + idx as u64));
        queue.submit(Command::copy(&first.0, 0, &second.0, 0, 8000).unwrap()).unwrap();
        second.host().unwrap()
    });
    assert!(copied.join().unwrap().iter().enumerate().all(|(idx, &word)| word == 10 + idx as u64));
    assert_ne!(devices[0], devices[1]);
    assert_eq!(devices[0], devices[0].clone());
}

#[test]
fn allocations_are_zeroed_aligned_counted_and_limited() {
    let device = device_with(1);
    for bytes in [1, 63, 64, 65, 4097, 10 << 20] {
        let object = MemoryObject::allocate(&device, bytes).unwrap();
        assert_eq!(object.ptr().addr() % 64, 0);
        // SAFETY: inside the object, which nobody else knows.
        let content = unsafe { std::slice::from_raw_parts(object.ptr(), bytes) };
        assert!(content.iter().all(|&byte| byte == 0));
        assert_eq!(device.memory_stats().in_use, bytes);
    }
    let stats = device.memory_stats();
    assert_eq!((stats.in_use, stats.high_water, stats.allocations), (0, 10 << 20, 6));
    let info = device.info();
    for asked in [info.max_allocation + 1, isize::MAX as usize, usize::MAX] {
        let expected =
            Error::OutOfMemory { device: info.selector.clone(), asked, in_use: 0, limit: info.global_memory_bytes };
        assert_eq!(MemoryObject::allocate(&device, asked).unwrap_err(), expected);
    }
    assert_eq!(device.memory_stats().in_use, 0);
    let empty = MemoryObject::allocate(&device, 0).unwrap();
    assert_eq!((empty.bytes(), empty.ptr().addr() % 64), (0, 0));
    drop(empty.wait_for_host(AccessMode::Write).unwrap());
}

#[test]
fn thousands_of_partial_accesses_leave_nothing_that_keeps_their_object_alive() {
    let device = device_with(1);
    let queue = Queue::new(&device).unwrap();
    let words = Words::new(&device, 64);
    // Readers and writers of parts, so that finished entries must be pruned and ranges cut.
    for step in 0..50_000usize {
        let start = step * 7 % 60 * 8;
        let mode = if step % 3 == 0 { AccessMode::ReadWrite } else { AccessMode::Read };
        let access = syclone_runtime::Access::range(&words.0, mode, start..start + 32, "part");
        queue.submit(kernel("step", 1, vec![access], |_, _| Ok(()))).unwrap();
    }
    queue.wait().unwrap();
    let weak = Arc::downgrade(&words.0);
    drop(words);
    assert!(weak.upgrade().is_none());
}
