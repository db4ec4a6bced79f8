//! What a launch keeps of its chunks' texts, and in which order it writes them.

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
    let result = launch.during(
        number,
        || "k".into(),
        || {
            emit(text);
            if fails { failure() } else { Ok(()) }
        },
    );
    assert_eq!(result.is_err(), fails);
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
    let ran = launch.during(
        0,
        || "k".into(),
        || {
            for line in 0..40_000 {
                emit("begins ");
                emit(&format!("{line:>30} "));
                emit("ends\n");
            }
            Ok(())
        },
    );
    ran.expect("ends well");
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
    let ran = launch.during(
        0,
        || "k".into(),
        || {
            (0..50).for_each(|_| emit(&long));
            Ok(())
        },
    );
    ran.expect("ends well");
    launch.finish();
    let pieces = pieces.lock().expect("no panics");
    assert_eq!(pieces.iter().map(String::len).sum::<usize>(), 50 << 16);
    assert!(pieces.iter().all(|piece| piece.len() <= (1 << 20) + (1 << 16)));
}
