//! A mistake in a signature is one error: what the body does with the parameter is none.
use syclone::prelude::*;

#[kernel]
fn same_names(item: Item<1>, x: View<f32>, y: ItemMut<f32>, y: ItemMut<f32>) {
    y[item] = x[0];
}

#[device_fn]
fn same_names_of_values(x: f32, x: f32) -> f32 {
    x
}

#[kernel]
fn function_pointer(item: Item<1>, f: fn(i32) -> i32, y: ItemMut<i32>) {
    y[item] = f(3);
}

#[kernel]
fn no_group(x: View<f32>, y: GroupMut<f32>) {
    y[0] = x[0];
}

#[kernel]
fn refutable(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let Some(z) = x[item] else { return };
    y[item] = z;
}

fn main() {}
