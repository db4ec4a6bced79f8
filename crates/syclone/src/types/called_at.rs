//! Which line of a kernel a panic belongs to that Rust or this library raises in a call of it.
//!
//! `#[track_caller]` says so where it can. It cannot for methods of the core library that lack it (`wrapping_div`,
//! `abs`, `f32::clamp`), nor through closures, of which operators on vectors are made. A [`CalledAt`] beside the call
//! is dropped only if the call unwinds: it costs nothing where the call cannot, and no instruction where it does not.

use std::panic::Location;

/// The place of a call that may panic.
pub struct CalledAt(&'static Location<'static>);

impl CalledAt {
    /// The place of the call of this function.
    #[inline(always)]
    #[track_caller]
    #[allow(clippy::new_without_default, reason = "it is a place, and no default has one")]
    pub fn here() -> Self {
        CalledAt(Location::caller())
    }

    /// The call has come back.
    #[inline(always)]
    pub fn passed(self) {
        std::mem::forget(self);
    }
}

impl Drop for CalledAt {
    #[cold]
    #[inline(never)]
    fn drop(&mut self) {
        if std::thread::panicking() {
            syclone_runtime::kernel_panicked_at(self.0, is_of_a_library);
        }
    }
}

/// Calls `f`, whose panics are those of the caller's line.
#[inline(always)]
#[track_caller]
pub(crate) fn located<R>(f: impl FnOnce() -> R) -> R {
    let at = CalledAt::here();
    let result = f();
    at.passed();
    result
}

/// Whether a file is this library's or the core library's: a panic there says nothing of the kernel.
fn is_of_a_library(file: &str) -> bool {
    const OWN: &str = file!();
    const DEPTH: usize = "types/called_at.rs".len();
    file.starts_with(&OWN[..OWN.len() - DEPTH]) || file.contains("library/core") || file.contains("library\\core")
}
