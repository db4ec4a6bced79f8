//! What the checked device knows beyond any other device: its reports, what nobody has written, and how commands are ordered.
//!
//! The checks of a kernel are made by whoever runs it (a [`crate::KernelWork`] that finds that its device
//! [is checked](crate::Device::is_checked)); here is what outlives one command.

pub(crate) mod commands;
mod report;
pub mod unwritten;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

pub use commands::{Cells, Touch};
pub use report::{Report, ReportKind, SourceLocation};

use crate::command::Work;
use crate::node::{Node, Payload};
use crate::{AccessMode, Device, MemoryObject, Name, Region, WorkKind};

/// Reports that nobody takes are kept up to this number.
const MOST_REPORTS: usize = 4096;

/// The reports of a checked device.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    reports: Mutex<Vec<Report>>,
    quiet: AtomicBool,
}

impl Checks {
    fn add(&self, report: Report) {
        if !self.quiet.load(Ordering::Relaxed) {
            // A program whose stderr is closed still gets its reports as values.
            let _ = writeln!(std::io::stderr(), "syclone check: {report}\n");
        }
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if reports.len() < MOST_REPORTS {
            reports.push(report);
        }
    }
}

impl Device {
    /// Whether the device checks what it runs: `cpu:check`, or one of [`Device::cpu_checked`].
    pub fn is_checked(&self) -> bool {
        self.checks().is_some()
    }

    /// What the device's checks have found since the last call, in the order in which it happened. Empty for a device
    /// without checks.
    ///
    /// The reports of a command are there when its event is complete.
    pub fn take_reports(&self) -> Vec<Report> {
        self.checks().map_or_else(Vec::new, |checks| {
            std::mem::take(&mut *checks.reports.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Whether reports are also written to standard error as they are made, which they are unless told otherwise.
    pub fn print_reports(&self, print: bool) {
        if let Some(checks) = self.checks() {
            checks.quiet.store(!print, Ordering::Relaxed);
        }
    }

    /// Adds a report to a checked device's; for those who run kernels.
    #[doc(hidden)]
    pub fn add_report(&self, report: Report) {
        if let Some(checks) = self.checks() {
            checks.add(report);
        }
    }

    /// Says what the command with this number has touched, and reports the races that it has with other commands.
    #[doc(hidden)]
    pub fn command_touched(&self, number: u64, name: &Name, touches: Vec<Touch>) {
        for report in commands::ran(number, name, touches) {
            self.add_report(report);
        }
    }
}

/// A command begins on some CPU device: what it declares to write counts as written, unless it says more precisely itself.
pub(crate) fn begins(node: &Node, payload: &Payload) {
    let itself = matches!(&payload.work, Work::Kernel(kernel) if kernel.checks_itself());
    if itself || (node.check == commands::UNCHECKED && !unwritten::any()) {
        return;
    }
    let is_copy = matches!(&payload.work, Work::Kernel(kernel) if kernel.kind() == WorkKind::Copy);
    let mut touches = Vec::new();
    for access in &payload.accesses {
        let first = access.object.ptr().addr();
        if access.mode.writes() {
            match payload.accesses.iter().find(|source| is_copy && source.mode == AccessMode::Read) {
                Some(source) => unwritten::copied(source, access),
                None => unwritten::written_in(&access.object, &access.bytes()),
            }
        }
        touches.push(Touch {
            addresses: first + access.range.start..first + access.range.end,
            exactly: None,
            writes: access.mode.writes(),
            object: Some(access.object.id()),
            parameter: access.parameter.clone(),
            location: SourceLocation::default(),
        });
    }
    if node.check != commands::UNCHECKED && !touches.is_empty() {
        for report in commands::ran(node.check, &node.name, touches) {
            if let Some(device) = payload.device() {
                device.add_report(report);
            }
        }
    }
}

/// The host has been granted its turn at some memory.
pub(crate) fn host_uses(object: &MemoryObject, node: &Node, mode: AccessMode, region: &Region) {
    commands::seen(node.check);
    if mode.writes() {
        unwritten::written_in(object, region);
    }
}
