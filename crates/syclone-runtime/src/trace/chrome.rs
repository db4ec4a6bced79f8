//! A trace in the Trace Event Format: a list of events with phase `ph`, time `ts` and duration `dur` in microseconds,
//! process `pid` and thread `tid`.
//!
//! Process 0 is the host, with a thread for each one that submitted. Each device is a process with a thread for each
//! worker; thread 0 has the commands that needed none. What a worker does is a complete event (`X`): those of one thread
//! never overlap. A command's life from submission to end may overlap others, so it is an asynchronous span (`b`, `e`).
//! A dependency is a flow (`s`, `f`) from the earlier command's last slice to the later one's first.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

use super::report::{TraceReport, TracedCommand, TracedRun};
use crate::AccessMode;

/// Where a slice is drawn.
#[derive(Clone, Copy)]
struct Slice {
    pid: usize,
    tid: usize,
    start: u64,
    /// At least one nanosecond after the start, so that arrows find the slice.
    end: u64,
}

/// Numbers for what the format wants numbered.
struct Tracks<'r> {
    devices: HashMap<&'r str, usize>,
    threads: HashMap<&'r str, usize>,
}

impl<'r> Tracks<'r> {
    fn of(report: &'r TraceReport) -> Self {
        let mut tracks = Tracks { devices: HashMap::new(), threads: HashMap::new() };
        for command in &report.commands {
            let (devices, threads) = (tracks.devices.len() + 1, tracks.threads.len());
            if let Some(device) = &command.device {
                tracks.devices.entry(device).or_insert(devices);
            }
            tracks.threads.entry(&command.thread).or_insert(threads);
        }
        tracks
    }

    fn pid(&self, command: &TracedCommand) -> usize {
        command.device.as_ref().map_or(0, |device| self.devices[device.as_str()])
    }

    fn tid(&self, command: &TracedCommand) -> usize {
        self.threads[command.thread.as_str()]
    }

    /// The slices in which the command ran; a command without any that has ended has one of no length.
    fn slices(&self, command: &TracedCommand) -> Vec<Slice> {
        let pid = self.pid(command);
        let slice = |tid, start, end: u64| Slice { pid, tid, start, end: end.max(start + 1) };
        if command.runs.is_empty() {
            let tid = if command.device.is_some() { 0 } else { self.tid(command) };
            let start = command.start.or(command.end);
            return start.map(|start| slice(tid, start, start)).into_iter().collect();
        }
        command.runs.iter().map(|run: &TracedRun| slice(run.worker + 1, run.start, run.end)).collect()
    }
}

/// Writes the whole file.
pub(super) fn write(report: &TraceReport, target: &mut dyn io::Write) -> io::Result<()> {
    let tracks = Tracks::of(report);
    let version = env!("CARGO_PKG_VERSION");
    let dropped = report.dropped;
    writeln!(
        target,
        r#"{{"displayTimeUnit":"ns","otherData":{{"producer":"syclone {version}","droppedSteps":"{dropped}"}},"traceEvents":["#
    )?;
    let mut events = Events { target, first: true };
    metadata(report, &tracks, &mut events)?;
    let mut follows: HashMap<u64, Vec<u64>> = HashMap::new();
    for dependency in &report.dependencies {
        follows.entry(dependency.command).or_default().push(dependency.follows);
    }
    let mut slices: HashMap<u64, Vec<Slice>> = HashMap::new();
    for command in &report.commands {
        let own = tracks.slices(command);
        let args = arguments(command, follows.get(&command.id).map_or(&[][..], Vec::as_slice));
        write_command(command, &tracks, &own, &args, &mut events)?;
        slices.insert(command.id, own);
    }
    for (number, dependency) in report.dependencies.iter().enumerate() {
        let last = slices.get(&dependency.follows).and_then(|own| own.iter().max_by_key(|slice| slice.end));
        let first = slices.get(&dependency.command).and_then(|own| own.first());
        let (Some(last), Some(first)) = (last, first) else { continue };
        let name = if dependency.data { "data" } else { "order" };
        // The arrow leaves inside the slice; a host access that ends later than its successor begins is no such slice.
        let leaves = (last.end - 1).min(first.start).max(last.start);
        let flow = format!(r#""cat":"dependency","name":"{name}","id":{number}"#);
        events.event(&format!(r#"{{"ph":"s",{flow},{}}}"#, place(last.pid, last.tid, leaves)))?;
        let arrives = place(first.pid, first.tid, first.start.max(leaves));
        events.event(&format!(r#"{{"ph":"f","bp":"e",{flow},{arrives}}}"#))?;
    }
    writeln!(events.target, "\n]}}")
}

/// Separates events by commas.
struct Events<'t> {
    target: &'t mut dyn io::Write,
    first: bool,
}

impl Events<'_> {
    fn event(&mut self, text: &str) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.first) { "" } else { ",\n" };
        write!(self.target, "{separator}{text}")
    }
}

/// The names of processes and threads.
fn metadata(report: &TraceReport, tracks: &Tracks<'_>, events: &mut Events<'_>) -> io::Result<()> {
    let mut named = vec![(0, None, "host".to_owned())];
    named.extend(tracks.threads.iter().map(|(name, &tid)| (0, Some(tid), (*name).to_owned())));
    for (device, &pid) in &tracks.devices {
        named.push((pid, None, (*device).to_owned()));
        named.push((pid, Some(0), "no worker".to_owned()));
        let of_device = report.commands.iter().filter(|command| command.device.as_deref() == Some(device));
        let workers = of_device.flat_map(|command| &command.runs).map(|run| run.worker).max();
        let workers = workers.map_or(0, |worker| worker + 1);
        named.extend((0..workers).map(|worker| (pid, Some(worker + 1), format!("worker {worker}"))));
    }
    named.sort();
    for (pid, tid, name) in named {
        let (what, tid) = tid.map_or(("process_name", 0), |tid| ("thread_name", tid));
        let name = quoted(&name);
        events.event(&format!(r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"args":{{"name":{name}}}}}"#))?;
    }
    Ok(())
}

fn write_command(
    command: &TracedCommand,
    tracks: &Tracks<'_>,
    slices: &[Slice],
    args: &str,
    events: &mut Events<'_>,
) -> io::Result<()> {
    let (name, kind) = (quoted(&command.name), command.kind.as_str());
    let pid = tracks.pid(command);
    if command.device.is_some() {
        let submit = quoted(&format!("submit {}", command.name));
        let place = place(0, tracks.tid(command), command.submitted);
        let dur = microseconds(command.placed.saturating_sub(command.submitted));
        events.event(&format!(
            r#"{{"ph":"X","cat":"submit","name":{submit},{place},"dur":{dur},"args":{{"id":{}}}}}"#,
            command.id
        ))?;
    }
    for slice in slices {
        let (place, dur) = (place(slice.pid, slice.tid, slice.start), microseconds(slice.end - slice.start));
        events.event(&format!(r#"{{"ph":"X","cat":"{kind}","name":{name},{place},"dur":{dur},"args":{args}}}"#))?;
    }
    let track = match command.queue {
        Some(queue) => format!("queue {queue}"),
        None => "host accesses".to_owned(),
    };
    let life = format!(r#""cat":"{track}","name":{name},"id":"0x{:x}""#, command.id);
    let end = command.end.or(command.start).unwrap_or(command.placed).max(command.submitted);
    let tid = tracks.tid(command);
    let tid = if command.device.is_some() { 0 } else { tid };
    events.event(&format!(r#"{{"ph":"b",{life},{},"args":{args}}}"#, place(pid, tid, command.submitted)))?;
    events.event(&format!(r#"{{"ph":"e",{life},{}}}"#, place(pid, tid, end)))
}

/// What is shown of a selected command.
fn arguments(command: &TracedCommand, follows: &[u64]) -> String {
    let mut args = format!(r#"{{"id":{},"follows":{follows:?}"#, command.id);
    if let Some(queue) = command.queue {
        let order = if command.in_order { "in order" } else { "out of order" };
        let _ = write!(args, r#","queue":{queue},"order":"{order}""#);
    }
    let chunks = command.runs.iter().map(|run| run.chunks).sum::<usize>();
    let _ = write!(args, r#","chunks":{chunks},"memory":["#);
    for (position, access) in command.accesses.iter().enumerate() {
        let separator = if position == 0 { "" } else { "," };
        let (parameter, mode) = (quoted(&access.parameter), mode(access.mode));
        let (object, start, end) = (access.object, access.range.start, access.range.end);
        let _ = write!(
            args,
            r#"{separator}{{"parameter":{parameter},"object":{object},"mode":"{mode}","start":{start},"end":{end}}}"#
        );
    }
    args.push(']');
    match (&command.error, command.end) {
        (Some(error), _) => _ = write!(args, r#","status":"failed","error":{}"#, quoted(error)),
        (None, Some(_)) => args.push_str(r#","status":"complete""#),
        (None, None) => args.push_str(r#","status":"under way""#),
    }
    args.push('}');
    args
}

pub(super) fn mode(mode: AccessMode) -> &'static str {
    match mode {
        AccessMode::Read => "read",
        AccessMode::Write => "write",
        AccessMode::ReadWrite => "read-write",
    }
}

fn place(pid: usize, tid: usize, ts: u64) -> String {
    format!(r#""pid":{pid},"tid":{tid},"ts":{}"#, microseconds(ts))
}

/// Nanoseconds as the format's microseconds, exactly.
fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        let escaped: Cow<'_, str> = match char {
            '"' => "\\\"".into(),
            '\\' => "\\\\".into(),
            '\n' => "\\n".into(),
            control if control < ' ' => format!("\\u{:04x}", u32::from(control)).into(),
            other => {
                quoted.push(other);
                continue;
            }
        };
        quoted.push_str(&escaped);
    }
    quoted.push('"');
    quoted
}
