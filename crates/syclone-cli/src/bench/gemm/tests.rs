use std::ffi::OsString;
use std::{env, fs, process};

use syclone::Queue;

use super::naive::{naive_ijk, naive_ikj};
use super::reference::{Expected, Reference};
use super::shape::{Inputs, Shape};
use super::verdict::judge;
use super::{access_count, compare};
use crate::args::{self, Bench, Command};
use crate::bench::report::{Column, DeviceFacts, Problem, Report, Row};
use crate::bench::{Progress, Session};
use crate::failure::Failure;
use crate::host::element::Element;
use crate::host::team::Team;

const SHAPES: [(usize, usize, usize); 8] =
    [(1, 1, 1), (1, 7, 3), (5, 1, 9), (3, 4, 1), (17, 33, 9), (5, 257, 31), (8, 300, 2), (64, 64, 64)];

fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.into_iter().map(|(m, n, k)| Shape { m, n, k })
}

/// The definition, element by element.
fn by_definition<T: Element>(inputs: &Inputs<T>) -> Vec<Expected> {
    let Shape { m, n, k } = inputs.shape;
    let mut elements = Vec::new();
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|p| inputs.a[row * k + p].wide() * inputs.b[p * n + column].wide());
            let (value, magnitude) = products.fold((0.0, 0.0), |(v, g), product| (v + product, g + product.abs()));
            elements.push(Expected { value, magnitude });
        }
    }
    elements
}

#[test]
fn the_blocked_threaded_reference_is_the_definition() {
    let mut team = Team::new(3).unwrap();
    for shape in shapes() {
        let inputs = Inputs::<f32>::random(shape, 11).unwrap();
        let reference = Reference::compute(&inputs, &mut team).unwrap();
        assert_eq!(reference.elements, by_definition(&inputs), "{shape:?}");
    }
}

#[test]
fn both_plain_loops_are_right_in_both_types() {
    fn check<T: Element>(shape: Shape) {
        let inputs = Inputs::<T>::random(shape, 5).unwrap();
        let reference = by_definition(&inputs);
        for (name, multiply) in [("ijk", naive_ijk as fn(&Inputs<T>, &mut [T])), ("ikj", naive_ikj)] {
            let mut c = vec![T::POISON; shape.m * shape.n];
            multiply(&inputs, &mut c);
            let verdict = judge(&c, &reference);
            assert!(verdict.ok, "{name} {shape:?}: {verdict:?}");
        }
    }
    for shape in shapes() {
        check::<f32>(shape);
        check::<f64>(shape);
    }
}

#[test]
fn small_whole_numbers_multiply_exactly() {
    let inputs = Inputs {
        shape: Shape { m: 2, n: 2, k: 3 },
        a: vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0],
        b: vec![1.0, 0.0, 0.0, 1.0, 2.0, 2.0],
    };
    let mut c = vec![f32::NAN; 4];
    naive_ijk(&inputs, &mut c);
    assert_eq!(c, [7.0, 8.0, 16.0, 17.0]);
}

#[test]
fn a_wrong_missing_or_lost_element_fails_the_verdict() {
    let reference = vec![Expected { value: 0.0, magnitude: 100.0 }; 4];
    assert!(judge(&[0.0f32; 4], &reference).ok);
    // 100 · 1e-4 is the threshold's edge.
    assert!(judge(&[0.0f32, 0.0, 0.0099, 0.0], &reference).ok);
    let over = judge(&[0.0f32, 0.0, -0.011, 0.0], &reference);
    assert!(!over.ok && (over.max_rel_err - 1.1e-4).abs() < 1e-8, "{over:?}");
    for lost in [f32::NAN, f32::INFINITY] {
        let verdict = judge(&[0.0, lost, 0.0, 0.0], &reference);
        assert!(!verdict.ok && verdict.max_rel_err.is_infinite(), "{verdict:?}");
    }
    assert!(!judge(&[0.0f32; 3], &reference).ok, "a short output is no right one");
}

#[test]
fn an_element_without_magnitude_must_be_exact() {
    let reference = [Expected { value: 0.0, magnitude: 0.0 }];
    assert!(judge(&[0.0f32], &reference).ok);
    assert!(!judge(&[1e-30f32], &reference).ok);
}

/// Counts what a tiled version reads, tile by tile, with its guarded edges.
fn count_tiles(shape: Shape, rows: usize, columns: usize, depth: usize) -> u64 {
    let mut count = 0;
    for row in (0..shape.m).step_by(rows) {
        for column in (0..shape.n).step_by(columns) {
            let (height, width) = (rows.min(shape.m - row), columns.min(shape.n - column));
            for p in (0..shape.k).step_by(depth) {
                let deep = depth.min(shape.k - p);
                count += height * deep + deep * width;
            }
            count += height * width;
        }
    }
    count as u64
}

#[test]
fn the_access_counts_are_what_the_loops_do() {
    for shape in shapes() {
        for tile in [1, 4, 7, 16, 32] {
            assert_eq!(access_count::blocked(shape, tile, tile), count_tiles(shape, tile, tile, tile), "{shape:?}");
        }
        assert_eq!(access_count::blocked(shape, 32, 64), count_tiles(shape, 32, 64, 8), "{shape:?}");
        assert_eq!(access_count::one_element_each(shape), count_tiles(shape, 1, 1, 1), "{shape:?}");
    }
    let shape = Shape { m: 2, n: 3, k: 5 };
    // Zero 6; for each of 10 elements of A: itself, 3 of B, 3 of C read and written.
    assert_eq!(access_count::row_by_row(shape), 6 + 10 * 10);
    assert_eq!(access_count::transposition(shape), 30);
}

#[test]
fn the_memory_of_a_problem_is_counted_and_a_huge_one_is_none() {
    let shape = Shape { m: 2, n: 3, k: 5 };
    assert_eq!(shape.bytes(4, 2), Some((10 + 15 + 12) * 4 + 6 * 16));
    assert_eq!(Shape { m: usize::MAX, n: 2, k: 1 }.bytes(4, 1), None);
    assert_eq!(Shape { m: 1 << 40, n: 1 << 20, k: 1 }.bytes(8, 9), None);
}

/// What `syclone bench gemm` ends in, and its report, when the reference is what `change` makes of the right one.
fn command_against(change: impl Fn(&mut [Expected]), name: &str) -> (Result<(), Failure>, serde_json::Value) {
    let file = env::temp_dir().join(format!("syclone-gemm-{name}-{}.json", process::id()));
    let line = "syclone bench gemm -m 5 -n 9 -k 7 --tiles 4,3 --repeat 2 --seed 3 --json";
    let words = line.split(' ').map(OsString::from).chain([file.clone().into_os_string()]);
    let Ok(args::Cli { command: Command::Bench(Bench::Gemm(args)) }) = args::parse(words) else {
        panic!("the command line is right")
    };
    let mut session = Session::open(&args.common).unwrap();
    let queue = Queue::new(&session.target.device).unwrap();
    let inputs = Inputs::<f32>::random(Shape { m: 5, n: 9, k: 7 }, session.seed).unwrap();
    let mut reference = Reference::compute(&inputs, &mut session.target.team).unwrap();
    change(&mut reference.elements);
    let result = compare(session, &queue, &inputs, &reference, &args.tiles, Progress::hidden());
    let report = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    fs::remove_file(file).unwrap();
    (result, report)
}

#[test]
fn one_wrong_element_ends_the_command_with_code_1_and_the_report_says_which_versions_and_why() {
    let (result, report) = command_against(|_| (), "right");
    assert!(result.is_ok(), "{result:?}");
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["ok"] == true), "{report}");
    let off = 1.5e-4;
    let (result, report) = command_against(|elements| elements[44].value += off * elements[44].magnitude, "wrong");
    let failure = result.unwrap_err();
    assert_eq!(failure.exit_code(), 1);
    let versions = "naive-1, naive-ikj, range, tiled-4, tiled-3, register-tiled, vectorised, transposed-b";
    assert_eq!(failure.to_string(), format!("not ok: {versions}"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert_eq!((&row["ok"], &row["ms"], &row["gflops"]), (&false.into(), &().into(), &().into()), "{row}");
        assert!((row["max_rel_err"].as_f64().unwrap() - off).abs() < 1e-6, "{row}");
        assert_eq!(row["reason"], "the error is over the threshold; it was not timed");
    }
    assert_eq!(report["conclusion"], serde_json::json!([]), "no tile wins");
    // An error below the threshold is none.
    let (result, _) = command_against(|elements| elements[44].value += 0.5e-4 * elements[44].magnitude, "near");
    assert!(result.is_ok(), "{result:?}");
}

/// A report of two tiled versions on two compute units, for a square of this side.
fn report_of_tiles(side: usize, rows: [(usize, f64, usize); 2]) -> Report {
    let row = |(tile, gflops, groups): (usize, f64, usize)| Row {
        version: format!("tiled-{tile}"),
        tile: Some(tile),
        gflops: Some(gflops),
        bytes: Some((side * side * side / tile) as u64),
        groups: Some(groups),
        local_bytes: Some(8 * tile * tile),
        ok: true,
        ..Row::default()
    };
    Report {
        device: DeviceFacts {
            name: "test".to_owned(),
            backend: "cpu".to_owned(),
            selector: "cpu:0".to_owned(),
            driver: "1".to_owned(),
            compute_units: 2,
            local_memory_bytes: 65_536,
            peak_gflops: None,
            peak_gbs: None,
            peak_reason: None,
        },
        benchmark: "gemm",
        problem: Problem::Gemm { m: side, n: side, k: side },
        dtype: args::Dtype::F32,
        seed: 1,
        repeat: 1,
        rows: rows.map(row).into(),
        baseline: None,
        conclusion: Vec::new(),
        warnings: Vec::new(),
        columns: &[],
        chart: Column::Gflops,
    }
}

#[test]
fn idle_compute_units_are_a_reason_only_where_the_best_tile_has_more_groups() {
    let text = super::conclusion::sentences(&report_of_tiles(1, [(8, 2.0, 1), (16, 1.0, 1)])).concat();
    assert!(!text.contains("idle"), "{text}");
    assert!(text.contains("more of its edge tiles lies outside the matrices"), "{text}");
    assert!(text.contains("; 1 of 1 group in flight on 2 compute units"), "{text}");
    let text = super::conclusion::sentences(&report_of_tiles(16, [(8, 2.0, 4), (16, 1.0, 1)])).concat();
    assert!(text.contains("its 1 group leaves compute units idle"), "{text}");
    assert!(text.contains("; 2 of 4 groups in flight on 2 compute units"), "{text}");
}
