//! A mistake in a body is one error: the uses of the function are none.
use syclone::prelude::*;

#[device_fn]
fn helper(x: f32) -> f32 {
    let text = "text";
    x
}

#[kernel]
fn scale<const N: usize>(item: Item<1>, x: View<f32>, out: ItemMut<f32>) {
    println!("{}", N);
    out[item] = helper(x[item]);
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::select("cpu")?)?;
    let (x, y) = (Buffer::from_vec(vec![1.0f32; 4]), Buffer::<f32, 1>::new([4]));
    queue.submit(|h| h.parallel_for([4], scale::<4>(x.read(h), y.write(h))))?;
    queue.submit(|h| {
        let y = y.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = 'c'))
    })?;
    Ok(())
}
