//! Literals that their types cannot hold, which rustc finds where the types are inferred.
use syclone::prelude::*;

#[kernel]
fn of_a_variable(item: Item<1>, out: ItemMut<u32>) {
    let byte: u8 = 256;
    out[item] = u32::from(byte);
}

#[kernel]
fn of_an_element(item: Item<1>, out: ItemMut<i8>) {
    out[item] = 128;
    out[item] = -129;
}

#[kernel(fallback)]
fn of_a_float(item: NdItem<1>, out: ItemMut<f32>) {
    item.barrier();
    out[item] += 1e39;
}

#[device_fn]
fn of_an_argument(x: i16) -> i16 {
    x + 40_000
}

fn main() {}
