//! Which bytes nobody has written, of memory that a checked device has seen.
//!
//! Everything counts as written but what is marked here: fresh device memory, and what a command has declared to overwrite
//! without needing the old contents, until it is written. Marks are ranges of addresses, each with the object that they lie
//! in, and are void when that is gone. As long as there are none, looking is one load.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::MemoryObject;

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
