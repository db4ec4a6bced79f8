//! Rust's numeric operations on values: operators, casts, the methods of the primitive types, group operators.
//!
//! One module says which methods there are and what types they take ([`signature`]), the others what they compute.
//! Integers are computed in 128 bits and brought back to their type, 16-bit floats in `f32` and rounded after every
//! operation (after the last one where a group combines many), so that each rule is stated once and can be checked by reading.

mod float;
mod int;
mod operators;
mod signature;

pub(crate) use operators::{apply, binary, cast, compare, identity, loses, negate, not};
pub(crate) use signature::{Part, signature};

use crate::half::{bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32};
use crate::types::{IntKind, Op, Type};
use crate::value::Value;

/// A value, or why Rust would not go on.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Outcome {
    /// The value.
    Value(Value),
    /// The value modulo the type's range: an error where overflow is checked.
    Overflow(Value),
    /// A division whose result the type cannot hold; an error in every build.
    DivideOverflow,
    /// A division or remainder by zero.
    DivideByZero,
    /// A `clamp` whose bounds are in the wrong order; what `limited` gives for them.
    ClampBounds(Value),
    /// The operation does not exist for these operands: inference and this module disagree.
    Unsupported,
}

/// A method of the primitive types on scalars; the receiver is the first argument.
pub(crate) fn method(name: &str, args: &[Value]) -> Outcome {
    let Some(receiver) = args.first() else {
        return Outcome::Unsupported;
    };
    if let Some(to) = signature::conversion(name) {
        return cast(receiver, &to.of(&receiver.ty())).map_or(Outcome::Unsupported, Outcome::Value);
    }
    match receiver {
        Value::Int(kind, _) => int::method(*kind, name, args),
        Value::F32(_) => float::method_f32(name, args),
        Value::F64(_) => float::method_f64(name, args),
        Value::F16(bits) | Value::Bf16(bits) if name == "to_bits" => {
            Outcome::Value(Value::Int(IntKind::U16, i128::from(*bits)))
        }
        Value::F16(_) | Value::Bf16(_) => through_f32(name, args),
        Value::Bool(a) => match (name, args.get(1)) {
            ("min", Some(Value::Bool(b))) => Outcome::Value(Value::Bool(*a & *b)),
            ("max", Some(Value::Bool(b))) => Outcome::Value(Value::Bool(*a | *b)),
            _ => Outcome::Unsupported,
        },
        _ => Outcome::Unsupported,
    }
}

/// A method of a 16-bit float: computed on `f32`, the result rounded back.
fn through_f32(name: &str, args: &[Value]) -> Outcome {
    let Some(half) = args.first().map(Value::ty) else {
        return Outcome::Unsupported;
    };
    let args: Vec<Value> = args.iter().map(widen).collect();
    match float::method_f32(name, &args) {
        Outcome::Value(value) => Outcome::Value(narrow(&half, value)),
        Outcome::ClampBounds(value) => Outcome::ClampBounds(narrow(&half, value)),
        other => other,
    }
}

/// A 16-bit float as `f32`; anything else as it is.
fn widen(value: &Value) -> Value {
    match value {
        Value::F16(bits) => Value::F32(f16_to_f32(*bits)),
        Value::Bf16(bits) => Value::F32(bf16_to_f32(*bits)),
        other => other.clone(),
    }
}

/// `f32` results rounded to a 16-bit type; anything else as it is.
fn narrow(half: &Type, value: Value) -> Value {
    match (half, value) {
        (Type::F16, Value::F32(value)) => Value::F16(f16_from_f32(value)),
        (Type::Bf16, Value::F32(value)) => Value::Bf16(bf16_from_f32(value)),
        (_, Value::Tuple(parts)) => Value::Tuple(parts.into_iter().map(|part| narrow(half, part)).collect()),
        (_, value) => value,
    }
}

/// A value as combinations of many are kept by an operator until the last one: a 16-bit float as `f32` where each
/// combination would round, anything else as it is. [`rounded`] leads back.
pub(crate) fn partial(op: Op, value: &Value) -> Value {
    match (op, value) {
        (Op::Plus | Op::Multiplies, Value::Vector(lanes)) => {
            Value::Vector(lanes.iter().map(|lane| partial(op, lane)).collect())
        }
        (Op::Plus | Op::Multiplies, scalar) => widen(scalar),
        (_, exact) => exact.clone(),
    }
}

/// The result of this type that was kept as a [`partial`] one.
pub(crate) fn rounded(ty: &Type, value: Value) -> Value {
    match (ty, value) {
        (Type::Vector(elem, _), Value::Vector(lanes)) => {
            Value::Vector(lanes.into_iter().map(|lane| rounded(elem, lane)).collect())
        }
        (ty, value) => narrow(ty, value),
    }
}

#[cfg(test)]
mod tests;
