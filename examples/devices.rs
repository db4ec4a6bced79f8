//! Devices: what there is, what it can do, and how a program chooses.

use syclone::prelude::*;

fn main() -> Result<()> {
    for device in Device::all() {
        let info = device.info();
        println!("{} is {} ({} compute units)", info.selector, info.name, info.compute_units);
        println!(
            "  local memory {} KiB, groups of up to {} items",
            info.local_memory_bytes >> 10,
            info.max_work_group_size
        );
        println!("  sub-groups of {:?}, {} unless told otherwise", info.sub_group_sizes, info.default_sub_group_size);
        let aspects: Vec<&str> = info.aspects.iter().map(Aspect::name).collect();
        println!("  {}", aspects.join(", "));
    }
    for missing in Device::unavailable_backends() {
        println!("no {}: {}", missing.backend, missing.reason);
    }

    // By name, by what SYCLONE_DEVICE says, by what it can do, or a part of the machine.
    let by_name = Device::select("cpu:0")?;
    let by_user = Device::from_env()?;
    let able = Device::all().into_iter().find(|device| device.has(Aspect::Fp64)).expect("the CPU device has it");
    let two_threads = Device::cpu_with_threads(2)?;
    assert_eq!(by_name, able);
    assert_eq!(two_threads.info().compute_units, 2);
    println!("chosen: {}", by_user.info().selector);

    // A device that is not there is an error that lists those that are.
    if let Err(error) = Device::select("cuda:7") {
        println!("{error}");
    }
    Ok(())
}
