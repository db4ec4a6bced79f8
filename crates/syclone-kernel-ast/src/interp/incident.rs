//! What an observer is told besides accesses: everything that is wrong in a kernel, or looks wrong, and where.

use super::OutOfBounds;
use crate::tree::Span;
use crate::types::{IntKind, Type};
use crate::value::Value;

/// An instruction of a compiled kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Site(pub u32);

/// Where an instruction is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourcePlace<'a> {
    /// The kernel or device function.
    pub function: &'a str,
    /// The file that it is written in.
    pub file: &'a str,
    /// Line and column.
    pub span: Span,
}

/// Something that an item has met.
#[derive(Clone, PartialEq, Debug)]
pub struct Incident {
    /// What.
    pub kind: IncidentKind,
    /// At which instruction.
    pub site: Site,
    /// The group's id, missing dimensions 0 in front.
    pub group: [usize; 3],
    /// The item's position in its group.
    pub item: usize,
    /// The item's global id, missing dimensions 0 in front.
    pub id: [usize; 3],
}

/// What an item can meet.
#[derive(Clone, PartialEq, Debug)]
pub enum IncidentKind {
    /// An integer result that its type does not hold.
    Overflow {
        /// The operator's symbol, or the method's name.
        operation: String,
        /// What it worked on.
        operands: Vec<Value>,
    },
    /// A shift by at least the type's bits.
    ShiftTooFar {
        /// By how much.
        amount: i128,
        /// The type that is shifted.
        kind: IntKind,
    },
    /// A division or remainder by zero.
    DivideByZero {
        /// The operator's symbol, or the method's name.
        operation: String,
    },
    /// A conversion that gives another number, by more than rounding.
    LossyCast {
        /// The value before.
        from: Value,
        /// The value after.
        to: Value,
    },
    /// A `step_by(0)`.
    ZeroStep,
    /// A `clamp` whose least value is above its greatest: they follow.
    ClampBounds {
        /// The least value.
        low: Value,
        /// The greatest value.
        high: Value,
    },
    /// A dimension that an id, a range or an extent does not have.
    NoDimension {
        /// The dimension.
        dim: usize,
        /// How many there are.
        dims: usize,
    },
    /// Memory that should hold a value of a type does not.
    InvalidValue(Type),
    /// An index outside of a parameter or an array.
    OutOfBounds(OutOfBounds),
    /// Some items of a group wait where others never come.
    Divergence {
        /// Whether it is an operation of a sub-group.
        sub_group: bool,
        /// The positions in the group of those that wait.
        arrived: Vec<usize>,
        /// Those that do not, and where they wait instead; `None` for those that have ended.
        missing: Vec<(usize, Option<Site>)>,
    },
    /// The items of a group pass different numbers where its algorithm takes one for all of them.
    DifferentArguments {
        /// What the argument is.
        argument: &'static str,
        /// Whether it is an operation of a sub-group.
        sub_group: bool,
        /// The first item's argument.
        first: Value,
        /// The position in the group of one whose argument is another one.
        other: usize,
        /// That one's argument.
        others: Value,
    },
    /// The items of a group pass different spans to a joint algorithm.
    DifferentSpans {
        /// Whether it is an operation of a sub-group.
        sub_group: bool,
        /// The position in the group of one whose span is not the first one's.
        other: usize,
    },
}
