//! Casts that are none in Rust: each is one error, in the user's line.
#![allow(dead_code)]

use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u8)]
enum Mode {
    Fast,
    Slow,
}

#[kernel]
fn of_bool(item: Item<1>, x: View<bool>, out: ItemMut<f32>) {
    out[item] = x[item] as f32;
}

#[kernel]
fn to_enum(item: Item<1>, x: View<u8>, out: ItemMut<Mode>) {
    out[item] = x[item] as Mode;
}

fn main() {}
