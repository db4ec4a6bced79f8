//! What the tests of the checked device share: a device of their own, and reports compared by kind, line and items.
#![allow(dead_code, reason = "each test file uses its own part")]

use syclone::check::{Report, ReportKind};
use syclone::prelude::*;

/// A queue on a checked device that nobody else uses, and that prints nothing.
pub fn queue() -> Queue {
    let device = Device::cpu_checked().unwrap();
    device.print_reports(false);
    Queue::new(&device).unwrap()
}

/// What is reported of one command. How the command ends is another question.
pub fn reports(group: impl FnOnce(&Handler<'_>) -> Result<()>) -> Vec<Report> {
    let queue = queue();
    let _ = queue.submit(group).unwrap().wait();
    queue.device().take_reports()
}

/// The line of the source that ends in `// fault: name`. No other marker of the source may be one that no test names.
#[track_caller]
pub fn line_of(source: &str, name: &str) -> u32 {
    expect_all_named(source);
    let marker = format!("// fault: {name}");
    let found: Vec<usize> =
        (1..).zip(source.lines()).filter(|(_, line)| line.ends_with(&marker)).map(|(n, _)| n).collect();
    assert_eq!(found.len(), 1, "lines that are marked `{name}`");
    found[0] as u32
}

/// A fault that is planted and marked, and whose name stands nowhere between quotes, is one that no test looks for.
#[track_caller]
fn expect_all_named(source: &str) {
    let markers = source.lines().filter_map(|line| line.split_once("// fault: "));
    // A quote is the end of a text that is about a marker.
    let names = markers.map(|(_, name)| name).filter(|name| !name.contains('"'));
    let forgotten: Vec<&str> = names.filter(|name| !source.contains(&format!("\"{name}\""))).collect();
    assert!(forgotten.is_empty(), "no test asserts the faults {forgotten:?}");
}

/// Global ids of items in one dimension.
pub fn ids<const N: usize>(items: [usize; N]) -> Vec<[usize; 3]> {
    items.map(|item| [0, 0, item]).to_vec()
}

/// Exactly one report of this kind at this line, made by these items first, which is given.
#[track_caller]
pub fn expect(reports: &[Report], kind: ReportKind, line: u32, items: &[[usize; 3]]) -> Report {
    let texts: Vec<String> = reports.iter().map(ToString::to_string).collect();
    let matching: Vec<&Report> =
        reports.iter().filter(|report| (report.kind, report.line()) == (kind, line) && report.items == items).collect();
    assert_eq!(matching.len(), 1, "{kind} in line {line} by {items:?} among\n{}", texts.join("\n\n"));
    matching[0].clone()
}

/// [`expect`], and nothing else was reported.
#[track_caller]
pub fn expect_only(reports: &[Report], kind: ReportKind, line: u32, items: &[[usize; 3]]) -> Report {
    let report = expect(reports, kind, line, items);
    let others: Vec<String> = reports.iter().filter(|other| **other != report).map(ToString::to_string).collect();
    assert!(others.is_empty(), "besides the expected one\n{}", others.join("\n\n"));
    report
}

/// Nothing at all was reported.
#[track_caller]
pub fn expect_clean(reports: &[Report]) {
    let texts: Vec<String> = reports.iter().map(ToString::to_string).collect();
    assert!(reports.is_empty(), "{}", texts.join("\n\n"));
}

/// The numbers from 0 on.
pub fn numbers(n: usize) -> Buffer<u32> {
    Buffer::from_vec((0..n as u32).collect())
}
