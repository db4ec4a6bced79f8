//! Storage that lives as long as one work-group: per-item variables and the buffers of collectives.
//!
//! An [`Arena`] hands out aligned blocks one after another and takes all of them back at once. Blocks never move:
//! when a chunk is full the next one is taken, and chunks stay for the groups to come. [`Arena::mark`] and
//! [`Arena::release`] give back what a loop iteration took, so that a collective in a loop needs no more memory the
//! longer the loop runs.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::{Cell, RefCell};

/// Alignment of every block: a cache line and a full AVX-512 register.
pub const BLOCK_ALIGN: usize = 64;

const FIRST_CHUNK: usize = 64 * 1024;

/// A growable bump allocator; see the module.
#[derive(Debug)]
pub struct Arena {
    chunks: RefCell<Vec<Chunk>>,
    /// The chunk in use, as its start and size; null before the first.
    current: Cell<(*mut u8, usize)>,
    place: Cell<Mark>,
}

/// How much of an arena was in use at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    chunk: usize,
    used: usize,
}

#[derive(Debug)]
struct Chunk {
    ptr: *mut u8,
    layout: Layout,
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `Chunk::new`, and dropped once.
        unsafe { dealloc(self.ptr, self.layout) }
    }
}

impl Chunk {
    fn new(bytes: usize, align: usize) -> Self {
        let layout = Layout::from_size_align(bytes, align.max(BLOCK_ALIGN))
            .expect("a group's storage is far below half of the address space");
        // SAFETY: the layout's size is not zero: chunks have at least `FIRST_CHUNK` bytes.
        let ptr = unsafe { alloc(layout) };
        if ptr.is_null() {
            handle_alloc_error(layout);
        }
        Chunk { ptr, layout }
    }
}

impl Arena {
    /// An arena without memory; the first block takes some.
    pub const fn new() -> Self {
        Arena {
            chunks: RefCell::new(Vec::new()),
            current: Cell::new((std::ptr::null_mut(), 0)),
            place: Cell::new(Mark { chunk: 0, used: 0 }),
        }
    }

    /// A block of `bytes`, uninitialised, aligned to `align` and at least to [`BLOCK_ALIGN`]. It is valid until it
    /// is released.
    #[inline(always)]
    pub fn alloc(&self, bytes: usize, align: usize) -> *mut u8 {
        let (start, size) = self.current.get();
        let place = self.place.get();
        let size_of_block = bytes.next_multiple_of(BLOCK_ALIGN);
        if align <= BLOCK_ALIGN && !start.is_null() && size_of_block <= size - place.used {
            self.place.set(Mark { used: place.used + size_of_block, ..place });
            // SAFETY: `used` is inside the chunk.
            unsafe { start.add(place.used) }
        } else {
            self.alloc_in_next_chunk(size_of_block, align)
        }
    }

    #[cold]
    #[inline(never)]
    fn alloc_in_next_chunk(&self, bytes: usize, align: usize) -> *mut u8 {
        let mut chunks = self.chunks.borrow_mut();
        let next = if chunks.is_empty() { 0 } else { self.place.get().chunk + 1 };
        let fits = |chunk: &Chunk| chunk.layout.size() >= bytes && chunk.layout.align() >= align;
        if !chunks.get(next).is_some_and(fits) {
            let doubled = chunks.last().map_or(FIRST_CHUNK, |last| 2 * last.layout.size());
            // Chunks before `next` hold live blocks; this one and those after it hold none.
            chunks.truncate(next);
            chunks.push(Chunk::new(doubled.max(bytes), align));
        }
        let chunk = &chunks[next];
        self.current.set((chunk.ptr, chunk.layout.size()));
        self.place.set(Mark { chunk: next, used: bytes });
        chunk.ptr
    }

    /// The present state, to go back to.
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        self.place.get()
    }

    /// Gives back every block handed out since `mark`.
    #[inline(always)]
    pub fn release(&self, mark: Mark) {
        if mark.chunk != self.place.get().chunk {
            let chunks = self.chunks.borrow();
            let chunk = &chunks[mark.chunk];
            self.current.set((chunk.ptr, chunk.layout.size()));
        }
        self.place.set(mark);
    }

    /// Gives back every block.
    #[inline(always)]
    pub fn reset(&self) {
        self.release(Mark { chunk: 0, used: 0 });
    }
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}
