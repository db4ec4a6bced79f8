//! The functions that upper crates lend to inference and to the interpreter.
//!
//! This crate knows Rust's own numeric methods. The rest of SYCL's math list (`erf`, `mix`, `dot`, …) is defined once, in
//! the crate that users depend on, and reaches the tree's stages through this trait.

use crate::types::Type;
use crate::value::Value;

/// Functions and methods by name. A method's receiver is its first argument.
pub trait Builtins {
    /// The type that a function gives for these argument types; `None` if there is no such function.
    ///
    /// Arguments that are references come as the types behind them.
    fn result_type(&self, name: &str, args: &[Type]) -> Option<Type>;

    /// The function's value; `None` if there is no such function. The result has the type that
    /// [`result_type`](Builtins::result_type) promised.
    fn call(&self, name: &str, args: &[Value]) -> Option<Value>;

    /// Takes what a kernel prints.
    fn print(&self, text: &str) {
        let _ = text;
    }
}

/// No functions beyond those that this crate knows.
pub struct NoBuiltins;

impl Builtins for NoBuiltins {
    fn result_type(&self, _name: &str, _args: &[Type]) -> Option<Type> {
        None
    }

    fn call(&self, _name: &str, _args: &[Value]) -> Option<Value> {
        None
    }
}
