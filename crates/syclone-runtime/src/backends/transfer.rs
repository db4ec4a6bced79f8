//! Copies, fills and prefetches of host-addressable objects, as chunked work like any kernel's.

use std::ops::Range;
use std::sync::Arc;

use crate::{Access, AccessMode, Command, Error, KernelWork, MemoryObject, Name, Region, Result, WorkKind, Worker};

/// Bytes per chunk: enough to hide the claim, few enough to spread a large copy over the workers.
const CHUNK: usize = 1 << 18;

/// Bytes per chunk of a prefetch: a few huge pages.
const PAGES: usize = 8 << 20;

/// See [`Command::copy_region`].
pub(crate) fn copy(
    source: &Arc<MemoryObject>,
    from: Region,
    destination: &Arc<MemoryObject>,
    to: Region,
) -> Result<Command> {
    let name = Name::Borrowed("copy");
    for (object, region) in [(source, &from), (destination, &to)] {
        object.check_range(&name, region.bounds().start, region.bounds().len())?;
    }
    if from.bytes() != to.bytes() {
        return Err(Error::LengthMismatch { command: name, source_len: from.bytes(), target_len: to.bytes() });
    }
    let accesses = vec![
        Access::region(source, AccessMode::Read, from, "source"),
        Access::region(destination, AccessMode::Write, to, "destination"),
    ];
    let work = Copy { source: Span { start: source.ptr() }, from, destination: Span { start: destination.ptr() }, to };
    // SAFETY: the accesses name both regions, which lie inside their objects, with their modes.
    Ok(unsafe { Command::kernel(Box::new(work), accesses) })
}

/// See [`Command::prefetch`].
pub(crate) fn prefetch(object: &Arc<MemoryObject>, region: Region) -> Result<Command> {
    let name = Name::Borrowed("prefetch");
    object.check_range(&name, region.bounds().start, region.bounds().len())?;
    let access = Access::region(object, AccessMode::Read, region, "memory");
    let work = Prefetch { object: Arc::clone(object), range: region.bounds() };
    // SAFETY: the work reads and writes nothing.
    Ok(unsafe { Command::kernel(Box::new(work), vec![access]) })
}

/// See [`Command::fill`].
pub(crate) fn fill(destination: &Arc<MemoryObject>, offset: usize, bytes: usize, pattern: &[u8]) -> Result<Command> {
    let name = Name::Borrowed("fill");
    destination.check_range(&name, offset, bytes)?;
    if pattern.is_empty() || !bytes.is_multiple_of(pattern.len()) {
        return Err(Error::PatternDoesNotDivide { command: name, pattern: pattern.len(), bytes });
    }
    let accesses = vec![Access::range(destination, AccessMode::Write, offset..offset + bytes, "destination")];
    let work = Fill {
        destination: Span { start: destination.ptr().wrapping_add(offset) },
        bytes,
        // A chunk holds whole patterns, so that each begins with the pattern's first byte.
        chunk: (CHUNK / pattern.len()).max(1) * pattern.len(),
        pattern: pattern.into(),
    };
    // SAFETY: the access names the range, which lies inside the object, as written.
    Ok(unsafe { Command::kernel(Box::new(work), accesses) })
}

/// The first byte of memory that the command's accesses name.
struct Span {
    start: *mut u8,
}

// SAFETY: only a plain address; it is dereferenced under the contract of `KernelWork::run`.
unsafe impl Send for Span {}
// SAFETY: as above.
unsafe impl Sync for Span {}

/// Copies byte after byte of one region to the next byte of the other, whatever the rows of each are.
struct Copy {
    source: Span,
    from: Region,
    destination: Span,
    to: Region,
}

impl KernelWork for Copy {
    fn name(&self) -> Name {
        Name::Borrowed("copy")
    }

    fn chunks(&self) -> usize {
        self.from.bytes().div_ceil(CHUNK)
    }

    fn kind(&self) -> WorkKind {
        WorkKind::Copy
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        let mut position = chunk * CHUNK;
        let end = self.from.bytes().min(position + CHUNK);
        while position < end {
            let (from, left) = self.from.nth_byte(position);
            let (to, room) = self.to.nth_byte(position);
            let len = left.min(room).min(end - position);
            // SAFETY: the bytes lie inside both regions, which the accesses name; `submit` rejects regions of one
            // object that overlap, and two objects overlap only if a borrow broke its contract.
            unsafe { std::ptr::copy_nonoverlapping(self.source.start.add(from), self.destination.start.add(to), len) };
            position += len;
        }
        Ok(())
    }
}

/// Has pages provided that no one has touched yet. Host memory is where the CPU device's memory is: nothing moves.
struct Prefetch {
    object: Arc<MemoryObject>,
    range: Range<usize>,
}

impl KernelWork for Prefetch {
    fn name(&self) -> Name {
        Name::Borrowed("prefetch")
    }

    fn chunks(&self) -> usize {
        self.range.len().div_ceil(PAGES)
    }

    fn kind(&self) -> WorkKind {
        WorkKind::Prefetch
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        let start = self.range.start + chunk * PAGES;
        self.object.populate(start, PAGES.min(self.range.end - start));
        Ok(())
    }
}

struct Fill {
    destination: Span,
    bytes: usize,
    chunk: usize,
    pattern: Box<[u8]>,
}

impl KernelWork for Fill {
    fn name(&self) -> Name {
        Name::Borrowed("fill")
    }

    fn chunks(&self) -> usize {
        self.bytes.div_ceil(self.chunk)
    }

    fn kind(&self) -> WorkKind {
        WorkKind::Fill
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        let start = chunk * self.chunk;
        let len = self.chunk.min(self.bytes - start);
        // SAFETY: the chunk lies inside the span, which the access names as written by this command alone.
        let target = unsafe { std::slice::from_raw_parts_mut(self.destination.start.add(start), len) };
        if self.pattern.iter().all(|byte| *byte == self.pattern[0]) {
            target.fill(self.pattern[0]);
            return Ok(());
        }
        // Doubling turns many tiny copies into few large ones.
        let mut filled = self.pattern.len().min(len);
        target[..filled].copy_from_slice(&self.pattern[..filled]);
        while filled < len {
            let step = filled.min(len - filled);
            target.copy_within(..step, filled);
            filled += step;
        }
        Ok(())
    }
}
