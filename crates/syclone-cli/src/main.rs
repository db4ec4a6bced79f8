//! The program `syclone`: what devices there are (`devices`), and how fast kernels run on them (`bench`).
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 when all went well, 1 when
//! something failed or was wrong, and 2 when the command line cannot be followed.

mod args;
mod bench;
mod console;
mod devices;
mod failure;
mod host;

use std::process::ExitCode;

use args::{Command, Stop};
use failure::Failure;

fn main() -> ExitCode {
    let result = match args::parse(std::env::args_os()) {
        Ok(cli) => run(&cli.command),
        Err(Stop::Print(text)) => console::out(&text),
        Err(Stop::Mistake(text)) => Err(Failure::Usage(text)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            console::note(&format!("error: {}", console::printable(&failure.to_string())));
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Devices(arguments) => devices::run(arguments),
        Command::Bench(benchmark) => bench::run(benchmark),
    }
}
