//! [`Reducer`]: a value that all items of a launch contribute to.
//!
//! The launch's work is divided into chunks of a size that does not depend on the number of threads. Each chunk has
//! [`LANES`] partial results, and an item contributes to the one of its place modulo [`LANES`]; neighbours then
//! never wait for each other and the loop over them vectorises. At the end the lanes of a chunk are folded by the
//! halving tree of the group algorithms, then the chunks by the same tree, so that floats give the same bits on
//! every run.
//!
//! Partial results are as wide as the operator says: one after another, a sum of `bf16` would come to a halt at 256.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::abi::GroupCx;
use crate::abi::group::fold_tree_by;
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// Partial results of one chunk of work.
pub const LANES: usize = 64;

/// The partial results of one chunk.
///
/// They begin a cache line: a vector that crosses two lines is not forwarded from its store to the next step's load,
/// which halves the speed of a sum.
#[repr(C, align(64))]
struct ChunkPartials<T>([UnsafeCell<T>; LANES]);

/// The combination of values from all items of a launch, by one of SYCL's operators: `sum.combine(x)`.
///
/// ```
/// use syclone::prelude::*;
/// #[kernel]
/// fn dot(item: Item<1>, x: View<f32>, y: View<f32>, sum: Reducer<f32, Plus>) {
///     sum.combine(x[item] * y[item]);
/// }
/// # fn main() -> Result<()> {
/// # let queue = Queue::new(&Device::select("cpu")?)?;
/// let (x, y) = (Buffer::from_vec(vec![1.0, 2.0]), Buffer::from_vec(vec![3.0, 4.0]));
/// let sum = Buffer::<f32>::new(1);
/// queue.submit(|h| h.parallel_for(2, dot(x.read(h), y.read(h), sum.reduce(h, Plus))))?;
/// assert_eq!(sum.host_read()?[0], 11.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reducer<T, O> {
    /// Where the result goes.
    result: *mut T,
    /// Whether the value that is there before the launch takes part.
    include_initial: bool,
    /// [`LANES`] partial results for each chunk, of the operator's `Partial`; null before the launch has made them.
    partials: *mut (),
    /// What the interpreter combines into; null before the launch has made it.
    slot: *mut T,
    command: Option<u64>,
    op: PhantomData<fn() -> O>,
}

impl<T, O> Clone for Reducer<T, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, O> Copy for Reducer<T, O> {}

// SAFETY: the result is written once, when all chunks are done, and each chunk has its own partial results.
unsafe impl<T: DeviceCopy, O> Send for Reducer<T, O> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, O> Sync for Reducer<T, O> {}

impl<T: DeviceCopy, O: ReduceOp<T>> Reducer<T, O> {
    /// A reduction whose result goes to `result`, made by an access of `command`.
    ///
    /// # Safety
    /// Until the command is done, `result` must be aligned, initialised and valid for reads and writes, and nothing
    /// else may touch it.
    #[doc(hidden)]
    pub unsafe fn from_raw(result: *mut T, include_initial: bool, command: Option<u64>) -> Self {
        Reducer {
            result,
            include_initial,
            partials: std::ptr::null_mut(),
            slot: std::ptr::null_mut(),
            command,
            op: PhantomData,
        }
    }

    pub(crate) fn command(&self) -> Option<u64> {
        self.command
    }

    pub(crate) fn result(&self) -> *mut T {
        self.result
    }

    /// Whether the value that is there before the launch takes part.
    pub(crate) fn includes_initial(&self) -> bool {
        self.include_initial
    }

    /// What the interpreter combines into; null before the launch has made it.
    pub(crate) fn slot(&self) -> *mut T {
        self.slot
    }

    /// The reducer with partial results for `chunks` chunks, and the reduction that owns and folds them.
    pub(crate) fn with_chunks(mut self, chunks: usize) -> (Self, Arc<dyn Reduction>) {
        let empty = || ChunkPartials(std::array::from_fn(|_| UnsafeCell::new(O::begin())));
        let partials = (0..chunks).map(|_| empty()).collect::<Box<[_]>>();
        // The type has the layout of `[O::Partial; LANES]` (a multiple of its alignment, so that chunks follow each other
        // without a gap), and lets the kernel write through the shared box.
        self.partials = partials.as_ptr().cast_mut().cast();
        let slot = Box::new(UnsafeCell::new(O::identity()));
        self.slot = slot.get();
        (self, Arc::new(Partials { reducer: self, chunks: partials, slot }))
    }

    /// The reducer of the chunk that the group belongs to.
    #[inline(always)]
    pub fn bind<const D: usize>(&self, group: &GroupCx<D>) -> ChunkReducer<T, O> {
        let first = self.partials.cast::<O::Partial>().wrapping_add(group.chunk * LANES);
        ChunkReducer { partials: first.cast(), of: PhantomData }
    }

    /// Contributes `x`. In a kernel, write `sum.combine(x)`.
    pub fn combine(&self, x: T) {
        let _ = x;
        super::group::only_in_kernels()
    }
}

/// A [`Reducer`] in one chunk of the launch.
#[derive(Debug)]
pub struct ChunkReducer<T, O> {
    /// [`LANES`] of the operator's `Partial`.
    partials: *mut (),
    of: PhantomData<fn() -> (T, O)>,
}

impl<T, O> Clone for ChunkReducer<T, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, O> Copy for ChunkReducer<T, O> {}

impl<T: DeviceCopy, O: ReduceOp<T>> ChunkReducer<T, O> {
    /// Contributes `x` to the partial result of lane `lane % LANES`.
    #[inline(always)]
    pub fn combine(&self, x: T, lane: usize) {
        // SAFETY: the chunk has `LANES` partial results, which only the worker that runs it touches.
        unsafe {
            let partial = self.partials.cast::<O::Partial>().add(lane % LANES);
            *partial = O::join(*partial, O::widen(x));
        }
    }
}

/// The end of a reduction, whatever its type.
pub trait Reduction: Send + Sync {
    /// Folds all partial results and writes the result.
    ///
    /// # Safety
    /// No chunk of the launch runs, and this is called once, or once after each [`rewind`](Reduction::rewind).
    unsafe fn finish(&self);

    /// Makes all partial results those of a launch that has not begun.
    ///
    /// # Safety
    /// No chunk of the launch runs.
    unsafe fn rewind(&self);
}

struct Partials<T, O: ReduceOp<T>>
where
    T: DeviceCopy,
{
    reducer: Reducer<T, O>,
    chunks: Box<[ChunkPartials<O::Partial>]>,
    /// What the interpreter has combined.
    slot: Box<UnsafeCell<T>>,
}

// SAFETY: each chunk writes cells of its own, and `finish` runs when no chunk does.
unsafe impl<T: DeviceCopy, O: ReduceOp<T>> Send for Partials<T, O> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, O: ReduceOp<T>> Sync for Partials<T, O> {}

impl<T: DeviceCopy, O: ReduceOp<T>> Reduction for Partials<T, O> {
    unsafe fn rewind(&self) {
        for lane in self.chunks.iter().flat_map(|chunk| &chunk.0) {
            // SAFETY: no chunk runs.
            unsafe { *lane.get() = O::begin() };
        }
        // SAFETY: as above.
        unsafe { *self.slot.get() = O::identity() };
    }

    unsafe fn finish(&self) {
        let fold = |chunk: &ChunkPartials<O::Partial>| {
            // SAFETY: no chunk runs any more.
            let mut lanes = std::array::from_fn::<_, LANES, _>(|lane| unsafe { *chunk.0[lane].get() });
            fold_tree_by(&mut lanes, O::join).unwrap_or_else(O::begin)
        };
        let mut chunks: Vec<O::Partial> = self.chunks.iter().map(fold).collect();
        let mut folded = fold_tree_by(&mut chunks, O::join).unwrap_or_else(O::begin);
        // SAFETY: the promise of `from_raw`, and no chunk runs any more.
        unsafe {
            folded = O::join(folded, O::widen(*self.slot.get()));
            let result = self.reducer.result;
            if self.reducer.include_initial {
                folded = O::join(folded, O::widen(*result));
            }
            *result = O::end(folded);
        }
    }
}
