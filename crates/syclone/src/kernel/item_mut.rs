//! [`ItemMut`]: one element for each work-item.

use super::memory::{ItemToken, memory_handle};
use super::place::{Indexable, IndexableMut, Place};

memory_handle! {
    /// Global memory of which each work-item reads and writes its own element, `out[item]`.
    ///
    /// Every element has one item, so a kernel with such outputs cannot race and launches with a safe call. An item
    /// that has no element, because the range is larger than the memory, reads zero, writes nothing, and the
    /// launch's event ends in an error that names the kernel and the parameter.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// #[kernel]
    /// fn count(item: Item<2>, out: ItemMut<usize, 2>) {
    ///     out[item] += item.linear_id();
    /// }
    /// # fn main() -> Result<()> {
    /// # let queue = Queue::new(&Device::select("cpu")?)?;
    /// let out = Buffer::<usize, 2>::new([2, 3]);
    /// queue.submit(|h| h.parallel_for([2, 3], count(out.read_write(h))))?;
    /// assert_eq!(out.host_read()?[..], [0, 1, 2, 3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
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

// SAFETY: no other item has this index.
unsafe impl<T, const D: usize, I: ItemToken<D>> IndexableMut<I> for ItemMut<T, D> {}
