//! Which methods the primitive types have here, and the types that they take and give.

use crate::types::{IntKind, Type};

/// A parameter's or result's type, told from the receiver's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The receiver's type.
    Same,
    /// `bool`
    Bool,
    /// `u32`
    U32,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `u64`
    U64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// The unsigned integer as wide as the receiver.
    Unsigned,
    /// `(Self, bool)`
    WithFlag,
    /// `(Self, Self)`
    Pair,
}

impl Part {
    /// The type for a receiver.
    pub(crate) fn of(self, receiver: &Type) -> Type {
        match self {
            Part::Same => receiver.clone(),
            Part::Bool => Type::Bool,
            Part::U32 => Type::U32,
            Part::I32 => Type::I32,
            Part::I64 => Type::Int(IntKind::I64),
            Part::U64 => Type::Int(IntKind::U64),
            Part::F32 => Type::F32,
            Part::F64 => Type::F64,
            Part::Unsigned => Type::Int(match (receiver, receiver.size()) {
                (Type::Int(IntKind::Isize | IntKind::Usize), _) => IntKind::Usize,
                (_, 1) => IntKind::U8,
                (_, 2) => IntKind::U16,
                (_, 4) => IntKind::U32,
                _ => IntKind::U64,
            }),
            Part::WithFlag => Type::Tuple(vec![receiver.clone(), Type::Bool]),
            Part::Pair => Type::Tuple(vec![receiver.clone(), receiver.clone()]),
        }
    }
}

/// The parameters behind the receiver and the result of a method of a scalar type.
pub(crate) fn signature(receiver: &Type, name: &str) -> Option<(&'static [Part], Part)> {
    let number = receiver.is_int() || receiver.is_float();
    if let Some(to) = conversion(name).filter(|_| number) {
        return Some((&[], to));
    }
    match receiver {
        Type::Int(kind) => int(*kind, name),
        Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => float(name),
        Type::Bool => matches!(name, "min" | "max").then_some((&[Part::Same], Part::Same)),
        _ => None,
    }
}

/// The methods that every number is converted by, as `as` would.
pub(super) fn conversion(name: &str) -> Option<Part> {
    Some(match name {
        "to_f32" => Part::F32,
        "to_f64" => Part::F64,
        "to_i64" => Part::I64,
        "to_u64" => Part::U64,
        _ => return None,
    })
}

fn float(name: &str) -> Option<(&'static [Part], Part)> {
    use Part::{Bool, I32, Pair, Same, Unsigned};
    Some(match name {
        "abs" | "signum" | "sqrt" | "cbrt" | "exp" | "exp2" | "exp_m1" | "ln" | "log2" | "log10" | "ln_1p" | "sin"
        | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh"
        | "floor" | "ceil" | "round" | "round_ties_even" | "trunc" | "fract" | "recip" | "to_degrees"
        | "to_radians" => (&[], Same),
        "min" | "max" | "powf" | "atan2" | "hypot" | "copysign" | "rem_euclid" | "div_euclid" | "log" => {
            (&[Same], Same)
        }
        "clamp" | "mul_add" => (&[Same, Same], Same),
        "powi" => (&[I32], Same),
        "is_nan" | "is_infinite" | "is_finite" | "is_normal" | "is_subnormal" | "is_sign_negative"
        | "is_sign_positive" => (&[], Bool),
        "to_bits" => (&[], Unsigned),
        "sin_cos" => (&[], Pair),
        _ => return None,
    })
}

fn int(kind: IntKind, name: &str) -> Option<(&'static [Part], Part)> {
    use Part::{Bool, Same, U32, Unsigned, WithFlag};
    Some(match name {
        "abs" | "signum" | "wrapping_abs" | "saturating_abs" | "saturating_neg" if kind.signed() => (&[], Same),
        // Vectors of any number have it.
        "abs" => (&[], Same),
        "unsigned_abs" if kind.signed() => (&[], Unsigned),
        "is_negative" | "is_positive" if kind.signed() => (&[], Bool),
        "next_power_of_two" if !kind.signed() => (&[], Same),
        "is_power_of_two" if !kind.signed() => (&[], Bool),
        "div_ceil" | "next_multiple_of" if !kind.signed() => (&[Same], Same),
        "swap_bytes" | "reverse_bits" | "wrapping_neg" | "isqrt" => (&[], Same),
        "min" | "max" | "rem_euclid" | "div_euclid" | "wrapping_add" | "wrapping_sub" | "wrapping_mul"
        | "wrapping_div" | "wrapping_rem" | "saturating_add" | "saturating_sub" | "saturating_mul"
        | "saturating_div" | "midpoint" => (&[Same], Same),
        "clamp" => (&[Same, Same], Same),
        "pow" | "wrapping_pow" | "saturating_pow" | "wrapping_shl" | "wrapping_shr" | "rotate_left"
        | "rotate_right" => (&[U32], Same),
        "count_ones" | "count_zeros" | "leading_zeros" | "trailing_zeros" | "leading_ones" | "trailing_ones" => {
            (&[], U32)
        }
        "abs_diff" => (&[Same], Unsigned),
        "overflowing_add" | "overflowing_sub" | "overflowing_mul" => (&[Same], WithFlag),
        _ => return None,
    })
}
