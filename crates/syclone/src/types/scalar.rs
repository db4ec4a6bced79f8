//! The numeric traits that a kernel generic over its element type is written against.
//!
//! [`Scalar`] is what all numbers share, [`Float`] and [`Integer`] add their own. The methods carry the names of
//! Rust's inherent ones, which win where the type is concrete, so `x.sqrt()` means the same in `T: Float` code
//! and in `f32` code. Two names differ for a reason: `min` and `max` of [`Ord`] would be ambiguous with a second
//! trait's on integers, so [`Scalar`] calls them [`lesser`](Scalar::lesser) and [`greater`](Scalar::greater);
//! [`Float::min`] and `Ord::min` exist where the class is known.

use core::fmt::Debug;
use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::device_copy::DeviceCopy;
use super::math::table::{for_std_float_functions, for_std_integer_functions};
use super::math::{IntegerMath, Math};

/// What a lane of a [`Vector`](super::Vector) may be: a number or `bool`.
pub trait VectorElement: DeviceCopy + PartialEq + Debug + Default {}

/// The widest type that holds every value of a scalar exactly, and so the road that its conversions take.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarClass {
    /// `f32` and the half precisions.
    Single,
    /// `f64`.
    Double,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
}

/// A number: every integer and float type that a kernel can use.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that kernels compute with",
    note = "numbers are i8 to i64, u8 to u64, isize, usize, f16, bf16, f32 and f64; a generic parameter needs the bound `T: Scalar`"
)]
///
/// ```
/// use syclone::types::Scalar;
/// fn axpy<T: Scalar>(a: T, x: T, y: T) -> T { a * x + y }
/// assert_eq!(axpy(2, 3, 4), 10);
/// assert_eq!(axpy(0.5, 3.0, f64::ONE), 2.5);
/// ```
pub trait Scalar:
    VectorElement
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The least finite value.
    const MIN: Self;
    /// The greatest finite value.
    const MAX: Self;
    /// The least value there is: minus infinity for floats.
    const LEAST: Self;
    /// The greatest value there is: infinity for floats.
    const GREATEST: Self;
    #[doc(hidden)]
    const CLASS: ScalarClass;
    /// What sums and products of many values are kept in: `f32` for the half precisions, which soon lose what is small
    /// against the sum so far.
    #[doc(hidden)]
    type Partial: Scalar;

    /// The value converted as `as` does: floats to integers saturate, integers to integers wrap, integers reach
    /// the half precisions through `f32`.
    #[inline(always)]
    fn convert<U: Scalar>(self) -> U {
        U::from_scalar(self)
    }
    /// The same conversion, named from its result.
    fn from_scalar<T: Scalar>(x: T) -> Self;
    /// The value as `f32`.
    fn to_f32(self) -> f32;
    /// The value as `f64`.
    fn to_f64(self) -> f64;
    #[doc(hidden)]
    fn to_i64(self) -> i64;
    #[doc(hidden)]
    fn to_u64(self) -> u64;

    /// The smaller of two; for floats a NaN operand is ignored.
    fn lesser(self, other: Self) -> Self;
    /// The greater of two; for floats a NaN operand is ignored.
    fn greater(self, other: Self) -> Self;
    /// The sum; integers wrap in every build. What the operator `Plus` computes.
    #[doc(hidden)]
    #[inline(always)]
    fn wrapping_sum(self, other: Self) -> Self {
        self + other
    }
    /// The product; integers wrap in every build. What the operator `Multiplies` computes.
    #[doc(hidden)]
    #[inline(always)]
    fn wrapping_product(self, other: Self) -> Self {
        self * other
    }
    /// The absolute value; the value itself for unsigned types.
    fn magnitude(self) -> Self;
    /// The value limited to `low..=high`; NaN stays NaN. It never panics: limits in the wrong order give one of them.
    #[inline(always)]
    fn limited(self, low: Self, high: Self) -> Self {
        let raised = if self < low { low } else { self };
        if raised > high { high } else { raised }
    }
    /// SYCL's `bitselect(self, other, mask)`: each bit is `other`'s where `mask` has a one, otherwise `self`'s.
    fn bitselect(self, other: Self, mask: Self) -> Self;
}

/// Declares the methods of a trait from a table of [`super::math::table`].
macro_rules! declare {
    (
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        predicate { $($(#[$pd:meta])* $p:ident)* } pair { $($(#[$qd:meta])* $q:ident)* }
    ) => {
        $($(#[$ud])* fn $u(self) -> Self;)*
        $($(#[$bd])* fn $b(self, other: Self) -> Self;)*
        $($(#[$td])* fn $t(self, a: Self, b: Self) -> Self;)*
        $($(#[$id])* fn $i(self, n: i32) -> Self;)*
        $($(#[$pd])* fn $p(self) -> bool;)*
        $($(#[$qd])* fn $q(self) -> (Self, Self);)*
    };
}

/// A floating-point number: `f16`, `bf16`, `f32` or `f64`. Half precisions compute in `f32` and round.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a floating-point number",
    note = "those are f16, bf16, f32 and f64; convert an integer with `as`, and give a generic parameter the bound `T: Float`"
)]
///
/// ```
/// use syclone::types::{Float, f16};
/// fn norm<T: Float>(x: T, y: T) -> T { (x * x + y * y).sqrt() }
/// assert_eq!(norm(3.0f64, 4.0), 5.0);
/// assert_eq!(norm(f16::from_f32(3.0), f16::from_f32(4.0)), f16::from_f32(5.0));
/// ```
pub trait Float: Scalar + Math + Neg<Output = Self> {
    /// The unsigned integer of the same size.
    type Bits: Integer;
    /// The distance from one to the next greater value.
    const EPSILON: Self;
    /// Infinity.
    const INFINITY: Self;
    /// Minus infinity.
    const NEG_INFINITY: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// The least positive normal value.
    const MIN_POSITIVE: Self;
    /// π.
    const PI: Self;
    /// The number nearest to `x`.
    fn from_f64(x: f64) -> Self;
    /// The representation.
    fn to_bits(self) -> Self::Bits;
    /// The number of a representation.
    fn from_bits(bits: Self::Bits) -> Self;
    /// The absolute value (SYCL `fabs`).
    fn abs(self) -> Self;
    /// The smaller of two, a NaN operand ignored (SYCL `fmin`).
    fn min(self, other: Self) -> Self;
    /// The greater of two, a NaN operand ignored (SYCL `fmax`).
    fn max(self, other: Self) -> Self;
    /// The value limited to `low..=high`; NaN stays NaN.
    ///
    /// # Panics
    /// If `low` is above `high`, or one of them is NaN, as Rust's own. [`limited`](Scalar::limited) takes any bounds.
    #[inline(always)]
    #[track_caller]
    fn clamp(self, low: Self, high: Self) -> Self {
        assert!(low <= high, "a `clamp` whose lower bound {low:?} is not below or at the upper one {high:?}");
        self.limited(low, high)
    }

    for_std_float_functions!(declare);
}

/// Declares integer methods from their table.
macro_rules! declare_integer {
    (
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        count { $($(#[$cd:meta])* $c:ident)* } count_argument { $($(#[$ad:meta])* $a:ident)* }
    ) => {
        $($(#[$ud])* fn $u(self) -> Self;)*
        $($(#[$bd])* fn $b(self, other: Self) -> Self;)*
        $($(#[$cd])* fn $c(self) -> u32;)*
        $($(#[$ad])* fn $a(self, n: u32) -> Self;)*
    };
}

/// An integer of any width and sign.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    note = "those are i8 to i64, u8 to u64, isize and usize; a generic parameter needs the bound `T: Integer`"
)]
///
/// ```
/// use syclone::types::Integer;
/// fn low_bits<T: Integer>(x: T, n: u32) -> T { x & ((T::ONE << n) - T::ONE) }
/// assert_eq!(low_bits(0xabcdu32, 8), 0xcd);
/// ```
pub trait Integer:
    Scalar
    + IntegerMath
    + Eq
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + ShlAssign<u32>
    + ShrAssign<u32>
{
    /// The unsigned integer of the same size.
    type Unsigned: Integer;
    /// Size in bits.
    const BITS: u32;
    /// The absolute difference, which always fits the unsigned type.
    fn abs_diff(self, other: Self) -> Self::Unsigned;

    for_std_integer_functions!(declare_integer);
}
