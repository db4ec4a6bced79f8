use super::svg::{LogScale, escape, linear_ticks};
use super::{bars, render, roofline};
use crate::bench::report::Row;
use crate::bench::report::tests::report;

fn rows() -> Vec<Row> {
    let row = |version: &str, gflops: f64, gbs: f64| Row {
        version: version.to_owned(),
        ms: Some(1.0),
        gflops: Some(gflops),
        gbs: Some(gbs),
        ok: true,
        ..Row::default()
    };
    let failed = Row { version: "bad <one>".to_owned(), reason: Some("no & never".to_owned()), ..Row::default() };
    vec![row("slow", 1.0, 2.0), row("fast", 50.0, 5.0), failed]
}

#[test]
fn text_cannot_become_markup() {
    assert_eq!(escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
}

#[test]
fn the_page_holds_table_chart_and_roofline_and_fetches_nothing() {
    let page = render(&report(rows()));
    for needle in
        ["<table>", "<svg", "FMA peak", "memory 10.0 GB/s", "bad &lt;one&gt;", "no &amp; never", "tile 16 wins"]
    {
        assert!(page.contains(needle), "{needle}");
    }
    assert!(!page.contains("http") && !page.contains("<script") && !page.contains("<link"), "must be self-contained");
    assert!(!page.contains("NaN") && !page.contains("inf\""), "no coordinate may be lost");
}

#[test]
fn a_bar_is_as_long_as_its_share_of_the_ceiling() {
    let chart = bars::chart(&report(rows()));
    // 50 of a ceiling of 100 is half of the 620 units between the margins.
    assert!(chart.contains("width=\"310.0\""), "{chart}");
    assert!(chart.contains("not measured"));
}

#[test]
fn a_report_without_figures_still_has_a_page_and_no_roofline() {
    let empty = report(vec![Row { version: "slow".to_owned(), ..Row::default() }]);
    assert!(roofline::plot(&empty).is_none());
    assert!(!render(&empty).contains("NaN"));
}

#[test]
fn a_log_scale_ends_at_powers_of_ten_and_places_values_between() {
    let scale = LogScale::covering([0.5, 30.0, 0.0, f64::INFINITY].into_iter(), 0.0, 300.0);
    assert_eq!(scale.ends(), (0.1, 100.0));
    assert!((scale.place(1.0) - 100.0).abs() < 1e-9);
    assert_eq!(scale.ticks().into_iter().map(|tick| tick.1).collect::<Vec<_>>(), ["0.1", "1", "10", "100"]);
}

#[test]
fn linear_ticks_are_round_and_few() {
    assert_eq!(linear_ticks(233.0), [0.0, 50.0, 100.0, 150.0, 200.0]);
    assert_eq!(linear_ticks(0.0), [0.0]);
    assert!(linear_ticks(1e-7).len() <= 7 && linear_ticks(f64::NAN).len() == 1);
}
