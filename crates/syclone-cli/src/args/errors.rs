//! One-line errors for command lines that cannot be followed.
//!
//! clap explains a mistake over several lines; scripts and people who scroll want one, that says what is
//! allowed. The words stay clap's, the layout is ours.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use super::Cli;

/// What a command line that is no command to run turned into.
#[derive(Debug)]
pub enum Stop {
    /// Help or the version was asked for: text for standard output, and success.
    Print(String),
    /// A mistake: one line.
    Mistake(String),
}

/// Reads the command line.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, Stop> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    Cli::try_parse_from(&arguments).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Stop::Print(error.to_string()),
        _ => Stop::Mistake(one_line(&error, &arguments)),
    })
}

fn one_line(error: &clap::Error, arguments: &[OsString]) -> String {
    let (command, path) = command_of(arguments);
    let commands = || {
        let names: Vec<_> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        format!("the commands of '{path}' are {}", names.join(", "))
    };
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            format!("'{path}' needs a command; {}", commands())
        }
        ErrorKind::InvalidSubcommand => format!("{}; {}", first_line(error), commands()),
        ErrorKind::UnknownArgument if command.has_subcommands() => {
            format!("{}; {}", first_line(error), commands())
        }
        ErrorKind::UnknownArgument => {
            let options: Vec<_> = command.get_arguments().filter(|a| !a.is_positional()).map(spelling).collect();
            format!("{}{}; '{path}' takes {}", first_line(error), suggestion(error), options.join(", "))
        }
        _ => format!("{} (see '{path} --help')", as_written(&command, arguments, &first_line(error))),
    }
}

/// The command that the arguments reach, and its full name.
fn command_of(arguments: &[OsString]) -> (clap::Command, String) {
    let mut command = Cli::command();
    // Builds the subcommands too, so that --help is among their options.
    command.build();
    let mut path = command.get_name().to_owned();
    for argument in arguments.iter().skip(1) {
        let Some(next) = argument.to_str().and_then(|name| command.find_subcommand(name)) else {
            break;
        };
        path = format!("{path} {}", next.get_name());
        command = next.clone();
    }
    (command, path)
}

fn spelling(argument: &clap::Arg) -> String {
    match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => argument.get_id().to_string(),
    }
}

/// A sentence that names options by their long names, with the short ones of those that were written so.
fn as_written(command: &clap::Command, arguments: &[OsString], sentence: &str) -> String {
    let written = |name: &str| arguments.iter().filter_map(|argument| argument.to_str()).any(|a| a.starts_with(name));
    let both = command.get_arguments().filter_map(|argument| Some((argument.get_long()?, argument.get_short()?)));
    let names = both.map(|(long, short)| (format!("--{long}"), format!("-{short}")));
    names
        .filter(|(long, short)| written(short) && !written(long))
        .fold(sentence.to_owned(), |text, (long, short)| text.replace(&format!("'{long} "), &format!("'{short} ")))
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    // A list of missing arguments goes on over the following lines, up to the first empty one.
    let sentence: Vec<_> = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    sentence.join(" ").trim_start_matches("error: ").to_owned()
}

fn suggestion(error: &clap::Error) -> String {
    match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(name)) => format!(", did you mean '{name}'?"),
        _ => String::new(),
    }
}
