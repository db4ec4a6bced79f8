//! [`GroupMut`]: one element for each work-group.

use super::memory::{GroupToken, memory_handle};
use super::place::{Indexable, IndexableMut, Place};

memory_handle! {
    /// Global memory of which each work-group reads and writes its own element, `out[group]` or `out[item]`.
    ///
    /// All items of a group may write the same value to its element, without an order. Where they write different values, or
    /// one reads while another writes, with no barrier between, the element holds one of the values, whole, and nothing says
    /// which: that is a mistake, and the device `cpu:check` reports it as a race.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// #[kernel]
    /// fn sums(item: NdItem<1>, x: View<u32>, out: GroupMut<u32>) {
    ///     let sum = item.group().reduce(x[item], Plus);
    ///     out[item.group()] = sum;
    /// }
    /// # fn main() -> Result<()> {
    /// # let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (x, out) = (Buffer::from_vec(vec![1, 2, 3, 4]), Buffer::<u32>::new(2));
    /// queue.submit(|h| h.parallel_for(NdRange::new([4], [2]), sums(x.read(h), out.write(h))))?;
    /// assert_eq!(out.host_read()?[..], [3, 7]);
    /// # Ok(())
    /// # }
    /// ```
    GroupMut,
    /// While a kernel uses the handle, the memory must be aligned, initialised and valid for reads and writes, and
    /// nothing else may touch it.
    fn from_raw(ptr: *mut T)
}

impl<T, const D: usize, I: GroupToken<D>> Indexable<I> for GroupMut<T, D> {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: I) -> Place<T> {
        // SAFETY: `this` is valid by the contract; the launch keeps the memory, and no other group has this index.
        unsafe { (*this).0.place(index.group_position()) }
    }
}

// SAFETY: no other group has this index, and items of one take turns.
unsafe impl<T, const D: usize, I: GroupToken<D>> IndexableMut<I> for GroupMut<T, D> {}
