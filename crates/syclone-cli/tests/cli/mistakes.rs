//! Bad input: one line that says what is allowed, the right exit code, nothing written, and never a panic.

use std::process::Stdio;

use crate::common::{program, run, stderr, stdout};

fn assert_refused(line: &str, expected: &str) {
    let output = run(line);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{line}: {text}");
    assert_eq!(stdout(&output), "", "{line}");
    assert!(text.starts_with("error: ") && text.contains(expected), "{line}: {text}");
    assert_eq!(text.lines().count(), 1, "{line}: {text}");
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused_in_one_line() {
    for (line, expected) in [
        ("", "devices, bench"),
        ("bench", "gemm, stream, reduce, stencil, launch"),
        ("bench gem", "gemm, stream, reduce, stencil, launch"),
        ("devices --jso", "--json"),
        ("bench gemm --frobnicate", "--tiles"),
        ("bench gemm -n 0", "a whole number from 1"),
        ("bench gemm -m 0 -n 4 -k 4", "a whole number from 1"),
        ("bench gemm --tiles 7,0", "at least 1"),
        ("bench gemm --tiles 18446744073709551615", "the largest tile that fits is 64"),
        ("bench gemm --dtype f99", "f32 and f64"),
        ("bench gemm --dtype f16", "f32 and f64"),
        ("bench gemm --repeat 0", "a whole number from 1"),
        ("bench stream -n -1", "-1"),
        ("bench gemm --device gpu:0", "cpu"),
        ("bench gemm --device cuda", "cpu:0"),
        ("bench gemm --device", "--device"),
        ("bench gemm --json a --csv a", "a file of its own"),
    ] {
        assert_refused(line, expected);
    }
}

#[test]
fn sizes_that_no_memory_holds_are_refused_before_anything_is_allocated() {
    for line in [
        "bench gemm -n 10000000",
        "bench gemm -n 18446744073709551615",
        "bench stream -n 18446744073709551615",
        "bench stream -n 1000000000000",
        "bench reduce -n 9000000000000000000",
        "bench stencil -n 4294967296",
    ] {
        assert_refused(line, "choose a smaller one");
        // Whether the bytes can be counted or not, the error names the device and what it has.
        assert_refused(line, "and cpu:0 has ");
    }
    assert_refused("bench stencil -n 4294967296", "more than 18.4 EB, which no address can count, and cpu:0 has ");
}

#[test]
fn a_tile_over_the_limits_is_refused_with_what_it_asks_the_limit_and_the_largest_that_fits() {
    assert_refused("bench gemm --tiles 8,128", "131072 bytes of local memory");
    assert_refused("bench gemm --tiles 8,128", "65536 bytes; the largest tile that fits is 64");
    assert_refused("bench gemm --dtype f64 --tiles 65", "the largest tile that fits is 64");
    // 2 · 64 · 64 · 8 bytes are exactly the CPU device's 64 KiB.
    let exact = run("bench gemm -n 8 --tiles 64 --dtype f64 --repeat 1");
    assert_eq!(exact.status.code(), Some(0), "{}", stderr(&exact));
}

#[test]
fn an_unusable_setting_in_the_environment_is_named() {
    for (variable, value) in [("SYCLONE_DEVICE", "cuda:7"), ("SYCLONE_CPU_THREADS", "none"), ("SYCLONE_CPU_ISA", "mmx")]
    {
        let output = program().args(["bench", "gemm", "-n", "4"]).env(variable, value).output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{variable}: {text}");
        assert!(text.contains(value) && text.lines().count() == 1, "{variable}: {text}");
    }
}

#[test]
fn what_an_error_quotes_steers_no_terminal_and_breaks_no_line() {
    let quoted = ["gpu\u{1b}[31m", "gpu\r", "gpu\n0", "\u{7}"];
    for text in quoted {
        let by_option = program().args(["bench", "gemm", "-n", "4", "--device", text]).output().unwrap();
        let by_command = program().args(["bench", text]).output().unwrap();
        let by_tile = program().args(["bench", "gemm", "--tiles", text]).output().unwrap();
        let by_file =
            program().args(["bench", "gemm", "-n", "4", "--json", &format!("/missing/{text}")]).output().unwrap();
        let by_variable = program().args(["bench", "gemm", "-n", "4"]).env("SYCLONE_CPU_WAY", text).output().unwrap();
        for (output, code) in [(by_option, 2), (by_command, 2), (by_tile, 2), (by_file, 1), (by_variable, 2)] {
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(code), "{said:?}");
            assert_eq!(said.lines().count(), 1, "{said:?}");
            assert!(!said.trim_end_matches('\n').contains(char::is_control), "{said:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_causes_no_noise() {
    for line in ["devices", "devices --json", "bench reduce -n 50 --repeat 1", "bench reduce -n 50 --repeat 1 --json -"]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = program().args(line.split_whitespace()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{line}: {text}");
        assert!(!text.contains("panic") && !text.contains("error"), "{line}: {text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = program().arg("devices").stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("standard output"), "{}", stderr(&output));
    let output =
        program().args(["bench", "reduce", "-n", "9", "--repeat", "1", "--csv", "/dev/full"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/dev/full"), "{}", stderr(&output));
}
