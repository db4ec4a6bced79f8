//! Finding devices, their limits, and the checks of a launch against them.

use syclone_runtime::check::{Report, ReportKind};
use syclone_runtime::{Aspect, Device, Error, Name};

const KERNEL: Name = Name::Borrowed("k");

#[test]
fn the_cpu_is_always_there_and_selected_by_the_string_that_it_names() {
    let all = Device::all();
    let cpu = &all[0];
    let info = cpu.info();
    assert_eq!((info.backend, info.selector.as_str()), ("cpu", "cpu:0"));
    for selector in ["cpu", "cpu:0", "cpu:*", "*", &info.selector] {
        assert_eq!(&Device::select(selector).unwrap(), cpu);
    }
    assert!(info.compute_units >= 1 && !info.name.is_empty());
    assert!(info.global_memory_bytes > 1 << 20 && info.max_allocation <= info.global_memory_bytes);
    assert!(info.instruction_sets.contains(&info.isa));
    assert!(info.sub_group_sizes.contains(&info.default_sub_group_size));
}

#[test]
fn a_selector_that_matches_nothing_lists_what_exists() {
    for selector in ["cuda:0", "opencl:*", "cpu:1"] {
        let expected = Error::NoDevice {
            selector: selector.to_owned(),
            available: vec!["cpu:0".to_owned(), "cpu:check".to_owned()],
        };
        assert_eq!(Device::select(selector).unwrap_err(), expected);
    }
    assert!(matches!(Device::select("gpu0"), Err(Error::InvalidSelector { .. })));
}

#[test]
fn the_checked_device_is_found_by_its_name_alone_and_takes_reports() {
    let checked = Device::select("CPU:check").unwrap();
    assert_eq!(Device::all().last(), Some(&checked));
    assert!(checked.is_checked() && checked.info().compute_units == 1);
    assert_eq!(checked.info().selector, "cpu:check");
    let cpu = Device::select("*").unwrap();
    assert!(!cpu.is_checked() && cpu != checked);
    assert!(cpu.take_reports().is_empty());
    let own = Device::cpu_checked().unwrap();
    assert!(own.is_checked() && own != checked);
    own.print_reports(false);
    let report = Report::new(ReportKind::Overflow, "k", "1 + 1 does not fit");
    own.add_report(report.clone());
    assert!(checked.take_reports().is_empty());
    assert_eq!(own.take_reports(), [report]);
    assert!(own.take_reports().is_empty());
}

#[test]
fn every_absent_back_end_gives_a_reason_in_one_line() {
    let absent = Device::unavailable_backends();
    assert!(absent.iter().any(|entry| entry.backend == "opencl"));
    assert!(absent.iter().all(|entry| !entry.reason.is_empty() && !entry.reason.contains('\n')));
}

#[test]
fn a_missing_aspect_is_an_error_that_names_device_and_aspect() {
    let device = Device::default_device().unwrap();
    assert!(device.has(Aspect::Fp64) && device.require(Aspect::Cpu).is_ok());
    let error = device.require(Aspect::Gpu).unwrap_err();
    assert_eq!(error, Error::AspectMissing { device: "cpu:0".into(), aspect: Aspect::Gpu });
    assert!(error.to_string().starts_with("cpu:0 has no gpu\n"));
}

#[test]
fn thread_counts_that_no_device_can_have_are_refused() {
    for asked in [0, 1025, usize::MAX] {
        assert_eq!(
            Device::cpu_with_threads(asked).unwrap_err(),
            Error::InvalidThreadCount { asked, limit: most_threads() }
        );
    }
    assert_eq!(Device::cpu_with_threads(3).unwrap().info().compute_units, 3);
}

#[test]
fn nd_ranges_are_checked_dimension_by_dimension() {
    let device = Device::default_device().unwrap();
    let check = |global: &[usize], local: &[usize]| device.check_nd_range(&KERNEL, global, local);
    assert_eq!(check(&[1024, 64], &[16, 16]), Ok(()));
    assert_eq!(check(&[0, 64], &[16, 16]), Ok(()));
    assert_eq!(check(&[64, 0], &[16, 0]), Err(Error::WorkGroupSizeZero { kernel: KERNEL, dimension: 1 }));
    let uneven = Error::WorkGroupDoesNotDivide { kernel: KERNEL, dimension: 1, global: 65, local: 16 };
    assert_eq!(check(&[64, 65], &[16, 16]), Err(uneven));
    let too_large = |dimension, asked| Error::WorkGroupTooLarge {
        kernel: KERNEL,
        device: "cpu:0".into(),
        dimension,
        asked,
        limit: 4096,
    };
    assert_eq!(check(&[8192], &[8192]), Err(too_large(Some(0), 8192)));
    assert_eq!(check(&[128, 128], &[128, 64]), Err(too_large(None, 8192)));
    assert_eq!(check(&[4096; 3], &[4096; 3]), Err(too_large(None, 4096usize.pow(3))));
}

#[test]
fn local_memory_and_sub_group_sizes_over_the_limit_say_what_is_allowed() {
    let device = Device::default_device().unwrap();
    let limit = device.info().local_memory_bytes;
    assert_eq!(device.check_local_memory(&KERNEL, limit, None), Ok(()));
    let error = device.check_local_memory(&KERNEL, limit + 1, Some(64)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("{} bytes", limit + 1)) && text.contains("largest tile that fits is 64"), "{text}");
    for size in [1, 4, 8, 16, 32] {
        assert_eq!(device.check_sub_group_size(&KERNEL, size), Ok(()));
    }
    let error = device.check_sub_group_size(&KERNEL, 7).unwrap_err();
    assert!(error.to_string().contains("choose one of [1, 4, 8, 16, 32]"), "{error}");
}

fn cores() -> usize {
    std::thread::available_parallelism().unwrap().get()
}

/// Four for each core; sixteen on smaller machines.
fn most_threads() -> usize {
    (4 * cores()).clamp(16, 1024)
}

/// Runs a test of this file in a process of its own, with one variable set.
fn in_child(test: &str, variable: &str, value: impl AsRef<std::ffi::OsStr>) {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env(variable, value)
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && stdout.contains("1 passed"), "{stdout}");
}

#[test]
fn the_environment_sets_threads_instruction_set_and_default_device() {
    in_child("child_has_one_thread", "SYCLONE_CPU_THREADS", "1");
    in_child("child_uses_the_baseline", "SYCLONE_CPU_ISA", "baseline");
    in_child("child_default_is_absent", "SYCLONE_DEVICE", "cuda:1");
    for variable in ["SYCLONE_CPU_THREADS", "SYCLONE_CPU_ISA", "SYCLONE_DEVICE"] {
        for empty in ["", "  "] {
            in_child("child_has_the_defaults", variable, empty);
        }
    }
    #[cfg(unix)]
    for variable in ["SYCLONE_CPU_THREADS", "SYCLONE_CPU_ISA", "SYCLONE_DEVICE"] {
        use std::os::unix::ffi::OsStrExt;
        in_child("child_setting_is_no_text", variable, std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    }
    let one_more = (cores() + 1).to_string();
    for value in ["0", "many", "-2", &one_more, "1025", "1000000", "99999999999999999999999"] {
        in_child("child_threads_are_invalid", "SYCLONE_CPU_THREADS", value);
    }
}

#[test]
#[ignore = "run by the_environment_sets_threads_instruction_set_and_default_device"]
fn child_has_one_thread() {
    assert_eq!(Device::default_device().unwrap().info().compute_units, 1);
}

#[test]
#[ignore = "run by the_environment_sets_threads_instruction_set_and_default_device"]
fn child_has_the_defaults() {
    let device = Device::default_device().unwrap();
    let info = device.info();
    assert_eq!((info.selector.as_str(), info.compute_units), ("cpu:0", cores().min(1024)));
    assert_eq!(Some(&info.isa), info.instruction_sets.last());
}

#[test]
#[ignore = "run by the_environment_sets_threads_instruction_set_and_default_device"]
fn child_setting_is_no_text() {
    let text = Device::default_device().unwrap_err().to_string();
    assert!(text.contains('\u{fffd}'), "{text}");
}

#[test]
#[ignore = "run by the_environment_sets_threads_instruction_set_and_default_device"]
fn child_uses_the_baseline() {
    assert_eq!(Device::default_device().unwrap().info().isa, syclone_runtime::Isa::Baseline);
}

#[test]
#[ignore = "run by the_environment_sets_threads_instruction_set_and_default_device"]
fn child_default_is_absent() {
    let expected = Error::NoDevice { selector: "cuda:1".into(), available: vec!["cpu:0".into(), "cpu:check".into()] };
    assert_eq!(Device::default_device().unwrap_err(), expected);
}

#[test]
#[ignore = "run by the_environment_sets_threads_instruction_set_and_default_device"]
fn child_threads_are_invalid() {
    let value = std::env::var("SYCLONE_CPU_THREADS").unwrap();
    let expected = Error::InvalidEnvironment {
        variable: "SYCLONE_CPU_THREADS",
        value,
        expected: format!("a number of threads from 1 to {}, the cores that this process may use", cores().min(1024)),
    };
    assert_eq!(Device::select("cpu").unwrap_err(), expected);
    assert!(Device::all().is_empty());
    assert!(Device::unavailable_backends()[0].reason.contains("SYCLONE_CPU_THREADS"));
}

#[test]
fn devices_that_no_selector_finds_have_names_that_tell_them_apart_in_an_error() {
    let [first, second] = [3, 3].map(|threads| Device::cpu_with_threads(threads).unwrap());
    let [one, other] = [(); 2].map(|()| Device::cpu_checked().unwrap());
    let names: std::collections::BTreeSet<String> =
        [first, second, one, other].iter().map(|device| device.info().selector.clone()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}
