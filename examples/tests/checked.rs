//! Runs every example on the device that checks kernels, which has nothing to say.
//!
//! In a debug build the interpreter takes minutes for them, so this is left to
//! `cargo test --release -p syclone-examples --test checked -- --ignored`.

use std::path::PathBuf;
use std::process::Command;

/// The example whose point is what goes wrong.
const ABOUT_ERRORS: &str = "errors";

#[test]
#[ignore = "for release builds; see above"]
fn no_example_makes_a_mistake_that_the_checked_device_knows() {
    let test = std::env::current_exe().expect("the test knows its own path");
    let folder: PathBuf = test.ancestors().nth(2).expect("tests lie in target/<profile>/deps").join("examples");
    let entries = include_str!("../Cargo.toml").split("[[example]]").skip(1);
    for name in entries.map(|entry| entry.split('"').nth(1).expect("an example has a name")) {
        let program = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let output = Command::new(&program).env("SYCLONE_DEVICE", "cpu:check").output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} failed:\n{text}");
        if name == ABOUT_ERRORS {
            assert!(text.contains("access out of bounds") && text.contains("division by zero"), "{text}");
        } else {
            assert!(!text.contains("syclone check"), "{name}:\n{text}");
        }
    }
}
