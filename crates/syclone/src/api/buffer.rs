//! Buffers: shared memory whose users the runtime orders.

use std::fmt;
use std::ops::RangeBounds;

use syclone_runtime::{AccessMode, Device, Result};

use super::access::{AtomicAccess, ReadAccess, ReadWriteAccess, ReduceAccess, ScatterAccess, WriteAccess};
use super::block::{Block, check_len};
use super::handler::Handler;
use super::host::{HostRead, HostWrite};
use super::pitched::PitchedBuffer;
use super::range::Range;
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// Memory of `D` dimensions, 1 to 3, that host and devices share.
///
/// A buffer is a handle: clones are the same memory. Commands say how they use it (`read`, `write`, …), and the
/// runtime runs them in an order in which each reads what the last writer before it has written; the host waits its
/// turn with [`host_read`](Buffer::host_read) and [`host_write`](Buffer::host_write). Commands share ownership, so
/// a buffer may be dropped at any time, and dropping never waits.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let queue = Queue::new(&Device::select("cpu")?)?;
/// let buffer = Buffer::<i32, 2>::new([2, 3]);
/// queue.submit(|h| h.fill(buffer.write(h), 7))?;
/// assert_eq!(buffer.to_vec()?, [7; 6]);
/// # Ok(())
/// # }
/// ```
pub struct Buffer<T, const D: usize = 1> {
    block: Block<T, D>,
}

impl<T, const D: usize> Clone for Buffer<T, D> {
    fn clone(&self) -> Self {
        Buffer { block: self.block.clone() }
    }
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    /// A buffer of zeros.
    ///
    /// If there is no memory for it, its first use gives the error, as [`try_new`](Buffer::try_new) would.
    pub fn new(extents: impl Into<Range<D>>) -> Self {
        let extents = extents.into();
        Buffer::try_new(extents).unwrap_or_else(|error| Buffer { block: Block::failed(error, extents.extents()) })
    }

    /// A buffer of zeros, or why there is no memory for it.
    pub fn try_new(extents: impl Into<Range<D>>) -> Result<Self> {
        // Counted with the host's own device, whose memory it is; every other device works on a copy.
        let host = Device::select("cpu")?;
        Ok(Buffer { block: Block::zeroed("buffer", &host, extents.into().extents())? })
    }

    /// The elements of `vec`, row by row, without copying them; `extents` must hold exactly as many.
    pub fn from_vec_with(vec: Vec<T>, extents: impl Into<Range<D>>) -> Result<Self> {
        let extents = extents.into().extents();
        check_len::<T, D>("buffer from a vector", vec.len(), extents)?;
        Ok(Buffer { block: Block::from_vec(vec, extents) })
    }

    /// A buffer of a dense block.
    pub(crate) fn of(block: Block<T, D>) -> Self {
        Buffer { block }
    }

    /// Part of the buffer: the indices `rows` of the first dimension, as a buffer of the same memory.
    ///
    /// Commands on parts that don't overlap are independent.
    pub fn slice(&self, rows: impl RangeBounds<usize>) -> Result<Self> {
        Ok(Buffer { block: self.block.slice(rows)? })
    }

    /// Part of the buffer: the indices `columns` of the last dimension, whose rows lie apart in the same memory.
    ///
    /// Commands on parts that don't overlap are independent: the two halves of a matrix, side by side, don't.
    pub fn columns(&self, columns: impl RangeBounds<usize>) -> Result<PitchedBuffer<T, D>> {
        Ok(PitchedBuffer::of(self.block.columns(columns)?))
    }

    /// A buffer of zeros whose rows each begin at a cache line, or why there is no memory for it; see [`PitchedBuffer`].
    pub fn pitched(extents: impl Into<Range<D>>) -> Result<PitchedBuffer<T, D>> {
        PitchedBuffer::new(extents)
    }

    /// The same memory with other extents that hold exactly as many elements.
    pub fn reshape<const E: usize>(&self, extents: impl Into<Range<E>>) -> Result<Buffer<T, E>> {
        Ok(Buffer { block: self.block.reshape("reshape", extents.into().extents())? })
    }

    /// Waits for the commands that use the buffer, then gives its elements.
    ///
    /// The vector that the buffer was made from comes back without a copy when this is the last handle.
    pub fn into_vec(self) -> Result<Vec<T>> {
        // Commands let go of the memory when they end: after this wait the last handle is the last user.
        drop(self.host_read()?);
        match self.block.try_into_vec() {
            Ok(vec) => Ok(vec),
            Err(block) => Buffer { block }.to_vec(),
        }
    }
}

impl<T: DeviceCopy> Buffer<T, 1> {
    /// The elements of `vec`, without copying them.
    pub fn from_vec(vec: Vec<T>) -> Self {
        let len = vec.len();
        Buffer { block: Block::from_vec(vec, [len]) }
    }

    /// A copy of `slice`.
    pub fn from_slice(slice: &[T]) -> Self {
        Buffer::from_vec(slice.to_vec())
    }
}

impl<T: DeviceCopy> From<Vec<T>> for Buffer<T, 1> {
    fn from(vec: Vec<T>) -> Self {
        Buffer::from_vec(vec)
    }
}

/// What every type with a `block` says of its shape, and its declarations of reads.
macro_rules! shaped {
    ($($name:ident $(<$scope:lifetime>)?)*) => {$(
        impl<$($scope,)? T: DeviceCopy, const D: usize> $name<$($scope,)? T, D> {
            /// The number of elements in each dimension.
            pub fn extents(&self) -> [usize; D] {
                self.block.extents()
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                self.block.len()
            }

            /// Whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            pub(crate) fn block(&self) -> &Block<T, D> {
                &self.block
            }

            /// Declares that the command of `h` reads the memory.
            pub fn read(&self, h: &Handler<'_>) -> ReadAccess<T, D> {
                ReadAccess(h.declare(&self.block, AccessMode::Read))
            }
        }
    )*};
}

/// The declarations of writes, for every type with a `block` that commands may write too.
macro_rules! declares_writes {
    ($($name:ident $(<$scope:lifetime>)?)*) => {$(
        impl<$($scope,)? T: DeviceCopy, const D: usize> $name<$($scope,)? T, D> {
            /// Declares that the command of `h` writes the memory and does not need what it held.
            pub fn write(&self, h: &Handler<'_>) -> WriteAccess<T, D> {
                WriteAccess(h.declare(&self.block, AccessMode::Write))
            }

            /// Declares that the command of `h` reads and writes the memory.
            pub fn read_write(&self, h: &Handler<'_>) -> ReadWriteAccess<T, D> {
                ReadWriteAccess(h.declare(&self.block, AccessMode::ReadWrite))
            }

            /// Declares that the command of `h` changes the memory by atomic operations.
            pub fn atomic(&self, h: &Handler<'_>) -> AtomicAccess<T, D> {
                AtomicAccess(h.declare(&self.block, AccessMode::ReadWrite))
            }

            /// Declares that the command of `h` writes the memory at any index.
            pub fn scatter(&self, h: &Handler<'_>) -> ScatterAccess<T, D> {
                ScatterAccess(h.declare(&self.block, AccessMode::ReadWrite))
            }
        }
    )*};
}

/// The methods that read, for every type with a `block` that commands may at least read.
macro_rules! readable {
    ($($name:ident $(<$scope:lifetime>)?)*) => {$(
        impl<$($scope,)? T: DeviceCopy, const D: usize> $name<$($scope,)? T, D> {
            /// Waits for the commands that write the memory, then lets the host read it.
            pub fn host_read(&self) -> Result<HostRead<'_, T, D>> {
                HostRead::wait(&self.block)
            }

            /// Waits for the commands that write the memory, then copies its elements to a vector.
            pub fn to_vec(&self) -> Result<Vec<T>> {
                Ok(self.host_read()?.to_vec())
            }

            /// Waits for the commands that write the memory, then copies its elements to `target`, which must have as
            /// many.
            pub fn copy_to_slice(&self, target: &mut [T]) -> Result<()> {
                self.block.check()?;
                check_len::<T, 1>("copy to a slice", self.len(), [target.len()])?;
                target.copy_from_slice(&self.host_read()?);
                Ok(())
            }
        }

        impl<$($scope,)? T: DeviceCopy, const D: usize> fmt::Debug for $name<$($scope,)? T, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let element = std::any::type_name::<T>();
                write!(f, "{}<{element}>({:?})", stringify!($name), self.block.extents())
            }
        }
    )*};
}

/// The methods that write, for every type with a `block` that commands may write too.
macro_rules! writable {
    ($($name:ident $(<$scope:lifetime>)?)*) => {$(
        impl<$($scope,)? T: DeviceCopy, const D: usize> $name<$($scope,)? T, D> {
            /// Waits for the commands that use the memory, then replaces its elements by those of `source`, which must
            /// have as many. What a failed command left there does not matter.
            pub fn copy_from_slice(&self, source: &[T]) -> Result<()> {
                self.block.check()?;
                check_len::<T, 1>("copy from a slice", source.len(), [self.len()])?;
                HostWrite::wait_to_replace(&self.block)?.copy_from_slice(source);
                Ok(())
            }

            /// Waits for the commands that use the memory, then lets the host read and write it.
            pub fn host_write(&self) -> Result<HostWrite<'_, T, D>> {
                HostWrite::wait(&self.block)
            }
        }

        impl<$($scope,)? T: DeviceCopy> $name<$($scope,)? T, 1> {
            /// Declares that the command of `h` reduces into the memory's only element with `op`.
            pub fn reduce<O: ReduceOp<T>>(&self, h: &Handler<'_>, op: O) -> ReduceAccess<T, O> {
                ReduceAccess::declare(h, &self.block, op)
            }
        }
    )*};
}

pub(crate) use {declares_writes, readable, shaped, writable};

shaped!(Buffer);
readable!(Buffer);
declares_writes!(Buffer);
writable!(Buffer);
