//! The worker pool: who runs, who spins, who sleeps, and who wakes whom.
//!
//! A launch must start within a microsecond or two when work keeps coming, and cost nothing when none does, on
//! machines with as many busy threads as cores. The protocol:
//!
//! - Ready nodes wait in one queue. A node of several chunks stays at the front until all are claimed, so
//!   that any number of workers share it; a node of one chunk is taken out by the worker that runs it.
//! - A *searcher* is a worker that will look at the queue before it sleeps. Whoever pushes wakes a sleeper only if
//!   there is no searcher. A worker announces itself as one before it publishes a command's completion, so that a
//!   caller who answers a completion with the next command finds a searcher and makes no system call.
//! - A searcher that takes work stops being one; if work is left that no searcher will look at, it wakes others.
//! - At most one searcher spins, for a bounded time; the others sleep at once.
//! - Sleepers are woken by tokens: the waker counts the sleeper as a searcher, so nobody wakes a second
//!   one for the same work, and a spurious wake-up does nothing.
//! - A single-chunk node made ready by the completion that a worker is reporting goes straight to that worker: a
//!   chain of commands runs without the queue. After [`MAX_CHAIN`] of them the queue has its turn.
//!
//! No wake-up is lost: `searchers` falls only with the lock held and the queue looked at in the same critical
//! section, or (a chain going on) with a look at `queued` after the fall; both sides use sequentially consistent accesses.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::execute::{Ended, run_node};
use super::{LOCAL_MEMORY_BYTES, Worker, quiet};
use crate::backends::Backend;
use crate::node::{NO_PANIC, Node, spin_until};
use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};
use crate::{Error, Result, scheduler};

/// How long the one spinning worker looks for work before it sleeps. A caller's own work between two
/// launches usually fits; a core is never held for longer.
const SPIN: Duration = Duration::from_micros(60);

/// How many commands of one chain run before the queue is looked at.
const MAX_CHAIN: usize = 32;

/// A device's workers; started by `start`, ended by dropping the pool.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: usize,
    device: String,
    /// How many workers have been started.
    started: Mutex<usize>,
    all_started: AtomicBool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    searchers: AtomicUsize,
    /// The queue's length, for those who look without the lock.
    queued: AtomicUsize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Arc<Node>>,
    sleepers: usize,
    /// Sleepers that may wake up; already counted as searchers.
    tokens: usize,
    spinning: bool,
    shutdown: bool,
}

/// What a thread knows about the pool that it works for.
struct Current {
    pool: Cell<*const Shared>,
    /// Whether `next` may be filled.
    accepts: Cell<bool>,
    next: Cell<Option<Arc<Node>>>,
}

impl Current {
    const fn none() -> Current {
        Current { pool: Cell::new(std::ptr::null()), accepts: Cell::new(false), next: Cell::new(None) }
    }
}

#[cfg(not(loom))]
thread_local! {
    static CURRENT: Current = const { Current::none() };
}

#[cfg(loom)]
loom::thread_local! {
    static CURRENT: Current = Current::none();
}

/// Whether this thread is a worker of some CPU device.
pub(crate) fn is_worker_thread() -> bool {
    CURRENT.with(|current| !current.pool.get().is_null())
}

impl Pool {
    pub(crate) fn new(threads: usize, device: String) -> Pool {
        let shared = Shared {
            state: Mutex::default(),
            wake: Condvar::new(),
            searchers: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
        };
        Pool { shared: Arc::new(shared), threads, device, started: Mutex::new(0), all_started: AtomicBool::new(false) }
    }
}

impl Backend for Pool {
    fn start(&self) -> Result<()> {
        if self.all_started.load(Ordering::Acquire) {
            return Ok(());
        }
        quiet::install();
        let mut started = self.started.lock().expect(NO_PANIC);
        while *started < self.threads {
            let index = *started;
            let worker = Worker::new(index, LOCAL_MEMORY_BYTES, self.device.clone())?;
            let shared = Arc::clone(&self.shared);
            self.shared.searchers.fetch_add(1, Ordering::SeqCst);
            let thread = std::thread::Builder::new().name(format!("syclone-cpu-{index}"));
            if let Err(error) = thread.spawn(move || work(&shared, worker)) {
                self.shared.searchers.fetch_sub(1, Ordering::SeqCst);
                let device = self.device.clone();
                return Err(Error::WorkerStart { device, index, reason: error.to_string() });
            }
            *started += 1;
        }
        self.all_started.store(true, Ordering::Release);
        Ok(())
    }

    fn enqueue(&self, node: Arc<Node>) {
        let node = if node.chunks.total == 1 { self.shared.hand_over(node) } else { Some(node) };
        if let Some(node) = node {
            self.shared.push([node]);
        }
    }

    fn runs_strands(&self) -> bool {
        true
    }

    fn has_waiting(&self) -> bool {
        self.shared.queued.load(Ordering::Relaxed) > 0
    }

    fn enqueue_all(&self, mut nodes: Vec<Arc<Node>>) {
        if let Some(single) = nodes.iter().position(|node| node.chunks.total == 1)
            && let Some(node) = self.shared.hand_over(nodes.remove(single))
        {
            nodes.insert(single, node);
        }
        if !nodes.is_empty() {
            self.shared.push(nodes);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Not joined: the last handle of a device may go on one of its own workers.
        self.shared.lock().shutdown = true;
        self.shared.wake.notify_all();
    }
}

/// A worker's life.
fn work(shared: &Shared, mut worker: Worker) {
    CURRENT.with(|current| current.pool.set(shared));
    // The starter has counted this thread as a searcher.
    while let Some(node) = shared.next() {
        let mut node = Some(node);
        let mut chain = 0;
        while let Some(current) = node {
            chain += 1;
            node = shared.execute(&current, &mut worker, chain < MAX_CHAIN);
        }
    }
}

impl Shared {
    /// Gives a node to this thread itself, if it is a worker that is reporting a completion.
    fn hand_over(&self, node: Arc<Node>) -> Option<Arc<Node>> {
        CURRENT.with(|current| {
            if !std::ptr::eq(current.pool.get(), self) || !current.accepts.replace(false) {
                return Some(node);
            }
            current.next.set(Some(node));
            None
        })
    }

    fn push(&self, nodes: impl IntoIterator<Item = Arc<Node>>) {
        let mut state = self.lock();
        state.queue.extend(nodes);
        self.queued.store(state.queue.len(), Ordering::SeqCst);
        self.wake_for_queue(state);
    }

    /// Runs chunks of a node, ends it if this was the last one, and returns the next node of the chain. Without
    /// one, the worker is a searcher afterwards.
    fn execute(&self, node: &Arc<Node>, worker: &mut Worker, may_chain: bool) -> Option<Arc<Node>> {
        let ended = run_node(node, worker);
        self.searchers.fetch_add(1, Ordering::SeqCst);
        let (replay, result) = match ended? {
            Ended::Node(result) => (None, result),
            Ended::Replay(outer, result) => (Some(outer), result),
        };
        CURRENT.with(|current| current.accepts.set(may_chain));
        scheduler::complete(replay.as_ref().unwrap_or(node), result);
        let next = CURRENT.with(|current| {
            current.accepts.set(false);
            current.next.take()
        });
        if next.is_some() {
            // No searcher after all. A push that relied on it left its work to be found here.
            self.searchers.fetch_sub(1, Ordering::SeqCst);
            if self.queued.load(Ordering::SeqCst) > 0 {
                self.wake_for_queue(self.lock());
            }
        }
        next
    }

    /// The next node to run chunks of; none when the pool ends. The caller is a searcher, and no more so afterwards.
    fn next(&self) -> Option<Arc<Node>> {
        let mut state = self.lock();
        loop {
            if let Some(node) = self.take(&mut state) {
                self.searchers.fetch_sub(1, Ordering::SeqCst);
                self.wake_for_queue(state);
                return Some(node);
            }
            if state.shutdown {
                self.searchers.fetch_sub(1, Ordering::SeqCst);
                return None;
            }
            if !state.spinning {
                state.spinning = true;
                drop(state);
                let found = spin_until(SPIN, None, || self.queued.load(Ordering::Relaxed) > 0);
                state = self.lock();
                state.spinning = false;
                if found || !state.queue.is_empty() || state.shutdown {
                    continue;
                }
            }
            self.searchers.fetch_sub(1, Ordering::SeqCst);
            state.sleepers += 1;
            while state.tokens == 0 && !state.shutdown {
                state = self.wake.wait(state).expect(NO_PANIC);
            }
            if state.tokens > 0 {
                // The waker has made this thread a searcher, and no sleeper.
                state.tokens -= 1;
            } else {
                state.sleepers -= 1;
                self.searchers.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    /// Takes a node of one chunk out of the queue, or shares one that has chunks left.
    fn take(&self, state: &mut State) -> Option<Arc<Node>> {
        let node = loop {
            let front = state.queue.front()?;
            if front.chunks.total == 1 {
                break state.queue.pop_front();
            }
            if front.chunks.next.load(Ordering::Relaxed) < front.chunks.total {
                break Some(Arc::clone(front));
            }
            state.queue.pop_front();
            self.queued.store(state.queue.len(), Ordering::SeqCst);
        };
        self.queued.store(state.queue.len(), Ordering::SeqCst);
        node
    }

    /// Wakes sleepers for queued work that no searcher will find.
    fn wake_for_queue(&self, mut state: MutexGuard<'_, State>) {
        let searchers = self.searchers.load(Ordering::SeqCst);
        let Some(front) = state.queue.front() else {
            return;
        };
        // A searcher that takes one node and leaves others wakes the next worker itself; the chunks of one node
        // are worth waking a worker each.
        let chunks = match front.chunks.total {
            1 => 0,
            _ if front.chunks.are_light => 0,
            total => total.saturating_sub(front.chunks.next.load(Ordering::Relaxed)),
        };
        let wanted = chunks.saturating_sub(searchers).max(usize::from(searchers == 0));
        let count = wanted.min(state.sleepers);
        if count == 0 {
            return;
        }
        state.sleepers -= count;
        state.tokens += count;
        self.searchers.fetch_add(count, Ordering::SeqCst);
        let all = state.sleepers == 0;
        drop(state);
        if all {
            self.wake.notify_all();
        } else {
            (0..count).for_each(|_| self.wake.notify_one());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NO_PANIC)
    }
}

#[cfg(all(test, loom))]
mod models;
