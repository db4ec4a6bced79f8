//! The kernel tree of syclone: what a `#[kernel]` or `#[device_fn]` function is once it has been parsed.
//!
//! The macros build a [`tree::Function`], analyse it to print the native version, and emit it in the compact text of
//! [`encode`]. At run time the text is decoded, bound to the concrete types and constants ([`bound`]), typed
//! ([`infer`]) and run by the [`interp`]reter (with [`check`]s, if wanted) or lowered for a device. This crate has no dependencies and knows nothing
//! of syn, of the runtime or of any device.
#![warn(missing_docs)]

pub mod analysis;
pub mod bound;
pub mod builtins;
pub mod check;
pub mod encode;
pub mod half;
pub mod infer;
pub mod interp;
pub mod message;
mod numeric;
mod print;
pub mod tree;
pub mod types;
pub mod value;
mod vector;
