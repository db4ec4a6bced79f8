//! What rustc's parser takes and the macro's does not is an error all the same, once.
use syclone::prelude::*;

#[kernel]
fn scale(item: Item<1>, y: ItemMut<f32>) {
    let scaled: fn(mut x: f32) -> f32;
    y[item] = 3.0;
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::select("cpu")?)?;
    let y = Buffer::<f32>::new(4);
    queue.submit(|h| h.parallel_for([4], scale(y.write(h))))?;
    Ok(())
}
