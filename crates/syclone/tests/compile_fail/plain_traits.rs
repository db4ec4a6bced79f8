//! Plain conversions, `*` and comparisons of two types.
use std::ops::{Deref, DerefMut};
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceCopy)]
struct Metres(f32);

#[derive(Clone, Copy, PartialEq, DeviceCopy)]
struct Feet(f32);

impl From<Metres> for f32 {
    fn from(length: Metres) -> f32 {
        length.0
    }
}

impl From<Metres> for F32x2 {
    fn from(length: Metres) -> F32x2 {
        F32x2::splat(length.0)
    }
}

impl Deref for Metres {
    type Target = f32;

    fn deref(&self) -> &f32 {
        &self.0
    }
}

impl DerefMut for Metres {
    fn deref_mut(&mut self) -> &mut f32 {
        &mut self.0
    }
}

impl PartialEq<Feet> for Metres {
    fn eq(&self, other: &Feet) -> bool {
        self.0 == other.0 * 0.3048
    }
}

impl PartialEq<f32> for Metres {
    fn eq(&self, other: &f32) -> bool {
        self.0 == *other
    }
}

impl PartialOrd<Metres> for f32 {
    fn partial_cmp(&self, other: &Metres) -> Option<std::cmp::Ordering> {
        self.partial_cmp(&other.0)
    }
}

impl PartialEq<Metres> for f32 {
    fn eq(&self, other: &Metres) -> bool {
        *self == other.0
    }
}

#[device_fn]
fn number(length: Metres) -> f32 {
    f32::from(length)
}

#[device_fn]
fn lengthen(length: &mut Metres) -> f32 {
    **length += 1.0;
    length.0
}

#[kernel]
fn conversions(item: Item<1>, x: View<Metres>, y: ItemMut<F32x2>) {
    y[item] = F32x2::from(x[item]) * f64::from(2u8).to_f32();
}

#[kernel]
fn references(item: Item<1>, x: View<Metres>, y: ItemMut<f32>) {
    let mut own = x[item];
    *own = 2.0;
    y[item] = *own + *x[item] + x[item].sqrt();
}

#[kernel]
fn comparisons(item: Item<1>, x: View<Metres>, y: View<Feet>, z: ItemMut<u32>) {
    let is_same = x[item] == y[item];
    z[item] = is_same as u32;
    if x[item] != 1.0 && 2.0 < x[0] {
        z[item] += 1;
    }
}

fn main() {}
