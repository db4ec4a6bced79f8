//! SYCL-style heterogeneous computing in stable Rust: one kernel source, native speed on CPUs and GPUs.
//!
//! A program chooses a [`Device`], makes a [`Queue`] of it, puts data in [`Buffer`]s (or USM allocations), and submits
//! command groups that launch kernels. The runtime runs them in an order in which each sees what it needs.
//!
//! | module | its one job |
//! | --- | --- |
//! | [`types`] | the values that cross between host and kernels, and the arithmetic on them |
//! | [`check`] | what a device that checks its kernels reports |
//! | [`mod@kernel`] | what kernels are written with: items, views, local memory, atomics, group algorithms |
//! | `api` (re-exported here) | what the host is written with: buffers, USM, queues, command groups |
//! | `abi` (hidden) | what the macros' output calls |
//! | [`prelude`] | all names that most programs need |

// What the macros print names this crate by its own name, here too.
extern crate self as syclone;

#[doc(hidden)]
pub mod abi;
mod api;
pub mod kernel;
pub mod prelude;
pub mod types;

pub use api::{
    Advice, AtomicAccess, BorrowScope, Buffer, CopySource, CopyTarget, Download, ExecutableGraph, Graph, Handler,
    HostRead, HostReadRows, HostTask, HostTaskResult, HostWritable, HostWrite, HostWriteRows, Launch, LaunchShape,
    NdRange, PitchedBuffer, Queue, QueueOptions, Range, ReadAccess, ReadWriteAccess, ReduceAccess, RowsMut, RowsRef,
    ScatterAccess, ScopedBuffer, ScopedInput, ScopedPitchedBuffer, ScopedPitchedInput, UsmArg, UsmDevice, UsmHost,
    UsmShared, UsmSlice, UsmSliceMut, WriteAccess, scope,
};
pub use syclone_runtime::{
    Aspect, Aspects, CommandTimes, Device, DeviceInfo, Error, Event, EventStatus, Isa, MemoryStats, Profiling, Result,
    Trace, TraceReport, TracedAccess, TracedCommand, TracedDependency, TracedKind, TracedRun, UnavailableBackend,
};

/// What a checked device finds: reports as values, for `assert_clean!` and for tests that look at them.
pub mod check {
    #[doc(hidden)]
    pub use crate::api::check::unclean;
    pub use syclone_runtime::check::{Report, ReportKind, SourceLocation};
}

#[doc(hidden)]
pub use syclone_macros::kernel_inline;

/// A kernel where it is launched: a closure that takes the item and captures handles and plain values.
///
/// ```ignore
/// let event = queue.submit(|h| {
///     let (x, y) = (x.read(h), y.read_write(h));
///     h.parallel_for([n], syclone::kernel!(|item: Item<1>| y[item] += a * x[item]))
/// })?;
/// ```
/// The body is written as in a `#[kernel]` function. Names that begin with a lower-case letter and that the body does
/// not bind are captured; other names are constants. The options of `#[kernel(…)]` stand before the closure, as over a
/// function: `syclone::kernel!(#[kernel(fallback)] |item: NdItem<1>| { … })`.
#[macro_export]
macro_rules! kernel {
    ($($closure:tt)*) => { $crate::kernel_inline!($($closure)*) };
}

/// The program in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
