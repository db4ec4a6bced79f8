//! A kernel's parameters are the same for all items, their parts too.
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Holder {
    x: f32,
    parts: [f32; 2],
}

#[kernel]
fn element(item: Item<1>, array: Spec<[f32; 2]>, y: ItemMut<f32>) {
    array[1] += 1.0;
    y[item] = array[1];
}

#[kernel]
fn part(item: Item<1>, holder: Spec<Holder>, y: ItemMut<f32>) {
    holder.parts[1] = 1.0;
    holder.x = 2.0;
    y[item] = holder.x;
}

#[device_fn]
fn step(x: &mut f32) -> f32 {
    *x += 1.0;
    *x
}

#[kernel]
fn lent(item: Item<1>, one: Spec<f32>, holder: Holder, y: ItemMut<f32>) {
    y[item] = step(&mut one) + step(&mut holder.x);
}

#[kernel]
fn value(item: Item<1>, x: f32, holder: Holder, y: ItemMut<f32>) {
    x += 1.0;
    holder.parts[0] = x;
    y[item] = x;
}

#[kernel]
fn lane(item: Item<1>, lanes: Spec<F32x4>, y: ItemMut<f32>) {
    lanes[1] = 1.0;
    y[item] = lanes.y;
}

fn main() {}
