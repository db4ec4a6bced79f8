//! Macros cannot be used in kernels.
use syclone::prelude::*;

#[kernel]
fn macros(item: Item<1>, n: u32, out: ItemMut<u32>) {
    println!("n = {n}");
    assert!(n > 0);
    let v = vec![1, 2, 3];
    if n == 7 {
        panic!("seven");
    }
    out[item] = n;
}

fn main() {}
