//! Where a report goes. Files are opened before anything is measured, so that a mistyped path costs no time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::report::Report;
use super::{csv, html, json, table};
use crate::args::{Common, Destination};
use crate::console;
use crate::failure::Failure;

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
    File(OpenFile),
}

/// A file that keeps its old contents until there are new ones, and is removed again if there never are.
struct OpenFile {
    path: PathBuf,
    file: File,
    fresh: bool,
}

impl Outputs {
    /// Opens every file.
    pub fn open(common: &Common) -> Result<Self, Failure> {
        let wanted = [(Format::Json, &common.json), (Format::Html, &common.html), (Format::Csv, &common.csv)];
        let wanted: Vec<_> = wanted.into_iter().filter_map(|(format, to)| Some((format, to.as_ref()?))).collect();
        let mut sinks = Vec::new();
        let mut places = Vec::new();
        for (format, destination) in wanted {
            let (sink, place) = match destination {
                Destination::Stdout => (Sink::Stdout, None),
                Destination::File(path) => {
                    let sink = Sink::File(OpenFile::open(path.clone())?);
                    // One file has many names; now that it exists, it has a real one.
                    (sink, Some(fs::canonicalize(path).unwrap_or_else(|_| path.clone())))
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

    /// Writes the documents, and the table to where it does not disturb them.
    pub fn write(self, report: &Report) -> Result<(), Failure> {
        let stdout_taken = self.sinks.iter().any(|(_, sink)| matches!(sink, Sink::Stdout));
        let text = table::render(report);
        let shown = if stdout_taken {
            console::note(text.trim_end());
            Ok(())
        } else {
            console::out(&text)
        };
        for (format, sink) in self.sinks {
            let document = match format {
                Format::Json => json::render(report)?,
                Format::Html => html::render(report),
                Format::Csv => csv::render(report),
            };
            match sink {
                Sink::Stdout => console::out(&document)?,
                Sink::File(file) => file.write(&document)?,
            }
        }
        shown
    }
}

impl OpenFile {
    fn open(path: PathBuf) -> Result<Self, Failure> {
        let fresh = !path.exists();
        match OpenOptions::new().write(true).create(true).truncate(false).open(&path) {
            Ok(file) => Ok(OpenFile { path, file, fresh }),
            Err(source) => Err(Failure::Unwritable { path, source }),
        }
    }

    fn write(mut self, document: &str) -> Result<(), Failure> {
        self.fresh = false;
        self.replace(document).map_err(|source| Failure::Unwritable { path: self.path.clone(), source })
    }

    fn replace(&mut self, document: &str) -> io::Result<()> {
        // Pipes and terminals have neither a length nor a position.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
        }
        self.file.write_all(document.as_bytes())?;
        self.file.flush()
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if self.fresh {
            // Nothing was measured: an empty file would look like a report. Failing to remove it harms nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}
