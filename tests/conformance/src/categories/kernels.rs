//! Kernels: `invoke`, `kernel`, `kernel_args`, `optional kernel features` and `spec constants`.

use super::written;
use syclone::prelude::*;

#[kernel]
fn ids(item: Item<1>, out: ItemMut<usize>) {
    out[item] = item.id(0);
}

#[kernel]
fn plane(item: NdItem<2>, out: ItemMut<usize, 2>) {
    out[item] = item.global_linear_id();
}

#[kernel]
fn once(x: View<i32>, out: ScatterMut<i32>) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

/// What can be done to a number.
#[device_fn]
trait Change {
    fn change(x: i32) -> i32;
    fn twice(x: i32) -> i32 {
        Self::change(Self::change(x))
    }
}

/// Adds a constant.
struct Add<const N: i32>;
/// Changes the sign.
struct Negate;

#[device_fn]
impl<const N: i32> Change for Add<N> {
    fn change(x: i32) -> i32 {
        x + N
    }
}

#[device_fn]
impl Change for Negate {
    fn change(x: i32) -> i32 {
        -x
    }
}

#[kernel]
fn changed<C: Change>(item: Item<1>, x: ItemMut<[i32; 2]>) {
    let v = x[item][0];
    x[item] = [C::change(v), C::twice(v)];
}

#[device_fn]
fn collatz(start: u32) -> u32 {
    let (mut n, mut steps) = (start, 0u32);
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
        if steps == 1000 {
            break;
        }
    }
    steps
}

#[kernel]
fn steps(item: Item<1>, out: ItemMut<u32>) {
    out[item] = collatz(item.id(0) as u32);
}

/// A user's struct with an array and methods.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Particle {
    position: [f32; 3],
    mass: f64,
    kind: Kind,
    alive: bool,
}

/// A user's enum.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(u8)]
enum Kind {
    Light,
    Heavy,
}

#[device_fn]
impl Particle {
    fn height(&self) -> f32 {
        self.position[1]
    }
}

#[kernel]
fn push(item: Item<1>, by: Particle, steps: [f32; 3], x: ItemMut<Particle>, height: ItemMut<f32>) {
    let mut particle = x[item];
    for dim in 0..3 {
        particle.position[dim] += by.position[dim] * steps[dim];
    }
    particle.kind = match particle.kind {
        Kind::Light if particle.mass > by.mass => Kind::Heavy,
        other => other,
    };
    particle.alive = !particle.alive;
    height[item] = particle.height();
    x[item] = particle;
}

#[kernel]
fn widths(item: Item<1>, a: u8, b: i16, c: u32, d: i64, e: f32, f: bool, g: usize, h: F32x4, out: ItemMut<[f32; 2]>) {
    let small = a as f32 + b as f32 + c as f32 + d as f32;
    let rest = e + g as f32 + h.x + h.w + if f { 0.5 } else { 0.0 };
    out[item] = [small, rest];
}

#[kernel(work_group_size(4, 2))]
fn fixed_groups(item: NdItem<2>, out: ItemMut<usize, 2>) {
    out[item] = item.local_range(0) * 10 + item.local_range(1);
}

#[kernel(sub_group_size(8))]
fn fixed_sub_groups(item: NdItem<1>, out: ItemMut<usize>) {
    out[item] = item.sub_group().max_size();
}

#[kernel]
fn in_double(item: Item<1>, x: View<f64>, out: ItemMut<f64>) {
    out[item] = x[item] * x[item] + 1e-12;
}

#[kernel]
fn in_half(item: Item<1>, x: View<f16>, out: ItemMut<f16>) {
    out[item] = x[item] * x[item] + f16::from_f32(0.5);
}

#[kernel]
fn in_brain_half(item: Item<1>, x: View<bf16>, out: ItemMut<bf16>) {
    out[item] = x[item] + x[item];
}

#[kernel]
fn power(item: Item<1>, exponent: Spec<u32>, x: View<u64>, out: ItemMut<u64>) {
    let mut product = 1u64;
    for _ in 0..exponent.get() {
        product *= x[item];
    }
    out[item] = product;
}

#[kernel]
fn chosen(item: Item<1>, fast: Spec<bool>, scale: Spec<f32>, out: ItemMut<f32>) {
    out[item] = if fast.get() { scale.get() } else { -scale.get() };
}

/// The forms of a launch.
pub mod invoke {
    use super::*;

    crate::tests! {
        fn a_range_kernel_runs_once_for_each_index(queue) {
            let out = Buffer::from_vec(vec![usize::MAX; 3000]);
            queue.submit(|h| h.parallel_for(3000, ids(out.write(h))))?;
            assert_eq!(out.to_vec()?, (0..3000).collect::<Vec<_>>());
        }

        fn an_nd_range_kernel_runs_once_for_each_index(queue) {
            let out = Buffer::<usize, 2>::new([6, 8]);
            queue.submit(|h| h.parallel_for(NdRange::new([6, 8], [3, 2]), plane(out.write(h))))?;
            assert_eq!(out.to_vec()?, (0..48).collect::<Vec<_>>());
        }

        fn a_single_task_runs_once_and_may_write_anywhere(queue) {
            let (x, out) = (Buffer::from_vec(vec![1, 2, 3, 4, 5]), Buffer::<i32>::new(5));
            queue.submit(|h| h.single_task(once(x.read(h), out.write(h))))?;
            assert_eq!(out.to_vec()?, [1, 3, 6, 10, 15]);
        }

        fn a_closure_is_a_kernel_with_what_it_captures(queue) {
            let (x, y) = (Buffer::from_vec(vec![1.0f32, 2.0, 3.0]), Buffer::from_vec(vec![1.0f32; 3]));
            let factor = 4.0f32;
            queue.submit(|h| {
                let (x, y) = (x.read(h), y.read_write(h));
                h.parallel_for(3, syclone::kernel!(|item: Item<1>| y[item] += factor * x[item]))
            })?;
            assert_eq!(y.to_vec()?, [5.0, 9.0, 13.0]);
        }

        fn a_kernel_without_groups_has_no_work_group_size(queue) {
            let out = Buffer::<usize>::new(8);
            let refused = queue.submit(|h| h.parallel_for(NdRange::new(8, 4), ids(out.write(h))));
            assert!(matches!(refused, Err(Error::LaunchShape { .. })), "{refused:?}");
        }
    }
}

/// What a kernel may be.
pub mod kernel {
    use super::*;

    crate::tests! {
        fn kernels_are_generic_over_traits_with_device_functions(queue) {
            let run = |which: usize| {
                let x = Buffer::from_vec((0..10).map(|i| [i, 0]).collect::<Vec<[i32; 2]>>());
                queue.submit(|h| match which {
                    0 => h.parallel_for(10, changed::<Add<7>>(x.read_write(h))),
                    _ => h.parallel_for(10, changed::<Negate>(x.read_write(h))),
                })?;
                x.to_vec()
            };
            assert_eq!(run(0)?, (0..10).map(|i| [i + 7, i + 14]).collect::<Vec<_>>());
            assert_eq!(run(1)?, (0..10).map(|i| [-i, i]).collect::<Vec<_>>());
        }

        fn device_functions_loop_and_branch_as_on_the_host(queue) {
            let out = Buffer::<u32>::new(200);
            queue.submit(|h| h.parallel_for(200, steps(out.write(h))))?;
            // The same function, on the host.
            let reference = |start: u32| {
                std::iter::successors(Some(start), |n| match n {
                    0 | 1 => None,
                    n if n % 2 == 0 => Some(n / 2),
                    n => Some(3 * n + 1),
                })
            };
            let expected: Vec<u32> = (0..200).map(|n| reference(n).count() as u32 - 1).collect();
            assert_eq!(out.to_vec()?, expected);
            assert_eq!(collatz(27), 111);
        }

        fn a_kernel_can_be_printed_for_people(queue) {
            let out = Buffer::<u32>::new(1);
            queue.submit(|h| {
                let kernel = steps(out.write(h));
                assert_eq!(syclone::Launch::name(&kernel), "steps");
                let text = syclone::Launch::text(&kernel);
                assert!(text.contains("steps") && text.contains("collatz"), "{text}");
                h.parallel_for(1, kernel)
            })?;
        }
    }
}

/// What a kernel may be given.
pub mod kernel_args {
    use super::*;

    crate::tests! {
        fn structs_enums_and_arrays_are_arguments_and_elements(queue) {
            let start = |i: usize| Particle {
                position: [i as f32, 2.0 * i as f32, 0.5],
                mass: i as f64,
                kind: Kind::Light,
                alive: i.is_multiple_of(2),
            };
            let by = Particle { position: [1.0, 2.0, 3.0], mass: 4.5, kind: Kind::Heavy, alive: false };
            let (x, height) = (Buffer::from_vec((0..10).map(start).collect::<Vec<_>>()), Buffer::<f32>::new(10));
            queue.submit(|h| h.parallel_for(10, push(by, [2.0, 0.5, 0.0], x.read_write(h), height.write(h))))?;
            for (i, got) in x.to_vec()?.into_iter().enumerate() {
                let expected = Particle {
                    position: [i as f32 + 2.0, 2.0 * i as f32 + 1.0, 0.5],
                    kind: if i > 4 { Kind::Heavy } else { Kind::Light },
                    alive: i % 2 == 1,
                    ..start(i)
                };
                assert_eq!(got, expected);
                assert_eq!(height.host_read()?[i], expected.position[1]);
            }
        }

        fn numbers_of_every_width_arrive(queue) {
            let out = Buffer::<[f32; 2]>::new(3);
            queue.submit(|h| {
                let v = F32x4::new([1.0, 2.0, 3.0, 4.0]);
                h.parallel_for(3, widths(200, -300, 70_000, -5_000_000, 0.25, true, 12, v, out.write(h)))
            })?;
            assert_eq!(out.to_vec()?, [[200.0 - 300.0 + 70_000.0 - 5_000_000.0, 0.25 + 12.0 + 5.0 + 0.5]; 3]);
        }

        fn a_buffer_and_usm_memory_are_the_same_to_a_kernel(queue) {
            let mut shared = queue.alloc_device::<usize>(64)?;
            queue.parallel_for(64, ids(shared.item_mut()))?;
            let buffer = Buffer::<usize>::new(64);
            queue.submit(|h| h.parallel_for(64, ids(buffer.write(h))))?;
            assert_eq!(queue.to_vec(&shared)?, buffer.to_vec()?);
        }
    }
}

/// What not every device has, and what a kernel asks for.
pub mod optional_features {
    use super::*;

    crate::tests! {
        fn a_kernel_may_have_one_work_group_size(queue) {
            let out = Buffer::<usize, 2>::new([8, 6]);
            queue.submit(|h| h.parallel_for([8, 6], fixed_groups(out.write(h))))?;
            assert_eq!(out.to_vec()?, [42; 48]);
            let refused = queue.submit(|h| h.parallel_for(NdRange::new([8, 6], [2, 2]), fixed_groups(out.write(h))));
            assert!(matches!(refused, Err(Error::LaunchShape { .. })), "{refused:?}");
        }

        fn a_kernel_may_ask_for_a_sub_group_size(queue) {
            if !queue.device().info().sub_group_sizes.contains(&8) {
                return Ok(());
            }
            let out = Buffer::<usize>::new(32);
            queue.submit(|h| h.parallel_for(NdRange::new(32, 16), fixed_sub_groups(out.write(h))))?;
            assert_eq!(out.to_vec()?, [8; 32]);
        }

        needs Fp64; fn double_precision_is_double_precision(queue) {
            let x: Vec<f64> = (0..50).map(|i| 1.0 + f64::from(i) * 1e-9).collect();
            let out: Vec<f64> = written(queue, &x, 50, |h, x, out| {
                h.parallel_for(50, in_double(x.read(h), out.write(h)))
            })?;
            assert_eq!(out, x.iter().map(|v| v * v + 1e-12).collect::<Vec<_>>());
        }

        needs Fp16; fn half_precision_rounds_to_half_precision(queue) {
            let x: Vec<f16> = (0..100).map(|i| f16::from_f32(i as f32 * 0.37)).collect();
            let out: Vec<f16> = written(queue, &x, 100, |h, x, out| {
                h.parallel_for(100, in_half(x.read(h), out.write(h)))
            })?;
            let half = |v: f32| f16::from_f32(v).to_f32();
            for (got, v) in out.iter().zip(&x) {
                assert_eq!(got.to_f32(), half(half(v.to_f32() * v.to_f32()) + 0.5));
            }
        }

        fn bfloat16_is_the_upper_half_of_a_float(queue) {
            let x: Vec<bf16> = (0..100).map(|i| bf16::from_f32(i as f32)).collect();
            let out: Vec<bf16> = written(queue, &x, 100, |h, x, out| {
                h.parallel_for(100, in_brain_half(x.read(h), out.write(h)))
            })?;
            let got: Vec<f32> = out.iter().map(|v| v.to_f32()).collect();
            assert_eq!(got, (0..100).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
        }
    }
}

/// Specialised arguments.
pub mod spec_constants {
    use super::*;

    crate::tests! {
        fn a_specialised_argument_has_the_value_of_its_launch(queue) {
            let x: Vec<u64> = (0..20).collect();
            let (input, out) = (Buffer::from_slice(&x), Buffer::<u64>::new(20));
            for exponent in [0, 1, 5, 12] {
                queue.submit(|h| h.parallel_for(20, power(exponent, input.read(h), out.write(h))))?;
                assert_eq!(out.to_vec()?, x.iter().map(|v| v.pow(exponent)).collect::<Vec<_>>());
            }
        }

        fn bools_and_floats_may_be_specialised(queue) {
            let out = Buffer::<f32>::new(2);
            for (fast, expected) in [(true, 2.5), (false, -2.5)] {
                queue.submit(|h| h.parallel_for(2, chosen(fast, Spec::new(2.5f32), out.write(h))))?;
                assert_eq!(out.to_vec()?, [expected; 2]);
            }
        }
    }
}
