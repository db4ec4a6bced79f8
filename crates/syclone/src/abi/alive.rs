//! Which items of a group still run: the mask behind a `return` before a barrier.

use super::group_cx::GroupCx;
use super::per_item::PerItem;

/// How a group goes on at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Every item has come: the next region runs.
    Continue,
    /// Every item has returned: the group is done.
    AllReturned,
    /// Some have returned while others wait: it has been reported, and the group ends.
    Diverged,
}

/// One flag an item: whether it has not returned yet.
#[derive(Clone, Copy, Debug)]
pub struct Alive {
    flags: PerItem<u8>,
}

impl Alive {
    /// All items of the group run.
    #[inline(always)]
    pub fn new<const D: usize>(group: &GroupCx<D>) -> Self {
        let flags = group.per_item::<u8>();
        for i in 0..group.size() {
            flags.set(i, 1);
        }
        Alive { flags }
    }

    /// Item `i` has returned.
    #[inline(always)]
    pub fn kill(&self, i: usize) {
        self.flags.set(i, 0);
    }

    /// Whether item `i` still runs.
    #[inline(always)]
    pub fn is(&self, i: usize) -> bool {
        self.flags.get(i) != 0
    }

    /// The number of items that still run.
    #[inline(always)]
    fn count(&self, size: usize) -> usize {
        let mut alive = 0;
        for i in 0..size {
            alive += self.flags.get(i) as usize;
        }
        alive
    }

    /// The first item that still runs; 0 if none does.
    #[inline(always)]
    pub fn first<const D: usize>(&self, group: &GroupCx<D>) -> usize {
        (0..group.size()).find(|&i| self.is(i)).unwrap_or(0)
    }

    /// Whether every item has returned.
    #[inline(always)]
    pub fn none<const D: usize>(&self, group: &GroupCx<D>) -> bool {
        self.count(group.size()) == 0
    }

    /// What becomes of the group at the barrier or collective in `line`.
    #[inline(always)]
    pub fn at_barrier<const D: usize>(&self, group: &GroupCx<D>, line: u32) -> Flow {
        let size = group.size();
        match self.count(size) {
            alive if alive == size => Flow::Continue,
            0 => Flow::AllReturned,
            alive => {
                group.diverged(line, alive);
                Flow::Diverged
            }
        }
    }
}
