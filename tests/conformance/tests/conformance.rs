//! A test for each behaviour and device, `category::behaviour [device]`, and one for the page.

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use syclone_conformance::page::{EVERYWHERE, Results, all_tests, render};
use syclone_conformance::{Outcome, devices};

fn main() {
    let arguments = Arguments::from_args();
    let found = devices::all();
    let mut trials = vec![Trial::test("the_page_fits_the_list_of_tests", the_page_fits)];
    for device in &found {
        for (category, test) in all_tests() {
            let name = format!("{}::{}", category.name.replace(' ', "_"), test.name);
            let (device, test) = (device.clone(), *test);
            let kind = devices::selector(&device).to_owned();
            let trial = Trial::test(format!("{name} [{kind}]"), move || match test.run_on(&device) {
                Outcome::Passed => Ok(()),
                Outcome::DoesNotApply(aspect) => {
                    eprintln!("{name} does not apply to {}: it lacks {aspect}", devices::selector(&device));
                    Ok(())
                }
                Outcome::Failed(why) => Err(Failed::from(why)),
            });
            trials.push(trial);
        }
    }
    let required = std::env::var(devices::REQUIRE).unwrap_or_default();
    trials.push(Trial::test("every_required_device_is_there", move || {
        let missing = devices::missing(&required, &found);
        if missing.is_empty() { Ok(()) } else { Err(format!("not found: {}", missing.join(", ")).into()) }
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// The committed page is what a run would write in which everything passes, on the devices that every machine has.
fn the_page_fits() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    let committed = std::fs::read_to_string(&path)?;
    let passed: Vec<Results> = EVERYWHERE.iter().map(|device| Results::all_passed(device)).collect();
    if committed == render(&passed) {
        return Ok(());
    }
    Err("docs/conformance.md is out of date: \
         write it with `cargo run --release -p syclone-conformance -- docs/conformance.md`"
        .into())
}
