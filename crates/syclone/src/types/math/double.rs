//! [`Math`](super::Math) on `f64`.
//!
//! What C has comes from the `libm` crate; the rest is written in terms of Rust's own functions.

/// Functions of the C library that the `libm` crate has.
macro_rules! from_libm {
    ($($name:ident = $function:ident($($x:ident: $t:ty),*) -> $result:ty;)*) => {$(
        pub(super) fn $name($($x: $t),*) -> $result {
            libm::$function($($x),*)
        }
    )*};
}

use core::f64::consts::{FRAC_1_PI, PI};

/// The type that this file is about.
type T = f64;

from_libm! {
    erf = erf(x: T) -> T;
    erfc = erfc(x: T) -> T;
    tgamma = tgamma(x: T) -> T;
    exp10 = exp10(x: T) -> T;
    fdim = fdim(x: T, y: T) -> T;
    nextafter = nextafter(x: T, y: T) -> T;
    remainder = remainder(x: T, y: T) -> T;
    remquo = remquo(x: T, y: T) -> (T, i32);
    ldexp = ldexp(x: T, n: i32) -> T;
    ilogb = ilogb(x: T) -> i32;
    frexp = frexp(x: T) -> (T, i32);
    lgamma = lgamma(x: T) -> T;
    lgamma_r = lgamma_r(x: T) -> (T, i32);
}

/// `sin(πr)` and `cos(πr)` for r in −1/4 to 1/4.
#[inline(always)]
fn sin_cos_of_turn(rest: f64) -> (f64, f64) {
    (PI * rest).sin_cos()
}

/// The n-th root of a value that is not negative. Rounding 1 / n costs up to a hundred ulp on large values, which
/// one step of Newton's method brings back.
#[inline(always)]
fn positive_root(x: f64, n: i32) -> f64 {
    let n = f64::from(n);
    let root = x.powf(1.0 / n);
    let correction = root * ((root.powf(n) / x - 1.0) / n);
    // Not a number at zero and infinity, and where the power leaves the range.
    if correction.is_finite() { root - correction } else { root }
}

#[inline(always)]
pub(super) fn asinpi(x: f64) -> f64 {
    x.asin() * FRAC_1_PI
}

#[inline(always)]
pub(super) fn acospi(x: f64) -> f64 {
    x.acos() * FRAC_1_PI
}

#[inline(always)]
pub(super) fn atanpi(x: f64) -> f64 {
    x.atan() * FRAC_1_PI
}

#[inline(always)]
pub(super) fn atan2pi(y: f64, x: f64) -> f64 {
    y.atan2(x) * FRAC_1_PI
}

super::shared::shared_functions!();
