//! Calls of device functions with other arguments than they take.
use syclone::prelude::*;

#[device_fn]
fn scale(x: f32, by: f32) -> f32 {
    x * by
}

#[derive(Clone, Copy, DeviceCopy)]
struct Ray {
    at: f32,
}

#[device_fn]
impl Ray {
    fn moved(self, by: f32, times: u32) -> Ray {
        Ray { at: self.at + by * times as f32 }
    }
}

#[kernel]
fn too_few(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = 1.0 + scale(x[item]);
}

#[kernel]
fn too_many(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = scale(x[item], 2.0, 3.0);
}

#[kernel]
fn another_type(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = 2.0 * scale(x[item], 1u32);
}

#[kernel]
fn too_few_of_a_method(item: Item<1>, x: View<Ray>, y: ItemMut<f32>) {
    y[item] = x[item].moved(1.0).at;
}

fn main() {}
