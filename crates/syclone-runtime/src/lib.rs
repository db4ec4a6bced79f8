//! The untyped runtime under `syclone`: which devices exist, which command may run when, and who runs it.
//!
//! Nothing here knows what a kernel is made of. A kernel is a [`KernelWork`]: a name and a number of
//! independent chunks. The model in six sentences:
//!
//! - A [`Command`] names the memory that it touches ([`Access`]) and the [`Event`]s that it follows.
//! - [`Queue::submit`] never blocks: it places the command in the process-wide order and returns its event.
//! - The order comes from memory: a reader follows the last writer, a writer follows the last writer and
//!   every reader since, whatever queues, threads and devices submitted them. Disjoint byte ranges don't meet.
//! - A host access ([`MemoryObject::wait_for_host`]) is a command in that order which the host itself "runs".
//! - A command whose predecessors are done goes to its device's back end, which completes it exactly once.
//! - A failed command fails what reads its results ([`Error::DependencyFailed`]); everything else goes on.
//!
//! A complete program: a kernel of four chunks that squares numbers in place.
//!
//! ```
//! use std::sync::Arc;
//! use syclone_runtime::{Access, AccessMode, Command, Device, KernelWork, MemoryObject, Name, Queue, Result, Worker};
//!
//! struct Square(Arc<MemoryObject>);
//!
//! impl KernelWork for Square {
//!     fn name(&self) -> Name {
//!         "square".into()
//!     }
//!     fn chunks(&self) -> usize {
//!         self.0.bytes() / 4
//!     }
//!     unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
//!         // SAFETY: inside the object, which the command's access names as read and written.
//!         unsafe { *self.0.ptr().cast::<u32>().add(chunk) *= *self.0.ptr().cast::<u32>().add(chunk) };
//!         Ok(())
//!     }
//! }
//!
//! let queue = Queue::new(&Device::default_device()?)?;
//! let numbers = MemoryObject::from_vec(vec![1u32, 2, 3, 4]);
//! let access = Access::whole(&numbers, AccessMode::ReadWrite, "numbers");
//! // SAFETY: the access names all memory that the kernel touches.
//! let command = unsafe { Command::kernel(Box::new(Square(numbers.clone())), vec![access]) };
//! queue.submit(command)?.wait()?;
//! assert_eq!(numbers.try_into_vec::<u32>().unwrap(), [1, 4, 9, 16]);
//! # Ok::<(), syclone_runtime::Error>(())
//! ```
//!
//! | module | its one job |
//! | --- | --- |
//! | `error` | every way in which the runtime says no |
//! | `device`, `aspect`, `isa`, `limits`, `selector` | what exists, what it can do, how it is chosen |
//! | `memory`, `region`, `hazard` | allocations, parts of them, and who used which bytes last |
//! | `command`, `queue`, `event`, `node`, `scheduler` | from a submitted command to a finished event |
//! | `graph` | commands that are recorded once and replayed as one |
//! | `lane` | launches without events on in-order queues |
//! | `host` | host accesses in the hazard order |
//! | `sync` | the primitives of the lock-free parts, for a model checker to replace |
//! | `trace` | what commands did, as values, for Perfetto and for Graphviz |
//! | `backends` | the contract of a back end, the CPU's, and the dry run's |

mod aspect;
mod backends;
pub mod check;
mod command;
mod device;
#[doc(hidden)]
pub mod diagnostics;
#[doc(hidden)]
pub mod environment;
mod error;
mod event;
mod graph;
mod hazard;
mod host;
mod isa;
mod lane;
mod limits;
mod memory;
#[cfg(all(test, loom))]
mod models;
mod node;
mod queue;
mod region;
mod scheduler;
mod selector;
mod sync;
mod trace;

pub use aspect::{Aspect, Aspects};
#[doc(hidden)]
pub use backends::cpu::quiet::kernel_panicked_at;
pub use backends::cpu::{Scratch, Worker};
pub use backends::dry_run::{DryRun, DryRunOptions, Fault, FaultKind};
pub use command::{Access, AccessMode, Command, KernelWork, RowShape, TextOutput, WorkKind};
pub use device::{Device, DeviceInfo, UnavailableBackend};
pub use error::{Error, Name, Result};
pub use event::{Event, EventStatus, Profiling};
pub use graph::{CommandTimes, ExecutableGraph, Graph};
pub use host::{HostAccessToken, is_inside_command};
pub use isa::Isa;
pub use memory::{AnyBytes, MemoryObject, MemoryStats};
pub use queue::{ErrorHandler, Queue, QueueOptions};
pub use region::Region;
pub use trace::{Trace, TraceReport, TracedAccess, TracedCommand, TracedDependency, TracedKind, TracedRun};
