//! The smallest complete program: add two vectors.
//!
//! A kernel runs once for each index of a range. Buffers hold the data, a command group says how the kernel uses them,
//! and the runtime runs it when they are ready.

use syclone::prelude::*;

#[kernel]
fn add(item: Item<1>, a: View<f32>, b: View<f32>, sum: ItemMut<f32>) {
    sum[item] = a[item] + b[item];
}

fn main() -> Result<()> {
    // The device that SYCLONE_DEVICE names, or the CPU.
    let device = Device::from_env()?;
    let queue = Queue::new(&device)?;

    let n = 1000;
    let a = Buffer::from_vec((0..n).map(|i| i as f32).collect());
    let b = Buffer::from_vec(vec![0.5; n]);
    let sum = Buffer::<f32>::new(n);

    queue.submit(|h| h.parallel_for(n, add(a.read(h), b.read(h), sum.write(h))))?;

    // Reading on the host waits for the kernel.
    let sum = sum.host_read()?;
    assert!(sum.iter().enumerate().all(|(i, &x)| x == i as f32 + 0.5));
    println!("on {}: {:?} … {:?}", device.info().name, &sum[..3], &sum[n - 3..]);
    Ok(())
}
