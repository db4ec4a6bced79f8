//! What fails, who hears of it, and what goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{Words, failing, is_dependency_failure, kernel, out_of_bounds};
use crate::device_with;
use syclone_runtime::{
    Access, AccessMode, Command, Device, Error, EventStatus, KernelWork, Name, Queue, QueueOptions, Result, Worker,
};

const SENTINEL: u64 = 0xDEAD;

fn queue() -> (Device, Queue) {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    (device, queue)
}

/// Adds one to the first word and notes that it ran.
fn increment(words: &Words, mode: AccessMode, ran: &Arc<AtomicBool>) -> Command {
    let (target, ran) = (words.clone(), Arc::clone(ran));
    kernel("increment", 1, vec![Access::whole(&words.0, mode, "x")], move |_, _| {
        ran.store(true, Ordering::Relaxed);
        target.set(0, target.get(0) + 1);
        Ok(())
    })
}

#[test]
fn a_failure_is_in_the_event_every_time_and_in_the_queues_wait_once() {
    let (_device, queue) = queue();
    let event = queue.submit(failing("bad", Vec::new())).unwrap();
    assert_eq!(event.wait(), Err(out_of_bounds("bad")));
    assert_eq!(event.wait(), Err(out_of_bounds("bad")));
    assert_eq!(event.status(), EventStatus::Failed);
    assert_eq!(queue.wait(), Err(out_of_bounds("bad")));
    assert_eq!(queue.wait(), Ok(()));
}

#[test]
fn the_queue_reports_the_first_of_several_failures() {
    let (_device, queue) = queue();
    let first = queue.submit(failing("first", Vec::new())).unwrap();
    let _ = first.wait();
    queue.submit(failing("second", Vec::new())).unwrap();
    assert_eq!(queue.wait(), Err(out_of_bounds("first")));
    assert_eq!(queue.wait(), Ok(()));
}

#[test]
fn a_failed_writer_fails_its_readers_whether_they_come_before_or_after_it_ends() {
    for wait_first in [false, true] {
        let (device, queue) = queue();
        let (a, b) = (Words::new(&device, 1), Words::new(&device, 1));
        b.host_set(&[SENTINEL]);
        let bad = queue.submit(failing("bad", vec![a.write()])).unwrap();
        if wait_first {
            assert_eq!(bad.wait(), Err(out_of_bounds("bad")));
            assert_eq!(queue.wait(), Err(out_of_bounds("bad")));
        }
        let ran = Arc::new(AtomicBool::new(false));
        let (note, target) = (Arc::clone(&ran), b.clone());
        let reader = kernel("reader", 1, vec![a.read(), b.write()], move |_, _| {
            note.store(true, Ordering::Relaxed);
            target.set(0, 1);
            Ok(())
        });
        let reader = queue.submit(reader).unwrap();
        let second = queue.submit(increment(&b, AccessMode::ReadWrite, &ran)).unwrap();
        assert!(is_dependency_failure(&reader.wait().unwrap_err(), "reader", "bad"));
        assert!(is_dependency_failure(&second.wait().unwrap_err(), "increment", "bad"));
        assert!(!ran.load(Ordering::Relaxed));
        // The host doesn't get the old value as a result either.
        assert!(is_dependency_failure(&b.host().unwrap_err(), "host access", "bad"));
        assert_eq!(b.get(0), SENTINEL);
    }
}

#[test]
fn writing_a_failed_commands_output_anew_makes_it_usable_again() {
    let (device, queue) = queue();
    let a = Words::new(&device, 4);
    let ran = Arc::new(AtomicBool::new(false));
    queue.submit(failing("bad", vec![a.write()])).unwrap();
    // One half only: the other half stays failed.
    queue.submit(Command::fill(&a.0, 0, 16, &7u64.to_ne_bytes()).unwrap()).unwrap().wait().unwrap();
    assert!(a.host().is_err());
    let half = |range| Access::range(&a.0, AccessMode::Read, range, "half");
    queue.submit(kernel("low", 1, vec![half(0..16)], |_, _| Ok(()))).unwrap().wait().unwrap();
    let high = queue.submit(kernel("high", 1, vec![half(8..24)], |_, _| Ok(()))).unwrap();
    assert!(is_dependency_failure(&high.wait().unwrap_err(), "high", "bad"));
    a.host_set(&[1, 2, 3, 4]);
    queue.submit(increment(&a, AccessMode::ReadWrite, &ran)).unwrap().wait().unwrap();
    assert_eq!(a.host().unwrap(), [2, 2, 3, 4]);
}

#[test]
fn order_alone_does_not_spread_a_failure() {
    let (device, queue) = queue();
    let a = Words::new(&device, 1);
    let ran = Arc::new(AtomicBool::new(false));
    // A failed reader holds up the next writer, but leaves it nothing to fail on.
    queue.submit(failing("bad_reader", vec![a.read()])).unwrap();
    queue.submit(increment(&a, AccessMode::ReadWrite, &ran)).unwrap().wait().unwrap();
    // An in-order queue's next command, if it needs nothing of the failed one.
    let in_order = Queue::with(&device, QueueOptions { in_order: true, profiling: false }).unwrap();
    in_order.submit(failing("bad", vec![Words::new(&device, 1).write()])).unwrap();
    in_order.submit(increment(&a, AccessMode::ReadWrite, &ran)).unwrap().wait().unwrap();
    assert_eq!(a.host().unwrap(), [2]);
    assert_eq!(in_order.wait(), Err(out_of_bounds("bad")));
}

#[test]
fn an_explicit_dependency_on_a_failed_event_fails_the_command_on_any_queue() {
    let (_device, queue) = queue();
    let other = Queue::new(&device_with(1)).unwrap();
    let bad = queue.submit(failing("bad", Vec::new())).unwrap();
    let dependent = other.submit(Command::empty("marker").after(&bad)).unwrap();
    let last = other.submit(kernel("last", 1, Vec::new(), |_, _| Ok(())).after(&dependent)).unwrap();
    assert!(is_dependency_failure(&last.wait().unwrap_err(), "last", "bad"));
    assert!(is_dependency_failure(&other.wait().unwrap_err(), "marker", "bad"));
    other.submit(kernel("independent", 1, Vec::new(), |_, _| Ok(()))).unwrap().wait().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_panic_in_a_kernel_is_its_events_error_and_the_workers_go_on() {
    let (device, queue) = queue();
    let ran = Arc::new(AtomicUsize::new(0));
    let line = line!() + 5;
    for round in 0..20 {
        let count = Arc::clone(&ran);
        let command = kernel("explodes", 1000, Vec::new(), move |chunk, _| {
            count.fetch_add(1, Ordering::Relaxed);
            assert!(chunk != 3, "chunk {chunk} of round {round}");
            std::thread::sleep(Duration::from_micros(20));
            Ok(())
        });
        let error = queue.submit(command).unwrap().wait().unwrap_err();
        let Error::KernelPanic { kernel, message, .. } = error else { panic!("{error}") };
        assert_eq!(kernel, "explodes");
        assert_eq!(message, format!("chunk 3 of round {round} in line {line} of {}", file!()));
    }
    assert!(ran.load(Ordering::Relaxed) < 20 * 500, "chunks after a panic are skipped");
    let a = Words::new(&device, 1);
    queue.submit(increment(&a, AccessMode::ReadWrite, &Arc::default())).unwrap().wait().unwrap();
    assert_eq!(a.host().unwrap(), [1]);
}

#[test]
fn host_tasks_that_panic_or_fail_say_so_by_name() {
    let (_device, queue) = queue();
    let panics = queue.submit(Command::host_task("tidy", || panic!("no {}", "luck"))).unwrap();
    let odd = queue.submit(Command::host_task("odd", || std::panic::panic_any(7))).unwrap();
    let fails = Error::HostTaskFailed { task: "send".into(), message: "refused".into() };
    let failed = fails.clone();
    let fails_event = queue.submit(Command::host_task("send", move || Err(fails))).unwrap();
    let message = "no luck".to_owned();
    assert_eq!(panics.wait(), Err(Error::HostTaskPanic { task: "tidy".into(), message }));
    let message = "a value that is not text".to_owned();
    assert_eq!(odd.wait(), Err(Error::HostTaskPanic { task: "odd".into(), message }));
    assert_eq!(fails_event.wait(), Err(failed));
}

/// A kernel that counts its finishes, may fail in them, and panics when it is dropped.
struct Finishing {
    finishes: Arc<AtomicUsize>,
    chunks: usize,
    chunk_fails: bool,
    finish_panics: bool,
}

impl KernelWork for Finishing {
    fn name(&self) -> Name {
        "finishing".into()
    }

    fn chunks(&self) -> usize {
        self.chunks
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        if self.chunk_fails && chunk == 1 { Err(out_of_bounds("finishing")) } else { Ok(()) }
    }

    fn finish(&self) -> Result<()> {
        assert!(!self.finish_panics, "in finish");
        self.finishes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Finishing {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn finish_runs_once_after_success_never_after_failure_and_a_panicking_drop_is_contained() {
    let (_device, queue) = queue();
    let finishes = Arc::new(AtomicUsize::new(0));
    let run = |chunks, chunk_fails, finish_panics| {
        let work = Finishing { finishes: Arc::clone(&finishes), chunks, chunk_fails, finish_panics };
        // SAFETY: the kernel touches no memory.
        queue.submit(unsafe { Command::kernel(Box::new(work), Vec::new()) }).unwrap().wait()
    };
    assert_eq!(run(0, false, false), Ok(()));
    assert_eq!(run(1, false, false), Ok(()));
    assert_eq!(run(100, false, false), Ok(()));
    assert_eq!(finishes.load(Ordering::Relaxed), 3);
    assert_eq!(run(100, true, false), Err(out_of_bounds("finishing")));
    let Err(Error::KernelPanic { kernel, message, .. }) = run(5, false, true) else { panic!("finishing panics") };
    assert_eq!(kernel, "finishing");
    assert!(message.starts_with("in finish in line "), "{message}");
    assert_eq!(finishes.load(Ordering::Relaxed), 3);
}

#[test]
fn waiting_inside_a_command_is_an_error_and_no_deadlock() {
    let device = device_with(1);
    let queue = Arc::new(Queue::new(&device).unwrap());
    let a = Words::new(&device, 1);
    let (inner, words) = (Arc::clone(&queue), a.clone());
    let task = Command::host_task("waits", move || {
        let event = inner.submit(kernel("later", 1, vec![words.write()], |_, _| Ok(())))?;
        assert_eq!(event.wait(), Err(Error::WaitInsideCommand { command: "later".into() }));
        assert!(matches!(inner.wait(), Err(Error::WaitInsideCommand { .. })));
        assert!(matches!(words.0.wait_for_host(AccessMode::Read), Err(Error::WaitInsideCommand { .. })));
        Ok(())
    });
    queue.submit(task).unwrap().wait().unwrap();
    queue.wait().unwrap();
    a.host().unwrap();
}

#[test]
fn an_error_of_a_dropped_queue_goes_to_stderr_and_aborts_nothing() {
    // In a process of its own, whose stderr can be read.
    const ROLE: &str = "SYCLONE_TEST_DROPS_A_QUEUE";
    if std::env::var_os(ROLE).is_some() {
        let (device, queue) = queue();
        let a = Words::new(&device, 1);
        queue.submit(failing("unheard", vec![a.write()])).unwrap();
        drop(queue);
        assert!(a.host().is_err());
        let queue = Queue::new(&device).unwrap();
        let heard = queue.submit(failing("heard", Vec::new())).unwrap();
        heard.wait().unwrap_err();
        drop(queue);
        // The first command's log line may come from a worker.
        std::thread::sleep(Duration::from_millis(100));
        return;
    }
    let (_, module) = module_path!().split_once("::").unwrap();
    let test = format!("{module}::an_error_of_a_dropped_queue_goes_to_stderr_and_aborts_nothing");
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([&test, "--exact", "--nocapture"])
        .env(ROLE, "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{stderr}");
    assert_eq!(
        stderr.matches("syclone: a command's error was never asked for: kernel 'unheard'").count(),
        1,
        "{stderr}"
    );
    assert!(!stderr.contains("'heard'"), "{stderr}");
}
