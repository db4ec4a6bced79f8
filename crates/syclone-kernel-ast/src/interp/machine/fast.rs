//! The arithmetic that kernels are mostly made of, on machine numbers.
//!
//! Each function gives what the general path of `scalar` would, or nothing where that path must decide: an overflow, a
//! division by zero, a type that is rare.

use crate::interp::code::Scalar;
use crate::tree::BinaryOp;
use crate::types::IntKind;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Rem, Sub};

/// A number of at most 64 bits, sign-extended or zero-extended.
fn signed(kind: IntKind, bits: u64) -> i64 {
    let unused = 64 - kind.bits();
    (bits << unused) as i64 >> unused
}

/// The bits of a binary operator's result on scalars of one type.
#[inline(always)]
pub(super) fn binary(op: BinaryOp, scalar: Scalar, left: u64, right: u64) -> Option<u64> {
    match scalar {
        Scalar::F32 => {
            let (a, b) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            Some(u64::from(arithmetic(op, a, b)?.to_bits()))
        }
        Scalar::F64 => {
            let (a, b) = (f64::from_bits(left), f64::from_bits(right));
            Some(arithmetic(op, a, b)?.to_bits())
        }
        Scalar::Int(kind) if kind.signed() => {
            let (a, b) = (signed(kind, left), signed(kind, right));
            let value = match op {
                BinaryOp::Add => a.checked_add(b)?,
                BinaryOp::Sub => a.checked_sub(b)?,
                BinaryOp::Mul => a.checked_mul(b)?,
                BinaryOp::Div => a.checked_div(b)?,
                // The quotient may not fit in the type, which is an error though the remainder would.
                BinaryOp::Rem if b == -1 => return None,
                BinaryOp::Rem => a.checked_rem(b)?,
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                BinaryOp::BitXor => a ^ b,
                _ => return shift(op, kind, left, i128::from(b)),
            };
            (signed(kind, value as u64) == value).then_some(value as u64)
        }
        Scalar::Int(kind) => {
            let value = match op {
                BinaryOp::Add => left.checked_add(right)?,
                BinaryOp::Sub => left.checked_sub(right)?,
                BinaryOp::Mul => left.checked_mul(right)?,
                BinaryOp::Div => left.checked_div(right)?,
                BinaryOp::Rem => left.checked_rem(right)?,
                BinaryOp::BitAnd => left & right,
                BinaryOp::BitOr => left | right,
                BinaryOp::BitXor => left ^ right,
                _ => return shift(op, kind, left, i128::from(right)),
            };
            (value <= u64::MAX >> (64 - kind.bits())).then_some(value)
        }
        _ => None,
    }
}

/// The bits of a shift whose amount is inside the type; its upper bits, if any, are cut off where it is written.
pub(super) fn shift(op: BinaryOp, kind: IntKind, left: u64, amount: i128) -> Option<u64> {
    let amount = u32::try_from(amount).ok().filter(|amount| *amount < kind.bits())?;
    Some(match op {
        BinaryOp::Shl => left << amount,
        BinaryOp::Shr if kind.signed() => (signed(kind, left) >> amount) as u64,
        BinaryOp::Shr => left >> amount,
        _ => return None,
    })
}

/// An integer operand as a number.
pub(super) fn integer(kind: IntKind, bits: u64) -> i128 {
    if kind.signed() { i128::from(signed(kind, bits)) } else { i128::from(bits) }
}

/// What the arithmetic operators give for floats of one type.
#[inline(always)]
fn arithmetic<F>(op: BinaryOp, a: F, b: F) -> Option<F>
where
    F: Add<Output = F> + Sub<Output = F> + Mul<Output = F> + Div<Output = F> + Rem<Output = F>,
{
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        _ => return None,
    })
}

/// The order of two scalars of one type: nothing for types that are rare, `Some(None)` for floats without one.
#[inline(always)]
pub(super) fn compare(scalar: Scalar, left: u64, right: u64) -> Option<Option<Ordering>> {
    match scalar {
        Scalar::F32 => Some(f32::from_bits(left as u32).partial_cmp(&f32::from_bits(right as u32))),
        Scalar::F64 => Some(f64::from_bits(left).partial_cmp(&f64::from_bits(right))),
        Scalar::Int(kind) if kind.signed() => Some(Some(signed(kind, left).cmp(&signed(kind, right)))),
        Scalar::Int(_) => Some(Some(left.cmp(&right))),
        _ => None,
    }
}

/// The bits of a conversion that keeps the value, or rounds it to a float.
#[inline(always)]
pub(super) fn cast(from: Scalar, to: Scalar, bits: u64) -> Option<u64> {
    match (from, to) {
        (Scalar::Int(from), Scalar::Int(to)) => {
            let value = integer(from, bits);
            (to.wrap(value) == value).then_some(value as u64)
        }
        (Scalar::Int(from), Scalar::F32) => Some(u64::from((integer(from, bits) as f32).to_bits())),
        (Scalar::Int(from), Scalar::F64) => Some((integer(from, bits) as f64).to_bits()),
        (Scalar::F32, Scalar::F64) => Some(f64::from(f32::from_bits(bits as u32)).to_bits()),
        _ => None,
    }
}
