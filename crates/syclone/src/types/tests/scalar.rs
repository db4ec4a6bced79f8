//! The numeric traits as generic kernels use them.

use super::random::Random;
use crate::types::{Float, Integer, IntegerMath, Scalar, Upsample, bf16, f16};

fn polynomial<T: Float>(x: T) -> T {
    let mut sum = T::ZERO;
    sum += x.mul_add(T::ONE + T::ONE, T::ONE);
    sum *= x.sqrt().max(T::EPSILON);
    -sum
}

#[test]
fn code_generic_over_floats_gives_what_concrete_code_gives() {
    assert_eq!(polynomial(4.0f32), -18.0);
    assert_eq!(polynomial(4.0f64), -18.0);
    assert_eq!(polynomial(f16::from_f32(4.0)), f16::from_f32(-18.0));
    assert_eq!(polynomial(bf16::from_f32(4.0)), bf16::from_f32(-18.0));
}

fn reverse_nibbles<T: Integer>(x: T) -> T {
    let mask = T::MAX & (T::ONE << 3 | T::ONE << 2 | T::ONE << 1 | T::ONE);
    (x >> 4 & mask) | (x & mask) << 4
}

#[test]
fn code_generic_over_integers_gives_what_concrete_code_gives() {
    assert_eq!(reverse_nibbles(0x1fu8), 0xf1);
    assert_eq!(reverse_nibbles(0x12i64), 0x21);
    assert_eq!(Integer::abs_diff(i8::MIN, i8::MAX), 255u8);
    assert_eq!(Integer::count_ones(-1i16), 16);
}

/// Checks `convert` against `as` from one type to all.
macro_rules! check_casts {
    ($random:ident: $($from:ident)* => $to:tt) => {$( check_casts!(@one $random $from => $to); )*};
    (@one $random:ident $from:ident => [$($to:ident)*]) => {
        for _ in 0..50 {
            let x = check_casts!(@value $from, $random);
            $(assert_eq!(x.convert::<$to>().to_string(), (x as $to).to_string(), "{x} as {}", stringify!($to));)*
        }
    };
    (@value f32, $random:ident) => { $random.spread(-1e20, 1e20) as f32 };
    (@value f64, $random:ident) => { $random.spread(-1e20, 1e20) };
    (@value $t:ident, $random:ident) => { $random.bits() as $t };
}

#[test]
fn conversions_are_those_of_as() {
    let mut random = Random::new();
    check_casts!(random: i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64
        => [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64]);
    assert_eq!(f32::NAN.convert::<i32>(), 0);
    assert_eq!(f64::INFINITY.convert::<u8>(), 255);
    assert_eq!((-1.5f32).convert::<u64>(), 0);
    assert_eq!(u64::MAX.convert::<f16>(), f16::INFINITY);
    assert_eq!(f16::from_f32(2.5).convert::<i32>(), 2);
    assert_eq!(1e-3f64.convert::<bf16>(), bf16::from_f64(1e-3));
}

#[test]
fn integer_functions_agree_with_wide_arithmetic_on_all_bytes() {
    for a in i8::MIN..=i8::MAX {
        for b in i8::MIN..=i8::MAX {
            let (x, y) = (i32::from(a), i32::from(b));
            assert_eq!(i32::from(a.hadd(b)), (x + y) >> 1);
            assert_eq!(i32::from(a.rhadd(b)), (x + y + 1) >> 1);
            assert_eq!(i32::from(a.mul_hi(b)), (x * y) >> 8);
            assert_eq!(i32::from(a.mad_sat(b, 77)), (x * y + 77).clamp(-128, 127));
            assert_eq!(a.mad_hi(b, 100), (((x * y) >> 8) + 100) as i8);
            let (u, v) = (a as u8, b as u8);
            let (x, y) = (u32::from(u), u32::from(v));
            assert_eq!(u32::from(u.hadd(v)), (x + y) >> 1);
            assert_eq!(u32::from(u.rhadd(v)), (x + y + 1) >> 1);
            assert_eq!(u32::from(u.mul_hi(v)), (x * y) >> 8);
            assert_eq!(u32::from(u.mad_sat(v, 200)), (x * y + 200).min(255));
            assert_eq!(u.upsample(v), (u16::from(u) << 8) | u16::from(v));
            assert_eq!(a.upsample(v), i16::from_le_bytes([v, u]));
        }
    }
}

#[test]
fn integer_functions_hold_at_the_ends_of_64_bits() {
    assert_eq!(u64::MAX.hadd(u64::MAX - 1), u64::MAX - 1);
    assert_eq!(i64::MIN.rhadd(i64::MIN), i64::MIN);
    assert_eq!(u64::MAX.mul_hi(u64::MAX), u64::MAX - 1);
    assert_eq!(i64::MIN.mul_hi(i64::MIN), 1 << 62);
    assert_eq!(i64::MIN.mad_sat(i64::MIN, i64::MAX), i64::MAX);
    assert_eq!(u64::MAX.mad_sat(u64::MAX, u64::MAX), u64::MAX);
    assert_eq!(i64::MAX.mad_sat(-2, 0), i64::MIN);
    assert_eq!(5i32.mul24(-7), -35);
    assert_eq!(1000u32.mad24(1000, 5), 1_000_005);
}

#[test]
fn limits_in_the_wrong_order_do_not_panic() {
    assert_eq!(5.0f32.limited(3.0, 1.0), 1.0);
    assert!(f32::NAN.limited(0.0, 1.0).is_nan());
    assert_eq!(200u8.limited(10, 20), 20);
}

#[test]
fn bitselect_takes_bits_by_the_mask() {
    assert_eq!(0b1100u8.bitselect(0b1010, 0b0110), 0b1010);
    assert_eq!(1.0f32.bitselect(-2.0, -0.0), -1.0);
    assert_eq!(f16::ONE.bitselect(f16::NEG_ONE, f16::NEG_ZERO), f16::NEG_ONE);
}
