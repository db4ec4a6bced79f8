//! Literals of types that devices lack.
use syclone::prelude::*;

#[kernel]
fn literals(item: Item<1>, out: ItemMut<u32>) {
    let text = "text";
    let letter = 'a';
    let byte = b'a';
    let wide = 1u128;
    let half = 1.0 as f16;
    out[item] = 1;
}

fn main() {}
