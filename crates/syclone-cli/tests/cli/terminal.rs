//! What the program shows on a terminal: a bar while it measures, and nothing of it afterwards.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::common::{program, stdout};

/// So wide and long that nothing of a report is wrapped or scrolls away.
const SIZE: Winsize = Winsize { ws_row: 60, ws_col: 250, ws_xpixel: 0, ws_ypixel: 0 };

/// A benchmark of a few versions, with four runs each: one to warm up, and three that are timed.
const REDUCE: [&str; 8] = ["bench", "reduce", "-n", "100", "--repeat", "3", "--seed", "1"];

/// The versions of [`REDUCE`].
fn versions() -> Vec<String> {
    let output = program().args(REDUCE).args(["--json", "-"]).output().expect("the program starts");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("one JSON document");
    let rows = report["rows"].as_array().expect("rows");
    rows.iter().map(|row| row["version"].as_str().expect("a name").to_owned()).collect()
}

/// A pseudo terminal.
pub struct Terminal {
    /// The side of the programs that run in it.
    inside: File,
    /// Collects what they write until the last one has gone.
    reader: JoinHandle<Vec<u8>>,
    /// Gets something as soon as they write something.
    news: Receiver<()>,
}

impl Terminal {
    pub fn new() -> Self {
        let outside = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&outside).expect("its other side may be opened");
        unlockpt(&outside).expect("its other side can be opened");
        let name = ptsname(&outside, Vec::new()).expect("its other side has a name");
        let no_controlling_terminal = OpenptFlags::NOCTTY.bits().cast_signed();
        let inside = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(no_controlling_terminal)
            .open(std::ffi::OsStr::from_bytes(name.to_bytes()))
            .expect("its other side opens");
        tcsetwinsize(&inside, SIZE).expect("it has a size");
        let mut outside = File::from(outside);
        let (tell, news) = mpsc::channel();
        let reader = thread::spawn(move || {
            let (mut written, mut piece) = (Vec::new(), [0; 4096]);
            // When the other side has been closed, Linux gives an error in place of the end.
            while let Ok(length @ 1..) = outside.read(&mut piece) {
                written.extend_from_slice(&piece[..length]);
                // Nobody needs to listen.
                let _ = tell.send(());
            }
            written
        });
        Terminal { inside, reader, news }
    }

    /// Waits until something has been written to it.
    pub fn wait_for_news(&self) {
        self.news.recv().expect("something is written before the terminal closes");
    }

    /// The terminal for a program to write to.
    pub fn end(&self) -> Stdio {
        self.inside.try_clone().expect("a handle can be cloned").into()
    }

    /// Everything that was written to it; the programs must have ended.
    fn written(self) -> String {
        drop(self.inside);
        String::from_utf8(self.reader.join().expect("it is read")).expect("output is UTF-8")
    }
}

/// The lines that somebody sees in the end who has read along.
fn screen(written: &str) -> Vec<String> {
    let mut terminal = vt100::Parser::new(SIZE.ws_row, SIZE.ws_col, 0);
    terminal.process(written.as_bytes());
    let text = terminal.screen().contents();
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The bars that were drawn, one after another: filled cells, runs done, runs in all.
fn bars(written: &str) -> Vec<(usize, usize, usize)> {
    let mut bars = Vec::new();
    for before in written.split(" runs  ").collect::<Vec<_>>().split_last().expect("there is a last part").1 {
        let (rest, count) = before.rsplit_once(' ').expect("the count stands alone");
        let (done, all) = count.split_once('/').expect("a count");
        let bar = &rest[rest.rfind(|c| !"█░".contains(c)).map_or(0, |end| end + 1)..];
        assert_eq!(bar.chars().count(), 30, "{before:?}");
        bars.push((bar.matches('█').count(), done.parse().unwrap(), all.parse().unwrap()));
    }
    bars
}

/// The lines of a whole report of [`REDUCE`], with nothing else among them.
fn assert_whole(lines: &[String]) {
    assert!(lines[0].starts_with("reduce: 100 elements") && lines[0].ends_with("seed 1"), "{lines:#?}");
    let top = lines.iter().position(|line| line.starts_with('┌')).expect("a table begins");
    let bottom = lines.iter().position(|line| line.starts_with('└')).expect("it ends");
    let width = lines[top].chars().count();
    for line in &lines[top..=bottom] {
        assert_eq!(line.chars().count(), width, "{lines:#?}");
    }
    let rows: Vec<_> =
        lines[top + 3..bottom].iter().map(|line| line.split(['│', '┆']).nth(1).unwrap().trim()).collect();
    assert_eq!(rows, versions(), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains(['░', '\u{1b}'])), "{lines:#?}");
}

#[test]
fn a_bar_is_drawn_on_the_terminal_advances_and_is_gone_in_the_end() {
    let terminal = Terminal::new();
    let output = program().args(REDUCE).stderr(terminal.end()).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0));
    let written = terminal.written();
    let bars = bars(&written);
    assert!(bars.len() >= 3, "{written:?}");
    assert!(bars.is_sorted(), "it never goes back: {bars:?}");
    let (first, last) = (bars[0], bars[bars.len() - 1]);
    assert!(first.0 < last.0 && first.1 < last.1, "{bars:?}");
    let runs = 4 * versions().len();
    for (filled, done, all) in bars {
        assert_eq!((filled, all), (30 * done / runs, runs));
    }
    for what in ["measuring the device's peaks", "tree (warm-up)"] {
        assert!(written.contains(what), "{what}: {written:?}");
    }
    assert_eq!(screen(&written).concat(), "", "the bar is gone");
    assert_whole(&stdout(&output).lines().map(str::to_owned).collect::<Vec<_>>());
}

#[test]
fn the_table_is_whole_on_the_terminal_that_showed_the_bar() {
    let terminal = Terminal::new();
    let status = program().args(REDUCE).stdout(terminal.end()).stderr(terminal.end()).status().expect("it starts");
    assert_eq!(status.code(), Some(0));
    let written = terminal.written();
    assert!(!bars(&written).is_empty(), "{written:?}");
    assert_whole(&screen(&written));
}

#[test]
fn a_json_document_is_alone_on_standard_output_also_where_that_is_a_terminal() {
    let (out, err) = (Terminal::new(), Terminal::new());
    let status =
        program().args(REDUCE).args(["--json", "-"]).stdout(out.end()).stderr(err.end()).status().expect("it starts");
    assert_eq!(status.code(), Some(0));
    let report: Value = serde_json::from_str(&out.written()).expect("one JSON document and nothing else");
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(versions().len()));
    let written = err.written();
    assert!(!bars(&written).is_empty(), "{written:?}");
    assert_whole(&screen(&written));
}
