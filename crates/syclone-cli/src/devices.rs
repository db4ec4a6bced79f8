//! `syclone devices`: what there is to run on, in the words that `--device` and `SYCLONE_DEVICE` take.

use std::fmt::Write;

use serde::Serialize;
use syclone::abi::ways::check_environment;
use syclone::{Device, DeviceInfo};

use crate::args::DevicesArgs;
use crate::bench::bytes_text;
use crate::console;
use crate::failure::Failure;

/// The JSON document.
#[derive(Debug, Serialize)]
struct Listing {
    /// The selector of the device that is used when none is named; null when that setting is unusable.
    default: Option<String>,
    devices: Vec<Entry>,
    unavailable: Vec<Unavailable>,
}

#[derive(Debug, Serialize)]
struct Entry {
    selector: String,
    name: String,
    backend: &'static str,
    driver: String,
    compute_units: usize,
    limits: Limits,
    sub_group_sizes: Vec<usize>,
    default_sub_group_size: usize,
    instruction_set: String,
    instruction_sets: Vec<String>,
    aspects: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Limits {
    max_work_group_size: usize,
    max_work_item_sizes: [usize; 3],
    local_memory_bytes: usize,
    global_memory_bytes: usize,
    max_allocation_bytes: usize,
}

#[derive(Debug, Serialize)]
struct Unavailable {
    backend: &'static str,
    reason: String,
}

/// Lists the devices; an unusable `SYCLONE_…` variable is an error after the list, which shows what would work.
pub fn run(arguments: &DevicesArgs) -> Result<(), Failure> {
    let default = Device::from_env();
    let listing = Listing {
        default: default.as_ref().ok().map(|device| device.info().selector.clone()),
        devices: Device::all().iter().map(|device| entry(device.info())).collect(),
        unavailable: Device::unavailable_backends()
            .into_iter()
            .map(|missing| Unavailable { backend: missing.backend, reason: missing.reason })
            .collect(),
    };
    if arguments.json {
        let document = serde_json::to_string_pretty(&listing)
            .map_err(|error| Failure::NotOk(format!("the devices cannot be written as JSON: {error}")))?;
        console::out(&format!("{document}\n"))?;
    } else {
        console::out(&text(&listing))?;
    }
    check_environment()?;
    Device::check_settings()?;
    default.map(drop).map_err(Failure::from)
}

fn entry(info: &DeviceInfo) -> Entry {
    Entry {
        selector: info.selector.clone(),
        name: info.name.clone(),
        backend: info.backend,
        driver: info.driver_version.clone(),
        compute_units: info.compute_units,
        limits: Limits {
            max_work_group_size: info.max_work_group_size,
            max_work_item_sizes: info.max_work_item_sizes,
            local_memory_bytes: info.local_memory_bytes,
            global_memory_bytes: info.global_memory_bytes,
            max_allocation_bytes: info.max_allocation,
        },
        sub_group_sizes: info.sub_group_sizes.clone(),
        default_sub_group_size: info.default_sub_group_size,
        instruction_set: info.isa.to_string(),
        instruction_sets: info.instruction_sets.iter().map(ToString::to_string).collect(),
        aspects: info.aspects.iter().map(|aspect| aspect.name()).collect(),
    }
}

fn text(listing: &Listing) -> String {
    let mut text = String::new();
    for device in &listing.devices {
        let mark = if listing.default.as_ref() == Some(&device.selector) { "  (default)" } else { "" };
        let limits = &device.limits;
        let [x, y, z] = limits.max_work_item_sizes;
        let lines = [
            ("back end", format!("{}, driver {}", device.backend, device.driver)),
            ("compute units", device.compute_units.to_string()),
            ("instructions", format!("{} (of {})", device.instruction_set, device.instruction_sets.join(", "))),
            ("work-group", format!("up to {} items, up to {x} × {y} × {z}", limits.max_work_group_size)),
            (
                "sub-groups",
                format!("{}; {} unless asked", numbers(&device.sub_group_sizes), device.default_sub_group_size),
            ),
            ("local memory", format!("{} a group", bytes_text(limits.local_memory_bytes as f64))),
            (
                "global memory",
                format!(
                    "{}, up to {} at once",
                    bytes_text(limits.global_memory_bytes as f64),
                    bytes_text(limits.max_allocation_bytes as f64)
                ),
            ),
            ("aspects", device.aspects.join(", ")),
        ];
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}  {}{mark}", device.selector, device.name);
        for (name, value) in lines {
            let _ = writeln!(text, "    {name:<14} {value}");
        }
    }
    if let Some(device) = listing.devices.first() {
        let _ = writeln!(text, "choose one with --device {0} or SYCLONE_DEVICE={0}", device.selector);
    }
    for missing in &listing.unavailable {
        let _ = writeln!(text, "no {}: {}", missing.backend, missing.reason);
    }
    text
}

fn numbers(values: &[usize]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
