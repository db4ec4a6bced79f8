//! Timing: what is run how often, what is left out, and what a result must survive to be timed.
//!
//! Every version is run once first: that run warms caches and builds what is built on first use, and it is not
//! counted. Its result is verified; a wrong one is not timed at all. Then the versions take turns, one timed run each
//! a round, so that a slow moment of the machine falls on all of them. Every run, the first included, begins with a
//! poisoned output. The result of a version's last run is verified again, before another version runs: versions may
//! share memory.
//!
//! A short timed run follows a run of its own that is not counted: what it finds in the caches, and how awake the
//! threads are, is then its own doing and not that of the version whose turn came before.

use std::time::{Duration, Instant};

use super::progress::Progress;
use crate::failure::Failure;

/// What one version's timed runs may take in all; a slow version gets fewer of them, and its row says how many.
const TIME_BUDGET: Duration = Duration::from_secs(8);
/// A run shorter than this is preceded by one that is not counted; a longer one finds little that another version left.
const SHORT_RUN: Duration = Duration::from_millis(20);
/// A first run this long needs no warming up: it is the timed run.
const LONG_RUN: Duration = Duration::from_secs(10);

/// One version of a benchmark, ready to run.
pub trait Contender {
    /// Overwrites the output with values that no right result has.
    fn poison(&mut self) -> Result<(), Failure>;
    /// Runs once and waits for the end. This is what is timed.
    fn run(&mut self) -> Result<(), Failure>;
    /// Compares the output with the reference.
    fn verify(&mut self) -> Result<Verdict, Failure>;
}

/// A version whose three steps are closures.
pub struct Steps<P, R, V> {
    /// [`Contender::poison`]
    pub poison: P,
    /// [`Contender::run`]
    pub run: R,
    /// [`Contender::verify`]
    pub verify: V,
}

impl<P, R, V> Contender for Steps<P, R, V>
where
    P: FnMut() -> Result<(), Failure>,
    R: FnMut() -> Result<(), Failure>,
    V: FnMut() -> Result<Verdict, Failure>,
{
    fn poison(&mut self) -> Result<(), Failure> {
        (self.poison)()
    }

    fn run(&mut self) -> Result<(), Failure> {
        (self.run)()
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        (self.verify)()
    }
}

/// How right a result is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The largest error, relative to the magnitude of what was added up; infinite when an element is not a number.
    pub max_rel_err: f64,
    /// Whether that is within the threshold.
    pub ok: bool,
}

/// The times of a version's runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    samples: Vec<Duration>,
    /// Runs that are not among the samples.
    pub warm_up_runs: usize,
}

impl Verdict {
    /// The verdict on results that should all be `expected`, with errors relative to `magnitude`.
    pub fn of(values: impl Iterator<Item = (f64, f64)>, magnitude: f64, tolerance: f64) -> Self {
        let error = |(value, expected): (f64, f64)| {
            let error = (value - expected).abs() / magnitude;
            // `f64::max` would skip a NaN.
            if error.is_nan() { f64::INFINITY } else { error }
        };
        let max_rel_err = values.map(error).fold(0.0, f64::max);
        Verdict { max_rel_err, ok: max_rel_err <= tolerance }
    }
}

impl Timing {
    /// The timing of these runs; there is at least one.
    pub fn new(mut samples: Vec<Duration>, warm_up_runs: usize) -> Option<Self> {
        samples.sort_unstable();
        (!samples.is_empty()).then_some(Timing { samples, warm_up_runs })
    }

    /// The middle of the times; the mean of the two middle ones when their number is even.
    pub fn median(&self) -> Duration {
        let middle = self.samples.len() / 2;
        if self.samples.len() % 2 == 1 {
            self.samples[middle]
        } else {
            (self.samples[middle - 1] + self.samples[middle]) / 2
        }
    }

    /// The shortest time.
    pub fn min(&self) -> Duration {
        self.samples[0]
    }

    /// The longest time.
    pub fn max(&self) -> Duration {
        self.samples[self.samples.len() - 1]
    }

    /// How many runs were timed.
    pub fn runs(&self) -> usize {
        self.samples.len()
    }
}

/// What became of one version.
#[derive(Debug)]
pub enum Outcome {
    /// It ran, and was verified before and after.
    Timed {
        /// The times.
        timing: Timing,
        /// The worse of the two verdicts.
        verdict: Verdict,
    },
    /// Its first result was wrong.
    Wrong(Verdict),
    /// It did not run.
    Failed(Failure),
}

/// A version between its first and its last run.
struct Runner<'a> {
    name: &'a str,
    contender: &'a mut dyn Contender,
    /// `Err` once the outcome is known.
    state: Result<Timed, Outcome>,
}

struct Timed {
    samples: Vec<Duration>,
    warm_up_runs: usize,
    wanted: usize,
    is_short: bool,
    verdict: Verdict,
}

/// Measures every version: `repeat` timed runs each, or fewer for a slow one.
pub fn measure<'a>(
    versions: impl Iterator<Item = (&'a str, &'a mut dyn Contender)>,
    repeat: usize,
    progress: &Progress,
) -> Vec<Outcome> {
    let mut runners: Vec<Runner<'_>> = Vec::new();
    for (name, contender) in versions {
        progress.show(name, "warm-up");
        let state = first_run(contender, repeat);
        progress.advance(1);
        // Runs that will not happen are no longer waited for.
        progress.skip(repeat - state.as_ref().map_or(0, |timed| timed.wanted.min(repeat)));
        runners.push(Runner { name, contender, state });
    }
    for _ in 0..repeat {
        for runner in &mut runners {
            let Ok(timed) = &mut runner.state else {
                continue;
            };
            if timed.wanted == 0 {
                continue;
            }
            progress.show(runner.name, "timed");
            if let Err(failure) = timed_run(runner.contender, timed) {
                runner.state = Err(Outcome::Failed(failure));
            }
            progress.advance(1);
        }
    }
    runners.into_iter().map(Runner::finish).collect()
}

fn one_run(contender: &mut dyn Contender) -> Result<Duration, Failure> {
    contender.poison()?;
    let began = Instant::now();
    contender.run()?;
    Ok(began.elapsed())
}

fn first_run(contender: &mut dyn Contender, repeat: usize) -> Result<Timed, Outcome> {
    let time = one_run(contender).map_err(Outcome::Failed)?;
    let verdict = contender.verify().map_err(Outcome::Failed)?;
    if !verdict.ok {
        return Err(Outcome::Wrong(verdict));
    }
    if time > LONG_RUN {
        return Ok(Timed { samples: vec![time], warm_up_runs: 0, wanted: 0, is_short: false, verdict });
    }
    let wanted = affordable_runs(time, repeat);
    Ok(Timed { samples: Vec::new(), warm_up_runs: 1, wanted, is_short: time < SHORT_RUN, verdict })
}

/// One more timed run; after the last one the result is verified again.
fn timed_run(contender: &mut dyn Contender, timed: &mut Timed) -> Result<(), Failure> {
    if timed.is_short {
        one_run(contender)?;
        timed.warm_up_runs += 1;
    }
    timed.samples.push(one_run(contender)?);
    timed.wanted -= 1;
    if timed.wanted == 0 {
        let last = contender.verify()?;
        if !last.ok || last.max_rel_err > timed.verdict.max_rel_err {
            timed.verdict = last;
        }
    }
    Ok(())
}

/// How many of `repeat` runs of this length fit the budget; at least one.
fn affordable_runs(time: Duration, repeat: usize) -> usize {
    let fitting = TIME_BUDGET.as_nanos() / time.as_nanos().max(1);
    usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, repeat.max(1))
}

impl Runner<'_> {
    fn finish(self) -> Outcome {
        match self.state {
            Err(outcome) => outcome,
            Ok(timed) => match Timing::new(timed.samples, timed.warm_up_runs) {
                Some(timing) => Outcome::Timed { timing, verdict: timed.verdict },
                None => Outcome::Failed(Failure::NotOk("no run was timed".to_owned())),
            },
        }
    }
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
