//! The values that options take: how each is read, and what is said about a bad one.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Reads a size or count that is at least 1.
pub fn positive(text: &str) -> Result<usize, String> {
    up_to(usize::MAX, text)
}

/// The most launches of a timed run: a batch of them is in memory at once.
const MOST_LAUNCHES: usize = 1_000_000;

/// Reads how many launches a timed run has.
pub fn launches(text: &str) -> Result<usize, String> {
    up_to(MOST_LAUNCHES, text)
}

/// The most timed runs that are taken of one version: their times are kept in memory.
const MOST_RUNS: usize = 1_000_000;

/// Reads how often each version is timed.
pub fn repeat(text: &str) -> Result<usize, String> {
    up_to(MOST_RUNS, text)
}

fn up_to(most: usize, text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(value) if (1..=most).contains(&value) => Ok(value),
        _ => Err(format!("a whole number from 1 to {most} is needed")),
    }
}

/// Reads the seed of a random generator.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// Reads one tile size of a list. How large it may be is the device's affair.
pub fn tile(text: &str) -> Result<usize, String> {
    match text.trim().parse::<usize>() {
        Ok(0) | Err(_) => Err("a tile is a whole number of at least 1, as in --tiles 8,16,32".to_owned()),
        Ok(value) => Ok(value),
    }
}

/// Where a document goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output, written `-`.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("a file name is needed, or - for standard output".to_owned()),
            "-" => Ok(Destination::Stdout),
            path => Ok(Destination::File(PathBuf::from(path))),
        }
    }
}

/// The element types that the benchmarks run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

impl Dtype {
    /// Every type, in the order in which errors list them.
    pub const ALL: [Dtype; 2] = [Dtype::F32, Dtype::F64];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
        }
    }

    /// The size of one element.
    pub fn bytes(self) -> usize {
        match self {
            Dtype::F32 => 4,
            Dtype::F64 => 8,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dtype {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == text).ok_or_else(|| {
            let names: Vec<_> = Dtype::ALL.iter().map(|dtype| dtype.name()).collect();
            format!("the supported types are {}", names.join(" and "))
        })
    }
}
