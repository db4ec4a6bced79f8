//! Traces: what every command did, when, on which worker, and why it waited.
//!
//! A [`Trace`] records from [`Trace::start`] to [`Trace::finish`], which gives a [`TraceReport`]: values to look at, a
//! file for Perfetto (`chrome`), or the graph of commands as DOT (`dot`).
//!
//! The scheduler calls the functions below at each step of a command's life. Without a running trace a command has the
//! number [`UNTRACED`], and each call is one comparison; only the submission reads the shared counter of running traces.
//! With one, each call appends to the log of every running trace (`record`), and everything else is left to the end.
//!
//! With the feature `tracing`, the same steps are spans and events of the crate of that name (`spans`).

mod chrome;
mod dot;
mod record;
mod report;
#[cfg(feature = "tracing")]
pub(crate) mod spans;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use record::{Log, Step, Submission};
pub use report::{TraceReport, TracedAccess, TracedCommand, TracedDependency, TracedKind, TracedRun};

use crate::node::{Link, Node, Payload, nanoseconds};
use crate::{Device, Name, Result};

/// The number of a command that no trace knows.
pub(crate) const UNTRACED: u64 = 0;

/// How many traces run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// The logs of the running traces.
static LOGS: RwLock<Vec<Arc<Log>>> = RwLock::new(Vec::new());

/// A recording of commands that goes on until it is finished or dropped.
///
/// Any number may run at once. A command belongs to those that ran when it was submitted.
///
/// ```
/// use syclone_runtime::{Command, Device, MemoryObject, Queue, Trace};
///
/// let device = Device::default_device()?;
/// let queue = Queue::new(&device)?;
/// let memory = MemoryObject::allocate(&device, 64)?;
/// let trace = Trace::start_for(&[device]);
/// queue.submit(Command::fill(&memory, 0, 64, &[1])?)?;
/// queue.submit(Command::fill(&memory, 0, 32, &[2])?)?;
/// queue.wait()?;
/// let report = trace.finish();
/// assert_eq!(report.commands().len(), 2);
/// assert_eq!(report.dependencies().len(), 1);
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
#[must_use = "a trace ends when it is dropped"]
pub struct Trace {
    log: Arc<Log>,
}

impl Trace {
    /// How many steps a trace keeps, unless [`Trace::with_capacity`] says otherwise: about a quarter of a gibibyte.
    pub const CAPACITY: usize = 4 << 20;

    /// Begins to record every command of the process, and every host access that has to wait its turn.
    pub fn start() -> Trace {
        Trace::begin(None, Trace::CAPACITY)
    }

    /// Begins to record the commands of `devices` only.
    pub fn start_for(devices: &[Device]) -> Trace {
        Trace::begin(Some(devices.to_vec()), Trace::CAPACITY)
    }

    /// Begins to record every command, at most `steps` steps of their lives: a command with one worker takes about
    /// five, and one for each command that it follows. What comes later is counted ([`TraceReport::dropped_steps`]).
    pub fn with_capacity(steps: usize) -> Trace {
        Trace::begin(None, steps)
    }

    fn begin(devices: Option<Vec<Device>>, capacity: usize) -> Trace {
        let log = Arc::new(Log::new(devices, capacity));
        LOGS.write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&log));
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Trace { log }
    }

    /// Ends the recording. Commands that are still under way are in the report without an end.
    pub fn finish(self) -> TraceReport {
        self.log.fold()
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        LOGS.write().unwrap_or_else(PoisonError::into_inner).retain(|log| !Arc::ptr_eq(log, &self.log));
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").finish_non_exhaustive()
    }
}

/// Whether any trace runs.
#[inline]
pub(crate) fn is_on() -> bool {
    RUNNING.load(Ordering::Relaxed) > 0
}

fn log(step: impl Fn() -> Step) {
    for log in LOGS.read().unwrap_or_else(PoisonError::into_inner).iter() {
        log.push(step());
    }
}

/// A command is being submitted: the number that it gets.
#[inline]
pub(crate) fn submitted(name: &Name, queue_id: usize, payload: &Payload) -> u64 {
    if !is_on() {
        return UNTRACED;
    }
    record_submission(name, queue_id, payload)
}

#[cold]
fn record_submission(name: &Name, queue_id: usize, payload: &Payload) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(UNTRACED + 1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let submission = Arc::new(Submission::new(name, queue_id, payload));
    for log in LOGS.read().unwrap_or_else(PoisonError::into_inner).iter() {
        if log.wants(payload.device()) {
            log.push(Step::Submitted { id, submission: Arc::clone(&submission) });
        }
    }
    id
}

/// The command has its place in the order.
#[inline]
pub(crate) fn placed(id: u64) {
    if id != UNTRACED {
        log(|| Step::Placed { id, at: nanoseconds() });
    }
}

/// The command follows an earlier one.
#[inline]
pub(crate) fn follows(id: u64, earlier: u64, link: Link) {
    if id != UNTRACED && earlier != UNTRACED {
        log(|| Step::Follows { id, earlier, data: link == Link::Data });
    }
}

/// The command's work begins, or its host access is granted.
#[inline]
pub(crate) fn began(id: u64) {
    if id != UNTRACED {
        log(|| Step::Began { id, at: nanoseconds() });
    }
}

/// The command has ended.
#[inline]
pub(crate) fn ended(node: &Node, result: &Result<()>) {
    #[cfg(feature = "tracing")]
    spans::ended(node, result);
    if node.trace != UNTRACED {
        let error = result.as_ref().err().map(ToString::to_string);
        log(|| Step::Ended { id: node.trace, at: nanoseconds(), error: error.clone() });
    }
}

/// A worker's time with one command: from its first chunk to [`Run::end`].
pub(crate) struct Run {
    id: u64,
    start: u64,
    #[cfg(feature = "tracing")]
    _span: spans::Entered,
}

impl Run {
    /// A worker has claimed its first chunk of `node`.
    #[inline]
    pub(crate) fn begin(node: &Node, _worker: usize) -> Run {
        Run {
            id: node.trace,
            start: if node.trace == UNTRACED { 0 } else { nanoseconds() },
            #[cfg(feature = "tracing")]
            _span: spans::enter(node, _worker),
        }
    }

    /// The worker has run its last chunk, but has not counted it as finished: the command is still under way.
    #[inline]
    pub(crate) fn end(self, worker: usize, chunks: usize) {
        if self.id != UNTRACED {
            log(|| Step::Ran { id: self.id, worker, start: self.start, end: nanoseconds(), chunks });
        }
    }
}
