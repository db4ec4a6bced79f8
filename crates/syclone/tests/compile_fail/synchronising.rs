//! Who can wait for the group.
use syclone::prelude::*;

#[device_fn]
fn barrier(item: &NdItem<1>) {
    item.barrier();
}

#[device_fn]
fn reduction(item: &NdItem<1>, x: f32) -> f32 {
    item.group().reduce(x, Plus)
}

#[device_fn]
fn shuffle(item: &NdItem<1>, x: f32) -> f32 {
    let sub_group = item.sub_group();
    sub_group.shuffle_xor(x, 1)
}

#[kernel]
fn range_kernel(item: Item<1>, out: ItemMut<f32>) {
    item.barrier();
    out[item] = 0.0;
}

#[kernel]
fn kept(item: NdItem<1>, out: ItemMut<f32>) {
    let it = item;
    out[item] = 0.0;
}

fn main() {}
