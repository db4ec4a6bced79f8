//! Closures, iterators, function values.
use syclone::prelude::*;

#[kernel]
fn closure(item: Item<1>, a: View<f32>, out: ItemMut<f32>) {
    let double = |x: f32| x * 2.0;
    out[item] = double(a[item]);
}

#[kernel]
fn iterator(item: Item<1>, a: [f32; 4], out: ItemMut<f32>) {
    out[item] = a.iter().map(|x| x * 2.0).sum();
}

#[kernel]
fn iterator_of_a_range(item: Item<1>, n: u32, out: ItemMut<u32>) {
    out[item] = (0..n).map(|x| x * 2).sum();
}

#[kernel]
fn elements(item: Item<1>, a: [f32; 4], out: ItemMut<f32>) {
    let mut sum = 0.0;
    for x in a {
        sum += x;
    }
    out[item] = sum;
}

#[kernel]
fn without_an_end(item: Item<1>, out: ItemMut<u32>) {
    for i in 0.. {
        out[item] = i;
    }
}

fn main() {}
