//! Queues: where command groups are submitted.

use std::fmt;
use std::sync::Arc;

use syclone_runtime::{Device, Error, ErrorHandler, Event, Name, Result};

use super::buffer::Buffer;
use super::graph::{Graph, recordable};
use super::handler::Handler;
use super::transfer::sealed::Internal;
use super::transfer::{CopySource, CopyTarget};
use super::usm::{UsmDevice, UsmHost, UsmShared};
use crate::abi::message::{Output, with_output};
use crate::types::DeviceCopy;

/// How a queue behaves.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let device = Device::select("cpu")?;
/// let queue = QueueOptions::new().in_order(true).profiling(true).build(&device)?;
/// let event = queue.submit(|_| Ok(()))?;
/// event.wait()?;
/// assert!(queue.is_in_order() && event.profiling().is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct QueueOptions {
    runtime: syclone_runtime::QueueOptions,
    on_error: Option<ErrorHandler>,
    on_print: Option<Output>,
}

impl QueueOptions {
    /// An out-of-order queue without profiling.
    pub fn new() -> Self {
        QueueOptions::default()
    }

    /// Whether each command follows the one submitted before it.
    pub fn in_order(mut self, in_order: bool) -> Self {
        self.runtime.in_order = in_order;
        self
    }

    /// Whether events know when their commands were submitted, began and ended.
    pub fn profiling(mut self, profiling: bool) -> Self {
        self.runtime.profiling = profiling;
        self
    }

    /// A function that is called once for each command of the queue that fails, whether or not anybody waits for it,
    /// also after the queue is gone.
    ///
    /// It is called when the command ends, before its event says so, on the thread that ended it: a worker of the device,
    /// or one that submits. It may submit commands; waiting for one is an error there. What it panics with is dropped.
    /// Events and [`Queue::wait`] give the error as ever; nothing is written to stderr.
    pub fn on_error(mut self, handler: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(handler));
        self
    }

    /// A function that takes what the queue's kernels print with [`kprintln!`](crate::kprintln!), instead of standard output.
    ///
    /// It gets one or more lines at a time, and all of a command's before the command's event says that it has ended. It is
    /// called on a worker of the device, by one at a time for each command, and must not wait for a command.
    pub fn on_print(mut self, output: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_print = Some(Arc::new(output));
        self
    }

    /// A queue of `device` with these options.
    pub fn build(self, device: &Device) -> Result<Queue> {
        crate::abi::ways::check_environment()?;
        let runtime = syclone_runtime::Queue::with_handler(device, self.runtime, self.on_error)?;
        Ok(Queue { runtime, on_print: self.on_print, recording: None })
    }
}

impl fmt::Debug for QueueOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueOptions")
            .field("in_order", &self.runtime.in_order)
            .field("profiling", &self.runtime.profiling)
            .field("on_error", &self.on_error.is_some())
            .field("on_print", &self.on_print.is_some())
            .finish()
    }
}

/// A queue of one device: takes command groups and runs them in an order that their memory allows.
///
/// Any number of threads may submit to one queue, and any number of queues may share memory. Submitting does not wait.
/// Dropping the queue doesn't either: what was submitted goes on.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let queue = Queue::new(&Device::select("cpu")?)?;
/// let (a, b) = (Buffer::from_vec(vec![1, 2, 3]), Buffer::<i32>::new(3));
/// let event = queue.submit(|h| h.copy(a.read(h), b.write(h)))?;
/// event.wait()?;
/// assert_eq!(b.to_vec()?, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
pub struct Queue {
    runtime: syclone_runtime::Queue,
    on_print: Option<Output>,
    /// What takes the commands instead, while [`Queue::record`] runs.
    recording: Option<Graph>,
}

impl Queue {
    /// An out-of-order queue: commands wait only for those whose memory or events they need.
    pub fn new(device: &Device) -> Result<Self> {
        QueueOptions::new().build(device)
    }

    /// An in-order queue: each command also waits for the one submitted before it.
    pub fn in_order(device: &Device) -> Result<Self> {
        QueueOptions::new().in_order(true).build(device)
    }

    /// The queue's device.
    pub fn device(&self) -> &Device {
        self.runtime.device()
    }

    /// Whether commands run in the order of their submission.
    pub fn is_in_order(&self) -> bool {
        self.runtime.is_in_order()
    }

    /// Submits the one command that `group` launches, and returns its event without waiting.
    ///
    /// An error means that nothing was submitted: `group` returned it, or the command is wrong in itself.
    pub fn submit(&self, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> Result<Event> {
        let handler = Handler::new(self.runtime.device());
        with_output(self.on_print.as_ref(), || group(&handler))?;
        self.submit_group(handler)
    }

    fn submit_group(&self, handler: Handler<'_>) -> Result<Event> {
        if let Some(graph) = &self.recording {
            return graph.0.record(recordable(handler)?);
        }
        let (command, watches) = handler.finish()?;
        let event = self.runtime.submit(command)?;
        for watch in watches {
            watch.add(event.clone());
        }
        Ok(event)
    }

    /// Waits for every command submitted so far, and returns the first error since the last wait.
    pub fn wait(&self) -> Result<()> {
        if self.recording.is_some() {
            return Err(Error::Recorded { command: Name::Borrowed("all commands of a recording queue") });
        }
        self.runtime.wait()
    }

    /// Submits a command that follows all commands submitted so far, and that every later one follows.
    ///
    /// It is an order in time: failures before it do not concern what comes after it.
    pub fn barrier(&self) -> Result<Event> {
        match &self.recording {
            Some(graph) => graph.barrier(),
            None => self.runtime.barrier(),
        }
    }

    /// Submits a command that follows `events`, of whatever queues, and that every later command of this queue follows.
    ///
    /// It fails if one of them did; what comes after it runs all the same.
    pub fn barrier_after(&self, events: &[Event]) -> Result<Event> {
        match &self.recording {
            Some(graph) => graph.barrier_after(events),
            None => self.runtime.barrier_after(events),
        }
    }

    /// The runtime's queue, unless this one records.
    pub(crate) fn running(&self) -> Option<&syclone_runtime::Queue> {
        self.recording.is_none().then_some(&self.runtime)
    }

    /// Runs `prepare`, whose launches print where this queue's kernels do.
    pub(crate) fn printing<R>(&self, prepare: impl FnOnce() -> R) -> R {
        with_output(self.on_print.as_ref(), prepare)
    }

    /// A queue like this one whose commands `graph` takes.
    pub(crate) fn recorder(&self, graph: Graph) -> Result<Self> {
        let runtime = syclone_runtime::Queue::with(self.device(), self.runtime.options())?;
        Ok(Queue { runtime, on_print: self.on_print.clone(), recording: Some(graph) })
    }

    pub(crate) fn into_recording(self) -> Option<Graph> {
        self.recording
    }

    /// [`Handler::copy`] as a command group of its own.
    pub fn copy<T: DeviceCopy>(&self, source: impl CopySource<T>, target: impl CopyTarget<T>) -> Result<Event> {
        self.submit(|h| h.copy(source, target))
    }

    /// [`Handler::copy_from_slice`] as a command group of its own.
    pub fn copy_from_slice<T: DeviceCopy>(&self, source: &[T], target: impl CopyTarget<T>) -> Result<Event> {
        self.submit(|h| h.copy_from_slice(source, target))
    }

    /// [`Handler::copy_from_vec`] as a command group of its own.
    pub fn copy_from_vec<T: DeviceCopy>(&self, source: Vec<T>, target: impl CopyTarget<T>) -> Result<Event> {
        self.submit(|h| h.copy_from_vec(source, target))
    }

    /// [`Handler::fill`] as a command group of its own.
    pub fn fill<T: DeviceCopy>(&self, target: impl CopyTarget<T>, value: T) -> Result<Event> {
        self.submit(|h| h.fill(target, value))
    }

    /// Begins to copy the elements of `source` to the host.
    pub fn download<T: DeviceCopy>(&self, source: impl CopySource<T>) -> Result<Download<T>> {
        let handler = Handler::new(self.runtime.device());
        let from = source.source(&handler, Internal(()))?;
        let target = Buffer::from_vec(self.zeroed_vec(from.len)?);
        handler.copy_operand::<T>(&from, &target)?;
        Ok(Download { event: self.submit_group(handler)?, target })
    }

    /// A vector whose elements a command will write.
    fn zeroed_vec<T: DeviceCopy>(&self, len: usize) -> Result<Vec<T>> {
        let mut vec = Vec::new();
        if vec.try_reserve_exact(len).is_err() {
            let info = self.device().info();
            return Err(Error::OutOfMemory {
                device: info.selector.clone(),
                asked: len * size_of::<T>(),
                in_use: self.device().memory_stats().in_use,
                limit: info.global_memory_bytes,
            });
        }
        vec.resize(len, T::zeroed());
        Ok(vec)
    }

    /// Copies the elements of `source` to a vector, and waits for that.
    pub fn to_vec<T: DeviceCopy>(&self, source: impl CopySource<T>) -> Result<Vec<T>> {
        self.download(source)?.wait()
    }

    /// Tells the device that commands will soon use `memory`; the event is complete when it is at hand there.
    pub fn prefetch<T: DeviceCopy>(&self, memory: impl CopySource<T>) -> Result<Event> {
        self.submit(|h| h.prefetch(memory))
    }

    /// Tells the runtime how `memory` will be used. It changes no results; a device without use for it ignores it.
    pub fn advise<T: DeviceCopy>(&self, memory: impl CopySource<T>, advice: Advice) -> Result<Event> {
        self.submit(|h| h.advise(memory, advice))
    }

    /// Memory of the queue's device: `len` elements, whose values are unspecified until they are written;
    /// [`UsmDevice::new`] makes more dimensions.
    pub fn alloc_device<T: DeviceCopy>(&self, len: usize) -> Result<UsmDevice<T>> {
        UsmDevice::new(self.device(), len)
    }

    /// Zeroed host memory that the queue's device reaches: `len` elements; [`UsmHost::new`] makes more dimensions.
    pub fn alloc_host<T: DeviceCopy>(&self, len: usize) -> Result<UsmHost<T>> {
        UsmHost::new(self.device(), len)
    }

    /// Zeroed memory that the queue's device and the host share: `len` elements; [`UsmShared::new`] makes more dimensions.
    pub fn alloc_shared<T: DeviceCopy>(&self, len: usize) -> Result<UsmShared<T>> {
        UsmShared::new(self.device(), len)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runtime.fmt(f)
    }
}

/// How memory will be used, for [`Queue::advise`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Advice {
    /// Mostly read, seldom written.
    MostlyRead,
    /// Mostly used by the queue's device.
    PreferDevice,
    /// Mostly used by the host.
    PreferHost,
}

/// A copy to the host that is under way; its data belongs to it, so it may be dropped or leaked at any time.
#[derive(Debug)]
pub struct Download<T: DeviceCopy> {
    event: Event,
    target: Buffer<T>,
}

impl<T: DeviceCopy> Download<T> {
    /// The copy's event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Waits for the copy and gives the elements.
    pub fn wait(self) -> Result<Vec<T>> {
        self.event.wait()?;
        self.target.into_vec()
    }
}
