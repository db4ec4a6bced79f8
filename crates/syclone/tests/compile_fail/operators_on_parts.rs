//! Operators on structs that are fields, elements' fields and results of functions.
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceCopy)]
struct Complex {
    re: f32,
    im: f32,
}

impl std::ops::Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl std::ops::Neg for Complex {
    type Output = Complex;

    fn neg(self) -> Complex {
        Complex { re: -self.re, im: -self.im }
    }
}

#[derive(Clone, Copy, PartialEq, DeviceCopy)]
struct Wave(Complex, f32);

#[device_fn]
fn start(wave: Wave) -> Complex {
    wave.0
}

#[device_fn]
fn of_fields(wave: Wave, other: &Wave) -> f32 {
    let difference = wave.0 - other.0;
    difference.re + wave.1 * other.0.im
}

#[kernel]
fn of_elements(item: Item<1>, x: View<Wave>, y: ItemMut<Complex>) {
    y[item] = -x[item].0;
}

#[kernel]
fn of_results(item: Item<1>, x: View<Wave>, y: ItemMut<Complex>) {
    y[item] = start(x[item]) - start(x[0]);
}

fn main() {}
