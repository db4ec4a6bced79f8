//! Joint algorithms read spans of memory, write to memory that any item may write, and are for all items of the group.
use syclone::prelude::*;

#[kernel]
fn into_what_is_read(item: NdItem<1>, x: View<f32>, y: View<f32>) {
    item.sub_group().joint_inclusive_scan(x, y.span(0, 4), Plus);
}

#[kernel]
fn into_the_items_own(item: NdItem<1>, x: View<f32>, y: ItemMut<f32>) {
    item.group().joint_exclusive_scan(x, y, Plus);
}

#[kernel]
fn a_value(item: NdItem<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = item.sub_group().joint_reduce(x[item], Plus);
}

#[kernel]
fn votes_of_numbers(item: NdItem<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = item.sub_group().joint_any(x) as u32;
}

#[kernel]
fn of_some_items(item: NdItem<1>, x: View<f32>, y: ItemMut<f32>) {
    if item.local_id(0) > 2 {
        y[item] = item.sub_group().joint_reduce(x, Plus);
    }
}

fn main() {}
