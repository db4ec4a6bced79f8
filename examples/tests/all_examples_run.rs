//! Runs every example as its users do. Each checks its own results, so ending well means that they were right.

use std::path::PathBuf;
use std::process::Command;

/// Where cargo has put the examples that it built together with this test.
fn built_examples() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows its own path");
    let profile = test.ancestors().nth(2).expect("tests lie in target/<profile>/deps");
    profile.join("examples")
}

/// The names in the manifest's `[[example]]` entries.
fn names() -> Vec<String> {
    let manifest = include_str!("../Cargo.toml");
    let entries = manifest.split("[[example]]").skip(1);
    let name = |entry: &str| entry.split('"').nth(1).expect("an example has a name").to_owned();
    entries.map(name).collect()
}

#[test]
fn every_example_runs_to_its_end() {
    let names = names();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let program = built_examples().join(&name).with_extension(std::env::consts::EXE_EXTENSION);
        let output = Command::new(&program).output().unwrap_or_else(|error| {
            panic!(
                "{}: {error}; `cargo test` builds the examples, unless told to build this test alone",
                program.display()
            )
        });
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} failed:\n{text}");
        assert!(!output.stdout.is_empty(), "{name} prints nothing");
    }
}

#[test]
fn every_file_of_the_folder_is_an_example() {
    let folder = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the folder of the manifest");
    let mut files: Vec<String> = folder
        .filter_map(|entry| entry.expect("an entry").file_name().to_str()?.strip_suffix(".rs").map(str::to_owned))
        .collect();
    let mut names = names();
    files.sort();
    names.sort();
    assert_eq!(files, names);
}
