//! Launches without events that one worker runs allocate nothing: neither where they are launched nor where they run. A program of its own
//! without the test harness, whose threads allocate while a test runs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use syclone::prelude::*;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes every call on.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[kernel]
fn axpy(item: Item<1>, a: f64, x: View<f64>, y: ItemMut<f64>) {
    y[item] += a * x[item];
}

/// Launches of `n` items, 200 to a wait: what they allocate after the first thousand, and whether each of them ran.
fn allocations_of_launches(n: usize) -> usize {
    const WAITS: usize = 50;
    // One worker, which has begun when its first launch has ended: a thread allocates where it begins.
    let device = Device::cpu_with_threads(1).unwrap();
    let queue = Queue::in_order(&device).unwrap();
    let (mut x, mut y) = (queue.alloc_shared::<f64>(n).unwrap(), queue.alloc_shared::<f64>(n).unwrap());
    x.host_mut().unwrap().fill(2.0);
    let mut launches = |count: usize| {
        for _ in 0..count {
            queue.launch(n, axpy(0.5, x.view(), y.item_mut())).unwrap();
        }
        queue.wait().unwrap();
    };
    launches(1000);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    (0..WAITS).for_each(|_| launches(200));
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(y.host().unwrap().iter().all(|y| *y == (1000 + 200 * WAITS) as f64), "every launch of {n} items ran once");
    allocations
}

fn main() {
    // Of a size that one worker runs: several need a node, which all of them hold.
    for n in [1, 100, 1000] {
        assert_eq!(allocations_of_launches(n), 0, "allocations of launches of {n} items");
    }
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; launches without events allocate nothing");
}
