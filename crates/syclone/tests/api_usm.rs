//! USM: allocation, order without explicit dependencies, and copies between devices.

#[path = "rig/device.rs"]
mod device;

use device::device;
use std::time::Duration;

use syclone::prelude::*;

fn queue() -> Queue {
    Queue::new(&device()).expect("a CPU queue")
}

#[test]
fn allocations_are_zeroed_and_copied_and_filled() {
    let queue = queue();
    let mut device = UsmDevice::<i32, 2>::new(queue.device(), [2, 2]).unwrap();
    let mut host = queue.alloc_host::<i32>(4).unwrap();
    let mut shared = queue.alloc_shared::<i32>(4).unwrap();
    assert_eq!(queue.to_vec(&device).unwrap(), [0; 4]);
    queue.copy_from_slice(&[1, 2, 3, 4], &mut device).unwrap();
    queue.copy(&device, &mut host).unwrap();
    queue.copy(&host, &mut shared).unwrap();
    assert_eq!(shared.host().unwrap()[..], [1, 2, 3, 4]);
    shared.host_mut().unwrap()[3] = 40;
    queue.copy(&shared, &mut device).unwrap();
    assert_eq!(queue.to_vec(&device).unwrap(), [1, 2, 3, 40]);
    queue.fill(&mut host, 6).unwrap();
    assert_eq!(host.host().unwrap()[..], [6; 4]);
    queue.prefetch(&shared).unwrap().wait().unwrap();
    queue.advise(&shared, syclone::Advice::MostlyRead).unwrap().wait().unwrap();
    assert_eq!((device.extents(), device.len()), ([2, 2], 4));
}

#[test]
fn no_bytes_are_no_problem() {
    let queue = queue();
    let (mut a, b) = (queue.alloc_device::<f64>(0).unwrap(), queue.alloc_shared::<f64>(0).unwrap());
    queue.fill(&mut a, 1.0).unwrap().wait().unwrap();
    queue.copy(&b, &mut a).unwrap().wait().unwrap();
    assert_eq!(queue.to_vec(&a).unwrap(), []);
    assert_eq!(b.host().unwrap().len(), 0);
}

#[test]
fn sizes_that_cannot_be_allocated_are_errors() {
    let queue = queue();
    assert!(matches!(UsmDevice::<u64, 2>::new(queue.device(), [usize::MAX, 3]), Err(Error::SizeOverflow { .. })));
    assert!(matches!(queue.alloc_shared::<u8>(isize::MAX as usize - 64), Err(Error::OutOfMemory { .. })));
}

#[test]
fn lengths_that_differ_are_an_error_with_both_numbers() {
    let queue = queue();
    let mut x = queue.alloc_device::<u8>(3).unwrap();
    let error = queue.copy_from_slice(&[1, 2], &mut x).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { command: "copy".into(), source_len: 2, target_len: 3 });
}

#[test]
fn uploads_fills_and_downloads_keep_their_order_on_an_out_of_order_queue() {
    let queue = queue();
    let (mut x, mut y) = (queue.alloc_device::<i32>(3).unwrap(), queue.alloc_device::<i32>(3).unwrap());
    for round in 0..2000 {
        queue.copy_from_slice(&[round, round + 1, round + 2], &mut x).unwrap();
        queue.copy(&x, &mut y).unwrap();
        queue.fill(&mut x, -1).unwrap();
        assert_eq!(queue.to_vec(&y).unwrap(), [round, round + 1, round + 2]);
        assert_eq!(queue.to_vec(&x).unwrap(), [-1; 3]);
    }
}

#[test]
fn the_host_waits_for_commands_on_shared_memory() {
    let queue = queue();
    let gate = Buffer::<u8>::new(1);
    let mut x = queue.alloc_shared::<u8>(1).unwrap();
    let slow = queue
        .submit(|h| {
            let _gate = gate.write(h);
            h.host_task(|_| std::thread::sleep(Duration::from_millis(50)))
        })
        .unwrap();
    queue
        .submit(|h| {
            h.depends_on(&slow);
            h.fill(&mut x, 1)
        })
        .unwrap();
    assert_eq!(x.host().unwrap()[0], 1);
}

#[test]
fn an_allocation_may_be_dropped_while_commands_use_it() {
    let queue = queue();
    let target = Buffer::<u32>::new(1000);
    let gate = queue.submit(|h| h.host_task(|_| std::thread::sleep(Duration::from_millis(20)))).unwrap();
    let mut x = queue.alloc_device::<u32>(1000).unwrap();
    queue.fill(&mut x, 5).unwrap();
    queue
        .submit(|h| {
            h.depends_on(&gate);
            h.copy(&x, target.write(h))
        })
        .unwrap();
    drop(x);
    assert_eq!(target.to_vec().unwrap(), vec![5; 1000]);
}

#[test]
fn slices_are_copied_and_filled_on_their_own() {
    let queue = queue();
    let mut x = queue.alloc_shared::<u8>(6).unwrap();
    {
        let (mut left, mut right) = x.split_at_mut(2).unwrap();
        queue.fill(&mut left, 1).unwrap();
        queue.fill(&mut right, 2).unwrap();
        queue.copy(&left, &mut right.slice_mut(2..).unwrap()).unwrap();
    }
    assert_eq!(x.host().unwrap()[..], [1, 1, 2, 2, 1, 1]);
    assert_eq!(queue.to_vec(&x.slice(1..4).unwrap()).unwrap(), [1, 2, 2]);
    assert!(x.slice(5..9).is_err());
}

#[test]
fn memory_of_two_devices_can_be_copied_between_them_from_any_thread() {
    let devices = [Device::cpu_with_threads(1).unwrap(), Device::cpu_with_threads(1).unwrap()];
    let queues = devices.map(|device| Queue::new(&device).unwrap());
    let mut memory = [0, 1].map(|i: usize| queues[i].alloc_device::<u32>(16).unwrap());
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for round in 0..200 {
                queues[0].fill(&mut memory[0], 10 + round).unwrap();
                queues[1].fill(&mut memory[1], 20 + round).unwrap();
                let (first, second) = memory.split_at_mut(1);
                queues[1].copy(&first[0], &mut second[0]).unwrap();
                assert_eq!(queues[0].to_vec(&second[0]).unwrap(), [10 + round; 16]);
            }
        });
    });
}
