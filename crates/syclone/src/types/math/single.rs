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

super::shared::shared_functions!();
