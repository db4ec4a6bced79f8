//! How a launch can go wrong.

use std::fmt;

use super::Id;
use crate::infer::InferError;
use crate::types::Type;

/// The first access outside of one parameter's or array's elements.
#[derive(Clone, PartialEq, Debug)]
pub struct OutOfBounds {
    /// The kernel's parameter, or the variable that holds the array.
    pub parameter: String,
    /// Position of the parameter among the kernel's, the item counted; `None` for local and private arrays.
    pub position: Option<usize>,
    /// Source line.
    pub line: u32,
    /// The index, missing dimensions 0 in front.
    pub index: [usize; 3],
    /// The extents, missing dimensions 1 in front.
    pub extents: [usize; 3],
    /// How many dimensions the parameter or array has.
    pub dims: u8,
    /// Global id of the item.
    pub item: Id,
}

/// Why a launch failed.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// The function, or one that it calls, could not be typed.
    Untyped(Box<InferError>),
    /// The launch does not fit the function.
    Arguments(String),
    /// The launch's private or local memory does not fit the machine's.
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// Accesses outside of memory: the first of each parameter. Reads gave zero, writes were dropped, and the launch went
    /// on to its end.
    OutOfBounds(Vec<OutOfBounds>),
    /// Items of a group did not come to one barrier together.
    Divergence {
        /// Source line of the barrier, or the group operation, that some wait at.
        line: u32,
        /// Items that wait there.
        arrived: usize,
        /// Items that should.
        expected: usize,
        /// The group's id.
        group: Id,
    },
    /// An integer division or remainder by zero.
    DivideByZero {
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// An integer result that its type does not hold, or a shift by at least the type's bits.
    Overflow {
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// A `kassert!` that does not hold.
    Assertion {
        /// What it says.
        message: String,
        /// The file that it is written in.
        file: String,
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// A `step_by(0)`.
    ZeroStep {
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// A `clamp` whose least value is above its greatest.
    ClampBounds {
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// A dimension that an id, a range or an extent does not have.
    NoDimension {
        /// The dimension.
        dim: usize,
        /// How many there are.
        dims: usize,
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// A type whose comparison is not the one field by field.
    OwnComparison {
        /// The type.
        ty: Type,
        /// Source line.
        line: u32,
    },
    /// A type of which nothing says how it is compared.
    UnknownComparison {
        /// The type.
        ty: Type,
        /// Source line.
        line: u32,
    },
    /// Memory that should hold a value of a type does not.
    InvalidValue {
        /// The type.
        ty: Type,
        /// Source line.
        line: u32,
        /// Global id of the item.
        item: Id,
    },
    /// A mistake in this crate.
    Internal(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Untyped(error) => write!(f, "{error}"),
            Fault::Arguments(what) => write!(f, "the launch does not fit the kernel: {what}"),
            Fault::OutOfMemory { bytes } => write!(
                f,
                "no memory for {bytes} bytes of private or local variables\nuse smaller work-groups or arrays"
            ),
            Fault::OutOfBounds(faults) => {
                for (position, fault) in faults.iter().enumerate() {
                    let line_end = if position > 0 { "\n" } else { "" };
                    write!(
                        f,
                        "{line_end}index {} is outside `{}` of extents {}: item {}, line {}",
                        Id::new(fault.index, fault.dims),
                        fault.parameter,
                        Id::new(fault.extents, fault.dims),
                        fault.item,
                        fault.line
                    )?;
                }
                Ok(())
            }
            Fault::Divergence { line, arrived, expected, group } => write!(
                f,
                "{arrived} of {expected} items of group {group} wait at the barrier in line {line}, the others never come\n\
                 move the barrier out of branches and loops that depend on the item"
            ),
            Fault::DivideByZero { line, item } => {
                write!(f, "division by zero in line {line}: item {item}")
            }
            Fault::Overflow { line, item } => {
                write!(f, "integer overflow in line {line}: item {item}")
            }
            Fault::Assertion { message, line, item, .. } => {
                write!(f, "{message}: line {line}, item {item}")
            }
            Fault::ZeroStep { line, item } => {
                write!(f, "a loop with step 0 in line {line}: item {item}")
            }
            Fault::ClampBounds { line, item } => {
                write!(f, "a `clamp` whose lower bound is above the upper one in line {line}: item {item}")
            }
            Fault::NoDimension { dim, dims, line, item } => {
                write!(f, "dimension {dim} of what has {dims}, counted from 0, in line {line}: item {item}")
            }
            Fault::OwnComparison { ty, line } => write!(
                f,
                "{ty} is compared in line {line}, and its `PartialEq` or `PartialOrd` is not the derived one, which is all that a kernel \
                 knows\nwrite `#[device_fn]` over the `impl` block, or write a method in a `#[device_fn] impl`, such as `a.equals(b)`; where \
                 the block has it, let `==`, `partial_cmp` and the block's functions agree"
            ),
            Fault::UnknownComparison { ty, line } => write!(
                f,
                "nothing says how {ty} is compared in line {line}\nbind one of the values in the kernel, with a `let` that \
                 says its type"
            ),
            Fault::InvalidValue { ty, line, item } => {
                write!(f, "memory read in line {line} holds no value of type {ty}: item {item}")
            }
            Fault::Internal(what) => write!(f, "error in the interpreter: {what}"),
        }
    }
}

impl std::error::Error for Fault {}
