//! Specialised arguments and const parameters: values that a device may build into its code.
//!
//! A const parameter is known to the compiler and can size arrays. A `Spec` is chosen at run time and baked in when a
//! device builds the kernel; on the CPU device it is a plain argument.

use syclone::prelude::*;

/// A filter of `2 * R + 1` taps whose weights are the same for all items.
#[kernel]
fn smooth<const R: usize>(item: Item<1>, weights: Spec<[f32; 3]>, x: View<f32>, y: ItemMut<f32>) {
    let i = item.global_id(0);
    let weights = weights.get();
    let mut sum = weights[0] * x[i];
    for d in 1..R + 1 {
        let before = if i >= d { x[i - d] } else { x[0] };
        let after = x[(i + d).min(x.len() - 1)];
        sum += weights[d] * (before + after);
    }
    y[item] = sum;
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let x = Buffer::from_vec(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let y = Buffer::<f32>::new(7);
    queue.submit(|h| h.parallel_for(7, smooth::<1>([0.5, 0.25, 0.0], x.read(h), y.write(h))))?;
    println!("radius 1: {:?}", y.to_vec()?);
    assert_eq!(y.to_vec()?, [0.0, 0.0, 0.25, 0.5, 0.25, 0.0, 0.0]);
    queue.submit(|h| h.parallel_for(7, smooth::<2>([0.5, 0.125, 0.125], x.read(h), y.write(h))))?;
    println!("radius 2: {:?}", y.to_vec()?);
    assert_eq!(y.to_vec()?, [0.0, 0.125, 0.125, 0.5, 0.125, 0.125, 0.0]);
    Ok(())
}
