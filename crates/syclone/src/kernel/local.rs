//! Local memory: what the items of a work-group share. [`Local`] has its size from its type, [`LocalAccessor`]
//! from the launch.

use super::atomic::{AtomicRef, AtomicScalar};
use super::memory::Coordinates;
use super::place::{ARRAY_FAULT, Indexable, IndexableMut, Inline, Oob, Place, fault_unless};
use super::span::SpanMut;
use super::vector_access::{self, Row};
use crate::types::{DeviceCopy, Lanes, Vector, VectorElement};

/// A `T` that the items of one work-group share, made by [`local`].
///
/// Arrays and vectors are indexed through it, `tile[row][column]`; `*x` is the value itself.
///
/// ```
/// use syclone::prelude::*;
/// #[kernel]
/// fn swap(item: NdItem<1>, x: ItemMut<f32>) {
///     let pair = local::<[f32; 2]>();
///     pair[item.local_id(0)] = x[item];
///     item.barrier();
///     x[item] = pair[1 - item.local_id(0)];
/// }
/// # fn main() -> Result<()> {
/// # let queue = Queue::new(&Device::select("cpu")?)?;
/// let x = Buffer::from_vec(vec![1.0f32, 2.0, 3.0, 4.0]);
/// queue.submit(|h| h.parallel_for(NdRange::new([4], [2]), swap(x.read_write(h))))?;
/// assert_eq!(x.host_read()?[..], [2.0, 1.0, 4.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Local<T> {
    ptr: *mut T,
}

impl<T> Clone for Local<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Local<T> {}

impl<T: DeviceCopy> Local<T> {
    /// The local memory at `ptr`.
    ///
    /// # Safety
    /// `ptr` must be aligned, initialised, and valid for reads and writes until the group ends; only the items of
    /// the group touch it.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(ptr: *mut T) -> Self {
        Local { ptr }
    }

    /// The local memory that a reference borrows.
    ///
    /// # Safety
    /// It is not used after the borrow.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn of(storage: &mut T) -> Self {
        Local { ptr: storage }
    }

    /// The address of the value.
    #[inline(always)]
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.ptr
    }
}

impl<T: DeviceCopy, const N: usize> Local<[T; N]> {
    /// Element `index` for atomic operations. In a kernel, write `x.atomic(i)`.
    #[inline(always)]
    pub fn atomic(&self, index: usize, oob: &mut Oob) -> AtomicRef<T>
    where
        T: AtomicScalar,
    {
        // SAFETY: `self` is valid for reads, and the local memory behind it lives while the group does.
        AtomicRef::new(unsafe { <Self as Indexable<usize>>::place(self, index) }, oob)
    }

    /// `len` elements from `start`, for joint group algorithms.
    #[inline(always)]
    pub fn span(&self, start: usize, len: usize) -> SpanMut<T> {
        SpanMut::whole(self.ptr.cast(), N, ARRAY_FAULT).span(start, len)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        N
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        N == 0
    }
}

impl<T: Inline<I>, I> Indexable<I> for Local<T> {
    type Elem = T::Elem;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: I) -> Place<T::Elem> {
        // SAFETY: `this` is valid by the contract, and the array that it refers to lives while the group does.
        unsafe { T::place((*this).ptr, index) }
    }
}

// SAFETY: local memory is the group's own, whose items take turns.
unsafe impl<T: Inline<I> + IndexableMut<I>, I> IndexableMut<I> for Local<T> {}

/// The place of the whole value: `*x`, and `x.field` through [`Place::field`].
///
/// # Safety
/// `local` must be valid for reads.
#[inline(always)]
pub unsafe fn deref<T>(local: *const Local<T>) -> Place<T> {
    // SAFETY: the caller's promise; the memory lives while the group does.
    unsafe { Place::new((*local).ptr, 0) }
}

/// Local memory for one `T`, such as `local::<[[f32; 16]; 16]>()`: the items of a work-group share it.
///
/// What it holds before an item writes it is unspecified: some value of `T`, never another group's or allocation's. Each call
/// is memory of its own; other groups never see it.
pub fn local<T: DeviceCopy>() -> Local<T> {
    super::group::only_in_kernels()
}

/// Local memory whose size the launch gives: an argument of the kernel.
///
/// What it holds before an item writes it is unspecified, as in [`local`]. Index it with `usize` or `[usize; D]`.
///
/// ```
/// use syclone::prelude::*;
/// #[kernel]
/// fn reverse(item: NdItem<1>, x: ItemMut<u32>, tile: LocalAccessor<u32>) {
///     tile[item.local_id(0)] = x[item];
///     item.barrier();
///     x[item] = tile[tile.len() - 1 - item.local_id(0)];
/// }
/// # fn main() -> Result<()> {
/// # let queue = Queue::new(&Device::select("cpu")?)?;
/// let x = Buffer::from_vec(vec![1u32, 2, 3]);
/// queue.submit(|h| h.parallel_for(NdRange::new([3], [3]), reverse(x.read_write(h), LocalAccessor::new(3))))?;
/// assert_eq!(x.host_read()?[..], [3, 2, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct LocalAccessor<T, const D: usize = 1> {
    /// Null until the accessor is bound to a group's memory.
    ptr: *mut T,
    extents: [usize; D],
    fault: u32,
}

impl<T, const D: usize> Clone for LocalAccessor<T, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize> Copy for LocalAccessor<T, D> {}

// SAFETY: outside a group there is no memory behind it, and inside one only the group's own worker uses it. Of
// elements that are not `DeviceCopy` there are none; that the bound is not asked for here spares a second error.
unsafe impl<T, const D: usize> Send for LocalAccessor<T, D> {}
// SAFETY: as above.
unsafe impl<T, const D: usize> Sync for LocalAccessor<T, D> {}

impl<T: DeviceCopy, const D: usize> LocalAccessor<T, D> {
    /// Local memory of these extents for each work-group of a launch.
    pub fn new(extents: impl Coordinates<D>) -> Self {
        LocalAccessor { ptr: std::ptr::null_mut(), extents: extents.position(), fault: 0 }
    }

    /// The number of elements in dimension `dim`.
    #[inline(always)]
    #[track_caller]
    pub fn extent(&self, dim: usize) -> usize {
        super::dimension::in_dimension(&self.extents, dim)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.extents.iter().fold(1usize, |len, &extent| len.saturating_mul(extent))
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The extents, in the last of three dimensions.
    pub(crate) fn extents_3d(&self) -> [usize; 3] {
        super::memory::leading_ones(self.extents)
    }

    pub(crate) fn fault(&self) -> u32 {
        self.fault
    }

    pub(crate) fn with_fault(mut self, bit: u32) -> Self {
        self.fault = bit;
        self
    }

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.ptr
    }

    /// The accessor with its memory at `ptr`.
    ///
    /// # Safety
    /// As for [`Local::from_raw`], for all elements.
    #[inline(always)]
    pub(crate) unsafe fn at(mut self, ptr: *mut T) -> Self {
        self.ptr = ptr;
        self
    }

    /// Element `index` for atomic operations. In a kernel, write `x.atomic(i)`.
    #[inline(always)]
    pub fn atomic(&self, index: impl Coordinates<D>, oob: &mut Oob) -> AtomicRef<T>
    where
        T: AtomicScalar,
    {
        // SAFETY: `self` is valid for reads, and the local memory behind it lives while the group does.
        AtomicRef::new(unsafe { Self::place(self, index) }, oob)
    }
}

impl<T: DeviceCopy> LocalAccessor<T, 1> {
    /// The elements `index * N .. index * N + N` as one vector. In a kernel, write `x.load_vector::<4>(i)`.
    #[inline(always)]
    pub fn load_vector<const N: usize>(&self, index: usize, oob: &mut Oob) -> Vector<T, N>
    where
        T: VectorElement,
        [(); N]: Lanes,
    {
        vector_access::load(self.row(), index, oob)
    }

    /// Writes a vector to the elements `index * N .. index * N + N`. In a kernel, write `x.store_vector(i, v)`.
    #[inline(always)]
    pub fn store_vector<const N: usize>(&self, index: usize, value: Vector<T, N>, oob: &mut Oob)
    where
        T: VectorElement,
        [(); N]: Lanes,
    {
        vector_access::store(self.row(), index, value, oob)
    }

    fn row(&self) -> Row<T> {
        Row { first: self.ptr, len: self.extents[0], fault: self.fault }
    }

    /// `len` elements from `start`, for joint group algorithms.
    #[inline(always)]
    pub fn span(&self, start: usize, len: usize) -> SpanMut<T> {
        SpanMut::whole(self.ptr, self.extents[0], self.fault).span(start, len)
    }
}

impl<T, const D: usize, I: Coordinates<D>> Indexable<I> for LocalAccessor<T, D> {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: I) -> Place<T> {
        // SAFETY: `this` is valid by the contract.
        let (ptr, extents, fault) = unsafe { ((*this).ptr, (*this).extents, (*this).fault) };
        let index = index.position();
        let (mut offset, mut inside) = (0usize, true);
        for dim in 0..D {
            offset = offset.wrapping_mul(extents[dim]).wrapping_add(index[dim]);
            inside &= index[dim] < extents[dim];
        }
        // SAFETY: an index inside the extents is inside the block that the group gave to the accessor.
        unsafe { Place::new(ptr.wrapping_add(offset), fault_unless(inside, fault)) }
    }
}

// SAFETY: as for `Local`.
unsafe impl<T, const D: usize, I: Coordinates<D>> IndexableMut<I> for LocalAccessor<T, D> {}
