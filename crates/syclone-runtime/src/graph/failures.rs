//! Which steps of a replay must not run, and because of which failure.
//!
//! Every step of a graph may need a failed one, and each looks itself up once: that must not take longer the more there are.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use crate::Error;

/// The failures of a replay; steps are known by their numbers.
pub(super) struct Failures<S = usize> {
    /// The first one.
    first: Option<Arc<Error>>,
    /// Steps that must not run, each with the failure that began it.
    inherited: HashMap<S, Arc<Error>>,
}

impl<S> Default for Failures<S> {
    fn default() -> Self {
        Failures { first: None, inherited: HashMap::new() }
    }
}

impl<S: Eq + Hash> Failures<S> {
    /// Takes note of the failure `first` of a step, or of one that began it, and of the steps that need that step.
    pub(super) fn add(&mut self, first: &Arc<Error>, needing: impl Iterator<Item = S>) {
        self.first.get_or_insert_with(|| Arc::clone(first));
        for step in needing {
            self.inherited.entry(step).or_insert_with(|| Arc::clone(first));
        }
    }

    /// Why a step must not run, if it must not.
    pub(super) fn of(&self, step: &S) -> Option<Arc<Error>> {
        self.inherited.get(step).map(Arc::clone)
    }

    /// The failure that came first, if there was any.
    pub(super) fn take_first(&mut self) -> Option<Arc<Error>> {
        self.first.take()
    }
}

#[cfg(test)]
mod tests;
