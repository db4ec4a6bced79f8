//! Which bytes nobody has written, of memory that a checked device has seen.
//!
//! Everything counts as written but what is marked here: fresh device memory, and what a command has declared to overwrite
//! without needing the old contents, until it is written. Marks are ranges of addresses, each with the object that they lie
//! in, and are void when that is gone. As long as there are none, looking is one load.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::{Access, MemoryObject, Region};

/// Whether there ever was a mark.
static ANY: AtomicBool = AtomicBool::new(false);
static MARKS: Mutex<BTreeMap<usize, Mark>> = Mutex::new(BTreeMap::new());

struct Mark {
    end: usize,
    object: Weak<MemoryObject>,
}

/// Whether any memory may be unwritten.
#[inline]
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

fn marks<R>(f: impl FnOnce(&mut BTreeMap<usize, Mark>) -> R) -> R {
    f(&mut MARKS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Takes the addresses out of all marks.
fn cut(marks: &mut BTreeMap<usize, Mark>, range: &Range<usize>) {
    let meets = |marks: &BTreeMap<usize, Mark>| {
        marks.range(..range.end).next_back().filter(|(_, mark)| mark.end > range.start).map(|(start, _)| *start)
    };
    while let Some(start) = meets(marks) {
        let Some(Mark { end, object }) = marks.remove(&start) else { return };
        if end > range.end {
            marks.insert(range.end, Mark { end, object: Weak::clone(&object) });
        }
        if start < range.start {
            marks.insert(start, Mark { end: range.start, object });
        }
    }
}

/// Counts bytes of an object, given as addresses, as written by nobody.
pub fn mark(object: &Arc<MemoryObject>, range: Range<usize>) {
    if range.is_empty() {
        return;
    }
    ANY.store(true, Ordering::Relaxed);
    marks(|marks| {
        if marks.len() > 4096 {
            marks.retain(|_, mark| mark.object.strong_count() > 0);
        }
        cut(marks, &range);
        marks.insert(range.start, Mark { end: range.end, object: Arc::downgrade(object) });
    });
}

/// Counts the bytes at these addresses as written.
pub fn written(range: Range<usize>) {
    if any() && !range.is_empty() {
        marks(|marks| cut(marks, &range));
    }
}

/// Counts the bytes of a region as written, and not those between its rows.
pub(super) fn written_in(object: &MemoryObject, region: &Region) {
    if any() {
        let first = object.ptr().addr();
        pieces(region, region.bytes()).for_each(|(_, row)| written(first + row.start..first + row.end));
    }
}

/// Counts the bytes of a copy's destination as what those of its source are.
pub(super) fn copied(source: &Access, destination: &Access) {
    if !any() {
        return;
    }
    let (from, to) = (source.bytes(), destination.bytes());
    let (source, target) = (source.object.ptr().addr(), destination.object.ptr().addr());
    written_in(&destination.object, &to);
    let all = from.bounds();
    if of(&(source + all.start..source + all.end)).is_empty() {
        return;
    }
    for (position, bytes) in pieces(&from, from.bytes().min(to.bytes())) {
        let bytes = source + bytes.start..source + bytes.end;
        for unwritten in of(&bytes) {
            // Where the rows of the destination end is another matter.
            let mut at = position + (unwritten.start - bytes.start);
            let end = position + (unwritten.end - bytes.start);
            while at < end {
                let (start, room) = to.nth_byte(at);
                let len = room.min(end - at);
                mark(&destination.object, target + start..target + start + len);
                at += len;
            }
        }
    }
}

/// The first bytes of a region, row by row: which of all they are, and where they lie in the object.
fn pieces(region: &Region, bytes: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let left = bytes.checked_sub(position).filter(|left| *left > 0)?;
        let (start, in_row) = region.nth_byte(position);
        let piece = (position, start..start + in_row.min(left));
        position += in_row.min(left);
        Some(piece)
    })
}

/// The addresses in a range that nobody has written.
pub fn of(range: &Range<usize>) -> Vec<Range<usize>> {
    if !any() || range.is_empty() {
        return Vec::new();
    }
    marks(|marks| {
        let inside = marks.range(..range.end).rev().take_while(|(_, mark)| mark.end > range.start);
        let mut found: Vec<Range<usize>> = inside
            .filter(|(_, mark)| mark.object.strong_count() > 0)
            .map(|(start, mark)| (*start).max(range.start)..mark.end.min(range.end))
            .collect();
        found.reverse();
        found
    })
}

#[cfg(test)]
mod tests;
