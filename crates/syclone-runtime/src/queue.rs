//! Queues: where commands are submitted, and where their errors are collected.

mod window;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use self::window::Window;
use crate::backends::Admission;
use crate::check::{commands, unwritten};
use crate::command::Work;
use crate::lane::Lane;
use crate::node::{Link, NO_PANIC, Node, Payload, spin_until};
use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};
use crate::{
    Access, Aspect, Command, Device, Error, Event, KernelWork, Name, Result, diagnostics, host, scheduler, trace,
};

/// How long a waiting caller spins before it parks.
const WAIT_SPIN: Duration = Duration::from_micros(10);

/// How a queue behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QueueOptions {
    /// Each command follows the one submitted before it. An order in time only: a failed command does not
    /// stop later ones, except those that need its results.
    pub in_order: bool,
    /// Events give [`crate::Profiling`] times.
    pub profiling: bool,
}

/// A queue of one device. Any number of threads may submit to it at once.
///
/// Dropping it waits for nothing: pending commands go on, and keep alive what they need. An error that was
/// never asked for is then written to stderr.
///
/// ```
/// use syclone_runtime::{Command, Device, Error, Queue, QueueOptions};
///
/// let options = QueueOptions { in_order: true, profiling: true };
/// let queue = Queue::with(&Device::default_device()?, options)?;
/// let event = queue.submit(Command::host_task("greet", || panic!("no voice")))?;
/// assert!(matches!(queue.wait(), Err(Error::HostTaskPanic { .. })));
/// assert_eq!(queue.wait(), Ok(()));
/// assert!(event.profiling().is_some());
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
pub struct Queue(Arc<QueueShared>);

/// A function that a queue calls with the error of each of its commands that fails; see [`Queue::with_handler`].
pub type ErrorHandler = Arc<dyn Fn(&Error) + Send + Sync>;

/// What a command does to the order of its queue besides having a place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Ordinary,
    /// Later commands follow it.
    Barrier,
    /// It follows all earlier ones too.
    BarrierForAll,
}

/// What a queue shares with its unfinished commands.
pub(crate) struct QueueShared {
    id: usize,
    device: Device,
    options: QueueOptions,
    on_error: Option<ErrorHandler>,
    state: Mutex<QueueState>,
    /// Callers of `wait` wait here for the lane.
    changed: Condvar,
    /// Made by the first launch without an event.
    lane: OnceLock<Lane>,
    /// Commands of an in-order queue that are not in its lane and have not ended.
    ordinary: AtomicUsize,
    /// The `Queue` is gone: errors can only be logged.
    orphaned: AtomicBool,
}

#[derive(Default)]
struct QueueState {
    window: Window,
    /// The last command of an in-order queue.
    last: Option<Arc<Node>>,
    /// The last barrier, which every later command follows.
    barrier: Option<Arc<Node>>,
    /// For running traces, which want to know of commands that have ended, too.
    traced: Traced,
    /// The first failure since the last wait, and whose it is.
    failed: Option<(Arc<Node>, Error)>,
}

impl QueueState {
    /// An idle queue needs no last command, and would keep its node alive.
    fn forget_last(&mut self) {
        if self.window.is_empty() {
            self.last = None;
            self.barrier = None;
        }
    }
}

/// The numbers that the queue's commands have in running traces.
#[derive(Default)]
struct Traced {
    last: u64,
    barrier: u64,
    /// Those of all commands since the last barrier that every earlier command held up.
    since: Vec<u64>,
}

impl Traced {
    /// Tells running traces whom a new command of the queue follows in time, though they may have ended already.
    fn follow(&mut self, number: u64, role: Role, in_order: bool) {
        if number == trace::UNTRACED {
            *self = Traced::default();
            return;
        }
        let mut follows = |earlier| trace::follows(number, earlier, Link::Order);
        if role == Role::BarrierForAll {
            self.since.drain(..).for_each(&mut follows);
        }
        follows(self.barrier);
        if in_order {
            follows(self.last);
        }
        self.last = number;
        self.since.push(number);
        if role != Role::Ordinary {
            self.barrier = number;
        }
    }
}

impl Queue {
    /// An out-of-order queue without profiling. The device's workers are started if need be.
    pub fn new(device: &Device) -> Result<Queue> {
        Queue::with(device, QueueOptions::default())
    }

    /// A queue with the given options.
    pub fn with(device: &Device, options: QueueOptions) -> Result<Queue> {
        Queue::with_handler(device, options, None)
    }

    /// [`Queue::with`], with a function that is called once for each command of the queue that fails, whether or not
    /// anybody waits for it.
    ///
    /// It is called when the command ends and before its event says so, on the thread that ended it: a worker of the
    /// device, or one that submits. It may submit commands; waiting inside it is the error
    /// [`Error::WaitInsideCommand`]. What they fail with at once is handled after it has returned; of those that are skipped
    /// for the very failure that is being handled, only their events tell. What it panics with is dropped. A queue with a handler writes nothing to stderr.
    pub fn with_handler(device: &Device, options: QueueOptions, on_error: Option<ErrorHandler>) -> Result<Queue> {
        if options.profiling {
            device.require(Aspect::QueueProfiling)?;
        }
        device.backend().start()?;
        // Not the address, which a later queue may have: leases of memory and checks of the order outlive a queue.
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
        let id = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Queue(Arc::new(QueueShared {
            id,
            device: device.clone(),
            options,
            on_error,
            state: Mutex::default(),
            changed: Condvar::new(),
            lane: OnceLock::new(),
            ordinary: AtomicUsize::new(0),
            orphaned: AtomicBool::new(false),
        })))
    }

    /// Places a command in the order and returns its event; never blocks for other commands.
    ///
    /// An error here means that nothing was submitted. What goes wrong later is in the event, and the first
    /// such error is returned by [`Queue::wait`] too.
    pub fn submit(&self, command: Command) -> Result<Event> {
        self.submit_as(command, Role::Ordinary)
    }

    /// Launches a kernel without making an event: the fast path of an in-order queue.
    ///
    /// It takes its place in the order like any command, and its errors are the queue's. On a back end that has lanes it
    /// allocates nothing and takes no lock, as long as the memory is used by this queue alone, and `work` and the number
    /// of accesses are not too large; otherwise it is [`Queue::submit`] without the event.
    ///
    /// # Safety
    /// As for [`Command::kernel`].
    pub unsafe fn launch<W: KernelWork + 'static>(&self, work: W, accesses: &mut [Option<Access>]) -> Result<()> {
        let mut work = work;
        if self.0.has_lane() && Lane::fits::<W>(accesses) && !conflict(accesses) {
            let lane = self.0.lane.get_or_init(|| Lane::new(&self.0));
            match lane.launch(&self.0, work, accesses) {
                Ok(()) => return Ok(()),
                Err(refused) => work = refused,
            }
        }
        let accesses = accesses.iter_mut().filter_map(Option::take).collect();
        // SAFETY: the caller's promise.
        self.submit(unsafe { Command::kernel(Box::new(work), accesses) }).map(drop)
    }

    /// Submits a command that follows all commands submitted so far, and that every later one follows, an order in time.
    ///
    /// In an in-order queue that is no more than an event.
    pub fn barrier(&self) -> Result<Event> {
        self.submit_as(Command::empty("barrier"), Role::BarrierForAll)
    }

    /// Submits a command that follows `events`, of whatever queues, and that every later command of this queue follows.
    ///
    /// It fails if one of them did; what comes after it runs all the same.
    pub fn barrier_after(&self, events: &[Event]) -> Result<Event> {
        let barrier = events.iter().fold(Command::empty("barrier"), Command::after);
        self.submit_as(barrier, Role::Barrier)
    }

    fn submit_as(&self, mut command: Command, role: Role) -> Result<Event> {
        command.check_accesses()?;
        self.0.device.backend().admit(&mut command, Admission::Submitted)?;
        let Command { name, work, accesses, dependencies, graph } = command;
        if let Some(graph) = graph.as_ref().filter(|graph| graph.device() != &self.0.device) {
            return Err(Error::ForeignGraph {
                command: name,
                device: self.0.device.info().selector.clone(),
                owner: graph.device().info().selector.clone(),
            });
        }
        let chunks = match &work {
            // A launch of nothing still has an end to run.
            Work::Kernel(kernel) => kernel.chunks().max(1),
            _ => 1,
        };
        let payload = Payload { work, accesses, queue: Some(Arc::clone(&self.0)), graph: None };
        let node = Node::new(name, chunks, payload, self.0.options.profiling);
        // SAFETY: the node is not released yet, so nobody else can make it ready or take its payload.
        let accesses = unsafe { &node.payload().accesses };
        // Locked until the node has its place, so that replays of a graph have one order everywhere.
        let mut last = graph.as_ref().map(|graph| graph.last());
        if let Some(previous) = last.as_mut().and_then(|last| last.replace(Arc::clone(&node))) {
            node.follow(&previous, Link::Order);
        }
        let mut state = self.0.lock();
        if role == Role::BarrierForAll {
            state.window.iter().for_each(|earlier| node.follow(earlier, Link::Order));
        }
        state.traced.follow(node.trace, role, self.0.options.in_order);
        let retired = state.window.push(&node);
        if state.barrier.as_ref().is_some_and(|barrier| barrier.is_done()) {
            state.barrier = None;
        }
        let barrier = match role {
            Role::Ordinary => state.barrier.clone(),
            Role::Barrier | Role::BarrierForAll => state.barrier.replace(Arc::clone(&node)),
        };
        if let Some(barrier) = barrier {
            node.follow(&barrier, Link::Order);
        }
        if self.0.options.in_order {
            // Counted before the lane is looked at; see the module `lane`.
            self.0.ordinary.fetch_add(1, Ordering::SeqCst);
            if let Some(marker) = self.0.lane_marker(None) {
                node.follow(&marker, Link::Order);
            }
            if let Some(previous) = state.last.replace(Arc::clone(&node)) {
                node.follow(&previous, Link::Order);
            }
        }
        // Placed under the lock, so that the queue's order and the memory's order agree: a barrier follows this command, and
        // this command must not follow what another thread submits after that barrier.
        scheduler::place(&node, accesses, &dependencies);
        drop(state);
        drop((last, retired));
        let event = Event::new(Arc::clone(&node));
        scheduler::release(node);
        Ok(event)
    }

    /// Waits until every command submitted so far has ended, and returns the first error since the last wait.
    ///
    /// The error is returned once; the queue can be used further.
    pub fn wait(&self) -> Result<()> {
        // What others submit from here on nobody can rely on as waited for.
        let below = commands::next_number();
        let target = self.0.lock().window.next();
        let unfinished = || self.0.lock().window.last_unfinished_below(target);
        let lane = self.0.lane.get().map(|lane| (lane, lane.tickets()));
        let has_passed = || lane.is_none_or(|(lane, target)| lane.has_passed(target));
        let mut last = unfinished();
        if last.is_some() || !has_passed() {
            host::check_queue_wait(self.0.id())?;
        }
        while let Some(node) = last {
            node.wait(false, None);
            last = unfinished();
        }
        spin_until(WAIT_SPIN, None, has_passed);
        if let Some((lane, target)) = lane.filter(|_| !has_passed()) {
            let mut state = self.0.lock();
            while !lane.want(target) {
                state = self.0.changed.wait(state).expect(NO_PANIC);
            }
        }
        let mut state = self.0.lock();
        state.window.sweep();
        state.forget_last();
        if self.0.device.is_checked() {
            commands::seen_queue(self.0.id(), below);
        }
        match state.failed.take() {
            Some((node, error)) => {
                node.mark_reported();
                Err(error)
            }
            None => Ok(()),
        }
    }

    /// The queue's device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Whether commands follow each other in the order of their submission.
    pub fn is_in_order(&self) -> bool {
        self.0.options.in_order
    }

    /// How the queue was made.
    pub fn options(&self) -> QueueOptions {
        self.0.options
    }
}

impl QueueShared {
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.options.in_order
    }

    /// Identifies the queue, also after it is gone; never 0.
    pub(crate) fn id(&self) -> usize {
        self.id
    }

    /// Whether the queue can have a lane now: nobody wants to see each command.
    fn has_lane(&self) -> bool {
        self.options.in_order
            && !self.options.profiling
            && self.device.backend().runs_strands()
            && !self.device.is_checked()
            && !unwritten::any()
            && !trace::is_on()
            && !cfg!(feature = "tracing")
    }

    /// Whether commands that are not in the lane are under way.
    pub(crate) fn has_ordinary(&self) -> bool {
        self.ordinary.load(Ordering::SeqCst) > 0
    }

    /// A node that settles when all launches so far in the lane have ended; none if they have.
    pub(crate) fn lane_marker(&self, object: Option<u64>) -> Option<Arc<Node>> {
        self.lane.get()?.marker(object)
    }

    /// Runs what is in the lane.
    pub(crate) fn drain_lane(self: &Arc<Self>, run: impl FnMut(&dyn KernelWork, &Name) -> Result<()>) {
        if let Some(lane) = self.lane.get() {
            lane.drain(self, run);
        }
    }

    /// Ends the launch in the lane that several workers have run.
    pub(crate) fn end_in_lane(self: &Arc<Self>, result: Result<()>) {
        if let Some(lane) = self.lane.get() {
            lane.end_shared(self, result);
        }
    }

    /// Wakes the callers of `wait`, who say again what they want if this was not it.
    pub(crate) fn wake_waiting(&self) {
        let _state = self.lock();
        if let Some(lane) = self.lane.get() {
            lane.forget_wanted();
        }
        self.changed.notify_all();
    }

    /// Takes note that a command does nothing more; its event does not say so yet.
    pub(crate) fn ending(&self) {
        if self.options.in_order {
            self.ordinary.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Takes note that a command has ended, and whether it failed.
    pub(crate) fn ended(&self, node: &Arc<Node>, failed: bool) {
        if Window::is_due(node.sequence.load(Ordering::Relaxed)) {
            let mut state = self.lock();
            state.window.tidy();
            state.forget_last();
        }
        if failed {
            self.log_if_orphaned();
        }
    }

    /// Writes the first failure to stderr if nobody can ask for it any more.
    pub(crate) fn log_if_orphaned(&self) {
        if self.orphaned.load(Ordering::Acquire) {
            self.log_unreported();
        }
    }

    /// Takes note that a command is going to fail, and calls the error handler, if there is one.
    ///
    /// Before the command's event says so: whoever has seen that can rely on this failure being the first.
    pub(crate) fn failing(&self, node: &Arc<Node>, error: &Error) {
        self.lock().failed.get_or_insert_with(|| (Arc::clone(node), error.clone()));
        if let Some(handler) = &self.on_error {
            host::handle(handler, error);
        }
    }

    /// Writes the first failure to stderr, unless someone has been given it.
    fn log_unreported(&self) {
        let failed = self.lock().failed.take();
        if let Some((node, error)) = failed
            && self.on_error.is_none()
            && !node.is_reported()
        {
            diagnostics::report(format_args!("a command's error was never asked for: {error}"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().expect(NO_PANIC)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.0.orphaned.store(true, Ordering::Release);
        self.0.log_unreported();
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("device", &self.0.device).field("options", &self.0.options).finish()
    }
}

/// Whether two accesses of one launch meet, one of them writing.
fn conflict(accesses: &[Option<Access>]) -> bool {
    let pair = |(position, one): (usize, &Access)| {
        accesses[position + 1..].iter().flatten().any(|other| one.conflicts_with(other))
    };
    accesses.iter().enumerate().filter_map(|(position, access)| Some((position, access.as_ref()?))).any(pair)
}
