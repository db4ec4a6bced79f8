//! The graph of a trace's commands in the DOT language.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::chrome::mode;
use super::report::{TraceReport, TracedCommand};

/// The whole graph.
pub(super) fn text(report: &TraceReport) -> String {
    let mut text =
        String::from("digraph commands {\n    rankdir=TB;\n    node [shape=box, fontname=\"sans-serif\"];\n");
    let mut queues: BTreeMap<Option<u64>, Vec<&TracedCommand>> = BTreeMap::new();
    for command in &report.commands {
        queues.entry(command.queue).or_default().push(command);
    }
    for (queue, commands) in queues {
        let Some(queue) = queue else {
            commands.iter().for_each(|command| node(command, "    ", &mut text));
            continue;
        };
        let order = if commands[0].in_order { "in order" } else { "out of order" };
        let device = commands[0].device.as_deref().unwrap_or("host");
        let label = quoted(&format!("queue {queue} of {device}, {order}"));
        let _ = writeln!(text, "    subgraph cluster_{queue} {{\n        label={label};");
        commands.iter().for_each(|command| node(command, "        ", &mut text));
        text.push_str("    }\n");
    }
    for dependency in &report.dependencies {
        let style = if dependency.data { "" } else { " [style=dashed]" };
        let _ = writeln!(text, "    c{} -> c{}{style};", dependency.follows, dependency.command);
    }
    text.push_str("}\n");
    text
}

fn node(command: &TracedCommand, indent: &str, text: &mut String) {
    let mut label = format!("{}\n{}", command.name, command.kind.as_str());
    if let (Some(start), Some(end)) = (command.start, command.end) {
        let nanoseconds = end.saturating_sub(start);
        let _ = write!(label, ", {}.{:03} µs", nanoseconds / 1000, nanoseconds % 1000);
    }
    for access in &command.accesses {
        let (object, range) = (access.object, &access.range);
        let _ = write!(label, "\n{} {}: object {object} {range:?}", mode(access.mode), access.parameter);
    }
    let look = match (&command.error, command.end) {
        (Some(error), _) => format!(", color=red, tooltip={}", quoted(error)),
        (None, Some(_)) => String::new(),
        (None, None) => ", style=dotted".to_owned(),
    };
    let _ = writeln!(text, "{indent}c{} [label={}{look}];", command.id, quoted(&label));
}

/// A DOT string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
