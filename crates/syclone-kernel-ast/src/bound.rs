//! A tree with the meanings of its tables: what a macro's output makes of its function at run time.
//!
//! The tree names types, constants and called functions only by their text. Macro output fills these tables with the
//! concrete ones of an instance, as rustc sees them; called functions stay behind function pointers, so that binding
//! one function never binds the whole program and a recursive function can be found out instead of running forever.

use std::sync::Arc;

use crate::tree::{ConstId, Function, TypeId};
use crate::types::{BindFn, Comparison, Type};
use crate::value::Value;

/// The value of a constant path, and its type.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstValue {
    /// The type.
    pub ty: Type,
    /// The value.
    pub value: Value,
}

impl From<Value> for ConstValue {
    fn from(value: Value) -> Self {
        ConstValue { ty: value.ty(), value }
    }
}

/// A method that a function may call, for one concrete receiver. Several instances of one trait give a type several methods
/// of one name: a call means the one that takes its arguments.
#[derive(Clone, Debug)]
pub struct BoundMethod {
    /// The receiver's type, without references.
    pub ty: Type,
    /// The method's name; of an instance of a generic method its [`instance_name`].
    pub name: &'static str,
    /// The function; its first parameter is the receiver.
    pub function: BindFn,
}

/// The name of an instance of a generic method in one function: with the places of its arguments in the function's tables.
pub fn instance_name(name: &str, types: &[TypeId], consts: &[ConstId]) -> String {
    let types = types.iter().map(|id| format!("t{}", id.0));
    let consts = consts.iter().map(|id| format!("c{}", id.0));
    format!("{name}::<{}>", types.chain(consts).collect::<Vec<_>>().join(", "))
}

/// A function and the concrete meanings of its tables, each in the order of the tree's.
#[derive(Clone, Debug)]
pub struct BoundFunction {
    /// The tree.
    pub tree: Arc<Function>,
    /// Meanings of [`Function::types`].
    pub types: Vec<Type>,
    /// Meanings of [`Function::consts`].
    pub consts: Vec<ConstValue>,
    /// Meanings of [`Function::callees`].
    pub callees: Vec<BindFn>,
    /// Methods that the body may call, besides those that types list themselves.
    pub methods: Vec<BoundMethod>,
    /// How values of the types that the function spells are compared, where the types do not know it themselves.
    pub comparisons: Vec<(Type, Comparison)>,
}
