//! What is no Rust is rustc's error alone, and the uses of the function are none.
use syclone::prelude::*;

#[device_fn]
fn twice(x: f32) -> f32 {
    2.0 * x +
}

#[kernel]
fn scale(item: Item<1>, y: ItemMut<f32>) {
    y[item] = 3.0 + ;
}

#[kernel]
fn scale_twice(item: Item<1>, y: ItemMut<f32>) {
    y[item] = twice(1.0);
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::select("cpu")?)?;
    let y = Buffer::<f32>::new(4);
    queue.submit(|h| h.parallel_for([4], scale(y.write(h))))?;
    Ok(())
}
