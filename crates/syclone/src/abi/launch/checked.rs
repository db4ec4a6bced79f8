//! A launch on a checked device: the interpreter with a [`Checker`], and what that finds as the device's reports.

use std::ops::Range;
use std::sync::Arc;

use syclone_kernel_ast::check::{Checker, Finding, FindingKind, Location, Touched};
use syclone_kernel_ast::interp::{Arg, Fault, Global, Kernel, Launch};
use syclone_runtime::check::{Cells, Report, ReportKind, SourceLocation, Touch, unwritten};
use syclone_runtime::{Access, AccessMode, Device, MemoryObject, Name, Region};

use crate::kernel::ParamInfo;
use crate::types::builtins::MathBuiltins;

/// What a launch needs to know for its checks.
pub struct Checks {
    device: Device,
    uses: Vec<Use>,
}

/// Memory that the command has declared.
struct Use {
    object: Arc<MemoryObject>,
    region: Region,
    mode: AccessMode,
}

impl Use {
    /// Whether the byte at an address is among those that are declared, and not between their rows.
    fn contains(&self, address: usize) -> bool {
        let byte = address.checked_sub(self.object.ptr().addr());
        byte.is_some_and(|byte| self.region.overlaps(&Region::range(byte..byte.saturating_add(1))))
    }
}

impl Checks {
    /// The checks of a launch, if the device makes any.
    pub fn of(device: &Device) -> Option<Checks> {
        device.is_checked().then(|| Checks { device: device.clone(), uses: Vec::new() })
    }

    /// Takes note of what the command declares.
    pub fn uses(&mut self, accesses: &[Access]) {
        self.uses.extend(accesses.iter().map(|access| Use {
            object: Arc::clone(&access.object),
            region: access.bytes(),
            mode: access.mode,
        }));
    }

    /// The declaration that covers an argument's first byte.
    fn declared(&self, global: &Global) -> Option<&Use> {
        let first = global.ptr.addr();
        self.uses.iter().find(|declared| declared.contains(first))
    }

    /// Interprets a launch of a kernel by the command with this number, and reports what is wrong with it.
    ///
    /// # Safety
    /// As for [`syclone_kernel_ast::interp::run`].
    pub unsafe fn run(&self, name: &Name, command: u64, kernel: &Kernel, launch: &Launch) -> Result<(), Fault> {
        let mut checker = Checker::new(kernel, launch);
        for (argument, global) in globals(launch) {
            let first = global.ptr.addr();
            if self.declared(global).is_none() {
                // Only what no object orders can race, and then it matters which bytes it is.
                checker.watch_exactly(argument);
            }
            let overwrites = self.declared(global).is_some_and(|declared| declared.mode == AccessMode::Write);
            for row in rows(global) {
                let addresses = first + row.start..first + row.end;
                if overwrites {
                    checker.mark_unwritten(argument, row);
                    continue;
                }
                for bytes in unwritten::of(&addresses) {
                    checker.mark_unwritten(argument, bytes.start - first..bytes.end - first);
                }
            }
        }
        // SAFETY: the caller's promise.
        let result = unsafe { kernel.run(launch, &MathBuiltins, &mut checker) };
        let touches = self.touches(kernel, &checker, launch);
        for (argument, global) in globals(launch) {
            self.keep_marks(global, &checker.unwritten(argument));
        }
        for finding in checker.into_findings() {
            self.device.add_report(report(name, finding));
        }
        self.device.command_touched(command, name, touches);
        result
    }

    /// Reports a reduction that begins with what its memory holds, if nobody has written that. What it leaves there is
    /// written.
    pub fn reduces(&self, name: &Name, parameter: Option<&'static str>, reduction: &ParamInfo) {
        let Some((first, bytes)) = reduction.memory else { return };
        let addresses = first..first + bytes;
        if reduction.includes_initial && !unwritten::of(&addresses).is_empty() {
            let parameter = parameter.unwrap_or("a reduction");
            let message = format!("`{parameter}` begins with what its memory holds, which nobody has written");
            let mut report = Report::new(ReportKind::Unwritten, name.clone(), message);
            report.parameter = Some(parameter.to_owned());
            report.notes.push("write the memory first, or let the result replace what it holds".to_owned());
            self.device.add_report(report);
        }
        unwritten::written(addresses);
    }

    /// What the launch has touched of the memory that others may touch.
    fn touches(&self, kernel: &Kernel, checker: &Checker<'_>, launch: &Launch) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (argument, global) in globals(launch) {
            let first = global.ptr.addr();
            let mut add = |touched: Option<Touched>, writes: bool| {
                let Some(Touched { start, end, site }) = touched else { return };
                let place = kernel.place(site);
                let cells = checker.exactly(argument, writes);
                touches.push(Touch {
                    addresses: first + start..first + end,
                    exactly: cells.map(|(shift, words)| Cells { first, shift, words: words.to_vec() }),
                    writes,
                    object: self.declared(global).map(|declared| declared.object.id()),
                    parameter: Name::Owned(kernel.parameter(argument).to_owned()),
                    location: SourceLocation {
                        file: place.file.to_owned(),
                        line: place.span.line,
                        column: place.span.column,
                    },
                });
            };
            add(checker.written(argument), true);
            add(checker.read(argument), false);
        }
        touches
    }

    /// Lets later commands know what still nobody has written of an argument.
    fn keep_marks(&self, global: &Global, ranges: &[Range<usize>]) {
        let first = global.ptr.addr();
        for row in rows(global) {
            unwritten::written(first + row.start..first + row.end);
        }
        // Memory that no object owns may be gone before anyone looks at its marks.
        let Some(declared) = self.declared(global) else { return };
        for bytes in ranges {
            unwritten::mark(&declared.object, first + bytes.start..first + bytes.end);
        }
    }
}

fn globals(launch: &Launch) -> impl Iterator<Item = (usize, &Global)> {
    launch.args.iter().enumerate().filter_map(|(argument, arg)| match arg {
        Arg::Global(global) if global.extents.iter().all(|&extent| extent > 0) => Some((argument, global)),
        _ => None,
    })
}

/// The bytes of an argument's elements, row by row if there are gaps between.
fn rows(global: &Global) -> impl Iterator<Item = Range<usize>> {
    let size = global.elem.size();
    let [planes, rows, columns] = global.extents;
    let (count, columns) =
        if columns == global.pitch { (1, planes * rows * columns) } else { (planes * rows, columns) };
    let pitch = global.pitch;
    (0..count).map(move |row| row * pitch * size..(row * pitch + columns) * size)
}

fn report(kernel: &Name, finding: Finding) -> Report {
    let place = |location: &Location| SourceLocation {
        file: location.file.clone(),
        line: location.line,
        column: location.column,
    };
    let mut report = Report::new(kind(finding.kind), kernel.clone(), finding.message);
    report.location = place(&finding.location);
    report.function = finding.location.function;
    report.other = finding.other.map(|(other, what)| (place(&other), what));
    report.items = finding.items;
    report.parameter = finding.parameter;
    report.notes = finding.notes;
    report.count = finding.count;
    report
}

/// This crate alone knows both lists (each says why it is one of its own); a kind that is new in the checker's does not compile
/// until it has its report here.
fn kind(kind: FindingKind) -> ReportKind {
    match kind {
        FindingKind::DataRace => ReportKind::DataRace,
        FindingKind::Divergence => ReportKind::Divergence,
        FindingKind::SubGroupDivergence => ReportKind::SubGroupDivergence,
        FindingKind::DifferentArguments => ReportKind::DifferentArguments,
        FindingKind::ClampBounds => ReportKind::ClampBounds,
        FindingKind::NoDimension => ReportKind::NoDimension,
        FindingKind::DifferentSpans => ReportKind::DifferentSpans,
        FindingKind::Unwritten => ReportKind::Unwritten,
        FindingKind::OutOfBounds => ReportKind::OutOfBounds,
        FindingKind::Misaligned => ReportKind::Misaligned,
        FindingKind::Overflow => ReportKind::Overflow,
        FindingKind::DivisionByZero => ReportKind::DivisionByZero,
        FindingKind::ShiftTooFar => ReportKind::ShiftTooFar,
        FindingKind::ZeroStep => ReportKind::ZeroStep,
        FindingKind::InvalidValue => ReportKind::InvalidValue,
        FindingKind::LossyCast => ReportKind::LossyCast,
    }
}
