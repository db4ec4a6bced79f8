//! The suite of the scheduler on CPU devices.

mod common;
mod suite;

use syclone_runtime::Device;

/// A device that runs `workers` commands at once.
fn device_with(workers: usize) -> Device {
    Device::cpu_with_threads(workers).unwrap()
}
