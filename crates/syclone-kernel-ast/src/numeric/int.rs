//! The methods of the integer types.

use super::Outcome;
use crate::types::{IntKind, Type};
use crate::value::Value;

/// A method on integers of one type; the receiver is the first argument.
pub(super) fn method(kind: IntKind, name: &str, args: &[Value]) -> Outcome {
    let mut numbers = [0i128; 3];
    for (slot, arg) in numbers.iter_mut().zip(args) {
        let Some(value) = arg.as_int() else {
            return Outcome::Unsupported;
        };
        *slot = value;
    }
    let [a, b, c] = numbers;
    let bits = kind.bits();
    // The receiver's bit pattern, zero-extended.
    let pattern = (a as u128) & (u128::MAX >> (128 - bits));
    let same = |value: i128| Outcome::Value(Value::Int(kind, kind.wrap(value)));
    let count = |value: u32| Outcome::Value(Value::Int(IntKind::U32, i128::from(value)));
    let saturate = |value: i128| same(value.clamp(kind.min_value(), kind.max_value()));
    let exact = |value: i128| {
        if kind.wrap(value) == value { same(value) } else { Outcome::Overflow(Value::Int(kind, kind.wrap(value))) }
    };
    let unsigned = |value: i128| {
        let Type::Int(to) = super::Part::Unsigned.of(&Type::Int(kind)) else {
            return Outcome::Unsupported;
        };
        Outcome::Value(Value::Int(to, to.wrap(value)))
    };
    let boolean = |value: bool| Outcome::Value(Value::Bool(value));
    let flagged = |value: i128| {
        let wrapped = kind.wrap(value);
        Outcome::Value(Value::Tuple(vec![Value::Int(kind, wrapped), Value::Bool(wrapped != value)]))
    };
    // Products of two 64-bit numbers fit 128 bits only without a sign; the pattern is all that wrapping needs.
    let product = a.checked_mul(b);
    match name {
        "abs" => exact(a.abs()),
        "signum" => same(a.signum()),
        "wrapping_abs" => same(a.abs()),
        "saturating_abs" => saturate(a.abs()),
        "saturating_neg" => saturate(-a),
        "unsigned_abs" => unsigned(a.abs()),
        "is_negative" => boolean(a < 0),
        "is_positive" => boolean(a > 0),
        "is_power_of_two" => boolean(pattern.is_power_of_two()),
        "next_power_of_two" => {
            let power = pattern.next_power_of_two() as i128;
            // Beyond the range, release builds of Rust give zero.
            if power > kind.max_value() { Outcome::Overflow(Value::Int(kind, 0)) } else { same(power) }
        }
        "div_ceil" if b == 0 => Outcome::DivideByZero,
        "div_ceil" => same((a + b - 1).div_euclid(b)),
        "next_multiple_of" if b == 0 => Outcome::DivideByZero,
        "next_multiple_of" => exact((a + b - 1).div_euclid(b) * b),
        "swap_bytes" => same((pattern.swap_bytes() >> (128 - bits)) as i128),
        "reverse_bits" => same((pattern.reverse_bits() >> (128 - bits)) as i128),
        "wrapping_neg" => same(-a),
        "isqrt" => same(pattern.isqrt() as i128),
        "min" => same(a.min(b)),
        "max" => same(a.max(b)),
        "clamp" if b > c => Outcome::ClampBounds(Value::Int(kind, a.max(b).min(c))),
        "clamp" => same(a.max(b).min(c)),
        "midpoint" => same(if kind.signed() { (a + b) / 2 } else { (a + b) >> 1 }),
        "rem_euclid" | "div_euclid" | "wrapping_div" | "wrapping_rem" | "saturating_div" if b == 0 => {
            Outcome::DivideByZero
        }
        "rem_euclid" | "div_euclid" if kind.signed() && b == -1 && a == kind.min_value() => Outcome::DivideOverflow,
        "rem_euclid" => same(a.rem_euclid(b)),
        "div_euclid" => same(a.div_euclid(b)),
        "wrapping_div" => same(a / b),
        "wrapping_rem" => same(a % b),
        "saturating_div" => saturate(a / b),
        "wrapping_add" => same(a + b),
        "wrapping_sub" => same(a - b),
        "wrapping_mul" => same(a.wrapping_mul(b)),
        "saturating_add" => saturate(a + b),
        "saturating_sub" => saturate(a - b),
        "saturating_mul" => saturate(product.unwrap_or(i128::MAX)),
        "overflowing_add" => flagged(a + b),
        "overflowing_sub" => flagged(a - b),
        "overflowing_mul" => match product {
            Some(product) => flagged(product),
            None => {
                Outcome::Value(Value::Tuple(vec![Value::Int(kind, kind.wrap(a.wrapping_mul(b))), Value::Bool(true)]))
            }
        },
        "pow" | "wrapping_pow" | "saturating_pow" => power(kind, name, a, b as u32),
        "wrapping_shl" => same(a.wrapping_shl(b as u32 % bits)),
        "wrapping_shr" => same(a >> (b as u32 % bits)),
        "rotate_left" => same(rotate(pattern, b as u32 % bits, bits)),
        "rotate_right" => same(rotate(pattern, (bits - b as u32 % bits) % bits, bits)),
        "count_ones" => count(pattern.count_ones()),
        "count_zeros" => count(bits - pattern.count_ones()),
        "leading_zeros" => count(pattern.leading_zeros() - (128 - bits)),
        "trailing_zeros" => count(pattern.trailing_zeros().min(bits)),
        "leading_ones" => count((pattern << (128 - bits)).leading_ones()),
        "trailing_ones" => count(pattern.trailing_ones()),
        "abs_diff" => unsigned((a - b).abs()),
        _ => Outcome::Unsupported,
    }
}

fn rotate(pattern: u128, by: u32, bits: u32) -> i128 {
    (pattern << by | pattern >> (bits - by)) as i128
}

/// `base` to a power, by repeated multiplication within the type.
fn power(kind: IntKind, name: &str, base: i128, exponent: u32) -> Outcome {
    let mut wrapped = 1i128;
    let mut square = base;
    let mut rest = exponent;
    while rest > 0 {
        if rest & 1 == 1 {
            wrapped = kind.wrap(wrapped.wrapping_mul(square));
        }
        square = kind.wrap(square.wrapping_mul(square));
        rest >>= 1;
    }
    // A power within 64 bits is one that multiplying step by step never takes beyond 128.
    let mut exact = Some(1i128);
    if matches!(base, -1..=1) {
        exact = Some(if base == -1 && exponent.is_multiple_of(2) || exponent == 0 { 1 } else { base });
    } else {
        for _ in 0..exponent.min(130) {
            exact = exact.and_then(|value| value.checked_mul(base));
        }
    }
    let fits = exact == Some(wrapped);
    let value = |value: i128| Value::Int(kind, value);
    match name {
        "pow" if !fits => Outcome::Overflow(value(wrapped)),
        "saturating_pow" if !fits => {
            let negative = base < 0 && exponent % 2 == 1;
            Outcome::Value(value(if negative { kind.min_value() } else { kind.max_value() }))
        }
        _ => Outcome::Value(value(wrapped)),
    }
}
