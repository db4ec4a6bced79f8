//! Operators on structs that are fields, elements' fields, elements of fields, constants, and results of functions and methods.
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

#[derive(Clone, Copy, DeviceCopy)]
struct Waves {
    all: [Complex; 4],
}

#[device_fn]
impl Waves {
    fn first(self) -> Complex {
        self.all[0]
    }
}

const ORIGIN: Complex = Complex { re: 0.0, im: 0.0 };

#[kernel]
fn of_elements_of_fields(item: Item<1>, x: View<Waves>, y: ItemMut<Complex>) {
    y[item] = x[item].all[1] - ORIGIN;
}

#[kernel]
fn of_methods(item: Item<1>, x: View<Waves>, y: ItemMut<f32>) {
    let first = x[item].first();
    y[item] = (-first).re + (1.0 - x[item].first().re);
}

#[kernel(fallback)]
fn of_local_memory(item: NdItem<1>, x: View<Waves>, y: ItemMut<f32>) {
    let own = local::<Waves>();
    *own = x[item];
    item.barrier();
    y[item] = (-own.all[2]).im;
}

#[kernel]
fn assigned(item: Item<1>, x: View<Waves>, y: ScatterMut<Waves>) {
    let mut first = x[item].first();
    first -= 1.0;
    y[item].all[1] -= 2.0;
    y[item].all[2].re -= first.im;
}

impl std::ops::SubAssign<f32> for Complex {
    fn sub_assign(&mut self, by: f32) {
        self.re -= by;
    }
}

#[kernel]
fn of_two_elements_of_fields(item: Item<1>, x: View<Waves>, y: ItemMut<Complex>) {
    y[item] = x[item].all[2] - x[item].all[3];
}

fn main() {}
