//! SYCL's functions inside kernels: every way to run one gives bit for bit what the same Rust gives on the host.

#![deny(unstable_name_collisions)]

#[path = "rig/device.rs"]
mod device;

use device::{device, expect_no_reports};
use std::fmt::Debug;

use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

/// Defines a kernel that fills a row of results for each item, and the same function for the host.
macro_rules! row {
    (
        fn $kernel:ident, $host:ident $(<$t:ident: $bound:ident>)? ($x:ident: $in:ty, $y:ident: $in2:ty) -> [$out:ty; $n:literal] $body:block
    ) => {
        #[kernel]
        fn $kernel$(<$t: $bound>)?(item: Item<1>, x: View<$in>, y: View<$in>, out: ItemMut<[$out; $n]>) {
            let $x = x[item];
            let $y = y[item];
            out[item] = $body;
        }

        fn $host$(<$t: $bound>)?($x: $in, $y: $in) -> [$out; $n] $body
    };
}

row! {
    fn std_functions, std_on_host<T: Float>(x: T, y: T) -> [T; 38] {
        [
            x.abs(), x.signum(), x.sqrt(), x.cbrt(), x.exp(), x.exp2(), x.exp_m1(), x.ln(), x.log2(), x.log10(),
            x.ln_1p(), x.sin(), x.cos(), x.tan(), x.asin(), x.acos(), x.atan(), x.sinh(), x.cosh(), x.tanh(),
            x.asinh(), x.acosh(), x.atanh(), x.floor(), x.ceil(), x.round(), x.round_ties_even(), x.trunc(),
            x.fract(), x.recip(), x.to_degrees(), x.to_radians(), x.min(y), x.max(y), x.powf(y), x.atan2(y),
            x.hypot(y), x.copysign(y),
        ]
    }
}

row! {
    fn sycl_functions, sycl_on_host<T: Float>(x: T, y: T) -> [T; 31] {
        let (whole_fract, whole) = x.modf();
        let (fract, floor) = x.floor_fract();
        let (mantissa, exponent) = x.frexp();
        let (rest, quotient) = x.remquo(y);
        let ordered = if x.is_ordered(y) && !x.is_less_greater(y) { x } else { y };
        [
            x.erf(), x.erfc(), x.tgamma(), x.lgamma(), x.rsqrt(), x.exp10(), x.sinpi(), x.cospi(), x.tanpi(),
            x.asinpi(), x.acospi(), x.atanpi(), x.logb(), x.sign(), x.fdim(y), x.nextafter(y), x.remainder(y),
            x.atan2pi(y), x.powr(y), x.maxmag(y), x.minmag(y), x.step(y), x.mix(y, x), x.smoothstep(y, x),
            x.mad(y, x), whole_fract + whole, fract + floor, mantissa.ldexp(exponent - quotient), rest, ordered,
            x.rootn(3),
        ]
    }
}

row! {
    fn arithmetic, arithmetic_on_host<T: Float>(x: T, y: T) -> [T; 12] {
        let mut sum = T::ZERO;
        sum += x * y;
        sum -= y / x;
        sum *= T::PI;
        [
            x + y, x - y, x * y, x / y, x % y, -x, sum, x.mul_add(y, T::ONE), x.clamp(T::ZERO, T::ONE), x.powi(-3),
            if x < y { x } else { y }, x.bitselect(y, T::EPSILON),
        ]
    }
}

row! {
    fn integer_functions, integers_on_host<T: Integer>(x: T, y: T) -> [T; 28] {
        [
            x.hadd(y), x.rhadd(y), x.mul_hi(y), x.mul24(y), x.mad_hi(y, x), x.mad_sat(y, x), x.mad24(y, x),
            x.swap_bytes(), x.reverse_bits(), x.wrapping_neg(), x.wrapping_add(y), x.wrapping_sub(y),
            x.wrapping_mul(y), x.saturating_add(y), x.saturating_sub(y), x.saturating_mul(y), x.rotate_left(3),
            x.rotate_right(y.count_ones()), x.rotate_left(x.leading_zeros()), x.rotate_left(x.trailing_zeros()),
            x & y, x | y, x ^ y, !x, x << 2, x >> 3, x.min(y), x.max(y),
        ]
    }
}

row! {
    fn vector_functions, vectors_on_host(v: F32x4, w: F32x4) -> [F32x4; 28] {
        let mut turned = v.wzyx();
        turned.x += w.y;
        turned[1] = 3.0;
        let mask = v.lanes_lt(w) | v.lanes_ge(2.0);
        let (sin, cos) = v.sin_cos();
        let (mantissa, exponent) = v.frexp();
        let first = if mask.any() && !mask.all() { v } else { w };
        [
            v + w, v - 1.0, 2.0 * v, v / w, -v, v.min(w), v.max(0.5), v.clamp(-1.0, w.max(0.5)), v.abs(), v.sqrt(),
            v.mul_add(w, v), v.mix(w, 0.25), v.step(0.5), turned, v.xxyy(), v.with(2, w.x), mask.select(v, w), sin,
            cos, mantissa.ldexp(exponent), first, v.normalize(), v.cross(w), v.powi(2), v.erf(), v.fract(),
            Vector::splat(v.dot(w) + v.length() + v.lo().distance(w.hi()) + v.s3() + v.sum()),
            Vector::new([v.get(1), w.z, 1.0, v.swizzle2::<3, 0>().x]),
        ]
    }
}

row! {
    fn integer_vectors, integer_vectors_on_host(v: U32x8, w: U32x8) -> [U32x8; 14] {
        let mask = v.lanes_eq(w);
        [
            v & w, v | w, v ^ 0xff, !v, v << 3, v >> 1, v.rotate_left(5), v.count_ones(), v.hadd(w), v.mul_hi(w),
            v.abs_diff(w), v.saturating_add(w), mask.select(v, w), v.convert::<i32>().convert::<u32>(),
        ]
    }
}

/// Launches a kernel of this form and waits.
macro_rules! launch {
    ($kernel:expr) => {
        |queue: &Queue, x, y, out| {
            let event = queue.submit(|h| h.parallel_for(x.len(), $kernel(x.read(h), y.read(h), out.write(h))));
            event.expect("the launch is valid").wait().expect("the kernel runs")
        }
    };
}

/// Concrete types reach the trait's method although Rust has an unstable one of that name.
#[device_fn]
fn erf_of(x: f32) -> f32 {
    x.erf()
}

#[kernel]
fn error_functions(item: Item<1>, x: View<f32>, y: View<f32>, out: ItemMut<[f32; 2]>) {
    out[item] = [erf_of(x[item]), y[item].erfc()];
}

#[test]
fn names_that_rust_may_take_one_day_raise_no_lint() {
    let host = |x: f32, y: f32| [Math::erf(x), Math::erfc(y)];
    check("f32", &[0.5, -1.0], &[2.0, 0.25], host, launch!(error_functions));
}

/// Whether two results print alike: all NaNs do, zeros of different signs do not.
fn same<T: Debug>(a: &T, b: &T) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// Runs a kernel in every way and compares each row with the host's.
fn check<T, R, L>(
    name: &str,
    xs: &[T],
    ys: &[T],
    host: impl Fn(T, T) -> R,
    launch: impl Fn(&Queue, &Buffer<T>, &Buffer<T>, &Buffer<R>) -> L,
) where
    T: DeviceCopy + Debug,
    R: DeviceCopy + Debug,
    L: Sized,
{
    let queue = Queue::new(&device()).expect("a queue");
    let (x, y) = (Buffer::from_vec(xs.to_vec()), Buffer::from_vec(ys.to_vec()));
    for way in Way::ALL {
        let out = Buffer::<R>::new(xs.len());
        with_way(way, || launch(&queue, &x, &y, &out));
        let rows = out.host_read().expect("the kernel ran");
        expect_no_reports(queue.device());
        for ((row, &x), &y) in rows.iter().zip(xs).zip(ys) {
            let exact = host(x, y);
            assert!(same(row, &exact), "{name} of {x:?} and {y:?}, {way:?}:\n{row:?}\non the host:\n{exact:?}");
        }
    }
}

/// Values at which functions differ, each with each.
fn pairs<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    let pairs = values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y)));
    pairs.unzip()
}

const FLOATS: [f64; 15] =
    [0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, 3.5, -4.0, 17.25, 1e-7, 1e5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

fn check_floats<T: Float>(name: &str) {
    let (x, y) = pairs(&FLOATS.map(T::from_f64));
    check(name, &x, &y, std_on_host::<T>, launch!(std_functions::<T>));
    check(name, &x, &y, arithmetic_on_host::<T>, launch!(arithmetic::<T>));
    check(name, &x, &y, sycl_on_host::<T>, launch!(sycl_functions::<T>));
}

#[test]
fn functions_of_f32_in_kernels_are_those_of_the_host() {
    check_floats::<f32>("f32");
}

#[test]
fn functions_of_f64_in_kernels_are_those_of_the_host() {
    check_floats::<f64>("f64");
}

#[test]
fn functions_of_half_precisions_in_kernels_are_those_of_the_host() {
    check_floats::<f16>("f16");
    check_floats::<bf16>("bf16");
}

fn check_integers<T: Integer>(name: &str) {
    let values = [T::ZERO, T::ONE, T::MIN, T::MAX, T::MAX >> 3, !T::ONE, (T::ONE << 4) - T::ONE];
    let (x, y) = pairs(&values);
    check(name, &x, &y, integers_on_host::<T>, launch!(integer_functions::<T>));
}

#[test]
fn functions_of_integers_in_kernels_are_those_of_the_host() {
    check_integers::<i8>("i8");
    check_integers::<u8>("u8");
    check_integers::<i16>("i16");
    check_integers::<u16>("u16");
    check_integers::<i32>("i32");
    check_integers::<u32>("u32");
    check_integers::<i64>("i64");
    check_integers::<u64>("u64");
    check_integers::<isize>("isize");
    check_integers::<usize>("usize");
}

#[test]
fn functions_of_vectors_in_kernels_are_those_of_the_host() {
    let floats = FLOATS.map(|x| x as f32);
    let vectors: Vec<F32x4> = floats.windows(4).map(|x| Vector::new([x[0], x[1], x[2], x[3]])).collect();
    let (x, y) = pairs(&vectors);
    check("F32x4", &x, &y, vectors_on_host, launch!(vector_functions));
    let integers: Vec<U32x8> = [0u32, 1, 77, u32::MAX, 0x8000_0000].map(|x| U32x8::splat(x).with(3, 5)).to_vec();
    let (x, y) = pairs(&integers);
    check("U32x8", &x, &y, integer_vectors_on_host, launch!(integer_vectors));
}
