//! Reductions: several at once, in one pass over the data.
//!
//! The order in which values are combined does not depend on the number of threads, so that a float sum has the same
//! bits on every run.

use syclone::prelude::*;

#[kernel]
fn statistics(
    item: Item<1>,
    x: View<f32>,
    sum: Reducer<f32, Plus>,
    squares: Reducer<f64, Plus>,
    least: Reducer<f32, Minimum>,
    greatest: Reducer<f32, Maximum>,
) {
    let value = x[item];
    sum.combine(value);
    squares.combine(value as f64 * value as f64);
    least.combine(value);
    greatest.combine(value);
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let n = 1_000_000;
    let x = Buffer::from_vec((0..n).map(|i| ((i * 7919) % 1000) as f32 / 1000.0).collect());
    let (sum, squares) = (Buffer::<f32>::new(1), Buffer::<f64>::new(1));
    let (least, greatest) = (Buffer::<f32>::new(1), Buffer::<f32>::new(1));
    let run = || -> Result<f32> {
        queue.submit(|h| {
            let (sum, squares) = (sum.reduce(h, Plus), squares.reduce(h, Plus));
            let (least, greatest) = (least.reduce(h, Minimum), greatest.reduce(h, Maximum));
            h.parallel_for(n, statistics(x.read(h), sum, squares, least, greatest))
        })?;
        Ok(sum.host_read()?[0])
    };
    let first = run()?;
    let mean = f64::from(first) / n as f64;
    let deviation = (squares.host_read()?[0] / n as f64 - mean * mean).sqrt();
    let (least, greatest) = (least.host_read()?[0], greatest.host_read()?[0]);
    println!("mean {mean:.6}, standard deviation {deviation:.6}, from {least} to {greatest}");
    assert!((mean - 0.4995).abs() < 1e-6 && (deviation - 0.288675).abs() < 1e-5);
    assert_eq!((least, greatest), (0.0, 0.999));
    assert_eq!(run()?.to_bits(), first.to_bits());
    Ok(())
}
