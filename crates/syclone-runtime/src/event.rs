//! Events: handles to submitted commands.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::node::Node;
use crate::{Name, Result, host, scheduler};

/// A submitted command, to wait for, to poll, to `.await`, or to make other commands follow.
///
/// Dropping an event does nothing to its command.
///
/// ```
/// use syclone_runtime::{Command, Device, EventStatus, Queue};
///
/// let queue = Queue::new(&Device::default_device()?)?;
/// let first = queue.submit(Command::host_task("first", || Ok(())))?;
/// let second = queue.submit(Command::empty("second").after(&first))?;
/// second.wait()?;
/// assert_eq!(first.status(), EventStatus::Complete);
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Event(Arc<Node>);

/// How far a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventStatus {
    /// It waits for its predecessors or for a worker.
    Submitted,
    /// A worker has begun it.
    Running,
    /// It has ended well.
    Complete,
    /// It has ended with an error, or did not run because of one.
    Failed,
}

/// When a command was submitted, began and ended, in nanoseconds since one origin per process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profiling {
    /// When it was submitted.
    pub submitted: u64,
    /// When a worker began it. For a command that needed no worker, when it ended.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

impl Event {
    pub(crate) fn new(node: Arc<Node>) -> Event {
        Event(node)
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.0
    }

    /// An event that is complete already: what an operation on nothing returns.
    pub fn completed(name: impl Into<Name>) -> Event {
        Event(scheduler::completed(name.into()))
    }

    /// Waits until the command has ended and returns how.
    ///
    /// The error stays: every wait returns it. A wait that could never end is an error at once: for a
    /// command that needs a host access which this thread holds, and inside a kernel or host task.
    pub fn wait(&self) -> Result<()> {
        host::check_wait(&self.0)?;
        self.0.wait(false, None);
        self.0.result()
    }

    /// [`Event::wait`] for at most `timeout`; none when the command has not ended by then.
    pub fn wait_timeout(&self, timeout: Duration) -> Option<Result<()>> {
        let deadline = Instant::now().checked_add(timeout);
        self.0.wait(false, deadline).then(|| self.0.result())
    }

    /// How the command ended, without waiting; none when it has not ended yet.
    pub fn poll(&self) -> Option<Result<()>> {
        self.0.is_done().then(|| self.0.result())
    }

    /// How far the command is, without waiting.
    pub fn status(&self) -> EventStatus {
        self.0.status()
    }

    /// Whether the command has ended, for those who look at it without the program's asking: to the checks of a checked device
    /// the host knows no more than before.
    #[doc(hidden)]
    pub fn has_ended(&self) -> bool {
        self.0.is_done()
    }

    /// [`Event::wait`] for those who leave the command's error to the program: nobody counts as having been given it.
    #[doc(hidden)]
    pub fn wait_for_end(&self) -> Result<()> {
        host::check_wait(&self.0)?;
        self.0.wait(false, None);
        // Now the host knows.
        self.0.status();
        Ok(())
    }

    /// The times of a command that has ended, if its queue was made with profiling.
    pub fn profiling(&self) -> Option<Profiling> {
        self.0.profiling()
    }

    /// The command's name.
    pub fn name(&self) -> &Name {
        &self.0.name
    }
}

impl Future for Event {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.0.is_done() || self.0.wake_when_done(context.waker()) {
            return Poll::Ready(self.0.result());
        }
        Poll::Pending
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event({}, {:?})", self.0.name, self.status())
    }
}
