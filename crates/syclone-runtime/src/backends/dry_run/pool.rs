//! Whose turn it is: the commands that are ready, those that have run, and who moves them on.
//!
//! A turn is taken by [`Shared::step`], wherever it is called: by a test, or by the device's threads, which do nothing else.
//! Each turn is chosen by the seed among all commands that could take one. Threads are started when there is more to do than
//! they can take, up to one for each command that may run at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::execute;
use super::fault::{FaultKind, Plan};
use super::random::Random;
use crate::backends::{Admission, Backend, keep_kernels_quiet, run_chunks};
use crate::node::{NO_PANIC, Node};
use crate::{Command, Error, Name, Result, Worker, scheduler};

/// The most commands that run at once, however many compute units the device claims to have.
const MOST_AT_ONCE: usize = 8;

thread_local! {
    /// How many commands this thread is inside of; a host task may step its own device.
    static RUNNING: Cell<usize> = const { Cell::new(0) };
}

/// Whether this thread runs a command of a dry-run device.
pub(crate) fn is_running() -> bool {
    RUNNING.get() > 0
}

/// What a dry-run device shares with its threads, its handles and the work that it has taken.
pub(crate) struct Shared {
    pub(super) selector: String,
    pub(super) run_kernels: bool,
    local_memory_bytes: usize,
    /// How many commands may run at once.
    at_once: usize,
    plan: Mutex<Plan>,
    lost: AtomicBool,
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    /// Commands that may run.
    ready: Vec<Arc<Node>>,
    /// Commands that have run, with what their ends will say.
    ran: Vec<(Arc<Node>, Result<()>)>,
    random: Random,
    /// Workers that no command uses; further ones are made until there are `at_once`.
    workers: Vec<Worker>,
    workers_made: usize,
    /// Only the holders of handles take turns, as long as there are any.
    stepped: bool,
    handles: usize,
    threads: usize,
    sleepers: usize,
    shutdown: bool,
}

/// One turn of a command.
enum Turn {
    Run(Arc<Node>, Worker),
    End(Arc<Node>, Result<()>),
}

/// The settings of a pool; see [`super::DryRunOptions`].
pub(super) struct Settings {
    pub(super) selector: String,
    pub(super) run_kernels: bool,
    pub(super) stepped: bool,
    pub(super) local_memory_bytes: usize,
    pub(super) compute_units: usize,
    pub(super) seed: u64,
}

impl State {
    /// How many threads could take a turn.
    fn demand(&self) -> usize {
        if self.stepped {
            return 0;
        }
        let chunks = |node: &Arc<Node>| node.chunks.total.saturating_sub(node.chunks.next.load(Ordering::Relaxed));
        self.ready.iter().map(chunks).fold(self.ran.len(), usize::saturating_add)
    }
}

impl Shared {
    pub(super) fn new(settings: Settings, plan: Plan) -> Arc<Shared> {
        let state = State {
            ready: Vec::new(),
            ran: Vec::new(),
            random: Random::new(settings.seed, 0),
            workers: Vec::new(),
            workers_made: 0,
            stepped: settings.stepped,
            handles: 0,
            threads: 0,
            sleepers: 0,
            shutdown: false,
        };
        Arc::new(Shared {
            selector: settings.selector,
            run_kernels: settings.run_kernels,
            local_memory_bytes: settings.local_memory_bytes,
            at_once: settings.compute_units.min(MOST_AT_ONCE),
            plan: Mutex::new(plan),
            lost: AtomicBool::new(false),
            state: Mutex::new(state),
            wake: Condvar::new(),
        })
    }

    pub(super) fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().expect(NO_PANIC)
    }

    pub(super) fn lose(&self) {
        self.lost.store(true, Ordering::Release);
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// An error that names `what`, if the device is lost.
    pub(super) fn check_alive(&self, what: &Name) -> Result<()> {
        if self.is_lost() {
            return Err(Error::DeviceLost { what: what.clone(), device: self.selector.clone() });
        }
        Ok(())
    }

    pub(super) fn pending(&self) -> usize {
        let state = self.lock();
        state.ready.len() + state.ran.len()
    }

    pub(super) fn running(&self) -> usize {
        self.lock().ran.len()
    }

    /// Takes one turn; false when there is none to take.
    pub(super) fn step(&self) -> bool {
        let turn = self.choose(&mut self.lock());
        match turn {
            Some(turn) => {
                self.take(turn);
                true
            }
            None => false,
        }
    }

    fn choose(&self, state: &mut State) -> Option<Turn> {
        // No memory for a further worker only means that fewer commands run at once.
        let may_run = !state.ready.is_empty() && self.provide_worker(state).unwrap_or(false);
        let ready = if may_run { state.ready.len() } else { 0 };
        let choices = ready + state.ran.len();
        if choices == 0 {
            return None;
        }
        let choice = state.random.below(choices);
        if choice >= ready {
            let (node, result) = state.ran.swap_remove(choice - ready);
            return Some(Turn::End(node, result));
        }
        let worker = state.workers.pop()?;
        // Threads share a command of several chunks; it stays until somebody finds that all are claimed.
        let is_shared = !state.stepped && state.ready[choice].chunks.total > 1;
        let node = if is_shared { Arc::clone(&state.ready[choice]) } else { state.ready.swap_remove(choice) };
        Some(Turn::Run(node, worker))
    }

    /// Sees to it that there is a worker for another command, if there may be; whether there is.
    fn provide_worker(&self, state: &mut State) -> Result<bool> {
        if state.workers.is_empty() && state.workers_made < self.at_once {
            state.workers.push(Worker::new(state.workers_made, self.local_memory_bytes, self.selector.clone())?);
            state.workers_made += 1;
        }
        Ok(!state.workers.is_empty())
    }

    fn take(&self, turn: Turn) {
        match turn {
            Turn::Run(node, mut worker) => {
                RUNNING.set(RUNNING.get() + 1);
                let result = run_chunks(&node, &mut worker);
                RUNNING.set(RUNNING.get() - 1);
                let mut state = self.lock();
                state.workers.push(worker);
                // Every chunk is claimed now.
                state.ready.retain(|ready| !Arc::ptr_eq(ready, &node));
                if let Some(result) = result {
                    state.ran.push((node, result));
                }
                self.wake_sleepers(&state);
            }
            Turn::End(node, result) => scheduler::complete(&node, result),
        }
    }

    /// Sees to it that somebody will take the turns that there are.
    fn wake_sleepers(&self, state: &State) {
        match state.demand() {
            0 => {}
            1 => self.wake.notify_one(),
            _ => self.wake.notify_all(),
        }
    }

    pub(super) fn add_handle(&self) {
        self.lock().handles += 1;
    }

    /// Without a handle nobody can step the device any more: its threads take over.
    pub(super) fn remove_handle(self: &Arc<Self>) {
        let mut state = self.lock();
        state.handles -= 1;
        if state.handles > 0 || !state.stepped {
            return;
        }
        state.stepped = false;
        let orphans = state.ready.len() + state.ran.len();
        drop(state);
        if orphans > 0 && self.start_thread().is_err() {
            // Without a thread the turns are taken here.
            while self.step() {}
        }
    }

    /// Starts a thread, unless there are enough.
    fn start_thread(self: &Arc<Self>) -> Result<()> {
        let index = {
            let mut state = self.lock();
            if state.stepped || state.threads >= self.at_once {
                return Ok(());
            }
            state.threads += 1;
            state.threads - 1
        };
        keep_kernels_quiet();
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name(format!("syclone-dry-{index}"));
        if let Err(error) = thread.spawn(move || shared.take_turns()) {
            self.lock().threads -= 1;
            let device = self.selector.clone();
            return Err(Error::WorkerStart { device, index, reason: error.to_string() });
        }
        Ok(())
    }

    /// Ends what is ready with an error, if there is nobody who would run it.
    fn give_up(&self, error: Error) {
        let abandoned = {
            let mut state = self.lock();
            // With one thread at least, a further one would only make more run at once.
            if state.threads > 0 { Vec::new() } else { std::mem::take(&mut state.ready) }
        };
        for node in abandoned {
            scheduler::complete(&node, Err(error.clone()));
        }
    }

    /// The life of one of the device's threads.
    fn take_turns(&self) {
        let mut state = self.lock();
        loop {
            if let Some(turn) = self.choose(&mut state) {
                drop(state);
                self.take(turn);
                state = self.lock();
            } else if state.shutdown {
                return;
            } else {
                state.sleepers += 1;
                state = self.wake.wait(state).expect(NO_PANIC);
                state.sleepers -= 1;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NO_PANIC)
    }
}

/// The back end of a dry-run device; dropping it ends the threads.
pub(super) struct Pool(pub(super) Arc<Shared>);

impl Backend for Pool {
    fn start(&self) -> Result<()> {
        self.0.check_alive(&Name::Borrowed("making a queue"))?;
        let idle = {
            let mut state = self.0.lock();
            if state.workers_made == 0 {
                // Later ones only make more run at once.
                self.0.provide_worker(&mut state)?;
            }
            state.threads == 0 && !state.stepped
        };
        if idle { self.0.start_thread() } else { Ok(()) }
    }

    fn admit(&self, command: &mut Command, admission: Admission) -> Result<()> {
        execute::admit(&self.0, command, admission)
    }

    fn has_memory(&self, _bytes: usize) -> Result<bool> {
        self.0.check_alive(&Name::Borrowed("an allocation"))?;
        Ok(!self.0.plan().happens(FaultKind::Allocation))
    }

    fn enqueue(&self, node: Arc<Node>) {
        let mut state = self.0.lock();
        state.ready.push(node);
        self.0.wake_sleepers(&state);
        // A sleeper that was woken may not have counted itself out yet.
        let missing = state.demand().saturating_sub(state.sleepers).min(self.0.at_once - state.threads);
        drop(state);
        if let Err(error) = (0..missing).try_for_each(|_| self.0.start_thread()) {
            self.0.give_up(error);
        }
    }

    fn dry_run(&self) -> Option<&Arc<Shared>> {
        Some(&self.0)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.0.lock().shutdown = true;
        self.0.wake.notify_all();
    }
}
