//! What a checked device reports: values for tests, and text with the source line and a caret for people.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Name;

/// A kind of mistake: the one list that users see.
///
/// What checks a kernel lies in a crate that this one does not know, and has a list of its own for what a kernel alone can do
/// wrong; who launches kernels translates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportKind {
    /// Two work-items access the same bytes, one writes, nothing orders them, and not both are atomic.
    DataRace,
    /// The same of two commands, which the order of commands does not keep apart.
    CommandRace,
    /// Not every work-item of a group came to its barrier or group operation.
    Divergence,
    /// Not every work-item of a sub-group came to its operation.
    SubGroupDivergence,
    /// The work-items of a group or sub-group pass different spans to a joint algorithm.
    DifferentSpans,
    /// The work-items of a group or sub-group pass different numbers where its algorithm takes one for all of them.
    DifferentArguments,
    /// Memory was read that nobody had written.
    Unwritten,
    /// An index outside of a parameter or an array.
    OutOfBounds,
    /// An address that is no multiple of what its type needs.
    Misaligned,
    /// An integer result that its type does not hold.
    Overflow,
    /// An integer division or remainder by zero.
    DivisionByZero,
    /// A shift by at least the type's bits.
    ShiftTooFar,
    /// A loop with step zero.
    ZeroStep,
    /// A `clamp` whose lower bound is above its upper one.
    ClampBounds,
    /// A dimension that an id, a range or an extent does not have.
    NoDimension,
    /// Bytes that are no value of their type.
    InvalidValue,
    /// A conversion that gave another number: a note, since that may be meant.
    LossyCast,
}

impl ReportKind {
    /// The kind in words.
    pub const fn name(self) -> &'static str {
        match self {
            ReportKind::DataRace => "data race",
            ReportKind::CommandRace => "race between commands",
            ReportKind::Divergence => "divergent barrier",
            ReportKind::SubGroupDivergence => "divergent sub-group operation",
            ReportKind::DifferentSpans => "joint algorithm with different spans",
            ReportKind::DifferentArguments => "group algorithm with different arguments",
            ReportKind::Unwritten => "read of memory that nobody wrote",
            ReportKind::OutOfBounds => "access out of bounds",
            ReportKind::Misaligned => "misaligned access",
            ReportKind::Overflow => "integer overflow",
            ReportKind::DivisionByZero => "division by zero",
            ReportKind::ShiftTooFar => "shift too far",
            ReportKind::ZeroStep => "loop with step zero",
            ReportKind::ClampBounds => "clamp with bounds in the wrong order",
            ReportKind::NoDimension => "dimension that does not exist",
            ReportKind::InvalidValue => "invalid value",
            ReportKind::LossyCast => "cast that loses the value",
        }
    }

    /// Whether it is only worth a look, and no mistake by itself.
    pub const fn is_note(self) -> bool {
        matches!(self, ReportKind::LossyCast)
    }
}

impl fmt::Display for ReportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SourceLocation {
    /// The file, as the compiler names it; empty if it is not known.
    pub file: String,
    /// One-based line; 0 if it is not known.
    pub line: u32,
    /// Zero-based column.
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column + 1)
    }
}

/// A mistake that a checked device has found, once for each place and launch.
///
/// Its text begins with the kind and a sentence, shows the source line if the file can be read, and ends with what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// What kind of mistake.
    pub kind: ReportKind,
    /// The kernel, or the command.
    pub kernel: Name,
    /// The kernel or device function in which it is written.
    pub function: String,
    /// Where.
    pub location: SourceLocation,
    /// The other place of a mistake that has two, and what happened there.
    pub other: Option<(SourceLocation, String)>,
    /// Global ids of the work-items that made it first, missing dimensions 0 in front: the one at `location`, and the one
    /// at the other place.
    pub items: Vec<[usize; 3]>,
    /// The parameter or array that it is about, if there is one.
    pub parameter: Option<String>,
    /// What happened, in a sentence.
    pub message: String,
    /// What else helps, and what to do.
    pub notes: Vec<String>,
    /// How often it was made.
    pub count: u64,
}

impl Report {
    /// A report without a place.
    pub fn new(kind: ReportKind, kernel: impl Into<Name>, message: impl Into<String>) -> Report {
        Report {
            kind,
            kernel: kernel.into(),
            function: String::new(),
            location: SourceLocation::default(),
            other: None,
            items: Vec::new(),
            parameter: None,
            message: message.into(),
            notes: Vec::new(),
            count: 1,
        }
    }

    /// One-based line in the source.
    pub fn line(&self) -> u32 {
        self.location.line
    }

    /// Zero-based column in the source.
    pub fn column(&self) -> u32 {
        self.location.column
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = if self.kind.is_note() { "note: " } else { "" };
        write!(f, "{label}{}: {}", self.kind, self.message)?;
        let known = self.location.line > 0;
        if known {
            write!(f, "\n  --> {}, in kernel `{}`", self.location, self.kernel)?;
        } else {
            write!(f, "\n  --> in `{}`", self.kernel)?;
        }
        if !self.function.is_empty() && self.function != self.kernel {
            write!(f, ", function `{}`", self.function)?;
        }
        snippet(f, &self.location)?;
        if let Some((place, what)) = &self.other {
            write!(f, "\n   = {what}")?;
            if place.line > 0 {
                write!(f, ": {place}")?;
                if *place != self.location {
                    snippet(f, place)?;
                }
            }
        }
        for note in &self.notes {
            write!(f, "\n   = {note}")?;
        }
        if self.count > 1 {
            write!(f, "\n   = seen {} times in this launch", self.count)?;
        }
        Ok(())
    }
}

/// The source line with a caret below, if the file is there.
fn snippet(f: &mut fmt::Formatter<'_>, place: &SourceLocation) -> fmt::Result {
    let Some(line) = source_line(place) else { return Ok(()) };
    let number = place.line.to_string();
    let gap = " ".repeat(number.len());
    // Tabs stay tabs, so that the caret stands where the column is.
    let indent: String = line.chars().take(place.column as usize).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    write!(f, "\n{gap} |\n{number} | {}\n{gap} | {indent}^", line.trim_end())
}

/// The compiler names files from where it was started, which is the workspace; a program may run anywhere below.
fn source_line(place: &SourceLocation) -> Option<String> {
    let line = (place.line as usize).checked_sub(1)?;
    let path = Path::new(&place.file);
    let here = std::env::current_dir().unwrap_or_default();
    let candidates: Vec<PathBuf> = here.ancestors().map(|folder| folder.join(path)).collect();
    let text = candidates.iter().find_map(|candidate| std::fs::read_to_string(candidate).ok())?;
    text.lines().nth(line).map(str::to_owned)
}

#[cfg(test)]
mod tests;
