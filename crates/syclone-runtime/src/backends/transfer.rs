//! Copies and fills between host-addressable objects, as chunked work like any kernel's.

use std::sync::Arc;

use crate::{Access, AccessMode, Command, Error, KernelWork, MemoryObject, Name, Result, WorkKind, Worker};

/// Bytes per chunk: enough to hide the claim, few enough to spread a large copy over the workers.
const CHUNK: usize = 1 << 18;

/// See [`Command::copy`].
pub(crate) fn copy(
    source: &Arc<MemoryObject>,
    source_offset: usize,
    destination: &Arc<MemoryObject>,
    destination_offset: usize,
    bytes: usize,
) -> Result<Command> {
    let name = Name::Borrowed("copy");
    source.check_range(&name, source_offset, bytes)?;
    destination.check_range(&name, destination_offset, bytes)?;
    let accesses = vec![
        Access::range(source, AccessMode::Read, source_offset..source_offset + bytes, "source"),
        Access::range(destination, AccessMode::Write, destination_offset..destination_offset + bytes, "destination"),
    ];
    let work = Copy {
        source: Span { start: source.ptr().wrapping_add(source_offset) },
        destination: Span { start: destination.ptr().wrapping_add(destination_offset) },
        bytes,
    };
    // SAFETY: the accesses name both ranges, which lie inside their objects, with their modes.
    Ok(unsafe { Command::kernel(Box::new(work), accesses) })
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

/// The first byte of a range that the command's accesses name.
struct Span {
    start: *mut u8,
}

// SAFETY: only a plain address; it is dereferenced under the contract of `KernelWork::run`.
unsafe impl Send for Span {}
// SAFETY: as above.
unsafe impl Sync for Span {}

struct Copy {
    source: Span,
    destination: Span,
    bytes: usize,
}

impl KernelWork for Copy {
    fn name(&self) -> Name {
        Name::Borrowed("copy")
    }

    fn chunks(&self) -> usize {
        self.bytes.div_ceil(CHUNK)
    }

    fn kind(&self) -> WorkKind {
        WorkKind::Copy
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        let start = chunk * CHUNK;
        let len = CHUNK.min(self.bytes - start);
        // SAFETY: the range lies inside both spans, which the accesses name; `submit` rejects spans of one
        // object that overlap, and two objects overlap only if a borrow broke its contract.
        unsafe { std::ptr::copy_nonoverlapping(self.source.start.add(start), self.destination.start.add(start), len) };
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
