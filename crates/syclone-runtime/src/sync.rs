//! The primitives of the lock-free parts: the standard library's, or with `--cfg loom` those of the model checker, which
//! runs a test in every order that they allow. `docs/testing.md` says how. Unit tests count locks.

#[cfg(all(test, not(loom)))]
pub(crate) use counted::Mutex;
#[cfg(not(any(test, loom)))]
pub(crate) use std::sync::Mutex;
#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    sync::{Condvar, MutexGuard},
};

/// Finds unsynchronised uses of memory that the model checker does not see: says who uses it how. Nothing in ordinary builds.
#[derive(Default)]
pub(crate) struct Watched {
    #[cfg(loom)]
    cell: loom::cell::UnsafeCell<()>,
}

impl Watched {
    /// The memory is read here.
    #[inline]
    pub(crate) fn read(&self) {
        #[cfg(loom)]
        self.cell.with(|_| ());
    }

    /// The memory is written here, or given back.
    #[inline]
    pub(crate) fn write(&self) {
        #[cfg(loom)]
        self.cell.with_mut(|_| ());
    }
}

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicU8, Ordering},
    sync::{Condvar, Mutex, MutexGuard},
};
#[cfg(loom)]
pub(crate) use sequential::{AtomicBool, AtomicU64, AtomicUsize};

#[cfg(all(test, not(loom)))]
pub(crate) mod counted;
#[cfg(loom)]
mod sequential;
