//! The CPU device: a persistent pool of workers that run chunks of commands.
//!
//! `pool` decides who sleeps, spins and wakes; `execute` runs one command's chunks; `worker` is the memory that a
//! worker lends to kernels; `machine` asks what the hardware is; `quiet` keeps kernels' panics off standard error.

mod execute;
mod machine;
mod pool;
pub(crate) mod quiet;
mod worker;

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use execute::run_chunks;
pub(crate) use pool::is_worker_thread;
pub(crate) use quiet::install as keep_kernels_quiet;
pub use worker::{Scratch, Worker};

use crate::{Aspect, Device, DeviceInfo, Error, Isa, Result};

/// The variable that sets the number of workers of the host's CPU device.
const VARIABLE: &str = "SYCLONE_CPU_THREADS";

/// The most workers that any device has: far more than any machine's cores, few enough to start.
const MAX_THREADS: usize = 1024;

/// The most workers that a partition of a machine with few cores takes, so that programs can be tried with as many as
/// others have.
const FEW_THREADS: usize = 16;

/// The most work-items in a group. Groups are loops here, so the limit only bounds per-item storage.
const MAX_WORK_GROUP_SIZE: usize = 4096;

/// Local memory per group: small enough to stay in a core's cache.
pub(crate) const LOCAL_MEMORY_BYTES: usize = 64 << 10;

/// The machine's CPU device with the settings of the environment.
pub(crate) fn host() -> Result<Device> {
    device(threads(crate::environment::variable(VARIABLE).as_deref())?, "cpu:0".to_owned())
}

/// A CPU device that checks what it runs, and that no selector finds.
pub(crate) fn checked_of_its_own() -> Result<Device> {
    checked(format!("cpu:check of its own, number {}", next_number()))
}

/// A CPU device that checks what it runs. It has one worker: what it finds is the same every time.
pub(crate) fn checked(selector: String) -> Result<Device> {
    // What makes the ordinary device unusable is an error here, too.
    threads(crate::environment::variable(VARIABLE).as_deref())?;
    let mut info = info(1, selector.clone())?;
    info.name = format!("{}, with checks", info.name);
    Ok(Device::new_checked(info, Box::new(pool::Pool::new(1, selector))))
}

/// A CPU device with a pool of its own, which no selector finds.
pub(crate) fn partition(threads: usize) -> Result<Device> {
    let limit = max_threads(cores());
    if !(1..=limit).contains(&threads) {
        return Err(Error::InvalidThreadCount { asked: threads, limit });
    }
    device(threads, format!("cpu partition {} with {threads} workers", next_number()))
}

/// Tells devices apart that no selector finds: an error may name two of them.
fn next_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number of workers: what the variable says, or one for each core that the process may use. More than that would
/// take turns, and a loop over a group would wait for a worker that does not run.
fn threads(variable: Option<&str>) -> Result<usize> {
    let most = cores().min(MAX_THREADS);
    let Some(value) = variable.map(str::trim).filter(|value| !value.is_empty()) else {
        return Ok(most);
    };
    value.parse().ok().filter(|threads| (1..=most).contains(threads)).ok_or_else(|| Error::InvalidEnvironment {
        variable: VARIABLE,
        value: value.to_owned(),
        expected: format!("a number of threads from 1 to {most}, the cores that this process may use"),
    })
}

/// The cores that the process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The most workers of a partition: each core has its share of them.
fn max_threads(cores: usize) -> usize {
    cores.saturating_mul(4).clamp(FEW_THREADS, MAX_THREADS)
}

fn device(threads: usize, selector: String) -> Result<Device> {
    Ok(Device::new(info(threads, selector.clone())?, Box::new(pool::Pool::new(threads, selector))))
}

fn info(threads: usize, selector: String) -> Result<DeviceInfo> {
    let instruction_sets = Isa::available();
    let isa = Isa::from_env(&instruction_sets)?;
    let memory = machine::memory_bytes();
    Ok(DeviceInfo {
        name: machine::processor_name(),
        backend: "cpu",
        driver_version: concat!("syclone ", env!("CARGO_PKG_VERSION")).to_owned(),
        selector,
        compute_units: threads,
        max_work_group_size: MAX_WORK_GROUP_SIZE,
        max_work_item_sizes: [MAX_WORK_GROUP_SIZE; 3],
        local_memory_bytes: LOCAL_MEMORY_BYTES,
        global_memory_bytes: memory,
        max_allocation: memory,
        sub_group_sizes: vec![1, 4, 8, 16, 32],
        default_sub_group_size: 16,
        instruction_sets,
        isa,
        aspects: [
            Aspect::Cpu,
            Aspect::HostDebuggable,
            Aspect::Fp16,
            Aspect::Fp64,
            Aspect::Atomic64,
            Aspect::QueueProfiling,
            Aspect::UsmDeviceAllocations,
            Aspect::UsmHostAllocations,
            Aspect::UsmSharedAllocations,
            Aspect::UsmSystemAllocations,
        ]
        .into_iter()
        .collect(),
    })
}
