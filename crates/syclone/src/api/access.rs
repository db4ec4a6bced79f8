//! Accesses: what a command group declares about memory, and passes to its kernel.
//!
//! `buffer.read(h)` tells the handler `h` that its command reads the buffer, and gives a [`ReadAccess`] to pass on
//! as the kernel's argument. An access belongs to the command of its handler: launched with another one, it is an
//! error, never a stray pointer, because only its own command is ordered against the buffer's other users.
//!
//! What a writing access becomes is decided by the kernel's parameter: an [`ItemMut`], a [`GroupMut`] or a
//! [`ScatterMut`]. It is moved into the kernel, so that one access can't become two parameters. On the host an
//! access can be read only inside its command's host task.

use std::marker::PhantomData;

use syclone_runtime::AccessMode;

use super::block::{Block, check_len};
use super::handler::Handler;
use super::range::checked_product;
use crate::kernel::{AtomicView, GroupMut, ItemMut, KernelArg, Reducer, ScatterMut, View};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// What every access holds.
#[derive(Debug)]
pub struct RawAccess<T, const D: usize> {
    pub(crate) ptr: *mut T,
    pub(crate) extents: [usize; D],
    /// The elements from the beginning of one row to the next.
    pub(crate) pitch: usize,
    /// The command of the handler that it was made with.
    pub(crate) command: u64,
    /// Its place in that handler's list of accesses.
    pub(crate) index: usize,
}

impl<T, const D: usize> Clone for RawAccess<T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize> Copy for RawAccess<T, D> {}

// SAFETY: the pointer is used only by the command that the access was declared to, which the runtime orders against
// every other user of the memory, on whatever thread it runs.
unsafe impl<T: DeviceCopy, const D: usize> Send for RawAccess<T, D> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize> Sync for RawAccess<T, D> {}

impl<T, const D: usize> RawAccess<T, D> {
    pub(crate) fn len(&self) -> usize {
        checked_product(self.extents).unwrap_or(usize::MAX)
    }

    /// Whether the elements are one slice. Of rows without elements there may be more than can be counted.
    pub(crate) fn is_dense(&self) -> bool {
        self.pitch == self.extents[D - 1] || self.len() == 0 || self.extents[..D - 1].iter().all(|&extent| extent == 1)
    }
}

macro_rules! access {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T, const D: usize = 1>(pub(crate) RawAccess<T, D>);

        impl<T, const D: usize> $name<T, D> {
            /// The number of elements in each dimension.
            pub fn extents(&self) -> [usize; D] {
                self.0.extents
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    };
    (copy $(#[$doc:meta])* $name:ident) => {
        access!($(#[$doc])* $name);

        impl<T, const D: usize> Clone for $name<T, D> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T, const D: usize> Copy for $name<T, D> {}
    };
}

access!(copy
    /// The command reads the memory; in the kernel a [`View`].
    ReadAccess
);
access!(
    /// The command writes the memory without needing what it held; in the kernel an [`ItemMut`], a [`GroupMut`] or a
    /// [`ScatterMut`].
    WriteAccess
);
access!(
    /// The command reads and writes the memory; in the kernel an [`ItemMut`], a [`GroupMut`] or a [`ScatterMut`].
    ReadWriteAccess
);
access!(copy
    /// The command changes the memory by atomic operations only; in the kernel an [`AtomicView`].
    AtomicAccess
);
access!(
    /// The command writes any element from any item; in the kernel a [`ScatterMut`], whose launch is unsafe.
    ScatterAccess
);

/// The command reduces into the memory's only element; in the kernel a [`Reducer`].
#[derive(Debug)]
pub struct ReduceAccess<T, O> {
    pub(crate) raw: RawAccess<T, 1>,
    pub(crate) include_initial: bool,
    pub(crate) op: PhantomData<O>,
}

impl<T, O> ReduceAccess<T, O> {
    /// Combines what the memory held before with the kernel's result, instead of replacing it.
    pub fn including_initial_value(mut self) -> Self {
        self.include_initial = true;
        self
    }
}

impl<T: DeviceCopy, O: ReduceOp<T>> ReduceAccess<T, O> {
    /// Declares the reduction to the command of `h`.
    pub(crate) fn declare(h: &Handler<'_>, block: &Block<T, 1>, op: O) -> Self {
        let _ = op;
        if let Err(error) = check_len::<T, 1>("reduction", block.len(), [1]) {
            h.fail(error);
        }
        // Read too, as only `including_initial_value` would tell; a failed writer before it is then an error.
        let raw = h.declare(block, AccessMode::ReadWrite);
        ReduceAccess { raw, include_initial: false, op: PhantomData }
    }
}

impl<T: DeviceCopy, const D: usize> KernelArg<View<T, D>> for ReadAccess<T, D> {
    unsafe fn into_param(self) -> View<T, D> {
        // SAFETY: the access declared this read to its command, which alone accepts the handle.
        unsafe { View::from_raw(self.0.ptr, self.0.extents, Some(self.0.command)).with_pitch(self.0.pitch) }
    }
}

macro_rules! writes {
    ($($access:ident => $($handle:ident)*;)*) => {$($(
        impl<T: DeviceCopy, const D: usize> KernelArg<$handle<T, D>> for $access<T, D> {
            unsafe fn into_param(self) -> $handle<T, D> {
                // SAFETY: the access declared this write to its command, which alone accepts the handle, and it is
                // moved, so that no second handle of the command reaches the memory.
                unsafe { $handle::from_raw(self.0.ptr, self.0.extents, Some(self.0.command)).with_pitch(self.0.pitch) }
            }
        }
    )*)*};
}

writes! {
    WriteAccess => ItemMut GroupMut ScatterMut;
    ReadWriteAccess => ItemMut GroupMut ScatterMut;
    ScatterAccess => ScatterMut;
    AtomicAccess => AtomicView;
}

impl<T: DeviceCopy, O: ReduceOp<T>> KernelArg<Reducer<T, O>> for ReduceAccess<T, O> {
    unsafe fn into_param(self) -> Reducer<T, O> {
        // SAFETY: as for the writing accesses.
        unsafe { Reducer::from_raw(self.raw.ptr, self.include_initial, Some(self.raw.command)) }
    }
}
