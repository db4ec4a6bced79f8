//! What the runtime says by itself goes to stderr, never to stdout.

mod common;

use std::path::Path;
use std::process::Command as Process;

use syclone_runtime::{Device, Queue};

use common::failing;

/// Where what kernels print goes out: the user's own output.
const KERNELS_OUTPUT: [&str; 2] = ["print", "message"];

/// Writes to stdout, as text in the sources.
const WRITES: [&str; 4] = ["println!(", "print!(", "stdout()", "dbg!("];

#[test]
fn an_error_that_nobody_asks_for_is_a_line_on_stderr_and_stdout_stays_empty() {
    let child = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_forgets_an_error", "--ignored", "--nocapture", "--quiet"])
        .output()
        .unwrap();
    assert!(child.status.success());
    let (out, err) = (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(err.contains("syclone: a command's error was never asked for: kernel 'forgotten'"), "{err}");
    assert!(err.contains("never asked for: kernel 'waited for by others'"), "{err}");
    assert!(!out.contains("syclone") && !out.contains("forgotten"), "{out}");
}

#[test]
#[ignore = "run by an_error_that_nobody_asks_for_is_a_line_on_stderr_and_stdout_stays_empty"]
fn child_forgets_an_error() {
    let queue = Queue::new(&Device::default_device().unwrap()).unwrap();
    let event = queue.submit(failing("forgotten", Vec::new())).unwrap();
    while event.status() != syclone_runtime::EventStatus::Failed {
        std::thread::yield_now();
    }
    drop(queue);
    let queue = Queue::new(&Device::default_device().unwrap()).unwrap();
    queue.submit(failing("waited for by others", Vec::new())).unwrap().wait_for_end().unwrap();
    drop(queue);
}

#[test]
fn no_source_of_the_library_writes_to_stdout_but_what_kernels_print() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open: Vec<_> =
        ["syclone", "syclone-runtime", "syclone-kernel-ast"].map(|name| crates.join(name).join("src")).to_vec();
    let mut files = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        // Tests speak to who runs them.
        let name = path.to_string_lossy().into_owned();
        let excepted = KERNELS_OUTPUT.iter().any(|part| name.contains(part));
        if !name.ends_with(".rs") || name.contains("tests") || excepted {
            continue;
        }
        files += 1;
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let code = line.trim_start();
            let writes = WRITES.iter().any(|write| code.replace("eprint", "").contains(write));
            assert!(code.starts_with("//") || !writes, "{name}:{}: {code}", number + 1);
        }
    }
    assert!(files > 100, "{files} files");
}
