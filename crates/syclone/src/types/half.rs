//! The half precisions.
//!
//! [`struct@f16`] is IEEE binary16, [`bf16`] the upper half of an `f32`. Both are the `half` crate's types, so data moves
//! to and from other crates without conversion. Arithmetic converts to `f32`, computes and rounds to nearest even
//! once, on the CPU device as in the interpreter; so do the functions of [`Float`](super::Float) and
//! [`Math`](super::Math). Sums should be kept in `f32`.

pub use ::half::{bf16, f16};
