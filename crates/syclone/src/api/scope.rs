//! Buffers over borrowed host memory, inside a scope that outlasts every command on them.
//!
//! A command runs after `submit` has returned, so a slice that it works on must stay borrowed until it has ended,
//! even if every guard that could wait for it is leaked. As with `std::thread::scope`, a function call is the only
//! thing that safe code can't skip the end of: [`scope`] returns when all commands on its buffers have ended, also
//! when its closure panics. The slice then holds what they wrote: SYCL's write-back, without a copy.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use syclone_runtime::{AccessMode, Error, Event, MemoryObject, Name, Result};

use super::access::{AtomicAccess, ReadAccess, ReadWriteAccess, ReduceAccess, ScatterAccess, WriteAccess};
use super::block::{Block, check_len};
use super::buffer::{declares_writes, readable, shaped, writable};
use super::handler::Handler;
use super::host::{HostRead, HostWrite};
use super::pitched::{HostReadRows, HostWriteRows, reads_rows, writes_rows};
use super::range::Range;
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// Runs `body` with a scope in which buffers may borrow host memory, then waits for every command on them.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let queue = Queue::new(&Device::select("cpu")?)?;
/// let mut data = vec![0u32; 4];
/// syclone::scope(|s| {
///     let buffer = s.buffer_mut(&mut data, 4)?;
///     queue.submit(|h| h.fill(buffer.write(h), 9))?;
///     Ok::<_, Error>(())
/// })?;
/// assert_eq!(data, [9; 4]);
/// # Ok(())
/// # }
/// ```
///
/// Errors of the commands are reported by their events and queues, as ever. If the calling thread still holds a
/// host access that such a command waits for, the scope can never end, and the process is aborted with a message:
/// returning would let the command touch memory that is no longer borrowed. For the same reason there are no scoped
/// buffers inside kernels and host tasks, which may not wait: making one there is an error.
pub fn scope<'env, R>(body: impl for<'scope> FnOnce(&'scope BorrowScope<'scope, 'env>) -> R) -> R {
    let scope = BorrowScope { watch: Arc::default(), scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
    // After the body no handle of the scope can submit another command.
    let unfinished = AbortOnDrop;
    if let Err(error) = scope.watch.wait() {
        syclone_runtime::diagnostics::report(format_args!("a scope of borrowed buffers cannot end: {error}"));
        std::process::abort();
    }
    std::mem::forget(unfinished);
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Keeps the end of a scope from being left, also by a panic, while commands may use what it borrows.
struct AbortOnDrop;

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// The commands on the buffers of a scope.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Watched>);

#[derive(Debug, Default)]
struct Watched {
    events: Vec<Event>,
    /// Whether the scope has ended: what it borrowed is gone.
    over: bool,
    /// How many events there may be before the finished ones are forgotten.
    limit: usize,
}

impl Watch {
    /// Remembers a command.
    pub(crate) fn add(&self, event: Event) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watched.events.push(event);
        if watched.events.len() > watched.limit {
            watched.events.retain(|event| !event.has_ended());
            // Twice what is left, so that looking through them costs little for each command.
            watched.limit = 2 * watched.events.len().max(32);
        }
    }

    /// Whether the scope has ended. A command group that used its buffers may still be open: it was begun outside.
    pub(crate) fn is_over(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).over
    }

    /// Waits for all of them; the error says that one could never end. That one failed is not an error here, and still to be
    /// asked for.
    fn wait(&self) -> Result<()> {
        let events = {
            let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            watched.over = true;
            std::mem::take(&mut watched.events)
        };
        events.iter().try_for_each(Event::wait_for_end)
    }
}

/// What [`scope`] passes to its closure: makes buffers over memory that is borrowed for `'env`.
#[derive(Debug)]
pub struct BorrowScope<'scope, 'env: 'scope> {
    watch: Arc<Watch>,
    // Invariant, so that neither lifetime can be shortened to let a buffer leave its scope.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, 'env> BorrowScope<'scope, 'env> {
    /// A buffer over `data`, which its commands change in place; `extents` must hold exactly as many elements.
    pub fn buffer_mut<T: DeviceCopy, const D: usize>(
        &'scope self,
        data: &'env mut [T],
        extents: impl Into<Range<D>>,
    ) -> Result<ScopedBuffer<'scope, T, D>> {
        Ok(ScopedBuffer { block: self.borrow(NonNull::from(data), extents.into())?, scope: PhantomData })
    }

    /// A buffer over `data` that commands only read; `extents` must hold exactly as many elements.
    pub fn buffer<T: DeviceCopy, const D: usize>(
        &'scope self,
        data: &'env [T],
        extents: impl Into<Range<D>>,
    ) -> Result<ScopedInput<'scope, T, D>> {
        Ok(ScopedInput { block: self.borrow(NonNull::from(data), extents.into())?, scope: PhantomData })
    }

    fn borrow<T: DeviceCopy, const D: usize>(&self, data: NonNull<[T]>, extents: Range<D>) -> Result<Block<T, D>> {
        let extents = extents.extents();
        check_len::<T, D>("borrowed buffer", data.len(), extents)?;
        if syclone_runtime::is_inside_command() {
            return Err(Error::WaitInsideCommand { command: Name::Borrowed("the end of a scope") });
        }
        let bytes = data.len() * size_of::<T>();
        // SAFETY: the slice is borrowed for 'env, which is longer than the call of `scope`; handles live for 'scope
        // only, and `scope` waits for the commands before it returns. A `ScopedInput` has no method that writes.
        let object = unsafe { MemoryObject::borrow(data.cast(), bytes) };
        Ok(Block::of(object, extents).watched(&self.watch))
    }
}

/// A buffer over a mutably borrowed slice; see [`Buffer`](crate::Buffer) for what its methods do.
pub struct ScopedBuffer<'scope, T, const D: usize = 1> {
    block: Block<T, D>,
    scope: PhantomData<&'scope mut &'scope ()>,
}

/// A buffer over a borrowed slice that commands only read; see [`Buffer`](crate::Buffer) for what its methods do.
pub struct ScopedInput<'scope, T, const D: usize = 1> {
    block: Block<T, D>,
    scope: PhantomData<&'scope mut &'scope ()>,
}

/// Columns of a [`ScopedBuffer`]; see [`PitchedBuffer`](crate::PitchedBuffer) for what its methods do.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let queue = Queue::new(&Device::select("cpu")?)?;
/// let mut data = [0; 6];
/// syclone::scope(|s| {
///     let matrix = s.buffer_mut(&mut data, [2, 3])?;
///     queue.fill(&matrix.columns(..1)?, 1)?;
///     queue.fill(&matrix.columns(1..)?, 2)?;
///     Ok::<_, Error>(())
/// })?;
/// assert_eq!(data, [1, 2, 2, 1, 2, 2]);
/// # Ok(())
/// # }
/// ```
pub struct ScopedPitchedBuffer<'scope, T, const D: usize = 2> {
    block: Block<T, D>,
    scope: PhantomData<&'scope mut &'scope ()>,
}

/// Columns of a [`ScopedInput`]; see [`PitchedBuffer`](crate::PitchedBuffer) for what its methods do.
pub struct ScopedPitchedInput<'scope, T, const D: usize = 2> {
    block: Block<T, D>,
    scope: PhantomData<&'scope mut &'scope ()>,
}

shaped!(ScopedBuffer<'scope> ScopedInput<'scope> ScopedPitchedBuffer<'scope> ScopedPitchedInput<'scope>);
readable!(ScopedBuffer<'scope> ScopedInput<'scope>);
reads_rows!(ScopedPitchedBuffer<'scope> ScopedPitchedInput<'scope>);
declares_writes!(ScopedBuffer<'scope> ScopedPitchedBuffer<'scope>);
writable!(ScopedBuffer<'scope>);
writes_rows!(ScopedPitchedBuffer<'scope>);

macro_rules! scoped {
    ($($name:ident<$scope:lifetime>, $rows:ident;)*) => {$(
        impl<T, const D: usize> Clone for $name<'_, T, D> {
            fn clone(&self) -> Self {
                $name { block: self.block.clone(), scope: PhantomData }
            }
        }

        impl<$scope, T: DeviceCopy, const D: usize> $name<$scope, T, D> {
            /// Part of the buffer: the indices `rows` of the first dimension.
            pub fn slice(&self, rows: impl RangeBounds<usize>) -> Result<Self> {
                Ok($name { block: self.block.slice(rows)?, scope: PhantomData })
            }

            /// Part of the buffer: the indices `columns` of the last dimension, whose rows lie apart in the same memory.
            ///
            /// Commands on parts that don't overlap are independent.
            pub fn columns(&self, columns: impl RangeBounds<usize>) -> Result<$rows<$scope, T, D>> {
                Ok($rows { block: self.block.columns(columns)?, scope: PhantomData })
            }
        }
    )*};
}

scoped!(
    ScopedBuffer<'scope>, ScopedPitchedBuffer;
    ScopedInput<'scope>, ScopedPitchedInput;
    ScopedPitchedBuffer<'scope>, ScopedPitchedBuffer;
    ScopedPitchedInput<'scope>, ScopedPitchedInput;
);
