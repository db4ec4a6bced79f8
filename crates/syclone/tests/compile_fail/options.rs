//! The options of the attributes.
use syclone::prelude::*;

#[kernel(fast)]
fn unknown(item: Item<1>) {}

#[kernel(work_group_size)]
fn without_a_size(item: NdItem<1>) {}

#[kernel(work_group_size(8, 8))]
fn other_dimensions(item: NdItem<1>) {}

#[kernel(work_group_size(8, 0))]
fn no_items(item: NdItem<2>) {}

#[kernel(sub_group_size(8))]
fn without_groups(item: Item<1>) {}

#[kernel(fallback, fallback)]
fn twice(item: NdItem<1>) {}

#[device_fn(inline)]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
