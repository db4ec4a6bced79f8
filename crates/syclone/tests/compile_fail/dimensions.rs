//! A literal dimension that an id, a range or an extent does not have.
use syclone::prelude::*;

#[kernel]
fn of_the_item(item: NdItem<2>, y: ItemMut<u32, 2>) {
    y[item] = (item.local_id(2) + item.global_range(1)) as u32;
}

#[kernel]
fn of_its_group(item: NdItem<3>, y: ItemMut<u32, 3>) {
    y[item] = item.group().range(3) as u32;
}

#[kernel]
fn of_a_range(item: Item<1>, y: ItemMut<u32>) {
    y[item] = item.id(1) as u32;
}

#[kernel]
fn of_memory(item: Item<1>, x: View<f32, 2>, y: ItemMut<u32>) {
    y[item] = (x.extent(1) + x.extent(2) + y.extent(1)) as u32;
}

#[device_fn]
fn of_a_reference(item: &NdItem<1>, x: LocalAccessor<f32>) -> usize {
    item.local_id(1) + x.extent(1)
}

// How many there are is not known here.
#[device_fn]
fn generic<const D: usize>(x: View<f32, D>) -> usize {
    x.extent(2)
}

fn main() {}
