//! A queue's commands that may not have ended, in the order of their submission.
//!
//! The worker that ends a command does not take it out: it would meet the submitting threads at the queue's lock for every
//! command. Whoever submits or waits takes out what has ended. So a node, and what is left of its payload (module
//! `node::husk`), is also given back by the thread that allocated it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::node::Node;
use crate::node::husk::Husk;
use crate::sync::Ordering;

/// The commands, each with its number.
#[derive(Default)]
pub(super) struct Window {
    next: u64,
    nodes: VecDeque<(u64, Arc<Node>)>,
    /// The length at which all of it is looked at again.
    sweep_at: usize,
    /// How many commands have ended since all of it was looked at, as far as [`Window::tidy`] knows.
    ended: usize,
}

/// What was taken out, to be dropped without the queue's lock.
pub(super) type Retired = [Option<(Arc<Node>, Option<Husk>)>; 2];

impl Window {
    /// Of the last commands a worker may still be holding the nodes, though they have ended.
    const LATEST: usize = 16;
    /// After so many commands it is worth looking for those that have ended.
    const SWEEP: usize = 64;

    /// The number of the next command.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The commands that may not have ended.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.iter().map(|(_, node)| node)
    }

    /// Adds a command, and takes out up to two of the oldest ones, which keeps the window short as long as they end in turn.
    pub(super) fn push(&mut self, node: &Arc<Node>) -> Retired {
        node.sequence.store(self.next, Ordering::Relaxed);
        self.nodes.push_back((self.next, Arc::clone(node)));
        self.next += 1;
        // So seldom that a command costs no more where the oldest one takes long.
        if self.nodes.len() >= self.sweep_at.max(Window::SWEEP) {
            self.sweep();
        }
        let mut retired = Retired::default();
        for place in &mut retired {
            if self.nodes.len() <= Window::LATEST {
                break;
            }
            *place = self.pop_ended();
        }
        retired
    }

    /// Whether the window should be tidied now that the command with this number has ended: what has ended must not stay
    /// for as long as nobody submits.
    pub(super) fn is_due(sequence: u64) -> bool {
        (sequence + 1).is_multiple_of(Window::SWEEP as u64)
    }

    /// Takes out what has ended, if that is likely to be a good part of what must be looked at.
    pub(super) fn tidy(&mut self) {
        while self.pop_ended().is_some() {}
        self.ended += Window::SWEEP;
        if 2 * self.ended >= self.nodes.len() {
            self.sweep();
        }
    }

    /// Takes out all that has ended.
    pub(super) fn sweep(&mut self) {
        self.nodes.retain(|(_, node)| {
            let has_ended = node.is_done();
            if has_ended {
                drop(node.take_husk());
            }
            !has_ended
        });
        self.sweep_at = 2 * self.nodes.len() + Window::SWEEP;
        self.ended = 0;
    }

    /// The last command with a smaller number that has not ended.
    pub(super) fn last_unfinished_below(&self, target: u64) -> Option<Arc<Node>> {
        let mut earlier = self.nodes.iter().rev().skip_while(|(number, _)| *number >= target);
        earlier.find(|(_, node)| !node.is_done()).map(|(_, node)| Arc::clone(node))
    }

    /// Takes out the oldest command, if it has ended.
    fn pop_ended(&mut self) -> Option<(Arc<Node>, Option<Husk>)> {
        let (_, node) = self.nodes.pop_front_if(|(_, node)| node.is_done())?;
        let husk = node.take_husk();
        Some((node, husk))
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
