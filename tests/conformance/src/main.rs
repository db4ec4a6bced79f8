//! Runs all conformance tests on all devices and writes the page of their results.

use std::process::ExitCode;

use syclone_conformance::page::{Results, all_tests, render};
use syclone_conformance::{Outcome, devices};

fn main() -> ExitCode {
    let found = devices::all();
    let missing = std::env::var(devices::REQUIRE).map(|names| devices::missing(&names, &found)).unwrap_or_default();
    if !missing.is_empty() {
        eprintln!("devices that must be there are not: {}", missing.join(", "));
        return ExitCode::FAILURE;
    }
    let mut failures = 0;
    let mut results = Vec::new();
    for device in &found {
        let outcomes = all_tests().map(|(category, test)| {
            let outcome = test.run_on(device);
            if let Outcome::Failed(why) = &outcome {
                failures += 1;
                eprintln!("{}: {}: {}\n{why}\n", devices::selector(device), category.name, test.sentence());
            }
            outcome
        });
        let outcomes = outcomes.collect();
        results.push(Results { device: devices::selector(device).to_owned(), outcomes });
    }
    if failures > 0 {
        eprintln!("{failures} failures: no page written");
        return ExitCode::FAILURE;
    }
    let page = render(&results);
    match std::env::args_os().nth(1) {
        None => print!("{page}"),
        Some(path) => {
            if let Err(error) = std::fs::write(&path, page) {
                eprintln!("{}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
