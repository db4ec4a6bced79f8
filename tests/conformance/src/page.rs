//! `docs/conformance.md`: what was run, where, and how it went.

use std::fmt::Write;

use crate::categories::{CATEGORIES, Category, Content};
use crate::{Outcome, Test};

/// The devices that every machine has, whose results are on the committed page.
pub const EVERYWHERE: &[&str] = &["cpu:0", "cpu:check"];

/// The outcomes of all tests on one device, in the order of [`CATEGORIES`].
pub struct Results {
    /// The device's selector.
    pub device: String,
    /// One for each test.
    pub outcomes: Vec<Outcome>,
}

impl Results {
    /// Results in which everything has passed: what the committed page says of a device that every machine has.
    pub fn all_passed(device: &str) -> Results {
        Results { device: device.to_owned(), outcomes: all_tests().map(|_| Outcome::Passed).collect() }
    }
}

/// All tests, in the order of [`CATEGORIES`].
pub fn all_tests() -> impl Iterator<Item = (&'static Category, &'static Test)> {
    CATEGORIES.iter().flat_map(|category| category.tests().iter().map(move |test| (category, test)))
}

/// The page.
pub fn render(results: &[Results]) -> String {
    let mut page = String::from(HEAD);
    page.push_str("| category | what it is about |");
    results.iter().for_each(|device| write!(page, " `{}` |", device.device).expect("a string takes all"));
    page.push_str("\n| --- | --- |");
    page.push_str(&" --- |".repeat(results.len()));
    page.push('\n');
    let mut first = 0;
    for category in CATEGORIES {
        let count = category.tests().len();
        write!(page, "| {} | {} |", category.name, category.about).expect("a string takes all");
        for device in results {
            let cell = match category.content {
                Content::Tests(_) => tally(&device.outcomes[first..first + count]),
                Content::Later { .. } => "later".to_owned(),
                Content::Never { .. } => "–".to_owned(),
            };
            write!(page, " {cell} |").expect("a string takes all");
        }
        page.push('\n');
        first += count;
    }
    let total = all_tests().count();
    writeln!(page, "| **all** | {total} tests |{}", " |".repeat(results.len())).expect("a string takes all");
    page.push_str("\n## What is not tested, and why\n\n");
    for category in CATEGORIES {
        match category.content {
            Content::Later { why } => writeln!(page, "- **{}**: later. {why}", category.name),
            Content::Never { why } => writeln!(page, "- **{}**: never. {why}", category.name),
            Content::Tests(_) => Ok(()),
        }
        .expect("a string takes all");
    }
    page.push_str("\n## The tests\n");
    for category in CATEGORIES.iter().filter(|category| !category.tests().is_empty()) {
        writeln!(page, "\n### {}\n", category.name).expect("a string takes all");
        for test in category.tests() {
            let needs: Vec<&str> = test.needs.iter().map(|aspect| aspect.name()).collect();
            let needs = if needs.is_empty() { String::new() } else { format!(" (needs {})", needs.join(", ")) };
            writeln!(page, "- {}{needs}", test.sentence()).expect("a string takes all");
        }
    }
    page
}

/// What a cell says: how many of how many have passed.
fn tally(outcomes: &[Outcome]) -> String {
    let applies = outcomes.iter().filter(|outcome| !matches!(outcome, Outcome::DoesNotApply(_))).count();
    let passed = outcomes.iter().filter(|&outcome| *outcome == Outcome::Passed).count();
    match (applies, outcomes.len() - applies) {
        (0, _) => "does not apply".to_owned(),
        (_, 0) => format!("{passed}/{applies}"),
        (_, without) => format!("{passed}/{applies}, {without} do not apply"),
    }
}

const HEAD: &str = "\
# Conformance

What a SYCL programmer relies on, by the categories of SYCL's conformance tests (SYCL-CTS), in our own words: the crate
[`tests/conformance`](../tests/conformance) has a test for each sentence below and runs it on every device that it finds.
Expected values come from plain loops and formulas on the host.

```sh
cargo test --release -p syclone-conformance                       # on every device
cargo test --release -p syclone-conformance -- cpu:check          # on one
SYCLONE_REQUIRE=cpu cargo test --release -p syclone-conformance   # a missing device is a failure
cargo run --release -p syclone-conformance -- docs/conformance.md # runs all, and writes this page
```

This page is generated; a test fails if it does not fit the list of tests. `cpu:check` runs each kernel item by item and also
fails a test whose kernels race, read what nobody wrote, or leave their memory.

";
