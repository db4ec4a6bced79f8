//! Jumps without a target, and recursion.
use syclone::prelude::*;

#[kernel]
fn outside(item: Item<1>, n: u32, out: ItemMut<u32>) {
    if n > 3 {
        break;
    }
    out[item] = n;
}

#[kernel]
fn no_such_label(item: Item<1>, n: u32, out: ItemMut<u32>) {
    'outer: for i in 0..n {
        continue 'inner;
    }
    out[item] = n;
}

#[device_fn]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

fn main() {}
