//! The error of every function against values of higher precision.

use super::random::Random;
use crate::types::{Float, Math, Vector, bf16, f16};

/// The distance from the exact result in units of the last place of an `f32` there.
fn ulp_f32(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got.is_nan() || rounded.is_nan() {
        return if got.is_nan() && rounded.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_infinite() || rounded.is_infinite() {
        // One side of the border to infinity is as near as the other.
        let near =
            got == rounded || (got.abs() >= f32::MAX && rounded.abs() >= f32::MAX && got.signum() == rounded.signum());
        return if near { 0.0 } else { f64::INFINITY };
    }
    let magnitude = rounded.abs().max(f32::MIN_POSITIVE);
    let place = f64::from(f32::from_bits(magnitude.to_bits() + 1)) - f64::from(magnitude);
    (f64::from(got) - exact).abs() / place
}

/// The distance in units of the last place of an `f64`, for finite results.
fn ulp_f64(got: f64, exact: f64) -> f64 {
    let magnitude = exact.abs().max(f64::MIN_POSITIVE);
    (got - exact).abs() / (magnitude.next_up() - magnitude)
}

/// Values at which functions go wrong.
const SPECIAL: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    100.0,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    f32::MAX,
    f32::MIN,
    f32::EPSILON,
    8388609.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// A function of one number, its reference, the range of random inputs, and the bound.
type Unary = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64, f64, f64);

/// A function of two numbers with the ranges of both.
type Binary = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64, (f64, f64), (f64, f64), f64);

#[rustfmt::skip]
const UNARY: &[Unary] = &[
    ("sqrt", f32::sqrt, f64::sqrt, 0.0, 1e38, 0.5),
    ("cbrt", f32::cbrt, f64::cbrt, -1e38, 1e38, 2.0),
    ("exp", f32::exp, f64::exp, -104.0, 89.0, 2.0),
    ("exp2", f32::exp2, f64::exp2, -150.0, 128.5, 2.0),
    ("exp_m1", f32::exp_m1, f64::exp_m1, -20.0, 89.0, 2.0),
    ("ln", f32::ln, f64::ln, 0.0, 1e38, 2.0),
    ("log2", f32::log2, f64::log2, 0.0, 1e38, 2.0),
    ("log10", f32::log10, f64::log10, 0.0, 1e38, 2.0),
    ("ln_1p", f32::ln_1p, f64::ln_1p, -1.0, 1e38, 2.0),
    ("sin", f32::sin, f64::sin, -1e9, 1e9, 2.0),
    ("cos", f32::cos, f64::cos, -1e9, 1e9, 2.0),
    ("tan", f32::tan, f64::tan, -1e9, 1e9, 2.0),
    ("asin", f32::asin, f64::asin, -1.0, 1.0, 2.0),
    ("acos", f32::acos, f64::acos, -1.0, 1.0, 2.0),
    ("atan", f32::atan, f64::atan, -1e9, 1e9, 2.0),
    ("sinh", f32::sinh, f64::sinh, -90.0, 90.0, 4.0),
    ("cosh", f32::cosh, f64::cosh, -90.0, 90.0, 4.0),
    ("tanh", f32::tanh, f64::tanh, -20.0, 20.0, 4.0),
    ("asinh", f32::asinh, f64::asinh, -1e9, 1e9, 4.0),
    ("acosh", f32::acosh, f64::acosh, 1.5, 1e9, 4.0),
    ("atanh", f32::atanh, f64::atanh, -0.25, 1.0, 4.0),
    ("recip", f32::recip, f64::recip, -1e38, 1e38, 0.5),
    ("to_degrees", f32::to_degrees, f64::to_degrees, -1e6, 1e6, 1.5),
    ("to_radians", f32::to_radians, f64::to_radians, -1e6, 1e6, 1.5),
    ("erf", Math::erf, Math::erf, -6.0, 6.0, 1.0),
    ("erfc", Math::erfc, Math::erfc, -6.0, 11.0, 0.51),
    ("tgamma", Math::tgamma, Math::tgamma, -40.0, 36.0, 0.51),
    ("lgamma", Math::lgamma, Math::lgamma, -1000.0, 1e30, 0.51),
    ("rsqrt", Math::rsqrt, Math::rsqrt, 0.0, 1e38, 2.0),
    ("exp10", Math::exp10, Math::exp10, -45.0, 38.6, 0.51),
    ("sinpi", Math::sinpi, Math::sinpi, -1e5, 1e5, 1.0),
    ("cospi", Math::cospi, Math::cospi, -1e5, 1e5, 1.0),
    ("tanpi", Math::tanpi, Math::tanpi, -1e5, 1e5, 2.0),
    ("asinpi", Math::asinpi, Math::asinpi, -1.0, 1.0, 0.51),
    ("acospi", Math::acospi, Math::acospi, -1.0, 1.0, 0.51),
    ("atanpi", Math::atanpi, Math::atanpi, -1e9, 1e9, 0.51),
    ("logb", Math::logb, Math::logb, -1e38, 1e38, 0.0),
];

#[rustfmt::skip]
const BINARY: &[Binary] = &[
    ("powf", f32::powf, f64::powf, (0.0, 1e4), (-20.0, 20.0), 2.0),
    ("atan2", f32::atan2, f64::atan2, (-1e6, 1e6), (-1e6, 1e6), 2.0),
    ("hypot", f32::hypot, f64::hypot, (-1e37, 1e37), (-1e37, 1e37), 2.0),
    ("rem", |x, y| x % y, |x, y| x % y, (-1e6, 1e6), (-1e3, 1e3), 0.0),
    ("fdim", Math::fdim, Math::fdim, (-1e6, 1e6), (-1e6, 1e6), 0.5),
    ("remainder", Math::remainder, Math::remainder, (-1e6, 1e6), (-1e3, 1e3), 0.0),
    ("atan2pi", Math::atan2pi, Math::atan2pi, (-1e6, 1e6), (-1e6, 1e6), 0.51),
    ("powr", Math::powr, Math::powr, (0.0, 1e4), (-20.0, 20.0), 2.0),
    ("maxmag", Math::maxmag, Math::maxmag, (-1e6, 1e6), (-1e6, 1e6), 0.0),
    ("minmag", Math::minmag, Math::minmag, (-1e6, 1e6), (-1e6, 1e6), 0.0),
];

/// Random inputs for each function.
const SAMPLES: usize = 20_000;

#[test]
fn every_f32_function_of_one_number_keeps_its_error_bound() {
    let mut random = Random::new();
    for &(name, function, reference, low, high, bound) in UNARY {
        let mut worst = (0.0, 0.0);
        let mut check = |x: f32| {
            // The standard library's overflow early.
            let overflows = matches!(name, "asinh" | "acosh") && x.abs() > f32::MAX / 2.0;
            let error = if overflows { 0.0 } else { ulp_f32(function(x), reference(f64::from(x))) };
            if error > worst.0 {
                worst = (error, x);
            }
        };
        SPECIAL.into_iter().for_each(&mut check);
        for idx in 0..SAMPLES {
            check(if idx % 2 == 0 { random.between(low, high) } else { random.spread(low, high) } as f32);
        }
        let (error, x) = worst;
        println!("{name}: {error:.3} ulp at {x:e}");
        assert!(error <= bound, "{name}({x:e}) = {:e} is {error} ulp off, the bound is {bound}", function(x));
    }
}

#[test]
fn every_f32_function_of_two_numbers_keeps_its_error_bound() {
    let mut random = Random::new();
    for &(name, function, reference, first, second, bound) in BINARY {
        let mut worst = (0.0, 0.0, 0.0);
        let mut check = |x: f32, y: f32| {
            let error = ulp_f32(function(x, y), reference(f64::from(x), f64::from(y)));
            if error > worst.0 {
                worst = (error, x, y);
            }
        };
        for x in SPECIAL {
            for y in SPECIAL {
                check(x, y);
            }
        }
        for idx in 0..SAMPLES {
            let mut draw = |(low, high)| {
                if idx % 2 == 0 { random.between(low, high) } else { random.spread(low, high) }
            };
            check(draw(first) as f32, draw(second) as f32);
        }
        let (error, x, y) = worst;
        println!("{name}: {error:.3} ulp at {x:e}, {y:e}");
        assert!(error <= bound, "{name}({x:e}, {y:e}) = {:e} is {error} ulp off, the bound is {bound}", function(x, y));
    }
}

/// An `f64` function by name.
fn f64_function(name: &str, args: &[f64]) -> Option<f64> {
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(f64::NAN);
    Some(match name {
        "erf" => Math::erf(x),
        "erfc" => Math::erfc(x),
        "tgamma" => Math::tgamma(x),
        "lgamma" => Math::lgamma(x),
        "rsqrt" => Math::rsqrt(x),
        "exp10" => Math::exp10(x),
        "sinpi" => Math::sinpi(x),
        "cospi" => Math::cospi(x),
        "tanpi" => Math::tanpi(x),
        "asinpi" => Math::asinpi(x),
        "acospi" => Math::acospi(x),
        "atanpi" => Math::atanpi(x),
        "atan2pi" => Math::atan2pi(x, y),
        "powr" => Math::powr(x, y),
        "rootn" => Math::rootn(x, y as i32),
        "sqrt" => x.sqrt(),
        "cbrt" => x.cbrt(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "exp_m1" => x.exp_m1(),
        "ln" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "ln_1p" => x.ln_1p(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => x.asinh(),
        "acosh" => x.acosh(),
        "atanh" => x.atanh(),
        "atan2" => x.atan2(y),
        "hypot" => x.hypot(y),
        "powf" => x.powf(y),
        _ => return None,
    })
}

/// The bound on an `f64` function, as `docs/math.md` states it.
fn f64_bound(name: &str) -> f64 {
    match name {
        "sqrt" => 0.5,
        "tgamma" => 10.0,
        "tanpi" | "erfc" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" => 4.0,
        _ => 2.0,
    }
}

#[test]
fn f64_functions_agree_with_reference_values_of_400_bits() {
    let mut seen = std::collections::BTreeMap::<&str, f64>::new();
    for line in include_str!("math_f64.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let name = words.next().expect("a line starts with a name");
        let numbers: Vec<f64> =
            words.map(|bits| f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"))).collect();
        let (exact, args) = numbers.split_last().expect("a line ends with the result");
        let got = f64_function(name, args).unwrap_or_else(|| panic!("no function {name}"));
        let error = ulp_f64(got, *exact);
        assert!(error <= f64_bound(name), "{name}({args:?}) = {got:e}, exactly {exact:e}, {error} ulp off");
        let worst = seen.entry(name).or_insert(0.0);
        *worst = worst.max(error);
    }
    println!("{seen:?}");
    assert!(seen.len() >= 39, "the file has every function");
}

#[test]
fn roots_are_exact_on_exact_powers() {
    assert_eq!(27.0f32.rootn(3), 3.0);
    assert_eq!((-27.0f64).rootn(3), -3.0);
    assert_eq!(1024.0f64.rootn(10), 2.0);
    assert_eq!(0.25f32.rootn(-2), 2.0);
    assert!((-4.0f32).rootn(2).is_nan() && 4.0f32.rootn(0).is_nan());
    assert_eq!(0.0f64.rootn(-3), f64::INFINITY);
    assert_eq!((-0.0f64).rootn(-3), f64::NEG_INFINITY);
    assert_eq!(f64::INFINITY.rootn(5), f64::INFINITY);
}

#[test]
fn random_roots_of_f32_are_rounded_from_exact_ones() {
    let mut random = Random::new();
    for _ in 0..SAMPLES {
        let (x, n) = (random.spread(0.0, 3e38) as f32, 2 + (random.bits() % 30) as i32);
        for n in [n, -n] {
            let exact = f64::from(x).powf(1.0 / f64::from(n));
            let error = ulp_f32(x.rootn(n), exact);
            assert!(error <= 0.51, "{x:e}.rootn({n}) is {error} ulp off");
        }
    }
}

#[test]
fn lengths_keep_their_error_bounds() {
    let mut random = Random::new();
    for _ in 0..SAMPLES {
        let v = Vector::<f32, 4>::new(core::array::from_fn(|_| random.spread(-1e38, 1e38) as f32));
        let exact = v.to_array().iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        assert!(ulp_f32(v.length(), exact) <= 1.0, "{v:?}.length()");
        for (lane, got) in v.to_array().iter().zip(v.normalize().to_array()) {
            assert!(ulp_f32(got, f64::from(*lane) / exact) <= 1.0, "{v:?}.normalize()");
        }
    }
}

#[test]
fn functions_of_half_turns_are_exact_at_quarter_turns_and_keep_signs_of_zero() {
    for n in -9i32..=9 {
        let x = n as f32;
        assert_eq!(x.sinpi().to_bits(), 0f32.copysign(x).to_bits(), "sinpi({x})");
        assert_eq!(x.cospi(), if n % 2 == 0 { 1.0 } else { -1.0 });
        assert_eq!((x + 0.5).cospi().to_bits(), 0, "cospi({x} + 0.5)");
        assert_eq!((x + 0.5).sinpi(), if n % 2 == 0 { 1.0 } else { -1.0 });
        assert_eq!((x + 0.5).tanpi(), if n % 2 == 0 { f32::INFINITY } else { f32::NEG_INFINITY });
    }
    assert_eq!(0.25f32.tanpi(), 1.0);
    assert!(f32::INFINITY.sinpi().is_nan() && f64::NAN.cospi().is_nan());
    // Beyond the precision every value is an even integer.
    assert_eq!(f32::MAX.cospi(), 1.0);
}

#[test]
fn parts_of_numbers_are_those_of_the_standard() {
    assert_eq!(8.0f32.frexp(), (0.5, 4));
    assert_eq!((-0.3f64).frexp(), (-0.6, -1));
    assert_eq!(0.75f32.ldexp(3), 6.0);
    assert_eq!(1.0f64.ldexp(-1080), 0.0);
    assert_eq!((10.0f32.ilogb(), 0.1f64.ilogb(), 1e-45f32.ilogb()), (3, -4, -149));
    assert_eq!((0.0f32.ilogb(), f32::INFINITY.ilogb(), f32::NAN.ilogb()), (i32::MIN, i32::MAX, i32::MIN));
    assert_eq!((10.0f32.logb(), 0.0f32.logb(), f32::NEG_INFINITY.logb()), (3.0, f32::NEG_INFINITY, f32::INFINITY));
    assert_eq!((-2.75f32).modf(), (-0.75, -2.0));
    assert_eq!(f64::NEG_INFINITY.modf(), (-0.0, f64::NEG_INFINITY));
    assert_eq!((-2.75f32).floor_fract(), (0.25, -3.0));
    let (fract, floor) = (-1e-30f32).floor_fract();
    assert!(fract < 1.0 && floor == -1.0);
    assert_eq!(1.0f32.nextafter(2.0), 1.0 + f32::EPSILON);
    assert_eq!(0.0f64.nextafter(-1.0), -5e-324);
    assert_eq!(29.0f32.remquo(3.0), (-1.0, 10));
    assert_eq!((-29.0f64).remquo(3.0), (1.0, -10));
    assert_eq!((-0.5f32).lgamma_r().1, -1);
    assert_eq!(0.5f64.lgamma_r().1, 1);
}

#[test]
fn common_functions_do_what_sycl_says() {
    assert_eq!((2.0f32.sign(), (-0.0f32).sign().to_bits(), f32::NAN.sign()), (1.0, (-0.0f32).to_bits(), 0.0));
    assert_eq!((0.4f32.step(0.5), 0.5f32.step(0.5)), (0.0, 1.0));
    assert_eq!(1.0f64.mix(3.0, 0.25), 1.5);
    assert_eq!(
        (0.0f32.smoothstep(0.0, 2.0), 1.0f32.smoothstep(0.0, 2.0), 5.0f32.smoothstep(0.0, 2.0)),
        (0.0, 0.5, 1.0)
    );
    assert_eq!(2.0f32.mad(3.0, 4.0), 10.0);
    assert_eq!((5.0f32.fdim(3.0), 3.0f32.fdim(5.0)), (2.0, 0.0));
    assert_eq!(((-3.0f32).maxmag(2.0), (-3.0f32).minmag(2.0), (-2.0f32).maxmag(2.0)), (-3.0, 2.0, 2.0));
    assert!(1.0f32.is_ordered(2.0) && 1.0f32.is_unordered(f32::NAN));
    assert!(1.0f64.is_less_greater(2.0) && !1.0f64.is_less_greater(1.0) && !1.0f64.is_less_greater(f64::NAN));
    assert!((-1.0f32).powr(2.0).is_nan() && 0.0f32.powr(0.0).is_nan() && 1.0f32.powr(f32::INFINITY).is_nan());
    assert_eq!((0.0f32.powr(-1.0), (-0.0f32).powr(3.0)), (f32::INFINITY, 0.0));
}

#[test]
fn half_precisions_round_what_f32_computes() {
    for bits in 0..=u16::MAX {
        let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
        if x.is_nan() || y.is_nan() {
            continue;
        }
        assert_eq!(x.erf().to_bits(), f16::from_f32(libm::erff(x.to_f32())).to_bits());
        assert_eq!(Float::abs(y).to_bits(), bits & 0x7fff);
        let up = x.nextafter(f16::INFINITY);
        assert!(up > x || x == f16::INFINITY, "{x} then {up}");
        let down = up.nextafter(f16::NEG_INFINITY);
        assert!(down == x || x == f16::INFINITY, "{x}, {up}, {down}");
        assert!(y.nextafter(bf16::NEG_INFINITY) < y || y == bf16::NEG_INFINITY);
    }
    assert!(f16::ONE.nextafter(f16::NAN).is_nan());
    assert_eq!(f16::from_f32(0.5).sinpi(), f16::ONE);
}
