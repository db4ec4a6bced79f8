//! A queue's error handler: called once for each command that fails, whether or not anybody waits.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::common::{Words, failing, is_dependency_failure, kernel, out_of_bounds};
use crate::device_with;
use syclone_runtime::{AccessMode, Command, Device, Error, ErrorHandler, Event, Graph, Queue, QueueOptions};

fn handled(device: &Device, handler: impl Fn(&Error) + Send + Sync + 'static) -> Queue {
    let handler: ErrorHandler = Arc::new(handler);
    Queue::with_handler(device, QueueOptions::default(), Some(handler)).unwrap()
}

#[test]
fn the_handler_is_called_when_nobody_waits_even_after_the_queue_is_dropped() {
    let (sender, errors) = mpsc::channel();
    let sender = Mutex::new(sender);
    let queue = handled(&device_with(1), move |error| drop(sender.lock().unwrap().send(error.clone())));
    let (open, closed) = mpsc::channel::<()>();
    let closed = Mutex::new(closed);
    let late = kernel("late", 1, Vec::new(), move |_, _| {
        let _ = closed.lock().unwrap().recv();
        Err(out_of_bounds("late"))
    });
    queue.submit(late).unwrap();
    drop(queue);
    drop(open);
    assert_eq!(errors.recv_timeout(Duration::from_secs(10)), Ok(out_of_bounds("late")));
}

#[test]
fn the_handler_sees_each_failure_once_and_before_its_event_does() {
    let device = device_with(2);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let queue = handled(&device, move |error| log.lock().unwrap().push(error.clone()));
    let a = Words::new(&device, 1);
    let bad = queue.submit(failing("bad", vec![a.write()])).unwrap();
    assert_eq!(bad.wait(), Err(out_of_bounds("bad")));
    assert_eq!(*seen.lock().unwrap(), [out_of_bounds("bad")]);
    let skipped = queue.submit(kernel("skipped", 1, vec![a.read()], |_, _| Ok(()))).unwrap();
    let error = skipped.wait().unwrap_err();
    assert!(is_dependency_failure(&error, "skipped", "bad"));
    assert_eq!(queue.wait(), Err(out_of_bounds("bad")));
    let graph = Graph::new(&device, false);
    graph.record(failing("inner", Vec::new())).unwrap();
    queue.submit(Command::replay(&graph.instantiate().unwrap())).unwrap().wait().unwrap_err();
    assert_eq!(*seen.lock().unwrap(), [out_of_bounds("bad"), error, out_of_bounds("inner")]);
}

#[test]
fn a_handler_may_panic_or_submit_but_not_wait() {
    let device = device_with(1);
    let other = Queue::new(&device).unwrap();
    // What the handler would wait for can't end before the handler has.
    let held = Words::new(&device, 1);
    let token = held.0.wait_for_host(AccessMode::Write).unwrap();
    let waits = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&waits);
    let queue = handled(&device, move |_| {
        let event: Event = other.submit(kernel("cleanup", 1, vec![held.write()], |_, _| Ok(()))).unwrap();
        log.lock().unwrap().push((event.wait(), event));
        panic!("in the handler");
    });
    let bad = queue.submit(failing("bad", Vec::new())).unwrap();
    bad.wait().unwrap_err();
    // This one is skipped on the submitting thread, which is no worker.
    queue.submit(Command::empty("skipped").after(&bad)).unwrap().wait().unwrap_err();
    let waits = std::mem::take(&mut *waits.lock().unwrap());
    assert_eq!(waits.len(), 2);
    drop(token);
    for (wait, event) in waits {
        assert_eq!(wait, Err(Error::WaitInsideCommand { command: "cleanup".into() }));
        event.wait().unwrap();
    }
    queue.submit(kernel("fine", 1, Vec::new(), |_, _| Ok(()))).unwrap().wait().unwrap();
}

#[test]
fn a_handler_that_reads_what_has_failed_comes_to_an_end() {
    let device = device_with(1);
    let a = Words::new(&device, 1);
    let (calls, events) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let itself: Arc<Mutex<Option<Arc<Queue>>>> = Arc::default();
    let (log, dumps, same, words) = (Arc::clone(&calls), Arc::clone(&events), Arc::clone(&itself), a.clone());
    let queue = Arc::new(handled(&device, move |error| {
        log.lock().unwrap().push(error.clone());
        let queue = same.lock().unwrap().clone().unwrap();
        dumps.lock().unwrap().push(queue.submit(kernel("dump", 1, vec![words.read()], |_, _| Ok(()))).unwrap());
    }));
    *itself.lock().unwrap() = Some(Arc::clone(&queue));
    queue.submit(failing("bad", vec![a.write()])).unwrap().wait().unwrap_err();
    queue.wait().unwrap_err();
    // The first dump still followed its writer, and so is a command that failed after the handler; the second does not.
    let (calls, dumps) = (std::mem::take(&mut *calls.lock().unwrap()), std::mem::take(&mut *events.lock().unwrap()));
    assert_eq!((calls.len(), dumps.len()), (2, 2), "{calls:?}");
    assert_eq!(calls[0], out_of_bounds("bad"));
    for error in [calls[1].clone(), dumps[0].wait().unwrap_err(), dumps[1].wait().unwrap_err()] {
        assert!(is_dependency_failure(&error, "dump", "bad"), "{error}");
    }
    itself.lock().unwrap().take();
}

#[test]
fn failures_that_a_handler_causes_take_no_stack() {
    const FAILURES: usize = 20_000;
    let device = device_with(1);
    let plain = Queue::new(&device).unwrap();
    // Two causes in turns, so that none is the one that is being handled.
    let causes = ["odd", "even"].map(|name| plain.submit(failing(name, Vec::new())).unwrap());
    causes.iter().for_each(|cause| drop(cause.wait()));
    let failed: Vec<Event> = (0..FAILURES).map(|idx| causes[idx % 2].clone()).collect();
    let failed = Mutex::new(failed.into_iter());
    let calls = Arc::new(Mutex::new(0));
    let itself: Arc<Mutex<Option<Arc<Queue>>>> = Arc::default();
    let (count, same) = (Arc::clone(&calls), Arc::clone(&itself));
    let queue = Arc::new(handled(&device, move |_| {
        *count.lock().unwrap() += 1;
        let next = failed.lock().unwrap().next();
        if let Some(event) = next {
            let queue = same.lock().unwrap().clone().unwrap();
            queue.submit(Command::empty("next").after(&event)).unwrap();
        }
    }));
    *itself.lock().unwrap() = Some(Arc::clone(&queue));
    queue.submit(failing("first", Vec::new())).unwrap().wait().unwrap_err();
    assert_eq!(*calls.lock().unwrap(), FAILURES + 1);
    itself.lock().unwrap().take();
}
