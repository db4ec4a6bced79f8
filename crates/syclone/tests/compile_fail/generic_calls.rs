//! Generic parameters that a call or a literal leaves out.
use syclone::prelude::*;

trait Number: Scalar {}

impl Number for f32 {}
impl Number for f64 {}

#[device_fn]
trait Scale: DeviceCopy {
    fn scaled<T: Number>(self, x: T) -> T;
}

#[derive(Clone, Copy, DeviceCopy)]
struct Pair<T>(T, T);

#[device_fn]
fn double<T: Number>(x: T) -> T {
    x + x
}

#[kernel]
fn of_a_method<S: Scale>(item: Item<1>, s: S, x: View<f32>, y: ItemMut<f32>) {
    y[item] = s.scaled(x[item]);
}

#[kernel]
fn of_a_function(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = double(x[item]);
}

#[kernel]
fn of_a_literal(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let pair = Pair(x[item], 1.0);
    y[item] = pair.0;
}

fn main() {}
