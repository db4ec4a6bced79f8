//! A device function's name is a type's too.
use syclone::prelude::*;

mod module {
    pub const TWO: f32 = 2.0;
}

#[device_fn]
fn module(x: f32) -> f32 {
    x * module::TWO
}

#[allow(non_camel_case_types)]
struct point {
    x: f32,
}

#[device_fn]
fn point(x: f32) -> f32 {
    x
}

#[kernel]
fn twice(item: Item<1>, y: ItemMut<f32>) {
    y[item] += 1.0;
}

#[kernel]
fn twice(item: Item<1>, y: ItemMut<f32>) {
    y[item] += 2.0;
}

fn main() {}
