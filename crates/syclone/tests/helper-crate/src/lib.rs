//! Device functions, a trait and a struct that kernels of another crate use.

use syclone::prelude::*;

/// A constant that kernels elsewhere name by its path.
pub const STRIDE: usize = 3;

/// The first power of `base` from `limit` on, found in a loop that it leaves early; zero if there is none.
#[device_fn]
pub fn first_power(base: u32, limit: u32) -> u32 {
    let mut power = 1u32;
    for _ in 0..32 {
        if power >= limit {
            return power;
        }
        power = power.saturating_mul(base);
    }
    0
}

/// The sum of an array, of any length and type.
#[device_fn]
pub fn sum_of<T: Float, const N: usize>(values: [T; N]) -> T {
    let mut sum = T::ZERO;
    for i in 0..N {
        sum += values[i];
    }
    sum
}

/// The greatest value of the work-group, for all its items.
#[device_fn]
pub fn greatest_of_group(item: NdItem<1>, x: u32) -> u32 {
    item.group().reduce(x, Maximum)
}

/// Functions in a module.
pub mod inner {
    use syclone::prelude::*;

    /// Calls a function beside it and one above it.
    #[device_fn]
    pub fn twice_the_power(base: u32, limit: u32) -> u32 {
        double(super::first_power(base, limit))
    }

    #[device_fn]
    fn double(x: u32) -> u32 {
        2 * x
    }
}

/// What a layer does to its values.
#[device_fn]
pub trait Activation: DeviceCopy {
    /// The slope of negative values.
    const SLOPE: f32;

    /// The activated value.
    fn apply(self, x: f32) -> f32;

    /// The activated value of the activated value.
    fn apply_twice(self, x: f32) -> f32 {
        self.apply(self.apply(x)) + Self::SLOPE
    }
}

/// Negative values become zero.
#[derive(Clone, Copy, Debug, DeviceCopy)]
pub struct Relu;

#[device_fn]
impl Activation for Relu {
    const SLOPE: f32 = 0.0;

    fn apply(self, x: f32) -> f32 {
        if x > 0.0 { x } else { 0.0 }
    }
}

/// A value with a method of its own.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
pub struct Offset(pub f32);

#[device_fn]
impl Offset {
    /// The value plus the offset.
    pub fn shift(self, x: f32) -> f32 {
        self.0 + x
    }

    /// The value plus the offset as another type, `N` times.
    pub fn shift_times<T: Float, const N: usize>(self, x: T) -> T {
        let mut sum = x;
        for _ in 0..N {
            sum += T::from_f64(self.0 as f64);
        }
        sum
    }
}

/// A value that has an [`Offset`].
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
pub struct Place {
    /// Where it begins.
    pub start: Offset,
    /// A number of another type.
    pub weight: f32,
}

/// The offset of a place, for kernels that do not name its type.
#[device_fn]
pub fn start_of(place: Place) -> Offset {
    place.start
}

/// A trait with a parameter.
#[device_fn]
pub trait Meet<T>: DeviceCopy {
    /// What comes of both.
    fn meet(self, other: T) -> f32;
}

/// A struct of which some instances have a method.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
pub struct Couple<T> {
    /// One.
    pub left: T,
    /// And the other.
    pub right: T,
}

#[device_fn]
impl Meet<f32> for Couple<f32> {
    fn meet(self, other: f32) -> f32 {
        self.left * other + self.right
    }
}

#[device_fn]
impl Meet<u32> for Couple<f32> {
    fn meet(self, other: u32) -> f32 {
        self.left + other as f32
    }
}

#[device_fn]
impl Meet<f32> for Couple<u32> {
    fn meet(self, other: f32) -> f32 {
        (self.left + self.right) as f32 * other
    }
}

/// Half of what meets.
#[device_fn]
pub fn met<C: Meet<f32>>(c: C) -> f32 {
    c.meet(0.5)
}
