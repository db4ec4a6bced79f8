//! A device's memory: pools, limits, high-water marks, and what is promised of a new allocation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use syclone_runtime::{AccessMode, Command, Device, Error, MemoryObject, MemoryStats, Queue};

/// A device of the test's own, whose numbers no other test changes.
fn device() -> Device {
    Device::cpu_with_threads(1).unwrap()
}

fn allocate(device: &Device, bytes: usize) -> Arc<MemoryObject> {
    MemoryObject::allocate(device, bytes).unwrap()
}

/// The bytes of an object that only this test knows.
#[allow(clippy::mut_from_ref, reason = "the bytes are the object's, not the handle's")]
fn bytes(object: &Arc<MemoryObject>) -> &mut [u8] {
    // SAFETY: no command uses the object, and each test calls this once at a time.
    unsafe { std::slice::from_raw_parts_mut(object.ptr(), object.bytes()) }
}

#[test]
fn a_freed_block_serves_the_next_allocation_of_its_size_and_is_zero_again() {
    let device = device();
    for size in [1, 100, 4096, 1 << 20, (4 << 20) + 1, 16 << 20] {
        let first = allocate(&device, size);
        let address = first.ptr();
        bytes(&first).fill(0xAB);
        let before = device.memory_stats();
        drop(first);
        assert!(device.memory_stats().pooled >= size);
        let second = allocate(&device, size);
        assert_eq!(second.ptr(), address, "{size} bytes");
        assert!(bytes(&second).iter().all(|byte| *byte == 0), "{size} bytes are handed out dirty");
        assert_eq!(device.memory_stats().reused, before.reused + 1);
    }
    assert_eq!(device.memory_stats().in_use, 0);
}

#[test]
fn a_block_that_had_a_smaller_owner_or_a_larger_one_is_zero_too() {
    let device = device();
    // All of one size class.
    let sizes = [900, 1024, 1000, 897, 1024];
    let mut addresses = Vec::new();
    for size in sizes {
        let object = allocate(&device, size);
        assert!(bytes(&object).iter().all(|byte| *byte == 0), "{size} bytes");
        bytes(&object).fill(1);
        addresses.push(object.ptr());
    }
    addresses.dedup();
    assert_eq!(addresses.len(), 1, "one block served them all");
}

#[test]
fn the_high_water_mark_is_the_most_held_at_once_and_can_be_taken_anew() {
    let device = device();
    let (a, b) = (allocate(&device, 1000), allocate(&device, 500));
    drop(a);
    let c = allocate(&device, 300);
    assert_eq!((device.memory_stats().in_use, device.memory_stats().high_water), (800, 1500));
    assert_eq!(device.reset_high_water(), 1500);
    assert_eq!(device.memory_stats().high_water, 800);
    drop((b, c));
    let _d = allocate(&device, 700);
    assert_eq!(device.memory_stats().high_water, 800);
    assert_eq!(device.memory_stats().allocations, 4);
}

#[test]
fn trimming_gives_all_that_is_pooled_back_and_a_pool_without_room_keeps_nothing() {
    let device = device();
    drop((allocate(&device, 1 << 20), allocate(&device, 8 << 20), allocate(&device, 8 << 20)));
    assert_eq!(device.memory_stats().pooled, 17 << 20);
    assert_eq!(device.trim_memory(), 17 << 20);
    assert_eq!((device.memory_stats().pooled, device.trim_memory()), (0, 0));

    drop((allocate(&device, 1 << 20), allocate(&device, 8 << 20)));
    device.set_pool_limit(Some(2 << 20));
    assert_eq!((device.pool_limit(), device.memory_stats().pooled), (2 << 20, 1 << 20), "the large one went first");
    device.set_pool_limit(Some(0));
    drop(allocate(&device, 1 << 20));
    assert_eq!(device.memory_stats().pooled, 0);
    device.set_pool_limit(None);
    assert!(device.pool_limit() > 0 && device.pool_limit() <= device.info().global_memory_bytes / 8);
}

#[test]
fn an_allocation_beyond_the_limit_is_an_error_with_sizes_and_the_device_goes_on() {
    let device = device();
    assert_eq!(device.memory_limit(), device.info().global_memory_bytes);
    device.set_memory_limit(Some(10_000));
    let held = allocate(&device, 6_000);
    let selector = device.info().selector.clone();
    let expected = Error::OutOfMemory { device: selector, asked: 5_000, in_use: 6_000, limit: 10_000 };
    assert_eq!(MemoryObject::allocate(&device, 5_000).unwrap_err(), expected);
    for number in ["5000", "6000", "10000"] {
        assert!(expected.to_string().contains(number), "{expected}");
    }
    assert_eq!(
        device.memory_stats(),
        MemoryStats { in_use: 6_000, high_water: 6_000, allocations: 1, ..MemoryStats::default() }
    );
    let rest = allocate(&device, 4_000);
    drop(held);
    drop(allocate(&device, 6_000));
    // Below what is held: nothing more, and nothing is taken away.
    device.set_memory_limit(Some(1_000));
    assert!(matches!(MemoryObject::allocate(&device, 1), Err(Error::OutOfMemory { in_use: 4_000, limit: 1_000, .. })));
    bytes(&rest).fill(3);
    let queue = Queue::new(&device).unwrap();
    queue.submit(Command::fill(&rest, 0, 4_000, &[9]).unwrap()).unwrap().wait().unwrap();
    drop(rest.wait_for_host(AccessMode::Read).unwrap());
    assert!(bytes(&rest).iter().all(|byte| *byte == 9));
    device.set_memory_limit(None);
    drop(allocate(&device, 1 << 20));
    // More than the device has is no limit.
    device.set_memory_limit(Some(usize::MAX));
    assert_eq!(device.memory_limit(), device.info().global_memory_bytes);
}

#[test]
fn what_lies_in_the_pool_is_given_back_before_an_allocation_is_refused() {
    let device = device();
    device.set_memory_limit(Some(10 << 20));
    drop((allocate(&device, 4 << 20), allocate(&device, 4 << 20)));
    assert_eq!(device.memory_stats().pooled, 8 << 20);
    // Another class: the pooled blocks don't serve it.
    let large = allocate(&device, 9 << 20);
    let stats = device.memory_stats();
    assert_eq!((stats.in_use, stats.reused), (9 << 20, 0));
    assert!(stats.in_use + stats.pooled <= 10 << 20, "{stats:?}");
    drop(large);
}

#[test]
fn allocations_outlive_their_device_and_its_pool_goes_with_the_last() {
    let device = device();
    let (kept, freed) = (allocate(&device, 1 << 16), allocate(&device, 1 << 16));
    drop(freed);
    drop(device);
    bytes(&kept).fill(5);
    drop(kept);
}

#[test]
fn threads_that_allocate_and_free_at_once_never_share_or_see_each_others_bytes() {
    let device = device();
    device.set_pool_limit(Some(1 << 20));
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let device = &device;
            scope.spawn(move || {
                let mut held = Vec::new();
                let mut random = u64::from(thread) + 1;
                for round in 0..2_000 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let object = allocate(device, 1 + (random >> 33) as usize % 5_000);
                    assert!(bytes(&object).iter().all(|byte| *byte == 0));
                    bytes(&object).fill(thread + 1);
                    held.push(object);
                    if held.len() > 8 {
                        let object = held.swap_remove(round % 8);
                        assert!(bytes(&object).iter().all(|byte| *byte == thread + 1));
                    }
                }
            });
        }
    });
    let stats = device.memory_stats();
    assert_eq!((stats.in_use, stats.allocations), (0, 8_000));
    assert!(stats.reused > 1_000 && stats.pooled <= 1 << 20, "{stats:?}");
}

/// Threads ask for more together than there is, and let go while commands still use it; whoever looks finds the limit kept.
#[test]
fn a_limit_holds_while_many_threads_ask_for_more_than_there_is() {
    const LIMIT: usize = 1 << 20;
    const ROUNDS: usize = 500;
    let device = Device::cpu_with_threads(2).unwrap();
    device.set_memory_limit(Some(LIMIT));
    let selector = device.info().selector.clone();
    let (ended, refused) = (AtomicBool::new(false), AtomicUsize::new(0));
    let work = |thread: usize| {
        let queue = Queue::new(&device).unwrap();
        let (mut held, mut random) = (Vec::new(), thread as u64 + 1);
        for round in 0..ROUNDS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Of all sizes, and now and then one that nothing would make room for.
            let asked = if round % 50 == 49 { LIMIT + round } else { 1 + (random >> 33) as usize % (LIMIT / 3) };
            match MemoryObject::allocate(&device, asked) {
                Ok(object) => {
                    queue.submit(Command::fill(&object, 0, asked, &[thread as u8 + 1]).unwrap()).unwrap();
                    held.push((object, asked));
                }
                Err(Error::OutOfMemory { device, asked: named, in_use, limit }) => {
                    assert_eq!((&device, named, limit), (&selector, asked, LIMIT));
                    assert!(in_use <= limit && in_use + asked > limit, "{asked} bytes beside {in_use}");
                    refused.fetch_add(1, Ordering::Relaxed);
                    held.clear();
                }
                Err(other) => panic!("{other}"),
            }
            if held.len() == 4 {
                let (object, len) = held.swap_remove(round % 4);
                drop(object.wait_for_host(AccessMode::Read).unwrap());
                assert!(bytes(&object)[..len].iter().all(|byte| *byte == thread as u8 + 1));
            }
        }
        drop(held);
        queue.wait().unwrap();
    };
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let stats = device.memory_stats();
                assert!(stats.in_use + stats.pooled <= LIMIT && stats.high_water <= LIMIT, "{stats:?}");
                device.trim_memory();
                std::thread::yield_now();
            }
        });
        let work = &work;
        let workers: Vec<_> = (0..4).map(|thread| scope.spawn(move || work(thread))).collect();
        let results: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        ended.store(true, Ordering::Relaxed);
        looks.join().unwrap();
        results.into_iter().for_each(|result| result.unwrap());
    });
    assert!(refused.load(Ordering::Relaxed) >= 4 * ROUNDS / 50);
    // All of it can be had again.
    let stats = device.memory_stats();
    assert!(stats.in_use == 0 && stats.high_water <= LIMIT, "{stats:?}");
    let whole = allocate(&device, LIMIT);
    assert!(bytes(&whole).iter().all(|byte| *byte == 0));
    assert_eq!(device.memory_stats().pooled, 0);
}
