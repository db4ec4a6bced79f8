//! One replay: from the graph's turn to the end of its last command.
//!
//! The replay itself is a node, the *outer* one, in the process-wide order; the last step to end gives it its result.
//! Whoever ends a step's last predecessor takes the step further, and there are two ways to:
//!
//! - *Nodes.* Each step gets a node when its turn comes. Back ends see no difference to any command; when it settles, the
//!   scheduler tells [`GraphRun::end_step`] instead of a queue.
//! - *Strands*, for back ends that can run them ([`Backend::runs_strands`](crate::backends::Backend::runs_strands)). A
//!   worker runs a step of one chunk and then goes on with one that this made ready, without a node and without the
//!   back end's queue: a chain of small kernels costs little more than their calls. Several steps that are ready at once
//!   become the chunks of one node, each the beginning of a strand. Steps of many chunks get nodes as above.
//!
//! Where steps have been short before, workers claim several chunks of that node at once, and nobody is woken for it if one
//! worker has soon run all of them.
//!
//! A running trace and a checked device want to see every command, so they get nodes.

use std::sync::Arc;

use super::failures::Failures;
use super::plan::{Plan, Step, StepWork};
use super::times::Times;
use crate::backends::Backend;
use crate::check::{commands, unwritten};
use crate::command::{HostTask, Kernel, Work};
use crate::node::{Link, NO_PANIC, Node, Payload};
use crate::queue::QueueShared;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering};
use crate::{Access, Error, Name, Result, TextOutput, trace};

/// Steps that take less time each, in nanoseconds, are claimed several at once.
const SHORT: u64 = 3_000;

/// Steps that one worker runs in less time, in nanoseconds, are not worth waking another one.
const LIGHT: u64 = 30_000;

/// What the steps of a replay share.
pub(crate) struct GraphRun {
    /// Its payload holds the plan, and with it the memory, until the last step has ended: whoever waits for the replay may
    /// rely on neither being held afterwards.
    outer: Arc<Node>,
    queue: Arc<QueueShared>,
    strands: bool,
    /// For each step, how many of its predecessors have not ended.
    unmet: Box<[AtomicUsize]>,
    /// Steps that have not ended.
    left: AtomicUsize,
    /// For traces and checked devices.
    watched: Option<Watched>,
    times: Option<Times>,
    begun: AtomicBool,
    failed: AtomicBool,
    failures: Mutex<Failures>,
}

/// Under which numbers a watched replay is known to those who watch.
struct Watched {
    /// The replay's start, among checked commands.
    start: u64,
    /// For each step that has begun, its number in traces and among checked commands.
    steps: Box<[(AtomicU64, AtomicU64)]>,
}

/// Steps that are ready at once, as the work of a node: each chunk begins a strand with one of them.
pub(crate) struct Strands {
    pub(crate) run: Arc<GraphRun>,
    pub(crate) steps: Box<[usize]>,
}

/// What a step asks of the worker that runs its strand.
pub(crate) enum StepCall<'a> {
    Kernel(&'a dyn crate::KernelWork),
    HostTask(&'a crate::command::ReplayedTask),
}

impl GraphRun {
    /// Begins a replay whose turn has come: adds the nodes of its first steps to `ready`, and gives its result if no step
    /// needs a worker.
    pub(crate) fn start(
        outer: &Arc<Node>,
        plan: &Plan,
        queue: &Arc<QueueShared>,
        ready: &mut Vec<Arc<Node>>,
    ) -> Option<Result<()>> {
        let checked = queue.device().is_checked() || unwritten::any();
        let watched = trace::is_on() || checked;
        let run = Arc::new(GraphRun {
            outer: Arc::clone(outer),
            queue: Arc::clone(queue),
            strands: queue.device().backend().runs_strands() && !watched && !cfg!(feature = "tracing"),
            unmet: plan.steps.iter().map(|step| AtomicUsize::new(step.follows.len())).collect(),
            // One more for the start itself, which must not end early.
            left: AtomicUsize::new(plan.steps.len() + 1),
            watched: watched.then(|| Watched {
                start: commands::start_of_part(outer.check),
                steps: plan.steps.iter().map(|_| Default::default()).collect(),
            }),
            times: Times::of(plan),
            begun: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            failures: Mutex::default(),
        });
        let mut first = Vec::with_capacity(plan.roots.len());
        let mut ended = 1;
        for &number in &plan.roots {
            if matches!(plan.steps[number].work, StepWork::Empty) {
                // SAFETY: the step has not ended.
                unsafe { run.tell_watchers_of_end(number, None) };
                // SAFETY: as above.
                ended += unsafe { run.end_step(number, None, &mut first) };
            } else {
                first.push(number);
            }
        }
        // SAFETY: these have not ended either.
        unsafe { run.nodes(first, ready) };
        run.count_down(ended)
    }

    /// The graph.
    ///
    /// # Safety
    /// Some step is not counted as ended in `left`, and will not be while the result is used.
    unsafe fn plan(&self) -> &Plan {
        // SAFETY: the last step decides about the end of the outer node, and it has not ended.
        match unsafe { &self.outer.payload().work } {
            Work::Graph(plan, _) => plan,
            _ => unreachable!("a replay's work is a graph"),
        }
    }

    /// A step of the graph.
    ///
    /// # Safety
    /// As for [`GraphRun::plan`].
    unsafe fn step(&self, number: usize) -> &Step {
        // SAFETY: the caller's promise.
        &unsafe { self.plan() }.steps[number]
    }

    /// Takes note that a worker took so many nanoseconds for so many steps.
    ///
    /// # Safety
    /// As for [`GraphRun::plan`].
    pub(crate) unsafe fn took(&self, nanoseconds: u64, steps: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.plan() }.step_cost.took(nanoseconds, steps);
    }

    /// Where the steps print in this replay, if it says so.
    ///
    /// # Safety
    /// As for [`GraphRun::plan`].
    unsafe fn output(&self) -> Option<&TextOutput> {
        // SAFETY: as there.
        match unsafe { &self.outer.payload().work } {
            Work::Graph(_, output) => output.as_ref(),
            _ => None,
        }
    }

    /// The name and the call of a step whose turn has come, made ready for one more run.
    ///
    /// # Safety
    /// The step has not ended, and does not while the result is used.
    pub(crate) unsafe fn call(&self, number: usize) -> (&Name, Option<StepCall<'_>>) {
        // SAFETY: by the contract.
        let step = unsafe { self.step(number) };
        let call = match &step.work {
            StepWork::Kernel(kernel) => {
                // SAFETY: by the contract.
                kernel.rewind(unsafe { self.output() });
                Some(StepCall::Kernel(&**kernel))
            }
            StepWork::HostTask(task) => Some(StepCall::HostTask(task)),
            StepWork::Empty => None,
        };
        (&step.name, call)
    }

    /// Whether a strand can run the step: it is one call.
    ///
    /// # Safety
    /// The step has not ended.
    pub(crate) unsafe fn is_single(&self, number: usize) -> bool {
        // SAFETY: by the contract.
        match unsafe { &self.step(number).work } {
            StepWork::Kernel(kernel) => kernel.chunks() <= 1,
            StepWork::HostTask(_) | StepWork::Empty => true,
        }
    }

    /// Adds nodes for steps whose turn has come to `ready`.
    ///
    /// # Safety
    /// None of the steps has ended.
    pub(crate) unsafe fn nodes(self: &Arc<Self>, mut numbers: Vec<usize>, ready: &mut Vec<Arc<Node>>) {
        if self.strands {
            let singles: Box<[usize]> = {
                // SAFETY: by the contract.
                numbers.extract_if(.., |number| unsafe { self.is_single(*number) }).collect()
            };
            if !singles.is_empty() {
                let total = singles.len();
                let work = Work::Strands(Strands { run: Arc::clone(self), steps: singles });
                let mut node = self.node_of(Name::Borrowed("graph"), total, work, Vec::new(), None);
                let chunks = &mut Arc::get_mut(&mut node).expect("the node is new").chunks;
                // SAFETY: by the contract.
                let cost = unsafe { self.plan() }.step_cost.get();
                if cost <= SHORT {
                    chunks.claim_share = 4 * self.queue.device().info().compute_units;
                }
                chunks.are_light = cost * total as u64 <= LIGHT;
                ready.push(node);
            }
        }
        // SAFETY: by the contract.
        ready.extend(numbers.into_iter().map(|number| unsafe { self.node(number) }));
    }

    /// The node of a step whose turn has come.
    ///
    /// # Safety
    /// The step has not ended.
    unsafe fn node(self: &Arc<Self>, number: usize) -> Arc<Node> {
        // SAFETY: by the contract.
        let step = unsafe { self.step(number) };
        let (work, chunks) = match &step.work {
            StepWork::Kernel(kernel) => {
                // SAFETY: by the contract.
                kernel.rewind(unsafe { self.output() });
                (Work::Kernel(Kernel::Replayed(Arc::clone(kernel))), kernel.chunks().max(1))
            }
            StepWork::HostTask(task) => (Work::HostTask(HostTask::Replayed(Arc::clone(task))), 1),
            StepWork::Empty => (Work::Empty, 1),
        };
        // The outer node's accesses keep the memory; those who watch want to know which command uses what.
        let accesses = if self.watched.is_some() { step.accesses.clone() } else { Vec::new() };
        let node = self.node_of(step.name.clone(), chunks, work, accesses, Some((Arc::clone(self), number)));
        self.tell_watchers(number, step, &node);
        node
    }

    /// Tells those who watch of a step that ends without a node: it does nothing, or must not run because of `first`.
    ///
    /// # Safety
    /// The step has not ended.
    unsafe fn tell_watchers_of_end(&self, number: usize, first: Option<&Arc<Error>>) {
        if self.watched.is_none() {
            return;
        }
        // SAFETY: by the contract.
        let step = unsafe { self.step(number) };
        let work = match &step.work {
            StepWork::Kernel(kernel) => Work::Kernel(Kernel::Replayed(Arc::clone(kernel))),
            StepWork::HostTask(task) => Work::HostTask(HostTask::Replayed(Arc::clone(task))),
            StepWork::Empty => Work::Empty,
        };
        let node = self.node_of(step.name.clone(), 1, work, step.accesses.clone(), None);
        self.tell_watchers(number, step, &node);
        let failure = |first| Err(Error::DependencyFailed { command: step.name.clone(), first: Arc::clone(first) });
        trace::ended(&node, &first.map_or(Ok(()), failure));
    }

    /// Tells those who watch which steps a new node's step follows.
    fn tell_watchers(&self, number: usize, step: &Step, node: &Node) {
        let Some(watched) = &self.watched else {
            return;
        };
        watched.steps[number].0.store(node.trace, Ordering::Relaxed);
        watched.steps[number].1.store(node.check, Ordering::Relaxed);
        commands::follows(node.check, watched.start);
        commands::follows(self.outer.check, node.check);
        for &(earlier, link) in &step.follows {
            // That step has ended, so it has stored its numbers.
            let (traced, checked) = &watched.steps[earlier];
            trace::follows(node.trace, traced.load(Ordering::Relaxed), link);
            commands::follows(node.check, checked.load(Ordering::Relaxed));
        }
        trace::placed(node.trace);
    }

    fn node_of(
        &self,
        name: Name,
        chunks: usize,
        work: Work,
        accesses: Vec<Access>,
        graph: Option<(Arc<Self>, usize)>,
    ) -> Arc<Node> {
        let payload = Payload { work, accesses, queue: Some(Arc::clone(&self.queue)), graph };
        Node::new(name, chunks, payload, false)
    }

    /// The replay's own node.
    pub(crate) fn outer(&self) -> &Arc<Node> {
        &self.outer
    }

    /// The back end that runs the steps.
    pub(crate) fn backend(&self) -> &dyn Backend {
        self.queue.device().backend()
    }

    /// Takes note that a step begins.
    pub(crate) fn begin(&self, number: usize) {
        if let Some(times) = &self.times {
            times.begin(number);
        }
        if !self.begun.load(Ordering::Relaxed) && !self.begun.swap(true, Ordering::Relaxed) {
            self.outer.begin();
        }
    }

    /// Ends a step, with its error if it failed, and those after it that need no worker; adds the steps whose turn has
    /// come to `ready`. Gives the result of the replay if that was the last step.
    ///
    /// # Safety
    /// The step has not ended. It has after this call, and is for the caller to count; those that the caller was given
    /// have not.
    pub(crate) unsafe fn end_step(&self, number: usize, error: Option<Arc<Error>>, ready: &mut Vec<usize>) -> usize {
        let mut ending = Vec::new();
        let mut next = Some((number, error));
        let mut ended = 0;
        while let Some((number, error)) = next {
            if let Some(times) = &self.times {
                times.end(number);
            }
            // SAFETY: this step is counted as ended by the caller, after the last use.
            let successors = unsafe { &self.step(number).successors };
            if let Some(first) = error {
                let mut failures = self.failures.lock().expect(NO_PANIC);
                let needing = successors.iter().filter(|(_, link)| *link == Link::Data);
                failures.add(&first, needing.map(|&(later, _)| later));
                self.failed.store(true, Ordering::Release);
            }
            for &(later, _) in successors {
                if self.unmet[later].fetch_sub(1, Ordering::AcqRel) == 1 {
                    let inherited = self.inherited(later);
                    // SAFETY: neither this step nor the later one is counted as ended.
                    let is_empty = matches!(unsafe { &self.step(later).work }, StepWork::Empty);
                    if inherited.is_some() || is_empty {
                        // SAFETY: as above.
                        unsafe { self.tell_watchers_of_end(later, inherited.as_ref()) };
                        ending.push((later, inherited));
                    } else {
                        ready.push(later);
                    }
                }
            }
            ended += 1;
            next = ending.pop();
        }
        ended
    }

    /// Why a step must not run, if it must not.
    fn inherited(&self, number: usize) -> Option<Arc<Error>> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        self.failures.lock().expect(NO_PANIC).of(&number)
    }

    /// Counts steps as ended; the replay's result if the last one is among them.
    pub(crate) fn count_down(&self, ended: usize) -> Option<Result<()>> {
        if self.left.fetch_sub(ended, Ordering::AcqRel) != ended {
            return None;
        }
        if let Some(times) = &self.times {
            // SAFETY: whoever counts the last step decides about the end of the outer node, and has not done so yet.
            times.keep(unsafe { self.plan() });
        }
        Some(match self.failures.lock().expect(NO_PANIC).take_first() {
            Some(error) => Err((*error).clone()),
            None => Ok(()),
        })
    }
}

/// The failure that began an error, shared.
pub(crate) fn first_cause(error: &Arc<Error>) -> Arc<Error> {
    match &**error {
        Error::DependencyFailed { first, .. } => Arc::clone(first),
        _ => Arc::clone(error),
    }
}
