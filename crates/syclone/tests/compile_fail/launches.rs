//! Arguments and shapes of launches.
use syclone::prelude::*;

#[kernel]
fn double(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = 2.0 * x[item];
}

#[kernel]
fn once(y: ScatterMut<f32>) {
    y[0] = 1.0;
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let (x, y) = (Buffer::<f32>::new(4), Buffer::<f32>::new(4));
    // A buffer, and no access of it.
    queue.submit(|h| h.parallel_for(4, double(&x, y.write(h))))?;
    queue.submit(|h| h.parallel_for(4, double(x.read(h), y)))?;
    // The wrong access.
    queue.submit(|h| h.parallel_for(4, double(x.read(h), x.read(h))))?;
    // Two dimensions for a kernel of one.
    queue.submit(|h| h.parallel_for([4, 4], double(x.read(h), x.write(h))))?;
    // A kernel that runs once.
    queue.submit(|h| h.parallel_for(4, once(x.scatter(h))))?;
    queue.submit(|h| h.single_task(double(x.read(h), x.write(h))))?;
    // Closures and functions that are no kernels.
    queue.submit(|h| h.parallel_for(4, |item: Item<1>| {}))?;
    queue.submit(|h| h.parallel_for(4, double))?;
    Ok(())
}
