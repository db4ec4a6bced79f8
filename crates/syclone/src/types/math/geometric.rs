//! SYCL's geometric functions.
//!
//! Sums run from the first lane to the last. Half precisions sum in `f32`. `length`, `distance` and `normalize`
//! neither overflow nor lose small values in between; their `fast_` forms square in the element's own type.

use crate::types::scalar::{Float, Scalar, ScalarClass};
use crate::types::vector::Vector;

impl<T: Scalar, const N: usize> Vector<T, N> {
    /// The sum of the lanes.
    #[inline(always)]
    pub fn sum(self) -> T {
        match T::CLASS {
            ScalarClass::Single => T::from_scalar(sum(self.0.map(T::to_f32))),
            _ => sum(self.0),
        }
    }

    /// The sum of the products of the lanes.
    #[inline(always)]
    pub fn dot(self, other: Self) -> T {
        match T::CLASS {
            ScalarClass::Single => {
                let products =
                    core::array::from_fn::<f32, N, _>(|i| self.0[i].to_f32() * other.0[i].to_f32());
                T::from_scalar(sum(products))
            }
            _ => sum(core::array::from_fn::<T, N, _>(|i| self.0[i] * other.0[i])),
        }
    }
}

/// The sum of the lanes from the first to the last.
#[inline(always)]
fn sum<T: Scalar, const N: usize>(lanes: [T; N]) -> T {
    let mut lanes = lanes.into_iter();
    let first = lanes.next().unwrap_or(T::ZERO);
    lanes.fold(first, |sum, lane| sum + lane)
}

impl<T: Float, const N: usize> Vector<T, N> {
    /// The Euclidean length.
    #[inline(always)]
    pub fn length(self) -> T {
        T::from_f64(length(self.0.map(T::to_f64)))
    }

    /// The length of the difference.
    #[inline(always)]
    pub fn distance(self, other: Self) -> T {
        T::from_f64(length(core::array::from_fn::<f64, N, _>(|i| {
            self.0[i].to_f64() - other.0[i].to_f64()
        })))
    }

    /// The vector of length one in the same direction; zero stays zero.
    #[inline(always)]
    pub fn normalize(self) -> Self {
        let wide = self.0.map(T::to_f64);
        // Scaled first, so that the length is a normal number whatever the lanes are.
        let scale = largest(wide);
        if scale == 0.0 || !scale.is_finite() {
            // Infinite lanes point along themselves; a NaN lane makes all of them NaN.
            let infinite = |x: f64| {
                if x.is_infinite() {
                    1f64.copysign(x)
                } else {
                    x * 0.0
                }
            };
            return if scale == 0.0 {
                self
            } else {
                Vector(wide.map(|x| T::from_f64(infinite(x)))).normalize_finite()
            };
        }
        Vector(wide.map(|x| x / scale))
            .normalize_finite()
            .map_lanes(T::from_f64)
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
        if length == T::ZERO {
            self
        } else {
            self / length
        }
    }

    /// Divides by the length of lanes that are neither all zero nor far from one.
    #[inline(always)]
    fn normalize_finite(self) -> Self {
        let length = sum(self.0.map(|x| x * x)).sqrt();
        self / length
    }
}

/// The greatest magnitude, NaN ignored.
#[inline(always)]
fn largest<const N: usize>(lanes: [f64; N]) -> f64 {
    lanes
        .into_iter()
        .fold(0.0, |greatest, lane| greatest.max(lane.abs()))
}

/// The Euclidean length. Squares of `f32` and narrower types are exact to 48 bits and in range; those of large or
/// tiny `f64` are scaled by the greatest lane.
#[inline(always)]
fn length<const N: usize>(lanes: [f64; N]) -> f64 {
    let squares = sum(lanes.map(|x| x * x));
    if (1e-280..1e300).contains(&squares)
        || squares == 0.0 && largest(lanes) == 0.0
        || squares.is_nan()
    {
        return squares.sqrt();
    }
    let scale = largest(lanes);
    if scale.is_infinite() {
        scale
    } else {
        scale * sum(lanes.map(|x| (x / scale) * (x / scale))).sqrt()
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
