//! What goes wrong: `errors` (of a call) and `exceptions` (of running commands).

use syclone::prelude::*;

#[kernel]
fn quotient(item: Item<1>, x: View<i32>, y: View<i32>, out: ItemMut<i32>) {
    out[item] = x[item] / y[item];
}

#[kernel]
fn copy(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
    out[item] = x[item];
}

#[kernel]
fn writes_beyond(item: Item<1>, out: ItemMut<i32>) {
    out[item] = 1;
}

#[kernel(fallback)]
fn some_miss_the_barrier(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] == 0 {
        return;
    }
    item.barrier();
    out[item] = x[item];
}

#[kernel(work_group_size(8))]
fn groups_of_eight(item: NdItem<1>, out: ItemMut<i32>) {
    out[item] = 1;
}

/// Errors of calls.
pub mod errors {
    use super::*;

    crate::tests! {
        fn a_launch_that_cannot_run_is_refused_before_it_runs(queue) {
            let out = Buffer::<i32>::new(12);
            let refused = queue.submit(|h| h.parallel_for(NdRange::new(12, 4), groups_of_eight(out.write(h))));
            let error = refused.expect_err("groups of eight");
            assert!(matches!(error, Error::LaunchShape { .. }), "{error}");
            assert!(error.to_string().contains("groups_of_eight"), "{error}");
            assert_eq!(out.to_vec()?, [0; 12]);
        }

        fn an_error_says_what_to_do(queue) {
            let out = Buffer::<i32>::new(12);
            let refused = queue.submit(|h| h.parallel_for(NdRange::new(12, 5), groups_of_eight(out.write(h))));
            let text = refused.expect_err("five do not divide twelve").to_string();
            assert!(text.lines().count() >= 2, "what is wrong, then what to do: {text}");
        }

        fn the_error_of_a_group_is_the_error_of_its_submission(queue) {
            let out = Buffer::<i32>::new(3);
            let refused = queue.submit(|h| {
                let _ = h.copy_from_vec(vec![1, 2], out.write(h));
                Ok(())
            });
            assert!(matches!(refused, Err(Error::LengthMismatch { .. })), "an ignored mistake stays one: {refused:?}");
            assert_eq!(out.to_vec()?, [0; 3]);
        }

        fn a_part_beyond_its_memory_is_an_error_with_the_bytes(queue) {
            let _ = queue;
            let x = Buffer::<i32>::new(10);
            for bounds in [5..11, 11..12, 7..usize::MAX] {
                let error = x.slice(bounds.clone()).expect_err("beyond the end");
                assert!(matches!(error, Error::PartOutside { .. }), "{bounds:?}: {error}");
            }
            assert_eq!(x.slice(10..10)?.len(), 0);
        }

        fn errors_are_standard_errors_that_can_be_kept_and_compared(queue) {
            let _ = queue;
            let error = Device::select("cuda:77").expect_err("no such device");
            let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(error.clone());
            assert_eq!(boxed.to_string(), error.to_string());
            assert_eq!(error, error.clone());
        }
    }
}

/// Errors of commands.
pub mod exceptions {
    use super::*;

    crate::tests! {
        #[mistaken]
        fn a_division_by_zero_ends_the_command_with_an_error(queue) {
            let (x, y, out) = (Buffer::from_vec(vec![8; 4]), Buffer::from_vec(vec![2, 4, 0, 8]), Buffer::<i32>::new(4));
            let event = queue.submit(|h| h.parallel_for(4, quotient(x.read(h), y.read(h), out.write(h))))?;
            let error = event.wait().expect_err("8 / 0");
            assert!(matches!(error, Error::KernelPanic { .. }), "{error}");
            assert!(error.to_string().contains("quotient"), "{error}");
        }

        #[mistaken]
        fn a_write_beyond_the_end_is_dropped_and_reported(queue) {
            let whole = Buffer::from_vec(vec![7; 10]);
            let part = whole.slice(2..5)?;
            let event = queue.submit(|h| h.parallel_for(6, writes_beyond(part.write(h))))?;
            assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })));
            let outside = [whole.slice(..2)?.to_vec()?, whole.slice(5..)?.to_vec()?].concat();
            assert_eq!(outside, [7; 7]);
        }

        #[mistaken]
        fn a_barrier_that_some_miss_is_an_error_and_no_hang(queue) {
            let (x, out) = (Buffer::from_vec(vec![1, 1, 0, 1, 1, 1, 1, 1]), Buffer::<u32>::new(8));
            let shape = NdRange::new(8, 4);
            let event = queue.submit(|h| h.parallel_for(shape, some_miss_the_barrier(x.read(h), out.write(h))))?;
            let error = event.wait().expect_err("one item of a group has returned");
            assert!(matches!(error, Error::Divergence { .. }), "{error}");
        }

        #[mistaken]
        fn what_depends_on_a_failed_command_does_not_run_and_names_the_first_cause(queue) {
            let (x, y) = (Buffer::from_vec(vec![1; 4]), Buffer::from_vec(vec![0; 4]));
            let (z, w) = (Buffer::<i32>::new(4), Buffer::from_vec(vec![5; 4]));
            let first = queue.submit(|h| h.parallel_for(4, quotient(x.read(h), y.read(h), z.write(h))))?;
            let second = queue.submit(|h| h.parallel_for(4, copy(z.read(h), w.write(h))))?;
            let cause = first.wait().expect_err("1 / 0");
            let error = second.wait().expect_err("its input was never written");
            assert!(matches!(error, Error::DependencyFailed { .. }), "{error}");
            assert_eq!(error.first_cause().to_string(), cause.to_string());
        }

        #[mistaken]
        fn unrelated_commands_and_the_queue_go_on(queue) {
            let (x, y, z) = (Buffer::from_vec(vec![1; 4]), Buffer::from_vec(vec![0; 4]), Buffer::<i32>::new(4));
            let failed = queue.submit(|h| h.parallel_for(4, quotient(x.read(h), y.read(h), z.write(h))))?;
            let w = Buffer::<i32>::new(4);
            queue.submit(|h| h.parallel_for(4, copy(x.read(h), w.write(h))))?.wait()?;
            assert_eq!(w.to_vec()?, [1; 4]);
            failed.wait().expect_err("1 / 0");
        }

        #[mistaken]
        fn new_contents_take_the_failure_from_a_buffer(queue) {
            let (x, y, z) = (Buffer::from_vec(vec![1; 4]), Buffer::from_vec(vec![0; 4]), Buffer::<i32>::new(4));
            let failed = queue.submit(|h| h.parallel_for(4, quotient(x.read(h), y.read(h), z.write(h))))?;
            failed.wait().expect_err("1 / 0");
            z.host_read().expect_err("nobody has written it");
            z.copy_from_slice(&[1, 2, 3, 4])?;
            assert_eq!(z.to_vec()?, [1, 2, 3, 4]);
        }
    }
}
