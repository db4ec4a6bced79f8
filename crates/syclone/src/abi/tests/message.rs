//! What a launch keeps of its chunks' texts, and in which order it writes them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use syclone_runtime::{Error, TextOutput};

use crate::abi::message::{Printed, emit, with_output};

/// A launch, and the pieces that it writes.
fn launch() -> (Printed, Arc<Mutex<Vec<String>>>) {
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&pieces);
    let output: TextOutput = Arc::new(move |text: &str| sink.lock().expect("no panics").push(text.to_owned()));
    (with_output(Some(&output), Printed::here), pieces)
}

fn chunk(launch: &Printed, number: usize, text: &str, fails: bool) {
    let failure = || Err(Error::KernelPanic { kernel: "k".into(), device: "cpu:0".into(), message: String::new() });
    let result = launch.during(number, || {
        emit(text);
        if fails { failure() } else { Ok(()) }
    });
    assert_eq!(result.expect("no assertion").is_err(), fails);
}

#[test]
fn chunks_that_end_in_any_order_are_written_in_theirs_after_a_run_that_failed_too() {
    let (launch, pieces) = launch();
    let text = || std::mem::take(&mut *pieces.lock().expect("no panics")).concat();
    for fails in [false, true, false, true, true, false] {
        launch.rewind(None);
        chunk(&launch, 2, "c\n", false);
        chunk(&launch, 1, "b\n", fails);
        chunk(&launch, 0, "a\n", false);
        if fails {
            // What is written after a failure is all there, though nobody waits to bring it into order.
            assert_eq!(text(), "b\nc\na\n");
        } else {
            launch.finish();
            assert_eq!(text(), "a\nb\nc\n");
        }
    }
}

#[test]
fn of_a_chunk_that_prints_very_much_no_line_is_cut() {
    let (launch, pieces) = launch();
    let ran = launch.during(0, || {
        for line in 0..40_000 {
            emit("begins ");
            emit(&format!("{line:>30} "));
            emit("ends\n");
        }
        Ok(())
    });
    ran.expect("no assertion").expect("ends well");
    launch.finish();
    let pieces = pieces.lock().expect("no panics");
    assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.ends_with("ends\n")), "{} pieces", pieces.len());
    let all = pieces.concat();
    let expected: String = (0..40_000).map(|line| format!("begins {line:>30} ends\n")).collect();
    assert!(all == expected, "{} bytes instead of {}", all.len(), expected.len());
}

#[test]
fn a_line_without_an_end_is_written_before_it_fills_the_memory() {
    let (launch, pieces) = launch();
    let long = "x".repeat(1 << 16);
    let ran = launch.during(0, || {
        (0..50).for_each(|_| emit(&long));
        Ok(())
    });
    ran.expect("no assertion").expect("ends well");
    launch.finish();
    let pieces = pieces.lock().expect("no panics");
    assert_eq!(pieces.iter().map(String::len).sum::<usize>(), 50 << 16);
    assert!(pieces.iter().all(|piece| piece.len() <= (1 << 20) + (1 << 16)));
}

/// Four workers print three times the limit each. What is kept stays within it, and no line is lost, cut or mixed up.
#[test]
fn chunks_that_print_very_much_at_once_keep_their_lines_whole_and_hold_little_back() {
    const CHUNKS: usize = 12;
    const LINES: usize = 16_000;
    const LIMIT: usize = 1 << 20;
    let (launch, pieces) = launch();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < CHUNKS) {
                    let prints = || {
                        for line in 0..LINES {
                            emit(&format!("chunk {number} "));
                            emit(&format!("{line:>50}"));
                            emit("\n");
                        }
                        Ok(())
                    };
                    launch.during(number, prints).expect("no assertion").expect("ends well");
                }
            });
        }
    });
    launch.finish();
    let pieces = std::mem::take(&mut *pieces.lock().expect("no panics"));
    // A chunk's own text may come to what others have left, and a line may go over.
    assert!(pieces.iter().all(|piece| piece.len() <= 2 * LIMIT + 100 && piece.ends_with('\n')));
    let mut seen = [0; CHUNKS];
    for line in pieces.iter().flat_map(|piece| piece.lines()) {
        let (number, rest) = line.strip_prefix("chunk ").and_then(|rest| rest.split_once(' ')).expect("a whole line");
        let number: usize = number.parse().expect("a chunk's number");
        assert_eq!(rest, format!("{:>50}", seen[number]), "of chunk {number}");
        seen[number] += 1;
    }
    assert_eq!(seen, [LINES; CHUNKS]);
    // Nothing is left for the next run.
    launch.rewind(None);
    launch.finish();
}

#[test]
fn an_output_that_panics_loses_its_text_and_nothing_else() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let output: TextOutput = Arc::new(move |_: &str| {
        count.fetch_add(1, Ordering::Relaxed);
        std::panic::resume_unwind(Box::new("no paper"));
    });
    let launch = with_output(Some(&output), Printed::here);
    for round in 1..=3 {
        launch.rewind(None);
        chunk(&launch, 0, &"y\n".repeat(600_000), false);
        chunk(&launch, 1, "z\n", false);
        launch.finish();
        assert_eq!(calls.load(Ordering::Relaxed), 2 * round);
    }
}
