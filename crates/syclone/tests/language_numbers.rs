//! Numbers as kernels compute with them: all widths, all operators, all casts. Each body runs in every way and as plain Rust.

#![allow(clippy::all, reason = "the bodies are written as in kernels, where clippy's advice does not hold")]

mod rig;

use syclone::prelude::*;

/// Values at which a type's operations differ.
trait Inputs: Sized {
    fn inputs() -> Vec<Self>;
}

macro_rules! inputs {
    ($($ty:ty: $values:expr;)*) => {$(
        impl Inputs for $ty {
            fn inputs() -> Vec<$ty> {
                $values.to_vec()
            }
        }
        impl Inputs for [$ty; 2] {
            fn inputs() -> Vec<[$ty; 2]> {
                let values = $values;
                values.iter().flat_map(|&x| values.iter().map(move |&y| [x, y])).collect()
            }
        }
    )*};
}

inputs! {
    i8: [0, 1, 2, 3, 5, -1, -3, -5, i8::MIN, i8::MAX];
    i16: [0, 1, 2, 3, 5, -1, -3, 300, i16::MIN, i16::MAX];
    i32: [0, 1, 2, 3, 5, -1, -3, 70_000, i32::MIN, i32::MAX];
    i64: [0, 1, 2, 3, 5, -1, -3, 1 << 40, i64::MIN, i64::MAX];
    isize: [0, 1, 2, 3, 5, -1, -3, 1 << 40, isize::MIN, isize::MAX];
    u8: [0, 1, 2, 3, 5, 100, 127, 128, 254, u8::MAX];
    u16: [0, 1, 2, 3, 5, 255, 256, 0x8000, 65_000, u16::MAX];
    u32: [0, 1, 2, 3, 5, 65_536, 0x7fff_ffff, 0x8000_0000, 16_777_217, u32::MAX];
    u64: [0, 1, 2, 3, 5, 1 << 32, (1 << 53) + 1, i64::MAX as u64, 1 << 63, u64::MAX];
    usize: [0, 1, 2, 3, 5, 1 << 32, (1 << 53) + 1, i64::MAX as usize, 1 << 63, usize::MAX];
    f32: [0.0, -0.0, 1.0, -1.5, 2.5, 127.5, 128.0, -129.0, 255.9, 256.0, 65_535.5, 2147483648.0, -2147483904.0, 1.8446744e19, 1e30, f32::MIN_POSITIVE / 2.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    f64: [0.0, -0.0, 1.0, -1.5, 2.5, 127.5, 128.0, -129.0, 255.9, 65_535.5, 2147483647.5, 2147483648.0, -2147483649.0, 1.8446744073709552e19, 9.3e18, 1e300, 1e-310, 16777217.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    bool: [false, true];
}

/// Every operator that a type's integers have, where none of them overflows; the wrapping forms everywhere.
macro_rules! integer_operators {
    ($($name:ident $ty:ident)*) => {$(
        code! {
            fn $name(p: [$ty; 2]) -> [$ty; 24] {
                let (x, y) = (p[0], p[1]);
                let (a, b) = (x & 7, y & 7);
                let divides = y != 0 && !(x == $ty::MIN && y.wrapping_add(1) == 0);
                let mut c = a;
                c += b;
                c *= 3;
                c -= a;
                c /= b + 1;
                c %= 7;
                c <<= 2;
                c |= 1;
                c ^= b;
                c >>= 1u8;
                c &= 0x5b;
                [
                    a + b, if a >= b { a - b } else { b - a }, a * b, if divides { x / y } else { 0 },
                    if divides { x % y } else { 1 }, x & y, x | y, x ^ y, !x, x << (y & 7), x >> (y & 7),
                    x >> ((y & 3) as u64), x << 5usize, c, x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y),
                    x.wrapping_neg(), x.min(y), x.max(y), x.saturating_sub(y),
                    (x < y) as $ty | ((x <= y) as $ty) << 1 | ((x == y) as $ty) << 2,
                    (x > y) as $ty | ((x >= y) as $ty) << 1 | ((x != y) as $ty) << 2,
                    if (x > 3) ^ (y > 3) { 1 } else { 0 },
                ]
            }
        }
    )*};
}

integer_operators! {
    operators_of_i8 i8 operators_of_i16 i16 operators_of_i32 i32 operators_of_i64 i64 operators_of_isize isize
    operators_of_u8 u8 operators_of_u16 u16 operators_of_u32 u32 operators_of_u64 u64 operators_of_usize usize
}

/// One value cast to every type.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Casts {
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    isize: isize,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    usize: usize,
    f32: f32,
    f64: f64,
}

macro_rules! casts {
    ($($name:ident $ty:ident)*) => {$(
        code! {
            fn $name(x: $ty) -> Casts {
                Casts {
                    i8: x as i8, i16: x as i16, i32: x as i32, i64: x as i64, isize: x as isize, u8: x as u8,
                    u16: x as u16, u32: x as u32, u64: x as u64, usize: x as usize, f32: x as f32, f64: x as f64,
                }
            }
        }
    )*};
}

casts! {
    casts_of_i8 i8 casts_of_i16 i16 casts_of_i32 i32 casts_of_i64 i64 casts_of_isize isize
    casts_of_u8 u8 casts_of_u16 u16 casts_of_u32 u32 casts_of_u64 u64 casts_of_usize usize
    casts_of_f32 f32 casts_of_f64 f64
}

code! {
    fn casts_of_bool(x: bool) -> [u64; 4] {
        [x as u8 as u64, x as i32 as u64, x as usize as u64, (x as i8 as f32) as u64]
    }
}

code! {
    fn casts_that_follow_one_another(x: f64) -> [u64; 4] {
        [x as i8 as u64, x as u8 as i8 as i64 as u64, x as f32 as u32 as u64, (x as i32 as u32 as f32) as u64]
    }
}

macro_rules! float_operators {
    ($($name:ident $ty:ident)*) => {$(
        code! {
            fn $name(p: [$ty; 2]) -> [$ty; 12] {
                let (x, y) = (p[0], p[1]);
                let mut c = x;
                c += y;
                c *= 0.5;
                c -= x;
                c /= 3.0;
                c %= 1.25;
                let less = if x < y { 1.0 } else if x > y { 2.0 } else if x == y { 3.0 } else { 4.0 };
                let at_most = if x <= y { 1.0 } else if x >= y { 2.0 } else if x != y { 3.0 } else { 4.0 };
                [x + y, x - y, x * y, x / y, x % y, -x, c, less, at_most, -(x * -1.0), x * x + y, (x - y) / (x + y)]
            }
        }
    )*};
}

float_operators! { operators_of_f32 f32 operators_of_f64 f64 }

code! {
    fn literals(x: i8) -> [i64; 14] {
        let byte = 0xffu8;
        let float = 1_000.5f64 + 2. + 1e-3 * 1000.0;
        let inferred: i64 = 0b1010_0000 + 0o17 + 0xAB;
        let small = -128i8;
        let least = -9_223_372_036_854_775_808;
        let large = 18_446_744_073_709_551_615u64;
        [
            byte as i64, float as i64, inferred, small as i64, least, (large >> 1) as i64, (large % 1000) as i64,
            (0xffff_ffff_u32 as i32) as i64, -(-5i64), 1 - -1, i64::MIN + 1, u32::MAX as i64, x as i64 * 1_0, (-1i8 as u8) as i64,
        ]
    }
}

code! {
    fn precedence(p: [i32; 2]) -> [i32; 10] {
        let (x, y) = (p[0] % 50, p[1] % 50);
        [
            x + y * 2 - 3, (x + y) * 2, x - (y - 1), x - y - 1, -x * 2, !x & 3 | 4 ^ y, 1 << (x & 3) + 1, (x & 6) << 1 >> 2,
            x * (y % 7), if x & 1 == y & 1 && x > 0 || y < 0 { 1 } else { 0 },
        ]
    }
}

code! {
    fn short_circuits(p: [u32; 2]) -> [u32; 4] {
        let (x, y) = (p[0], p[1]);
        let mut evaluated = 0u32;
        let divides = y != 0 && x % y == 0;
        let either = y == 0 || x / y > 2;
        let both = { evaluated += 1; x > 2 } && { evaluated += 10; y > 2 };
        let one = { evaluated += 100; x > 2 } || { evaluated += 1000; y > 2 };
        let strict = (x > 2) & (y > 2) | (x == y);
        let not = !(divides ^ either);
        [divides as u32 + 2 * either as u32, evaluated, both as u32 + 2 * one as u32, strict as u32 + 2 * not as u32]
    }
}

code! {
    fn shifts_by_every_type(p: [u32; 2]) -> [u32; 10] {
        let (x, n) = (p[0], p[1] % 32);
        [
            x << n as i8, x >> n as u8, x << n as i16, x >> n as u16, x << n as i32, x >> n, x << n as i64, x >> n as u64,
            x << n as isize, x >> n as usize,
        ]
    }
}

code! {
    fn sums_of_lanes(p: [i32; 2]) -> [i32; 4] {
        let (x, y) = (p[0] % 1000, p[1] % 1000);
        let (v, w) = (I32x4::new([x, y, -7, x + 1]), I32x4::new([y, 2, x, -3]));
        [v.sum(), v.sum() - (x + y - 6 + x), v.dot(w), v.dot(w) - (x * y + 2 * y - 7 * x - 3 * x - 3)]
    }
}

code! {
    fn constants_of_types(x: u8) -> [f64; 12] {
        [
            i8::MIN as f64, u16::MAX as f64, i64::BITS as f64, f32::EPSILON as f64, f64::MAX, f32::MIN_POSITIVE as f64,
            f64::INFINITY * (x as f64 + 1.0), f32::MIN as f64, std::f64::consts::PI, std::f32::consts::LN_2 as f64,
            usize::MAX as f64, f64::NAN,
        ]
    }
}

/// The bits of `x` beyond what it can hold wrap around, and Rust's debug builds say so.
#[kernel(fallback)]
fn add_with_overflow(item: NdItem<1>, x: View<u8>, y: u8, out: ItemMut<u8>) {
    out[item] = x[item] + y;
}

#[test]
fn integer_overflow_wraps_in_release_and_is_reported_in_debug() {
    rig::in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![1u8, 200, 255]), Buffer::<u8>::new(3));
        let event =
            queue.submit(|h| h.parallel_for(NdRange::new(3, 3), add_with_overflow(x.read(h), 56, out.write(h))));
        let result = event.expect("the launch is valid").wait();
        if cfg!(debug_assertions) {
            let text = result.expect_err("an overflow").to_string();
            rig::assert_says(&text, &["add_with_overflow", "overflow"]);
        } else {
            result.expect("overflow wraps");
            assert_eq!(out.host_read().expect("the result")[..], [57, 0, 55], "{way:?}");
        }
    });
}
