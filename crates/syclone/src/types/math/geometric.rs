//! SYCL's geometric functions.
//!
//! Sums run from the first lane to the last. Half precisions sum in `f32`. `length`, `distance` and `normalize`
//! neither overflow nor lose small values in between; their `fast_` forms square in the element's own type.
//!
//! The free functions work on lanes in whatever form they come: the vectors' methods and the interpreter's
//! functions are both made of them.

use crate::types::scalar::{Float, Scalar, ScalarClass};
use crate::types::vector::Vector;

/// The sum of lanes.
#[inline(always)]
pub(crate) fn sum<T: Scalar>(lanes: &[T]) -> T {
    match T::CLASS {
        ScalarClass::Single => T::from_scalar(total(lanes.iter().map(|lane| lane.to_f32()))),
        _ => total(lanes.iter().copied()),
    }
}

/// The sum of products of lanes.
#[inline(always)]
pub(crate) fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    let pairs = a.iter().zip(b);
    match T::CLASS {
        ScalarClass::Single => T::from_scalar(total(pairs.map(|(a, b)| a.to_f32() * b.to_f32()))),
        _ => total(pairs.map(|(&a, &b)| a * b)),
    }
}

/// The sum from the first to the last.
#[inline(always)]
fn total<T: Scalar>(mut lanes: impl Iterator<Item = T>) -> T {
    let first = lanes.next().unwrap_or(T::ZERO);
    lanes.fold(first, |sum, lane| sum + lane)
}

/// The greatest magnitude, NaN ignored.
#[inline(always)]
fn largest(lanes: &[f64]) -> f64 {
    lanes.iter().fold(0.0, |greatest, lane| greatest.max(lane.abs()))
}

/// The Euclidean length. Squares of `f32` and narrower types are in range and lose nothing that `f32` shows; those
/// of large or tiny `f64` are scaled by the greatest lane.
#[inline(always)]
pub(crate) fn length(lanes: &[f64]) -> f64 {
    let squares = total(lanes.iter().map(|x| x * x));
    if (1e-280..1e300).contains(&squares) {
        return squares.sqrt();
    }
    let scale = largest(lanes);
    if scale.is_infinite() {
        scale
    } else if squares.is_nan() || scale == 0.0 {
        squares
    } else {
        scale * total(lanes.iter().map(|x| (x / scale) * (x / scale))).sqrt()
    }
}

/// Scales lanes to length one; zero stays zero, and infinite lanes outweigh all others.
#[inline(always)]
pub(crate) fn normalize(lanes: &mut [f64]) {
    let scale = largest(lanes);
    if scale == 0.0 && !lanes.iter().any(|x| x.is_nan()) {
        return;
    }
    for x in &mut *lanes {
        *x = match (scale.is_infinite(), x.is_infinite()) {
            (true, true) => 1f64.copysign(*x),
            (true, false) => *x * 0.0,
            (false, _) => *x / scale,
        };
    }
    let length = total(lanes.iter().map(|x| x * x)).sqrt();
    for x in lanes {
        *x /= length;
    }
}

impl<T: Scalar, const N: usize> Vector<T, N> {
    /// The sum of the lanes.
    #[inline(always)]
    pub fn sum(self) -> T {
        sum(&self.0)
    }

    /// The sum of the products of the lanes.
    #[inline(always)]
    pub fn dot(self, other: Self) -> T {
        dot(&self.0, &other.0)
    }
}

impl<T: Float, const N: usize> Vector<T, N> {
    /// The Euclidean length.
    #[inline(always)]
    pub fn length(self) -> T {
        T::from_f64(length(&self.0.map(T::to_f64)))
    }

    /// The length of the difference.
    #[inline(always)]
    pub fn distance(self, other: Self) -> T {
        T::from_f64(length(&self.zip_lanes(other, |a, b| a.to_f64() - b.to_f64()).0))
    }

    /// The vector of length one in the same direction; zero stays zero.
    #[inline(always)]
    pub fn normalize(self) -> Self {
        let mut wide = self.0.map(T::to_f64);
        normalize(&mut wide);
        Vector(wide.map(T::from_f64))
    }

    /// [`length`](Self::length) with the squares in the element's own type.
    #[inline(always)]
    pub fn fast_length(self) -> T {
        self.dot(self).sqrt()
    }

    /// [`distance`](Self::distance) with the squares in the element's own type.
    #[inline(always)]
    pub fn fast_distance(self, other: Self) -> T {
        (self - other).fast_length()
    }

    /// [`normalize`](Self::normalize) with the squares in the element's own type.
    #[inline(always)]
    pub fn fast_normalize(self) -> Self {
        let length = self.fast_length();
        if length == T::ZERO { self } else { self / length }
    }
}

impl<T: Float> Vector<T, 3> {
    /// The cross product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        self.yzx() * other.zxy() - self.zxy() * other.yzx()
    }
}

impl<T: Float> Vector<T, 4> {
    /// The cross product of the first three lanes; the last lane is zero.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let xyz = self.xyz().cross(other.xyz());
        Vector([xyz.x, xyz.y, xyz.z, T::ZERO])
    }
}

/// The geometric functions on single numbers, which SYCL counts as vectors of one lane.
///
/// ```
/// use syclone::types::Geometric;
/// assert_eq!((-3.0f32).length(), 3.0);
/// assert_eq!((-3.0f32).normalize(), -1.0);
/// ```
pub trait Geometric: Float {
    /// The product.
    #[inline(always)]
    fn dot(self, other: Self) -> Self {
        self * other
    }
    /// The absolute value.
    #[inline(always)]
    fn length(self) -> Self {
        Float::abs(self)
    }
    /// The absolute difference.
    #[inline(always)]
    fn distance(self, other: Self) -> Self {
        Float::abs(self - other)
    }
    /// The sign; zero stays zero and NaN stays NaN.
    #[inline(always)]
    fn normalize(self) -> Self {
        if Float::is_nan(self) { self } else { self.sign() }
    }
    /// The same as [`length`](Geometric::length).
    #[inline(always)]
    fn fast_length(self) -> Self {
        self.length()
    }
    /// The same as [`distance`](Geometric::distance).
    #[inline(always)]
    fn fast_distance(self, other: Self) -> Self {
        self.distance(other)
    }
    /// The same as [`normalize`](Geometric::normalize).
    #[inline(always)]
    fn fast_normalize(self) -> Self {
        self.normalize()
    }
}

impl<T: Float> Geometric for T {}
