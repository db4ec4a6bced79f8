//! Writing to the terminal without ever panicking.
//!
//! `println!` and `eprintln!` panic when the reader has gone (`syclone devices | head -1`). A reader that left
//! is no error: what it no longer wants is dropped, and the exit code still tells how the work went.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::failure::Failure;

/// Writes `text` to standard output; a closed pipe counts as written.
pub fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Stdout(error)),
        _ => Ok(()),
    }
}

/// Writes a line to standard error. There is nowhere to report a failure of that to.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// The text without what would steer a terminal: an error may quote whatever stands in a variable or an argument.
pub fn printable(text: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// Whether `path` names the file or pipe that standard output is: `--json report.json > report.json`, `/dev/stdout`.
///
/// A terminal is none: it takes several texts one after another.
#[cfg(unix)]
pub fn is_stdout(path: &Path) -> bool {
    use std::fs::{File, metadata};
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let stdout = io::stdout().as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata());
    match (stdout, metadata(path)) {
        (Ok(stdout), Ok(there)) => {
            let same = (stdout.dev(), stdout.ino()) == (there.dev(), there.ino());
            same && !there.file_type().is_char_device()
        }
        _ => false,
    }
}

/// Systems without such names say by `-` that they mean standard output.
#[cfg(not(unix))]
pub fn is_stdout(_: &Path) -> bool {
    false
}
