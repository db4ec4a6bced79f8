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

fn main() {}
