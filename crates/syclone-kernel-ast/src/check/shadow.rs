//! Who has touched which bytes last: a cell for each of the smallest numbers in a piece of memory.
//!
//! A cell remembers the last plain write, two atomic operations and two plain reads. Two of each are enough for barriers:
//! of those that are not ordered with each other, the two are kept that lie farthest apart (in different sub-groups or
//! groups if there are such), so that whoever is not ordered after one of the others is not ordered after one of the two.

use super::clock::{Clock, Stamp};
use crate::interp::{AccessKind, Site};
use crate::types::Scope;

/// An access that a cell remembers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub(super) struct Record {
    pub(super) stamp: Stamp,
    /// The instruction, and for an atomic the scope and whether it only reads.
    meta: u32,
}

const SITE_BITS: u32 = 28;
const ONLY_READS: u32 = 1 << 31;

impl Record {
    fn new(stamp: Stamp, site: Site) -> Record {
        Record { stamp, meta: site.0 & ((1 << SITE_BITS) - 1) }
    }

    fn atomic(stamp: Stamp, site: Site, scope: Scope, writes: bool) -> Record {
        let only_reads = if writes { 0 } else { ONLY_READS };
        Record { stamp, meta: Record::new(stamp, site).meta | (scope as u32) << SITE_BITS | only_reads }
    }

    pub(super) fn site(self) -> Site {
        Site(self.meta & ((1 << SITE_BITS) - 1))
    }

    fn scope(self) -> Scope {
        Scope::ALL.get((self.meta >> SITE_BITS & 7) as usize).copied().unwrap_or(Scope::System)
    }

    fn only_reads(self) -> bool {
        self.meta & ONLY_READS != 0
    }
}

/// What the earlier access of a race was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Earlier {
    Read,
    Write,
    Atomic,
    /// An atomic whose scope, or the later one's, does not reach the other item.
    NarrowAtomic(Scope),
}

/// An earlier access that is not ordered with the one that is made now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    pub(super) earlier: Earlier,
    pub(super) record: Record,
}

/// A cell as zeros, which is one that nobody has touched: 16 numbers, so that large arrays of them come from the system as
/// untouched pages.
type Raw = [u32; 16];

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Cell {
    write: Record,
    atomics: [Record; 2],
    reads: [Record; 2],
    unused: u32,
}

/// The memory of one argument, or the group's local memory.
#[derive(Default)]
pub(super) struct Shadow {
    cells: Vec<Raw>,
}

impl Shadow {
    /// A shadow of so many cells; none if that takes more memory than there is.
    pub(super) fn new(cells: usize) -> Option<Shadow> {
        /// The most bytes that one shadow takes.
        const MOST: usize = 2 << 30;
        (cells.checked_mul(size_of::<Raw>())? <= MOST).then(|| Shadow { cells: vec![[0; 16]; cells] })
    }

    /// Makes room for a cell.
    pub(super) fn grow_to(&mut self, cells: usize) {
        if cells > self.cells.len() {
            self.cells.resize(cells.next_power_of_two(), [0; 16]);
        }
    }

    fn cell(&mut self, at: usize) -> Option<&mut Cell> {
        let raw = self.cells.get_mut(at)?;
        const { assert!(size_of::<Raw>() == size_of::<Cell>() && align_of::<Raw>() == align_of::<Cell>()) };
        // SAFETY: both are 16 numbers of 32 bits in a row, any of whose values are valid.
        Some(unsafe { &mut *std::ptr::from_mut(raw).cast::<Cell>() })
    }

    /// Notes an access to a cell, and gives an earlier one that it races with. What was noted before `begin` is void.
    #[inline(always)]
    pub(super) fn access(
        &mut self,
        at: usize,
        kind: AccessKind,
        now: Stamp,
        site: Site,
        clock: &Clock,
        begin: u32,
    ) -> Option<Conflict> {
        let cell = self.cell(at)?;
        let fine = |record: Record| {
            record.stamp.item == 0
                || record.stamp.item == now.item
                || record.stamp.time < begin
                || clock.ordered(record.stamp, now)
        };
        match kind {
            AccessKind::Read => {
                let conflict = if !fine(cell.write) {
                    Some((Earlier::Write, cell.write))
                } else {
                    let wrote = |record: &&Record| !record.only_reads() && !fine(**record);
                    cell.atomics.iter().find(wrote).map(|record| (Earlier::Atomic, *record))
                };
                keep(&mut cell.reads, Record::new(now, site), fine, clock);
                conflict
            }
            AccessKind::Write | AccessKind::WriteSame => {
                let conflict = if !fine(cell.write) {
                    Some((Earlier::Write, cell.write))
                } else if let Some(record) = cell.reads.iter().find(|record| !fine(**record)) {
                    Some((Earlier::Read, *record))
                } else {
                    let atomic = cell.atomics.iter().find(|record| !fine(**record));
                    atomic.map(|record| (Earlier::Atomic, *record))
                };
                *cell = Cell { write: Record::new(now, site), ..Cell::default() };
                conflict
            }
            AccessKind::Atomic { writes, scope, .. } => {
                let narrow = |record: &&Record| {
                    let both_read = record.only_reads() && !writes;
                    if both_read || fine(**record) {
                        return false;
                    }
                    let reach = |scope| clock.within(scope, record.stamp.item, now.item);
                    !reach(record.scope()) || !reach(scope)
                };
                let conflict = if !fine(cell.write) {
                    Some((Earlier::Write, cell.write))
                } else if let Some(record) = cell.reads.iter().find(|record| writes && !fine(**record)) {
                    Some((Earlier::Read, *record))
                } else {
                    let record = cell.atomics.iter().find(narrow);
                    record.map(|record| (Earlier::NarrowAtomic(record.scope().min_of(scope)), *record))
                };
                let record = Record::atomic(now, site, scope, writes);
                // A writing operation of the item itself is not forgotten for a reading one.
                let own = cell.atomics.iter().any(|known| known.stamp.item == now.item && !known.only_reads());
                if writes || !own {
                    keep(&mut cell.atomics, record, fine, clock);
                }
                conflict
            }
        }
        .map(|(earlier, record)| Conflict { earlier, record })
    }
}

impl Scope {
    /// The narrower of two scopes.
    fn min_of(self, other: Scope) -> Scope {
        if (self as u8) < other as u8 { self } else { other }
    }
}

/// Keeps a record in a pair; see the module's page.
#[inline(always)]
fn keep(pair: &mut [Record; 2], new: Record, fine: impl Fn(Record) -> bool, clock: &Clock) {
    // `fine` also holds for the item's own record, which the new one replaces.
    if fine(pair[0]) {
        pair[0] = new;
    } else if fine(pair[1]) {
        pair[1] = new;
    } else {
        keep_farther(pair, new, clock);
    }
}

#[cold]
fn keep_farther(pair: &mut [Record; 2], new: Record, clock: &Clock) {
    let sub_group = |record: Record| clock.sub_group_of(record.stamp.item);
    let writes_more = pair[1].only_reads() && !new.only_reads();
    if writes_more || sub_group(pair[0]) == sub_group(pair[1]) && sub_group(new) != sub_group(pair[0]) {
        pair[1] = new;
    }
}
