//! Where a benchmark runs: the chosen device, and the same number of native threads beside it.

use std::num::NonZero;

use syclone::{Device, Queue, QueueOptions};

use super::peak::Peaks;
use super::report::DeviceFacts;
use crate::failure::Failure;
use crate::host::team::Team;

/// The device.
pub struct Target {
    /// What reports say about it.
    pub facts: DeviceFacts,
    /// The device itself.
    pub device: Device,
    /// As many native threads as the device has workers, or as there are cores if those are fewer.
    pub team: Team,
}

impl Target {
    /// The device that `selector` names, or the default one. A setting that can't be used is an error also where this device
    /// doesn't need it.
    pub fn select(selector: Option<&str>) -> Result<Self, Failure> {
        Device::check_settings()?;
        let device = match selector {
            Some(selector) => Device::select(selector)?,
            None => Device::from_env()?,
        };
        let info = device.info();
        Ok(Target {
            facts: DeviceFacts {
                name: info.name.clone(),
                backend: info.backend.to_owned(),
                selector: info.selector.clone(),
                driver: info.driver_version.clone(),
                compute_units: info.compute_units,
                local_memory_bytes: info.local_memory_bytes,
                peak_gflops: None,
                peak_gbs: None,
                peak_reason: None,
            },
            team: Team::new(native_threads(info.compute_units))?,
            device,
        })
    }

    /// A queue of the device. What fails is in the report of the version that met it, and not on standard error as well when
    /// the queue goes.
    pub fn queue(&self, options: QueueOptions) -> Result<Queue, Failure> {
        Ok(options.on_error(|_| ()).build(&self.device)?)
    }

    /// Notes the measured peaks, or the better ones when they were measured before.
    pub fn note_peaks(&mut self, peaks: Result<Peaks, Failure>) {
        match peaks {
            Ok(Peaks { gflops, gbs }) => {
                self.facts.peak_gflops = better(self.facts.peak_gflops, gflops);
                self.facts.peak_gbs = better(self.facts.peak_gbs, gbs);
            }
            Err(failure) => self.facts.peak_reason = Some(failure.to_string()),
        }
    }
}

/// How many native threads stand beside a device: a dry-run device has as many compute units as it says, whatever the machine
/// has.
pub(super) fn native_threads(compute_units: usize) -> usize {
    compute_units.min(std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// The higher rate. One of zero means that the clock did not move, which is no ceiling.
fn better(earlier: Option<f64>, now: f64) -> Option<f64> {
    Some(earlier.map_or(now, |earlier| earlier.max(now))).filter(|rate| *rate > 0.0)
}
