//! Launch latency: printed, and checked only against figures that no working pool misses.

mod common;

use std::time::{Duration, Instant};

use common::{Words, kernel};
use syclone_runtime::{Access, Device, Queue, QueueOptions};

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

/// The median time per command of `rounds` batches of 1000, each made by `submit`.
fn batch(queue: &Queue, rounds: usize, submit: impl Fn()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            (0..1000).for_each(|_| submit());
            queue.wait().unwrap();
            start.elapsed() / 1000
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

#[test]
fn batches_that_are_ordered_or_touch_memory_cost_little_more() {
    let device = Device::default_device().unwrap();
    let in_order = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
    let queue = Queue::new(&device).unwrap();
    let (a, b) = (Words::new(&device, 1), Words::new(&device, 1));
    let commands = |accesses: Vec<Access>, chunks| kernel("empty", chunks, accesses, |_, _| Ok(()));
    let figures = [
        ("in order", batch(&in_order, 100, || drop(in_order.submit(empty()).unwrap()))),
        ("chain through memory", batch(&queue, 100, || drop(queue.submit(commands(vec![a.read_write()], 1)).unwrap()))),
        ("shared input", batch(&queue, 100, || drop(queue.submit(commands(vec![a.read()], 1)).unwrap()))),
        (
            "input and output",
            batch(&queue, 100, || drop(queue.submit(commands(vec![a.read(), b.write()], 1)).unwrap())),
        ),
        ("two chunks", batch(&queue, 100, || drop(queue.submit(commands(Vec::new(), 2)).unwrap()))),
    ];
    for (what, median) in figures {
        println!("{what}: median {median:?} each");
        assert!(median < Duration::from_millis(1), "{what}: median {median:?}");
    }
}
