//! On which devices the tests run: every one of this machine that executes kernels.

use syclone::prelude::*;

/// The variable that lists, with commas, the devices without which the run is a failure.
pub const REQUIRE: &str = "SYCLONE_REQUIRE";

/// The devices of this machine that execute kernels.
pub fn all() -> Vec<Device> {
    Device::all().into_iter().filter(|device| device.info().backend != "dry").collect()
}

/// What selects the device.
pub fn selector(device: &Device) -> &str {
    &device.info().selector
}

/// The devices that [`REQUIRE`] names and that are not among `found`.
pub fn missing(required: &str, found: &[Device]) -> Vec<String> {
    let names = required.split(',').map(str::trim).filter(|name| !name.is_empty());
    let is_found = |name: &str| {
        found.iter().any(|device| {
            let all = selector(device);
            // `cpu` is any device of the back end, `cuda:1` is one.
            all == name || all.split(':').next() == Some(name)
        })
    };
    names.filter(|name| !is_found(name)).map(str::to_owned).collect()
}
