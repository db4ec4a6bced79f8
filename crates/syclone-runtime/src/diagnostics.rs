//! What the runtime has to say and nobody asked for: errors that would otherwise be lost.
//!
//! It goes to stderr, never to stdout, which is the program's own. With the feature `tracing` and a subscriber it goes
//! there instead.

use std::fmt::Display;
use std::io::Write as _;

/// Says `message`, one sentence about what went wrong.
pub fn report(message: impl Display) {
    #[cfg(feature = "tracing")]
    if tracing::dispatcher::has_been_set() {
        tracing::error!(target: "syclone", "{message}");
        return;
    }
    // `eprintln!` panics when stderr is closed; a lost log line is no reason to.
    let _ = writeln!(std::io::stderr(), "syclone: {message}");
}
