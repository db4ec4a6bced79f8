//! Typed, shaped memory: what buffers, sub-buffers, scoped buffers and USM allocations have in common.
//!
//! A [`Block`] is rows of elements of one memory object. The object orders its users by the bytes of those rows, so blocks
//! of one object that don't meet are independent.
//!
//! In a *dense* block each row follows the one before. Buffers and USM allocations that the host reads as a slice are
//! dense; pitched buffers, and parts of device allocations, need not be.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use syclone_kernel_ast::types::Type;
use syclone_runtime::{Access, AccessMode, Device, Error, HostAccessToken, MemoryObject, Name, Region, Result};

use super::range::checked_product;
use super::scope::Watch;
use crate::types::DeviceCopy;

/// `extents` elements of `T`, `start` bytes into an object, with `pitch` elements from one row to the next.
#[derive(Debug)]
pub(crate) struct Block<T, const D: usize> {
    object: Arc<MemoryObject>,
    start: usize,
    extents: [usize; D],
    /// At least the last extent.
    pitch: usize,
    /// The only device that may use the memory itself; `None` if all may.
    owner: Option<Device>,
    /// Why there is no memory, if there is none: reported by the first use.
    failure: Option<Arc<Error>>,
    /// Who must learn of the commands that use the block: the scope that it borrows from.
    watch: Option<Arc<Watch>>,
    element: PhantomData<T>,
}

impl<T, const D: usize> Clone for Block<T, D> {
    fn clone(&self) -> Self {
        Block {
            object: Arc::clone(&self.object),
            start: self.start,
            extents: self.extents,
            pitch: self.pitch,
            owner: self.owner.clone(),
            failure: self.failure.clone(),
            watch: self.watch.clone(),
            element: PhantomData,
        }
    }
}

impl<T: DeviceCopy, const D: usize> Block<T, D> {
    /// New memory on `device`, every element [`DeviceCopy::zeroed`].
    pub(crate) fn zeroed(what: &'static str, device: &Device, extents: [usize; D]) -> Result<Self> {
        let (len, bytes) = checked_bytes::<T, D>(what, extents)?;
        let object = MemoryObject::allocate(device, bytes)?;
        if !zero_is_zero_bytes(&T::device_type()) {
            let first = object.ptr().cast::<T>();
            for idx in 0..len {
                // SAFETY: the object is new, so nobody else knows it; it has room for `len` aligned elements.
                unsafe { first.add(idx).write(T::zeroed()) };
            }
        }
        Ok(Block::of(object, extents))
    }

    /// The elements of a vector, which is moved in.
    pub(crate) fn from_vec(vec: Vec<T>, extents: [usize; D]) -> Self {
        debug_assert_eq!(checked_product(extents), Some(vec.len()), "the caller has checked the length");
        // SAFETY: commands reach the object by handles of `T` alone, and write values of `T`.
        Block::of(unsafe { MemoryObject::from_values(vec) }, extents)
    }

    /// All elements of `object`, which holds as many as `extents` say.
    pub(crate) fn of(object: Arc<MemoryObject>, extents: [usize; D]) -> Self {
        let pitch = extents[D - 1];
        Block { object, start: 0, extents, pitch, owner: None, failure: None, watch: None, element: PhantomData }
    }

    /// New memory on `device` whose rows begin `pitch` elements apart, every element [`DeviceCopy::zeroed`].
    pub(crate) fn pitched(what: &'static str, device: &Device, extents: [usize; D], pitch: usize) -> Result<Self> {
        let (len, _) = checked_bytes::<T, D>(what, extents)?;
        let mut padded = extents;
        if len > 0 {
            padded[D - 1] = pitch;
        }
        let block = Block::zeroed(what, device, padded)?;
        Ok(Block { extents, pitch, ..block })
    }

    /// The same block, which only `owner` may use.
    pub(crate) fn owned_by(mut self, owner: Option<Device>) -> Self {
        self.owner = owner;
        self
    }

    /// The same block, whose commands `watch` learns of.
    pub(crate) fn watched(mut self, watch: &Arc<Watch>) -> Self {
        self.watch = Some(Arc::clone(watch));
        self
    }

    /// A block without memory, each use of which gives `error`.
    pub(crate) fn failed(error: Error, extents: [usize; D]) -> Self {
        // SAFETY: there are no elements.
        let object = unsafe { MemoryObject::from_values(Vec::<T>::new()) };
        Block { failure: Some(Arc::new(error)), ..Block::of(object, extents) }
    }

    pub(crate) fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// The number of elements; only a block without memory can have a product that overflows.
    pub(crate) fn len(&self) -> usize {
        checked_product(self.extents).unwrap_or(usize::MAX)
    }

    /// An error if there is no memory behind the block.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.failure {
            Some(error) => Err(Error::clone(error)),
            None => Ok(()),
        }
    }

    pub(crate) fn object(&self) -> &Arc<MemoryObject> {
        &self.object
    }

    pub(crate) fn watch(&self) -> Option<&Arc<Watch>> {
        self.watch.as_ref()
    }

    /// The first element. Touching it needs a place in the object's hazard order.
    pub(crate) fn ptr(&self) -> *mut T {
        self.object.ptr().wrapping_add(self.start).cast()
    }

    /// The elements from the beginning of one row to the next.
    pub(crate) fn pitch(&self) -> usize {
        self.pitch
    }

    pub(crate) fn owner(&self) -> Option<&Device> {
        self.owner.as_ref()
    }

    /// Whether there is nothing between the rows.
    pub(crate) fn is_dense(&self) -> bool {
        self.region().is_range()
    }

    /// Refuses what takes the elements for one slice, if they are none.
    pub(crate) fn check_dense(&self, command: &'static str) -> Result<()> {
        self.check()?;
        if self.is_dense() {
            return Ok(());
        }
        Err(Error::RowsApart { command: Name::Borrowed(command), row: self.extents[D - 1], pitch: self.pitch })
    }

    /// The number of rows; of rows without elements there may be more than can be counted.
    pub(crate) fn rows(&self) -> usize {
        self.extents[..D - 1].iter().fold(1, |rows: usize, &extent| rows.saturating_mul(extent))
    }

    /// The bytes of the object that the block covers.
    pub(crate) fn region(&self) -> Region {
        if self.failure.is_some() {
            return Region::range(0..0);
        }
        if self.len() == 0 {
            // Without elements, extents and pitch may be more than bytes can count.
            return Region::range(self.start..self.start);
        }
        let row_bytes = self.extents[D - 1] * size_of::<T>();
        Region::rows(self.start, row_bytes, self.rows(), self.pitch * size_of::<T>())
    }

    /// The declaration that a command uses the block, as what errors call `parameter`.
    pub(crate) fn access(&self, mode: AccessMode, parameter: impl Into<Name>) -> Access {
        Access::region(&self.object, mode, self.region(), parameter)
    }

    /// Waits until the host may use the block; commands that conflict wait until the token is dropped.
    pub(crate) fn wait_for_host(&self, mode: AccessMode) -> Result<HostAccessToken> {
        self.check()?;
        self.object.wait_for_host_region(mode, self.region())
    }

    /// The indices `rows` of the first dimension.
    pub(crate) fn slice(&self, rows: impl RangeBounds<usize>) -> Result<Self> {
        self.check()?;
        // The bytes from one index of the first dimension to the next; any number will do if there are no elements.
        let rows_of_one = self.extents[1..D.max(2) - 1].iter();
        let step = if D == 1 { 1 } else { rows_of_one.fold(self.pitch, |all, &rows| all.saturating_mul(rows)) };
        let step = step.saturating_mul(size_of::<T>());
        let rows = checked_part("slice", rows, self.extents[0])?;
        let mut part = self.clone();
        part.start = part.start.saturating_add(rows.start.saturating_mul(step));
        part.extents[0] = rows.len();
        part.close(self.start);
        Ok(part)
    }

    /// The indices `columns` of the last dimension; the rows stay as far apart as they are.
    pub(crate) fn columns(&self, columns: impl RangeBounds<usize>) -> Result<Self> {
        self.check()?;
        let columns = checked_part("columns", columns, self.extents[D - 1])?;
        let mut part = self.clone();
        part.start = part.start.saturating_add(columns.start.saturating_mul(size_of::<T>()));
        part.extents[D - 1] = columns.len();
        part.close(self.start);
        Ok(part)
    }

    /// A single row has nothing after it, and a part without elements lies where the whole does: its own beginning
    /// may be past the object's end.
    fn close(&mut self, start: usize) {
        if self.len() == 0 {
            self.start = start;
        }
        if self.rows() <= 1 {
            self.pitch = self.extents[D - 1];
        }
    }

    /// The same elements in rows of another shape.
    pub(crate) fn reshape<const E: usize>(&self, what: &'static str, extents: [usize; E]) -> Result<Block<T, E>> {
        self.check()?;
        check_len::<T, E>(what, self.len(), extents)?;
        let shaped = Block::of(Arc::clone(&self.object), extents);
        Ok(Block { start: self.start, owner: self.owner.clone(), watch: self.watch.clone(), ..shaped })
    }

    /// The block's vector, if it has one, is all of it, and is the last handle.
    pub(crate) fn try_into_vec(self) -> Result<Vec<T>, Self> {
        let whole = self.start == 0
            && self.failure.is_none()
            && self.is_dense()
            && Some(self.object.bytes()) == byte_count::<T, D>(self.extents);
        if !whole {
            return Err(self);
        }
        let extents = self.extents;
        // Nothing but the memory matters to a block that is all of it and has no failure, but for whom it tells.
        let Block { object, owner, watch, .. } = self;
        let back = |object| Block { owner, watch, ..Block::of(object, extents) };
        object.try_into_vec::<T>().map_err(back)
    }
}

/// The part `bounds` of `all` indices, or an error that names `what`.
fn checked_part(what: &'static str, bounds: impl RangeBounds<usize>, all: usize) -> Result<std::ops::Range<usize>> {
    let start = match bounds.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match bounds.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => all,
    };
    if start <= end && end <= all {
        return Ok(start..end);
    }
    Err(Error::PartOutside { command: Name::Borrowed(what), start, end, extent: all })
}

fn byte_count<T, const D: usize>(extents: [usize; D]) -> Option<usize> {
    let bytes = checked_product(extents)?.checked_mul(size_of::<T>())?;
    (bytes <= isize::MAX as usize).then_some(bytes)
}

/// The elements and bytes that `extents` take, or an error that names `what`.
pub(crate) fn checked_bytes<T, const D: usize>(what: &'static str, extents: [usize; D]) -> Result<(usize, usize)> {
    match (checked_product(extents), byte_count::<T, D>(extents)) {
        (Some(len), Some(bytes)) => Ok((len, bytes)),
        _ => Err(Error::SizeOverflow {
            what: Name::Borrowed(what),
            extents: extents.to_vec(),
            element_bytes: size_of::<T>(),
        }),
    }
}

/// An error that names `what`, unless `extents` hold exactly `len` elements.
pub(crate) fn check_len<T, const D: usize>(what: &'static str, len: usize, extents: [usize; D]) -> Result<()> {
    let (expected, _) = checked_bytes::<T, D>(what, extents)?;
    if expected == len {
        return Ok(());
    }
    Err(Error::LengthMismatch { command: Name::Borrowed(what), source_len: len, target_len: expected })
}

/// Whether a value of zero bytes is the type's zero, so that fresh memory need not be written. (It always is a valid
/// value then; an enum's zero is its first variant, whatever its bytes are.)
fn zero_is_zero_bytes(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Int(_) | Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => true,
        Type::Vector(element, _) | Type::Array(element, _) => zero_is_zero_bytes(element),
        Type::Struct(fields) => fields.fields.iter().all(|field| zero_is_zero_bytes(&field.ty)),
        _ => false,
    }
}
