//! Who used which bytes of an object last: the state from which the order of commands follows.
//!
//! Invariants:
//! - `writes` holds, for every byte, the last writer that is unfinished or that failed. A newer writer
//!   replaces what it covers: whoever follows it follows the older ones through it.
//! - `reads` holds the unfinished readers of each byte since its last writer.
//! - A failed writer stays until its bytes are overwritten, so that what it left is never read as a result.
//!
//! Registration happens with the hazards of all of a command's objects locked (in order of their ids), so that two
//! commands meet in the same order on every object that they share.

use std::ops::Range;
use std::sync::Arc;

use crate::node::{Link, Node};
use crate::{AccessMode, trace};

/// The users of one object's bytes.
#[derive(Default)]
pub(crate) struct Hazards {
    writes: Uses,
    reads: Uses,
}

impl Hazards {
    /// Makes `node` follow everyone it must, and everyone later follow `node`.
    pub(crate) fn register(&mut self, node: &Arc<Node>, mode: AccessMode, range: &Range<usize>) {
        if range.is_empty() {
            return;
        }
        let link = if mode.reads() { Link::Data } else { Link::Order };
        self.writes.overlapping(range).for_each(|earlier| node.follow(earlier, link));
        if mode.writes() {
            self.reads.overlapping(range).for_each(|earlier| node.follow(earlier, Link::Order));
            self.reads.cut(range);
            self.writes.cut(range);
            self.writes.push(node, range, Node::is_complete);
        } else {
            self.reads.push(node, range, Node::is_done);
        }
    }

    /// Whom an access like this would have to follow.
    pub(crate) fn conflicts<'a>(
        &'a self,
        mode: AccessMode,
        range: &'a Range<usize>,
    ) -> impl Iterator<Item = &'a Arc<Node>> {
        let readers = mode.writes().then(|| self.reads.overlapping(range));
        self.writes.overlapping(range).chain(readers.into_iter().flatten())
    }
}

/// Nodes with the bytes they use.
#[derive(Default)]
struct Uses {
    list: Vec<(Arc<Node>, Range<usize>)>,
    /// The length at which finished nodes are looked for next; it doubles with the live ones, so that
    /// pruning costs a constant per registration.
    prune_at: usize,
}

impl Uses {
    fn overlapping<'a>(&'a self, range: &'a Range<usize>) -> impl Iterator<Item = &'a Arc<Node>> {
        self.list.iter().filter(|(_, used)| overlap(used, range)).map(|(node, _)| node)
    }

    fn push(&mut self, node: &Arc<Node>, range: &Range<usize>, forgettable: fn(&Node) -> bool) {
        // A trace wants to know of finished commands too.
        if self.list.len() >= self.prune_at.max(8) && !trace::is_on() {
            self.list.retain(|(node, _)| !forgettable(node));
            self.prune_at = 2 * self.list.len();
        }
        self.list.push((Arc::clone(node), range.clone()));
    }

    /// Takes the bytes of `range` out of every use; a use that reaches beyond them keeps its other bytes.
    fn cut(&mut self, range: &Range<usize>) {
        let mut tails = Vec::new();
        self.list.retain_mut(|(node, used)| {
            if !overlap(used, range) {
                return true;
            }
            let (before, after) = (used.start..range.start, range.end..used.end);
            match (before.is_empty(), after.is_empty()) {
                (true, true) => return false,
                (false, true) => *used = before,
                (true, false) => *used = after,
                (false, false) => {
                    tails.push((Arc::clone(node), after));
                    *used = before;
                }
            }
            true
        });
        self.list.append(&mut tails);
    }
}

/// Whether two ranges share a byte; an empty one shares none.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
