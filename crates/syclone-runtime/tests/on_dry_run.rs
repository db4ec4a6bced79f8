//! The suite of the scheduler on dry-run devices, which run its kernels in an order that a seed decides.

mod common;
mod suite;

use std::sync::atomic::{AtomicU64, Ordering};

use syclone_runtime::{Device, DryRunOptions};

/// A device that runs `workers` commands at once, each time with another seed.
fn device_with(workers: usize) -> Device {
    static SEED: AtomicU64 = AtomicU64::new(0);
    let options = DryRunOptions::new("suite").compute_units(workers).run_kernels();
    options.seed(SEED.fetch_add(1, Ordering::Relaxed)).build().unwrap().device().clone()
}
