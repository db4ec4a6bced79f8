//! Launches without events allocate nothing: neither where they are launched nor where they run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use syclone_runtime::{
    Access, AccessMode, Device, KernelWork, MemoryObject, Name, Queue, QueueOptions, Result, Worker,
};

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

struct AddOne(*mut u64);

// SAFETY: the pointer is used only when it is the kernel's turn at the memory.
unsafe impl Send for AddOne {}
// SAFETY: as above.
unsafe impl Sync for AddOne {}

impl KernelWork for AddOne {
    fn name(&self) -> Name {
        "add_one".into()
    }

    fn chunks(&self) -> usize {
        1
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        // SAFETY: inside the object that the launch names.
        unsafe { *self.0 += 1 };
        Ok(())
    }
}

#[test]
fn launches_of_an_in_order_queue_allocate_nothing() {
    let device = Device::cpu_with_threads(2).unwrap();
    let queue = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
    let object = MemoryObject::allocate(&device, 8).unwrap();
    let word = object.ptr().cast::<u64>();
    let launch = || {
        let mut accesses = [Some(Access::whole(&object, AccessMode::ReadWrite, "x"))];
        // SAFETY: the access names all memory that the kernel touches.
        unsafe { queue.launch(AddOne(word), &mut accesses) }.unwrap();
    };
    // The first makes the lane, and each wait takes back what the one before has lent.
    (0..1000).for_each(|_| launch());
    queue.wait().unwrap();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..100 {
        for _ in 0..200 {
            launch();
        }
        queue.wait().unwrap();
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(allocations, 0);
    let _token = object.wait_for_host(AccessMode::Read).unwrap();
    // SAFETY: the host has its turn.
    assert_eq!(unsafe { *word }, 21_000);
}
