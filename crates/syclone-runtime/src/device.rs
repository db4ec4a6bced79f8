//! Devices: what exists on this machine, what each can do, and how one is chosen.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::backends::{Backend, cpu, dry_run};
use crate::check::Checks;
use crate::memory::{MemoryAccount, MemoryStats};
use crate::selector::{BACKENDS, Selector};
use crate::{Aspect, Aspects, Error, Isa, Result};

/// The variable that names the default device.
const VARIABLE: &str = "SYCLONE_DEVICE";

/// A device: something that runs commands.
///
/// A handle; clones are the same device, and two devices are equal when they are the same one. The CPU
/// device always exists. Worker threads start with the first [`crate::Queue`], not before.
///
/// ```
/// use syclone_runtime::Device;
///
/// let device = Device::select("cpu")?;
/// assert_eq!(device, Device::all()[0]);
/// println!("{}: {} compute units", device.info().name, device.info().compute_units);
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<DeviceInner>);

struct DeviceInner {
    info: DeviceInfo,
    backend: Box<dyn Backend>,
    memory: Arc<MemoryAccount>,
    /// What a checked device has found.
    checks: Option<Checks>,
}

/// What a device is and can do. Limits that the runtime enforces name this device in their errors.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The hardware's own name.
    pub name: String,
    /// The back end: `cpu`.
    pub backend: &'static str,
    /// The version of the back end's driver.
    pub driver_version: String,
    /// The string that [`Device::select`] takes for this device.
    pub selector: String,
    /// Work-groups that can run at once: the CPU device's worker threads.
    pub compute_units: usize,
    /// The most work-items in a group.
    pub max_work_group_size: usize,
    /// The most work-items in a group in each dimension.
    pub max_work_item_sizes: [usize; 3],
    /// Local memory of one work-group, in bytes.
    pub local_memory_bytes: usize,
    /// Memory for all allocations together, in bytes.
    pub global_memory_bytes: usize,
    /// The largest single allocation, in bytes.
    pub max_allocation: usize,
    /// The sub-group sizes that a launch may ask for, ascending.
    pub sub_group_sizes: Vec<usize>,
    /// The sub-group size of a launch that asks for none.
    pub default_sub_group_size: usize,
    /// The instruction sets that the processor has, the plainest first.
    pub instruction_sets: Vec<Isa>,
    /// The instruction set that kernels use.
    pub isa: Isa,
    /// Optional features.
    pub aspects: Aspects,
}

/// A back end that can't be used here, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnavailableBackend {
    /// The back end's name in selectors.
    pub backend: &'static str,
    /// The reason, in one line.
    pub reason: String,
}

impl Device {
    /// Every device of this machine, the CPU first, then its checked form, and the dry-run devices that were asked for.
    ///
    /// A device whose settings are unusable (for example `SYCLONE_CPU_THREADS=none`) is left out;
    /// [`Device::unavailable_backends`] says why, and selecting it gives the error.
    pub fn all() -> Vec<Device> {
        host_cpu().iter().chain(checked_cpu()).cloned().chain(dry_run::devices()).collect()
    }

    /// Back ends that this machine or this build lacks, with the reason.
    pub fn unavailable_backends() -> Vec<UnavailableBackend> {
        let broken = host_cpu()
            .as_ref()
            .err()
            .map(|error| UnavailableBackend { backend: "cpu", reason: one_line(error.clone()) });
        let absent = BACKENDS
            .iter()
            .filter(|&&name| !matches!(name, "cpu" | "dry"))
            .map(|&backend| UnavailableBackend { backend, reason: "not part of this version of syclone".to_owned() });
        let dry = dry_run::file_error().map(one_line).or_else(|| {
            let missing = || "no device was asked for: SYCLONE_DRY_RUN may name a file of them".to_owned();
            dry_run::devices().is_empty().then(missing)
        });
        let dry = dry.map(|reason| UnavailableBackend { backend: "dry", reason });
        broken.into_iter().chain(absent).chain(dry).collect()
    }

    /// An error if a variable that describes devices can't be used: the CPU device's, or the file that `SYCLONE_DRY_RUN`
    /// names. Without this the devices are only missing, and a program that chooses another one never hears of it.
    pub fn check_settings() -> Result<()> {
        host_cpu().as_ref().map_err(Error::clone)?;
        dry_run::file_error().map_or(Ok(()), Err)
    }

    /// The device that a program gets which does not choose: [`Device::from_env`].
    pub fn default_device() -> Result<Device> {
        Device::from_env()
    }

    /// The device that `SYCLONE_DEVICE` selects, or the CPU when the variable is unset or empty.
    pub fn from_env() -> Result<Device> {
        Device::select(crate::environment::variable(VARIABLE).as_deref().unwrap_or("cpu"))
    }

    /// The first device that `selector` matches: `cpu`, `cpu:0`, `cpu:check`, `opencl:*`, `*`, ….
    pub fn select(selector: &str) -> Result<Device> {
        let available = || Device::all().iter().map(|device| device.info().selector.clone()).collect();
        let Some(parsed) = Selector::parse(selector) else {
            let (selector, backends) = (selector.to_owned(), BACKENDS);
            return Err(Error::InvalidSelector { selector, available: available(), backends });
        };
        if parsed.is_checked() {
            return checked_cpu().clone();
        }
        if parsed.matches("cpu", 0) {
            return host_cpu().clone();
        }
        let dry = dry_run::devices().into_iter().enumerate().find(|&(index, _)| parsed.matches("dry", index));
        if let Some((_, device)) = dry {
            return Ok(device);
        }
        if parsed.names("dry")
            && let Some(error) = dry_run::file_error()
        {
            return Err(error);
        }
        Err(Error::NoDevice { selector: selector.to_owned(), available: available() })
    }

    /// A separate CPU device with its own pool of `threads` workers.
    ///
    /// It is equal to no other device and no selector finds it. Useful to split a machine, and to test
    /// programs for several devices on a machine that has one. It is the one way to have more workers than cores, which
    /// then take turns: up to four for each core, and at least 16.
    pub fn cpu_with_threads(threads: usize) -> Result<Device> {
        cpu::partition(threads)
    }

    /// A CPU device of its own that checks what it runs, as `cpu:check` does.
    ///
    /// It is equal to no other device and no selector finds it: nobody else's mistakes are among its reports.
    pub fn cpu_checked() -> Result<Device> {
        cpu::checked_of_its_own()
    }

    /// What the device is and can do.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// Whether the device has `aspect`.
    pub fn has(&self, aspect: Aspect) -> bool {
        self.info().aspects.contains(aspect)
    }

    /// An error that names device and aspect, unless the device has it.
    pub fn require(&self, aspect: Aspect) -> Result<()> {
        if self.has(aspect) {
            return Ok(());
        }
        Err(Error::AspectMissing { device: self.info().selector.clone(), aspect })
    }

    /// How much memory the device's allocations hold now, and held at most.
    pub fn memory_stats(&self) -> MemoryStats {
        self.0.memory.stats()
    }

    /// Puts a device together; back ends call it.
    pub(crate) fn new(info: DeviceInfo, backend: Box<dyn Backend>) -> Device {
        Device(Arc::new(DeviceInner { info, backend, memory: Arc::default(), checks: None }))
    }

    /// Puts a device together that checks what it runs.
    pub(crate) fn new_checked(info: DeviceInfo, backend: Box<dyn Backend>) -> Device {
        let checks = Some(Checks::default());
        Device(Arc::new(DeviceInner { info, backend, memory: Arc::default(), checks }))
    }

    pub(crate) fn checks(&self) -> Option<&Checks> {
        self.0.checks.as_ref()
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    pub(crate) fn memory(&self) -> &Arc<MemoryAccount> {
        &self.0.memory
    }
}

fn one_line(error: Error) -> String {
    error.to_string().replace('\n', "; ")
}

/// The machine's CPU device, made on first use; its settings come from the environment at that moment.
fn host_cpu() -> &'static Result<Device> {
    static CPU: OnceLock<Result<Device>> = OnceLock::new();
    CPU.get_or_init(cpu::host)
}

/// The CPU device with checks, made on first use.
fn checked_cpu() -> &'static Result<Device> {
    static CHECKED: OnceLock<Result<Device>> = OnceLock::new();
    CHECKED.get_or_init(|| cpu::checked("cpu:check".to_owned()))
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}, {})", self.0.info.selector, self.0.info.name)
    }
}
