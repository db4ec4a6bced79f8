//! What a benchmark found: the one value that the table, the JSON, the CSV and the HTML page are made from.

use std::time::Duration;

use serde::Serialize;

use super::measure::{Outcome, Timing, Verdict};
use crate::args::Dtype;

/// A whole report. Its fields are the JSON document's.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Where it ran.
    pub device: DeviceFacts,
    /// The benchmark's name on the command line.
    pub benchmark: &'static str,
    /// The size of the problem.
    #[serde(flatten)]
    pub problem: Problem,
    /// The element type.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: Dtype,
    /// The seed of the inputs.
    pub seed: u64,
    /// Timed runs that were asked for.
    pub repeat: usize,
    /// A row a version.
    pub rows: Vec<Row>,
    /// The version that speed-ups are relative to.
    pub baseline: Option<String>,
    /// What the figures say, in sentences.
    pub conclusion: Vec<String>,
    /// Figures that are not to be trusted, and why.
    pub warnings: Vec<String>,
    /// What the rows show in the table and on the page, in order.
    #[serde(skip)]
    pub columns: &'static [Column],
    /// The figure that the bar chart shows.
    #[serde(skip)]
    pub chart: Column,
}

/// The device, and its measured ceilings.
#[derive(Debug, Clone, Serialize)]
pub struct DeviceFacts {
    /// The device's name.
    pub name: String,
    /// The back end that runs it.
    pub backend: String,
    /// What `--device` takes.
    pub selector: String,
    /// The driver's version.
    pub driver: String,
    /// Compute units; on the CPU, worker threads.
    pub compute_units: usize,
    /// Local memory of one work-group.
    pub local_memory_bytes: usize,
    /// Measured peak of fused multiply-add in the benchmark's element type.
    pub peak_gflops: Option<f64>,
    /// Measured memory bandwidth.
    pub peak_gbs: Option<f64>,
    /// Why a peak is missing.
    pub peak_reason: Option<String>,
}

/// The size of the problem, under the names that the options have.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Problem {
    /// A matrix product.
    Gemm {
        /// Rows of the product.
        m: usize,
        /// Columns of the product.
        n: usize,
        /// The inner size.
        k: usize,
    },
    /// Elements, grid rows or launches, as the benchmark says.
    Size {
        /// How many.
        n: usize,
    },
}

/// One version's figures. A figure that does not exist is null, and `reason` says why when it should have been there.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Row {
    /// The version's name.
    pub version: String,
    /// Its tile, where it has one.
    pub tile: Option<usize>,
    /// Median time of a run.
    pub ms: Option<f64>,
    /// Shortest time.
    pub ms_min: Option<f64>,
    /// Longest time.
    pub ms_max: Option<f64>,
    /// Timed runs.
    pub runs: usize,
    /// Runs before and between them, not counted.
    pub warm_up_runs: usize,
    /// Floating-point operations in a second, in thousands of millions.
    pub gflops: Option<f64>,
    /// Bytes of the access count in a second, in thousands of millions.
    pub gbs: Option<f64>,
    /// Microseconds of one launch.
    pub us_each: Option<f64>,
    /// The baseline's time over this version's.
    pub speedup: Option<f64>,
    /// Share of the device's measured peak: FMA where work is arithmetic, bandwidth where it is memory.
    pub percent_of_peak: Option<f64>,
    /// Bytes from and to global memory by the access count: what the kernel asks for, whatever the caches give.
    pub bytes: Option<u64>,
    /// Local memory of one work-group.
    pub local_bytes: Option<usize>,
    /// Work-groups of one run.
    pub groups: Option<usize>,
    /// Largest error relative to the magnitude of what was added up.
    pub max_rel_err: Option<f64>,
    /// Whether it ran and every result was right.
    pub ok: bool,
    /// Why it is not ok, or why a figure is missing.
    pub reason: Option<String>,
    /// What a reader should know.
    pub note: Option<String>,
}

/// What one run of a version does, by count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Work {
    /// Floating-point operations.
    pub flops: Option<f64>,
    /// Bytes from and to global memory.
    pub bytes: Option<u64>,
    /// Launches.
    pub launches: Option<usize>,
}

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The version's name.
    Version,
    /// Median time.
    Ms,
    /// Shortest and longest time.
    Spread,
    /// Timed runs.
    Runs,
    /// GFLOP/s.
    Gflops,
    /// GB/s.
    Gbs,
    /// Microseconds a launch.
    UsEach,
    /// Speed-up over the baseline.
    Speedup,
    /// Percent of the FMA peak.
    PercentOfFma,
    /// Percent of the memory bandwidth.
    PercentOfBandwidth,
    /// Bytes by the access count.
    Bytes,
    /// Largest relative error.
    MaxRelErr,
    /// Verdict.
    Ok,
}

impl Problem {
    /// The longest side of what is computed.
    pub fn longest_side(self) -> usize {
        match self {
            Problem::Gemm { m, n, k } => m.max(n).max(k),
            Problem::Size { n } => n,
        }
    }
}

impl Row {
    /// The row of a version that does `work` a run, after `outcome`.
    pub fn new(version: &str, work: Work, outcome: &Outcome) -> Self {
        let row = Row { version: version.to_owned(), bytes: work.bytes, ..Row::default() };
        match outcome {
            Outcome::Timed { timing, verdict } => row.timed(work, timing, verdict),
            Outcome::Wrong(verdict) => {
                let row = row.judged(verdict);
                let reason = row.reason.unwrap_or_default();
                Row { reason: Some(format!("{reason}; it was not timed")), ..row }
            }
            Outcome::Failed(failure) => Row { reason: Some(format!("it did not run: {failure}")), ..row },
        }
    }

    fn timed(mut self, work: Work, timing: &Timing, verdict: &Verdict) -> Self {
        let seconds = timing.median().as_secs_f64();
        self.ms = Some(milliseconds(timing.median()));
        self.ms_min = Some(milliseconds(timing.min()));
        self.ms_max = Some(milliseconds(timing.max()));
        self.runs = timing.runs();
        self.warm_up_runs = timing.warm_up_runs;
        let mut row = self.judged(verdict);
        if seconds > 0.0 {
            row.gflops = work.flops.map(|flops| flops / seconds / 1e9);
            row.gbs = work.bytes.map(|bytes| bytes as f64 / seconds / 1e9);
            row.us_each = work.launches.map(|launches| seconds * 1e6 / launches as f64);
        } else if row.reason.is_none() {
            row.reason = Some("a run was shorter than the clock's step, so there is no rate".to_owned());
        }
        row
    }

    fn judged(mut self, verdict: &Verdict) -> Self {
        self.ok = verdict.ok;
        self.max_rel_err = Some(verdict.max_rel_err).filter(|error| error.is_finite());
        if self.max_rel_err.is_none() {
            self.reason = Some("an element was not written, or is not a number".to_owned());
        } else if !verdict.ok {
            self.reason = Some("the error is over the threshold".to_owned());
        }
        self
    }

    /// The figure behind a column, for charts.
    pub fn figure(&self, column: Column) -> Option<f64> {
        match column {
            Column::Version | Column::Ok | Column::Spread => None,
            Column::Ms => self.ms,
            Column::Runs => Some(self.runs as f64),
            Column::Gflops => self.gflops,
            Column::Gbs => self.gbs,
            Column::UsEach => self.us_each,
            Column::Speedup => self.speedup,
            Column::PercentOfFma | Column::PercentOfBandwidth => self.percent_of_peak,
            Column::Bytes => self.bytes.map(|bytes| bytes as f64),
            Column::MaxRelErr => self.max_rel_err,
        }
    }

    /// The row's text in a column.
    pub fn cell(&self, column: Column) -> String {
        let text = |figure: Option<f64>, write: fn(f64) -> String| figure.map_or_else(|| "–".to_owned(), write);
        match column {
            Column::Version => self.version.clone(),
            Column::Ok => if self.ok { "yes" } else { "NO" }.to_owned(),
            Column::Spread => match (self.ms_min, self.ms_max) {
                (Some(min), Some(max)) => format!("{}–{}", significant(min), significant(max)),
                _ => "–".to_owned(),
            },
            Column::Runs => self.runs.to_string(),
            Column::Speedup => text(self.speedup, |v| format!("{}×", significant(v))),
            Column::PercentOfFma | Column::PercentOfBandwidth => text(self.percent_of_peak, significant),
            Column::Bytes => text(self.bytes.map(|bytes| bytes as f64), bytes_text),
            Column::MaxRelErr => text(self.max_rel_err, |v| format!("{v:.1e}")),
            Column::Ms | Column::Gflops | Column::Gbs | Column::UsEach => text(self.figure(column), significant),
        }
    }
}

impl Column {
    /// The columns of a benchmark that measures memory.
    pub const OF_MEMORY: &[Column] = &[
        Self::Version,
        Self::Ms,
        Self::Spread,
        Self::Runs,
        Self::Gbs,
        Self::Speedup,
        Self::PercentOfBandwidth,
        Self::Bytes,
        Self::MaxRelErr,
        Self::Ok,
    ];

    /// The column's heading.
    pub fn heading(self, baseline: Option<&str>) -> String {
        match self {
            Column::Version => "version".to_owned(),
            Column::Ms => "ms (median)".to_owned(),
            Column::Spread => "min–max".to_owned(),
            Column::Runs => "runs".to_owned(),
            Column::Gflops => "GFLOP/s".to_owned(),
            Column::Gbs => "GB/s".to_owned(),
            Column::UsEach => "µs each".to_owned(),
            Column::Speedup => match baseline {
                Some(baseline) => format!("over {baseline}"),
                None => "speed-up".to_owned(),
            },
            Column::PercentOfFma => "% of FMA peak".to_owned(),
            Column::PercentOfBandwidth => "% of bandwidth".to_owned(),
            Column::Bytes => "bytes, global".to_owned(),
            Column::MaxRelErr => "max rel err".to_owned(),
            Column::Ok => "ok".to_owned(),
        }
    }
}

impl Report {
    /// Fills in what needs more than one row: speed-ups, shares of the peaks, and warnings about impossible ones.
    ///
    /// It can be called again when the peaks have changed.
    pub fn relate(&mut self) {
        self.warnings.clear();
        let base = self.baseline.as_ref().and_then(|name| self.rows.iter().find(|row| row.version == *name));
        let base = base.and_then(|row| row.ms);
        let memory_bound = self.columns.contains(&Column::PercentOfBandwidth);
        let (peak, unit) = match memory_bound {
            true => (self.device.peak_gbs, "GB/s"),
            false => (self.device.peak_gflops, "GFLOP/s"),
        };
        for row in &mut self.rows {
            row.speedup = ratio(base, row.ms);
            let rate = if memory_bound { row.gbs } else { row.gflops };
            row.percent_of_peak = ratio(rate, peak).map(|share| 100.0 * share);
            if let (Some(rate), Some(peak)) = (rate, peak)
                && rate > peak
            {
                let why = match memory_bound {
                    true => "the data fit in the caches, or the machine was busy when the peak was measured",
                    false => "the machine was busy when the peak was measured",
                };
                self.warnings.push(format!(
                    "{}: {} {unit} is above the measured peak of {} {unit}: {why}",
                    row.version,
                    significant(rate),
                    significant(peak)
                ));
            }
        }
    }

    /// The versions that are not ok.
    pub fn failures(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| !row.ok).collect()
    }

    /// One line that says what was run.
    pub fn title(&self) -> String {
        let what = match (self.benchmark, self.problem) {
            (_, Problem::Gemm { m, n, k }) => format!("C = A·B, M = {m}, N = {n}, K = {k}"),
            ("stencil", Problem::Size { n }) => format!("{n} × {n} points"),
            ("launch", Problem::Size { n }) => format!("{n} launches a run"),
            (_, Problem::Size { n }) => format!("{n} elements"),
        };
        match self.benchmark {
            "launch" => format!("launch: {what}"),
            name => format!("{name}: {what}, {}, inputs from seed {}", self.dtype, self.seed),
        }
    }

    /// One line that says where it ran.
    pub fn device_line(&self) -> String {
        let device = &self.device;
        let mut line = format!("{} ({}), {} compute units", device.name, device.selector, device.compute_units);
        if let Some(gflops) = device.peak_gflops {
            line += &format!("; measured peak {} GFLOP/s of fused multiply-add", significant(gflops));
        }
        if let Some(gbs) = device.peak_gbs {
            line += &format!("; measured bandwidth {} GB/s", significant(gbs));
        }
        line
    }

    /// One line that says how it was timed.
    pub fn method_line(&self) -> String {
        "Each version is verified, then timed after one warm-up run that is not counted, its output is poisoned before \
         every run, and the versions take turns; a run of less than 20 ms follows one of its own that is not counted."
            .to_owned()
    }
}

fn ratio(above: Option<f64>, below: Option<f64>) -> Option<f64> {
    match (above, below) {
        (Some(above), Some(below)) if below > 0.0 => Some(above / below),
        _ => None,
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn dtype_name<S: serde::Serializer>(dtype: &Dtype, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dtype.name())
}

/// A figure with three significant digits, and no exponent.
pub fn significant(value: f64) -> String {
    let digits = match value.abs() {
        magnitude if magnitude >= 100.0 => 0,
        magnitude if magnitude >= 10.0 => 1,
        magnitude if magnitude >= 1.0 => 2,
        magnitude if magnitude >= 0.1 => 3,
        magnitude if magnitude >= 0.01 => 4,
        magnitude if magnitude >= 0.001 => 5,
        _ => 6,
    };
    format!("{value:.digits$}")
}

/// A number of bytes in the decimal units that GB/s is counted in.
pub fn bytes_text(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{value} B"),
        _ => format!("{} {}", significant(value), units[unit]),
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
pub(in crate::bench) mod tests;
