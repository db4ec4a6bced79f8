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

#[rustfmt::skip]
#[kernel]
fn too_many(item: Item<1>, p1: u32, p2: u32, p3: u32, p4: u32, p5: u32, p6: u32, p7: u32, p8: u32, p9: u32, p10: u32, p11: u32, p12: u32, p13: u32, p14: u32, p15: u32, p16: u32, p17: u32, out: ItemMut<u32>) {
    out[item] = p17;
}

#[kernel]
struct NoFunction;

fn main() {}
