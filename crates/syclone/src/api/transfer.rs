//! Copies and fills: what they take, and the work that fills.

use std::sync::Arc;

use syclone_runtime::{KernelWork, MemoryObject, Name, Result, WorkKind, Worker};

use super::access::{ReadAccess, ReadWriteAccess, WriteAccess};
use super::buffer::Buffer;
use super::handler::{Handler, Operand};
use super::pitched::PitchedBuffer;
use super::scope::{ScopedBuffer, ScopedInput, ScopedPitchedBuffer, ScopedPitchedInput};
use super::usm::{UsmDevice, UsmHost, UsmShared, UsmSlice, UsmSliceMut};
use crate::types::DeviceCopy;

pub(crate) mod sealed {
    use super::{Handler, Operand, Result};

    /// What nobody else can make: a bound on a public trait lets its hidden methods be called, and these take a
    /// declaration away from its access.
    pub struct Internal(pub(in crate::api) ());

    /// Something that gives elements.
    pub trait Source<T> {
        /// The memory, declared to the handler's command by whoever copies it.
        fn source(self, h: &Handler<'_>, internal: Internal) -> Result<Operand>;
    }

    /// Something that takes elements.
    pub trait Target<T> {
        /// The memory, declared to the handler's command by whoever writes it.
        fn target(self, h: &Handler<'_>, internal: Internal) -> Result<Operand>;
    }
}

use sealed::{Internal, Source, Target};

/// What elements can be copied from: a [`ReadAccess`], or a reference to a buffer or to USM memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be copied from",
    note = "copy from an access made with `read`, from `&buffer`, or from `&usm`"
)]
pub trait CopySource<T>: Source<T> {}

/// What elements can be copied to: an access that writes, a reference to a buffer, or a mutable one to USM memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be copied to or filled",
    note = "copy to an access made with `write`, to `&buffer`, or to `&mut usm`"
)]
pub trait CopyTarget<T>: Target<T> {}

impl<T, S: Source<T>> CopySource<T> for S {}
impl<T, S: Target<T>> CopyTarget<T> for S {}

macro_rules! operands {
    ($trait:ident::$method:ident: accesses $($access:ident)*; blocks $($block:ty),*) => {
        $(impl<T: DeviceCopy, const D: usize> $trait<T> for $access<T, D> {
            fn $method(self, h: &Handler<'_>, _: Internal) -> Result<Operand> {
                h.operand(&self.0, stringify!($method))
            }
        })*
        $(impl<T: DeviceCopy, const D: usize> $trait<T> for $block {
            fn $method(self, h: &Handler<'_>, _: Internal) -> Result<Operand> {
                h.block_operand(self.block())
            }
        })*
    };
}

operands!(Source::source: accesses ReadAccess; blocks
    &Buffer<T, D>, &PitchedBuffer<T, D>, &ScopedBuffer<'_, T, D>, &ScopedInput<'_, T, D>,
    &ScopedPitchedBuffer<'_, T, D>, &ScopedPitchedInput<'_, T, D>,
    &UsmDevice<T, D>, &UsmHost<T, D>, &UsmShared<T, D>, &UsmSlice<'_, T, D>, &UsmSliceMut<'_, T, D>
);
operands!(Target::target: accesses WriteAccess ReadWriteAccess; blocks
    &Buffer<T, D>, &PitchedBuffer<T, D>, &ScopedBuffer<'_, T, D>, &ScopedPitchedBuffer<'_, T, D>,
    &mut UsmDevice<T, D>, &mut UsmHost<T, D>, &mut UsmShared<T, D>, &mut UsmSliceMut<'_, T, D>
);

/// Elements per chunk: enough to hide the cost of a claim, few enough to spread a large fill over the workers.
const CHUNK: usize = 1 << 16;

/// Writes one value to every element of an operand.
///
/// The runtime's own fill repeats bytes; this writes values, because a struct's padding has no bytes to repeat.
pub(crate) struct FillWork<T> {
    /// Keeps the memory for the pointer below.
    _object: Arc<MemoryObject>,
    first: *mut T,
    len: usize,
    /// Elements of one row, and from one to the next.
    row: usize,
    pitch: usize,
    value: T,
}

// SAFETY: `first` is written only by `run`, under its contract, on whatever thread that is.
unsafe impl<T: DeviceCopy> Send for FillWork<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for FillWork<T> {}

impl<T: DeviceCopy> FillWork<T> {
    pub(crate) fn new(target: &Operand, value: T) -> Self {
        let region = &target.region;
        let first = target.object.ptr().wrapping_add(region.bounds().start).cast();
        let elements = |bytes: usize| bytes.checked_div(size_of::<T>()).unwrap_or(target.len);
        let (row, pitch) = (elements(region.row_bytes()), elements(region.pitch()));
        FillWork { _object: Arc::clone(&target.object), first, len: target.len, row, pitch, value }
    }
}

impl<T: DeviceCopy> KernelWork for FillWork<T> {
    fn name(&self) -> Name {
        Name::Borrowed("fill")
    }

    fn chunks(&self) -> usize {
        self.len.div_ceil(CHUNK)
    }

    fn kind(&self) -> WorkKind {
        WorkKind::Fill
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        let mut position = chunk * CHUNK;
        let end = self.len.min(position + CHUNK);
        while position < end {
            let (row, column) = (position / self.row, position % self.row);
            let len = (self.row - column).min(end - position);
            // SAFETY: the operand's elements are aligned and inside its object, which the command declares as written,
            // so that nobody else touches them now; chunks don't overlap.
            unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.pitch + column), len) }.fill(self.value);
            position += len;
        }
        Ok(())
    }
}
