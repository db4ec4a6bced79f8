use super::*;
use crate::failure::Failure;

const COLUMNS: &[Column] = &[Column::Version, Column::Gflops, Column::PercentOfFma];

fn timed(ms: u64) -> Outcome {
    let timing = Timing::new(vec![Duration::from_millis(ms)], 1).unwrap();
    Outcome::Timed { timing, verdict: Verdict { max_rel_err: 1e-7, ok: true } }
}

fn work() -> Work {
    Work { flops: Some(2e9), bytes: Some(1_000_000_000), launches: None }
}

pub(in crate::bench) fn report(rows: Vec<Row>) -> Report {
    let mut report = Report {
        device: DeviceFacts {
            name: "a <test> device".to_owned(),
            backend: "cpu".to_owned(),
            selector: "cpu:0".to_owned(),
            driver: "1".to_owned(),
            compute_units: 2,
            local_memory_bytes: 65536,
            peak_gflops: Some(100.0),
            peak_gbs: Some(10.0),
            peak_reason: None,
        },
        benchmark: "gemm",
        problem: Problem::Gemm { m: 1, n: 2, k: 3 },
        dtype: Dtype::F32,
        seed: 9,
        repeat: 1,
        rows,
        baseline: Some("slow".to_owned()),
        conclusion: vec!["tile 16 wins".to_owned()],
        warnings: Vec::new(),
        columns: COLUMNS,
        chart: Column::Gflops,
    };
    report.relate();
    report
}

#[test]
fn rates_come_from_the_median() {
    let row = Row::new("a", work(), &timed(100));
    assert_eq!((row.ms, row.gflops, row.gbs), (Some(100.0), Some(20.0), Some(10.0)));
    assert!(row.ok && row.reason.is_none());
}

#[test]
fn a_time_of_zero_gives_no_rate_and_says_why() {
    let row = Row::new("a", work(), &timed(0));
    assert_eq!((row.ms, row.gflops, row.gbs), (Some(0.0), None, None));
    assert!(row.reason.unwrap().contains("clock"));
}

#[test]
fn speed_up_and_share_of_the_peak_relate_rows_to_baseline_and_device() {
    let report = report(vec![Row::new("slow", work(), &timed(400)), Row::new("fast", work(), &timed(100))]);
    assert_eq!(report.rows[0].speedup, Some(1.0));
    assert_eq!(report.rows[1].speedup, Some(4.0));
    assert_eq!(report.rows[1].percent_of_peak, Some(20.0));
    assert!(report.warnings.is_empty());
}

#[test]
fn a_figure_above_the_peak_is_warned_about() {
    let report = report(vec![Row::new("slow", work(), &timed(10))]);
    assert_eq!(report.warnings.len(), 1);
    assert!(
        report.warnings[0].contains("slow: 200 GFLOP/s is above the measured peak of 100"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_better_measurement_of_the_peak_takes_the_warning_back() {
    let mut report = report(vec![Row::new("slow", work(), &timed(10))]);
    report.device.peak_gflops = Some(400.0);
    report.relate();
    assert!(report.warnings.is_empty());
    assert_eq!(report.rows[0].percent_of_peak, Some(50.0));
}

#[test]
fn wrong_and_failed_versions_have_no_time_and_a_reason() {
    let wrong = Row::new("a", work(), &Outcome::Wrong(Verdict { max_rel_err: f64::INFINITY, ok: false }));
    assert_eq!((wrong.ms, wrong.max_rel_err, wrong.ok), (None, None, false));
    assert!(wrong.reason.unwrap().contains("not a number"));
    let failed = Row::new("b", work(), &Outcome::Failed(Failure::NotOk("no memory".to_owned())));
    assert!(!failed.ok);
    assert_eq!(failed.reason.unwrap(), "it did not run: no memory");
}

#[test]
fn json_never_holds_a_number_that_is_not_finite() {
    let report = report(vec![Row { ms: Some(f64::NAN), gflops: Some(f64::INFINITY), ..Row::default() }]);
    let text = crate::bench::json::render(&report).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(value["rows"][0]["ms"].is_null() && value["rows"][0]["gflops"].is_null());
    assert_eq!((&value["m"], &value["k"], &value["dtype"]), (&1.into(), &3.into(), &"f32".into()));
    assert_eq!(value["device"]["peak_gflops"], 100.0);
}

#[test]
fn csv_quotes_what_would_end_a_field() {
    let reason = Some("a, \"b\"".to_owned());
    let text = crate::bench::csv::render(&report(vec![Row { version: "v".to_owned(), reason, ..Row::default() }]));
    assert!(text.lines().nth(1).unwrap().ends_with(",false,\"a, \"\"b\"\"\""), "{text}");
    assert_eq!(text.lines().next().unwrap().split(',').count(), 20);
}

#[test]
fn figures_have_three_significant_digits() {
    let texts: Vec<_> = [3456.0, 34.56, 3.456, 0.3456, 0.003456].into_iter().map(significant).collect();
    assert_eq!(texts, ["3456", "34.6", "3.46", "0.346", "0.00346"]);
}

#[test]
fn bytes_are_counted_in_decimal_units() {
    let texts: Vec<_> = [0.0, 999.0, 1000.0, 8_594_128_896.0].into_iter().map(bytes_text).collect();
    assert_eq!(texts, ["0 B", "999 B", "1.00 kB", "8.59 GB"]);
}
