//! Launch latency: printed, and checked only against figures that no working pool misses.

mod common;

use std::time::{Duration, Instant};

use common::kernel;
use syclone_runtime::{Device, Queue};

fn empty() -> syclone_runtime::Command {
    kernel("empty", 1, Vec::new(), |_, _| Ok(()))
}

#[test]
fn an_empty_kernel_ends_soon_after_it_is_submitted() {
    let queue = Queue::new(&Device::default_device().unwrap()).unwrap();
    let mut times: Vec<Duration> = (0..20_000)
        .map(|_| {
            let start = Instant::now();
            queue.submit(empty()).unwrap().wait().unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    let (median, p90) = (times[times.len() / 2], times[times.len() * 9 / 10]);
    println!("submit + wait: median {median:?}, 90th percentile {p90:?}");
    assert!(median < Duration::from_millis(5), "median {median:?}");
}

#[test]
fn a_batch_of_empty_kernels_costs_little_each() {
    let queue = Queue::new(&Device::default_device().unwrap()).unwrap();
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..1000 {
                queue.submit(empty()).unwrap();
            }
            queue.wait().unwrap();
            start.elapsed() / 1000
        })
        .collect();
    times.sort();
    let (median, p90) = (times[times.len() / 2], times[times.len() * 9 / 10]);
    println!("in a batch of 1000: median {median:?} each, 90th percentile {p90:?}");
    assert!(median < Duration::from_millis(1), "median {median:?}");
}
