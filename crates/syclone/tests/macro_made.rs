//! Kernels that macros make. A name of a `macro_rules!` macro's own and its caller's are two variables, as in Rust; those of
//! a procedural macro are usually one.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

/// A kernel and a device function whose own variables have the names that the caller's code uses too.
macro_rules! mapped {
    ($kernel:ident, $device:ident, $host:ident, $x:ident, $value:expr) => {
        #[device_fn]
        fn $device($x: u32) -> u32 {
            let t = 100;
            let u = $value;
            t + u
        }

        #[kernel(fallback)]
        fn $kernel(item: NdItem<1>, input: View<u32>, out: ItemMut<u32>) {
            let $x = input[item];
            let t = 100;
            item.barrier();
            let u = $value;
            let (a, b) = (t, $device($x));
            item.barrier();
            let sum = match u {
                0 => 0,
                t => t + a,
            };
            out[item] = sum + b * 1000 + t * 1000000;
        }

        /// What plain Rust makes of the same names.
        fn $host($x: u32) -> u32 {
            let device = {
                let t = 100;
                let u = $value;
                t + u
            };
            let t = 100;
            let u = $value;
            let a = t;
            let sum = match u {
                0 => 0,
                t => t + a,
            };
            sum + device * 1000 + t * 1000000
        }
    };
}

mapped!(shadowed_by_text, shadowed_device, shadowed_host, t, t * 2 + 1);
mapped!(own_names_too, own_device, own_host, u, {
    let a = u + 1;
    let t = a * 2;
    t + a
});

#[test]
fn variables_of_the_macro_and_of_its_caller_are_two() {
    let input = [3u32, 0, 7, 9, 1, 4];
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(input.to_vec());
        let out = Buffer::<u32>::new(input.len());
        run(queue, |h| h.parallel_for(NdRange::new(6, 3), shadowed_by_text(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), input.map(shadowed_host), "{way:?}");
        run(queue, |h| h.parallel_for(NdRange::new(6, 3), own_names_too(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), input.map(own_host), "{way:?}");
    });
}

/// An inline kernel with a variable `k` of its own beside whatever the caller captures.
macro_rules! scaled {
    ($out:ident, $factor:expr) => {
        syclone::kernel!(|item: Item<1>| {
            let k = 10;
            $out[item] = k * $factor + k;
        })
    };
}

#[test]
fn a_captured_name_is_not_the_macros_own() {
    in_every_way(|queue, way| {
        let result = Buffer::<u32>::new(2);
        let k = 7;
        run(queue, |h| {
            let out = result.write(h);
            h.parallel_for(2, scaled!(out, k))
        });
        assert_eq!(*result.host_read().unwrap(), [80, 80], "{way:?}");
    });
}

/// Kernels and a device function with a parameter `x` of their own beside one that the caller names.
macro_rules! with_a_parameter {
    ($kernel:ident, $synchronising:ident, $device:ident, $name:ident) => {
        #[device_fn]
        fn $device(x: u32, $name: u32) -> u32 {
            x * 100 + $name
        }

        #[kernel]
        fn $kernel(item: Item<1>, x: View<u32>, $name: View<u32>, out: ItemMut<u32>) {
            out[item] = x[item] + $name[item] * 10 + $device(x[item], $name[item]) * 1000;
        }

        #[kernel(fallback)]
        fn $synchronising(item: NdItem<1>, x: u32, $name: LocalAccessor<u32>, out: ItemMut<u32>) {
            let me = item.local_id(0);
            $name[me] = x + me as u32;
            item.barrier();
            out[item] = $name[1 - me] * 10 + x;
        }
    };
}

with_a_parameter!(two_parameters, a_value_and_local_memory, two_arguments, x);

#[test]
fn parameters_of_the_macro_and_of_its_caller_are_two() {
    in_every_way(|queue, way| {
        let (a, b) = (Buffer::from_vec(vec![1u32, 2]), Buffer::from_vec(vec![3u32, 4]));
        let out = Buffer::<u32>::new(2);
        run(queue, |h| h.parallel_for(2, two_parameters(a.read(h), b.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [103031, 204042], "{way:?}");
        let shape = NdRange::new(2, 2);
        run(queue, |h| h.parallel_for(shape, a_value_and_local_memory(7, LocalAccessor::new(2), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [87, 77], "{way:?}");
    });
}

/// An inline kernel that captures the macro's own `x` and `k` beside the caller's.
macro_rules! captured {
    ($handler:ident, $buffer:ident, $result:ident, $x:ident, $k:ident) => {{
        let (x, k) = ($buffer.read($handler), 2.5f32);
        let out = $result.write($handler);
        $handler
            .parallel_for(3, syclone::kernel!(|item: Item<1>| out[item] = x[item] * k + $x[item] as f32 * $k as f32))
    }};
}

#[test]
fn captures_of_the_macro_and_of_its_caller_are_two_even_of_two_types() {
    in_every_way(|queue, way| {
        let (floats, whole) = (Buffer::from_vec(vec![1.0f32, 2.0, 3.0]), Buffer::from_vec(vec![4u32, 5, 6]));
        let result = Buffer::<f32>::new(3);
        run(queue, |h| {
            let (x, k) = (whole.read(h), 100i64);
            captured!(h, floats, result, x, k)
        });
        assert_eq!(*result.host_read().unwrap(), [402.5, 505.0, 607.5], "{way:?}");
    });
}

/// A loop labelled by the macro around code of the caller's that jumps to its own label.
macro_rules! twice {
    ($body:block) => {
        'again: for _ in 0..2 {
            if true {
                $body
            }
            continue 'again;
        }
    };
}

/// The same loop as `twice!` within a kernel, where macros cannot be called.
macro_rules! labelled {
    ($kernel:ident, $host:ident, $n:ident, $label:lifetime, $jump:expr) => {
        #[kernel]
        fn $kernel(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
            let mut $n = x[item];
            $label: loop {
                $n += 1;
                'again: for _ in 0..2 {
                    if $n > 20 {
                        $jump;
                    }
                    $n += 5;
                    continue 'again;
                }
                $n += 100;
            }
            out[item] = $n;
        }

        fn $host(x: u32) -> u32 {
            let mut $n = x;
            $label: loop {
                $n += 1;
                twice!({
                    if $n > 20 {
                        $jump;
                    }
                    $n += 5;
                });
                $n += 100;
            }
            $n
        }
    };
}

labelled!(jumps_out, jumps_out_host, n, 'again, break 'again);

#[test]
fn a_jump_goes_to_the_label_that_its_writer_sees() {
    in_every_way(|queue, way| {
        let input = [0u32, 3, 19, 30];
        let (x, out) = (Buffer::from_vec(input.to_vec()), Buffer::<u32>::new(4));
        run(queue, |h| h.parallel_for(4, jumps_out(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), input.map(jumps_out_host), "{way:?}");
    });
}

syclone_test_maker::shifted!(by_a_procedural_macro, shift * 2 + input[item]);

#[test]
fn names_of_a_procedural_macro_are_its_callers() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![0u32, 3, 8]), Buffer::<u32>::new(3));
        run(queue, |h| h.parallel_for(3, by_a_procedural_macro(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [30, 42, 62], "{way:?}");
    });
}
