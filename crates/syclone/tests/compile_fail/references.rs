//! References are only arguments, and never into memory.
use syclone::prelude::*;

#[device_fn]
fn twice(x: &f32) -> f32 {
    *x * 2.0
}

#[kernel]
fn kept(item: Item<1>, a: View<f32>, out: ItemMut<f32>) {
    let first = &a;
    out[item] = 1.0;
}

#[kernel]
fn into_memory(item: Item<1>, a: View<f32>, out: ItemMut<f32>) {
    out[item] = twice(&a[0]);
}

#[kernel]
fn slice(item: Item<1>, a: View<f32>, out: ItemMut<f32>) {
    let part = a[1..3];
    out[item] = 1.0;
}

#[device_fn]
fn returned(x: &f32) -> &f32 {
    x
}

fn main() {}
