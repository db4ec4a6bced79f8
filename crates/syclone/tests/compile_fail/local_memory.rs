//! Where local memory can be declared.
use syclone::prelude::*;

#[kernel]
fn range_kernel(item: Item<1>, out: ItemMut<f32>) {
    let tile = local::<[f32; 16]>();
    out[item] = 0.0;
}

#[kernel]
fn in_a_branch(item: NdItem<1>, out: ItemMut<f32>) {
    if item.local_range(0) > 1 {
        let tile = local::<[f32; 16]>();
    }
    out[item] = 0.0;
}

#[kernel]
fn of_no_type(item: NdItem<1>, out: ItemMut<f32>) {
    let tile = local();
    out[item] = 0.0;
}

#[device_fn]
fn in_a_helper(x: f32) -> f32 {
    let tile = local::<[f32; 16]>();
    x
}

#[kernel]
fn passed(item: NdItem<1>, tile: Local<[f32; 16]>) {}

#[kernel]
fn without_groups(item: Item<1>, tile: LocalAccessor<f32>) {}

#[kernel]
fn of_a_variable_size(item: NdItem<1>, n: usize, out: ItemMut<f32>) {
    let tile = local::<[f32; n]>();
    out[item] = tile[0];
}

#[kernel]
fn handles_in_an_array(item: Item<1>, x: [View<f32>; 2], out: ItemMut<f32>) {
    out[item] = x[0][0];
}

fn main() {}
