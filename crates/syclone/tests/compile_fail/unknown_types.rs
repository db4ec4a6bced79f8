//! A type that rustc does not know is one error of its, though what is made of a kernel spells it several times.
use syclone::prelude::*;

#[kernel]
fn of_elements(item: Item<1>, x: View<Nope>, y: ItemMut<f32>) {
    y[item] = x[item].a;
}

#[kernel]
fn of_an_operator(item: Item<1>, x: View<f32>, sum: Reducer<f32, Pluss>) {
    sum.combine(x[item]);
}

#[kernel]
fn of_a_value(item: Item<1>, x: Nothing, y: ItemMut<f32>) {
    y[item] = x.a;
}

#[device_fn]
fn of_a_function(x: Missing) -> f32 {
    x.a
}

fn main() {}
