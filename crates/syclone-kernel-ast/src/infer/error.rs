//! What can go wrong in inference.

use std::fmt;

use crate::tree::{Function, SpanId};
use crate::types::Type;

/// Why a function could not be typed, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct InferError {
    /// The function.
    pub function: String,
    /// Its source file.
    pub file: String,
    /// One-based line, 0 where there is none.
    pub line: u32,
    /// What is wrong.
    pub kind: InferErrorKind,
}

/// What is wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum InferErrorKind {
    /// Device functions call each other in a circle.
    Recursion {
        /// The functions of the circle; the last is the first again.
        cycle: Vec<String>,
    },
    /// Two types that must be one are not.
    Mismatch {
        /// The type that the context asks for.
        expected: Type,
        /// The type that is there.
        found: Type,
    },
    /// A type that nothing determines.
    Ambiguous {
        /// What has no type.
        what: String,
    },
    /// A method or function that the type does not have.
    NoMethod {
        /// The receiver, or the first argument.
        ty: Type,
        /// The name.
        name: String,
    },
    /// A call that several methods of the type may be.
    SeveralMethods {
        /// The receiver.
        ty: Type,
        /// The name.
        name: String,
    },
    /// A field that the type does not have.
    NoField {
        /// The type.
        ty: Type,
        /// The field's name.
        name: String,
    },
    /// An operation that the type does not have.
    NoOperation {
        /// The type.
        ty: Type,
        /// The operation.
        operation: String,
    },
    /// A call with the wrong number of arguments.
    Arguments {
        /// The function or method.
        name: String,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The tables of the bound function do not fit its tree.
    Table {
        /// Which one.
        table: &'static str,
        /// Entries that the tree names.
        expected: usize,
        /// Entries that are bound.
        found: usize,
    },
    /// The tree breaks one of its own rules.
    Internal(String),
}

impl InferError {
    pub(super) fn new(tree: &Function, span: SpanId, kind: InferErrorKind) -> Box<InferError> {
        let line = tree.spans.get(span.0 as usize).map_or(0, |span| span.line);
        Box::new(InferError { function: tree.name.clone(), file: tree.file.clone(), line, kind })
    }
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: in `{}`: ", self.file, self.line, self.function)?;
        match &self.kind {
            InferErrorKind::Recursion { cycle } => {
                write!(
                    f,
                    "device functions call each other in a circle: {}\nwrite the recursion as a loop",
                    cycle.join(" -> ")
                )
            }
            InferErrorKind::Mismatch { expected, found } => {
                write!(f, "found type {found} where {expected} is expected")
            }
            InferErrorKind::Ambiguous { what } => {
                write!(f, "the type of the {what} is not known here")
            }
            InferErrorKind::NoMethod { ty, name } => {
                write!(
                    f,
                    "type {ty} has no device method `{name}` that is known here\n\
                     write `#[device_fn]` over the `impl` that it stands in, or the receiver's type in the kernel, with a `let`"
                )
            }
            InferErrorKind::SeveralMethods { ty, name } => {
                write!(
                    f,
                    "type {ty} has several device methods `{name}` that this call may mean\n\
                     write it with the trait, `<… as Trait<…>>::{name}(…)`"
                )
            }
            InferErrorKind::NoField { ty, name } => write!(f, "type {ty} has no field `{name}`"),
            InferErrorKind::NoOperation { ty, operation } => {
                write!(f, "type {ty} has no {operation} in a kernel")?;
                if operation.starts_with("operator") {
                    write!(
                        f,
                        "\noperators are for numbers and vectors: write a method in a `#[device_fn] impl`, such as `a.plus(b)`"
                    )?;
                }
                Ok(())
            }
            InferErrorKind::Arguments { name, expected, found } => {
                write!(f, "`{name}` takes {expected} arguments, not {found}")
            }
            InferErrorKind::Table { table, expected, found } => {
                write!(f, "the tree names {expected} {table}, but {found} are bound")
            }
            InferErrorKind::Internal(what) => write!(f, "the kernel tree is damaged: {what}"),
        }
    }
}

impl std::error::Error for InferError {}
