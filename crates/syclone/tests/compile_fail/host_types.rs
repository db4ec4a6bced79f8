//! Types that exist on the host only.
use syclone::prelude::*;

#[kernel]
fn strings(item: Item<1>, name: String) {}

#[kernel]
fn vectors(item: Item<1>, a: Vec<f32>) {}

#[kernel]
fn slices(item: Item<1>, a: &[f32]) {}

#[kernel]
fn trait_objects(item: Item<1>, f: &dyn Fn(f32) -> f32) {}

#[kernel]
fn any_type(item: Item<1>, f: impl Fn(f32) -> f32) {}

#[kernel]
fn pointers(item: Item<1>, p: *mut f32) {}

#[kernel]
fn boxes(item: Item<1>, out: ItemMut<f32>) {
    let x = Box::new(1.0);
    let y: Option<f32> = None;
    out[item] = 1.0;
}

fn main() {}
