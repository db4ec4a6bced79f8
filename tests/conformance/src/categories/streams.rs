//! `stream`: text from kernels, and their assertions.

use std::sync::{Arc, Mutex};

use syclone::prelude::*;

#[kernel]
fn line_each(item: NdItem<1>, x: View<f32>) {
    let i = item.global_id(0);
    kprintln!("item {i:>3}: {:.2} {}", x[i], x[i] > 1.0);
}

#[kernel]
fn numbers(item: Item<1>, x: View<u32>, v: View<I32x3>) {
    kprint!("{:#06x} {} ", x[item], v[item]);
}

#[kernel]
fn inside(item: Item<1>, limit: i32, x: View<i32>, out: ItemMut<i32>) {
    let v = x[item];
    kassert!(v < limit, "{v} is not below {limit}");
    out[item] = v;
}

/// What `run` makes kernels print on a queue of the same device.
fn printed(queue: &Queue, run: impl FnOnce(&Queue) -> Result<Event>) -> Result<String> {
    let text = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&text);
    let take = move |more: &str| sink.lock().expect("no sink panics").push_str(more);
    let printing = QueueOptions::new().on_print(take).build(queue.device())?;
    run(&printing)?.wait()?;
    let text = text.lock().expect("no sink panics").clone();
    Ok(text)
}

/// Streams.
pub mod stream {
    use super::*;

    crate::tests! {
        fn every_item_prints_a_whole_line(queue) {
            let x: Vec<f32> = (0..24).map(|i| i as f32 * 0.25).collect();
            let input = Buffer::from_slice(&x);
            let shape = NdRange::new(24, 8);
            let text = printed(queue, |queue| queue.submit(|h| h.parallel_for(shape, line_each(input.read(h)))))?;
            let mut lines: Vec<&str> = text.lines().collect();
            // Groups may print in any order.
            lines.sort_unstable();
            let line = |(i, x): (usize, &f32)| format!("item {i:>3}: {x:.2} {}", *x > 1.0);
            assert_eq!(lines, x.iter().enumerate().map(line).collect::<Vec<_>>());
        }

        fn numbers_and_vectors_print_as_in_rust(queue) {
            let (x, v) = (Buffer::from_vec(vec![0xbeefu32]), Buffer::from_vec(vec![I32x3::new([1, -2, 3])]));
            let text = printed(queue, |queue| queue.submit(|h| h.parallel_for(1, numbers(x.read(h), v.read(h)))))?;
            assert_eq!(text, "0xbeef [1, -2, 3] ");
        }

        fn a_kernel_prints_to_the_queue_that_it_is_submitted_to(queue) {
            let input = Buffer::from_vec(vec![0.5f32]);
            let run = |queue: &Queue| queue.submit(|h| h.parallel_for(NdRange::new(1, 1), line_each(input.read(h))));
            let (first, second) = (printed(queue, run)?, printed(queue, |queue| queue.submit(|_| Ok(())))?);
            assert_eq!((first.as_str(), second.as_str()), ("item   0: 0.50 false\n", ""));
        }

        #[mistaken]
        fn an_assertion_that_does_not_hold_ends_the_command_with_its_words(queue) {
            let (x, out) = (Buffer::from_vec(vec![1, 2, 30, 4]), Buffer::<i32>::new(4));
            let event = queue.submit(|h| h.parallel_for(4, inside(10, x.read(h), out.write(h))))?;
            let error = event.wait().expect_err("thirty");
            assert!(matches!(error, Error::AssertionFailed { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains("inside") && text.contains("30 is not below 10"), "{text}");
        }

        fn an_assertion_that_holds_changes_nothing(queue) {
            let (x, out) = (Buffer::from_vec(vec![1, 2, 3, 4]), Buffer::<i32>::new(4));
            queue.submit(|h| h.parallel_for(4, inside(10, x.read(h), out.write(h))))?;
            assert_eq!(out.to_vec()?, [1, 2, 3, 4]);
        }
    }
}
