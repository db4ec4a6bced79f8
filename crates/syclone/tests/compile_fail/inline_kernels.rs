//! `kernel!`
use syclone::prelude::*;

fn main() {
    let n = 1.0f32;
    let _ = syclone::kernel!(42);
    let _ = syclone::kernel!(|item| {});
    let _ = syclone::kernel!(|item: Item<1>, x: View<f32>| {});
    let _ = syclone::kernel!(|item: Item<1>| {
        let text = "text";
        let letter = 'c';
    });
}
