//! Operators, casts and the operators of reductions, on values.

use std::cmp::Ordering;

use super::{Outcome, narrow, widen};
use crate::half::{bf16_from_f64, f16_from_f64};
use crate::tree::BinaryOp;
use crate::types::{IntKind, Op, Type};
use crate::value::Value;

/// An arithmetic, bit or shift operator on two scalars; the right operand of a shift may have its own type.
pub(crate) fn binary(op: BinaryOp, left: &Value, right: &Value) -> Outcome {
    match (left, right) {
        (Value::Int(kind, a), Value::Int(_, b)) => int_binary(op, *kind, *a, *b),
        (Value::Bool(a), Value::Bool(b)) => Outcome::Value(Value::Bool(match op {
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            _ => return Outcome::Unsupported,
        })),
        (Value::F32(a), Value::F32(b)) => Outcome::Value(Value::F32(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Rem => a % b,
            _ => return Outcome::Unsupported,
        })),
        (Value::F64(a), Value::F64(b)) => Outcome::Value(Value::F64(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Rem => a % b,
            _ => return Outcome::Unsupported,
        })),
        (Value::F16(_), Value::F16(_)) | (Value::Bf16(_), Value::Bf16(_)) => {
            match binary(op, &widen(left), &widen(right)) {
                Outcome::Value(value) => Outcome::Value(narrow(&left.ty(), value)),
                other => other,
            }
        }
        _ => Outcome::Unsupported,
    }
}

/// The operator on integers of one type (a shift's amount may come from any).
pub(crate) fn int_binary(op: BinaryOp, kind: IntKind, a: i128, b: i128) -> Outcome {
    let exact = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        // The product of two 64-bit numbers can exceed i128; its low bits are all that wrapping needs.
        BinaryOp::Mul => match a.checked_mul(b) {
            Some(product) => product,
            None => return Outcome::Overflow(Value::Int(kind, kind.wrap(a.wrapping_mul(b)))),
        },
        BinaryOp::Div | BinaryOp::Rem if b == 0 => return Outcome::DivideByZero,
        BinaryOp::Div | BinaryOp::Rem if kind.signed() && b == -1 && a == kind.min_value() => {
            return Outcome::DivideOverflow;
        }
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl | BinaryOp::Shr => {
            // Bits shifted out are no overflow in Rust, an amount outside the type's bits is.
            let bits = i128::from(kind.bits());
            let amount = b & (bits - 1);
            let value = Value::Int(kind, kind.wrap(if op == BinaryOp::Shl { a << amount } else { a >> amount }));
            return if (0..bits).contains(&b) { Outcome::Value(value) } else { Outcome::Overflow(value) };
        }
        _ => return Outcome::Unsupported,
    };
    let wrapped = kind.wrap(exact);
    let value = Value::Int(kind, wrapped);
    if wrapped == exact { Outcome::Value(value) } else { Outcome::Overflow(value) }
}

/// `-x`
pub(crate) fn negate(value: &Value) -> Outcome {
    match value {
        Value::Int(kind, value) => {
            let negated = Value::Int(*kind, kind.wrap(-value));
            if kind.wrap(-value) == -value { Outcome::Value(negated) } else { Outcome::Overflow(negated) }
        }
        Value::F16(bits) => Outcome::Value(Value::F16(bits ^ 0x8000)),
        Value::Bf16(bits) => Outcome::Value(Value::Bf16(bits ^ 0x8000)),
        Value::F32(value) => Outcome::Value(Value::F32(-value)),
        Value::F64(value) => Outcome::Value(Value::F64(-value)),
        _ => Outcome::Unsupported,
    }
}

/// `!x`
pub(crate) fn not(value: &Value) -> Outcome {
    match value {
        Value::Bool(value) => Outcome::Value(Value::Bool(!value)),
        Value::Int(kind, value) => Outcome::Value(Value::Int(*kind, kind.wrap(!value))),
        _ => Outcome::Unsupported,
    }
}

/// The order of two values of one type, as `PartialOrd` derives it: lexicographic for what has parts.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Unit, Value::Unit) => Some(Ordering::Equal),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Int(_, a), Value::Int(_, b)) => Some(a.cmp(b)),
        (Value::F16(_), Value::F16(_)) | (Value::Bf16(_), Value::Bf16(_)) => compare(&widen(left), &widen(right)),
        (Value::F32(a), Value::F32(b)) => a.partial_cmp(b),
        (Value::F64(a), Value::F64(b)) => a.partial_cmp(b),
        (Value::Enum(ty, a), Value::Enum(_, b)) => {
            let discriminant = |variant: usize| ty.variants.get(variant).map(|(_, discriminant)| *discriminant);
            discriminant(*a).partial_cmp(&discriminant(*b))
        }
        (Value::Vector(a), Value::Vector(b))
        | (Value::Array(_, a), Value::Array(_, b))
        | (Value::Tuple(a), Value::Tuple(b))
        | (Value::Struct(_, a), Value::Struct(_, b)) => {
            for (a, b) in a.iter().zip(b) {
                match compare(a, b) {
                    Some(Ordering::Equal) => {}
                    other => return other,
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        _ => None,
    }
}

/// `value as ty`
pub(crate) fn cast(value: &Value, ty: &Type) -> Option<Value> {
    if value.ty() == *ty {
        return Some(value.clone());
    }
    match value {
        Value::Bool(value) => Value::Int(IntKind::U8, i128::from(*value)).cast_int(ty),
        Value::Int(..) => value.cast_int(ty),
        Value::Enum(enum_type, variant) => {
            let discriminant = enum_type.variants.get(*variant)?.1;
            Value::Int(enum_type.repr, discriminant).cast_int(ty)
        }
        Value::F32(float) => cast_float(f64::from(*float), ty),
        Value::F64(float) => cast_float(*float, ty),
        Value::F16(_) | Value::Bf16(_) => cast(&widen(value), ty),
        _ => None,
    }
}

/// Whether a cast has given another number, by more than rounding: bits cut off, a sign turned, a float outside the range of
/// the integer or of the narrower float.
pub(crate) fn loses(before: &Value, after: &Value) -> bool {
    let float = |value: &Value| match widen(value) {
        Value::F32(value) => Some(f64::from(value)),
        Value::F64(value) => Some(value),
        _ => None,
    };
    match (before.as_int(), after.as_int(), float(before), float(after)) {
        (Some(before), Some(after), ..) => before != after,
        (None, Some(after), Some(before), _) => before.is_nan() || (before as i128) != after,
        (Some(_), None, _, Some(after)) => after.is_infinite(),
        (None, None, Some(before), Some(after)) => before.is_finite() && after.is_infinite(),
        _ => false,
    }
}

impl Value {
    fn cast_int(&self, ty: &Type) -> Option<Value> {
        let value = self.as_int()?;
        Some(match ty {
            Type::Int(kind) => Value::Int(*kind, kind.wrap(value)),
            Type::F32 => Value::F32(value as f32),
            Type::F64 => Value::F64(value as f64),
            // Not `as` but the conversion functions of the 16-bit types; integers wider than f64's mantissa round to
            // infinity or to a 16-bit float that is far coarser than f64.
            Type::F16 => Value::F16(f16_from_f64(value as f64)),
            Type::Bf16 => Value::Bf16(bf16_from_f64(value as f64)),
            _ => return None,
        })
    }
}

fn cast_float(value: f64, ty: &Type) -> Option<Value> {
    Some(match ty {
        // `as` saturates and takes NaN to zero, from f64 to i128 as to every other integer.
        Type::Int(kind) => Value::Int(*kind, (value as i128).clamp(kind.min_value(), kind.max_value())),
        Type::F32 => Value::F32(value as f32),
        Type::F64 => Value::F64(value),
        Type::F16 => Value::F16(f16_from_f64(value)),
        Type::Bf16 => Value::Bf16(bf16_from_f64(value)),
        _ => return None,
    })
}

/// A reduction operator on two values of one type: scalars, or vectors lane by lane. Integers wrap.
pub(crate) fn apply(op: Op, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::Vector(a), Value::Vector(b)) = (left, right) {
        return Some(Value::Vector(a.iter().zip(b).map(|(a, b)| apply(op, a, b)).collect::<Option<_>>()?));
    }
    let outcome = match op {
        Op::Plus => binary(BinaryOp::Add, left, right),
        Op::Multiplies => binary(BinaryOp::Mul, left, right),
        Op::BitAnd => binary(BinaryOp::BitAnd, left, right),
        Op::BitOr => binary(BinaryOp::BitOr, left, right),
        Op::BitXor => binary(BinaryOp::BitXor, left, right),
        Op::Minimum => super::method("min", &[left.clone(), right.clone()]),
        Op::Maximum => super::method("max", &[left.clone(), right.clone()]),
        Op::LogicalAnd | Op::LogicalOr => {
            let (a, b) = (truth(left)?, truth(right)?);
            let result = if op == Op::LogicalAnd { a && b } else { a || b };
            Outcome::Value(match left {
                Value::Int(kind, _) => Value::Int(*kind, i128::from(result)),
                _ => Value::Bool(result),
            })
        }
    };
    match outcome {
        Outcome::Value(value) | Outcome::Overflow(value) => Some(value),
        _ => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Int(_, value) => Some(*value != 0),
        _ => None,
    }
}

/// The value that a reduction operator leaves others unchanged by.
pub(crate) fn identity(op: Op, ty: &Type) -> Option<Value> {
    if let Type::Vector(elem, lanes) = ty {
        return Some(Value::Vector(vec![identity(op, elem)?; usize::from(*lanes)]));
    }
    let float = match op {
        Op::Plus => 0.0,
        Op::Multiplies => 1.0,
        Op::Minimum => f64::INFINITY,
        Op::Maximum => f64::NEG_INFINITY,
        _ => f64::NAN,
    };
    Some(match ty {
        Type::Int(kind) => Value::Int(
            *kind,
            match op {
                Op::Plus | Op::BitOr | Op::BitXor | Op::LogicalOr => 0,
                Op::Multiplies | Op::LogicalAnd => 1,
                Op::Minimum => kind.max_value(),
                Op::Maximum => kind.min_value(),
                Op::BitAnd => kind.wrap(-1),
            },
        ),
        Type::Bool => Value::Bool(matches!(op, Op::LogicalAnd | Op::BitAnd | Op::Minimum)),
        _ if ty.is_float() && !float.is_nan() => cast_float(float, ty)?,
        _ => return None,
    })
}
