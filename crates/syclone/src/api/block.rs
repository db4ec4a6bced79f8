//! Typed, shaped memory: what buffers, sub-buffers, scoped buffers and USM allocations have in common.
//!
//! A [`Block`] is a run of elements of one memory object. The object orders its users by byte range, so blocks of
//! one object that don't meet are independent.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use syclone_kernel_ast::types::Type;
use syclone_runtime::{Access, AccessMode, Device, Error, HostAccessToken, MemoryObject, Name, Result};

use super::range::checked_product;
use super::scope::Watch;
use crate::types::DeviceCopy;

/// `extents` elements of `T`, `start` bytes into an object.
#[derive(Debug)]
pub(crate) struct Block<T, const D: usize> {
    object: Arc<MemoryObject>,
    start: usize,
    extents: [usize; D],
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
        Block::of(MemoryObject::from_vec(vec), extents)
    }

    /// All elements of `object`, which holds as many as `extents` say.
    pub(crate) fn of(object: Arc<MemoryObject>, extents: [usize; D]) -> Self {
        Block { object, start: 0, extents, failure: None, watch: None, element: PhantomData }
    }

    /// The same block, whose commands `watch` learns of.
    pub(crate) fn watched(mut self, watch: &Arc<Watch>) -> Self {
        self.watch = Some(Arc::clone(watch));
        self
    }

    /// A block without memory, each use of which gives `error`.
    pub(crate) fn failed(error: Error, extents: [usize; D]) -> Self {
        let object = MemoryObject::from_vec(Vec::<T>::new());
        Block { object, start: 0, extents, failure: Some(Arc::new(error)), watch: None, element: PhantomData }
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

    /// The bytes of the object that the block covers.
    pub(crate) fn bytes(&self) -> std::ops::Range<usize> {
        match self.failure {
            Some(_) => 0..0,
            None => self.start..self.start + self.len() * size_of::<T>(),
        }
    }

    /// The declaration that a command uses the block, as what errors call `parameter`.
    pub(crate) fn access(&self, mode: AccessMode, parameter: impl Into<Name>) -> Access {
        Access::range(&self.object, mode, self.bytes(), parameter)
    }

    /// Waits until the host may use the block; commands that conflict wait until the token is dropped.
    pub(crate) fn wait_for_host(&self, mode: AccessMode) -> Result<HostAccessToken> {
        self.check()?;
        self.object.wait_for_host_range(mode, self.bytes())
    }

    /// The rows `rows` of the first dimension.
    pub(crate) fn slice(&self, rows: impl RangeBounds<usize>) -> Result<Self> {
        self.check()?;
        let all = self.extents[0];
        let start = match rows.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match rows.end_bound() {
            Bound::Included(&end) => end.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => all,
        };
        let row_bytes = self.extents[1..].iter().product::<usize>() * size_of::<T>();
        if start > end || end > all {
            return Err(Error::RangeOutsideObject {
                command: Name::Borrowed("slice"),
                start: start.saturating_mul(row_bytes),
                end: end.saturating_mul(row_bytes),
                bytes: all * row_bytes,
            });
        }
        let mut part = self.clone();
        part.start += start * row_bytes;
        part.extents[0] = end - start;
        Ok(part)
    }

    /// The same elements in rows of another shape.
    pub(crate) fn reshape<const E: usize>(&self, what: &'static str, extents: [usize; E]) -> Result<Block<T, E>> {
        self.check()?;
        check_len::<T, E>(what, self.len(), extents)?;
        Ok(Block {
            object: Arc::clone(&self.object),
            start: self.start,
            extents,
            failure: None,
            watch: self.watch.clone(),
            element: PhantomData,
        })
    }

    /// The block's vector, if it has one, is all of it, and is the last handle.
    pub(crate) fn try_into_vec(self) -> Result<Vec<T>, Self> {
        let Block { object, start, extents, failure, watch, element } = self;
        let whole = start == 0 && failure.is_none() && Some(object.bytes()) == byte_count::<T, D>(extents);
        let back = |object| Block { object, start, extents, failure: failure.clone(), watch: watch.clone(), element };
        if !whole {
            return Err(back(object));
        }
        object.try_into_vec::<T>().map_err(back)
    }
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
