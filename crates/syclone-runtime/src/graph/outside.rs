//! What a graph as a whole does to memory: the accesses of one command that does what all its commands do.
//!
//! Bytes that are read before a command of the graph has written them come from outside. Where all commands use ranges, the
//! accesses are ranges, and neighbours of one mode are one. Where they use rows, the accesses are the rows, so that graphs
//! on parts side by side are independent. Many different parts count as the range around them, whose other bytes keep
//! their values: as if they were read and written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::plan::Step;
use crate::hazard::overlap;
use crate::{Access, AccessMode, MemoryObject, Region};

/// The most accesses to one object that are kept apart because of their rows: each costs every replay.
const MOST_PARTS: usize = 16;

/// The accesses of a command that does what all steps do, one after another.
pub(super) fn outside(steps: &[Step]) -> Vec<Access> {
    type Uses<'a> = (&'a Arc<MemoryObject>, Vec<(Region, AccessMode)>);
    let mut objects: BTreeMap<u64, Uses<'_>> = BTreeMap::new();
    for access in steps.iter().flat_map(|step| &step.accesses).filter(|access| !access.range.is_empty()) {
        let uses = objects.entry(access.object.id()).or_insert((&access.object, Vec::new()));
        uses.1.push((access.bytes(), access.mode));
    }
    let mut accesses = Vec::new();
    for (object, uses) in objects.into_values() {
        let parts = if uses.iter().all(|(region, _)| region.is_range()) { None } else { parts(&uses) };
        let parts = parts.unwrap_or_else(|| ranges(&uses));
        let access = |(region, mode)| Access::region(object, mode, region, "graph's memory");
        accesses.extend(parts.into_iter().map(access));
    }
    accesses
}

/// The rows that are used and how, each byte once if it is written; none if they are too many.
fn parts(uses: &[(Region, AccessMode)]) -> Option<Vec<(Region, AccessMode)>> {
    let (mut written, mut read): (Vec<Region>, Vec<Region>) = (Vec::new(), Vec::new());
    for &(region, mode) in uses {
        let new = without_all(region, &written);
        if mode.reads() {
            read.extend(&new);
        }
        if mode.writes() {
            written.extend(new);
        }
        if written.len() + read.len() > 4 * MOST_PARTS {
            return None;
        }
    }
    let mut parts = Vec::new();
    for &region in &written {
        let only_written = without_all(region, &read);
        parts.extend(without_all(region, &only_written).into_iter().map(|part| (part, AccessMode::ReadWrite)));
        parts.extend(only_written.into_iter().map(|part| (part, AccessMode::Write)));
    }
    let mut only_read: Vec<Region> = Vec::new();
    for region in read.iter().flat_map(|&region| without_all(region, &written)) {
        only_read.extend(without_all(region, &only_read));
    }
    parts.extend(only_read.into_iter().map(|part| (part, AccessMode::Read)));
    (parts.len() <= MOST_PARTS).then_some(parts)
}

/// The bytes of a region that none of `others` has.
fn without_all(region: Region, others: &[Region]) -> Vec<Region> {
    let mut left = vec![region];
    for other in others {
        let mut next = Vec::new();
        left.iter().for_each(|region| region.without(other, &mut |piece| next.push(piece)));
        left = next;
    }
    left
}

/// The ranges that are used and how; of rows, the range from the first byte to the last.
fn ranges(uses: &[(Region, AccessMode)]) -> Vec<(Region, AccessMode)> {
    let mut cuts: Vec<usize> =
        uses.iter().map(|(region, _)| region.bounds()).flat_map(|range| [range.start, range.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut ranges: Vec<(Range<usize>, AccessMode)> = Vec::new();
    for piece in cuts.windows(2).map(|cut| cut[0]..cut[1]) {
        let (mut reads, mut writes) = (false, false);
        for (region, mode) in uses.iter().filter(|(region, _)| overlap(&region.bounds(), &piece)) {
            // What lies between written rows keeps its value from outside.
            reads |= (mode.reads() || !region.is_range()) && !writes;
            writes |= mode.writes();
        }
        let mode = match (reads, writes) {
            (true, true) => AccessMode::ReadWrite,
            (true, false) => AccessMode::Read,
            (false, true) => AccessMode::Write,
            (false, false) => continue,
        };
        match ranges.last_mut() {
            Some((last, same)) if *same == mode && last.end == piece.start => last.end = piece.end,
            _ => ranges.push((piece, mode)),
        }
    }
    ranges.into_iter().map(|(range, mode)| (Region::range(range), mode)).collect()
}

#[cfg(test)]
mod tests;
