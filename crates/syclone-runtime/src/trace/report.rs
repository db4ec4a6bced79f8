//! What a trace has recorded, as values.

use std::io;
use std::ops::Range;

use super::{chrome, dot};
use crate::{AccessMode, Name};

/// What a finished [`Trace`](super::Trace) has recorded.
///
/// [`to_json`](TraceReport::to_json) is for <https://ui.perfetto.dev> and `chrome://tracing`,
/// [`to_dot`](TraceReport::to_dot) for Graphviz.
#[derive(Debug, Clone, Default)]
pub struct TraceReport {
    pub(super) commands: Vec<TracedCommand>,
    pub(super) dependencies: Vec<TracedDependency>,
    pub(super) dropped: usize,
}

/// One command of a trace. Times are in nanoseconds since one origin per process, as in [`crate::Profiling`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TracedCommand {
    /// Its number: unique in the process, ascending in the order of submission on each thread.
    pub id: u64,
    /// Its name.
    pub name: Name,
    /// What it does.
    pub kind: TracedKind,
    /// The selector of its device; none for a host access.
    pub device: Option<String>,
    /// Its queue, numbered from 0 by first use in the trace; none for a host access. A queue that is made after another
    /// one was dropped may have that one's number.
    pub queue: Option<u64>,
    /// Whether its queue is in order.
    pub in_order: bool,
    /// The memory that it uses.
    pub accesses: Vec<TracedAccess>,
    /// The thread that submitted it.
    pub thread: String,
    /// When its submission began.
    pub submitted: u64,
    /// When it had its place in the order.
    pub placed: u64,
    /// When its work began; none if it did not run, or needed no worker.
    pub start: Option<u64>,
    /// When it ended; none if it was still under way.
    pub end: Option<u64>,
    /// The error that it ended with.
    pub error: Option<String>,
    /// Which workers ran its chunks.
    pub runs: Vec<TracedRun>,
}

/// What a traced command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TracedKind {
    /// It runs a kernel.
    Kernel,
    /// It copies memory.
    Copy,
    /// It fills memory.
    Fill,
    /// It has memory provided that will be used.
    Prefetch,
    /// It calls a closure on the host.
    HostTask,
    /// It only takes its place in the order.
    Empty,
    /// One replay of a graph, whose commands are recorded too.
    Graph,
    /// The host's own turn at memory.
    HostAccess,
}

impl TracedKind {
    /// The kind as files name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            TracedKind::Kernel => "kernel",
            TracedKind::Copy => "copy",
            TracedKind::Fill => "fill",
            TracedKind::Prefetch => "prefetch",
            TracedKind::HostTask => "host task",
            TracedKind::Empty => "empty",
            TracedKind::Graph => "graph",
            TracedKind::HostAccess => "host access",
        }
    }
}

/// A use of memory by a traced command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TracedAccess {
    /// The parameter's name.
    pub parameter: Name,
    /// The memory object's number.
    pub object: u64,
    /// How it is used.
    pub mode: AccessMode,
    /// Which of its bytes.
    pub range: Range<usize>,
}

/// One worker's time with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TracedRun {
    /// The worker's number on its device.
    pub worker: usize,
    /// When it began its first chunk.
    pub start: u64,
    /// When it had ended its last one.
    pub end: u64,
    /// How many chunks it ran.
    pub chunks: usize,
}

/// One command follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TracedDependency {
    /// The later command.
    pub command: u64,
    /// The earlier one.
    pub follows: u64,
    /// Whether it needs the earlier one's results; else the two must only not overlap in time.
    pub data: bool,
}

impl TraceReport {
    /// The commands, in the order of their numbers.
    pub fn commands(&self) -> &[TracedCommand] {
        &self.commands
    }

    /// Which command follows which.
    ///
    /// Both are in [`commands`](TraceReport::commands). What an in-order queue adds is there only for a command that was
    /// submitted before the last one had ended.
    pub fn dependencies(&self) -> &[TracedDependency] {
        &self.dependencies
    }

    /// The command with this number.
    pub fn command(&self, id: u64) -> Option<&TracedCommand> {
        self.commands.binary_search_by_key(&id, |command| command.id).ok().map(|position| &self.commands[position])
    }

    /// Steps that the trace had no room for; times and dependencies are then missing.
    pub fn dropped_steps(&self) -> usize {
        self.dropped
    }

    /// The trace in the Trace Event Format of Chrome, which Perfetto opens: a track for each worker and each submitting
    /// thread, a span for each command from submission to end, and an arrow for each dependency.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        self.write_json(&mut bytes).expect("writing to a vector does not fail");
        String::from_utf8(bytes).expect("only text was written")
    }

    /// Writes [`to_json`](TraceReport::to_json) to a file, say.
    pub fn write_json(&self, mut target: impl io::Write) -> io::Result<()> {
        chrome::write(self, &mut target)
    }

    /// The graph of commands in the DOT language: a cluster for each queue, solid edges where results are needed, dashed
    /// ones where commands must only not overlap.
    pub fn to_dot(&self) -> String {
        dot::text(self)
    }
}
