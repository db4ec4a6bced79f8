//! Whether anything is left over: all memory of the process is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

struct Counting;

static LIVE: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is done by the system's allocator; this one only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// How many bytes are allocated after `run` and were not before. The least of a few runs: other threads of the test
/// program allocate now and then.
pub fn left_over(run: impl Fn()) -> isize {
    let once = || {
        let before = LIVE.load(Ordering::Relaxed);
        run();
        LIVE.load(Ordering::Relaxed) - before
    };
    (0..3).map(|_| once()).find(|&left| left <= 0).map_or_else(once, |_| 0)
}
