//! The host's side: memory, queues and command groups.
//!
//! - [`range`] — index spaces: [`Range`], [`NdRange`], [`LaunchShape`].
//! - Memory: [`buffer`], [`pitched`], [`mod@scope`] (borrowed slices) and [`usm`], all typed [`block`]s of the runtime's memory objects;
//!   [`host`] has the guards through which the host uses them, and [`rows`] what it sees of rows that lie apart.
//! - Commands: a [`queue`] submits a command group, whose [`handler`] takes [`access`]es and launches kernels, copies and
//!   fills ([`transfer`]) or a [`host_task`]; [`launch`] has the kernels, and `arguments` checks what they are given.
//!   A [`graph`] records commands and replays them.
//!
//! Everything that may run, and when, is decided by the runtime; this module gives it types and lifetimes, such that safe
//! code can't reach memory out of turn.

pub(crate) mod access;
mod arguments;
pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod check;
#[cfg(doctest)]
mod compile_fail;
pub(crate) mod graph;
pub(crate) mod handler;
pub(crate) mod host;
pub(crate) mod host_task;
pub(crate) mod launch;
pub(crate) mod pitched;
pub(crate) mod queue;
pub(crate) mod range;
pub(crate) mod rows;
pub(crate) mod scope;
pub(crate) mod transfer;
pub(crate) mod usm;

pub use access::{AtomicAccess, ReadAccess, ReadWriteAccess, ReduceAccess, ScatterAccess, WriteAccess};
pub use buffer::Buffer;
pub use graph::{ExecutableGraph, Graph};
pub use handler::{Handler, HostTaskResult};
pub use host::{HostRead, HostWrite};
pub use host_task::{HostTask, HostWritable};
pub use launch::Launch;
pub use pitched::{HostReadRows, HostWriteRows, PitchedBuffer};
pub use queue::{Advice, Download, Queue, QueueOptions};
pub use range::{LaunchShape, NdRange, Range};
pub use rows::{RowsMut, RowsRef};
pub use scope::{BorrowScope, ScopedBuffer, ScopedInput, ScopedPitchedBuffer, ScopedPitchedInput, scope};
pub use transfer::{CopySource, CopyTarget};
pub use usm::{UsmArg, UsmDevice, UsmHost, UsmShared, UsmSlice, UsmSliceMut};
