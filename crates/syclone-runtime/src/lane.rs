//! The lane of an in-order queue: launches that make no event, allocate nothing and take no lock. (Where several workers
//! share one, which is worth it only for long ones, a node is made for them when it is its turn.)
//!
//! A ring of slots, made once for a queue. A launch takes a *ticket*, puts its work into the ticket's slot and publishes
//! it. One worker at a time, the *pump*, runs the published slots in the order of their tickets. It is a node of the back
//! end that never settles: enqueued by whoever publishes while it rests, and resting again when it has waited for a
//! moment in vain.
//!
//! **Memory.** A launch must follow everyone who uses its memory, and be followed by everyone later, without touching the
//! hazards of its objects, which are locked. So objects are *leased* to the lane: [`MemoryObject::lease_to`] gives the
//! lease when nobody else uses the object, and from then on the lane's own order is all the order that it needs. Whoever
//! locks the object's hazards, to use it in any other way, first ends the lease and follows a *marker*: a node that
//! settles when the lane has passed the tickets given so far.
//!
//! A launch and the end of a lease may happen at the same time. The launch first takes its ticket and then looks at the
//! lease; the other side first ends the lease and then looks at the tickets. All four are sequentially consistent, so
//! either the marker comes after the ticket, or the launch sees that the lease is gone, withdraws its ticket (the slot
//! stays empty) and goes the ordinary way. In the same manner ordinary commands of the queue and launches take turns:
//! such a command is first counted as pending, and then follows a marker.
//!
//! **Failures.** What a failed launch writes is tainted, and its lease ends. Launches that have tickets already are checked
//! against the list of taints before they run, and take out of it what they overwrite. What is left of an object's taints
//! when its marker settles are the parts in which the marker failed, for whoever reads them.

use std::any::Any;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::command::{Kernel, Work};
use crate::graph::first_cause;
use crate::node::{FailedPart, NO_PANIC, Node, Payload, spin_until};
use crate::queue::QueueShared;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, Watched};
use crate::{Access, AccessMode, Error, KernelWork, MemoryObject, Name, Region, Result, host, scheduler};

/// Launches that may be pending at once.
const SLOTS: u64 = if cfg!(loom) { 2 } else { 256 };
/// The largest work that a slot holds, in bytes.
const WORK_BYTES: usize = 768;
/// The most accesses of one launch.
pub(crate) const MAX_ACCESSES: usize = 6;
/// How long a launch waits for a free slot before it goes the ordinary way.
const FULL: Duration = Duration::from_micros(200);
/// How long the pump waits for the next launch before it rests.
const LINGER: Duration = Duration::from_micros(20);
/// No number of tickets.
const NOTHING: u64 = u64::MAX;
/// How many launches the pump runs before it looks whether others wait for the worker.
const TURN: u64 = 32;

/// Launching threads write one line, the pump another one, and both look at the rest: a line that both wrote would go
/// to and fro between their cores for every launch.
pub(crate) struct Lane {
    tail: Line<Tail>,
    /// Every ticket below has ended.
    done: Line<AtomicU64>,
    slots: Box<[Slot]>,
    /// The pump is enqueued or runs.
    running: AtomicBool,
    pump: Arc<Node>,
    /// Keeps the queue while the pump does not rest; belongs to whoever set `running`.
    keep: UnsafeCell<Option<Arc<QueueShared>>>,
    /// The smallest `done` that a caller waits for, if one does.
    wanted: AtomicU64,
    /// How many markers there are, and whether there are taints: what is looked at without the lock.
    markers: AtomicUsize,
    tainted: AtomicBool,
    marks: Mutex<Marks>,
}

// SAFETY: a slot's cells belong to the holder of its ticket until it publishes the slot, and then to the pump until it
// advances `done`; `keep` as its comment says; all of these hand over with acquire and release or stronger.
unsafe impl Send for Lane {}
// SAFETY: as above.
unsafe impl Sync for Lane {}

/// What launching threads write.
struct Tail {
    /// The next ticket.
    next: AtomicU64,
    /// Tickets below have a free slot for sure; what was known of `done` when it was last looked at.
    free_below: AtomicU64,
}

/// A value with two cache lines for itself: processors fetch them in pairs.
#[repr(align(128))]
struct Line<T>(T);

#[repr(C)]
struct Slot {
    /// The ticket plus one, once the slot is filled for it.
    published: AtomicU64,
    /// Written by the ticket's holder alone, so that its line is handed over once.
    entry: UnsafeCell<MaybeUninit<Entry>>,
    work: UnsafeCell<Storage>,
    /// Both of them, for a model checker.
    watched: Watched,
}

/// Room for any work that fits.
#[repr(align(64))]
struct Storage {
    _bytes: [MaybeUninit<u8>; WORK_BYTES],
}

/// A launch in its slot, or a ticket that was withdrawn.
#[repr(C)]
struct Entry {
    /// In the slot's storage; none if the ticket was withdrawn.
    work: Option<LaneWork>,
    /// How many touches there are.
    len: usize,
    touches: [MaybeUninit<Touch>; MAX_ACCESSES],
    /// The bytes of those touches that are rows. Apart, so that an ordinary launch fits into one cache line.
    rows: [MaybeUninit<Region>; MAX_ACCESSES],
}

impl Entry {
    fn touches(&self) -> &[Touch] {
        // SAFETY: the first `len` are initialised.
        unsafe { std::slice::from_raw_parts(self.touches.as_ptr().cast(), self.len) }
    }

    /// The touches with the bytes of each.
    fn regions(&self) -> impl Iterator<Item = (&Touch, Region)> {
        self.touches().iter().zip(&self.rows).map(|(touch, rows)| {
            // SAFETY: the rows of a touch that has some are initialised.
            let region = || unsafe { rows.assume_init() };
            (touch, if touch.has_rows { region() } else { Region::range(touch.range.clone()) })
        })
    }
}

/// Work in a slot of the lane, which outlives every use of this.
pub(crate) struct LaneWork(NonNull<dyn KernelWork>);

// SAFETY: a reference to a `KernelWork`, which is Send and Sync.
unsafe impl Send for LaneWork {}
// SAFETY: as above.
unsafe impl Sync for LaneWork {}

impl std::ops::Deref for LaneWork {
    type Target = dyn KernelWork;

    fn deref(&self) -> &(dyn KernelWork + 'static) {
        // SAFETY: the slot keeps the work until the launch has ended, which is after the last use.
        unsafe { self.0.as_ref() }
    }
}

/// Memory of a launch, kept until it has ended.
struct Touch {
    object: Arc<MemoryObject>,
    /// From the first byte to the last.
    range: Range<usize>,
    has_rows: bool,
    mode: AccessMode,
}

#[derive(Default)]
struct Marks {
    markers: Vec<Marker>,
    /// Bytes without a result, of objects whose leases have ended, until their markers settle.
    taints: Vec<FailedPart>,
}

/// A node that settles when all tickets below `target` have ended; for the users of an object that was leased.
struct Marker {
    target: u64,
    node: Arc<Node>,
    object: Option<u64>,
}

impl Lane {
    pub(crate) fn new(queue: &Arc<QueueShared>) -> Lane {
        let slot = |_| Slot {
            published: AtomicU64::new(0),
            entry: UnsafeCell::new(MaybeUninit::uninit()),
            work: UnsafeCell::new(Storage { _bytes: [MaybeUninit::uninit(); WORK_BYTES] }),
            watched: Watched::default(),
        };
        Lane {
            tail: Line(Tail { next: AtomicU64::new(0), free_below: AtomicU64::new(SLOTS) }),
            done: Line(AtomicU64::new(0)),
            slots: (0..SLOTS).map(slot).collect(),
            running: AtomicBool::new(false),
            pump: Node::pump(Arc::downgrade(queue)),
            keep: UnsafeCell::new(None),
            wanted: AtomicU64::new(NOTHING),
            markers: AtomicUsize::new(0),
            tainted: AtomicBool::new(false),
            marks: Mutex::default(),
        }
    }

    fn slot(&self, ticket: u64) -> &Slot {
        &self.slots[(ticket % SLOTS) as usize]
    }

    /// Whether a slot can hold such work with so many accesses.
    pub(crate) fn fits<W>(accesses: &[Option<Access>]) -> bool {
        size_of::<W>() <= WORK_BYTES
            && align_of::<W>() <= align_of::<Storage>()
            && accesses.iter().flatten().count() <= MAX_ACCESSES
    }

    /// Launches work that [fits](Lane::fits), or gives it back if it must go the ordinary way.
    pub(crate) fn launch<W: KernelWork + 'static>(
        &self,
        queue: &Arc<QueueShared>,
        work: W,
        accesses: &mut [Option<Access>],
    ) -> Result<(), W> {
        let leased = accesses.iter().flatten().all(|access| access.object.lease_to(queue));
        if !leased || queue.has_ordinary() {
            return Err(work);
        }
        let Some(ticket) = self.reserve() else {
            return Err(work);
        };
        // From here on whoever ends a lease, or submits an ordinary command, sees the ticket; see the module's page.
        let valid = !queue.has_ordinary() && accesses.iter().flatten().all(|access| access.object.is_leased_to(queue));
        let slot = self.slot(ticket);
        slot.watched.write();
        let entry = slot.entry.get().cast::<Entry>();
        let refused = if valid {
            let place = slot.work.get().cast::<W>();
            // SAFETY: the slot is this ticket's alone until it is published, and nothing in it is left to drop; the work
            // and the accesses fit.
            unsafe {
                place.write(work);
                (&raw mut (*entry).work).write(Some(LaneWork(NonNull::new_unchecked(place as *mut dyn KernelWork))));
                let mut len = 0;
                for access in accesses.iter_mut().filter_map(Option::take) {
                    let has_rows = access.rows.is_some();
                    if has_rows {
                        (&raw mut (*entry).rows[len]).write(MaybeUninit::new(access.bytes()));
                    }
                    let touch = Touch { object: access.object, range: access.range, has_rows, mode: access.mode };
                    (&raw mut (*entry).touches[len]).write(MaybeUninit::new(touch));
                    len += 1;
                }
                (&raw mut (*entry).len).write(len);
            }
            None
        } else {
            // SAFETY: as above.
            unsafe {
                (&raw mut (*entry).work).write(None);
                (&raw mut (*entry).len).write(0);
            }
            Some(work)
        };
        slot.published.swap(ticket + 1, Ordering::SeqCst);
        if !self.running.load(Ordering::SeqCst) && !self.running.swap(true, Ordering::SeqCst) {
            // SAFETY: this call has set `running`.
            unsafe { *self.keep.get() = Some(Arc::clone(queue)) };
            self.enqueue_pump(queue);
        }
        refused.map_or(Ok(()), Err)
    }

    /// A ticket whose slot is free; none if that takes too long.
    fn reserve(&self) -> Option<u64> {
        let Tail { next, free_below } = &self.tail.0;
        let take = || {
            let mut ticket = next.load(Ordering::Relaxed);
            loop {
                if ticket >= free_below.load(Ordering::Acquire) {
                    let free = self.done.0.load(Ordering::Acquire) + SLOTS;
                    free_below.fetch_max(free, Ordering::AcqRel);
                    if ticket >= free {
                        return None;
                    }
                }
                match next.compare_exchange_weak(ticket, ticket + 1, Ordering::SeqCst, Ordering::Relaxed) {
                    Ok(_) => return Some(ticket),
                    Err(now) => ticket = now,
                }
            }
        };
        let taken = take();
        // A worker that waited might be the one that is needed.
        if taken.is_some() || host::is_inside_command() {
            return taken;
        }
        // For some room, so that the line of `done` is not asked for at every launch that follows.
        let room = || next.load(Ordering::Relaxed) < self.done.0.load(Ordering::Acquire) + SLOTS * 3 / 4;
        spin_until(FULL, None, room);
        take()
    }

    pub(crate) fn enqueue_pump(&self, queue: &QueueShared) {
        queue.device().backend().enqueue(Arc::clone(&self.pump));
    }

    /// The tickets given so far.
    pub(crate) fn tickets(&self) -> u64 {
        self.tail.0.next.load(Ordering::SeqCst)
    }

    /// Whether all tickets below `target` have ended.
    pub(crate) fn has_passed(&self, target: u64) -> bool {
        self.done.0.load(Ordering::SeqCst) >= target
    }

    /// Asks for [`QueueShared::wake_waiting`] when all tickets below `target` have ended; whether they have already.
    ///
    /// Called with the lock of those who wait, and again after each wake-up, which forgets what everyone wants.
    pub(crate) fn want(&self, target: u64) -> bool {
        // Said before `done` is looked at, and the pump looks here after it has written `done`.
        self.wanted.fetch_min(target, Ordering::SeqCst);
        self.has_passed(target)
    }

    /// Forgets what callers want, who are woken; called with the lock of those who wait.
    pub(crate) fn forget_wanted(&self) {
        self.wanted.store(NOTHING, Ordering::SeqCst);
    }

    /// A node that settles when the tickets given so far have ended; none if they have. With an object, it fails in those
    /// parts of it that are tainted then.
    pub(crate) fn marker(&self, object: Option<u64>) -> Option<Arc<Node>> {
        let target = self.tickets();
        if self.has_passed(target) {
            return None;
        }
        let node = Node::in_parts(Name::Borrowed("launches without events"));
        let mut marks = self.marks.lock().expect(NO_PANIC);
        marks.markers.push(Marker { target, node: Arc::clone(&node), object });
        self.markers.store(marks.markers.len(), Ordering::SeqCst);
        if self.has_passed(target) {
            // The pump may have looked before there was a marker.
            let own = marks.markers.iter().position(|marker| Arc::ptr_eq(&marker.node, &node))?;
            marks.markers.swap_remove(own);
            self.markers.store(marks.markers.len(), Ordering::SeqCst);
            return None;
        }
        Some(node)
    }

    /// Runs what has been launched until there is no more; the pump's work.
    pub(crate) fn drain(&self, queue: &Arc<QueueShared>, mut run: impl FnMut(&dyn KernelWork, &Name) -> Result<()>) {
        let backend = queue.device().backend();
        for turn in 1.. {
            let ticket = self.done.0.load(Ordering::Relaxed);
            let slot = self.slot(ticket);
            let published = || slot.published.load(Ordering::SeqCst) == ticket + 1;
            if !published() {
                spin_until(LINGER, None, || published() || backend.has_waiting());
                if !published() {
                    if self.rest(published) {
                        return;
                    }
                    // Another pump may have been here meanwhile.
                    continue;
                }
            }
            if turn % TURN == 0 && backend.has_waiting() {
                self.enqueue_pump(queue);
                return;
            }
            slot.watched.read();
            // SAFETY: the slot is published, so it is the pump's until `end` advances `done`.
            let entry = unsafe { (*slot.entry.get()).assume_init_ref() };
            let result = match &entry.work {
                None => Ok(()),
                Some(work) => match self.taint_of(entry) {
                    Some(first) => Err(Error::DependencyFailed { command: work.name(), first }),
                    None if work.chunks() <= 1 => run(&**work, &work.name()),
                    None => {
                        let (name, chunks) = (work.name(), work.chunks());
                        let work = Work::Kernel(Kernel::Lane(LaneWork(work.0)));
                        let queue = Some(Arc::clone(queue));
                        let payload = Payload { work, accesses: Vec::new(), queue, graph: None };
                        // Its end is told to `end_shared`, which enqueues the pump again.
                        backend.enqueue(Node::new(name, chunks, payload, false));
                        return;
                    }
                },
            };
            self.end(queue, ticket, result);
        }
    }

    /// Ends a launch whose chunks several workers have run.
    pub(crate) fn end_shared(&self, queue: &Arc<QueueShared>, result: Result<()>) {
        self.end(queue, self.done.0.load(Ordering::Relaxed), result);
        self.enqueue_pump(queue);
    }

    /// Lets the pump rest, unless something was launched meanwhile.
    fn rest(&self, published: impl Fn() -> bool) -> bool {
        // SAFETY: the pump holds `running`.
        let keep = unsafe { (*self.keep.get()).take() };
        self.running.store(false, Ordering::SeqCst);
        if !published() || self.running.swap(true, Ordering::SeqCst) {
            return true;
        }
        // SAFETY: this call has set `running`.
        unsafe { *self.keep.get() = keep };
        false
    }

    /// Why a launch must not run, if it must not. What it writes is no longer tainted by others.
    fn taint_of(&self, entry: &Entry) -> Option<Arc<Error>> {
        if !self.tainted.load(Ordering::Acquire) {
            return None;
        }
        let mut marks = self.marks.lock().expect(NO_PANIC);
        let read = entry.regions().filter(|(touch, _)| touch.mode.reads());
        let first = read
            .flat_map(|(touch, region)| marks.taints.iter().find(|taint| taint.meets(&touch.object, &region)))
            .map(|taint| Arc::clone(&taint.first))
            .next();
        for (touch, written) in entry.regions().filter(|(touch, _)| touch.mode.writes()) {
            let meets = |taint: &mut FailedPart| taint.meets(&touch.object, &written);
            for FailedPart { object, region, first } in marks.taints.extract_if(.., meets).collect::<Vec<_>>() {
                let mut keep = |region| marks.taints.push(FailedPart { object, region, first: Arc::clone(&first) });
                region.without(&written, &mut keep);
            }
        }
        self.tainted.store(!marks.taints.is_empty(), Ordering::Release);
        first
    }

    /// Ends the launch with this ticket.
    fn end(&self, queue: &Arc<QueueShared>, ticket: u64, result: Result<()>) {
        let slot = self.slot(ticket);
        slot.watched.write();
        // SAFETY: the slot is the pump's, and no worker runs the launch any more.
        let entry = unsafe { (*slot.entry.get()).assume_init_ref() };
        if let Some(work) = &entry.work {
            if let Err(error) = result {
                self.fail(queue, entry, work.name(), error);
            }
            // As when a node settles: whoever has waited may rely on the memory being unused.
            // SAFETY: the work was written when the slot was filled, and is dropped once, here.
            let drop_work = || unsafe { std::ptr::drop_in_place(work.0.as_ptr()) };
            drop_panic(catch_unwind(AssertUnwindSafe(drop_work)));
            for touch in entry.touches() {
                // SAFETY: likewise; nobody looks at the slot's content before it is filled again.
                let object = unsafe { std::ptr::read(&touch.object) };
                drop_panic(catch_unwind(AssertUnwindSafe(|| drop(object))));
            }
        }
        self.done.0.store(ticket + 1, Ordering::SeqCst);
        if self.markers.load(Ordering::SeqCst) > 0 {
            self.settle_markers(ticket + 1);
        }
        // A lock only for the launch that is waited for, and not for each one before it.
        if self.wanted.load(Ordering::SeqCst) <= ticket + 1 {
            queue.wake_waiting();
        }
    }

    /// Says that a launch has failed, to everyone whom that concerns.
    fn fail(&self, queue: &Arc<QueueShared>, entry: &Entry, name: Name, error: Error) {
        let node = scheduler::settled(name, Err(error.clone()));
        let first = first_cause(&Arc::new(error.clone()));
        for (touch, region) in entry.regions().filter(|(touch, _)| touch.mode.writes()) {
            // Its marker has not settled, since this ticket has not ended. Without a lease no later ticket uses the object.
            touch.object.end_lease_to(queue);
            let taint = FailedPart { object: touch.object.id(), region, first: Arc::clone(&first) };
            self.marks.lock().expect(NO_PANIC).taints.push(taint);
            self.tainted.store(true, Ordering::Release);
        }
        queue.failing(&node, &error);
        queue.log_if_orphaned();
    }

    fn settle_markers(&self, done: u64) {
        let mut passed = Vec::new();
        {
            let mut marks = self.marks.lock().expect(NO_PANIC);
            let Marks { markers, taints } = &mut *marks;
            for marker in markers.extract_if(.., |marker| marker.target <= done) {
                // An object has one marker for each lease; no launch that uses it is left.
                let own = taints.extract_if(.., |taint| Some(taint.object) == marker.object);
                marker.node.fail_parts(own.collect());
                passed.push(marker.node);
            }
            self.markers.store(markers.len(), Ordering::SeqCst);
            self.tainted.store(!taints.is_empty(), Ordering::Release);
        }
        passed.iter().for_each(|node| scheduler::complete(node, Ok(())));
    }
}

/// Drops what a panic was raised with, which may panic itself.
fn drop_panic(result: Result<(), Box<dyn Any + Send>>) {
    if let Err(panic) = result {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
    }
}

/// The queue of a pump.
pub(crate) struct PumpOf(pub(crate) Weak<QueueShared>);

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
