//! Blocks: raw memory of the host, as pools take it from the system and give it back.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use memmap2::MmapMut;

/// Alignment of every block: a cache line, and the widest vector register.
const ALIGNMENT: usize = 64;

/// From this size on a block is a map of its own with huge pages where the system has them: fewer misses in the
/// tables that translate addresses, which a kernel that streams through memory feels.
const MAPPED_FROM: usize = 4 << 20;

/// Each map begins its bytes this much later in its pages than the one before, [`STAGGERS`] times: arrays of one size would
/// otherwise lie a power of two apart, and their equal indices in one bank of the memory and one set of the caches.
const STAGGER: usize = 4096;
/// Different places where a map's bytes begin.
const STAGGERS: usize = 16;

/// How many bytes a block for `bytes` bytes has, so that blocks fit more than one size; none if too many to count.
///
/// Four sizes for each doubling, eight for maps, in whole cache lines: at most a quarter more than was asked for (beyond
/// the first 256 bytes), of which a map's part is no memory until it is touched.
pub(super) fn class(bytes: usize) -> Option<usize> {
    let steps = if bytes >= MAPPED_FROM { 8 } else { 4 };
    let below = bytes.max(1).ilog2();
    let step = ((1usize << below) / steps).max(ALIGNMENT);
    bytes.max(1).checked_next_multiple_of(step).filter(|&class| class <= isize::MAX as usize)
}

/// Memory that one owner has at a time.
pub(super) struct Block {
    ptr: NonNull<u8>,
    bytes: usize,
    /// No byte from here on has ever been handed out: those are zero.
    touched: usize,
    source: Source,
}

enum Source {
    /// From the global allocator: where the allocation begins that the aligned bytes lie in.
    Allocator { base: NonNull<u8>, layout: Layout },
    /// Pages from the operating system, unmapped when the map is dropped.
    Map(MmapMut),
}

// SAFETY: a block owns its memory, and its pointers are used only through whoever owns the block.
unsafe impl Send for Block {}
// SAFETY: through `&Block` only addresses can be reached, and `populate`, which changes no bytes.
unsafe impl Sync for Block {}

impl Block {
    /// A new block of zeros. Large ones are zeroed lazily by the operating system, so that pages land near the worker
    /// that first touches them. `number` tells blocks of one size apart; none when there is no memory.
    pub(super) fn new(bytes: usize, number: u64) -> Option<Block> {
        if bytes >= MAPPED_FROM {
            let before = (number % STAGGERS as u64) as usize * STAGGER;
            let mut pages = map(bytes.checked_add(before)?)?;
            // SAFETY: the map has `bytes` bytes after these.
            let ptr = unsafe { NonNull::new_unchecked(pages.as_mut_ptr().add(before)) };
            return Some(Block { ptr, bytes, touched: 0, source: Source::Map(pages) });
        }
        // An over-aligned request would be zeroed eagerly (there is no aligned calloc): align by hand.
        let layout = Layout::from_size_align(bytes.checked_add(ALIGNMENT)?, align_of::<usize>()).ok()?;
        // SAFETY: the layout's size is at least ALIGNMENT, so it is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let offset = base.as_ptr().align_offset(ALIGNMENT);
        // SAFETY: the offset is less than ALIGNMENT, and the allocation is ALIGNMENT longer than `bytes`.
        let ptr = unsafe { base.add(offset) };
        Some(Block { ptr, bytes, touched: 0, source: Source::Allocator { base, layout } })
    }

    pub(super) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// The block's size, of which an owner may have asked for less.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes the first `bytes` bytes zero, which their next owner may then change.
    pub(super) fn hand_out(&mut self, bytes: usize) {
        let dirty = self.touched.min(bytes);
        // SAFETY: inside the block, which nobody else has while it is borrowed mutably.
        unsafe { self.ptr.as_ptr().write_bytes(0, dirty) };
        self.touched = self.touched.max(bytes);
    }

    /// Has the system provide the pages of some bytes now instead of when they are first touched. Changes no bytes.
    pub(super) fn populate(&self, start: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        if let Source::Map(pages) = &self.source {
            let before = self.ptr.as_ptr().addr() - pages.as_ptr().addr();
            // Advice only: an older system doesn't know it, and touching the pages later is as good.
            let _ = pages.advise_range(memmap2::Advice::PopulateWrite, before + start, bytes);
        }
        let _ = (start, bytes);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Source::Allocator { base, layout } = self.source {
            // SAFETY: allocated with this layout, and freed only here.
            unsafe { dealloc(base.as_ptr(), layout) };
        }
    }
}

/// Zeroed pages for `bytes` bytes, huge ones where the system has them; none when there is no memory.
fn map(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    // Advice only: a system without huge pages refuses, and the pages are as good as any.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

#[cfg(test)]
mod tests;
