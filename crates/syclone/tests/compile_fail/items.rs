//! Items and attributes inside a body.
use syclone::prelude::*;

#[kernel]
fn items(item: Item<1>, out: ItemMut<f32>) {
    use std::f32::consts::PI;
    fn helper(x: f32) -> f32 {
        x
    }
    struct Pair(f32, f32);
    static COUNT: u32 = 1;
    #[allow(unused)]
    let x = 1.0;
    out[item] = PI;
}

#[kernel]
fn changed_constants(item: Item<1>, out: ItemMut<u32>) {
    const FOUR: [u32; 2] = [4; 2];
    FOUR[0] = 5;
    out[item] = FOUR[0];
    u32::MAX = 1;
}

fn main() {}
