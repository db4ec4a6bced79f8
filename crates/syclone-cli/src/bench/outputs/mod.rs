//! Where a report goes. Files are checked before anything is measured, so that a mistyped path costs no time, and changed
//! when the report is there.

mod file;

use super::report::Report;
use super::{csv, html, json, table};
use crate::args::{Common, Destination};
use crate::console;
use crate::failure::Failure;

use file::OutputFile;

/// The documents that were asked for, and where each goes.
pub struct Outputs {
    sinks: Vec<(Format, Sink)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Html,
    Csv,
}

enum Sink {
    Stdout,
    File(OutputFile),
}

impl Outputs {
    /// Checks that every document can be written where it shall go.
    pub fn open(common: &Common) -> Result<Self, Failure> {
        let wanted = [(Format::Json, &common.json), (Format::Html, &common.html), (Format::Csv, &common.csv)];
        let mut sinks = Vec::new();
        let mut places = Vec::new();
        for (format, destination) in wanted {
            let (sink, place) = match destination {
                None => continue,
                Some(Destination::Stdout) => (Sink::Stdout, None),
                Some(Destination::File(path)) if console::is_stdout(path) => (Sink::Stdout, None),
                Some(Destination::File(path)) => {
                    let file = OutputFile::open(path.clone())?;
                    let place = file.real_path().to_owned();
                    (Sink::File(file), Some(place))
                }
            };
            if places.contains(&place) {
                return Err(Failure::Usage(
                    "two of --json, --html and --csv name the same place; give each a file of its own".to_owned(),
                ));
            }
            places.push(place);
            sinks.push((format, sink));
        }
        Ok(Outputs { sinks })
    }

    /// Writes the documents, and the table to where it does not disturb them. One that can't be written keeps none of the
    /// others back; the first failure is the result.
    pub fn write(self, report: &Report) -> Result<(), Failure> {
        let stdout_taken = self.sinks.iter().any(|(_, sink)| matches!(sink, Sink::Stdout));
        let text = table::render(report);
        let mut result = if stdout_taken {
            console::note(text.trim_end());
            Ok(())
        } else {
            console::out(&text)
        };
        for (format, sink) in self.sinks {
            result = result.and(write(format, sink, report));
        }
        result
    }
}

fn write(format: Format, sink: Sink, report: &Report) -> Result<(), Failure> {
    let document = match format {
        Format::Json => json::render(report)?,
        Format::Html => html::render(report),
        Format::Csv => csv::render(report),
    };
    match sink {
        Sink::Stdout => console::out(&document),
        Sink::File(file) => file.write(&document),
    }
}
