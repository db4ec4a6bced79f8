//! What a kernel takes and returns.
use syclone::prelude::*;

#[kernel]
fn returns(item: Item<1>) -> u32 {
    1
}

#[kernel]
fn returns_early(item: Item<1>, out: ItemMut<u32>) {
    out[item] = 1;
    return 1;
}

#[kernel]
fn without_an_item(out: ItemMut<f32>) {}

#[kernel]
fn item_in_the_middle(n: u32, item: Item<1>) {}

#[kernel]
fn four_dimensions(item: Item<4>) {}

#[kernel]
fn borrowed_item(item: &Item<1>) {}

#[kernel]
fn mutable(item: Item<1>, mut n: u32) {}

#[kernel]
fn lifetimes<'a>(item: Item<1>) {}

#[kernel]
async fn asynchronous(item: Item<1>) {}

#[kernel]
unsafe fn unsafe_but_checked(item: Item<1>) {}

#[kernel(unchecked)]
fn unchecked_but_safe(item: Item<1>) {}

#[kernel]
struct NoFunction;

fn main() {}
