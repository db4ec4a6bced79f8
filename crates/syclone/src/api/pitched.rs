//! Buffers whose rows lie apart: pitched allocations, and rectangular parts of buffers.
//!
//! A [`Buffer`]'s elements are one slice, and stay one. What is not has a type of its own, so that the host never
//! takes what lies between rows for elements.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use syclone_runtime::{AccessMode, Device, Error, HostAccessToken, Name, Result};

use super::access::{AtomicAccess, ReadAccess, ReadWriteAccess, ScatterAccess, WriteAccess};
use super::block::{Block, check_len};
use super::buffer::{Buffer, declares_writes, shaped};
use super::handler::Handler;
use super::range::Range;
use super::rows::{RowsMut, RowsRef};
use crate::types::DeviceCopy;

/// Where the rows of pitched memory begin.
const LINE: usize = 64;

/// A distance at which equal columns of many rows would meet in few places of the caches.
const ALIAS: usize = 4096;

/// The elements from one row to the next such that each begins at a cache line, and no two neighbours a multiple of a
/// page apart. Elements that would need much room for that have rows without a gap.
pub(crate) fn aligned_pitch<T, const D: usize>(extents: [usize; D]) -> usize {
    let (row, size) = (extents[D - 1], size_of::<T>());
    if size == 0 || row == 0 || D == 1 {
        return row;
    }
    // The fewest elements that are whole lines.
    let step = LINE / gcd(LINE, size);
    let aligned = row.checked_next_multiple_of(step);
    let Some(aligned) = aligned.filter(|pitch| step <= LINE && pitch.checked_mul(size).is_some()) else {
        return row;
    };
    if (aligned * size).is_multiple_of(ALIAS) { aligned.saturating_add(step) } else { aligned }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Memory of `D` dimensions whose rows (the last dimension) lie `pitch` elements apart.
///
/// Made by [`Buffer::pitched`], whose rows each begin at a cache line, or by [`Buffer::columns`], which is part of another
/// buffer's memory. Commands use it as they use a [`Buffer`]; kernels see rows and columns and no gaps. Copies move its
/// elements to or from any other memory with as many. The host sees [rows](HostReadRows).
///
/// ```
/// use syclone::prelude::*;
///
/// #[kernel]
/// fn double(item: Item<2>, x: ItemMut<i32, 2>) {
///     x[item] *= 2;
/// }
///
/// # fn main() -> Result<()> {
/// let queue = Queue::new(&Device::select("cpu")?)?;
/// let matrix = Buffer::from_vec_with((0..6).collect::<Vec<i32>>(), [2, 3])?;
/// let right = matrix.columns(1..)?;
/// queue.submit(|h| h.parallel_for([2, 2], double(right.read_write(h))))?;
/// assert_eq!(matrix.to_vec()?, [0, 2, 4, 3, 8, 10]);
///
/// let pitched = Buffer::<i32, 2>::pitched([2, 2])?;
/// queue.copy(&right, &pitched)?;
/// assert_eq!(pitched.to_vec()?, [2, 4, 8, 10]);
/// # Ok(())
/// # }
/// ```
pub struct PitchedBuffer<T, const D: usize = 2> {
    block: Block<T, D>,
}

impl<T, const D: usize> Clone for PitchedBuffer<T, D> {
    fn clone(&self) -> Self {
        PitchedBuffer { block: self.block.clone() }
    }
}

impl<T: DeviceCopy, const D: usize> PitchedBuffer<T, D> {
    pub(crate) fn of(block: Block<T, D>) -> Self {
        PitchedBuffer { block }
    }

    pub(crate) fn new(extents: impl Into<Range<D>>) -> Result<Self> {
        let extents = extents.into().extents();
        PitchedBuffer::with_pitch(extents, aligned_pitch::<T, D>(extents))
    }

    /// A buffer of zeros with `pitch` elements from one row to the next, at least as many as a row has.
    pub fn with_pitch(extents: impl Into<Range<D>>, pitch: usize) -> Result<Self> {
        let extents = extents.into().extents();
        if pitch < extents[D - 1] {
            let command = Name::Borrowed("pitched buffer");
            return Err(Error::PitchTooSmall { command, row: extents[D - 1], pitch });
        }
        let host = Device::select("cpu")?;
        Ok(PitchedBuffer { block: Block::pitched("pitched buffer", &host, extents, pitch)? })
    }

    /// Part of the buffer: the indices `rows` of the first dimension.
    pub fn slice(&self, rows: impl RangeBounds<usize>) -> Result<Self> {
        Ok(PitchedBuffer { block: self.block.slice(rows)? })
    }

    /// Part of the buffer: the indices `columns` of the last dimension.
    pub fn columns(&self, columns: impl RangeBounds<usize>) -> Result<Self> {
        Ok(PitchedBuffer { block: self.block.columns(columns)? })
    }

    /// The same memory as a buffer of one slice, if there is nothing between its rows.
    pub fn to_buffer(&self) -> Result<Buffer<T, D>> {
        self.block.check_dense("buffer from rows")?;
        Ok(Buffer::of(self.block.clone()))
    }
}

/// What every buffer of rows has, and the methods that read.
macro_rules! reads_rows {
    ($($name:ident $(<$scope:lifetime>)?)*) => {$(
        impl<$($scope,)? T: DeviceCopy, const D: usize> $name<$($scope,)? T, D> {
            /// The elements from the beginning of one row to the next.
            pub fn pitch(&self) -> usize {
                self.block.pitch()
            }

            /// Waits for the commands that write the memory, then lets the host read it.
            pub fn host_read_rows(&self) -> Result<HostReadRows<'_, T, D>> {
                HostReadRows::wait(&self.block, AccessMode::Read)
            }

            /// Waits for the commands that write the memory, then copies its elements to a vector.
            pub fn to_vec(&self) -> Result<Vec<T>> {
                Ok(self.host_read_rows()?.rows().to_vec())
            }
        }

        impl<$($scope,)? T: DeviceCopy, const D: usize> fmt::Debug for $name<$($scope,)? T, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let element = std::any::type_name::<T>();
                write!(f, "{}<{element}>({:?}, pitch {})", stringify!($name), self.extents(), self.pitch())
            }
        }
    )*};
}

/// The methods that write, for buffers of rows that commands may write too.
macro_rules! writes_rows {
    ($($name:ident $(<$scope:lifetime>)?)*) => {$(
        impl<$($scope,)? T: DeviceCopy, const D: usize> $name<$($scope,)? T, D> {
            /// Waits for the commands that use the memory, then lets the host read and write it.
            pub fn host_write_rows(&self) -> Result<HostWriteRows<'_, T, D>> {
                HostWriteRows::wait(&self.block, AccessMode::ReadWrite)
            }

            /// Waits for the commands that use the memory, then replaces its elements by those of `source`, which must
            /// have as many. What a failed command left there does not matter.
            pub fn copy_from_slice(&self, source: &[T]) -> Result<()> {
                self.block.check()?;
                check_len::<T, 1>("copy from a slice", source.len(), [self.len()])?;
                let mut guard = HostWriteRows::wait(&self.block, AccessMode::Write)?;
                let len = self.extents()[D - 1].max(1);
                guard.rows_mut().iter_mut().zip(source.chunks(len)).for_each(|(row, source)| row.copy_from_slice(source));
                Ok(())
            }
        }
    )*};
}

pub(crate) use {reads_rows, writes_rows};

shaped!(PitchedBuffer);
reads_rows!(PitchedBuffer);
declares_writes!(PitchedBuffer);
writes_rows!(PitchedBuffer);

/// Rows that the host may read; commands that write them wait until it is dropped.
///
/// The rows can't be kept longer:
///
/// ```compile_fail,E0505
/// use syclone::prelude::*;
/// let buffer = Buffer::<i32, 2>::pitched([2, 2])?;
/// let guard = buffer.host_read_rows()?;
/// let rows = guard.rows();
/// drop(guard);
/// println!("{:?}", rows[0]);
/// # Ok::<(), Error>(())
/// ```
pub struct HostReadRows<'b, T, const D: usize = 2> {
    // Dropped before the block: the memory outlives the host's turn.
    _token: HostAccessToken,
    block: Block<T, D>,
    owner: PhantomData<&'b T>,
}

/// Rows that the host may read and write; commands that use them wait until it is dropped.
///
/// A row that is being written is nobody else's:
///
/// ```compile_fail,E0502
/// use syclone::prelude::*;
/// let buffer = Buffer::<i32, 2>::pitched([2, 2])?;
/// let mut guard = buffer.host_write_rows()?;
/// let mut rows = guard.rows_mut();
/// let read = guard.rows();
/// rows[0][0] = read[0][0];
/// # Ok::<(), Error>(())
/// ```
pub struct HostWriteRows<'b, T, const D: usize = 2> {
    _token: HostAccessToken,
    block: Block<T, D>,
    owner: PhantomData<&'b mut T>,
}

macro_rules! host_rows {
    ($($name:ident)*) => {$(
        impl<T: DeviceCopy, const D: usize> $name<'_, T, D> {
            /// Waits for the host's turn. The caller's lifetime bounds the guard where the memory is borrowed.
            pub(crate) fn wait(block: &Block<T, D>, mode: AccessMode) -> Result<Self> {
                Ok($name { _token: block.wait_for_host(mode)?, block: block.clone(), owner: PhantomData })
            }

            /// The rows.
            pub fn rows(&self) -> RowsRef<'_, T, D> {
                // SAFETY: the token keeps every command from writing the block, other host accesses are ordered by the
                // same rule, and the block keeps its initialised elements alive.
                unsafe { RowsRef::new(self.block.ptr(), self.block.extents(), self.block.pitch()) }
            }
        }

        impl<T: DeviceCopy + fmt::Debug, const D: usize> fmt::Debug for $name<'_, T, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.rows().fmt(f)
            }
        }
    )*};
}

host_rows!(HostReadRows HostWriteRows);

impl<T: DeviceCopy, const D: usize> HostWriteRows<'_, T, D> {
    /// The rows.
    pub fn rows_mut(&mut self) -> RowsMut<'_, T, D> {
        // SAFETY: as in `rows`; the token's mode excludes every other user of the block.
        unsafe { RowsMut::new(self.block.ptr(), self.block.extents(), self.block.pitch()) }
    }
}
