//! The dry-run device: everything of a device but the kernels, so that the scheduler can be tested without hardware.
//!
//! Commands take their places, wait for each other, fail and fail their dependents as on any device; copies, fills and host
//! tasks act on real memory; kernels have no effect unless [`DryRunOptions::run_kernels`] asks for it. Aspects and limits are
//! whatever the options say. Commands that are ready run and end in an order that a seed decides, and [`Fault`]s happen on
//! demand.
//!
//! - A command has two turns: it *runs* (its effects happen), and it *ends* (its event completes). Between them other
//!   commands take theirs, so that they end in another order than they ran in.
//! - `pool` holds the ready commands and decides whose turn it is. Threads of the device take turns, or with
//!   [`DryRunOptions::stepped`] only the test does, by [`DryRun::step`], which makes a run repeatable.
//! - What will go wrong with a command is decided as it is submitted (`execute`), so it does not depend on the order in
//!   which commands run.
//! - `machine` makes the device out of its options, `config` reads them from a file, `registry` gives devices a selector.

mod config;
mod execute;
mod fault;
mod machine;
mod pool;
mod random;
mod registry;

pub use fault::{Fault, FaultKind};
pub use machine::DryRunOptions;

pub(crate) use pool::{Shared, is_running};
pub(crate) use registry::{devices, file_error};

use std::sync::Arc;

use crate::{Device, Error, Result};

/// A dry-run device, and the controls that a real one would not have.
///
/// A handle; clones control the same device. When the last one of a [`DryRunOptions::stepped`] device is dropped, threads of
/// its own take the turns that are left, since nobody else could.
///
/// ```
/// use syclone_runtime::{Access, AccessMode, Command, DryRunOptions, Error, Fault, FaultKind, MemoryObject, Queue};
///
/// // The second copy that is submitted fails.
/// let dry = DryRunOptions::new("card").stepped().fault(Fault::at(FaultKind::Copy, 2)).build()?;
/// let queue = Queue::new(dry.device())?;
/// let [a, b, c] = [8, 8, 8].map(|bytes| MemoryObject::allocate(dry.device(), bytes).unwrap());
/// let first = queue.submit(Command::copy(&a, 0, &b, 0, 8)?)?;
/// let second = queue.submit(Command::copy(&b, 0, &c, 0, 8)?)?;
/// let reader = queue.submit(Command::host_task("reader", || Ok(())).access(Access::whole(&c, AccessMode::Read, "c")))?;
///
/// // Nothing happens before its turn.
/// assert_eq!(dry.pending(), 1);
/// dry.run_until_idle();
/// assert_eq!(first.wait(), Ok(()));
/// assert!(matches!(second.wait(), Err(Error::ExecutionFailed { .. })));
/// assert!(matches!(reader.wait(), Err(Error::DependencyFailed { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct DryRun(Arc<Handle>);

struct Handle {
    device: Device,
    shared: Arc<Shared>,
}

impl DryRun {
    fn new(device: Device, shared: Arc<Shared>) -> DryRun {
        shared.add_handle();
        DryRun(Arc::new(Handle { device, shared }))
    }

    /// The controls of a device; none if it is no dry-run device.
    pub fn of(device: &Device) -> Option<DryRun> {
        let shared = Arc::clone(device.backend().dry_run()?);
        Some(DryRun::new(device.clone(), shared))
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Gives one command its next turn on this thread: the seed decides which command that is, and the turn is its run or
    /// its end. False when none is waiting for one.
    pub fn step(&self) -> bool {
        self.0.shared.step()
    }

    /// Steps until no command is left whose turn has come, and returns how many steps that were.
    ///
    /// Commands that wait for a host access, or for another device, are still there then.
    pub fn run_until_idle(&self) -> usize {
        std::iter::repeat_with(|| self.step()).take_while(|&progress| progress).count()
    }

    /// How many commands wait for their run or their end: all that no other command holds up.
    pub fn pending(&self) -> usize {
        self.0.shared.pending()
    }

    /// How many of these have run, and wait for their end.
    pub fn running(&self) -> usize {
        self.0.shared.running()
    }

    /// Lets a fault happen. A fault that is counted counts from the device's beginning; see [`DryRun::fail_next`].
    ///
    /// # Errors
    /// [`Error::InvalidDryRun`] for a fault that can't happen, as for one of [`DryRunOptions::fault`].
    pub fn inject(&self, fault: Fault) -> Result<()> {
        if let Some(problem) = fault.problem() {
            return Err(Error::InvalidDryRun { place: format!("device '{}'", self.device().info().name), problem });
        }
        self.0.shared.plan().add(fault);
        Ok(())
    }

    /// Lets the next thing of this kind fail that is submitted or allocated.
    pub fn fail_next(&self, kind: FaultKind) {
        self.0.shared.plan().fail_next(kind);
    }

    /// Takes the device away: commands that have not run fail, and so does everything asked of it from now on.
    pub fn lose(&self) {
        self.0.shared.lose();
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.0.shared.is_lost()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.remove_handle();
    }
}

impl std::fmt::Debug for DryRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DryRun").field("device", self.device()).field("pending", &self.pending()).finish()
    }
}
