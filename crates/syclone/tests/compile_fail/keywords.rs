//! `async`, `unsafe`, `?` and their like.
use syclone::prelude::*;

#[kernel]
fn body(item: Item<1>, n: u32, out: ItemMut<u32>) {
    let a = async { 1 };
    let b = unsafe { n };
    let c = helper(n)?;
    let d = helper(n).await;
    let e = const { 1 };
    out[item] = n;
}

fn main() {}
