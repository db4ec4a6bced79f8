//! The roofline plot: what a version does for each byte it asks for, against what the machine allows for that.

use super::svg::{LogScale, escape, line, text};
use crate::bench::report::{Report, Row, significant};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 470.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 56.0;
/// The least distance between the base lines of two labels that share columns.
const LABEL_STEP: f64 = 15.0;
/// About the width of a character.
const CHARACTER: f64 = 7.5;

/// A version in the plot.
struct Point<'a> {
    row: &'a Row,
    /// Operations a byte.
    intensity: f64,
    gflops: f64,
}

/// The plot; none when no version has both operations and bytes, or a peak is missing.
pub fn plot(report: &Report) -> Option<String> {
    let (peak, bandwidth) = (report.device.peak_gflops?, report.device.peak_gbs?);
    let points: Vec<Point<'_>> = report.rows.iter().filter_map(point).collect();
    if points.is_empty() {
        return None;
    }
    let ridge = peak / bandwidth;
    let intensities = points.iter().map(|point| point.intensity).chain([ridge / 4.0, ridge * 4.0]);
    let x = LogScale::covering(intensities, LEFT, WIDTH - RIGHT);
    let rates = points.iter().map(|point| point.gflops).chain([peak, x.ends().0 * bandwidth]);
    let y = LogScale::covering(rates, HEIGHT - BOTTOM, TOP);
    let floor = HEIGHT - BOTTOM;

    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"roofline plot\">");
    for (value, label) in x.ticks() {
        svg += &line((x.place(value), TOP), (x.place(value), floor), "grid");
        svg += &text(x.place(value), floor + 16.0, "tick middle", &label);
    }
    for (value, label) in y.ticks() {
        svg += &line((LEFT, y.place(value)), (WIDTH - RIGHT, y.place(value)), "grid");
        svg += &text(LEFT - 8.0, y.place(value) + 4.0, "tick end", &label);
    }
    svg += &text(
        (LEFT + WIDTH - RIGHT) / 2.0,
        floor + 38.0,
        "axis middle",
        "operations for each byte of the access count",
    );
    svg += &format!(
        "<text class=\"axis middle\" transform=\"translate(16 {:.1}) rotate(-90)\">GFLOP/s</text>",
        (TOP + floor) / 2.0
    );
    svg += &roofs(x, y, peak, bandwidth);
    svg += &marks(&points, x, y);
    Some(svg + "</svg>")
}

fn point(row: &Row) -> Option<Point<'_>> {
    let (gflops, gbs) = (row.gflops?, row.gbs?);
    (gflops > 0.0 && gbs > 0.0).then(|| Point { row, intensity: gflops / gbs, gflops })
}

fn roofs(x: LogScale, y: LogScale, peak: f64, bandwidth: f64) -> String {
    let ridge = peak / bandwidth;
    let (first, last) = x.ends();
    let corner = (x.place(ridge), y.place(peak));
    // The slanted roof begins where it enters the plot.
    let enters = first.max(y.ends().0 / bandwidth);
    let mut svg = line((x.place(enters), y.place(enters * bandwidth)), corner, "roof");
    svg += &line(corner, (x.place(last), corner.1), "roof");
    svg += &text(x.place(last), corner.1 - 7.0, "rooftext end", &format!("FMA peak {} GFLOP/s", significant(peak)));
    let (start, rise) = ((x.place(enters), y.place(enters * bandwidth)), (corner.1, corner.0));
    let angle = (rise.0 - start.1).atan2(rise.1 - start.0).to_degrees();
    // Below the roof, where versions that are bound by memory leave room.
    let along = 0.7;
    svg += &format!(
        "<text class=\"rooftext middle\" transform=\"translate({:.1} {:.1}) rotate({angle:.1})\" dy=\"17\">memory {} GB/s</text>",
        start.0 + along * (corner.0 - start.0),
        start.1 + along * (corner.1 - start.1),
        significant(bandwidth),
    );
    svg
}

/// The points, and their names beside them, moved apart where they would cover each other.
fn marks(points: &[Point<'_>], x: LogScale, y: LogScale) -> String {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| y.place(points[*a].gflops).total_cmp(&y.place(points[*b].gflops)));
    let mut svg = String::new();
    // Where labels are: their two ends, and their base lines.
    let mut placed: Vec<(f64, f64, f64)> = Vec::new();
    for point in order.into_iter().map(|idx| &points[idx]) {
        let at = (x.place(point.intensity), y.place(point.gflops));
        let width = 10.0 + CHARACTER * point.row.version.chars().count() as f64;
        let leftwards = at.0 + width > WIDTH - RIGHT;
        let (start, end) = if leftwards { (at.0 - width, at.0) } else { (at.0, at.0 + width) };
        let mut label = at.1 + 4.0;
        while placed.iter().any(|(s, e, y)| *s < end && start < *e && (y - label).abs() < LABEL_STEP) {
            label += LABEL_STEP;
        }
        placed.push((start, end, label));
        let class = if point.row.ok { "mark" } else { "mark wrong" };
        svg += &format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" class=\"{class}\"><title>{}: {} GFLOP/s, {} operations a byte</title></circle>",
            at.0,
            at.1,
            escape(&point.row.version),
            significant(point.gflops),
            significant(point.intensity),
        );
        let (offset, class) = if leftwards { (-10.0, "label end") } else { (10.0, "label") };
        svg += &text(at.0 + offset, label, class, &point.row.version);
    }
    svg
}
