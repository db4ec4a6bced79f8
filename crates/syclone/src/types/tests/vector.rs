//! Short vectors against arrays.

use crate::types::vector::alias::{Boolx4, F32x2, F32x3, F32x4, I32x4, U8x4, U32x8};
use crate::types::{Geometric, Lanes, Scalar, Vector, VectorElement, f16};

#[test]
fn a_vector_lies_in_memory_as_the_array_of_its_lanes() {
    assert_eq!((size_of::<F32x3>(), align_of::<F32x3>()), (12, 4));
    let mut v = F32x4::new([1.0, 2.0, 3.0, 4.0]);
    assert_eq!((v.x, v.y, v.z, v.w), (1.0, 2.0, 3.0, 4.0));
    v.z = 9.0;
    v[0] = -1.0;
    assert_eq!(v.to_array(), [-1.0, 2.0, 9.0, 4.0]);
    assert_eq!(v.s2(), 9.0);
    let array: [f32; 4] = v.into();
    assert_eq!(Vector::from(array), v);
}

#[test]
fn swizzles_gather_lanes_in_the_order_of_their_name() {
    let v = F32x4::new([1.0, 2.0, 3.0, 4.0]);
    assert_eq!(v.xy(), F32x2::new([1.0, 2.0]));
    assert_eq!(v.wzyx(), F32x4::new([4.0, 3.0, 2.0, 1.0]));
    assert_eq!(v.wwx(), F32x3::new([4.0, 4.0, 1.0]));
    assert_eq!(v.xyz().zzz(), F32x3::splat(3.0));
    assert_eq!(v.xy().yxyx(), F32x4::new([2.0, 1.0, 2.0, 1.0]));
    assert_eq!((v.lo(), v.hi()), (v.xy(), v.zw()));
    assert_eq!((v.even(), v.odd()), (v.xz(), v.yw()));
    let wide = U32x8::new([0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(wide.hi().odd().to_array(), [5, 7]);
    assert_eq!(wide.swizzle3::<7, 0, 7>().to_array(), [7, 0, 7]);
    assert_eq!(wide.gather([1, 9]).to_array(), [1, 0]);
    assert_eq!((wide.s7(), Vector::new([7u8; 16]).sf()), (7, 7));
}

#[test]
fn lanes_out_of_range_read_zero_and_are_not_written() {
    let v = I32x4::splat(5);
    assert_eq!((v.get(3), v.get(4)), (5, 0));
    assert_eq!(v.with(2, 7).to_array(), [5, 5, 7, 5]);
    assert_eq!(v.with(4, 7), v);
}

#[test]
fn operators_act_lane_by_lane_with_vectors_and_scalars() {
    let a = F32x4::new([1.0, 2.0, 3.0, 4.0]);
    let b = F32x4::new([4.0, 3.0, 2.0, 1.0]);
    assert_eq!((a + b).to_array(), [5.0; 4]);
    assert_eq!((a - b * 2.0).to_array(), [-7.0, -4.0, -1.0, 2.0]);
    assert_eq!((12.0 / a).to_array(), [12.0, 6.0, 4.0, 3.0]);
    assert_eq!((1.0 - a).to_array(), [0.0, -1.0, -2.0, -3.0]);
    assert_eq!((-a % 2.0).to_array(), [-1.0, -0.0, -1.0, -0.0]);
    let mut c = a;
    c += b;
    c *= 2.0;
    assert_eq!(c, F32x4::splat(10.0));
    let i = I32x4::new([1, 2, 3, -4]);
    assert_eq!((i << 2).to_array(), [4, 8, 12, -16]);
    assert_eq!((i >> 1u32).to_array(), [0, 1, 1, -2]);
    assert_eq!((i << I32x4::new([0, 1, 2, 3])).to_array(), [1, 4, 12, -32]);
    assert_eq!(((i & 3) | (!i ^ 8)).to_array(), [-9, -9, -9, 11]);
    let mut shifted = i;
    shifted <<= 1;
    shifted ^= I32x4::splat(1);
    assert_eq!(shifted.to_array(), [3, 5, 7, -7]);
}

#[test]
fn comparisons_give_masks_that_select() {
    let a = F32x4::new([1.0, f32::NAN, 3.0, 4.0]);
    let mask = a.lanes_ge(3.0);
    assert_eq!(mask, Boolx4::new([false, false, true, true]));
    assert_eq!(a.lanes_eq(a).to_array(), [true, false, true, true]);
    assert_eq!(a.lanes_ne(a).to_array(), [false, true, false, false]);
    assert!(mask.any() && !mask.all() && (mask | !mask).all() && !(mask & !mask).any());
    let chosen = mask.select(F32x4::splat(9.0), F32x4::splat(-9.0));
    assert_eq!(chosen.to_array(), [-9.0, -9.0, 9.0, 9.0]);
    let i = I32x4::new([1, 2, 3, 4]);
    assert_eq!(i.lanes_lt(I32x4::new([4, 3, 2, 1])).to_array(), [true, true, false, false]);
    assert_eq!(i.lanes_le(2).to_array(), i.lanes_gt(2).to_array().map(|x| !x));
}

#[test]
fn functions_take_a_scalar_for_all_lanes() {
    let a = F32x4::new([-1.5, 0.5, 2.5, f32::NAN]);
    assert_eq!(a.max(0.0).to_array(), [0.0, 0.5, 2.5, 0.0]);
    assert_eq!(a.xyz().clamp(0.0, 1.0).to_array(), [0.0, 0.5, 1.0]);
    assert_eq!(a.xyz().mul_add(2.0, F32x3::splat(1.0)).to_array(), [-2.0, 2.0, 6.0]);
    assert_eq!(F32x3::new([4.0, 9.0, 0.25]).sqrt().powi(2).to_array(), [4.0, 9.0, 0.25]);
    assert_eq!(a.is_nan().to_array(), [false, false, false, true]);
    let (fraction, exponent) = F32x2::new([8.0, 3.0]).frexp();
    assert_eq!((fraction.to_array(), exponent.to_array()), ([0.5, 0.75], [4, 2]));
    assert_eq!(fraction.ldexp(exponent).to_array(), [8.0, 3.0]);
    assert_eq!(F32x2::from_bits(fraction.to_bits()), fraction);
    let u = U8x4::new([1, 2, 250, 255]);
    assert_eq!(u.saturating_add(10).to_array(), [11, 12, 255, 255]);
    assert_eq!(u.count_ones().to_array(), [1, 1, 6, 8]);
    assert_eq!(u.rotate_left(1).to_array(), [2, 4, 245, 255]);
    assert_eq!(u.abs_diff(2).to_array(), [1, 0, 248, 253]);
    assert_eq!(u.upsample(u).to_array(), [0x0101, 0x0202, 0xfafa, 0xffff]);
    assert_eq!(u.convert::<i8>().to_array(), [1, 2, -6, -1]);
    assert_eq!(F32x2::new([2.9, -1.0]).convert::<u32>().to_array(), [2, 0]);
    assert_eq!(I32x4::splat(i32::MIN).abs(), I32x4::splat(i32::MIN));
}

#[test]
fn geometric_functions_neither_overflow_nor_vanish() {
    let v = F32x2::new([3.0, 4.0]);
    assert_eq!((v.length(), v.dot(v), v.sum()), (5.0, 25.0, 7.0));
    assert!(((v * 1e30).length() / 5e30 - 1.0).abs() <= f32::EPSILON);
    assert_eq!(v.distance(F32x2::splat(0.0)), 5.0);
    assert_eq!((v * 1e-30).normalize(), F32x2::new([0.6, 0.8]));
    assert_eq!(F32x2::new([f32::INFINITY, 1.0]).normalize().to_array(), [1.0, 0.0]);
    assert_eq!(F32x2::splat(0.0).normalize(), F32x2::splat(0.0));
    let d = Vector::new([3e200f64, 4e200]);
    assert!((d.length() / 5e200 - 1.0).abs() <= f64::EPSILON);
    assert!((Vector::new([3e-200f64, 4e-200]).length() / 5e-200 - 1.0).abs() <= f64::EPSILON);
    assert!((d.normalize() - Vector::new([0.6, 0.8])).abs().lanes_le(1e-15).all());
    assert!(Vector::new([f64::NAN, 0.0]).length().is_nan());
    assert_eq!(Vector::new([f64::INFINITY, 1.0]).length(), f64::INFINITY);
    assert_eq!(Vector::new([f64::NEG_INFINITY, 1.0]).normalize().to_array(), [-1.0, 0.0]);
    assert_eq!((v.fast_length(), v.fast_distance(v), v.fast_normalize().to_array()), (5.0, 0.0, [0.6, 0.8]));
    let (x, y) = (F32x3::new([1.0, 0.0, 0.0]), F32x3::new([0.0, 1.0, 0.0]));
    assert_eq!((x.cross(y).to_array(), y.cross(x).to_array()), ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]));
    assert_eq!(
        F32x4::new([1.0, 0.0, 0.0, 7.0]).cross(F32x4::new([0.0, 1.0, 0.0, 8.0])).to_array(),
        [0.0, 0.0, 1.0, 0.0]
    );
    assert_eq!((Geometric::length(-2.0f64), Geometric::normalize(0.0f32)), (2.0, 0.0));
}

#[test]
fn half_precision_sums_are_kept_in_f32() {
    // Summed in f16, 2048 + 1 stays 2048.
    let ones = Vector::new([f16::from_f32(2048.0), f16::ONE, f16::ONE, f16::ZERO]);
    assert_eq!(ones.sum().to_f32(), 2050.0);
    assert_eq!(ones.dot(Vector::splat(f16::ONE)).to_f32(), 2050.0);
}

fn sum_of_lanes<T: Scalar, const N: usize>(values: &[T]) -> T
where
    [(); N]: Lanes,
{
    let (mut sum, mut lanes) = (Vector::<T, N>::splat(T::ZERO), [T::ZERO; N]);
    for chunk in values.chunks_exact(N) {
        lanes.copy_from_slice(chunk);
        sum += Vector::new(lanes);
    }
    sum.sum()
}

#[test]
fn code_may_be_generic_over_the_number_of_lanes() {
    let values: Vec<i64> = (1..=48).collect();
    assert_eq!(sum_of_lanes::<i64, 2>(&values), 1176);
    assert_eq!(sum_of_lanes::<i64, 3>(&values), 1176);
    assert_eq!(sum_of_lanes::<i64, 16>(&values), 1176);
}

/// The number of lanes that a bound gives.
fn lanes_of<T: VectorElement, const N: usize>(_: Vector<T, N>) -> usize {
    Vector::<T, N>::LANES
}

#[test]
fn the_number_of_lanes_is_a_constant() {
    assert_eq!(lanes_of(F32x3::default()), 3);
}
