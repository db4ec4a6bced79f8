//! The program as its users meet it: run, and judged by what it writes and how it ends.

mod bench;
mod checked;
mod common;
mod devices;
mod dry_run;
mod mistakes;
mod outputs;
#[cfg(unix)]
mod terminal;
