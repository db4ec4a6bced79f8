//! Writing to the terminal without ever panicking.
//!
//! `println!` and `eprintln!` panic when the reader has gone (`syclone devices | head -1`). A reader that left
//! is no error: what it no longer wants is dropped, and the exit code still tells how the work went.

use std::io::{self, ErrorKind, Write};

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
