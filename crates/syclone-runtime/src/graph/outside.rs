//! What a graph as a whole does to memory: the accesses of one command that does what all its commands do.
//!
//! Bytes that are read before a command of the graph has written them come from outside. Where all commands use ranges, the
//! accesses are ranges, and neighbours of one mode are one. Where they use rows, the accesses are the rows, so that graphs
//! on parts side by side are independent; parts that together are one region are one.
//!
//! All that is exact: a graph follows whom its commands would follow, and fails for whose failure they would. Only rows that
//! cut each other into many more pieces than there are accesses (rows of pitches without a common divisor do) count as the
//! ranges around them, whose other bytes keep their values: as if they were read and written. The graph then follows more
//! than it needs to, and needs more, but never less.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::plan::Step;
use crate::hazard::overlap;
use crate::{Access, AccessMode, MemoryObject, Region};

/// The most parts that so many accesses are kept apart as. Each costs every replay as much as an access costs a command that
/// is submitted, so that there are not many more of them.
fn most_parts(accesses: usize) -> usize {
    64 + 4 * accesses
}

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

/// The rows that are used and how, each byte once; none if they are too many.
fn parts(uses: &[(Region, AccessMode)]) -> Option<Vec<(Region, AccessMode)>> {
    let (mut written, mut read): (Vec<Region>, Vec<Region>) = (Vec::new(), Vec::new());
    for &(region, mode) in uses {
        let new = without_all(region, &written);
        if mode.reads() {
            let unread: Vec<Region> = new.iter().flat_map(|&region| without_all(region, &read)).collect();
            read.extend(unread);
        }
        if mode.writes() {
            written.extend(new);
        }
        if written.len() + read.len() > most_parts(uses.len()) {
            return None;
        }
    }
    let (written, read) = (joined(written), joined(read));
    let (mut both, mut only_written) = (Vec::new(), Vec::new());
    for &region in &written {
        let unread = without_all(region, &read);
        both.extend(without_all(region, &unread));
        only_written.extend(unread);
    }
    let only_read = read.iter().flat_map(|&region| without_all(region, &written)).collect();
    let with = |mode| move |region| (region, mode);
    let mut parts: Vec<_> = joined(both).into_iter().map(with(AccessMode::ReadWrite)).collect();
    parts.extend(joined(only_written).into_iter().map(with(AccessMode::Write)));
    parts.extend(joined(only_read).into_iter().map(with(AccessMode::Read)));
    (parts.len() <= most_parts(uses.len())).then_some(parts)
}

/// The bytes of regions that share none, in fewer regions where one continues another.
fn joined(regions: Vec<Region>) -> Vec<Region> {
    let mut by_start: BTreeMap<usize, Region> =
        regions.into_iter().map(|region| (region.bounds().start, region)).collect();
    loop {
        let before = by_start.len();
        let mut next = by_start.first_key_value().map(|(&start, _)| start);
        while let Some(start) = next {
            while let Some((other, both)) = continuation(&by_start, &by_start[&start]) {
                by_start.remove(&other);
                by_start.insert(start, both);
            }
            next = by_start.range(start + 1..).next().map(|(&start, _)| start);
        }
        if by_start.len() == before {
            return by_start.into_values().collect();
        }
    }
}

/// Where a region begins that continues this one, and both as one.
fn continuation(by_start: &BTreeMap<usize, Region>, region: &Region) -> Option<(usize, Region)> {
    let start = region.bounds().start;
    // Rows below a single one may lie at any distance.
    let following = by_start.range(start + 1..).next().map(|(&start, _)| start);
    let places = [Some(start + region.row_bytes()), region.row_below(), following];
    places.into_iter().flatten().find_map(|at| Some((at, region.continued_by(by_start.get(&at)?)?)))
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
