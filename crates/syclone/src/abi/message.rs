//! Texts that kernels send to the host, as macro output makes them: `kprint!`, `kprintln!`, `kassert!`.
//!
//! A text belongs to the chunk that the thread runs, which keeps it until the chunk ends ([`Printed`]). An assertion that
//! does not hold unwinds to the chunk's end, as a division by zero does, with `Failed` as its value, of which the
//! launch makes the command's error. On the host, where device functions are plain functions, the one prints and the
//! other panics.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use syclone_kernel_ast::message::format;
use syclone_kernel_ast::value::Value;
pub use syclone_runtime::TextOutput as Output;
use syclone_runtime::{Error, Name, Result};

use crate::kernel::print::{DevicePrint, DevicePrintFloat, DevicePrintInteger};
use crate::kernel::{Item, NdItem};

/// More text than a launch keeps back to bring it into order.
const MAX_KEPT: usize = 1 << 20;

thread_local! {
    /// The launch of which this thread runs a chunk.
    static RUNNING: Cell<Option<*const Printed>> = const { Cell::new(None) };
    /// What the chunk has printed.
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    /// Where launches that this thread prepares print.
    static OUTPUT: RefCell<Option<Output>> = const { RefCell::new(None) };
}

/// Which item does something; no dimensions where that is not known, or where there is only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ItemId {
    id: [usize; 3],
    dims: u8,
}

impl ItemId {
    /// Nothing known.
    pub const UNKNOWN: ItemId = ItemId { id: [0; 3], dims: 0 };

    /// An item's.
    #[inline(always)]
    pub fn of(item: &impl HasId) -> ItemId {
        item.item_id()
    }

    /// The item with this global id.
    #[inline(always)]
    pub const fn new<const D: usize>(global: [usize; D]) -> ItemId {
        let mut id = [0; 3];
        let mut dim = 0;
        while dim < D {
            id[dim] = global[dim];
            dim += 1;
        }
        ItemId { id, dims: D as u8 }
    }

    fn as_slice(&self) -> &[usize] {
        &self.id[..usize::from(self.dims)]
    }
}

/// What has an item's id.
pub trait HasId {
    /// The id.
    fn item_id(&self) -> ItemId;
}

impl<const D: usize> HasId for Item<D> {
    #[inline(always)]
    fn item_id(&self) -> ItemId {
        ItemId::new(self.position())
    }
}

impl<const D: usize> HasId for NdItem<D> {
    #[inline(always)]
    fn item_id(&self) -> ItemId {
        ItemId::new(self.position())
    }
}

impl<T: HasId> HasId for &T {
    #[inline(always)]
    fn item_id(&self) -> ItemId {
        (**self).item_id()
    }
}

/// An argument that a plain `{}` takes.
pub fn any<T: DevicePrint>(value: &T) -> Value {
    value.printed()
}

/// An argument that `{:x}` takes.
pub fn integer<T: DevicePrintInteger>(value: &T) -> Value {
    value.printed()
}

/// An argument that `{:e}` takes.
pub fn float<T: DevicePrintFloat>(value: &T) -> Value {
    value.printed()
}

/// An assertion's condition.
#[inline(always)]
pub fn holds(condition: bool) -> bool {
    condition
}

/// Prints the text of a template and its arguments.
#[cold]
#[inline(never)]
pub fn print(template: &str, args: &[Value]) {
    emit(&format(template, args));
}

/// Prints a text.
pub fn emit(text: &str) {
    let Some(launch) = RUNNING.get() else { return write(None, text) };
    let kept = TEXT.with_borrow_mut(|all| {
        all.push_str(text);
        all.len()
    });
    if kept > MAX_KEPT {
        // Whole lines, between which other chunks may write theirs.
        let mut text = TEXT.take();
        let end = text.rfind('\n').map_or(text.len(), |last| last + 1);
        TEXT.set(text.split_off(end));
        // SAFETY: the launch is borrowed while the thread runs its chunk (see `Printed::during`).
        unsafe { &*launch }.write(&text);
    }
}

/// What an assertion that does not hold unwinds with.
#[derive(Debug)]
pub struct Failed {
    message: String,
    item: ItemId,
    file: &'static str,
    line: u32,
}

impl Failed {
    /// The error of a kernel and the device that ran it.
    pub fn error(self, kernel: Name, device: &str) -> Error {
        let (device, item) = (device.into(), self.item.as_slice().to_vec());
        Error::AssertionFailed { kernel, device, message: self.message, item, file: self.file.into(), line: self.line }
    }
}

/// Whether this thread runs a chunk of a launch.
pub fn is_in_kernel() -> bool {
    RUNNING.get().is_some()
}

/// Ends the command, because an assertion of an item does not hold.
#[cold]
#[inline(never)]
pub fn fail(item: ItemId, file: &'static str, line: u32, template: &str, args: &[Value]) -> ! {
    let message = format(template, args);
    if !is_in_kernel() {
        panic!("{message}, in {file}, line {line}");
    }
    // Not a panic, which would write to stderr: the event has the error.
    resume_unwind(Box::new(Failed { message, item, file, line }))
}

/// Writes a text to where the queue wants it.
fn write(output: Option<&Output>, text: &str) {
    match output {
        // What the function panics with concerns neither the kernel nor this thread.
        Some(output) => drop(catch_unwind(AssertUnwindSafe(|| output(text)))),
        None => {
            let mut stdout = std::io::stdout().lock();
            // Nobody can be told that the other end is closed.
            let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        }
    }
}

/// Runs `prepare`, in which every launch that this thread prepares will print to `output`.
pub fn with_output<R>(output: Option<&Output>, prepare: impl FnOnce() -> R) -> R {
    struct Restore(Option<Output>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OUTPUT.set(self.0.take());
        }
    }
    let _restore = Restore(OUTPUT.replace(output.cloned()));
    prepare()
}

/// Where launches that this thread prepares print, if that is not standard output.
pub fn output_here() -> Option<Output> {
    OUTPUT.with_borrow(Option::clone)
}

/// What a launch has printed and not yet written: text of chunks, which may end in any order.
#[derive(Default)]
pub struct Printed {
    output: Option<Output>,
    /// Where it prints instead in a graph's replay; and whether there is anything, for those who look without the lock.
    redirected: Mutex<Option<Output>>,
    is_redirected: AtomicBool,
    /// Something went wrong in this run: nobody will come to bring the rest into order.
    failed: AtomicBool,
    /// Something may be kept, for those who look without the lock.
    has_kept: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    chunks: Vec<(usize, String)>,
    bytes: usize,
}

impl Printed {
    /// What a launch prints that this thread prepares now.
    pub fn here() -> Printed {
        Printed { output: output_here(), ..Printed::default() }
    }

    /// Begins another run of the launch, which prints to `output`, or where it would by itself.
    pub fn rewind(&self, output: Option<&Output>) {
        if self.failed.load(Ordering::Relaxed) {
            self.failed.store(false, Ordering::Relaxed);
        }
        if output.is_some() || self.is_redirected.load(Ordering::Relaxed) {
            self.is_redirected.store(output.is_some(), Ordering::Relaxed);
            *self.redirected.lock().unwrap_or_else(PoisonError::into_inner) = output.cloned();
        }
    }

    /// Runs a chunk of the kernel: keeps what it prints, and stops at an assertion that does not hold.
    pub fn during(&self, chunk: usize, run: impl FnOnce() -> Result<()>) -> Result<Result<()>, Box<Failed>> {
        RUNNING.set(Some(self));
        let result = catch_unwind(AssertUnwindSafe(run));
        RUNNING.set(None);
        let failed = !matches!(result, Ok(Ok(())));
        if failed || TEXT.with_borrow(|text| !text.is_empty()) {
            self.keep(chunk, TEXT.take(), failed);
        }
        result.map_err(|panic| panic.downcast::<Failed>().unwrap_or_else(|panic| resume_unwind(panic)))
    }

    fn keep(&self, chunk: usize, text: String, failed: bool) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if failed {
            self.failed.store(true, Ordering::Relaxed);
        }
        kept.bytes += text.len();
        kept.chunks.push((chunk, text));
        self.has_kept.store(true, Ordering::Relaxed);
        if self.failed.load(Ordering::Relaxed) || kept.bytes > MAX_KEPT {
            self.write_kept(&mut kept);
        }
    }

    /// Writes what is left, in the order of the chunks: before the command's event says that it has ended.
    pub fn finish(&self) {
        // Whoever finishes a launch comes after all its chunks. A launch that has printed nothing takes no lock.
        if !self.has_kept.load(Ordering::Relaxed) {
            return;
        }
        self.has_kept.store(false, Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_kept(&mut kept);
    }

    fn write_kept(&self, kept: &mut Kept) {
        kept.bytes = 0;
        kept.chunks.sort_by_key(|(chunk, _)| *chunk);
        let text: String = kept.chunks.drain(..).map(|(_, text)| text).collect();
        if !text.is_empty() {
            self.write(&text);
        }
    }

    fn write(&self, text: &str) {
        let redirected = self.redirected.lock().unwrap_or_else(PoisonError::into_inner).clone();
        write(redirected.as_ref().or(self.output.as_ref()), text);
    }
}
