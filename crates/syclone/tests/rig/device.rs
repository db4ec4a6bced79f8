//! The device that tests run on.

use syclone::prelude::*;

/// The device that `SYCLONE_DEVICE` selects, which is the CPU device if it says nothing. For `cpu:check` each call gives a
/// checked device of its own, so that nobody else's mistakes are among its reports.
pub fn device() -> Device {
    let device = Device::from_env().expect("the variable selects a device");
    if device.is_checked() { Device::cpu_checked().expect("every machine has the CPU device") } else { device }
}

/// Panics with the reports of mistakes that a checked device has made since it was last asked. On other devices, nothing.
#[allow(dead_code, reason = "some test binaries make mistakes on purpose")]
#[track_caller]
pub fn expect_no_reports(device: &Device) {
    if device.is_checked() {
        syclone::assert_clean!(device);
    }
}
