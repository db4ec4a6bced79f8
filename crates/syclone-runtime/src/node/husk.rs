//! What is left of a payload when its contents are gone: the memory of the boxes.
//!
//! The worker that ends a command drops what it holds, but its memory belongs to the thread that submitted it: an allocator
//! locks where one thread frees what another one allocates, and the submitting thread would wait at that lock for every
//! command. So the memory stays with the node until that thread takes it out of its queue (module `queue::window`).

use std::alloc::{Layout, dealloc};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::command::{Kernel, Work};
use crate::{Access, KernelWork};

/// The memory of a payload without its contents.
pub(crate) struct Husk {
    _work: Option<Block>,
    _accesses: Vec<Access>,
}

/// The memory of a box.
struct Block(NonNull<u8>, Layout);

// SAFETY: it is memory that nobody else knows.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Husk {
    /// Drops the contents. What a kernel captured may panic as it is dropped; that concerns neither its result nor this
    /// thread.
    pub(crate) fn of(work: Work, mut accesses: Vec<Access>) -> Husk {
        let work = match work {
            Work::Kernel(Kernel::Once(work)) => Some(Block::emptied(work)),
            work => {
                let _ = catch_unwind(AssertUnwindSafe(|| drop(work)));
                None
            }
        };
        let _ = catch_unwind(AssertUnwindSafe(|| accesses.clear()));
        Husk { _work: work, _accesses: accesses }
    }
}

impl Block {
    fn emptied(work: Box<dyn KernelWork>) -> Block {
        let layout = Layout::for_value(&*work);
        let work = Box::into_raw(work);
        // SAFETY: the pointer came out of a box, which nobody has any more; the contents are dropped here, once.
        let _ = catch_unwind(AssertUnwindSafe(|| unsafe { std::ptr::drop_in_place(work) }));
        // SAFETY: a box's pointer is not null.
        Block(unsafe { NonNull::new_unchecked(work.cast()) }, layout)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // A box of a value without bytes has no memory.
        if self.1.size() > 0 {
            // SAFETY: the memory is that of a box with this layout, which became this value's.
            unsafe { dealloc(self.0.as_ptr(), self.1) };
        }
    }
}
