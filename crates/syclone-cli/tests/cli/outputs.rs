//! Where reports go: which files are refused and when, and what is in them however the program ends.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use crate::common::{Scratch, program, read, stderr, stdout};

#[test]
fn every_file_that_is_asked_for_is_written() {
    let scratch = Scratch::new("files");
    let (json, html, csv) = (scratch.file("r.json"), scratch.file("r.html"), scratch.file("r.csv"));
    std::fs::write(&json, "old and much longer than nothing: ".repeat(1000)).unwrap();
    let output = program()
        .args(["bench", "gemm", "-n", "24", "--tiles", "8", "--repeat", "1"])
        .args(["--json".as_ref(), json.as_os_str(), "--html".as_ref(), html.as_os_str()])
        .args(["--csv".as_ref(), csv.as_os_str()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&read(&json)).unwrap();
    assert_eq!(report["m"], 24);
    let page = read(&html);
    for needle in ["<!DOCTYPE html>", "<table>", "<svg", "register-tiled", "Roofline", "Tile 8 wins on this machine"] {
        assert!(page.contains(needle), "{needle}");
    }
    let rows = read(&csv);
    let mut lines = rows.lines();
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    let tiled: Vec<_> = lines.find(|line| line.contains("tiled-8")).unwrap().split(',').collect();
    assert_eq!(header.len(), tiled.len());
    let field = |name: &str| tiled[header.iter().position(|heading| *heading == name).unwrap()];
    assert_eq!((field("tile"), field("ok"), field("dtype"), field("local_bytes")), ("8", "true", "f32", "512"));
    assert!(field("gflops").parse::<f64>().unwrap() > 0.0);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_before_the_benchmark_runs() {
    for option in ["--json", "--html", "--csv"] {
        let began = Instant::now();
        let path = "/nonexistent-directory/report";
        // This size would run for minutes.
        let output = program().args(["bench", "gemm", "-n", "4096", option, path]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains(path), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        assert!(began.elapsed().as_secs() < 30, "it must not have run");
    }
}

#[test]
fn a_refused_benchmark_leaves_no_file_behind_and_keeps_an_old_one() {
    let scratch = Scratch::new("refused");
    let (fresh, old) = (scratch.file("fresh.json"), scratch.file("old.csv"));
    std::fs::write(&old, "kept").unwrap();
    let output = program()
        .args(["bench", "gemm", "-n", "10000000", "--json"])
        .arg(&fresh)
        .arg("--csv")
        .arg(&old)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!fresh.exists());
    assert_eq!(crate::common::read(&old), "kept");
}

#[test]
#[cfg(unix)]
fn one_file_by_two_names_is_refused_before_anything_runs() {
    let scratch = Scratch::new("one-file");
    let plain = scratch.file("report");
    let link = scratch.file("link");
    std::fs::write(&plain, "kept").unwrap();
    std::os::unix::fs::symlink(&plain, &link).unwrap();
    let output = program()
        .args(["bench", "gemm", "-n", "4", "--repeat", "1"])
        .args(["--json".as_ref(), plain.as_os_str(), "--csv".as_ref(), link.as_os_str()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("name the same place"), "{}", stderr(&output));
    assert_eq!(read(&plain), "kept");
}

#[test]
fn what_is_no_name_of_a_file_is_refused_before_anything_runs() {
    let scratch = Scratch::new("no-file");
    for path in ["", "folder/", "folder/.", "missing/file", "missing/.."] {
        let path = scratch.file(path);
        let output = program().args(["bench", "gemm", "-n", "4096", "--csv"]).arg(&path).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}: {}", path.display(), stderr(&output));
        assert!(stderr(&output).contains(path.to_str().unwrap()), "{}", stderr(&output));
        assert_eq!(scratch.names(), [""; 0]);
    }
}

/// Runs a benchmark that takes no time and writes its report as CSV.
fn write_csv(to: &Path) {
    let output = program().args(["bench", "reduce", "-n", "9", "--repeat", "1", "--csv"]).arg(to).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

fn assert_is_csv(path: &Path) {
    let text = read(path);
    assert!(text.starts_with("benchmark,dtype,version") && text.ends_with('\n'), "{text}");
    assert!(text.lines().count() > 3 && text.lines().skip(1).all(|line| line.starts_with("reduce,f32,")), "{text}");
}

#[cfg(unix)]
mod on_unix {
    use super::*;
    use crate::terminal::Terminal;
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    #[test]
    fn a_program_that_is_killed_leaves_an_old_report_as_it_was_and_no_new_one() {
        // No interrupt: shells have what they run in the background ignore that.
        for signal in [Signal::KILL, Signal::TERM] {
            let scratch = Scratch::new("killed");
            let (fresh, old) = (scratch.file("fresh.json"), scratch.file("old.html"));
            fs::write(&old, "kept").unwrap();
            let terminal = Terminal::new();
            let mut child = program()
                .args(["bench", "gemm", "--repeat", "1000000", "--json"])
                .arg(&fresh)
                .arg("--html")
                .arg(&old)
                .stderr(terminal.end())
                .spawn()
                .unwrap();
            // The bar shows that the files have been looked at.
            terminal.wait_for_news();
            kill_process(Pid::from_child(&child), signal).unwrap();
            assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()));
            assert_eq!(scratch.names(), ["old.html"]);
            assert_eq!(read(&old), "kept");
        }
    }

    #[test]
    fn a_report_that_does_not_fit_on_the_disk_leaves_the_old_one_as_it_was() {
        let scratch = Scratch::new("does-not-fit");
        let old = scratch.file("old.json");
        fs::write(&old, "kept").unwrap();
        // No file may have more than one block, and who writes more gets an error.
        let limited = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
        let own = program();
        let output = Command::new("sh")
            .args(["-c", limited, "sh"])
            .arg(own.get_program())
            .args(["bench", "reduce", "-n", "9", "--repeat", "1", "--json"])
            .arg(&old)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("old.json"), "{}", stderr(&output));
        assert!(stdout(&output).contains("shuffle-tree"), "the table is there all the same");
        assert_eq!(scratch.names(), ["old.json"]);
        assert_eq!(read(&old), "kept");
    }

    #[test]
    fn a_link_stays_a_link_and_its_file_gets_the_report() {
        let scratch = Scratch::new("links");
        for (link, target) in [("to-old", "old.csv"), ("to-nothing-yet", "new.csv")] {
            symlink(target, scratch.file(link)).unwrap();
        }
        fs::write(scratch.file("old.csv"), "old").unwrap();
        for (link, target) in [("to-old", "old.csv"), ("to-nothing-yet", "new.csv")] {
            write_csv(&scratch.file(link));
            assert_eq!(fs::read_link(scratch.file(link)).unwrap(), Path::new(target));
            assert_is_csv(&scratch.file(target));
        }
        let circle = scratch.file("circle");
        symlink("circle", &circle).unwrap();
        let output = program().args(["bench", "gemm", "-n", "4096", "--csv"]).arg(&circle).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("circle"), "{}", stderr(&output));
    }

    #[test]
    fn a_replaced_report_has_the_permissions_of_the_old_one_and_a_new_one_those_of_any_new_file() {
        let scratch = Scratch::new("permissions");
        let mode = |name: &str| fs::metadata(scratch.file(name)).unwrap().permissions().mode() & 0o7777;
        let (old, new) = (scratch.file("old.csv"), scratch.file("new.csv"));
        fs::write(&old, "old").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        fs::write(scratch.file("any"), "").unwrap();
        write_csv(&old);
        write_csv(&new);
        assert_eq!((mode("old.csv"), mode("new.csv")), (0o640, mode("any")));
        assert_is_csv(&old);
    }

    #[test]
    fn a_file_that_may_be_written_gets_the_report_also_where_its_folder_takes_no_other() {
        let scratch = Scratch::new("closed-folder");
        let (old, new) = (scratch.file("old.csv"), scratch.file("new.csv"));
        fs::write(&old, "old").unwrap();
        let folder = scratch.file("");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        write_csv(&old);
        assert_is_csv(&old);
        // Some users may write everywhere.
        if fs::write(scratch.file("probe"), "").is_err() {
            let output = program().args(["bench", "gemm", "-n", "4096", "--csv"]).arg(&new).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            assert!(stderr(&output).contains("new.csv"), "{}", stderr(&output));
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_document_on_the_file_that_standard_output_is_has_it_for_itself() {
        let scratch = Scratch::new("standard-output");
        let path = scratch.file("report.json");
        let file = fs::File::create(&path).unwrap();
        let output = program()
            .args(["bench", "reduce", "-n", "9", "--repeat", "1", "--json"])
            .arg(&path)
            .stdout(file)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains("shuffle-tree"), "{}", stderr(&output));
        let report: Value = serde_json::from_str(&read(&path)).expect("one JSON document");
        assert_eq!(report["benchmark"], "reduce");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_that_cannot_be_written_in_the_end_keeps_no_other_back() {
    let scratch = Scratch::new("full-device");
    let csv = scratch.file("r.csv");
    let output = program()
        .args(["bench", "reduce", "-n", "9", "--repeat", "1", "--json", "/dev/full", "--csv"])
        .arg(&csv)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/dev/full"), "{}", stderr(&output));
    assert!(stdout(&output).contains("shuffle-tree"));
    assert_is_csv(&csv);
}
