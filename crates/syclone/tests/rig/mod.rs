//! What the tests of kernels share: the ways to run one, and the comparison with the host.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fmt::Debug;

use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

pub mod device;
pub mod printing;

pub use device::{device, expect_no_reports};

/// A queue of the device that tests run on.
pub fn queue() -> Queue {
    Queue::new(&device()).expect("a queue")
}

/// Runs `test` once for each way, in which all kernels that it submits run.
pub fn in_every_way(test: impl Fn(&Queue, Way)) {
    for way in Way::ALL {
        with_way(way, || test(&queue(), way));
    }
}

/// Submits a command group and waits for its command, in which a checked device must find nothing.
#[track_caller]
pub fn run(queue: &Queue, group: impl FnOnce(&Handler<'_>) -> Result<()>) {
    run_with_reports(queue, group);
    expect_no_reports(queue.device());
}

/// [`run`] for kernels that do on purpose what a checked device reports.
#[track_caller]
pub fn run_with_reports(queue: &Queue, group: impl FnOnce(&Handler<'_>) -> Result<()>) {
    queue.submit(group).expect("the launch is valid").wait().expect("the kernel ends well");
}

/// The text of the error in which a command group ends, at its submission or later. What a checked device reports of it is
/// forgotten.
pub fn failure(queue: &Queue, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> String {
    let text = match queue.submit(group) {
        Ok(event) => event.wait().expect_err("the kernel must not end well").to_string(),
        Err(error) => error.to_string(),
    };
    drop(queue.device().take_reports());
    text
}

/// Checks that a text says all of this.
#[track_caller]
pub fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
}

/// How many items the groups of [`same_as_on_the_host`] have: no multiple of anything.
pub const GROUP: usize = 5;

/// Runs a kernel over the inputs in every way, in groups of [`GROUP`] items, and compares what each item wrote with what
/// the host computes. Values are compared as they print: all NaNs are alike, zeros of different signs are not.
#[track_caller]
pub fn same_as_on_the_host<I, O>(
    inputs: &[I],
    host: impl Fn(I) -> O,
    launch: impl Fn(&Handler<'_>, NdRange<1>, &Buffer<I>, &Buffer<O>) -> Result<()>,
) where
    I: DeviceCopy + Debug,
    O: DeviceCopy + Debug,
{
    let mut padded = inputs.to_vec();
    padded.resize(inputs.len().next_multiple_of(GROUP), inputs[0]);
    let expected: Vec<String> = padded.iter().map(|&input| format!("{:?}", host(input))).collect();
    let shape = NdRange::new(padded.len(), GROUP);
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(padded.clone()), Buffer::<O>::new(padded.len()));
        run(queue, |h| launch(h, shape, &x, &out));
        let out = out.host_read().expect("the result");
        for ((got, expected), input) in out.iter().zip(&expected).zip(&padded) {
            assert_eq!(&format!("{got:?}"), expected, "{way:?} for {input:?}");
        }
    });
}

/// Defines a module with a kernel, a kernel that calls a device function, and a host function, all of one body.
///
/// `code!(fn name(x: u32) -> u32 { … })` for bodies without `return`; `code!(function name(…) …)` leaves out the first
/// kernel, in which `return` would mean something else.
#[macro_export]
macro_rules! code {
    (fn $name:ident($x:ident: $in:ty) -> $out:ty $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            /// The body between barriers, so that it is a region of its own.
            #[kernel(fallback)]
            fn inside(item: NdItem<1>, x: View<$in>, out: ItemMut<$out>) {
                let $x = x[item];
                item.barrier();
                let value = $body;
                item.barrier();
                out[item] = value;
            }

            $crate::code!(@function $x: $in, $out, $body);

            #[test]
            fn in_a_kernel() {
                $crate::rig::same_as_on_the_host(&<$in as $crate::Inputs>::inputs(), host, |h, shape, x, out| {
                    h.parallel_for(shape, inside(x.read(h), out.write(h)))
                });
            }
        }
    };
    (function $name:ident($x:ident: $in:ty) -> $out:ty $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::code!(@function $x: $in, $out, $body);
        }
    };
    (@function $x:ident: $in:ty, $out:ty, $body:block) => {
        #[device_fn]
        fn device($x: $in) -> $out $body

        #[kernel(fallback)]
        fn outside(item: NdItem<1>, x: View<$in>, out: ItemMut<$out>) {
            out[item] = device(x[item]);
        }

        fn host($x: $in) -> $out $body

        #[test]
        fn in_a_device_function() {
            $crate::rig::same_as_on_the_host(&<$in as $crate::Inputs>::inputs(), host, |h, shape, x, out| {
                h.parallel_for(shape, outside(x.read(h), out.write(h)))
            });
        }
    };
}
