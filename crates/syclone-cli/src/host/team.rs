//! Threads that stay: native versions, ceilings and references run on as many threads as the device has.
//!
//! A team is what an OpenMP program has: the caller is member 0, the others wait between jobs, spinning for a
//! moment before they sleep, so that a repetition does not pay for waking them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// How long an idle member spins before it sleeps.
const SPIN: Duration = Duration::from_micros(200);

/// A job: called once by each member, with the member's index.
type Job = *const (dyn Fn(usize) + Sync);

/// The threads.
pub struct Team {
    shared: Arc<Shared>,
    handles: Vec<JoinHandle<()>>,
}

struct Shared {
    /// Counts jobs; a member runs when it sees a number that it has not seen.
    round: AtomicUsize,
    /// Members other than the caller that have not finished the current job.
    running: AtomicUsize,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    job: Option<SendJob>,
    panicked: bool,
    stop: bool,
}

#[derive(Clone, Copy)]
struct SendJob(Job);

// SAFETY: the job behind the pointer is `Sync`, and `Team::run` keeps it alive until every member is done with it.
unsafe impl Send for SendJob {}

impl Shared {
    /// A member that panicked is reported by `run`; the state itself is always whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Team {
    /// A team of `members` threads, the caller included.
    pub fn new(members: usize) -> Result<Self, Failure> {
        let shared = Arc::new(Shared {
            round: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            state: Mutex::new(State::default()),
            wake: Condvar::new(),
        });
        let mut team = Team { shared, handles: Vec::new() };
        for index in 1..members.max(1) {
            let shared = Arc::clone(&team.shared);
            let handle = thread::Builder::new()
                .name(format!("native-{index}"))
                .spawn(move || member(&shared, index))
                .map_err(|error| Failure::NotOk(format!("a native thread did not start: {error}")))?;
            team.handles.push(handle);
        }
        Ok(team)
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.handles.len() + 1
    }

    /// Calls `job` with each member's index, in parallel, and returns when all are done.
    pub fn run(&mut self, job: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes. This function does not return, or unwind, before `running` is 0 again,
        // and a member drops its copy of the pointer before it counts itself out.
        let erased: Job = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), Job>(job) };
        {
            let mut state = self.shared.lock();
            state.job = Some(SendJob(erased));
            state.panicked = false;
            self.shared.running.store(self.handles.len(), Ordering::Relaxed);
            self.shared.round.fetch_add(1, Ordering::Release);
        }
        self.shared.wake.notify_all();
        let own = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(0)));
        let began = Instant::now();
        while self.shared.running.load(Ordering::Acquire) != 0 {
            if began.elapsed() < SPIN { std::hint::spin_loop() } else { thread::yield_now() }
        }
        let mut state = self.shared.lock();
        state.job = None;
        let panicked = state.panicked;
        drop(state);
        if let Err(payload) = own {
            std::panic::resume_unwind(payload);
        }
        assert!(!panicked, "a member of a native team panicked");
    }

    /// Splits `data` into pieces of `piece` elements and calls `work` with each piece and its index, in parallel.
    pub fn for_each_piece<T: Send>(&mut self, data: &mut [T], piece: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
        let pieces = Mutex::new(data.chunks_mut(piece.max(1)).enumerate());
        self.run(&|_| {
            loop {
                let next = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((index, piece)) = next else { break };
                work(index, piece);
            }
        });
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.round.fetch_add(1, Ordering::Release);
        self.shared.wake.notify_all();
        for handle in self.handles.drain(..) {
            // A member catches the panics of its jobs, so there is nothing to report here.
            let _ = handle.join();
        }
    }
}

fn member(shared: &Shared, index: usize) {
    let mut seen = 0;
    loop {
        let idle_since = Instant::now();
        while shared.round.load(Ordering::Acquire) == seen && idle_since.elapsed() < SPIN {
            std::hint::spin_loop();
        }
        let mut state = shared.lock();
        while shared.round.load(Ordering::Acquire) == seen {
            state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        seen = shared.round.load(Ordering::Acquire);
        if state.stop {
            return;
        }
        let job = state.job;
        drop(state);
        if let Some(SendJob(job)) = job {
            // SAFETY: `Team::run` waits for this member to count itself out below before it lets go of the job.
            let job = unsafe { &*job };
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(index))).is_err() {
                shared.lock().panicked = true;
            }
        }
        shared.running.fetch_sub(1, Ordering::Release);
    }
}
