//! [`ScatterMut`]: global memory written at any index.

use super::memory::{Position, memory_handle};
use super::place::{Indexable, IndexableMut, Oob, Place};
use super::span::SpanMut;
use super::vector_access;
use crate::types::{DeviceCopy, Lanes, Vector, VectorElement};

memory_handle! {
    /// Global memory that a kernel reads and writes at any index.
    ///
    /// Nothing stops two items from touching one element, so a kernel that takes it launches through an `unsafe`
    /// call: the caller promises that no element is written by one item and touched by another without a barrier
    /// between them. Bounds are checked all the same.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// #[kernel]
    /// fn permute(item: Item<1>, to: View<usize>, out: ScatterMut<usize>) {
    ///     out[to[item]] = item.id(0);
    /// }
    /// # fn main() -> Result<()> {
    /// # let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (to, out) = (Buffer::from_vec(vec![2, 0, 1]), Buffer::<usize>::new(3));
    /// // SAFETY: `to` is a permutation, so that each element has one writer.
    /// queue.submit(|h| unsafe { h.parallel_for_unchecked(3, permute(to.read(h), out.scatter(h))) })?;
    /// assert_eq!(out.host_read()?[..], [1, 2, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ScatterMut,
    /// While a kernel uses the handle, the memory must be aligned, initialised and valid for reads and writes, and
    /// nothing else may touch it.
    fn from_raw(ptr: *mut T)
}

impl<T: DeviceCopy> ScatterMut<T, 1> {
    /// The elements `index * N .. index * N + N` as one vector. In a kernel, write `x.load_vector::<4>(i)`.
    #[inline(always)]
    pub fn load_vector<const N: usize>(&self, index: usize, oob: &mut Oob) -> Vector<T, N>
    where
        T: VectorElement,
        [(); N]: Lanes,
    {
        vector_access::load(self.0.row(), index, oob)
    }

    /// Writes a vector to the elements `index * N .. index * N + N`. In a kernel, write `x.store_vector(i, v)`.
    #[inline(always)]
    pub fn store_vector<const N: usize>(&self, index: usize, value: Vector<T, N>, oob: &mut Oob)
    where
        T: VectorElement,
        [(); N]: Lanes,
    {
        vector_access::store(self.0.row(), index, value, oob)
    }

    /// `len` elements from `start`, for joint group algorithms.
    #[inline(always)]
    pub fn span(&self, start: usize, len: usize) -> SpanMut<T> {
        SpanMut::whole(self.0.ptr, self.0.extents[0], self.0.fault).span(start, len)
    }
}

impl<T, const D: usize, I: Position<D>> Indexable<I> for ScatterMut<T, D> {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: I) -> Place<T> {
        // SAFETY: `this` is valid by the contract; the launch keeps the memory.
        unsafe { (*this).0.place(index.position()) }
    }
}

// SAFETY: whoever launches the kernel has promised that no other item touches the element.
unsafe impl<T, const D: usize, I: Position<D>> IndexableMut<I> for ScatterMut<T, D> {}
