//! What launches without events do not do: take locks. (That they allocate nothing is asked in the crate `syclone`.)

use std::sync::atomic::AtomicUsize as Count;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;
use crate::sync::counted::locks_of_this_thread;
use crate::{Command, Device, Queue, QueueOptions, Worker};

/// Fewer than the ring has slots, and more than the pump runs before it looks whether others wait.
const LAUNCHES: usize = 200;

/// Says that it runs, and goes on when it is told to.
struct Gate {
    began: SyncSender<()>,
    /// Received from by the one worker alone.
    open: std::sync::Mutex<Receiver<()>>,
}

/// Notes how many locks its thread has taken before it.
struct Look {
    number: usize,
    locks: Arc<[Count]>,
}

impl KernelWork for Gate {
    fn name(&self) -> Name {
        Name::Borrowed("gate")
    }

    fn chunks(&self) -> usize {
        1
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        self.began.send(()).unwrap();
        self.open.lock().unwrap().recv().unwrap();
        Ok(())
    }
}

impl KernelWork for Look {
    fn name(&self) -> Name {
        Name::Borrowed("look")
    }

    fn chunks(&self) -> usize {
        1
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        self.locks[self.number].store(locks_of_this_thread(), Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn launches_without_events_take_no_lock_where_they_are_made_nor_where_they_run() {
    // In a process of its own: memory that nobody has written, and traces, of other tests send every launch another way.
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["lane::tests::child_counts_the_locks_of_launches_without_events", "--exact", "--ignored"])
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && stdout.contains("1 passed"), "{stdout}");
}

#[test]
#[ignore = "run by launches_without_events_take_no_lock_where_they_are_made_nor_where_they_run"]
fn child_counts_the_locks_of_launches_without_events() {
    let device = Device::cpu_with_threads(1).unwrap();
    let queue = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
    let object = MemoryObject::allocate(&device, 8).unwrap();
    let access = || [Some(Access::whole(&object, AccessMode::ReadWrite, "x"))];
    let (began, running) = sync_channel(1);
    let (open, opened) = sync_channel(1);
    let locks: Arc<[Count]> = (0..LAUNCHES).map(|_| Count::new(0)).collect();

    // The first launch makes the lane, leases the memory and wakes the worker, which takes locks; it is the pump then.
    let gate = Gate { began, open: std::sync::Mutex::new(opened) };
    // SAFETY: none of the kernels touches the memory that it declares.
    unsafe { queue.launch(gate, &mut access()) }.unwrap();
    running.recv().unwrap();

    let before = locks_of_this_thread();
    for number in 0..LAUNCHES {
        let look = Look { number, locks: Arc::clone(&locks) };
        // SAFETY: as above.
        unsafe { queue.launch(look, &mut access()) }.unwrap();
    }
    assert_eq!(locks_of_this_thread() - before, 0, "locks of {LAUNCHES} launches");
    open.send(()).unwrap();
    queue.wait().unwrap();

    let first = locks[0].load(Ordering::Relaxed);
    assert!(first > 0, "the worker has taken locks before, which were counted");
    assert!(locks.iter().all(|count| count.load(Ordering::Relaxed) == first), "{locks:?}");

    // What has an event takes some.
    let before = locks_of_this_thread();
    queue.submit(Command::empty("marker")).unwrap().wait().unwrap();
    assert!(locks_of_this_thread() > before);
}
