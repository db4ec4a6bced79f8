//! A barrier that only some items reach.
use syclone::prelude::*;

#[kernel]
fn in_a_branch(item: NdItem<1>, out: ItemMut<f32>) {
    if item.local_id(0) < 4 {
        item.barrier();
    }
    out[item] = 1.0;
}

#[kernel]
fn in_a_loop(item: NdItem<1>, out: ItemMut<f32>) {
    for _ in 0..item.local_id(0) {
        item.barrier();
    }
    out[item] = 1.0;
}

fn main() {}
