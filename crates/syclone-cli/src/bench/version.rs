//! One version of a benchmark, and the rows that come of measuring several.

use super::measure::{Contender, Outcome, measure};
use super::progress::Progress;
use super::report::{Row, Work};

/// A way to do the benchmark's work.
pub struct Version<'a> {
    /// Its name in the report.
    pub name: String,
    /// Its tile, where it has one.
    pub tile: Option<usize>,
    /// What one run does, by count.
    pub work: Work,
    /// Local memory of one work-group, where it has groups.
    pub local_bytes: Option<usize>,
    /// Work-groups of one run, where it has groups.
    pub groups: Option<usize>,
    /// What a reader should know.
    pub note: Option<String>,
    /// What runs.
    pub contender: Box<dyn Contender + 'a>,
}

impl<'a> Version<'a> {
    /// A version with nothing but a name, counted work and something that runs.
    pub fn new(name: impl Into<String>, work: Work, contender: impl Contender + 'a) -> Self {
        Version {
            name: name.into(),
            tile: None,
            work,
            local_bytes: None,
            groups: None,
            note: None,
            contender: Box::new(contender),
        }
    }
}

/// Measures the versions and makes their rows.
pub fn rows(versions: &mut [Version<'_>], repeat: usize, progress: &Progress) -> Vec<Row> {
    let contenders = versions.iter_mut().map(|version| {
        let contender: &mut dyn Contender = &mut *version.contender;
        (version.name.as_str(), contender)
    });
    let outcomes = measure(contenders, repeat, progress);
    versions.iter().zip(&outcomes).map(|(version, outcome)| row(version, outcome, repeat)).collect()
}

fn row(version: &Version<'_>, outcome: &Outcome, repeat: usize) -> Row {
    let mut row = Row::new(&version.name, version.work, outcome);
    row.tile = version.tile;
    row.local_bytes = version.local_bytes;
    row.groups = version.groups;
    let runs = match outcome {
        Outcome::Timed { timing, .. } if timing.warm_up_runs == 0 => {
            Some("timed by its first and only run, without warming up, because it is long".to_owned())
        }
        Outcome::Timed { timing, .. } if timing.runs() < repeat => {
            Some(format!("timed {} of {repeat} times, because each run is long", timing.runs()))
        }
        _ => None,
    };
    let notes: Vec<String> = version.note.clone().into_iter().chain(runs).collect();
    row.note = (!notes.is_empty()).then(|| notes.join("; "));
    row
}
