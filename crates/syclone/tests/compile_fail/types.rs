//! Values and indices of a wrong type: rustc's own error, once, where the value or the index is.
use syclone::prelude::*;

#[kernel]
fn stored(item: Item<1>, x: View<f32>, y: ItemMut<i32>) {
    let a = x[item];
    y[item] = a;
}

#[kernel]
fn stored_in_an_array(item: Item<1>, y: ItemMut<f32>) {
    let mut a = [0.0f32; 4];
    a[2] = 5u8;
    y[item] = a[1];
}

#[kernel]
fn declared(item: Item<1>, x: View<f32>, y: ItemMut<i32>) {
    let a: i32 = x[item];
    y[item] = a;
}

#[kernel]
fn index(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let i = 3u32;
    y[item] = x[i];
}

#[kernel]
fn too_few_indices(item: Item<1>, x: View<f32, 2>, y: ItemMut<f32>) {
    y[item] = x[0];
}

#[kernel]
fn unknown_method(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = x[0].nomethod();
}

#[kernel]
fn no_else(item: Item<1>, y: ItemMut<f32>) {
    let x: f32 = if item.id(0) > 2 { 1.0 };
    y[item] = x;
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::select("cpu")?)?;
    let y = Buffer::<f32>::new(4);
    queue.submit(|h| {
        let y = y.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[0] = 1.0))
    })?;
    Ok(())
}
