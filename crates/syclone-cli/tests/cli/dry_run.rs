//! The program on devices that a file describes.

use crate::common::{Scratch, program, stderr, stdout};
use std::process::Output;

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
