//! Every way in which the program ends without having done what it was asked, and the exit code of each.

use std::io;
use std::path::PathBuf;

use syclone::Error;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line asks for something that cannot be; the text says what is allowed.
    #[error("{0}")]
    Usage(String),
    /// A file that was asked for cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Standard output cannot be written, for another reason than a reader that left.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    /// The host has no memory for the data of a benchmark.
    #[error("out of memory: {bytes} bytes for {what}; choose a smaller size")]
    OutOfMemory {
        /// What needed it.
        what: &'static str,
        /// How many bytes.
        bytes: usize,
    },
    /// The runtime said no. Its second line, what to do, joins the first.
    #[error("{}", one_line(.0))]
    Runtime(#[from] syclone::Error),
    /// Some of what ran is wrong or failed; the report has said which.
    #[error("{0}")]
    NotOk(String),
}

impl Failure {
    /// The process's exit code: 2 for a command line or a variable that cannot be followed, 1 for the rest.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Runtime(
                Error::NoDevice { .. }
                | Error::InvalidSelector { .. }
                | Error::InvalidEnvironment { .. }
                // Descriptions come from the file that a variable names.
                | Error::InvalidDryRun { .. },
            ) => 2,
            _ => 1,
        }
    }
}

fn one_line(error: &Error) -> String {
    error.to_string().replace('\n', "; ")
}
