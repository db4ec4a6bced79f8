//! The bar chart: one bar a version, with its figure beside it, and the ceiling as a line.

use super::svg::{escape, line, linear_ticks, short, text};
use crate::bench::report::{Column, Report, significant};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 90.0;
const ROW: f64 = 30.0;
const BAR: f64 = 18.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 44.0;

/// The chart of the report's main figure.
pub fn chart(report: &Report) -> String {
    let column = report.chart;
    let figures: Vec<Option<f64>> = report.rows.iter().map(|row| row.figure(column)).collect();
    let largest = figures.iter().flatten().copied().fold(0.0, f64::max);
    let ceiling = ceiling(report).filter(|(value, _)| *value > 0.0);
    let highest = ceiling.map_or(largest, |(value, _)| largest.max(value));
    let highest = if highest > 0.0 { highest } else { 1.0 };
    let height = TOP + ROW * report.rows.len() as f64 + BOTTOM;
    let floor = height - BOTTOM;
    let x = |value: f64| LEFT + value / highest * (WIDTH - LEFT - RIGHT);

    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{} of each version\">",
        escape(&column.heading(None))
    );
    for tick in linear_ticks(highest) {
        svg += &line((x(tick), TOP), (x(tick), floor), "grid");
        svg += &text(x(tick), floor + 16.0, "tick middle", &short(tick));
    }
    svg += &text((LEFT + WIDTH - RIGHT) / 2.0, floor + 34.0, "axis middle", &column.heading(None));
    for (idx, (row, figure)) in report.rows.iter().zip(&figures).enumerate() {
        let y = TOP + ROW * idx as f64;
        let middle = y + ROW / 2.0 + 4.0;
        svg += &text(LEFT - 10.0, middle, "label end", &row.version);
        let Some(figure) = figure else {
            svg += &text(LEFT + 6.0, middle, "label", "not measured");
            continue;
        };
        let width = (x(*figure) - LEFT).max(1.0);
        let class = if !row.ok {
            "bar wrong"
        } else if Some(&row.version) == report.baseline.as_ref() {
            "bar base"
        } else {
            "bar"
        };
        svg += &format!(
            "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\" class=\"{class}\">\
             <title>{}: {} {}</title></rect>",
            y + (ROW - BAR) / 2.0,
            escape(&row.version),
            significant(*figure),
            escape(&column.heading(None)),
        );
        svg += &text(LEFT + width + 8.0, middle, "value", &significant(*figure));
    }
    if let Some((value, name)) = ceiling {
        svg += &line((x(value), TOP - 6.0), (x(value), floor), "roof");
        svg += &text(x(value), TOP - 12.0, "rooftext middle", &format!("{name} {}", significant(value)));
    }
    svg + "</svg>"
}

/// The measured peak that the figure cannot pass, where there is one.
fn ceiling(report: &Report) -> Option<(f64, &'static str)> {
    match report.chart {
        Column::Gflops => Some((report.device.peak_gflops?, "FMA peak")),
        Column::Gbs => Some((report.device.peak_gbs?, "memory bandwidth")),
        _ => None,
    }
}
