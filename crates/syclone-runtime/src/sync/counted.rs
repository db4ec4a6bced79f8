//! A mutex that counts how often each thread locks one, for tests of what takes no lock.

use std::cell::Cell;
use std::sync::{LockResult, MutexGuard};

thread_local! {
    static LOCKS: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has locked a mutex so far.
pub(crate) fn locks_of_this_thread() -> usize {
    LOCKS.get()
}

#[derive(Debug, Default)]
pub(crate) struct Mutex<T: ?Sized>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Mutex(std::sync::Mutex::new(value))
    }
}

impl<T: ?Sized> Mutex<T> {
    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        LOCKS.set(LOCKS.get() + 1);
        self.0.lock()
    }
}
