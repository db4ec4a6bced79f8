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

/// The commands from `first` on; none for those that were taken out.
#[derive(Default)]
pub(super) struct Window {
    first: u64,
    nodes: VecDeque<Option<Arc<Node>>>,
    /// The length at which all of it is looked at again.
    sweep_at: usize,
}

/// What was taken out, to be dropped without the queue's lock.
pub(super) type Retired = [Option<(Arc<Node>, Option<Husk>)>; 2];

impl Window {
    /// Of the last commands a worker may still be holding the nodes, though they have ended.
    const LATEST: usize = 16;
    /// A window is not swept before it is this long, and swept after as many commands at least.
    const SWEEP: usize = 64;

    /// The number of the next command.
    pub(super) fn next(&self) -> u64 {
        self.first + self.nodes.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The commands that may not have ended.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.iter().flatten()
    }

    /// Adds a command, and takes out up to two of the oldest ones, which keeps the window short as long as they end in turn.
    pub(super) fn push(&mut self, node: &Arc<Node>) -> Retired {
        node.sequence.store(self.next(), Ordering::Relaxed);
        self.nodes.push_back(Some(Arc::clone(node)));
        if self.nodes.len() >= self.sweep_at.max(Window::SWEEP) {
            self.sweep();
        }
        let mut retired = Retired::default();
        for place in &mut retired {
            if self.nodes.len() <= Window::LATEST {
                break;
            }
            if let Some(Some(node)) = self.nodes.front()
                && !node.is_done()
            {
                break;
            }
            *place = self.pop().map(|node| {
                let husk = node.take_husk();
                (node, husk)
            });
        }
        retired
    }

    /// Whether the window should be swept now that the command with this number has ended: what has ended must not stay
    /// for as long as nobody submits.
    pub(super) fn is_due(sequence: u64) -> bool {
        (sequence + 1).is_multiple_of(Window::SWEEP as u64)
    }

    /// Takes out all that has ended.
    pub(super) fn sweep(&mut self) {
        let mut left = 0;
        for place in &mut self.nodes {
            match place {
                Some(node) if node.is_done() => {
                    drop(node.take_husk());
                    *place = None;
                }
                Some(_) => left += 1,
                None => {}
            }
        }
        while let Some(None) = self.nodes.front() {
            self.pop();
        }
        self.sweep_at = 2 * (left + Window::SWEEP);
    }

    /// The last command with a smaller number that has not ended.
    pub(super) fn last_unfinished_below(&mut self, target: u64) -> Option<Arc<Node>> {
        self.sweep();
        let count = usize::try_from(target.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.nodes.iter().take(count).rev().flatten().next().cloned()
    }

    fn pop(&mut self) -> Option<Arc<Node>> {
        let node = self.nodes.pop_front()?;
        self.first += 1;
        node
    }
}
