//! The interpreter's functions against the native ones.
#![allow(clippy::cloned_ref_to_slice_refs, reason = "argument lists of one and of more look alike")]

use syclone_kernel_ast::builtins::Builtins;
use syclone_kernel_ast::types::Type;
use syclone_kernel_ast::value::Value;

use super::random::Random;
use crate::types::builtins::MathBuiltins;
use crate::types::math::table::{for_sycl_float_functions, for_sycl_integer_functions};
use crate::types::{DeviceCopy, Float, Geometric, Integer, Lanes, Scalar, Upsample, Vector, bf16, f16};

/// Bytes of a value, NaNs made equal: which NaN a function gives is not promised.
fn plain(value: &Value) -> Value {
    match value {
        Value::F16(bits) if f16::from_bits(*bits).is_nan() => Value::F16(f16::NAN.to_bits()),
        Value::Bf16(bits) if bf16::from_bits(*bits).is_nan() => Value::Bf16(bf16::NAN.to_bits()),
        Value::F32(x) => {
            Value::Int(syclone_kernel_ast::types::IntKind::U64, if x.is_nan() { 1 << 40 } else { x.to_bits().into() })
        }
        Value::F64(x) => {
            Value::Int(syclone_kernel_ast::types::IntKind::U64, if x.is_nan() { 1 } else { x.to_bits().into() })
        }
        Value::Vector(lanes) => Value::Vector(lanes.iter().map(plain).collect()),
        Value::Tuple(parts) => Value::Tuple(parts.iter().map(plain).collect()),
        other => other.clone(),
    }
}

/// Checks that the interpreter's function gives the native value, and the type that it promises.
fn check(name: &str, args: &[Value], native: Value) {
    let types: Vec<Type> = args.iter().map(Value::ty).collect();
    let promised = MathBuiltins.result_type(name, &types);
    assert_eq!(promised, Some(native.ty()), "type of {name} on {args:?}");
    let got = MathBuiltins.call(name, args).unwrap_or_else(|| panic!("{name} on {args:?} has no value"));
    assert_eq!(plain(&got), plain(&native), "{name} on {args:?}");
}

fn pair(parts: (impl DeviceCopy, impl DeviceCopy)) -> Value {
    Value::Tuple(vec![parts.0.to_value(), parts.1.to_value()])
}

/// Walks the table of float functions on these three values and an integer.
macro_rules! walk_floats {
    (
        $trait:ident $x:ident $y:ident $z:ident $n:ident;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        binary_predicate { $($(#[$pd:meta])* $p:ident)* } exponent { $($(#[$ed:meta])* $e:ident)* }
        pair { $($(#[$qd:meta])* $q:ident)* } pair_exponent { $($(#[$xd:meta])* $f:ident)* }
        binary_pair_exponent { $($(#[$yd:meta])* $r:ident)* }
    ) => {
        let (a, b, c, count) = ($x.to_value(), $y.to_value(), $z.to_value(), $n.to_value());
        $(check(stringify!($u), &[a.clone()], $x.$u().to_value());)*
        $(check(stringify!($b), &[a.clone(), b.clone()], $x.$b($y).to_value());)*
        $(check(stringify!($t), &[a.clone(), b.clone(), c.clone()], $x.$t($y, $z).to_value());)*
        $(check(stringify!($i), &[a.clone(), count.clone()], $x.$i($n).to_value());)*
        $(check(stringify!($p), &[a.clone(), b.clone()], $x.$p($y).to_value());)*
        $(check(stringify!($e), &[a.clone()], $x.$e().to_value());)*
        $(check(stringify!($q), &[a.clone()], pair($x.$q()));)*
        $(check(stringify!($f), &[a.clone()], pair($x.$f()));)*
        $(check(stringify!($r), &[a.clone(), b.clone()], pair($x.$r($y)));)*
    };
}

/// Walks the table of integer functions.
macro_rules! walk_integers {
    ($x:ident $y:ident $z:ident; binary { $($(#[$bd:meta])* $b:ident)* } ternary { $($(#[$td:meta])* $t:ident)* }) => {
        let (a, b, c) = ($x.to_value(), $y.to_value(), $z.to_value());
        $(check(stringify!($b), &[a.clone(), b.clone()], $x.$b($y).to_value());)*
        $(check(stringify!($t), &[a.clone(), b.clone(), c.clone()], $x.$t($y, $z).to_value());)*
    };
}

/// A random float: plain ones, and any bits.
fn any_float<T: Float>(random: &mut Random) -> T {
    let bits = random.bits();
    match bits % 8 {
        0 => T::from_bits((bits >> 3).convert()),
        1 => [T::ZERO, T::INFINITY, T::NEG_INFINITY, T::NAN, T::MAX, T::MIN_POSITIVE, -T::ONE, T::ONE]
            [(bits >> 3) as usize % 8],
        _ => T::from_f64(random.spread(-100.0, 100.0)),
    }
}

fn scalars<T: Float + Geometric>(random: &mut Random) {
    for _ in 0..200 {
        let (x, y, z) = (any_float::<T>(random), any_float::<T>(random), any_float::<T>(random));
        let n = random.bits() as i32 % 40;
        for_sycl_float_functions!(walk_floats, Math x y z n);
        let (a, b) = (x.to_value(), y.to_value());
        check("dot", &[a.clone(), b.clone()], x.dot(y).to_value());
        check("distance", &[a.clone(), b.clone()], x.distance(y).to_value());
        check("length", &[a.clone()], x.length().to_value());
        check("normalize", &[a.clone()], x.normalize().to_value());
        check("bitselect", &[a.clone(), b.clone(), z.to_value()], x.bitselect(y, z).to_value());
        check("lesser", &[a.clone(), b.clone()], x.lesser(y).to_value());
        check("greater", &[a.clone(), b.clone()], x.greater(y).to_value());
        check("magnitude", &[a.clone()], x.magnitude().to_value());
        check("limited", &[a.clone(), b, z.to_value()], x.limited(y, z).to_value());
        check("to_f32", &[a.clone()], x.to_f32().to_value());
        check("to_f64", &[a], x.to_f64().to_value());
    }
}

#[test]
fn every_function_of_scalar_floats_is_the_native_one() {
    let mut random = Random::new();
    scalars::<f32>(&mut random);
    scalars::<f64>(&mut random);
    scalars::<f16>(&mut random);
    scalars::<bf16>(&mut random);
}

fn vectors<T: Float, const N: usize>(random: &mut Random)
where
    [(); N]: Lanes,
{
    for _ in 0..40 {
        let mut draw = || Vector::<T, N>::new(core::array::from_fn(|_| any_float(random)));
        let (x, y, z) = (draw(), draw(), draw());
        let n = Vector::<i32, N>::new(core::array::from_fn(|i| i as i32 - 3));
        for_sycl_float_functions!(walk_floats, Math x y z n);
        let (a, b) = (x.to_value(), y.to_value());
        check("sum", &[a.clone()], x.sum().to_value());
        check("dot", &[a.clone(), b.clone()], x.dot(y).to_value());
        check("length", &[a.clone()], x.length().to_value());
        check("distance", &[a.clone(), b.clone()], x.distance(y).to_value());
        check("normalize", &[a.clone()], x.normalize().to_value());
        check("fast_length", &[a.clone()], x.fast_length().to_value());
        check("fast_distance", &[a.clone(), b.clone()], x.fast_distance(y).to_value());
        check("fast_normalize", &[a.clone()], x.fast_normalize().to_value());
        check("bitselect", &[a.clone(), b.clone(), z.to_value()], x.bitselect(y, z).to_value());
        let mask = x.lanes_lt(y);
        check("select", &[mask.to_value(), a.clone(), b.clone()], mask.select(x, y).to_value());
        // One number stands for all lanes.
        let one = T::from_f64(0.75);
        check("mix", &[a.clone(), b, one.to_value()], x.mix(y, one).to_value());
        check("gather", &[a, [1usize, 0, 99].to_value()], x.gather::<3>([1, 0, 99]).to_value());
    }
}

#[test]
fn every_function_of_float_vectors_is_the_native_one() {
    let mut random = Random::new();
    vectors::<f32, 2>(&mut random);
    vectors::<f32, 3>(&mut random);
    vectors::<f64, 4>(&mut random);
    vectors::<f16, 8>(&mut random);
    vectors::<bf16, 16>(&mut random);
}

#[test]
fn cross_products_are_the_native_ones() {
    let mut random = Random::new();
    let mut draw = || any_float::<f32>(&mut random);
    for _ in 0..100 {
        let (x, y) = (Vector::new([draw(), draw(), draw()]), Vector::new([draw(), draw(), draw()]));
        check("cross", &[x.to_value(), y.to_value()], x.cross(y).to_value());
        let (x, y) = (Vector::new([x.x, x.y, x.z, draw()]), Vector::new([y.x, y.y, y.z, draw()]));
        check("cross", &[x.to_value(), y.to_value()], x.cross(y).to_value());
    }
}

fn integers<T: Integer>(random: &mut Random) {
    for _ in 0..100 {
        let mut draw = || match random.bits() % 4 {
            0 => T::MIN,
            1 => T::MAX,
            _ => random.bits().convert::<T>(),
        };
        let (x, y, z) = (draw(), draw(), draw());
        walk(x, y, z);
        let (v, w, u) = (Vector::new([x, y, z]), Vector::new([z, x, y]), Vector::new([y, y, x]));
        for_sycl_integer_functions!(walk_integers, v w u);
        check("bitselect", &[x.to_value(), y.to_value(), z.to_value()], x.bitselect(y, z).to_value());
        check("limited", &[x.to_value(), y.to_value(), z.to_value()], x.limited(y, z).to_value());
    }
}

/// The table on single integers.
fn walk<T: Integer>(x: T, y: T, z: T) {
    for_sycl_integer_functions!(walk_integers, x y z);
}

#[test]
fn every_function_of_integers_is_the_native_one() {
    let mut random = Random::new();
    integers::<i8>(&mut random);
    integers::<i16>(&mut random);
    integers::<i32>(&mut random);
    integers::<i64>(&mut random);
    integers::<isize>(&mut random);
    integers::<u8>(&mut random);
    integers::<u16>(&mut random);
    integers::<u32>(&mut random);
    integers::<u64>(&mut random);
    integers::<usize>(&mut random);
    check("upsample", &[(-3i8).to_value(), 200u8.to_value()], (-3i8).upsample(200).to_value());
    let (high, low) = (Vector::new([1u32, 2]), Vector::new([u32::MAX, 0]));
    check("upsample", &[high.to_value(), low.to_value()], high.upsample(low).to_value());
}

#[test]
fn unknown_functions_and_wrong_arguments_are_refused() {
    assert_eq!(MathBuiltins.result_type("erg", &[Type::F32]), None);
    assert_eq!(MathBuiltins.result_type("erf", &[Type::U32]), None);
    assert_eq!(MathBuiltins.result_type("fdim", &[Type::F32]), None);
    assert_eq!(MathBuiltins.result_type("erf", &[]), None);
    assert_eq!(
        MathBuiltins.result_type("cross", &[Vector::<f32, 2>::device_type(), Vector::<f32, 2>::device_type()]),
        None
    );
    assert_eq!(
        MathBuiltins.result_type("upsample", &[Type::Int(syclone_kernel_ast::types::IntKind::U64), Type::U32]),
        None
    );
    assert_eq!(MathBuiltins.call("erf", &[Value::Bool(true)]), None);
    assert_eq!(MathBuiltins.call("fdim", &[Value::F32(1.0)]), None);
    assert_eq!(MathBuiltins.call("erf", &[]), None);
}
