//! Panics in kernels: their place is noted and nothing is printed, because the command's error says it all.
//!
//! A division by zero in a kernel is Rust's own panic, whose place only the panic hook is told. The hook that was there
//! before gets everything else: panics of other threads, and those of host tasks.

use std::cell::{Cell, RefCell};
use std::panic::{self, Location, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// Whether this thread runs a kernel.
    static IN_KERNEL: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic of a kernel was: file and line.
    static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// Puts the hook before the one that is there, once for the process.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    // A thread that panics may not change the hook; the next device's start does.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IN_KERNEL.get() {
                note(info);
            } else {
                before(info);
            }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|place| (place.file().to_owned(), place.line()));
    PLACE.with(|last| *last.borrow_mut() = place);
}

/// Calls into a kernel. The place of a panic is then [`take_place`]'s.
pub(crate) fn in_kernel<R>(call: impl FnOnce() -> R) -> R {
    /// Unmarks the thread, however the call ends.
    struct Unmark;
    impl Drop for Unmark {
        fn drop(&mut self) {
            IN_KERNEL.set(false);
        }
    }
    IN_KERNEL.set(true);
    let _unmark = Unmark;
    call()
}

/// The panic that unwinds through a kernel of this thread was at this place of it, if the one that is known is of a
/// library's file.
pub fn kernel_panicked_at(place: &'static Location<'static>, is_of_a_library: impl Fn(&str) -> bool) {
    PLACE.with(|last| match &mut *last.borrow_mut() {
        Some((file, line)) if is_of_a_library(file) => (*file, *line) = (place.file().to_owned(), place.line()),
        _ => {}
    });
}

/// Where the last panic of a kernel on this thread was, if the hook was asked.
pub(crate) fn take_place() -> Option<(String, u32)> {
    PLACE.with(|last| last.borrow_mut().take())
}
