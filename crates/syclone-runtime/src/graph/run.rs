//! One replay: from the graph's turn to the end of its last command.
//!
//! The replay itself is a node, the *outer* one, in the process-wide order. The graph's commands get nodes when their
//! turn comes, made by whoever ends their last predecessor, and so in parallel with the work. Back ends see no
//! difference; the scheduler tells [`GraphRun::ended`] instead of a queue, and the last command ends the outer node.

use std::collections::HashMap;
use std::sync::Arc;

use super::plan::{Plan, StepWork};
use crate::command::{HostTask, Kernel, Work};
use crate::node::{Link, NO_PANIC, Node, Payload};
use crate::queue::QueueShared;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering};
use crate::{Error, Result, trace};

/// What the commands of a replay share.
pub(crate) struct GraphRun {
    /// It also holds the plan, and with it the memory: whoever waits for it may rely on neither being held afterwards.
    outer: Arc<Node>,
    queue: Arc<QueueShared>,
    /// For each step, how many of its predecessors have not ended.
    unmet: Box<[AtomicUsize]>,
    /// Steps that have not ended.
    left: AtomicUsize,
    /// The steps' numbers in running traces, if there is one.
    traced: Option<Box<[AtomicU64]>>,
    begun: AtomicBool,
    failed: AtomicBool,
    failures: Mutex<Failures>,
}

#[derive(Default)]
struct Failures {
    /// The first one.
    first: Option<Error>,
    /// For steps that must not run, the failure that began it.
    inherited: HashMap<usize, Arc<Error>>,
}

impl GraphRun {
    /// Begins a replay whose turn has come: the nodes of the steps that follow no other.
    pub(crate) fn start(outer: &Arc<Node>, plan: &Plan, queue: &Arc<QueueShared>) -> Vec<Arc<Node>> {
        let run = Arc::new(GraphRun {
            outer: Arc::clone(outer),
            queue: Arc::clone(queue),
            unmet: plan.steps.iter().map(|step| AtomicUsize::new(step.follows.len())).collect(),
            left: AtomicUsize::new(plan.steps.len()),
            traced: trace::is_on().then(|| plan.steps.iter().map(|_| AtomicU64::new(0)).collect()),
            begun: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            failures: Mutex::default(),
        });
        // SAFETY: none of the steps has begun.
        plan.roots.iter().map(|&number| unsafe { run.node(number) }).collect()
    }

    /// The graph's commands.
    ///
    /// # Safety
    /// Some step is not counted as ended in `left`, and will not be while the result is used.
    unsafe fn plan(&self) -> &Plan {
        // SAFETY: the last step decides about the end of the outer node, and it has not ended.
        match unsafe { &self.outer.payload().work } {
            Work::Graph(plan) => plan,
            _ => unreachable!("a replay's work is a graph"),
        }
    }

    /// The node of a step whose turn has come.
    ///
    /// # Safety
    /// The step is not counted as ended in `left`.
    unsafe fn node(self: &Arc<Self>, number: usize) -> Arc<Node> {
        // SAFETY: by the contract this step has not ended.
        let step = unsafe { &self.plan().steps[number] };
        let (work, chunks) = match &step.work {
            StepWork::Kernel(kernel) => {
                kernel.rewind();
                (Work::Kernel(Kernel::Replayed(Arc::clone(kernel))), kernel.chunks().max(1))
            }
            StepWork::HostTask(task) => (Work::HostTask(HostTask::Replayed(Arc::clone(task))), 1),
            StepWork::Empty => (Work::Empty, 1),
        };
        // The outer node's accesses keep the memory.
        let payload = Payload {
            work,
            accesses: Vec::new(),
            queue: Some(Arc::clone(&self.queue)),
            graph: Some((Arc::clone(self), number)),
        };
        let node = Node::new(step.name.clone(), chunks, payload, false);
        if let Some(traced) = &self.traced {
            traced[number].store(node.trace, Ordering::Relaxed);
            for &(earlier, link) in &step.follows {
                // That step has ended, so it has stored its number.
                trace::follows(node.trace, traced[earlier].load(Ordering::Relaxed), link);
            }
            trace::placed(node.trace);
        }
        if self.failed.load(Ordering::Acquire)
            && let Some(first) = self.failures.lock().expect(NO_PANIC).inherited.remove(&number)
        {
            node.inherit_first(first);
        }
        node
    }

    /// The replay's own node.
    pub(crate) fn outer(&self) -> &Arc<Node> {
        &self.outer
    }

    /// Takes note that a command of the graph begins.
    pub(crate) fn begin(&self) {
        if !self.begun.load(Ordering::Relaxed) && !self.begun.swap(true, Ordering::Relaxed) {
            self.outer.begin();
        }
    }

    /// Takes note that a step has ended, and adds the nodes of those whose turn has come to `ready`. The result of the
    /// replay if it was the last step.
    pub(crate) fn ended(
        self: &Arc<Self>,
        number: usize,
        error: Option<&Arc<Error>>,
        ready: &mut Vec<Arc<Node>>,
    ) -> Option<Result<()>> {
        // SAFETY: this step is counted as ended below, after the last use.
        let successors = unsafe { &self.plan().steps[number].successors };
        if let Some(error) = error {
            let first = match &**error {
                Error::DependencyFailed { first, .. } => first,
                _ => error,
            };
            let mut failures = self.failures.lock().expect(NO_PANIC);
            failures.first.get_or_insert_with(|| (**first).clone());
            for (later, _) in successors.iter().filter(|(_, link)| *link == Link::Data) {
                failures.inherited.entry(*later).or_insert_with(|| Arc::clone(first));
            }
            self.failed.store(true, Ordering::Release);
        }
        for &(later, _) in successors {
            if self.unmet[later].fetch_sub(1, Ordering::AcqRel) == 1 {
                // SAFETY: neither this step nor the later one is counted as ended.
                ready.push(unsafe { self.node(later) });
            }
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) != 1 {
            return None;
        }
        Some(match self.failures.lock().expect(NO_PANIC).first.take() {
            Some(error) => Err(error),
            None => Ok(()),
        })
    }
}
