//! Commands: `handler`, `host_task`, `queue` and `event`.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use syclone::prelude::*;

#[kernel]
fn step(item: Item<1>, factor: i32, x: ItemMut<i32>) {
    x[item] = x[item] * factor + item.id(0) as i32;
}

#[kernel]
fn sum_of(item: Item<1>, x: View<i32>, y: View<i32>, out: ItemMut<i32>) {
    out[item] = x[item] + y[item];
}

/// A host task that notes a word.
fn note(log: &Arc<Mutex<Vec<&'static str>>>, word: &'static str) -> impl Fn(&syclone::HostTask) + Send + use<> {
    let log = Arc::clone(log);
    move |_| log.lock().expect("no task panics").push(word)
}

/// Wakes a parked thread.
struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The smallest executor there is.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Command groups.
pub mod handler {
    use super::*;

    crate::tests! {
        fn a_copy_moves_all_elements(queue) {
            let (x, y) = (Buffer::from_vec((0..300).collect::<Vec<i32>>()), Buffer::<i32>::new(300));
            queue.submit(|h| h.copy(x.read(h), y.write(h)))?;
            assert_eq!(y.to_vec()?, (0..300).collect::<Vec<_>>());
        }

        fn a_copy_moves_parts_and_rectangles(queue) {
            let x = Buffer::from_vec_with((0..20).collect::<Vec<i32>>(), [4, 5])?;
            let y = Buffer::<i32>::new(12);
            queue.copy(&x.columns(1..3)?, &y.slice(2..10)?)?;
            assert_eq!(y.to_vec()?, [0, 0, 1, 2, 6, 7, 11, 12, 16, 17, 0, 0]);
        }

        fn a_fill_sets_every_element_and_no_other(queue) {
            let x = Buffer::from_vec(vec![1u16; 101]);
            queue.submit(|h| h.fill(x.slice(1..100)?.write(h), 515))?;
            let mut expected = vec![515; 101];
            (expected[0], expected[100]) = (1, 1);
            assert_eq!(x.to_vec()?, expected);
        }

        fn a_copied_slice_may_change_at_once(queue) {
            let x = Buffer::<i32>::new(1000);
            let mut source = vec![5; 1000];
            let event = queue.submit(|h| h.copy_from_slice(&source, x.write(h)))?;
            source.fill(6);
            event.wait()?;
            assert_eq!(x.to_vec()?, [5; 1000]);
        }

        fn a_copy_between_different_lengths_is_an_error(queue) {
            let (x, y) = (Buffer::<i32>::new(5), Buffer::<i32>::new(6));
            let refused = queue.submit(|h| h.copy(x.read(h), y.write(h)));
            assert!(matches!(refused, Err(Error::LengthMismatch { source_len: 5, target_len: 6, .. })), "{refused:?}");
        }

        fn a_group_has_one_command(queue) {
            let x = Buffer::<i32>::new(5);
            let refused = queue.submit(|h| {
                h.fill(x.write(h), 1)?;
                h.fill(x.write(h), 2)
            });
            assert!(matches!(refused, Err(Error::DuplicateLaunch { .. })), "{refused:?}");
            assert_eq!(x.to_vec()?, [0; 5]);
            queue.submit(|_| Ok(()))?.wait()?;
        }

        fn a_dependency_orders_what_no_memory_orders(queue) {
            let log = Arc::default();
            let slow = note(&log, "first");
            let first = queue.submit(|h| h.host_task(move |task| {
                std::thread::sleep(Duration::from_millis(20));
                slow(task);
            }))?;
            queue.submit(|h| {
                h.depends_on(&first);
                h.host_task(note(&log, "second"))
            })?.wait()?;
            assert_eq!(*log.lock().expect("no task panics"), ["first", "second"]);
        }
    }
}

/// Host tasks.
pub mod host_task {
    use super::*;

    crate::tests! {
        fn a_host_task_reads_and_writes_between_kernels(queue) {
            let x = Buffer::from_vec(vec![1; 40]);
            queue.submit(|h| h.parallel_for(40, step(2, x.read_write(h))))?;
            queue.submit(|h| {
                let mut data = x.read_write(h);
                h.host_task(move |task| task.write(&mut data).map(|data| data.reverse()))
            })?;
            queue.submit(|h| h.parallel_for(40, step(10, x.read_write(h))))?;
            let expected: Vec<i32> = (0..40).map(|i| (2 + 39 - i) * 10 + i).collect();
            assert_eq!(x.to_vec()?, expected);
        }

        fn the_error_of_a_host_task_is_its_commands_error(queue) {
            let event = queue.submit(|h| h.host_task(|_| Err::<(), _>("no disk")))?;
            let error = event.wait().expect_err("the task fails");
            assert!(matches!(error, Error::HostTaskFailed { .. }) && error.to_string().contains("no disk"), "{error}");
        }

        fn a_panic_in_a_host_task_is_an_error_and_the_queue_goes_on(queue) {
            let event = queue.submit(|h| {
                h.host_task(|_| {
                    // Quietly: a test that passes prints nothing.
                    if true {
                        std::panic::resume_unwind(Box::new("a task without luck".to_owned()));
                    }
                })
            })?;
            let error = event.wait().expect_err("the task panics");
            assert!(matches!(error, Error::HostTaskPanic { .. }) && error.to_string().contains("luck"), "{error}");
            queue.submit(|h| h.host_task(|_| ()))?.wait()?;
        }

        fn a_host_task_may_submit_but_not_wait(queue) {
            let device = queue.device().clone();
            let event = queue.submit(|h| {
                h.host_task(move |_| {
                    // It is at work or waits for a worker until the assertion holds.
                    let (end, ended) = std::sync::mpsc::channel::<()>();
                    let inner = Queue::new(&device)?.submit(|h| h.host_task(move |_| ended.recv().unwrap_or(())))?;
                    assert!(matches!(inner.wait(), Err(Error::WaitInsideCommand { .. })));
                    drop(end);
                    Ok::<_, Error>(())
                })
            })?;
            event.wait()?;
        }
    }
}

/// Queues.
pub mod queue {
    use super::*;

    crate::tests! {
        fn an_in_order_queue_keeps_the_order_of_submission(queue) {
            let queue = Queue::in_order(queue.device())?;
            assert!(queue.is_in_order());
            let log = Arc::new(Mutex::new(Vec::new()));
            for i in 0..100 {
                let log = Arc::clone(&log);
                queue.submit(|h| h.host_task(move |_| log.lock().expect("no task panics").push(i)))?;
            }
            queue.wait()?;
            assert_eq!(*log.lock().expect("no task panics"), (0..100).collect::<Vec<_>>());
        }

        fn an_out_of_order_queue_keeps_the_order_that_memory_asks_for(queue) {
            assert!(!queue.is_in_order());
            let buffers: Vec<Buffer<i32>> = (0..4).map(|_| Buffer::from_vec(vec![1; 50])).collect();
            for round in 0..40 {
                queue.submit(|h| h.parallel_for(50, step(round % 3, buffers[round as usize % 4].read_write(h))))?;
            }
            for (which, buffer) in buffers.iter().enumerate() {
                let expected = (0..50).map(|i| {
                    (0..40).filter(|round| round % 4 == which as i32).fold(1, |x, round| x * (round % 3) + i)
                });
                assert_eq!(buffer.to_vec()?, expected.collect::<Vec<i32>>());
            }
        }

        fn queues_that_share_memory_wait_for_each_other(queue) {
            let other = Queue::new(queue.device())?;
            let x = Buffer::from_vec(vec![0; 64]);
            for _ in 0..10 {
                queue.submit(|h| h.parallel_for(64, step(1, x.read_write(h))))?;
                other.submit(|h| h.parallel_for(64, step(2, x.read_write(h))))?;
            }
            let expected = (0..64).map(|i| (0..10).fold(0, |x, _| (x + i) * 2 + i));
            assert_eq!(x.to_vec()?, expected.collect::<Vec<i32>>());
        }

        fn any_number_of_threads_may_submit_to_one_queue(queue) {
            let done = Arc::new(AtomicUsize::new(0));
            std::thread::scope(|threads| {
                for _ in 0..4 {
                    threads.spawn(|| {
                        for _ in 0..50 {
                            let done = Arc::clone(&done);
                            let count = move |_: &syclone::HostTask| {
                                done.fetch_add(1, Ordering::Relaxed);
                            };
                            queue.submit(|h| h.host_task(count)).expect("submits");
                        }
                    });
                }
            });
            queue.wait()?;
            assert_eq!(done.load(Ordering::Relaxed), 200);
        }

        fn wait_returns_the_first_error_once(queue) {
            queue.submit(|h| h.host_task(|_| Err::<(), _>("the first")))?.wait().expect_err("it fails");
            queue.submit(|h| h.host_task(|_| Err::<(), _>("the second")))?.wait().expect_err("it fails");
            let error = queue.wait().expect_err("two have failed");
            assert!(error.to_string().contains("the first"), "{error}");
            queue.wait()?;
        }

        fn a_dropped_queue_finishes_what_was_submitted(queue) {
            let x = Buffer::from_vec(vec![0; 10]);
            let short = Queue::new(queue.device())?;
            short.submit(|h| h.parallel_for(10, step(0, x.read_write(h))))?;
            drop(short);
            assert_eq!(x.to_vec()?, (0..10).collect::<Vec<_>>());
        }
    }
}

/// Events.
pub mod event {
    use super::*;

    crate::tests! {
        fn a_wait_ends_with_the_command_and_can_be_repeated(queue) {
            let x = Buffer::from_vec(vec![3; 20]);
            let event = queue.submit(|h| h.parallel_for(20, step(0, x.read_write(h))))?;
            event.wait()?;
            assert_eq!(event.status(), syclone::EventStatus::Complete);
            event.wait()?;
            assert!(matches!(event.wait_timeout(Duration::ZERO), Some(Ok(()))));
        }

        fn a_command_that_waits_is_not_complete(queue) {
            let x = Buffer::from_vec(vec![3; 20]);
            let guard = x.host_write()?;
            let event = queue.submit(|h| h.parallel_for(20, step(0, x.read_write(h))))?;
            assert!(event.poll().is_none());
            assert!(event.wait_timeout(Duration::from_millis(5)).is_none());
            drop(guard);
            event.wait()?;
            assert!(matches!(event.poll(), Some(Ok(()))));
        }

        fn an_event_is_a_future_of_any_executor(queue) {
            let (x, y, out) = (Buffer::from_vec(vec![1; 30]), Buffer::from_vec(vec![2; 30]), Buffer::<i32>::new(30));
            let event = queue.submit(|h| h.parallel_for(30, sum_of(x.read(h), y.read(h), out.write(h))))?;
            block_on(event)?;
            assert_eq!(out.to_vec()?, [3; 30]);
        }

        needs QueueProfiling; fn profiling_times_are_in_order(queue) {
            let queue = QueueOptions::new().profiling(true).build(queue.device())?;
            let x = Buffer::from_vec(vec![3; 20_000]);
            let first = queue.submit(|h| h.parallel_for(20_000, step(1, x.read_write(h))))?;
            let second = queue.submit(|h| h.parallel_for(20_000, step(1, x.read_write(h))))?;
            second.wait()?;
            let (first, second) = (first.profiling().expect("asked for"), second.profiling().expect("asked for"));
            assert!(first.submitted <= first.start && first.start <= first.end);
            assert!(first.end <= second.start && second.start <= second.end);
        }

        fn without_profiling_there_are_no_times(queue) {
            let event = queue.submit(|h| h.host_task(|_| ()))?;
            event.wait()?;
            assert_eq!(event.profiling(), None);
        }

        fn many_commands_may_follow_one_and_one_may_follow_many(queue) {
            let log = Arc::default();
            let first = queue.submit(|h| h.host_task(note(&log, "first")))?;
            let middle: Vec<Event> = (0..10)
                .map(|_| queue.submit(|h| {
                    h.depends_on(&first);
                    h.host_task(note(&log, "middle"))
                }))
                .collect::<Result<_>>()?;
            queue.submit(|h| {
                h.depends_on_all(&middle);
                h.host_task(note(&log, "last"))
            })?.wait()?;
            let log = log.lock().expect("no task panics");
            assert_eq!((log[0], log[11], log.len()), ("first", "last", 12));
        }
    }
}
