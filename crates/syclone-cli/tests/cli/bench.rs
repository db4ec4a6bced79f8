//! The benchmarks at sizes that take no time: what they write, and that every version is right.

use crate::common::{program, run, stderr, stdout};
use serde_json::Value;

fn json(line: &str) -> Value {
    let output = run(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{line}: {error}: {}", stdout(&output)))
}

fn versions(report: &Value) -> Vec<&str> {
    report["rows"].as_array().unwrap().iter().map(|row| row["version"].as_str().unwrap()).collect()
}

/// Every number is finite by the format; here, that the ones which must exist do, and that all is well.
fn assert_sound(report: &Value, rate: &str) {
    for row in report["rows"].as_array().unwrap() {
        assert_eq!(row["ok"], true, "{row}");
        let ms = row["ms"].as_f64().unwrap();
        assert!(ms >= 0.0 && row["ms_min"].as_f64() <= Some(ms) && Some(ms) <= row["ms_max"].as_f64(), "{row}");
        assert!(row["runs"].as_u64().unwrap() >= 1 && row["warm_up_runs"].as_u64().unwrap() >= 1, "{row}");
        assert!(row["max_rel_err"].as_f64().unwrap() <= 1e-4, "{row}");
        let measured = row[rate].as_f64().is_some_and(|rate| rate > 0.0);
        assert!(measured || row["reason"].is_string(), "{row}");
    }
}

#[test]
fn gemm_writes_the_documented_document() {
    let report = json("bench gemm -m 17 -n 33 -k 9 --tiles 8,16 --repeat 2 --seed 7 --json -");
    assert_eq!(report["benchmark"], "gemm");
    assert_eq!((&report["m"], &report["n"], &report["k"]), (&17.into(), &33.into(), &9.into()));
    assert_eq!((&report["dtype"], &report["seed"]), (&"f32".into(), &7.into()));
    let device = &report["device"];
    assert!(device["name"].is_string() && device["backend"] == "cpu");
    assert!(device["peak_gflops"].as_f64().unwrap() > 0.0 && device["peak_gbs"].as_f64().unwrap() > 0.0);
    assert_eq!(
        versions(&report),
        ["naive-1", "naive-ikj", "range", "tiled-8", "tiled-16", "register-tiled", "vectorised", "transposed-b"]
    );
    assert_sound(&report, "gflops");
    let rows = report["rows"].as_array().unwrap();
    assert!(rows[0]["tile"].is_null() && rows[3]["tile"] == 8 && rows[4]["tile"] == 16);
    assert_eq!(rows[0]["speedup"], 1.0);
    for row in rows {
        let (ms, gflops) = (row["ms"].as_f64().unwrap(), row["gflops"].as_f64().unwrap());
        let expected = 2.0 * 17.0 * 33.0 * 9.0 / (ms * 1e6);
        assert!((gflops - expected).abs() <= 1e-9 * expected, "{row}");
        assert!(row["percent_of_peak"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn gemm_is_right_in_every_version_at_sizes_that_fit_nothing() {
    for shape in ["-n 1", "-m 1 -n 7 -k 3", "-m 5 -n 1 -k 9", "-m 65 -n 31 -k 33", "-n 64", "-m 3 -n 130 -k 1"] {
        for dtype in ["f32", "f64"] {
            let line = format!("bench gemm {shape} --tiles 1,4,7,8,16,32 --dtype {dtype} --repeat 1 --json -");
            let report = json(&line);
            assert_eq!(versions(&report).len(), 12, "{line}");
            assert_sound(&report, "gflops");
        }
    }
}

#[test]
fn the_largest_tile_runs_and_a_repeated_one_runs_once() {
    let report = json("bench gemm -n 70 --tiles 64,64 --repeat 1 --json -");
    assert_eq!(versions(&report).iter().filter(|name| **name == "tiled-64").count(), 1);
    assert_sound(&report, "gflops");
}

/// The versions of `launch`.
const LAUNCH: &[&str] = &[
    "wait-each",
    "batched",
    "batched-in-order",
    "chained",
    "submit-only",
    "submit-only-in-order",
    "wait-each-no-events",
    "batched-no-events",
    "submit-only-no-events",
    "graph-chain",
    "graph-side-by-side",
];

#[test]
fn the_options_of_launch_choose_among_its_versions() {
    let chosen = |options: &str| {
        let report = json(&format!("bench launch --kernels-per-sample 20 --repeat 1 {options} --json -"));
        assert_sound(&report, "us_each");
        versions(&report).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(chosen("--in-order --events"), ["wait-each", "batched-in-order", "submit-only-in-order"]);
    assert_eq!(
        chosen("--in-order --events=false --measure-completion"),
        ["wait-each", "wait-each-no-events", "batched-no-events"]
    );
    assert_eq!(chosen("--in-order=false --measure-completion=false"), ["wait-each", "submit-only"]);
    assert_eq!(chosen("--in-order=false --events=false"), ["wait-each", "graph-chain", "graph-side-by-side"]);
}

#[test]
fn the_other_benchmarks_are_right_at_small_and_odd_sizes() {
    let cases = [
        ("stream", "gbs", &["copy", "mul", "add", "triad", "dot", "triad-native"][..]),
        ("reduce", "gbs", &["tree", "shuffle-tree", "reduction", "native"][..]),
        ("stencil", "gbs", &["native", "range", "tiled-16"][..]),
        ("launch", "us_each", LAUNCH),
    ];
    for (benchmark, rate, expected) in cases {
        for n in [1, 2, 37, 300] {
            let report = json(&format!("bench {benchmark} -n {n} --repeat 2 --json -"));
            assert_eq!((&report["benchmark"], &report["n"]), (&benchmark.into(), &n.into()));
            assert_eq!(versions(&report), expected);
            assert_sound(&report, rate);
        }
    }
    assert_sound(&json("bench stream -n 1001 --dtype f64 --repeat 1 --json -"), "gbs");
}

#[test]
fn a_table_goes_to_standard_output_and_nothing_else_when_all_is_well() {
    let output = run("bench gemm -n 20 --tiles 8 --repeat 1 --seed 3");
    let text = stdout(&output);
    for needle in ["seed 3", "naive-ikj", "tiled-8", "over naive-1", "Tile 8 wins on this machine", "warm-up run"] {
        assert!(text.contains(needle), "{needle}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colour away from a terminal");
    assert_eq!(stderr(&output), "", "no progress bar away from a terminal");
}

#[test]
fn the_same_seed_gives_the_same_inputs_and_so_the_same_errors() {
    let errors = |seed| {
        let report = json(&format!("bench gemm -n 40 --tiles 8 --repeat 1 --seed {seed} --json -"));
        report["rows"].as_array().unwrap().iter().map(|row| row["max_rel_err"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(errors(1), errors(1));
    assert_ne!(errors(1), errors(2));
}

#[test]
fn json_on_standard_output_is_alone_there() {
    let output = run("bench reduce -n 100 --repeat 1 --json -");
    assert!(stdout(&output).starts_with('{') && stdout(&output).ends_with("}\n"));
    assert!(stderr(&output).contains("shuffle-tree"), "the table goes to standard error");
}

#[test]
fn as_many_workers_as_the_environment_says() {
    let output = program()
        .args(["bench", "gemm", "-n", "30", "--tiles", "8", "--repeat", "1", "--json", "-"])
        .env("SYCLONE_CPU_THREADS", "1")
        .output()
        .unwrap();
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["device"]["compute_units"], 1);
}

#[test]
fn a_tile_that_is_named_twice_is_one_version() {
    let report = json("bench gemm -n 16 --tiles 8,4,8,8 --repeat 1 --json -");
    let tiles: Vec<_> = report["rows"].as_array().unwrap().iter().filter_map(|row| row["tile"].as_u64()).collect();
    assert_eq!(tiles.iter().filter(|tile| **tile == 8).count(), 1, "{tiles:?}");
    assert_eq!(tiles.iter().filter(|tile| **tile == 4).count(), 1, "{tiles:?}");
}

#[test]
fn a_hundred_repetitions_are_a_hundred_runs_and_take_their_time() {
    let began = std::time::Instant::now();
    // Few launches a run, so that a hundred runs fit into the program's time also where each launch waits for a busy machine.
    let report = json("bench launch -n 4 --repeat 100 --json -");
    let elapsed = began.elapsed().as_secs_f64() * 1e3;
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["runs"] == 100), "{report}");
    // Half of each version's runs took at least its median, and the others at least its shortest time.
    let figure = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let least: f64 = rows.iter().map(|row| 50.0 * (figure(row, "ms") + figure(row, "ms_min"))).sum();
    assert!(elapsed >= least && least > 0.0, "{elapsed} ms in all, at least {least} of them in runs");
}
