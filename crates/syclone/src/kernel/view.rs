//! [`View`]: read-only global memory.

use super::memory::{Position, memory_handle};
use super::place::{Indexable, Oob, Place};
use super::span::Span;
use super::vector_access;
use crate::types::{DeviceCopy, Lanes, Vector, VectorElement};

memory_handle! {
    /// Global memory that a kernel reads at any index.
    ///
    /// Index it with `usize`, with `[usize; D]`, or with the item. Reading outside gives zero, and the launch's
    /// event then ends in an error that names the kernel and the parameter.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// #[kernel]
    /// fn reverse(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
    ///     out[item] = x[x.len() - 1 - item.id(0)];
    /// }
    /// # fn main() -> Result<()> {
    /// # let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (x, out) = (Buffer::from_vec(vec![1, 2, 3]), Buffer::<i32>::new(3));
    /// queue.submit(|h| h.parallel_for(3, reverse(x.read(h), out.write(h))))?;
    /// assert_eq!(out.host_read()?[..], [3, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    View,
    /// While a kernel uses the view, the memory must be aligned, initialised and valid for reads, and nothing may
    /// write it.
    fn from_raw(ptr: *const T)
}

impl<T: DeviceCopy> View<T, 1> {
    /// The elements `index * N .. index * N + N` as one vector. In a kernel, write `view.load_vector::<4>(i)`.
    #[inline(always)]
    pub fn load_vector<const N: usize>(&self, index: usize, oob: &mut Oob) -> Vector<T, N>
    where
        T: VectorElement,
        [(); N]: Lanes,
    {
        vector_access::load(self.0.row(), index, oob)
    }

    /// `len` elements from `start`, for joint group algorithms.
    #[inline(always)]
    pub fn span(&self, start: usize, len: usize) -> Span<T> {
        Span::whole(self.0.ptr, self.0.extents[0], self.0.fault).span(start, len)
    }
}

impl<T, const D: usize, I: Position<D>> Indexable<I> for View<T, D> {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: I) -> Place<T> {
        // SAFETY: `this` is valid by the contract; the launch keeps the memory.
        unsafe { (*this).0.place(index.position()) }
    }
}
