//! Launches in every order with the pump, with waits, and with the end of a lease. The ring has two slots, so that it
//! fills up; what goes the ordinary way then is part of the model.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize as Count, Ordering as Of};

use loom::thread::{self, JoinHandle};

use super::*;
use crate::backends::{Backend, run_chunks};
use crate::models::check;
use crate::sync::Condvar;
use crate::{AccessMode, Device, DryRunOptions, Queue, QueueOptions, Worker};

/// One worker with a queue; who sleeps and wakes in the real pool has models of its own.
#[derive(Default)]
struct OneWorker {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    nodes: VecDeque<Arc<Node>>,
    ended: bool,
}

struct Handle(Arc<OneWorker>);

impl Backend for Handle {
    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn enqueue(&self, node: Arc<Node>) {
        self.0.state.lock().unwrap().nodes.push_back(node);
        self.0.changed.notify_all();
    }

    fn runs_strands(&self) -> bool {
        true
    }
}

impl OneWorker {
    fn work(&self) {
        let mut worker = Worker::new(0, 0, String::new()).unwrap();
        let mut state = self.state.lock().unwrap();
        loop {
            if let Some(node) = state.nodes.pop_front() {
                drop(state);
                if let Some(result) = run_chunks(&node, &mut worker) {
                    scheduler::complete(&node, result);
                }
                state = self.state.lock().unwrap();
            } else if state.ended {
                return;
            } else {
                state = self.changed.wait(state).unwrap();
            }
        }
    }
}

/// A queue in order, on a device with one worker.
struct Model {
    queue: Arc<Queue>,
    backend: Arc<OneWorker>,
    worker: JoinHandle<()>,
}

impl Model {
    fn new() -> Model {
        let backend = Arc::new(OneWorker::default());
        let info = DryRunOptions::new("model").local_memory(0).stepped().build().unwrap().device().info().clone();
        let device = Device::new(info, Box::new(Handle(Arc::clone(&backend))));
        let queue = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
        let works = Arc::clone(&backend);
        Model { queue: Arc::new(queue), backend, worker: thread::spawn(move || works.work()) }
    }

    fn end(self) {
        self.backend.state.lock().unwrap().ended = true;
        self.backend.changed.notify_all();
        self.worker.join().unwrap();
    }
}

/// A kernel that is alone with its memory while it runs, and notes that it ran.
struct Alone {
    inside: Arc<Count>,
    ran: Arc<Count>,
    fails: bool,
}

impl KernelWork for Alone {
    fn name(&self) -> Name {
        Name::Borrowed("alone")
    }

    fn chunks(&self) -> usize {
        1
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        assert_eq!(self.inside.fetch_add(1, Of::Relaxed), 0, "two at once");
        thread::yield_now();
        self.inside.fetch_sub(1, Of::Relaxed);
        self.ran.fetch_add(1, Of::Relaxed);
        if self.fails { Err(Error::HostTaskPanic { task: self.name(), message: String::new() }) } else { Ok(()) }
    }
}

#[derive(Clone, Default)]
struct Shared {
    inside: Arc<Count>,
    ran: Arc<Count>,
}

impl Shared {
    fn launch(&self, queue: &Queue, object: &Arc<MemoryObject>, fails: bool) {
        let work = Alone { inside: Arc::clone(&self.inside), ran: Arc::clone(&self.ran), fails };
        let mut accesses = [Some(Access::whole(object, AccessMode::Write, "x"))];
        // SAFETY: the kernel touches no memory.
        unsafe { queue.launch(work, &mut accesses) }.unwrap();
    }
}

#[test]
fn more_launches_than_slots_run_once_each_and_a_wait_sees_all_of_them() {
    check(3, || {
        let model = Model::new();
        let (object, shared) = (MemoryObject::from_vec(vec![0u8; 8]), Shared::default());
        for _ in 0..3 {
            shared.launch(&model.queue, &object, false);
        }
        model.queue.wait().unwrap();
        assert_eq!(shared.ran.load(Of::Relaxed), 3);
        // Nothing of a launch is left once it has ended.
        assert_eq!(Arc::strong_count(&shared.inside), 1);
        model.end();
    });
}

#[test]
fn launches_of_two_threads_run_one_after_another_and_none_is_forgotten() {
    check(3, || {
        let model = Model::new();
        let (object, shared) = (MemoryObject::from_vec(vec![0u8; 8]), Shared::default());
        let (queue, other, of_other) = (Arc::clone(&model.queue), shared.clone(), Arc::clone(&object));
        let thread = thread::spawn(move || other.launch(&queue, &of_other, false));
        shared.launch(&model.queue, &object, false);
        model.queue.wait().unwrap();
        thread.join().unwrap();
        model.queue.wait().unwrap();
        assert_eq!(shared.ran.load(Of::Relaxed), 2);
        model.end();
    });
}

#[test]
fn waits_of_two_threads_for_different_launches_both_end() {
    check(3, || {
        let model = Model::new();
        let (object, shared) = (MemoryObject::from_vec(vec![0u8; 8]), Shared::default());
        shared.launch(&model.queue, &object, false);
        let queue = Arc::clone(&model.queue);
        let thread = thread::spawn(move || queue.wait().unwrap());
        shared.launch(&model.queue, &object, false);
        model.queue.wait().unwrap();
        assert_eq!(shared.ran.load(Of::Relaxed), 2);
        thread.join().unwrap();
        model.end();
    });
}

#[test]
fn the_host_has_memory_for_itself_whose_lease_it_ends_during_a_launch() {
    check(3, || {
        let model = Model::new();
        let (object, shared) = (MemoryObject::from_vec(vec![0u8; 8]), Shared::default());
        let (host, of_host) = (shared.clone(), Arc::clone(&object));
        let thread = thread::spawn(move || {
            let _token = of_host.wait_for_host(AccessMode::ReadWrite).unwrap();
            assert_eq!(host.inside.fetch_add(1, Of::Relaxed), 0, "the host beside a launch");
            thread::yield_now();
            host.inside.fetch_sub(1, Of::Relaxed);
        });
        shared.launch(&model.queue, &object, false);
        shared.launch(&model.queue, &object, false);
        thread.join().unwrap();
        model.queue.wait().unwrap();
        assert_eq!(shared.ran.load(Of::Relaxed), 2);
        model.end();
    });
}

#[test]
fn a_failure_reaches_who_reads_afterwards_and_no_one_who_reads_what_was_written_again() {
    check(3, || {
        let model = Model::new();
        let (object, shared) = (MemoryObject::from_vec(vec![0u8; 8]), Shared::default());
        shared.launch(&model.queue, &object, true);
        let failed = object.wait_for_host(AccessMode::Read);
        assert!(matches!(failed, Err(Error::DependencyFailed { .. })));
        shared.launch(&model.queue, &object, true);
        shared.launch(&model.queue, &object, false);
        drop(object.wait_for_host(AccessMode::Read).unwrap());
        assert!(matches!(model.queue.wait(), Err(Error::HostTaskPanic { .. })));
        model.end();
    });
}

#[test]
fn an_ordinary_command_and_launches_of_another_thread_take_turns() {
    check(3, || {
        let model = Model::new();
        let (object, shared) = (MemoryObject::from_vec(vec![0u8; 8]), Shared::default());
        let (queue, other) = (Arc::clone(&model.queue), shared.clone());
        let thread = thread::spawn(move || {
            // Without memory: only the queue's order holds them apart.
            let task = crate::Command::host_task("task", move || {
                assert_eq!(other.inside.fetch_add(1, Of::Relaxed), 0, "beside a launch");
                thread::yield_now();
                other.inside.fetch_sub(1, Of::Relaxed);
                Ok(())
            });
            queue.submit(task).unwrap().wait().unwrap();
        });
        shared.launch(&model.queue, &object, false);
        thread.join().unwrap();
        model.queue.wait().unwrap();
        assert_eq!(shared.ran.load(Of::Relaxed), 1);
        model.end();
    });
}
