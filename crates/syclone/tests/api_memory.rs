//! Memory limits and pools, as programs meet them. One test, because it sets limits of the machine's own device.

use syclone::prelude::*;

#[test]
fn a_limit_makes_large_buffers_errors_with_sizes_and_freed_memory_serves_again() {
    let device = Device::select("cpu").unwrap();
    let queue = Queue::new(&device).unwrap();
    let selector = device.info().selector.clone();
    device.set_memory_limit(Some(1 << 20));

    let kept = Buffer::<f32>::new(100_000);
    let expected = Error::OutOfMemory { device: selector, asked: 800_000, in_use: 400_000, limit: 1 << 20 };
    assert_eq!(Buffer::<f64>::try_new(100_000).unwrap_err(), expected);
    assert_eq!(queue.alloc_device::<u8>(800_000).unwrap_err(), expected);
    assert_eq!(
        UsmDevice::<u8, 2>::pitched(&device, [100, 8_000]).map(|_| ()).unwrap_err(),
        Error::OutOfMemory {
            device: device.info().selector.clone(),
            asked: 100 * 8_000,
            in_use: 400_000,
            limit: 1 << 20
        }
    );
    // `new` keeps the error for the first use; nothing is submitted, and the queue goes on.
    let failed = Buffer::<f64>::new(100_000);
    assert_eq!(queue.fill(&failed, 1.0).unwrap_err(), expected);
    assert_eq!(failed.to_vec().unwrap_err(), expected);
    queue.fill(&kept, 2.0).unwrap();
    assert!(kept.to_vec().unwrap().iter().all(|value| *value == 2.0));

    // Vectors that are moved in are the program's own memory, not the device's.
    let moved = Buffer::from_vec(vec![1.0f64; 1_000_000]);
    queue.fill(&moved, 3.0).unwrap();
    assert_eq!(moved.into_vec().unwrap()[999_999], 3.0);

    // What is freed, also while commands use it, can be had again, and is zero.
    drop(failed);
    for round in 1..100 {
        let mut scratch = queue.alloc_device::<i32>(130_000).unwrap();
        assert!(queue.to_vec(&scratch).unwrap().iter().all(|value| *value == 0), "round {round}");
        queue.fill(&mut scratch, round).unwrap();
        drop(scratch);
        queue.wait().unwrap();
    }
    let stats = device.memory_stats();
    assert_eq!((stats.in_use, stats.high_water), (400_000, 920_000));
    assert!(stats.reused >= 98, "{stats:?}");

    device.set_memory_limit(None);
    drop(kept);
    drop(Buffer::<f64>::try_new(1_000_000).unwrap());
    assert_eq!(device.reset_high_water(), 8_000_000);
    assert!(device.trim_memory() > 0);
    let stats = device.memory_stats();
    assert_eq!((stats.in_use, stats.pooled, stats.high_water), (0, 0, 0));
}
