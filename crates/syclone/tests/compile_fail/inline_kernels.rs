//! `kernel!`
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    x: f32,
}

fn main() {
    let n = 1.0f32;
    let _ = syclone::kernel!(42);
    let _ = syclone::kernel!(|item| {});
    let _ = syclone::kernel!(|item: Item<1>, x: View<f32>| {});
    let _ = syclone::kernel!(|item: Item<1>| {
        let text = "text";
        let letter = 'c';
    });
    let _ = syclone::kernel!(#[kernel(quick)] |item: Item<1>| {});
    let _ = syclone::kernel!(#[kernel(unchecked)] |item: Item<1>| {});
    let _ = syclone::kernel!(#[kernel(sub_group_size(8))] |item: Item<1>| {});
    let _ = syclone::kernel!(#[kernel(work_group_size(8, 8))] |item: NdItem<1>| {});
    let mut count = 1u32;
    let _ = syclone::kernel!(|item: Item<1>| count += 1);
    let mut pair = Pair { x: 1.0 };
    let _ = syclone::kernel!(|item: Item<1>| {
        pair.x = 1.0;
        (count, _) = (1, 2);
    });
    let _ = syclone::kernel!(#[inline] |item: Item<1>| {});
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16] = [1u32; 17];
    let _ = syclone::kernel!(|item: Item<1>| {
        let sum = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9 + c10 + c11 + c12 + c13 + c14 + c15 + c16;
    });
}
