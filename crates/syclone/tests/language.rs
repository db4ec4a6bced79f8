//! The Rust that a kernel may be written in, construct by construct, against the same Rust on the host. Each kernel runs
//! in every way that the CPU device has.

#[path = "rig/device.rs"]
mod device;

use device::{device, expect_no_reports};
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

const OFFSET: u32 = 7;

/// Runs a kernel over `n` items in every way and gives what each wrote.
fn in_every_way<T: DeviceCopy + Default + PartialEq + std::fmt::Debug>(
    n: usize,
    expected: impl Fn(usize) -> T,
    launch: impl Fn(&Handler<'_>, &Buffer<T>) -> Result<()>,
) {
    let queue = Queue::new(&device()).expect("a queue");
    let expected: Vec<T> = (0..n).map(expected).collect();
    for way in Way::ALL {
        let out = Buffer::<T>::new(n);
        let event = with_way(way, || queue.submit(|h| launch(h, &out))).expect("the launch is valid");
        event.wait().expect("the kernel ends");
        expect_no_reports(queue.device());
        let out = out.host_read().expect("the result");
        assert_eq!(&out[..], &expected[..], "{way:?}");
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Complex {
    re: f32,
    im: f32,
}

#[device_fn]
impl Complex {
    fn new(re: f32, im: f32) -> Self {
        Self { re, im }
    }

    fn times(&self, other: Complex) -> Complex {
        Complex::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }

    fn norm(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Pair<T>(T, T);

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
#[repr(u8)]
enum Mode {
    Add,
    Multiply,
    Nothing,
}

#[device_fn]
trait Activation {
    const SLOPE: f32;
    fn apply(x: f32) -> f32;
    fn twice(x: f32) -> f32 {
        Self::apply(Self::apply(x))
    }
}

struct Leaky;

#[device_fn]
impl Activation for Leaky {
    const SLOPE: f32 = 0.5;
    fn apply(x: f32) -> f32 {
        if x > 0.0 { x } else { Self::SLOPE * x }
    }
}

#[device_fn]
fn collatz(n: u32) -> u32 {
    let mut n = n;
    let mut steps = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[device_fn]
fn advance(x: &mut u32, by: u32) {
    *x += by;
}

#[kernel]
fn mandelbrot(item: Item<1>, start: Complex, out: ItemMut<u32>) {
    let c = Complex { re: item.global_id(0) as f32 / 32.0 - 1.5, im: 0.3 };
    let mut z = start;
    let mut steps = 0;
    for _ in 0..50 {
        if z.norm() > 4.0 {
            break;
        }
        z = z.times(z);
        z.re += c.re;
        z.im += c.im;
        steps += 1;
    }
    out[item] = steps;
}

fn mandelbrot_on_the_host(i: usize) -> u32 {
    let (re, im) = (i as f32 / 32.0 - 1.5, 0.3f32);
    let (mut x, mut y, mut steps) = (0.0f32, 0.0f32, 0);
    while steps < 50 && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + re, x * y + y * x + im);
        steps += 1;
    }
    steps
}

#[test]
fn structs_have_fields_and_methods() {
    let start = Complex { re: 0.0, im: 0.0 };
    in_every_way(100, mandelbrot_on_the_host, |h, out| h.parallel_for(100, mandelbrot(start, out.write(h))));
}

#[kernel]
fn choose(item: Item<1>, mode: Mode, out: ItemMut<u32>) {
    let i = item.global_id(0) as u32;
    let by_mode = match mode {
        Mode::Add => i + OFFSET,
        Mode::Multiply => i * OFFSET,
        Mode::Nothing => i,
    };
    let by_value = match i {
        x @ 1 | x @ 3 if x > 2 => x * 100,
        0..=2 => 1,
        OFFSET => 2,
        8 | 9 => 3,
        _ => 4,
    };
    let by_pair = match (i % 2 == 0, i % 3) {
        (true, 0) => 10_000,
        (_, 1) => 20_000,
        (even, _) => 30_000 + even as u32,
    };
    out[item] = by_mode + by_value + by_pair;
}

#[test]
fn matches_take_enums_numbers_ranges_tuples_and_guards() {
    for mode in [Mode::Add, Mode::Multiply, Mode::Nothing] {
        let expected = |i: usize| {
            let i = i as u32;
            let by_mode = match mode {
                Mode::Add => i + OFFSET,
                Mode::Multiply => i * OFFSET,
                Mode::Nothing => i,
            };
            let by_value = if i == 3 {
                300
            } else if i <= 2 {
                1
            } else if i == 7 {
                2
            } else if i == 8 || i == 9 {
                3
            } else {
                4
            };
            let by_pair = match (i % 2, i % 3) {
                (0, 0) => 10_000,
                (_, 1) => 20_000,
                (odd, _) => 30_001 - odd,
            };
            by_mode + by_value + by_pair
        };
        in_every_way(20, expected, |h, out| h.parallel_for(20, choose(mode, out.write(h))));
    }
}

#[kernel]
fn loops(item: Item<1>, out: ItemMut<u32>) {
    const LIMIT: u32 = 5;
    const WIDTH: usize = LIMIT as usize * 2;
    let i = item.global_id(0) as u32;
    let mut table = [0u32; WIDTH];
    'rows: for row in (0..WIDTH).rev().step_by(3) {
        for column in 0..=i {
            if column > LIMIT {
                continue 'rows;
            }
            if row == 0 && column == 3 {
                break 'rows;
            }
            table[row] += column;
        }
        table[row] += 100;
    }
    let found = 'search: {
        for k in 0..WIDTH {
            if table[k] > 100 {
                break 'search k as u32;
            }
        }
        WIDTH as u32
    };
    let power = {
        let mut p = 1;
        loop {
            p *= 2;
            if p > i {
                break p;
            }
        }
    };
    let mut a = found;
    let mut b = power;
    (a, b) = (b, a);
    advance(&mut a, collatz(i + 1));
    _ = b;
    out[item] = a * 10_000 + b * 100 + table[9];
}

fn loops_on_the_host(i: usize) -> u32 {
    let i = i as u32;
    let mut table = [0u32; 10];
    for row in [9usize, 6, 3, 0] {
        let mut whole = true;
        for column in 0..=i {
            if column > 5 || (row == 0 && column == 3) {
                whole = false;
                break;
            }
            table[row] += column;
        }
        if whole {
            table[row] += 100;
        }
    }
    let found = table.iter().position(|&x| x > 100).unwrap_or(10) as u32;
    let power = (i + 1).next_power_of_two().max(2);
    let (mut n, mut steps) = (i + 1, 0);
    while n > 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    (power + steps) * 10_000 + found * 100 + table[9]
}

#[test]
fn loops_have_labels_values_and_steps() {
    in_every_way(40, loops_on_the_host, |h, out| h.parallel_for(40, loops(out.write(h))));
}

#[kernel]
fn activate<A: Activation, T: Float, const N: usize>(item: Item<1>, x: View<f32>, scale: T, out: ItemMut<f32>) {
    let pair = Pair::<f32>(x[item], A::SLOPE);
    let mut sum = T::ZERO;
    for _ in 0..N {
        sum += scale;
    }
    let slope = 0.0f32.max(pair.1);
    out[item] = A::twice(pair.0) + slope + sum.to_f32() + f32::min(pair.0, 0.0);
}

#[test]
fn kernels_are_generic_over_traits_types_and_constants() {
    let xs: Vec<f32> = (0..16).map(|i| i as f32 - 8.0).collect();
    let values = xs.clone();
    let apply = |x: f32| if x > 0.0 { x } else { 0.5 * x };
    let expected = move |i: usize| apply(apply(values[i])) + 0.5 + 3.0 * 0.25 + values[i].min(0.0);
    in_every_way(16, expected, |h, out| {
        let x = Buffer::from_vec(xs.clone());
        h.parallel_for(16, activate::<Leaky, f64, 3>(x.read(h), 0.25, out.write(h)))
    });
}

#[test]
fn inline_kernels_capture_handles_and_values() {
    let scale = 3u32;
    in_every_way(
        10,
        |i| i as u32 * 3 + OFFSET,
        |h, out| {
            let out = out.write(h);
            h.parallel_for(10, syclone::kernel!(|item: Item<1>| out[item] = item.global_id(0) as u32 * scale + OFFSET))
        },
    );
}

#[device_fn]
trait Filter: DeviceCopy {
    fn value(&self, x: f32) -> f32;
    fn half(&self, x: f32) -> f32 {
        self.value(x) * 0.5
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Gain {
    factor: f32,
}

#[device_fn]
impl Filter for Gain {
    fn value(&self, x: f32) -> f32 {
        x * self.factor
    }
}

#[kernel]
fn filtered<F: Filter>(item: Item<1>, filter: F, out: ItemMut<f32>) {
    let x = item.global_id(0) as f32;
    out[item] = filter.value(x) + filter.half(1.0);
}

#[test]
fn values_of_a_generic_type_have_the_methods_of_its_trait() {
    in_every_way(9, |i| i as f32 * 3.0 + 1.5, |h, out| h.parallel_for(9, filtered(Gain { factor: 3.0 }, out.write(h))));
}

#[kernel]
fn built_in(item: Item<1>, out: ItemMut<f32>) {
    let i = item.global_id(0);
    let v = F32x4::new([1.0, 2.0, 3.0, i as f32]);
    let w: Vector<f32, 4> = Vector::splat(2.0);
    let half = f16::from_f32(0.5).to_f32();
    let bits = f32::from_bits(1.5f32.to_bits());
    let wide = u64::from(7u32) as f32;
    out[item] = (v * w).w + half + bits + wide + max(i, 3) as f32 + min(1.0, bits) + (u8::MAX as f32);
}

#[test]
fn types_have_their_functions() {
    let expected = |i: usize| i as f32 * 2.0 + 0.5 + 1.5 + 7.0 + i.max(3) as f32 + 1.0 + 255.0;
    in_every_way(12, expected, |h, out| h.parallel_for(12, built_in(out.write(h))));
}

macro_rules! scaled {
    ($name:ident, $ty:ty, $by:expr) => {
        #[kernel]
        fn $name(item: Item<1>, out: ItemMut<$ty>) {
            let x = item.global_id(0) as $ty;
            out[item] = x * $by + $by;
        }
    };
}
scaled!(scaled_by_a_sum, u32, 1 + 2);

#[test]
fn kernels_come_out_of_macros_with_their_precedence() {
    in_every_way(5, |i| i as u32 * 3 + 3, |h, out| h.parallel_for(5, scaled_by_a_sum(out.write(h))));
}

mod elsewhere {
    use syclone::prelude::*;

    /// A kernel of the same name as another.
    #[kernel]
    pub fn loops(item: Item<2>, out: ItemMut<u32, 2>) {
        out[item] = super::collatz(item.global_id(1) as u32) + item.global_id(0) as u32;
    }
}

#[test]
fn kernels_of_one_name_live_in_different_modules() {
    let queue = Queue::new(&device()).expect("a queue");
    let out = Buffer::<u32, 2>::new([2, 4]);
    queue.submit(|h| h.parallel_for([2, 4], elsewhere::loops(out.write(h)))).expect("valid").wait().expect("ends");
    assert_eq!(&out.host_read().expect("the result")[..], &[0, 0, 1, 7, 1, 1, 2, 8]);
}

#[device_fn]
fn sum_of_group(item: NdItem<1>, x: u32) -> u32 {
    item.group().reduce(x, Plus)
}

#[kernel(fallback)]
fn sums(item: NdItem<1>, out: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let me = item.local_id(0);
    tile[me] = item.global_id(0) as u32;
    item.barrier();
    let opposite = tile[7 - me];
    out[item] = sum_of_group(item, opposite) * 100 + opposite;
}

#[test]
fn functions_that_take_the_item_synchronise() {
    let expected = |i: usize| {
        let first = (i / 8 * 8) as u32;
        (8 * first + 28) * 100 + first + 7 - (i % 8) as u32
    };
    in_every_way(32, expected, |h, out| h.parallel_for(NdRange::new([32], [8]), sums(out.write(h))));
}

#[device_fn]
fn names_of_a_device_function(x: u32, __oob: u32, __arg_0: u32) -> u32 {
    let (x_0, x_1, x_2) = (10, 20, 30);
    let (x_3, x_4, x_5, x_6, x_7) = (40, 50, 60, 70, 80);
    let x = x * 2;
    x + x_0 + x_1 + x_2 + x_3 + x_4 + x_5 + x_6 + x_7 + __oob + __arg_0
}

#[kernel(fallback)]
fn names_that_the_macro_could_choose(it: NdItem<1>, __g: u32, __i: ItemMut<u32>, __params: u32, x: u32) {
    let (x_3, x_4, x_5, x_6, x_7, x_8, x_9, x_10) = (1, 2, 3, 4, 5, 6, 7, 8);
    let x = x + __g;
    let (x_11, x_12, x_13, x_14, x_15) = (9, 10, 11, 12, 13);
    let (__row, __ax, __oob, __l) = (14, 15, 16, 17);
    it.barrier();
    let ones = x_3 + x_4 + x_5 + x_6 + x_7 + x_8 + x_9 + x_10 + x_11 + x_12 + x_13 + x_14 + x_15;
    __i[it] = x + ones * 10 + __row + __ax + __oob + __l + names_of_a_device_function(x, __params, 5);
}

#[test]
fn variables_may_have_names_that_the_macro_could_choose() {
    let expected = |_| 3 + 910 + 62 + (6 + 360 + 7 + 5);
    in_every_way(8, expected, |h, out| {
        h.parallel_for(NdRange::new(8, 4), names_that_the_macro_could_choose(1, out.write(h), 7, 2))
    });
    in_every_way(
        8,
        |_| 55,
        |h, out| {
            let (__g, a_0, a_1, a_2, a_3, a_4, a_5) = (10u32, 1u32, 2u32, 3u32, 4u32, 5u32, 6u32);
            let out = out.write(h);
            let kernel = syclone::kernel!(|item: Item<1>| {
                let a = __g + a_0 + a_1 + a_2 + a_3 + a_4 + a_5;
                let a = a + 24;
                out[item] = a;
            });
            h.parallel_for(8, kernel)
        },
    );
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct RawFields {
    r#type: u32,
    b: u32,
}

#[kernel]
fn raw_names(item: Item<1>, n: u32, out: ItemMut<u32>) {
    let v = 1u32;
    let r#v = item.id(0) as u32 + r#n;
    let mut s = RawFields { r#type: v, b: 3 };
    s.r#type += s.r#b;
    let r#match = s.r#type * 10 + v;
    out[item] = r#match;
}

#[test]
fn raw_identifiers_are_the_names_that_they_write() {
    in_every_way(5, |i| (i as u32 + 2 + 3) * 10 + i as u32 + 2, |h, out| h.parallel_for(5, raw_names(2, out.write(h))));
}
