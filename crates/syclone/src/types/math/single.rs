//! [`Math`](super::Math) on `f32`.
//!
//! Where one `f64` operation more gives a correctly rounded result at no worse speed, the `f64` function is rounded;
//! what C has in single precision comes from the `libm` crate.

/// Functions of the C library that the `libm` crate has.
macro_rules! from_libm {
    ($($name:ident = $function:ident($($x:ident: $t:ty),*) -> $result:ty;)*) => {$(
        pub(super) fn $name($($x: $t),*) -> $result {
            libm::$function($($x),*)
        }
    )*};
}

use super::double;

/// The type that this file is about.
type T = f32;

from_libm! {
    erf = erff(x: T) -> T;
    tgamma = tgammaf(x: T) -> T;
    fdim = fdimf(x: T, y: T) -> T;
    nextafter = nextafterf(x: T, y: T) -> T;
    remainder = remainderf(x: T, y: T) -> T;
    remquo = remquof(x: T, y: T) -> (T, i32);
    ldexp = ldexpf(x: T, n: i32) -> T;
    ilogb = ilogbf(x: T) -> i32;
    frexp = frexpf(x: T) -> (T, i32);
}

/// Functions that round the result of the `f64` one.
macro_rules! through_double {
    ($($name:ident($($x:ident),*);)*) => {$(
        #[inline(always)]
        pub(super) fn $name($($x: f32),*) -> f32 {
            double::$name($(f64::from($x)),*) as f32
        }
    )*};
}

through_double! {
    erfc(x);
    exp10(x);
    lgamma(x);
    asinpi(x);
    acospi(x);
    atanpi(x);
    atan2pi(y, x);
}

pub(super) fn lgamma_r(x: f32) -> (f32, i32) {
    let (value, sign) = double::lgamma_r(f64::from(x));
    (value as f32, sign)
}

/// `sin(πr)` and `cos(πr)` for r in −1/4 to 1/4.
#[inline(always)]
fn sin_cos_of_turn(rest: f32) -> (f32, f32) {
    let (sin, cos) = (core::f64::consts::PI * f64::from(rest)).sin_cos();
    (sin as f32, cos as f32)
}

/// The n-th root of a value that is not negative.
#[inline(always)]
fn positive_root(x: f32, n: i32) -> f32 {
    f64::from(x).powf(1.0 / f64::from(n)) as f32
}

#[inline(always)]
pub(super) fn rsqrt(x: T) -> T {
    1.0 / x.sqrt()
}

/// The argument of a function of period two, as a quarter turn (0 to 3) and the rest in −1/4 to 1/4. Exact.
#[inline(always)]
fn quarter_turns(x: T) -> (i32, T) {
    let reduced = x - 2.0 * (x * 0.5).round_ties_even();
    let quarter = (2.0 * reduced).round_ties_even();
    // The cast of NaN gives zero, and NaN goes on in the rest.
    (quarter as i32 & 3, reduced - 0.5 * quarter)
}

#[inline(always)]
pub(super) fn sinpi(x: T) -> T {
    let (quarter, rest) = quarter_turns(x);
    let (sin, cos) = sin_cos_of_turn(rest);
    let value = if quarter & 1 == 0 { sin } else { cos };
    let value = if quarter & 2 == 0 { value } else { -value };
    // Zeros have the sign of the argument.
    if value == 0.0 {
        (0.0 as T).copysign(x)
    } else {
        value
    }
}

#[inline(always)]
pub(super) fn cospi(x: T) -> T {
    let (quarter, rest) = quarter_turns(x);
    let (sin, cos) = sin_cos_of_turn(rest);
    let value = if quarter & 1 == 0 { cos } else { -sin };
    let value = if quarter & 2 == 0 { value } else { -value };
    // Zeros are positive.
    if value == 0.0 { 0.0 } else { value }
}

#[inline(always)]
pub(super) fn tanpi(x: T) -> T {
    sinpi(x) / cospi(x)
}

#[inline(always)]
pub(super) fn logb(x: T) -> T {
    if x == 0.0 {
        T::NEG_INFINITY
    } else if x.is_finite() {
        ilogb(x) as T
    } else {
        x * x
    }
}

#[inline(always)]
pub(super) fn sign(x: T) -> T {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        x
    } else {
        0.0
    }
}

#[inline(always)]
pub(super) fn maxmag(x: T, y: T) -> T {
    if x.abs() > y.abs() {
        x
    } else if y.abs() > x.abs() {
        y
    } else {
        x.max(y)
    }
}

#[inline(always)]
pub(super) fn minmag(x: T, y: T) -> T {
    if x.abs() < y.abs() {
        x
    } else if y.abs() < x.abs() {
        y
    } else {
        x.min(y)
    }
}

#[inline(always)]
pub(super) fn step(x: T, edge: T) -> T {
    if x < edge { 0.0 } else { 1.0 }
}

#[inline(always)]
pub(super) fn mad(x: T, a: T, b: T) -> T {
    x * a + b
}

#[inline(always)]
pub(super) fn mix(x: T, y: T, a: T) -> T {
    x + (y - x) * a
}

#[inline(always)]
pub(super) fn smoothstep(x: T, low: T, high: T) -> T {
    let t = ((x - low) / (high - low)).max(0.0).min(1.0);
    t * t * (3.0 - 2.0 * t)
}

#[inline(always)]
pub(super) fn is_ordered(x: T, y: T) -> bool {
    !(x.is_nan() | y.is_nan())
}

#[inline(always)]
pub(super) fn is_unordered(x: T, y: T) -> bool {
    x.is_nan() | y.is_nan()
}

#[inline(always)]
pub(super) fn is_less_greater(x: T, y: T) -> bool {
    (x < y) | (x > y)
}

#[inline(always)]
pub(super) fn modf(x: T) -> (T, T) {
    let whole = x.trunc();
    let rest = if x.is_infinite() { 0.0 } else { x - whole };
    (rest.copysign(x), whole)
}

#[inline(always)]
pub(super) fn floor_fract(x: T) -> (T, T) {
    let floor = x.floor();
    // The difference rounds to one for tiny negative values.
    let below_one = 1.0 - T::EPSILON / 2.0;
    let rest = if x.is_infinite() { 0.0 } else { x - floor };
    let rest = if rest > below_one { below_one } else { rest };
    (if rest == 0.0 { rest.copysign(x) } else { rest }, floor)
}

/// Where the power of a base that is not negative is defined by limits that disagree.
#[inline(always)]
pub(super) fn powr(x: T, y: T) -> T {
    let undefined = is_unordered(x, y)
        | (x < 0.0)
        | ((y == 0.0) & ((x == 0.0) | x.is_infinite()))
        | ((x == 1.0) & y.is_infinite());
    if undefined { T::NAN } else { x.abs().powf(y) }
}

#[inline(always)]
pub(super) fn rootn(x: T, n: i32) -> T {
    let odd = n & 1 == 1;
    if n == 0 || (x < 0.0 && !odd) {
        return T::NAN;
    }
    let root = positive_root(x.abs(), n);
    if odd { root.copysign(x) } else { root }
}
