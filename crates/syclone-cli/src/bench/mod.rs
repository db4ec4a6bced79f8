//! `syclone bench`: each benchmark makes [`version::Version`]s and a [`report::Report`]; the rest is common.
//!
//! | module | its one job |
//! | --- | --- |
//! | `gemm`, `stream`, `reduce`, `stencil`, `launch` | the benchmarks: what runs, what it is checked against, what follows |
//! | `target`, `peak` | the device and its measured ceilings |
//! | `version`, `measure`, `progress` | running, verifying and timing versions |
//! | `report` | the result as a value |
//! | `table`, `json`, `csv`, `html`, `outputs` | the result as text, and where it goes |

mod csv;
mod gemm;
mod html;
mod json;
mod launch;
mod measure;
mod outputs;
mod peak;
mod progress;
mod reduce;
mod report;
mod stencil;
mod stream;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod version;

use crate::args::{Bench, Common, Dtype};

use crate::failure::Failure;
use crate::host::random;

use outputs::Outputs;
use progress::Progress;
pub use report::bytes_text;
use report::{Column, Problem, Report};
use target::Target;

/// Runs a benchmark, writes its report, and fails when a version did.
pub fn run(benchmark: &Bench) -> Result<(), Failure> {
    match benchmark {
        Bench::Gemm(args) => gemm::run(args),
        Bench::Stream(args) => stream::run(args),
        Bench::Reduce(args) => reduce::run(args),
        Bench::Stencil(args) => stencil::run(args),
        Bench::Launch(args) => launch::run(args),
    }
}

/// What a benchmark has before its versions run: the files are open, the device is there.
struct Session {
    outputs: Outputs,
    target: Target,
    seed: u64,
    repeat: usize,
}

/// What a benchmark tells the report.
struct Description {
    benchmark: &'static str,
    problem: Problem,
    dtype: Dtype,
    columns: &'static [Column],
    chart: Column,
    baseline: &'static str,
}

impl Session {
    /// Checks everything that the common options name.
    fn open(common: &Common) -> Result<Self, Failure> {
        Ok(Session {
            target: Target::select(common.device.as_deref())?,
            outputs: Outputs::open(common)?,
            seed: common.seed.unwrap_or_else(random::fresh_seed),
            repeat: common.repeat,
        })
    }

    /// An error when the benchmark's data are more than the device's memory.
    fn require_memory(&self, bytes: Option<usize>) -> Result<(), Failure> {
        let limit = self.target.device.info().global_memory_bytes;
        let needed = match bytes {
            Some(bytes) if bytes <= limit => return Ok(()),
            Some(bytes) => report::bytes_text(bytes as f64),
            None => format!("more than {}, which no address can count", report::bytes_text(usize::MAX as f64)),
        };
        Err(Failure::Usage(format!(
            "this size needs {needed}, and {} has {}; choose a smaller one",
            self.target.facts.selector,
            report::bytes_text(limit as f64)
        )))
    }

    /// Measures the peaks in the benchmark's element type.
    fn measure_peaks(&mut self, dtype: Dtype, progress: &Progress) {
        progress.step("measuring the device's peaks");
        let peaks = peak::measure(&mut self.target.team, dtype);
        self.target.note_peaks(peaks);
    }

    /// Makes the report of the measured rows, writes it, and says whether all went well.
    fn finish(
        self,
        description: &Description,
        rows: Vec<report::Row>,
        conclude: impl FnOnce(&Report) -> Vec<String>,
    ) -> Result<(), Failure> {
        let mut target = self.target;
        let mut report = Report {
            device: target.facts.clone(),
            benchmark: description.benchmark,
            problem: description.problem,
            dtype: description.dtype,
            seed: self.seed,
            repeat: self.repeat,
            rows,
            baseline: Some(description.baseline.to_owned()),
            conclusion: Vec::new(),
            warnings: Vec::new(),
            columns: description.columns,
            chart: description.chart,
        };
        report.relate();
        if !report.warnings.is_empty() {
            // Nothing is faster than the peak: the machine may have been busy when it was measured.
            let peaks = peak::measure(&mut target.team, description.dtype);
            target.note_peaks(peaks);
            report.device = target.facts;
            report.relate();
        }
        report.conclusion = conclude(&report);
        self.outputs.write(&report)?;
        let failed: Vec<&str> = report.failures().iter().map(|row| row.version.as_str()).collect();
        match failed.is_empty() {
            true => Ok(()),
            false => Err(Failure::NotOk(format!("not ok: {}", failed.join(", ")))),
        }
    }
}
