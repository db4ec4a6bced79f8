//! Who used which bytes of an object last: the state from which the order of commands follows.
//!
//! Invariants:
//! - `writes` holds, for every byte, the last writer that is unfinished or that failed. A newer writer
//!   replaces what it covers: whoever follows it follows the older ones through it.
//! - `reads` holds the unfinished readers of each byte since its last writer.
//! - A failed writer stays until its bytes are overwritten, so that what it left is never read as a result.
//!
//! The order of a command graph follows from the same rules, applied to the numbers of its commands; hence [`User`].
//!
//! Registration happens with the hazards of all of a command's objects locked (in order of their ids), so that two
//! commands meet in the same order on every object that they share.

use std::ops::Range;
use std::sync::{Arc, Weak};

use crate::node::{Link, Node};
use crate::queue::QueueShared;
use crate::{AccessMode, Region, trace};

/// Who uses bytes.
pub(crate) trait User: Clone {
    /// Whether nobody needs to follow it as a writer any more.
    fn forgotten_as_writer(&self) -> bool;

    /// Whether nobody needs to follow it as a reader any more.
    fn forgotten_as_reader(&self) -> bool;
}

impl User for Arc<Node> {
    fn forgotten_as_writer(&self) -> bool {
        self.has_result()
    }

    fn forgotten_as_reader(&self) -> bool {
        self.is_done()
    }
}

/// The users of one object's bytes.
pub(crate) struct Hazards<U = Arc<Node>> {
    writes: Uses<U>,
    reads: Uses<U>,
    /// The queue whose lane uses the object, and nobody else.
    pub(crate) lane: Option<Weak<QueueShared>>,
}

impl<U> Default for Hazards<U> {
    fn default() -> Self {
        Hazards { writes: Uses::default(), reads: Uses::default(), lane: None }
    }
}

impl Hazards {
    /// Makes `node` follow everyone it must, and everyone later follow `node`.
    pub(crate) fn register(&mut self, node: &Arc<Node>, mode: AccessMode, region: &Region) {
        self.place(node, mode, region, |earlier, used, link| node.follow_on(earlier, link, region, used));
    }

    /// Forgets all users if nobody needs to follow them any more; whether it has.
    pub(crate) fn forget_all(&mut self) -> bool {
        let free = self.writes.list.iter().all(|(node, _)| node.forgotten_as_writer())
            && self.reads.list.iter().all(|(node, _)| node.forgotten_as_reader());
        if free {
            self.writes.list.clear();
            self.reads.list.clear();
        }
        free
    }

    /// Whom an access like this would have to follow.
    pub(crate) fn conflicts<'a>(&'a self, mode: AccessMode, region: &'a Region) -> impl Iterator<Item = &'a Arc<Node>> {
        let readers = mode.writes().then(|| self.reads.overlapping(region));
        self.writes.overlapping(region).chain(readers.into_iter().flatten()).map(|(user, _)| user)
    }
}

impl<U: User> Hazards<U> {
    /// Calls `follow` with everyone whom `user` must follow and the bytes that they use, and makes everyone later follow
    /// `user`.
    pub(crate) fn place(
        &mut self,
        user: &U,
        mode: AccessMode,
        region: &Region,
        mut follow: impl FnMut(&U, &Region, Link),
    ) {
        if region.is_empty() {
            return;
        }
        let link = if mode.reads() { Link::Data } else { Link::Order };
        self.writes.overlapping(region).for_each(|(earlier, used)| follow(earlier, used, link));
        if mode.writes() {
            self.reads.overlapping(region).for_each(|(earlier, used)| follow(earlier, used, Link::Order));
            self.reads.cut(region);
            self.writes.cut(region);
            self.writes.push(user, region, U::forgotten_as_writer);
        } else {
            self.reads.push(user, region, U::forgotten_as_reader);
        }
    }
}

/// Users with the bytes they use.
struct Uses<U> {
    list: Vec<(U, Region)>,
    /// The length at which finished nodes are looked for next; it doubles with the live ones, so that
    /// pruning costs a constant per registration.
    prune_at: usize,
}

impl<U> Default for Uses<U> {
    fn default() -> Self {
        Uses { list: Vec::new(), prune_at: 0 }
    }
}

impl<U: Clone> Uses<U> {
    fn overlapping<'a>(&'a self, region: &'a Region) -> impl Iterator<Item = &'a (U, Region)> {
        self.list.iter().filter(|(_, used)| used.overlaps(region))
    }

    fn push(&mut self, user: &U, region: &Region, forgettable: fn(&U) -> bool) {
        // A trace wants to know of finished commands too.
        if self.list.len() >= self.prune_at.max(8) && !trace::is_on() {
            self.list.retain(|(user, _)| !forgettable(user));
            self.prune_at = 2 * self.list.len();
        }
        self.list.push((user.clone(), *region));
    }

    /// Takes the bytes of `region` out of every use; a use that reaches beyond them keeps its other bytes.
    fn cut(&mut self, region: &Region) {
        let mut others = Vec::new();
        self.list.retain_mut(|(user, used)| {
            if !used.overlaps(region) {
                return true;
            }
            let mut first = None;
            used.without(region, &mut |piece| match first {
                None => first = Some(piece),
                Some(_) => others.push((user.clone(), piece)),
            });
            first.is_some_and(|piece| {
                *used = piece;
                true
            })
        });
        self.list.append(&mut others);
    }
}

/// Whether two ranges share a byte; an empty one shares none.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
