//! The checker on kernels written as text: what it tells of memory, and bytes that are no value.

mod support;

use std::ops::Range;

use support::*;
use syclone_kernel_ast::builtins::NoBuiltins;
use syclone_kernel_ast::check::{Checker, Finding, FindingKind, Touched};
use syclone_kernel_ast::interp::{Arg, Kernel};
use syclone_kernel_ast::types::Type;

/// What was found, what was touched of the first argument, and what of it is still unwritten.
struct Outcome {
    findings: Vec<Finding>,
    read: Option<Touched>,
    written: Option<Touched>,
    unwritten: Vec<Range<usize>>,
}

fn check(text: &str, global: usize, local: usize, args: Vec<Arg>, unwritten: Range<usize>) -> Outcome {
    let function = bind(text);
    let launch = launch(&function, global, local, args);
    let kernel = Kernel::new(&function, &NoBuiltins).unwrap();
    let mut checker = Checker::new(&kernel, &launch);
    checker.mark_unwritten(0, unwritten);
    // SAFETY: the arguments are rows of the calling test.
    let _ = unsafe { kernel.run(&launch, &NoBuiltins, &mut checker) };
    Outcome {
        read: checker.read(0),
        written: checker.written(0),
        unwritten: checker.unwritten(0),
        findings: checker.into_findings(),
    }
}

#[test]
fn what_is_touched_and_what_stays_unwritten() {
    let mut x = vec![0i32; 8];
    let text = "fn k(item: Item<1>, x: ScatterMut<i32>) { let i = item.id(0); x[i * 2 + 1] = x[i]; }";
    let outcome = check(text, 3, 1, vec![row(&mut x)], 4..32);
    let bounds = |touched: Option<Touched>| touched.map(|touched| touched.start..touched.end);
    assert_eq!((bounds(outcome.read), bounds(outcome.written)), (Some(0..12), Some(4..24)));
    assert_eq!(outcome.unwritten, [8..12, 16..20, 24..32]);
    // Item 1 reads what item 0 has written, and item 2 what nobody has.
    let found: Vec<_> = outcome.findings.iter().map(|finding| (finding.kind, finding.items[0][2])).collect();
    assert_eq!(found, [(FindingKind::DataRace, 1), (FindingKind::Unwritten, 2)]);
}

#[test]
fn parts_of_an_element_are_apart() {
    let mut x = vec![0u8; 4];
    let text = "fn k(item: NdItem<1>, x: ScatterMut<u8>) {
        x[item.global_id(0)] = 1;
        item.barrier();
        x[(item.global_id(0) + 1) % 4] = 2;
    }";
    let one = check(text, 4, 4, vec![row(&mut x)], 0..0);
    assert_eq!(one.findings, []);
    let two = check(text, 4, 2, vec![row(&mut x)], 0..0);
    assert!(two.findings.iter().all(|finding| finding.kind == FindingKind::DataRace));
    assert_eq!(two.findings[0].location.line, 2);
    assert_eq!(two.findings[0].items, [[0, 0, 2], [0, 0, 1]]);
}

#[test]
fn bytes_that_are_no_value_of_their_type() {
    let (mut flags, mut out) = ([1u8, 0, 2], vec![false; 3]);
    let text = "fn k(item: Item<1>, x: View<bool>, out: ItemMut<bool>) {
        out[item] = !x[item];
    }";
    let outcome = check(text, 3, 1, vec![bytes_row(&Type::Bool, &mut flags), row(&mut out)], 0..0);
    assert_eq!(outcome.findings.len(), 1);
    let finding = &outcome.findings[0];
    assert_eq!((finding.kind, finding.location.line), (FindingKind::InvalidValue, 2));
    assert_eq!(finding.items, [[0, 0, 2]]);
}

#[test]
fn a_place_is_found_once_and_counted() {
    let mut x = vec![0i32; 4];
    let text = "fn k(item: Item<1>, x: ItemMut<i32>) { x[item] = 2147483647 + item.id(0) as i32; }";
    let mut launch = launch(&bind(text), 4, 1, vec![row(&mut x)]);
    launch.overflow_checks = false;
    let kernel = Kernel::new(&launch.function, &NoBuiltins).unwrap();
    let mut checker = Checker::new(&kernel, &launch);
    // SAFETY: the argument is the row above.
    unsafe { kernel.run(&launch, &NoBuiltins, &mut checker) }.unwrap();
    let findings = checker.into_findings();
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].count, findings[0].items[0]), (3, [0, 0, 1]));
    // What wraps goes on wrapping.
    assert_eq!(x, [i32::MAX, i32::MIN, i32::MIN + 1, i32::MIN + 2]);
}

#[test]
fn items_and_indices_have_as_many_numbers_as_kernels_and_parameters_however_short_these_are() {
    let mut out = [0; 3];
    let mut first = |text| {
        let mut launch = launch(&bind(text), 1, 1, vec![table(&mut out, 1, 3)]);
        launch.global = [1, 1, 4];
        let kernel = Kernel::new(&launch.function, &NoBuiltins).unwrap();
        let mut checker = Checker::new(&kernel, &launch);
        // SAFETY: the argument is the table above.
        let _ = unsafe { kernel.run(&launch, &NoBuiltins, &mut checker) };
        checker.into_findings().remove(0).message
    };
    let divides = "fn k(item: Item<2>, out: ItemMut<i32, 2>) { out[item] = 1 / (item.id(1) as i32); }";
    assert_eq!(first(divides), "item [0, 0]: `/` by zero");
    let strays = "fn k(item: Item<2>, out: ItemMut<i32, 2>) { out[item] = 1; }";
    assert_eq!(first(strays), "item [0, 3]: index [0, 3] is outside of `out`, which has [1, 3] elements");
}
