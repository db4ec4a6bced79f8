//! SYCL's integer functions that Rust lacks.

use super::table::for_sycl_integer_functions;

/// Declares the methods of [`IntegerMath`].
macro_rules! declare {
    (binary { $($(#[$bd:meta])* $b:ident)* } ternary { $($(#[$td:meta])* $t:ident)* }) => {
        $($(#[$bd])* fn $b(self, other: Self) -> Self;)*
        $($(#[$td])* fn $t(self, a: Self, b: Self) -> Self;)*
    };
}

/// SYCL's integer functions that Rust lacks, on every integer type.
///
/// ```
/// use syclone::types::IntegerMath;
/// assert_eq!(250u8.hadd(251), 250);
/// assert_eq!((-7i32).hadd(-4), -6);
/// assert_eq!(u32::MAX.mul_hi(u32::MAX), u32::MAX - 1);
/// ```
pub trait IntegerMath: Sized {
    for_sycl_integer_functions!(declare);
}

/// [`IntegerMath`] with products in a type of twice the size.
macro_rules! integer_math {
    ($($t:ty: $wide:ty;)*) => {$(
        impl IntegerMath for $t {
            #[inline(always)]
            fn hadd(self, other: Self) -> Self {
                (self & other) + ((self ^ other) >> 1)
            }
            #[inline(always)]
            fn rhadd(self, other: Self) -> Self {
                (self | other) - ((self ^ other) >> 1)
            }
            #[inline(always)]
            fn mul_hi(self, other: Self) -> Self {
                ((self as $wide * other as $wide) >> <$t>::BITS) as $t
            }
            #[inline(always)]
            fn mul24(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn mad_hi(self, a: Self, b: Self) -> Self {
                self.mul_hi(a).wrapping_add(b)
            }
            #[inline(always)]
            fn mad_sat(self, a: Self, b: Self) -> Self {
                let exact = self as $wide * a as $wide + b as $wide;
                exact.clamp(<$t>::MIN as $wide, <$t>::MAX as $wide) as $t
            }
            #[inline(always)]
            fn mad24(self, a: Self, b: Self) -> Self {
                self.wrapping_mul(a).wrapping_add(b)
            }
        }
    )*};
}

integer_math! {
    i8: i16;
    i16: i32;
    i32: i64;
    i64: i128;
    isize: i128;
    u8: u16;
    u16: u32;
    u32: u64;
    u64: u128;
    usize: u128;
}

/// SYCL's `upsample`: joins two halves to an integer of twice the size.
///
/// ```
/// use syclone::types::Upsample;
/// assert_eq!(0x12u8.upsample(0x34), 0x1234u16);
/// assert_eq!((-1i16).upsample(5), -65531i32);
/// ```
pub trait Upsample {
    /// The lower half.
    type Low;
    /// The result.
    type Wide;
    /// `self` as the upper half and `low` as the lower.
    fn upsample(self, low: Self::Low) -> Self::Wide;
}

/// [`Upsample`] of an integer.
macro_rules! upsample {
    ($($t:ty, $low:ty => $wide:ty;)*) => {$(
        impl Upsample for $t {
            type Low = $low;
            type Wide = $wide;
            #[inline(always)]
            fn upsample(self, low: $low) -> $wide {
                ((self as $wide) << <$t>::BITS) | low as $wide
            }
        }
    )*};
}

upsample! {
    i8, u8 => i16;
    i16, u16 => i32;
    i32, u32 => i64;
    u8, u8 => u16;
    u16, u16 => u32;
    u32, u32 => u64;
}
