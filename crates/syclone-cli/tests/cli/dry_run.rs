//! The program on devices that a file describes.

use crate::common::{Scratch, program, stderr, stdout};
use std::process::Output;

use serde_json::Value;

/// Runs these words with a file of devices.
fn run_with(test: &str, devices: &str, line: &str) -> Output {
    let scratch = Scratch::new(test);
    let file = scratch.file("devices.toml");
    std::fs::write(&file, devices).expect("the file is written");
    let mut program = program();
    program.args(line.split_whitespace()).env("SYCLONE_DRY_RUN", &file);
    program.output().expect("the program starts")
}

#[test]
fn a_name_from_a_file_does_nothing_to_the_terminal() {
    let devices = "[[device]]\nname = \"\\u001B[2J\\u0007evil\\r\"\n";
    let output = run_with("names", devices, "devices");
    let text = stdout(&output);
    assert!(text.contains("dry:0  \\u{1b}[2J\\u{7}evil\\r\n"), "{text:?}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    let output = run_with("keys", "\"\\u001B[2J\" = 1", "devices");
    assert!(!stdout(&output).contains('\u{1b}') && !stderr(&output).contains('\u{1b}'), "{output:?}");
}

#[test]
fn a_device_of_very_many_units_gets_no_more_native_threads_than_the_machine_has_cores() {
    let devices = "[[device]]\ncompute_units = 65_536\nrun_kernels = true\n";
    let output = run_with("units", devices, "bench launch -n 5 --repeat 1 --device dry:0");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn a_device_that_is_lost_is_reported_by_each_version_and_by_nobody_else() {
    for at in [1, 3, 8, 20, 50] {
        let devices = format!("[[device]]\nrun_kernels = true\nfaults = [{{ kind = 'device_lost', at = {at} }}]\n");
        let output = run_with(&format!("lost-{at}"), &devices, "bench launch -n 5 --repeat 1 --device dry:0");
        let (text, table) = (stderr(&output), stdout(&output));
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("lost") || table.contains("lost"), "{text}{table}");
        assert!(!text.contains("never asked for"), "{text}");
    }
}

/// Also what a version needs before its first run, such as memory and graphs, is its own affair.
#[test]
fn a_launch_version_whose_preparation_fails_is_reported_and_keeps_no_other_back() {
    let all_but_shared = "aspects = ['gpu', 'usm_device_allocations', 'usm_host_allocations']";
    let cases = [
        (all_but_shared, "usm_shared_allocations", &["batched-no-events"][..]),
        ("faults = [{ kind = 'allocation', probability = 1 }]", "out of memory", &["batched-no-events"][..]),
        (
            "faults = [{ kind = 'build', probability = 1 }]",
            "was not built",
            &["chained", "batched-no-events", "graph-chain", "graph-side-by-side"][..],
        ),
    ];
    for (number, (device, reason, expected)) in cases.into_iter().enumerate() {
        let devices = format!("[[device]]\nrun_kernels = true\n{device}\n");
        let line = "bench launch -n 5 --repeat 1 --device dry:0 --json -";
        let output = run_with(&format!("preparation-{number}"), &devices, line);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let report: Value = serde_json::from_str(&stdout(&output)).expect("one JSON document and nothing else");
        let rows = report["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 11, "{report}");
        for name in expected {
            let row = rows.iter().find(|row| row["version"] == *name).expect("the version is listed");
            assert!(row["ok"] == false && row["ms"].is_null(), "{row}");
            assert!(row["reason"].as_str().is_some_and(|text| text.contains(reason)), "{row}");
        }
        // A kernel that is not built has every version fail that launches it.
        let kept = rows.iter().filter(|row| row["ok"] == true).count();
        assert!(reason == "was not built" || kept == 10, "{report}");
    }
}

#[test]
fn a_version_that_fails_is_in_the_document_with_its_reason_and_the_others_with_their_times() {
    for at in [1, 2, 5] {
        let devices = format!("[[device]]\nrun_kernels = true\nfaults = [{{ kind = 'completion', at = {at} }}]\n");
        let line = "bench gemm -n 12 --tiles 4,3 --repeat 1 --device dry:0 --json -";
        let output = run_with(&format!("document-{at}"), &devices, line);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let report: Value = serde_json::from_str(&stdout(&output)).expect("one JSON document and nothing else");
        let rows = report["rows"].as_array().expect("rows");
        let (good, failed): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["ok"] == true);
        assert_eq!((good.len(), failed.len()), (7, 1), "{report}");
        assert!(good.iter().all(|row| row["ms"].is_number() && row["gflops"].is_number()), "{report}");
        let failed = failed[0];
        assert!(failed["reason"].as_str().is_some_and(|reason| reason.contains("was asked for")), "{failed}");
        assert!(failed["ms"].is_null() && failed["gflops"].is_null(), "{failed}");
        assert!(text.contains(failed["version"].as_str().expect("a name")), "{text}");
    }
}

#[test]
fn a_description_that_cannot_be_used_is_an_error_after_the_list_and_one_of_no_devices_is_none() {
    let contents =
        [("missing", None), ("nonsense", Some("[[device")), ("bytes", Some("\u{0}\u{7f}")), ("empty", Some(""))];
    let scratch = Scratch::new("descriptions");
    for (name, content) in contents {
        let file = scratch.file(name);
        if let Some(content) = content {
            std::fs::write(&file, content).expect("the file is written");
        }
        let run = |line: &str| {
            let mut program = program();
            program.args(line.split_whitespace()).env("SYCLONE_DRY_RUN", &file).output().expect("the program starts")
        };
        let path = file.to_str().expect("plain names");
        let code = if name == "empty" { 0 } else { 2 };
        let listed = run("devices --json");
        assert_eq!(listed.status.code(), Some(code), "{name}: {}", stderr(&listed));
        let listing: Value = serde_json::from_str(&stdout(&listed)).expect("one JSON document");
        assert_eq!(listing["default"], "cpu:0", "{name}");
        let unavailable = listing["unavailable"].as_array().expect("a list");
        let dry = unavailable.iter().find(|missing| missing["backend"] == "dry").expect("it has no devices");
        let reason = dry["reason"].as_str().expect("a reason");
        assert!(!reason.is_empty() && !reason.contains('\n'), "{name}: {reason}");
        let bench = run("bench launch -n 5 --repeat 1");
        assert_eq!(bench.status.code(), Some(code), "{name}: {}", stderr(&bench));
        let forced = run("bench launch -n 5 --repeat 1 --device dry:0 --json -");
        assert_eq!((forced.status.code(), stdout(&forced).as_str()), (Some(2), ""), "{name}");
        // What is wrong with the description, or which devices there are.
        let text = stderr(&forced);
        assert!(text.contains(if name == "empty" { "cpu:0" } else { path }), "{name}: {text}");
        assert_eq!(text.lines().count(), 1, "{name}: {text}");
    }
}
