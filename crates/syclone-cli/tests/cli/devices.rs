//! `syclone devices`: what it lists is what the other commands take.

use crate::common::{program, run, stderr, stdout};
use serde_json::Value;

fn listing() -> Value {
    serde_json::from_str(&stdout(&run("devices --json"))).expect("one JSON document")
}

#[test]
fn the_cpu_is_always_there_with_its_limits_and_aspects() {
    let listing = listing();
    let cpu = &listing["devices"][0];
    assert_eq!((&cpu["backend"], &listing["default"]), (&"cpu".into(), &"cpu:0".into()));
    assert!(!cpu["name"].as_str().unwrap().is_empty() && !cpu["driver"].as_str().unwrap().is_empty());
    assert!(cpu["compute_units"].as_u64().unwrap() >= 1);
    assert!(cpu["limits"]["max_work_group_size"].as_u64().unwrap() >= 1024);
    assert!(cpu["limits"]["local_memory_bytes"].as_u64().unwrap() >= 32768);
    assert!(cpu["aspects"].as_array().unwrap().contains(&"cpu".into()));
    assert!(cpu["sub_group_sizes"].as_array().unwrap().contains(&cpu["default_sub_group_size"]));
}

#[test]
fn every_listed_selector_selects() {
    for device in listing()["devices"].as_array().unwrap() {
        let selector = device["selector"].as_str().unwrap();
        let by_option = run(&format!("bench launch -n 5 --repeat 1 --device {selector} --json -"));
        assert_eq!(by_option.status.code(), Some(0), "{}", stderr(&by_option));
        let report: Value = serde_json::from_str(&stdout(&by_option)).unwrap();
        assert_eq!(report["device"]["selector"], selector);
        let by_variable = program()
            .args(["bench", "launch", "-n", "5", "--repeat", "1"])
            .env("SYCLONE_DEVICE", selector)
            .output()
            .unwrap();
        assert_eq!(by_variable.status.code(), Some(0), "{}", stderr(&by_variable));
    }
}

#[test]
fn what_is_missing_has_a_reason_in_one_line() {
    let listing = listing();
    for missing in listing["unavailable"].as_array().unwrap() {
        let reason = missing["reason"].as_str().unwrap();
        assert!(!reason.is_empty() && !reason.contains('\n'), "{missing}");
    }
    let text = stdout(&run("devices"));
    assert!(text.contains("cpu:0") && text.contains("(default)") && text.contains("--device cpu:0"), "{text}");
}

#[test]
fn an_unusable_setting_is_an_error_whatever_the_command() {
    for (variable, value, expected) in [
        ("SYCLONE_CPU_WAY", "x", "regions, lock-step, interpreter"),
        ("SYCLONE_CPU_THREADS", "1000000", "a number of threads from 1 to"),
        ("SYCLONE_CPU_THREADS", "-1", "a number of threads from 1 to"),
        ("SYCLONE_CPU_ISA", "avx", "baseline"),
        ("SYCLONE_DEVICE", "gpu", "level_zero"),
        ("SYCLONE_DRY_RUN", "no such file.toml", "No such file"),
    ] {
        for line in ["devices", "devices --json", "bench launch -n 5 --repeat 1", "bench gemm -n 4 --repeat 1"] {
            let output = program().args(line.split_whitespace()).env(variable, value).output().unwrap();
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{variable}={value} {line}: {text}");
            assert!(text.contains(expected) && text.contains(value), "{variable}={value} {line}: {text}");
            assert_eq!(text.lines().count(), 1, "{variable}={value} {line}: {text}");
        }
    }
    for variable in ["SYCLONE_CPU_WAY", "SYCLONE_CPU_THREADS", "SYCLONE_CPU_ISA", "SYCLONE_DEVICE", "SYCLONE_DRY_RUN"] {
        let output = program().arg("devices").env(variable, "").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{variable}: {}", stderr(&output));
    }
}

#[test]
fn an_unusable_default_is_an_error_after_the_list() {
    let output = program().arg("devices").env("SYCLONE_DEVICE", "opencl:3").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("cpu:0"));
    assert!(stderr(&output).contains("opencl:3"), "{}", stderr(&output));
}
