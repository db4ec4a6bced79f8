//! [`Scalar`], [`Float`] and [`Integer`] for Rust's numbers and the half precisions.

use super::half::{bf16, f16};
use super::math::table::{for_std_float_functions, for_std_integer_functions};
use super::scalar::{Float, Integer, Scalar, ScalarClass, VectorElement};

impl VectorElement for bool {}

/// [`VectorElement`] and [`Scalar`] of an integer.
macro_rules! integer {
    ($t:ty, $unsigned:ty, $class:ident, |$x:ident| $magnitude:expr) => {
        impl VectorElement for $t {}
        impl Scalar for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MIN: Self = <$t>::MIN;
            const MAX: Self = <$t>::MAX;
            const LEAST: Self = <$t>::MIN;
            const GREATEST: Self = <$t>::MAX;
            const CLASS: ScalarClass = ScalarClass::$class;
            type Partial = Self;
            #[inline(always)]
            fn from_scalar<T: Scalar>(x: T) -> Self {
                match T::CLASS {
                    ScalarClass::Single => x.to_f32() as $t,
                    ScalarClass::Double => x.to_f64() as $t,
                    ScalarClass::Signed => x.to_i64() as $t,
                    ScalarClass::Unsigned => x.to_u64() as $t,
                }
            }
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                Ord::max(self, other)
            }
            #[inline(always)]
            fn wrapping_sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn wrapping_product(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                let $x = self;
                $magnitude
            }
            #[inline(always)]
            fn bitselect(self, other: Self, mask: Self) -> Self {
                (self & !mask) | (other & mask)
            }
        }
        impl Integer for $t {
            type Unsigned = $unsigned;
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn abs_diff(self, other: Self) -> $unsigned {
                <$t>::abs_diff(self, other)
            }
            for_std_integer_functions!(delegate_integer, $t);
        }
    };
}

/// Integer methods that forward to the inherent ones.
macro_rules! delegate_integer {
    (
        $self:ty;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        count { $($(#[$cd:meta])* $c:ident)* } count_argument { $($(#[$ad:meta])* $a:ident)* }
    ) => {
        $(#[inline(always)] fn $u(self) -> Self { <$self>::$u(self) })*
        $(#[inline(always)] fn $b(self, other: Self) -> Self { <$self>::$b(self, other) })*
        $(#[inline(always)] fn $c(self) -> u32 { <$self>::$c(self) })*
        $(#[inline(always)] fn $a(self, n: u32) -> Self { <$self>::$a(self, n) })*
    };
}

integer!(i8, u8, Signed, |x| x.wrapping_abs());
integer!(i16, u16, Signed, |x| x.wrapping_abs());
integer!(i32, u32, Signed, |x| x.wrapping_abs());
integer!(i64, u64, Signed, |x| x.wrapping_abs());
integer!(isize, usize, Signed, |x| x.wrapping_abs());
integer!(u8, u8, Unsigned, |x| x);
integer!(u16, u16, Unsigned, |x| x);
integer!(u32, u32, Unsigned, |x| x);
integer!(u64, u64, Unsigned, |x| x);
integer!(usize, usize, Unsigned, |x| x);

/// Float methods that forward to the inherent ones.
macro_rules! delegate {
    (
        $self:ty;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        predicate { $($(#[$pd:meta])* $p:ident)* } pair { $($(#[$qd:meta])* $q:ident)* }
    ) => {
        $(#[inline(always)] fn $u(self) -> Self { <$self>::$u(self) })*
        $(#[inline(always)] fn $b(self, other: Self) -> Self { <$self>::$b(self, other) })*
        $(#[inline(always)] fn $t(self, a: Self, b: Self) -> Self { <$self>::$t(self, a, b) })*
        $(#[inline(always)] fn $i(self, n: i32) -> Self { <$self>::$i(self, n) })*
        $(#[inline(always)] fn $p(self) -> bool { <$self>::$p(self) })*
        $(#[inline(always)] fn $q(self) -> (Self, Self) { <$self>::$q(self) })*
    };
}

/// Float methods that compute in `f32` and round.
macro_rules! delegate_half {
    (
        $self:ty;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        predicate { $($(#[$pd:meta])* $p:ident)* } pair { $($(#[$qd:meta])* $q:ident)* }
    ) => {
        $(#[inline(always)] fn $u(self) -> Self { <$self>::from_f32(f32::$u(<$self>::to_f32(self))) })*
        $(#[inline(always)] fn $b(self, other: Self) -> Self {
            <$self>::from_f32(f32::$b(<$self>::to_f32(self), <$self>::to_f32(other)))
        })*
        $(#[inline(always)] fn $t(self, a: Self, b: Self) -> Self {
            <$self>::from_f32(f32::$t(<$self>::to_f32(self), <$self>::to_f32(a), <$self>::to_f32(b)))
        })*
        $(#[inline(always)] fn $i(self, n: i32) -> Self { <$self>::from_f32(f32::$i(<$self>::to_f32(self), n)) })*
        $(#[inline(always)] fn $p(self) -> bool { <$self>::$p(self) })*
        $(#[inline(always)] fn $q(self) -> (Self, Self) {
            let (a, b) = f32::$q(<$self>::to_f32(self));
            (<$self>::from_f32(a), <$self>::from_f32(b))
        })*
    };
}

/// Everything of a float that does not depend on whether Rust has it built in.
macro_rules! float {
    (
        $t:ty, $bits:ty, $class:ident, $delegate:ident, partial $partial:ty,
        zero $zero:expr, one $one:expr, pi $pi:expr, abs $abs:expr,
        from ($from32:expr, $from64:expr, $from_signed:expr, $from_unsigned:expr), to ($to32:expr, $to64:expr)
    ) => {
        impl VectorElement for $t {}
        impl Scalar for $t {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = <$t>::MIN;
            const MAX: Self = <$t>::MAX;
            const LEAST: Self = <$t>::NEG_INFINITY;
            const GREATEST: Self = <$t>::INFINITY;
            const CLASS: ScalarClass = ScalarClass::$class;
            type Partial = $partial;
            #[inline(always)]
            fn from_scalar<T: Scalar>(x: T) -> Self {
                match T::CLASS {
                    ScalarClass::Single => ($from32)(x.to_f32()),
                    ScalarClass::Double => ($from64)(x.to_f64()),
                    ScalarClass::Signed => ($from_signed)(x.to_i64()),
                    ScalarClass::Unsigned => ($from_unsigned)(x.to_u64()),
                }
            }
            #[inline(always)]
            fn to_f32(self) -> f32 {
                ($to32)(self)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                ($to64)(self)
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                ($to64)(self) as i64
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                ($to64)(self) as u64
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                <$t>::min(self, other)
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                <$t>::max(self, other)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                Float::abs(self)
            }
            #[inline(always)]
            fn bitselect(self, other: Self, mask: Self) -> Self {
                <$t>::from_bits((self.to_bits() & !mask.to_bits()) | (other.to_bits() & mask.to_bits()))
            }
        }
        impl Float for $t {
            type Bits = $bits;
            const EPSILON: Self = <$t>::EPSILON;
            const INFINITY: Self = <$t>::INFINITY;
            const NEG_INFINITY: Self = <$t>::NEG_INFINITY;
            const NAN: Self = <$t>::NAN;
            const MIN_POSITIVE: Self = <$t>::MIN_POSITIVE;
            const PI: Self = $pi;
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                ($from64)(x)
            }
            #[inline(always)]
            fn to_bits(self) -> $bits {
                <$t>::to_bits(self)
            }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                <$t>::from_bits(bits)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                ($abs)(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                <$t>::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                <$t>::max(self, other)
            }
            for_std_float_functions!($delegate, $t);
        }
    };
}

float! {
    f32, u32, Single, delegate, partial f32, zero 0.0, one 1.0, pi core::f32::consts::PI, abs f32::abs,
    from (|x: f32| x, |x: f64| x as f32, |x: i64| x as f32, |x: u64| x as f32), to (|x: f32| x, |x: f32| x as f64)
}
float! {
    f64, u64, Double, delegate, partial f64, zero 0.0, one 1.0, pi core::f64::consts::PI, abs f64::abs,
    from (|x: f32| x as f64, |x: f64| x, |x: i64| x as f64, |x: u64| x as f64), to (|x: f64| x as f32, |x: f64| x)
}
float! {
    f16, u16, Single, delegate_half, partial f32, zero f16::ZERO, one f16::ONE, pi f16::PI, abs |x: f16| f16::from_bits(x.to_bits() & 0x7fff),
    from (f16::from_f32, f16::from_f64, |x: i64| f16::from_f32(x as f32), |x: u64| f16::from_f32(x as f32)),
    to (f16::to_f32, f16::to_f64)
}
float! {
    bf16, u16, Single, delegate_half, partial f32, zero bf16::ZERO, one bf16::ONE, pi bf16::PI, abs |x: bf16| bf16::from_bits(x.to_bits() & 0x7fff),
    from (bf16::from_f32, bf16::from_f64, |x: i64| bf16::from_f32(x as f32), |x: u64| bf16::from_f32(x as f32)),
    to (bf16::to_f32, bf16::to_f64)
}
