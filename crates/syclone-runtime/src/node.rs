//! A submitted command: the record behind an event, and one vertex of the process-wide order.
//!
//! Life of a node:
//! - *Submitted*: `unmet` counts the predecessors that are not done, plus one while the submission itself is
//!   still adding them. Whoever brings it to zero owns the next step (module `scheduler`).
//! - *Running*: a worker has begun, or a host access has been granted.
//! - *Complete* or *Failed*: set once, by [`Node::settle`], which also hands out the successors.
//!
//! The payload (work, memory, device, queue) is there from creation until just before the node settles; a
//! settled node holds only its name and its error, so that whoever keeps it keeps no memory alive; and the payload's empty
//! boxes until its queue takes them out (module `husk`).

pub(crate) mod husk;

mod chunks;

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock, Weak};
use std::task::Waker;
use std::time::{Duration, Instant};

use self::husk::Husk;
use crate::check::commands;
use crate::command::Work;
use crate::graph::{GraphRun, first_cause};
use crate::lane::PumpOf;
use crate::queue::QueueShared;
use crate::sync::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, spin_loop};
use crate::{Access, Device, Error, EventStatus, MemoryObject, Name, Profiling, Region, Result, trace};

use chunks::Chunks;

const SUBMITTED: u8 = 0;
const RUNNING: u8 = 1;
const COMPLETE: u8 = 2;
const FAILED: u8 = 3;

/// How long a waiting caller spins before it parks. Long enough for a small kernel, short enough not to
/// take a core from the workers.
const WAIT_SPIN: Duration = Duration::from_micros(10);

/// Why one node follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// It needs the other's results: it fails if the other fails.
    Data,
    /// It must not overlap the other in time.
    Order,
}

/// What a node holds until it settles.
pub(crate) struct Payload {
    pub(crate) work: Work,
    /// They keep the memory alive while the work may touch it.
    pub(crate) accesses: Vec<Access>,
    /// Where the work runs and who is told; a host access has neither.
    pub(crate) queue: Option<Arc<QueueShared>>,
    /// The replay and the number of a graph's command; the replay is told instead of the queue.
    pub(crate) graph: Option<(Arc<GraphRun>, usize)>,
}

/// Bytes of an object that hold no result.
pub(crate) struct FailedPart {
    /// The object's id.
    pub(crate) object: u64,
    pub(crate) region: Region,
    pub(crate) first: Arc<Error>,
}

impl FailedPart {
    /// Whether an access to the object's region meets the part.
    pub(crate) fn meets(&self, object: &MemoryObject, region: &Region) -> bool {
        object.id() == self.object && region.overlaps(&self.region)
    }
}

/// What a node has that stands for several commands on one object: they may leave some of its bytes without a result.
#[derive(Default)]
struct InParts {
    /// Set before the node settles, if there are any.
    failed: OnceLock<Vec<FailedPart>>,
    /// Who needs which bytes; locked after the node's completion.
    needed: Mutex<Vec<(Arc<Node>, Vec<Region>)>>,
}

impl InParts {
    /// Passes the failure of one of these bytes on to the node that needs them.
    fn pass_on(&self, node: &Node, needed: &[Region]) {
        let mut failed = self.failed.get().into_iter().flatten();
        if let Some(part) = failed.find(|part| needed.iter().any(|region| region.overlaps(&part.region))) {
            // Another predecessor may have been faster; one first failure is enough.
            let _ = node.inherited.set(Arc::clone(&part.first));
        }
    }
}

/// One submitted command; see the module's page.
pub(crate) struct Node {
    pub(crate) name: Name,
    /// Identifies the queue after the payload is gone; 0 for none.
    pub(crate) queue_id: usize,
    /// Its number in running traces.
    pub(crate) trace: u64,
    /// Its number among the commands that are checked.
    pub(crate) check: u64,
    pub(crate) is_pump: bool,
    /// The place among its queue's commands; set before the node is released.
    pub(crate) sequence: AtomicU64,
    /// Chunk bookkeeping for back ends that run chunks.
    pub(crate) chunks: Chunks,
    state: AtomicU8,
    unmet: AtomicUsize,
    payload: UnsafeCell<Option<Payload>>,
    /// The first failure among the data predecessors.
    inherited: OnceLock<Arc<Error>>,
    error: OnceLock<Arc<Error>>,
    in_parts: Option<Box<InParts>>,
    reported: AtomicBool,
    completion: Mutex<Completion>,
    changed: Condvar,
    times: Option<Times>,
}

// SAFETY: everything but `payload` is Sync by itself. The payload is written before the node is shared;
// then shared references are taken only through `payload()`, by threads that keep the node from settling; and it is taken only through `take_payload()`, whose contract says that
// none of those is left. `Payload` is Send.
unsafe impl Sync for Node {}

#[derive(Default)]
struct Completion {
    done: bool,
    successors: Vec<(Arc<Node>, Link)>,
    wakers: Vec<Waker>,
    parked: usize,
    /// What is left of the payload.
    husk: Option<Husk>,
}

struct Times {
    submitted: u64,
    start: AtomicU64,
    end: AtomicU64,
}

impl Node {
    /// A node with one unmet predecessor: the submission itself, ended by [`Node::predecessor_done`].
    pub(crate) fn new(name: Name, chunks: usize, payload: Payload, profiling: bool) -> Arc<Node> {
        // A graph's command is none of the queue's own: its replay is.
        let queue = payload.queue.as_ref().filter(|_| payload.graph.is_none());
        let queue_id = queue.map_or(0, |queue| queue.id());
        let trace = trace::submitted(&name, payload.queue.as_ref().map_or(0, |queue| queue.id()), &payload);
        let check = match (&payload.queue, &payload.graph) {
            // The commands of a replay are ordered as one.
            (_, Some((run, _))) => run.outer().check,
            (Some(of), _) if of.device().is_checked() => commands::submitted(queue_id, of.is_in_order()),
            // The host's own turns are part of the order.
            (None, _) if commands::any() => commands::submitted(0, false),
            _ => commands::UNCHECKED,
        };
        Arc::new(Node {
            name,
            queue_id,
            is_pump: false,
            trace,
            check,
            sequence: AtomicU64::new(0),
            chunks: Chunks::new(chunks),
            state: AtomicU8::new(SUBMITTED),
            unmet: AtomicUsize::new(1),
            payload: UnsafeCell::new(Some(payload)),
            inherited: OnceLock::new(),
            error: OnceLock::new(),
            in_parts: None,
            reported: AtomicBool::new(false),
            completion: Mutex::default(),
            changed: Condvar::new(),
            times: profiling.then(|| Times {
                submitted: nanoseconds(),
                start: AtomicU64::new(0),
                end: AtomicU64::new(0),
            }),
        })
    }

    /// The node that runs a queue's lane: it is enqueued whenever there is something to run, and never settles.
    pub(crate) fn pump(queue: Weak<QueueShared>) -> Arc<Node> {
        let payload = Payload { work: Work::Pump(PumpOf(queue)), accesses: Vec::new(), queue: None, graph: None };
        let mut node = Node::new(Name::Borrowed("lane"), 1, payload, false);
        Arc::get_mut(&mut node).expect("the node is new").is_pump = true;
        node
    }

    /// A node that stands for several commands, which may fail in [parts](Node::fail_parts).
    pub(crate) fn in_parts(name: Name) -> Arc<Node> {
        let payload = Payload { work: Work::Empty, accesses: Vec::new(), queue: None, graph: None };
        let mut node = Node::new(name, 1, payload, false);
        Arc::get_mut(&mut node).expect("the node is new").in_parts = Some(Box::default());
        node
    }

    /// The queue whose lane the node runs, if it runs one and the queue exists.
    pub(crate) fn pumped_queue(&self) -> Option<Arc<QueueShared>> {
        if !self.is_pump {
            return None;
        }
        // SAFETY: a pump's payload is never taken.
        match unsafe { &self.payload().work } {
            Work::Pump(PumpOf(queue)) => queue.upgrade(),
            _ => None,
        }
    }

    /// Makes this node, which is still being submitted, follow `earlier`.
    pub(crate) fn follow(self: &Arc<Self>, earlier: &Arc<Node>, link: Link) {
        if Arc::ptr_eq(self, earlier) {
            return;
        }
        trace::follows(self.trace, earlier.trace, link);
        commands::follows(self.check, earlier.check);
        {
            let mut completion = earlier.lock();
            if !completion.done {
                self.unmet.fetch_add(1, Ordering::Relaxed);
                completion.successors.push((Arc::clone(self), link));
                return;
            }
        }
        if link == Link::Data {
            self.inherit(earlier);
        }
    }

    /// [`Node::follow`] because of memory: the bytes of `region` that `earlier` was the last to use, which are `used`.
    pub(crate) fn follow_on(self: &Arc<Self>, earlier: &Arc<Node>, link: Link, region: &Region, used: &Region) {
        let Some(parts) = earlier.in_parts.as_ref().filter(|_| link == Link::Data) else {
            return self.follow(earlier, link);
        };
        self.follow(earlier, Link::Order);
        let needed = region.intersection(used);
        let completion = earlier.lock();
        if completion.done {
            parts.pass_on(self, &needed);
        } else {
            parts.needed.lock().expect(NO_PANIC).push((Arc::clone(self), needed));
        }
    }

    /// Counts one predecessor as done; true when it was the last, and the caller must take the next step.
    pub(crate) fn predecessor_done(&self) -> bool {
        self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
    }

    fn inherit(&self, earlier: &Node) {
        if let Some(error) = earlier.error.get() {
            // Another predecessor may have been faster; one first failure is enough.
            let _ = self.inherited.set(first_cause(error));
        }
    }

    /// Says, before a node [in parts](Node::in_parts) settles, which bytes hold no result.
    pub(crate) fn fail_parts(&self, parts: Vec<FailedPart>) {
        if let (Some(in_parts), false) = (&self.in_parts, parts.is_empty()) {
            let _ = in_parts.failed.set(parts);
        }
    }

    /// Whether the node has settled and all that it wrote is a result.
    pub(crate) fn has_result(&self) -> bool {
        self.is_complete() && self.in_parts.as_ref().is_none_or(|parts| parts.failed.get().is_none())
    }

    /// The error of a node that has settled.
    pub(crate) fn error(&self) -> Option<&Arc<Error>> {
        self.error.get()
    }

    /// The error of a node that must not run because of a predecessor.
    pub(crate) fn dependency_failure(&self) -> Option<Error> {
        let first = Arc::clone(self.inherited.get()?);
        Some(Error::DependencyFailed { command: self.name.clone(), first })
    }

    /// The payload, for as long as the node can't settle.
    ///
    /// # Safety
    /// The caller is the thread that submits the node (before it releases it) or that made it ready (before it
    /// passes it on), or holds a claimed chunk that it has not counted as finished, or a step of the node's graph that is
    /// not counted as ended, or decides about the node's end.
    pub(crate) unsafe fn payload(&self) -> &Payload {
        // SAFETY: by the contract nobody takes the payload now, and nobody else writes it.
        unsafe { (*self.payload.get()).as_ref() }.expect("a payload is taken only after its last use")
    }

    /// Takes the payload out, to be dropped before the node settles.
    ///
    /// # Safety
    /// The node is ready, the caller alone decides about its completion, and all chunks are finished, which
    /// happened before this call.
    pub(crate) unsafe fn take_payload(&self) -> Option<Payload> {
        // SAFETY: by the contract no reference from `payload` is left and no other call runs.
        unsafe { (*self.payload.get()).take() }
    }

    /// Keeps what is left of the payload, until someone takes it out or the node is gone.
    pub(crate) fn keep_husk(&self, husk: Husk) {
        self.lock().husk = Some(husk);
    }

    /// What is left of the payload of a node that has settled.
    pub(crate) fn take_husk(&self) -> Option<Husk> {
        self.lock().husk.take()
    }

    /// Marks the node as running, and tells who waits for that.
    pub(crate) fn grant(&self) {
        trace::began(self.trace);
        let completion = self.lock();
        self.state.store(RUNNING, Ordering::Release);
        if completion.parked > 0 {
            self.changed.notify_all();
        }
    }

    /// Marks the beginning of the work: the caller has claimed the first chunk.
    pub(crate) fn begin(&self) {
        // SAFETY: the claimed chunk is not counted as finished yet.
        if let Some((run, number)) = unsafe { &self.payload().graph } {
            run.begin(*number);
        }
        trace::began(self.trace);
        if let Some(times) = &self.times {
            times.start.store(nanoseconds(), Ordering::Relaxed);
        }
        self.state.store(RUNNING, Ordering::Release);
    }

    /// Ends the node and adds the successors that this made ready to `ready`. The payload is gone already.
    pub(crate) fn settle(&self, result: Result<()>, ready: &mut Vec<Arc<Node>>) {
        trace::ended(self, &result);
        if let Some(times) = &self.times {
            let end = nanoseconds();
            times.end.store(end, Ordering::Relaxed);
            // What never ran began when it ended.
            let _ = times.start.compare_exchange(0, end, Ordering::Relaxed, Ordering::Relaxed);
        }
        let state = match result {
            Ok(()) => COMPLETE,
            Err(error) => {
                self.error.set(Arc::new(error)).expect("a node settles once");
                FAILED
            }
        };
        let (successors, wakers) = {
            let mut completion = self.lock();
            completion.done = true;
            self.state.store(state, Ordering::Release);
            if completion.parked > 0 {
                self.changed.notify_all();
            }
            if let Some(parts) = &self.in_parts {
                let needed = std::mem::take(&mut *parts.needed.lock().expect(NO_PANIC));
                needed.iter().for_each(|(node, regions)| parts.pass_on(node, regions));
            }
            (std::mem::take(&mut completion.successors), std::mem::take(&mut completion.wakers))
        };
        for waker in wakers {
            // An executor's code; its panics are not this thread's.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
        ready.extend(successors.into_iter().filter_map(|(successor, link)| {
            if link == Link::Data {
                successor.inherit(self);
            }
            successor.predecessor_done().then_some(successor)
        }));
    }

    /// Whether the node has settled.
    pub(crate) fn is_done(&self) -> bool {
        self.state.load(Ordering::Acquire) >= COMPLETE
    }

    /// Whether the node has settled without an error.
    pub(crate) fn is_complete(&self) -> bool {
        self.state.load(Ordering::Acquire) == COMPLETE
    }

    pub(crate) fn status(&self) -> EventStatus {
        match self.state.load(Ordering::Acquire) {
            SUBMITTED => EventStatus::Submitted,
            RUNNING => EventStatus::Running,
            ended => {
                commands::seen(self.check);
                if ended == COMPLETE { EventStatus::Complete } else { EventStatus::Failed }
            }
        }
    }

    /// The result of a settled node; asking for it counts as reporting the error.
    pub(crate) fn result(&self) -> Result<()> {
        commands::seen(self.check);
        match self.error.get() {
            None => Ok(()),
            Some(error) => {
                self.mark_reported();
                Err((**error).clone())
            }
        }
    }

    /// Takes note that someone has been given the node's error.
    pub(crate) fn mark_reported(&self) {
        self.reported.store(true, Ordering::Relaxed);
    }

    /// Whether someone has been given the node's error.
    pub(crate) fn is_reported(&self) -> bool {
        self.reported.load(Ordering::Relaxed)
    }

    pub(crate) fn profiling(&self) -> Option<Profiling> {
        let times = self.times.as_ref()?;
        self.is_done().then(|| Profiling {
            submitted: times.submitted,
            start: times.start.load(Ordering::Relaxed),
            end: times.end.load(Ordering::Relaxed),
        })
    }

    /// Waits until the node has settled, or with `or_running` until it runs; false when `deadline` came first.
    pub(crate) fn wait(&self, or_running: bool, deadline: Option<Instant>) -> bool {
        let enough = if or_running { RUNNING } else { COMPLETE };
        let reached = || self.state.load(Ordering::Acquire) >= enough;
        if spin_until(WAIT_SPIN, deadline, reached) {
            return true;
        }
        let mut completion = self.lock();
        completion.parked += 1;
        while !reached() {
            completion = match deadline {
                None => self.changed.wait(completion).expect(NO_PANIC),
                Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => self.changed.wait_timeout(completion, left).expect(NO_PANIC).0,
                    _ => break,
                },
            };
        }
        completion.parked -= 1;
        reached()
    }

    /// Has `waker` called when the node settles; true when it has settled already.
    pub(crate) fn wake_when_done(&self, waker: &Waker) -> bool {
        let mut completion = self.lock();
        if !completion.done && !completion.wakers.iter().any(|known| known.will_wake(waker)) {
            completion.wakers.push(waker.clone());
        }
        completion.done
    }

    /// Calls `visit` for the successors that are known now.
    pub(crate) fn for_each_successor(&self, visit: impl FnMut(&Arc<Node>)) {
        self.lock().successors.iter().map(|(node, _)| node).for_each(visit);
    }

    fn lock(&self) -> MutexGuard<'_, Completion> {
        self.completion.lock().expect(NO_PANIC)
    }
}

/// Why the runtime's own locks are never poisoned.
pub(crate) const NO_PANIC: &str = "no code that can panic runs under this lock";

/// Spins until `condition` holds, `budget` is used up, or `deadline` is over; whether the condition holds.
pub(crate) fn spin_until(budget: Duration, deadline: Option<Instant>, condition: impl Fn() -> bool) -> bool {
    // A model checker explores the parking itself; it knows no time that could pass.
    if condition() || cfg!(loom) {
        return condition();
    }
    let start = Instant::now();
    let end = deadline.map_or(start + budget, |deadline| deadline.min(start + budget));
    loop {
        for _ in 0..16 {
            spin_loop();
            if condition() {
                return true;
            }
        }
        if Instant::now() >= end {
            return false;
        }
    }
}

/// Nanoseconds since the runtime first asked for the time.
pub(crate) fn nanoseconds() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

// The device is reached through the queue; this keeps the path in one place.
impl Payload {
    /// The device that runs the work.
    pub(crate) fn device(&self) -> Option<&Device> {
        self.queue.as_ref().map(|queue| queue.device())
    }
}
