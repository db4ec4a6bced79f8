//! Patterns that can fail, and patterns with data.
use syclone::prelude::*;

#[kernel]
fn while_let(item: Item<1>, mut_n: u32, out: ItemMut<u32>) {
    while let 1 = mut_n {}
    out[item] = mut_n;
}

#[kernel]
fn if_let(item: Item<1>, n: u32, out: ItemMut<u32>) {
    if let 1 = n {
        out[item] = n;
    }
}

#[kernel]
fn let_else(item: Item<1>, n: u32, out: ItemMut<u32>) {
    let 1 = n else { return };
    out[item] = n;
}

#[kernel]
fn options(item: Item<1>, n: u32, out: ItemMut<u32>) {
    match n {
        Some(x) => out[item] = x,
        _ => {}
    }
}

#[kernel]
fn taken_apart(item: Item<1>, p: [u32; 2], out: ItemMut<u32>) {
    let [a, b] = p;
    out[item] = a + b;
}

#[kernel]
fn without_a_value(item: Item<1>, out: ItemMut<u32>) {
    let x;
    x = 1;
    out[item] = x;
}

fn main() {}
