//! [`ItemMut`]: one element for each work-item.

use super::memory::{ItemToken, memory_handle};
use super::place::{Indexable, IndexableMut, Place};

memory_handle! {
    /// Global memory of which each work-item reads and writes its own element, `out[item]`.
    ///
    /// Every element has one item, so a kernel with such outputs cannot race and launches with a safe call. An item
    /// that has no element, because the range is larger than the memory, reads zero, writes nothing, and the
    /// launch's event ends in an error that names the kernel and the parameter.
    ItemMut,
    /// While a kernel uses the handle, the memory must be aligned, initialised and valid for reads and writes, and
    /// nothing else may touch it.
    fn from_raw(ptr: *mut T)
}

impl<T, const D: usize, I: ItemToken<D>> Indexable<I> for ItemMut<T, D> {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: I) -> Place<T> {
        // SAFETY: `this` is valid by the contract; the launch keeps the memory, and no other item has this index.
        unsafe { (*this).0.place(index.position()) }
    }
}

impl<T, const D: usize, I: ItemToken<D>> IndexableMut<I> for ItemMut<T, D> {}
