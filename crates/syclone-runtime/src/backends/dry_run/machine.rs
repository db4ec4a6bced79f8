//! What the device claims to be.

use super::fault::{Fault, Plan};
use super::pool::{Pool, Settings, Shared};
use super::{DryRun, registry};
use crate::environment::printable;
use crate::{Aspect, Aspects, Device, DeviceInfo, Error, Isa, Result};

/// Far more compute units than any device has, and few enough that launches can be divided among them.
const MOST_COMPUTE_UNITS: usize = 1 << 16;

/// The largest sub-group of kernels that run: the CPU device's.
const MOST_RUN_TOGETHER: usize = 32;

/// The most local memory of kernels that run: each worker has as much at once. No hardware comes near it.
const MOST_LOCAL_MEMORY: usize = 1 << 30;

/// What a dry-run device is like.
///
/// ```
/// use syclone_runtime::{Aspect, Device, DryRunOptions, Error, MemoryObject};
///
/// let small = DryRunOptions::new("small card").aspects([Aspect::Gpu]).memory(1 << 20, 1 << 16);
/// let dry = small.build()?;
/// assert!(dry.device().has(Aspect::Gpu) && !dry.device().has(Aspect::Fp64));
/// assert!(matches!(MemoryObject::allocate(dry.device(), 1 << 17), Err(Error::AllocationTooLarge { .. })));
/// // A registered device is found like any other.
/// let first = DryRunOptions::new("first card").register()?;
/// assert_eq!(Device::select(&first.device().info().selector)?, *first.device());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "these are options; `build` or `register` makes the device"]
pub struct DryRunOptions {
    pub(super) name: String,
    pub(super) compute_units: usize,
    pub(super) max_work_group_size: usize,
    pub(super) max_work_item_sizes: [usize; 3],
    pub(super) local_memory_bytes: usize,
    pub(super) global_memory_bytes: usize,
    pub(super) max_allocation: usize,
    pub(super) sub_group_sizes: Vec<usize>,
    pub(super) default_sub_group_size: usize,
    pub(super) aspects: Aspects,
    pub(super) seed: u64,
    pub(super) run_kernels: bool,
    pub(super) stepped: bool,
    pub(super) faults: Vec<Fault>,
}

impl DryRunOptions {
    /// A device with the given name, four compute units, 1 GiB of memory, the limits of a common GPU, and every aspect that
    /// says what a device can do. Its threads take the turns, and nothing fails.
    pub fn new(name: impl Into<String>) -> DryRunOptions {
        DryRunOptions {
            name: name.into(),
            compute_units: 4,
            max_work_group_size: 1024,
            max_work_item_sizes: [1024, 1024, 64],
            local_memory_bytes: 64 << 10,
            global_memory_bytes: 1 << 30,
            max_allocation: 1 << 30,
            sub_group_sizes: vec![1, 4, 8, 16, 32],
            default_sub_group_size: 16,
            aspects: Aspect::ALL
                .iter()
                .copied()
                .filter(|aspect| !matches!(aspect, Aspect::Cpu | Aspect::Gpu | Aspect::HostDebuggable))
                .collect(),
            seed: 0,
            run_kernels: false,
            stepped: false,
            faults: Vec::new(),
        }
    }

    /// How many work-groups it runs at once: of commands, at most as many, and at most eight.
    pub fn compute_units(mut self, units: usize) -> DryRunOptions {
        self.compute_units = units;
        self
    }

    /// The most items of a group, in all and in each dimension.
    pub fn work_groups(mut self, size: usize, sizes: [usize; 3]) -> DryRunOptions {
        (self.max_work_group_size, self.max_work_item_sizes) = (size, sizes);
        self
    }

    /// Local memory of a group, in bytes. A device that runs kernels has at most 1 GiB.
    pub fn local_memory(mut self, bytes: usize) -> DryRunOptions {
        self.local_memory_bytes = bytes;
        self
    }

    /// Memory for all allocations together, and for the largest one, in bytes.
    pub fn memory(mut self, bytes: usize, largest: usize) -> DryRunOptions {
        (self.global_memory_bytes, self.max_allocation) = (bytes, largest);
        self
    }

    /// The sub-group sizes that a launch may ask for, and the one of a launch that asks for none. A device that runs kernels has
    /// sizes of at most 32, as the CPU device.
    pub fn sub_groups(mut self, sizes: impl IntoIterator<Item = usize>, default: usize) -> DryRunOptions {
        self.sub_group_sizes = sizes.into_iter().collect();
        self.sub_group_sizes.sort_unstable();
        self.sub_group_sizes.dedup();
        self.default_sub_group_size = default;
        self
    }

    /// Exactly these aspects.
    pub fn aspects(mut self, aspects: impl IntoIterator<Item = Aspect>) -> DryRunOptions {
        self.aspects = aspects.into_iter().collect();
        self
    }

    /// Decides the order of turns, and which faults with a probability happen.
    pub fn seed(mut self, seed: u64) -> DryRunOptions {
        self.seed = seed;
        self
    }

    /// Kernels run, chunk by chunk, as on a CPU.
    pub fn run_kernels(mut self) -> DryRunOptions {
        self.run_kernels = true;
        self
    }

    /// Nothing happens by itself: turns are taken by [`DryRun::step`] alone. On one thread, a program is then repeated
    /// exactly; a wait for a command that nobody steps does not end.
    pub fn stepped(mut self) -> DryRunOptions {
        self.stepped = true;
        self
    }

    /// Something that goes wrong.
    pub fn fault(mut self, fault: Fault) -> DryRunOptions {
        self.faults.push(fault);
        self
    }

    /// Makes the device; no selector finds it.
    ///
    /// # Errors
    /// [`Error::InvalidDryRun`] for limits that contradict each other, and faults that can't happen.
    pub fn build(self) -> Result<DryRun> {
        let selector = format!("dry-run device '{}'", printable(&self.name));
        self.with_selector(selector)
    }

    /// Makes the device and gives it the next selector: `dry:0`, `dry:1`, …. It exists until the process ends.
    ///
    /// # Errors
    /// As [`DryRunOptions::build`].
    pub fn register(self) -> Result<DryRun> {
        registry::add(self)
    }

    pub(super) fn with_selector(self, selector: String) -> Result<DryRun> {
        if let Some(Problem { text, .. }) = self.problem() {
            return Err(Error::InvalidDryRun { place: format!("device '{}'", self.name), problem: text });
        }
        let info = DeviceInfo {
            name: printable(&self.name),
            backend: "dry",
            driver_version: concat!("syclone ", env!("CARGO_PKG_VERSION")).to_owned(),
            selector: selector.clone(),
            compute_units: self.compute_units,
            max_work_group_size: self.max_work_group_size,
            max_work_item_sizes: self.max_work_item_sizes,
            local_memory_bytes: self.local_memory_bytes,
            global_memory_bytes: self.global_memory_bytes,
            max_allocation: self.max_allocation,
            sub_group_sizes: self.sub_group_sizes,
            default_sub_group_size: self.default_sub_group_size,
            instruction_sets: vec![Isa::Baseline],
            isa: Isa::Baseline,
            aspects: self.aspects,
        };
        let settings = Settings {
            selector,
            run_kernels: self.run_kernels,
            stepped: self.stepped,
            // Nobody uses it where no kernel runs.
            local_memory_bytes: if self.run_kernels { self.local_memory_bytes } else { 0 },
            compute_units: self.compute_units,
            seed: self.seed,
        };
        let shared = Shared::new(settings, Plan::new(self.faults, self.seed));
        Ok(DryRun::new(Device::new(info, Box::new(Pool(shared.clone()))), shared))
    }

    /// What makes the device impossible, if anything does.
    pub(super) fn problem(&self) -> Option<Problem> {
        let problem = |options, text| Some(Problem { options, text });
        let positive: [(&'static [&'static str], usize); 3] = [
            (&["compute_units"], self.compute_units),
            (&["max_work_group_size"], self.max_work_group_size),
            (&["max_work_item_sizes"], self.max_work_item_sizes.into_iter().min().unwrap_or(0)),
        ];
        if let Some(&(what, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return problem(what, format!("{} is 0: it must be at least 1", what[0]));
        }
        if self.compute_units > MOST_COMPUTE_UNITS {
            let text = format!("compute_units is {}: it must be at most {MOST_COMPUTE_UNITS}", self.compute_units);
            return problem(&["compute_units"], text);
        }
        if self.run_kernels && self.local_memory_bytes > MOST_LOCAL_MEMORY {
            let asked = self.local_memory_bytes;
            let text =
                format!("local_memory_bytes is {asked}: a device that runs kernels has at most {MOST_LOCAL_MEMORY}");
            return problem(&["local_memory_bytes"], text);
        }
        if self.max_allocation > self.global_memory_bytes {
            let (largest, all) = (self.max_allocation, self.global_memory_bytes);
            let text = format!("an allocation of {largest} bytes does not fit a memory of {all}");
            return problem(&["max_allocation"], text);
        }
        // Any hardware's size will do for kernels that do not run.
        let most = if self.run_kernels { MOST_RUN_TOGETHER } else { usize::MAX };
        if let Some(size) = self.sub_group_sizes.iter().find(|&&size| size == 0 || size > most) {
            let why = if *size == 0 { "must have items" } else { "of a device that runs kernels have at most 32" };
            return problem(&["sub_group_sizes"], format!("a sub-group size of {size}: sub-groups {why}"));
        }
        if !self.sub_group_sizes.contains(&self.default_sub_group_size) {
            let (default, sizes) = (self.default_sub_group_size, &self.sub_group_sizes);
            let text = format!("the default sub-group size {default} is none of {sizes:?}");
            return problem(&["default_sub_group_size", "sub_group_sizes"], text);
        }
        self.faults.iter().find_map(Fault::problem).map(|text| Problem { options: &["faults"], text })
    }
}

/// What makes a device impossible.
pub(super) struct Problem {
    /// The options that it comes from, by their names in a file; of those that are given there the first is to blame.
    pub(super) options: &'static [&'static str],
    pub(super) text: String,
}
