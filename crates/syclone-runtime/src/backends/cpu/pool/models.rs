//! Who sleeps and who wakes, in every order: a wake-up that is lost leaves a caller waiting for ever, which the model
//! checker reports as a deadlock.

use std::sync::atomic::{AtomicUsize as Count, Ordering as Of};

use loom::thread::{self, JoinHandle};

use super::super::info;
use super::*;
use crate::command::{Kernel, Work};
use crate::models::check;
use crate::node::Payload;
use crate::{Command, Device, KernelWork, Name, Queue, QueueOptions};

/// A device whose workers are threads of the model.
fn device(threads: usize) -> (Device, Vec<JoinHandle<()>>) {
    let pool = Pool::new(threads, "model".to_owned());
    pool.all_started.store(true, Ordering::SeqCst);
    let workers = (0..threads).map(|index| {
        let shared = Arc::clone(&pool.shared);
        shared.searchers.fetch_add(1, Ordering::SeqCst);
        thread::spawn(move || work(&shared, Worker::new(index, 0, String::new()).unwrap()))
    });
    let workers = workers.collect();
    (Device::new(info(threads, "model".to_owned()).unwrap(), Box::new(pool)), workers)
}

/// Ends the device's threads; one that no one wakes is a deadlock, too.
fn end(device: Device, workers: Vec<JoinHandle<()>>) {
    drop(device);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

/// A task that counts its runs.
fn counted(count: &Arc<Count>) -> Command {
    let count = Arc::clone(count);
    Command::host_task("counted", move || {
        count.fetch_add(1, Of::Relaxed);
        Ok(())
    })
}

fn queue(device: &Device, in_order: bool) -> Queue {
    Queue::with(device, QueueOptions { in_order, profiling: false }).unwrap()
}

#[test]
fn a_command_that_comes_while_the_workers_go_to_sleep_is_run() {
    for (threads, preemptions) in [(1, 3), (2, 2)] {
        check(preemptions, move || {
            let (device, workers) = device(threads);
            let count = Arc::default();
            let queue = queue(&device, false);
            for ran in 1..=2 {
                queue.submit(counted(&count)).unwrap().wait().unwrap();
                assert_eq!(count.load(Of::Relaxed), ran);
            }
            drop(queue);
            end(device, workers);
        });
    }
}

#[test]
fn commands_that_two_threads_submit_at_once_are_run() {
    check(2, || {
        let (device, workers) = device(1);
        let count = Arc::default();
        let submit = |device: &Device| {
            let (queue, task) = (queue(device, false), counted(&count));
            move || queue.submit(task).unwrap().wait().unwrap()
        };
        let other = thread::spawn(submit(&device));
        submit(&device)();
        other.join().unwrap();
        assert_eq!(count.load(Of::Relaxed), 2);
        end(device, workers);
    });
}

#[test]
fn a_chain_that_a_worker_keeps_to_itself_leaves_no_other_command_behind() {
    check(2, || {
        let (device, workers) = device(2);
        let count = Arc::default();
        let (chain, other) = (queue(&device, true), queue(&device, false));
        // The second of the chain may go straight to the worker that ends the first, while the other one is pushed.
        chain.submit(counted(&count)).unwrap();
        let last = chain.submit(counted(&count)).unwrap();
        other.submit(counted(&count)).unwrap().wait().unwrap();
        last.wait().unwrap();
        assert_eq!(count.load(Of::Relaxed), 3);
        drop((chain, other, last));
        end(device, workers);
    });
}

/// A kernel of two chunks that counts them.
struct Halves(Arc<Count>);

impl KernelWork for Halves {
    fn name(&self) -> Name {
        Name::Borrowed("halves")
    }

    fn chunks(&self) -> usize {
        2
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        self.0.fetch_add(1, Of::Relaxed);
        Ok(())
    }
}

#[test]
fn a_shared_kernel_and_one_behind_it_are_both_run() {
    check(2, || {
        let (device, workers) = device(2);
        let count = Arc::default();
        let queue = queue(&device, false);
        // SAFETY: the kernel touches no memory.
        let halves = unsafe { Command::kernel(Box::new(Halves(Arc::clone(&count))), Vec::new()) };
        let first = queue.submit(halves).unwrap();
        queue.submit(counted(&count)).unwrap().wait().unwrap();
        first.wait().unwrap();
        assert_eq!(count.load(Of::Relaxed), 3);
        drop((first, queue));
        end(device, workers);
    });
}

#[test]
fn a_sleeper_for_each_chunk_is_woken() {
    check(2, || {
        let (device, workers) = device(2);
        // Each chunk waits for the other: one worker alone would never end.
        let meeting = Arc::new((Mutex::new(0), Condvar::new()));
        let work = Meeting(Arc::clone(&meeting));
        let payload = Payload {
            work: Work::Kernel(Kernel::Once(Box::new(work))),
            accesses: Vec::new(),
            queue: None,
            graph: None,
        };
        let node = Node::new(Name::Borrowed("meeting"), 2, payload, false);
        device.backend().enqueue(Arc::clone(&node));
        node.wait(false, None);
        end(device, workers);
    });
}

/// A kernel of two chunks that wait for each other.
struct Meeting(Arc<(Mutex<usize>, Condvar)>);

impl KernelWork for Meeting {
    fn name(&self) -> Name {
        Name::Borrowed("meeting")
    }

    fn chunks(&self) -> usize {
        2
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        let (here, changed) = &*self.0;
        let mut here = here.lock().unwrap();
        *here += 1;
        changed.notify_all();
        while *here < 2 {
            here = changed.wait(here).unwrap();
        }
        Ok(())
    }
}
