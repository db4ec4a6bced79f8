//! The log of a running trace: steps in the order in which they were noted, sorted out when the trace ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::report::{TraceReport, TracedAccess, TracedCommand, TracedDependency, TracedKind, TracedRun};
use crate::command::Work;
use crate::node::{Payload, nanoseconds};
use crate::{Device, Name, WorkKind};

/// One step in a command's life.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Submitted { id: u64, submission: Arc<Submission> },
    Placed { id: u64, at: u64 },
    Follows { id: u64, earlier: u64, data: bool },
    Began { id: u64, at: u64 },
    Ran { id: u64, worker: usize, start: u64, end: u64, chunks: usize },
    Ended { id: u64, at: u64, error: Option<String> },
}

/// What is known of a command when it is submitted.
#[derive(Debug)]
pub(super) struct Submission {
    name: Name,
    kind: TracedKind,
    device: Option<String>,
    queue_id: usize,
    in_order: bool,
    accesses: Vec<TracedAccess>,
    thread: String,
    at: u64,
}

impl Submission {
    pub(super) fn new(name: &Name, queue_id: usize, payload: &Payload) -> Submission {
        let accesses = payload.accesses.iter().map(|access| TracedAccess {
            parameter: access.parameter.clone(),
            object: access.object.id(),
            mode: access.mode,
            range: access.range.clone(),
        });
        let thread = std::thread::current();
        Submission {
            name: name.clone(),
            kind: match &payload.work {
                Work::Kernel(work) => match work.kind() {
                    WorkKind::Kernel => TracedKind::Kernel,
                    WorkKind::Copy => TracedKind::Copy,
                    WorkKind::Fill => TracedKind::Fill,
                    WorkKind::Prefetch => TracedKind::Prefetch,
                },
                Work::HostTask(_) => TracedKind::HostTask,
                Work::Empty | Work::Pump(_) => TracedKind::Empty,
                Work::Graph(..) | Work::Strands(_) => TracedKind::Graph,
                Work::HostAccess => TracedKind::HostAccess,
            },
            device: payload.device().map(|device| device.info().selector.clone()),
            queue_id,
            in_order: payload.queue.as_ref().is_some_and(|queue| queue.is_in_order()),
            accesses: accesses.collect(),
            thread: thread.name().map_or_else(|| format!("{:?}", thread.id()), str::to_owned),
            at: nanoseconds(),
        }
    }
}

/// The steps that one trace has noted.
pub(super) struct Log {
    /// The devices whose commands are recorded; all if none are named.
    devices: Option<Vec<Device>>,
    capacity: usize,
    steps: Mutex<Vec<Step>>,
    dropped: AtomicUsize,
}

impl Log {
    pub(super) fn new(devices: Option<Vec<Device>>, capacity: usize) -> Log {
        Log { devices, capacity, steps: Mutex::default(), dropped: AtomicUsize::new(0) }
    }

    /// Whether commands of this device are recorded; a host access has none.
    pub(super) fn wants(&self, device: Option<&Device>) -> bool {
        self.devices.as_ref().is_none_or(|devices| device.is_some_and(|device| devices.contains(device)))
    }

    pub(super) fn push(&self, step: Step) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() < self.capacity {
            steps.push(step);
        } else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sorts the steps out by command.
    pub(super) fn fold(&self) -> TraceReport {
        let steps = std::mem::take(&mut *self.steps.lock().unwrap_or_else(PoisonError::into_inner));
        let mut fold = Fold::default();
        steps.into_iter().for_each(|step| fold.step(step));
        fold.finish(self.dropped.load(Ordering::Relaxed))
    }
}

#[derive(Default)]
struct Fold {
    commands: Vec<TracedCommand>,
    /// Which of them have their place in the order: a refused host access never gets one.
    placed: Vec<bool>,
    positions: HashMap<u64, usize>,
    queues: HashMap<usize, u64>,
    dependencies: Vec<TracedDependency>,
}

impl Fold {
    fn step(&mut self, step: Step) {
        match step {
            Step::Submitted { id, submission } => self.submitted(id, &submission),
            Step::Placed { id, at } => {
                if let Some(&position) = self.positions.get(&id) {
                    self.placed[position] = true;
                    self.commands[position].placed = at;
                }
            }
            Step::Follows { id, earlier, data } => {
                let dependency = TracedDependency { command: id, follows: earlier, data };
                if self.positions.contains_key(&id) && self.positions.contains_key(&earlier) {
                    self.dependencies.push(dependency);
                }
            }
            Step::Began { id, at } => self.with(id, |command| command.start = Some(at)),
            Step::Ran { id, worker, start, end, chunks } => {
                self.with(id, |command| command.runs.push(TracedRun { worker, start, end, chunks }));
            }
            Step::Ended { id, at, error } => self.with(id, |command| {
                command.end = Some(at);
                command.error = error;
            }),
        }
    }

    fn with(&mut self, id: u64, f: impl FnOnce(&mut TracedCommand)) {
        if let Some(&position) = self.positions.get(&id) {
            f(&mut self.commands[position]);
        }
    }

    fn submitted(&mut self, id: u64, submission: &Submission) {
        let next = self.queues.len() as u64;
        let queue = (submission.queue_id != 0).then(|| *self.queues.entry(submission.queue_id).or_insert(next));
        self.positions.insert(id, self.commands.len());
        self.placed.push(false);
        self.commands.push(TracedCommand {
            id,
            name: submission.name.clone(),
            kind: submission.kind,
            device: submission.device.clone(),
            queue,
            in_order: submission.in_order,
            accesses: submission.accesses.clone(),
            thread: submission.thread.clone(),
            submitted: submission.at,
            placed: submission.at,
            start: None,
            end: None,
            error: None,
            runs: Vec::new(),
        });
    }

    fn finish(mut self, dropped: usize) -> TraceReport {
        let mut placed = self.placed.into_iter();
        self.commands.retain(|_| placed.next() == Some(true));
        for command in &mut self.commands {
            command.runs.sort_by_key(|run| run.start);
        }
        self.commands.sort_by_key(|command| command.id);
        // Two objects, or two parts of one, may give the same order twice; the stronger one counts.
        self.dependencies.sort_by_key(|dependency| (dependency.command, dependency.follows, !dependency.data));
        self.dependencies.dedup_by_key(|dependency| (dependency.command, dependency.follows));
        TraceReport { commands: self.commands, dependencies: self.dependencies, dropped }
    }
}
