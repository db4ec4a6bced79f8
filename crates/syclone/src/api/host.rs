//! Host accesses: the host's turn at memory that commands share.
//!
//! A guard is made once the commands that conflict with it have ended, and while it lives later ones wait for it: a
//! host access stands in the same order as commands do. So drop it before waiting for a command that needs it.
//! A guard stays on its thread, as those of `std`'s locks do; what it derefs to may be lent to others.
//! A leaked guard keeps the memory for ever; nothing can then write what it could still read.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use syclone_runtime::{AccessMode, HostAccessToken, Result};

use super::block::Block;
use crate::types::DeviceCopy;

/// Elements that the host may read, in row-major order; commands that write them wait until it is dropped.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let buffer = Buffer::from_vec(vec![1, 2, 3]);
/// assert_eq!(buffer.host_read()?[..], [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
pub struct HostRead<'b, T, const D: usize = 1> {
    // Dropped before the block: the memory outlives the host's turn.
    _token: HostAccessToken,
    block: Block<T, D>,
    owner: PhantomData<&'b T>,
}

/// Elements that the host may read and write, in row-major order; commands that use them wait until it is dropped.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let buffer = Buffer::from_vec(vec![1, 2, 3]);
/// buffer.host_write()?[1] = 20;
/// assert_eq!(buffer.to_vec()?, [1, 20, 3]);
/// # Ok(())
/// # }
/// ```
pub struct HostWrite<'b, T, const D: usize = 1> {
    _token: HostAccessToken,
    block: Block<T, D>,
    owner: PhantomData<&'b mut T>,
}

macro_rules! guard {
    ($name:ident, $mode:expr) => {
        impl<T: DeviceCopy, const D: usize> $name<'_, T, D> {
            /// Waits for the host's turn.
            ///
            /// The caller's lifetime bounds the guard where the memory is borrowed.
            pub(crate) fn wait(block: &Block<T, D>) -> Result<Self> {
                let token = block.wait_for_host($mode)?;
                Ok($name { _token: token, block: block.clone(), owner: PhantomData })
            }

            /// The number of elements in each dimension.
            pub fn extents(&self) -> [usize; D] {
                self.block.extents()
            }
        }

        impl<T: DeviceCopy, const D: usize> Deref for $name<'_, T, D> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                // SAFETY: the token keeps every command from writing the block, other host accesses are ordered by
                // the same rule, and the block keeps its initialised elements alive.
                unsafe { std::slice::from_raw_parts(self.block.ptr(), self.block.len()) }
            }
        }

        impl<T: DeviceCopy + fmt::Debug, const D: usize> fmt::Debug for $name<'_, T, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

guard!(HostRead, AccessMode::Read);
guard!(HostWrite, AccessMode::ReadWrite);

impl<T: DeviceCopy, const D: usize> HostWrite<'_, T, D> {
    /// Waits for the host's turn at elements that it will replace, whether or not their last writer failed.
    pub(crate) fn wait_to_replace(block: &Block<T, D>) -> Result<Self> {
        let token = block.wait_for_host(AccessMode::Write)?;
        Ok(HostWrite { _token: token, block: block.clone(), owner: PhantomData })
    }
}

impl<T: DeviceCopy, const D: usize> DerefMut for HostWrite<'_, T, D> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; the token's mode excludes every other user of the block.
        unsafe { std::slice::from_raw_parts_mut(self.block.ptr(), self.block.len()) }
    }
}
