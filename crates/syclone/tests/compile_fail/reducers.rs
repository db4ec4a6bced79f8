//! A reduction belongs to the kernel.

use syclone::prelude::*;

#[device_fn]
fn add_up(sum: Reducer<f32, Plus>, x: f32) {
    sum.combine(x);
}

#[kernel]
fn changes_its_reducer(item: Item<1>, x: View<f32>, sum: Reducer<f32, Plus>) {
    let mut other = sum;
    other.combine(x[item]);
}

fn main() {}
