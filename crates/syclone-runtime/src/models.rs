//! The lock-free parts under a model checker, which runs each test in every order that the memory model allows (up to a
//! number of preemptions): readiness, completion, chunk claiming, waiting, and the end of a graph's replay.
//!
//! The models of the lane and of the worker pool are beside them: `lane/models.rs`, `backends/cpu/pool/models.rs`.
//!
//! `docs/testing.md` has the command. Small worlds only: two or three threads, each with a few steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::thread;

use crate::backends::run_chunks;
use crate::command::{Kernel, Work};
use crate::node::{Link, Node, Payload};
use crate::{
    Access, AccessMode, Command, DryRun, DryRunOptions, Error, Event, Graph, KernelWork, MemoryObject, Name, Queue,
    QueueOptions, Result, Worker, scheduler,
};

/// Runs `model` in every order with at most `preemptions` places where a thread is interrupted.
pub(crate) fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

fn node(work: Work, chunks: usize) -> Arc<Node> {
    let payload = Payload { work, accesses: Vec::new(), queue: None, graph: None };
    Node::new(Name::Borrowed("node"), chunks, payload, false)
}

/// A kernel that counts its chunks and its ends.
struct Counted {
    chunks: Arc<[AtomicUsize]>,
    finishes: Arc<AtomicUsize>,
    fails_at: Option<usize>,
}

impl KernelWork for Counted {
    fn name(&self) -> Name {
        Name::Borrowed("counted")
    }

    fn chunks(&self) -> usize {
        self.chunks.len()
    }

    unsafe fn run(&self, chunk: usize, worker: &mut Worker) -> Result<()> {
        assert_eq!(self.finishes.load(Ordering::Relaxed), 0, "a chunk ran after the end");
        self.chunks[chunk].fetch_add(1, Ordering::Relaxed);
        let message = "asked for".to_owned();
        if self.fails_at == Some(chunk) {
            return Err(Error::KernelPanic { kernel: self.name(), device: worker.device().to_owned(), message });
        }
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        assert!(self.chunks.iter().all(|count| count.load(Ordering::Relaxed) == 1), "the end came before a chunk");
        self.finishes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn a_node_becomes_ready_once_when_its_predecessors_end_while_it_is_submitted() {
    check(3, || {
        let (first, second, last) = (node(Work::Empty, 1), node(Work::Empty, 1), node(Work::Empty, 1));
        let settle = |node: &Arc<Node>| {
            let node = Arc::clone(node);
            thread::spawn(move || {
                let mut ready = Vec::new();
                node.settle(Ok(()), &mut ready);
                ready.len()
            })
        };
        let threads = [settle(&first), settle(&second)];
        last.follow(&first, Link::Data);
        last.follow(&second, Link::Order);
        let at_once = usize::from(last.predecessor_done());
        let later: usize = threads.map(|thread| thread.join().unwrap()).iter().sum();
        assert_eq!(at_once + later, 1);
    });
}

#[test]
fn a_failure_reaches_a_dependent_that_is_submitted_at_the_same_time() {
    check(3, || {
        let (first, last) = (node(Work::Empty, 1), node(Work::Empty, 1));
        let failing = Arc::clone(&first);
        let thread = thread::spawn(move || {
            let error = Error::HostTaskFailed { task: "first".into(), message: "asked for".into() };
            scheduler::complete(&failing, Err(error));
        });
        last.follow(&first, Link::Data);
        scheduler::release(Arc::clone(&last));
        thread.join().unwrap();
        assert!(last.is_done());
        assert!(matches!(last.result(), Err(Error::DependencyFailed { .. })));
    });
}

#[test]
fn each_chunk_is_claimed_once_and_one_worker_ends_the_kernel_after_all_of_them() {
    for fails_at in [None, Some(1)] {
        check(3, move || {
            let chunks: Arc<[AtomicUsize]> = (0..3).map(|_| AtomicUsize::new(0)).collect();
            let finishes = Arc::new(AtomicUsize::new(0));
            let work = Counted { chunks: Arc::clone(&chunks), finishes: Arc::clone(&finishes), fails_at };
            let shared = node(Work::Kernel(Kernel::Once(Box::new(work))), 3);
            let run = |index| {
                let node = Arc::clone(&shared);
                move || {
                    let result = run_chunks(&node, &mut Worker::new(index, 0, String::new()).unwrap());
                    if let Some(result) = &result {
                        scheduler::complete(&node, result.clone());
                    }
                    usize::from(result.is_some())
                }
            };
            let other = thread::spawn(run(1));
            let own = run(0)();
            assert_eq!(own + other.join().unwrap(), 1);
            assert!(shared.is_done());
            assert_eq!(shared.is_complete(), fails_at.is_none());
            assert_eq!(finishes.load(Ordering::Relaxed), usize::from(fails_at.is_none()));
            assert!(chunks.iter().all(|count| count.load(Ordering::Relaxed) <= 1));
        });
    }
}

#[test]
fn a_wait_ends_when_the_node_does() {
    check(3, || {
        let waited = node(Work::Empty, 1);
        let ending = Arc::clone(&waited);
        let thread = thread::spawn(move || {
            ending.begin();
            scheduler::complete(&ending, Ok(()));
        });
        let other = Arc::clone(&waited);
        let second = thread::spawn(move || assert!(other.wait(true, None)));
        assert!(waited.wait(false, None));
        assert!(waited.is_complete());
        thread.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn a_future_that_is_polled_while_its_command_ends_is_woken_or_ready() {
    check(3, || {
        let waited = node(Work::Empty, 1);
        let ending = Arc::clone(&waited);
        let thread = thread::spawn(move || scheduler::complete(&ending, Ok(())));
        assert_eq!(loom::future::block_on(Event::new(waited)), Ok(()));
        thread.join().unwrap();
    });
}

/// A stepped device, which takes no locks of its own across anything that the checker could interrupt.
fn device() -> DryRun {
    DryRunOptions::new("model").local_memory(0).stepped().run_kernels().build().unwrap()
}

#[test]
fn commands_of_two_queues_that_use_one_object_run_in_turn_however_they_are_submitted_and_stepped() {
    check(2, || {
        let dry = device();
        let object = MemoryObject::from_vec(vec![0u8; 8]);
        let inside = Arc::new(AtomicUsize::new(0));
        let submit = |in_order| {
            let (dry, object, inside) = (dry.clone(), Arc::clone(&object), Arc::clone(&inside));
            move || {
                let queue = Queue::with(dry.device(), QueueOptions { in_order, profiling: false }).unwrap();
                let task = Command::host_task("task", move || {
                    assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two writers at once");
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::Relaxed);
                    Ok(())
                });
                let event = queue.submit(task.access(Access::whole(&object, AccessMode::ReadWrite, "x"))).unwrap();
                dry.step();
                dry.step();
                event
            }
        };
        let other = thread::spawn(submit(true));
        let own = submit(false)();
        let other = other.join().unwrap();
        dry.run_until_idle();
        assert_eq!((own.wait(), other.wait()), (Ok(()), Ok(())));
    });
}

#[test]
fn the_end_of_a_replay_comes_once_and_after_its_memory_was_let_go() {
    check(2, || {
        let dry = device();
        let queue = Queue::new(dry.device()).unwrap();
        let object = MemoryObject::from_vec(vec![0u8; 2]);
        let graph = Graph::new(dry.device(), false);
        for byte in 0..2 {
            graph.record(Command::fill(&object, byte, 1, &[1]).unwrap()).unwrap();
        }
        let executable = graph.instantiate().unwrap();
        let event = queue.submit(Command::replay(&executable)).unwrap();
        drop((graph, executable));
        let other = dry.clone();
        let thread = thread::spawn(move || other.run_until_idle());
        dry.run_until_idle();
        // The other thread may still be inside of the last step.
        event.wait().unwrap();
        assert_eq!(object.try_into_vec::<u8>().expect("nobody else holds it"), [1, 1]);
        thread.join().unwrap();
        queue.wait().unwrap();
    });
}
