//! When the commands of a graph began and ended in its last replay, for graphs that were made to tell.

use std::sync::Arc;

use super::plan::Plan;
use crate::Name;
use crate::node::{NO_PANIC, nanoseconds};
use crate::sync::{AtomicU64, Mutex, Ordering};

/// When a command of a graph began and ended in a replay, in nanoseconds since the origin of [`crate::Profiling`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTimes {
    /// The command's name.
    pub name: Name,
    /// When a worker began it. For a command that needed no worker, or did not run, when it ended.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

/// The times of the last replay that has ended; shared by an executable graph and its replays.
#[derive(Clone, Default)]
pub(crate) struct LastTimes(Arc<Mutex<Option<Vec<CommandTimes>>>>);

impl LastTimes {
    pub(super) fn get(&self) -> Option<Vec<CommandTimes>> {
        self.0.lock().expect(NO_PANIC).clone()
    }
}

/// The times of a replay that is under way.
pub(super) struct Times {
    /// Of each step its beginning, 0 until then, and its end.
    steps: Box<[(AtomicU64, AtomicU64)]>,
    last: LastTimes,
}

impl Times {
    /// For a replay of the plan, if its times are wanted.
    pub(super) fn of(plan: &Plan) -> Option<Times> {
        let last = plan.times.clone()?;
        Some(Times { steps: plan.steps.iter().map(|_| Default::default()).collect(), last })
    }

    pub(super) fn begin(&self, number: usize) {
        self.steps[number].0.store(nanoseconds(), Ordering::Relaxed);
    }

    pub(super) fn end(&self, number: usize) {
        let (start, end) = &self.steps[number];
        let now = nanoseconds();
        end.store(now, Ordering::Relaxed);
        if start.load(Ordering::Relaxed) == 0 {
            start.store(now, Ordering::Relaxed);
        }
    }

    /// Keeps the times of all steps, which have ended.
    pub(super) fn keep(&self, plan: &Plan) {
        let times = plan.steps.iter().zip(&self.steps).map(|(step, (start, end))| CommandTimes {
            name: step.name.clone(),
            start: start.load(Ordering::Relaxed),
            end: end.load(Ordering::Relaxed),
        });
        *self.last.0.lock().expect(NO_PANIC) = Some(times.collect());
    }
}
