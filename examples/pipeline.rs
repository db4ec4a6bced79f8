//! Two queues, two buffers: the next block is copied while the last one is computed, and the event times prove it.
//!
//! Each queue runs its commands in order; nothing says which command waits for which in the other one. The copy of block 2
//! into the first buffer waits for the kernel that still reads block 0 there, because both name that buffer; it does not
//! wait for the kernel on the other buffer.

use syclone::prelude::*;

const BLOCKS: usize = 8;
const LEN: usize = 1 << 19;

/// Enough arithmetic on each element to take about as long as copying it.
#[kernel]
fn churn(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let mut value = x[item];
    for _ in 0..32 {
        value = value * 0.5 + 1.0;
    }
    y[item] = value;
}

fn main() -> Result<()> {
    // The device that is asked for; else two workers, also where there is one core, since one can't do two things at once.
    let device = match std::env::var_os("SYCLONE_DEVICE") {
        Some(_) => Device::from_env()?,
        None => Device::cpu_with_threads(2)?,
    };
    let options = || QueueOptions::new().in_order(true).profiling(true);
    let (copies, kernels) = (options().build(&device)?, options().build(&device)?);

    // Blocks as they might come from a file; the device works on two at a time.
    let blocks: Vec<Buffer<f32>> = (0..BLOCKS).map(|block| Buffer::from_vec(vec![block as f32; LEN])).collect();
    let buffers = [Buffer::<f32>::new(LEN), Buffer::<f32>::new(LEN)];
    let results: Vec<Buffer<f32>> = (0..BLOCKS).map(|_| Buffer::new(LEN)).collect();

    let mut spans = Vec::new();
    for block in 0..BLOCKS {
        let buffer = &buffers[block % 2];
        let copy = copies.copy(&blocks[block], buffer)?;
        let kernel = kernels.submit(|h| h.parallel_for(LEN, churn(buffer.read(h), results[block].write(h))))?;
        spans.push((copy, kernel));
    }
    copies.wait()?;
    kernels.wait()?;

    let times = |event: &Event| event.profiling().expect("the queue profiles and the command has ended");
    let first = times(&spans[0].0).start;
    let mut overlapping = 0;
    for (block, (copy, kernel)) in spans.iter().enumerate() {
        let (copied, computed) = (times(copy), times(kernel));
        let overlaps =
            block > 0 && copied.start < times(&spans[block - 1].1).end && times(&spans[block - 1].1).start < copied.end;
        overlapping += usize::from(overlaps);
        println!(
            "block {block}: copied {:>5}–{:>5} µs, computed {:>5}–{:>5} µs{}",
            (copied.start - first) / 1000,
            (copied.end - first) / 1000,
            (computed.start - first) / 1000,
            (computed.end - first) / 1000,
            if overlaps { ", copied while the last one was computed" } else { "" },
        );
        assert!(copied.end <= computed.start, "a block is computed when it has been copied");
    }
    println!("{overlapping} of {} copies overlapped the kernel before", BLOCKS - 1);

    for (block, result) in results.iter().enumerate() {
        let mut expected = block as f32;
        for _ in 0..32 {
            expected = expected * 0.5 + 1.0;
        }
        assert_eq!(result.host_read()?[LEN - 1], expected);
    }
    Ok(())
}
