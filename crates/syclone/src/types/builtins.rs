//! SYCL's functions for the interpreter of the kernel tree.
//!
//! [`MathBuiltins`] lends the tree's type inference and interpreter the functions of [`math`](super::math) that the
//! tree's own crate does not know, by name; Rust's own functions it knows. Scalars go to the very functions that
//! native kernels call; vectors are taken apart here, lane by lane, so that the vectors' own methods have a second
//! opinion.

use syclone_kernel_ast::builtins::Builtins;
use syclone_kernel_ast::types::{IntKind, Type};
use syclone_kernel_ast::value::Value;

use super::device_copy::DeviceCopy;
use super::half::{bf16, f16};
use super::math::geometric;
use super::math::table::{for_sycl_float_functions, for_sycl_integer_functions};
use super::math::{Geometric, IntegerMath, Math};
use super::scalar::{Float, Integer, Scalar};

/// The functions of SYCL's list on scalars and vectors.
///
/// ```
/// use syclone::types::builtins::MathBuiltins;
/// use syclone_kernel_ast::{builtins::Builtins, value::Value};
/// let half_turn = MathBuiltins.call("cospi", &[Value::F32(1.0)]);
/// assert_eq!(half_turn, Some(Value::F32(-1.0)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MathBuiltins;

/// What a function of one lane gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Output {
    /// The receiver's type.
    Same,
    /// `bool`
    Bool,
    /// `i32`
    I32,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// The integer twice as wide as the receiver.
    Wide,
    /// Two of the receiver's type.
    Pair,
    /// The receiver's type and `i32`.
    PairExponent,
}

/// A function of one lane: name, number of arguments with the receiver, and what it gives.
type Signature = (&'static str, usize, Output);

/// A list of [`Signature`]s from a table.
macro_rules! signatures {
    ($($shape:ident { $($(#[$doc:meta])* $name:ident)* })*) => {
        &[$($((stringify!($name), signatures!(@arguments $shape), signatures!(@output $shape)),)*)*]
    };
    (@arguments binary) => { 2 };
    (@arguments ternary) => { 3 };
    (@arguments integer_argument) => { 2 };
    (@arguments binary_predicate) => { 2 };
    (@arguments binary_pair_exponent) => { 2 };
    (@arguments $shape:ident) => { 1 };
    (@output binary_predicate) => { Output::Bool };
    (@output exponent) => { Output::I32 };
    (@output pair) => { Output::Pair };
    (@output pair_exponent) => { Output::PairExponent };
    (@output binary_pair_exponent) => { Output::PairExponent };
    (@output $shape:ident) => { Output::Same };
}

/// Functions of every number.
const SCALAR: &[Signature] = &[
    ("lesser", 2, Output::Same),
    ("greater", 2, Output::Same),
    ("magnitude", 1, Output::Same),
    ("limited", 3, Output::Same),
    ("bitselect", 3, Output::Same),
    ("to_f32", 1, Output::F32),
    ("to_f64", 1, Output::F64),
];
/// Functions of floats.
const FLOAT: &[Signature] = for_sycl_float_functions!(signatures);
/// Functions of integers.
const INTEGER: &[Signature] = for_sycl_integer_functions!(signatures);
/// The one function of integers below 64 bits only.
const UPSAMPLE: &[Signature] = &[("upsample", 2, Output::Wide)];

/// The signature of a function on numbers of type `elem`.
fn signature(elem: &Type, name: &str) -> Option<Signature> {
    let own: [&[Signature]; 2] = match elem {
        Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => [FLOAT, &[]],
        Type::Int(kind) if wide(*kind).is_some() => [INTEGER, UPSAMPLE],
        Type::Int(_) => [INTEGER, &[]],
        _ => return None,
    };
    let mut all = SCALAR.iter().chain(own[0]).chain(own[1]);
    all.find(|signature| signature.0 == name).copied()
}

/// The integer twice as wide.
fn wide(kind: IntKind) -> Option<IntKind> {
    Some(match kind {
        IntKind::I8 => IntKind::I16,
        IntKind::I16 => IntKind::I32,
        IntKind::I32 => IntKind::I64,
        IntKind::U8 => IntKind::U16,
        IntKind::U16 => IntKind::U32,
        IntKind::U32 => IntKind::U64,
        IntKind::I64 | IntKind::U64 | IntKind::Isize | IntKind::Usize => return None,
    })
}

/// The type of an output on numbers of type `elem`, in every lane if there are lanes.
fn output_type(output: Output, elem: &Type, lanes: Option<u8>) -> Option<Type> {
    let each = |ty: Type| match lanes {
        Some(lanes) => Type::Vector(Box::new(ty), lanes),
        None => ty,
    };
    Some(match output {
        Output::Same => each(elem.clone()),
        Output::Bool => each(Type::Bool),
        Output::I32 => each(Type::I32),
        Output::F32 => each(Type::F32),
        Output::F64 => each(Type::F64),
        Output::Wide => match elem {
            Type::Int(kind) => each(Type::Int(wide(*kind)?)),
            _ => return None,
        },
        Output::Pair => Type::Tuple(vec![each(elem.clone()), each(elem.clone())]),
        Output::PairExponent => Type::Tuple(vec![each(elem.clone()), each(Type::I32)]),
    })
}

/// Functions of whole vectors (and of single floats, as vectors of one lane): the result of `name` on `args`.
fn geometric_type(name: &str, args: &[Type]) -> Option<Type> {
    let (elem, lanes) = match args.first()? {
        Type::Vector(elem, lanes) => (&**elem, *lanes),
        elem => (elem, 1),
    };
    match (name, args.len()) {
        ("sum", 1) if lanes > 1 && (elem.is_float() || elem.is_int()) => Some(elem.clone()),
        ("dot", 2) if elem.is_float() || (lanes > 1 && elem.is_int()) => Some(elem.clone()),
        ("length" | "fast_length", 1) | ("distance" | "fast_distance", 2) if elem.is_float() => Some(elem.clone()),
        ("normalize" | "fast_normalize", 1) if elem.is_float() => Some(args[0].clone()),
        ("cross", 2) if elem.is_float() && matches!(lanes, 3 | 4) => Some(args[0].clone()),
        ("select", 3) if *elem == Type::Bool && lanes > 1 => Some(args[1].clone()),
        ("gather", 2) => match &args[1] {
            Type::Array(_, count) if lanes > 1 => {
                Some(Type::Vector(Box::new(elem.clone()), u8::try_from(*count).ok()?))
            }
            _ => None,
        },
        _ => None,
    }
}

impl Builtins for MathBuiltins {
    fn print(&self, text: &str) {
        crate::abi::message::emit(text);
    }

    fn result_type(&self, name: &str, args: &[Type]) -> Option<Type> {
        let (elem, lanes) = match args.first()? {
            Type::Vector(elem, lanes) => (&**elem, Some(*lanes)),
            elem => (elem, None),
        };
        if let Some((_, arguments, output)) = signature(elem, name) {
            return if arguments == args.len() { output_type(output, elem, lanes) } else { None };
        }
        geometric_type(name, args)
    }

    fn call(&self, name: &str, args: &[Value]) -> Option<Value> {
        let elem = match args.first()? {
            Value::Vector(lanes) => lanes.first()?.ty(),
            scalar => scalar.ty(),
        };
        match signature(&elem, name) {
            Some((_, arguments, _)) if arguments != args.len() => None,
            Some(_) => lanewise(name, args),
            None => whole(name, args),
        }
    }
}

/// A function of one lane, in every lane if the receiver is a vector; scalar arguments stand for all lanes.
fn lanewise(name: &str, args: &[Value]) -> Option<Value> {
    let Value::Vector(receiver) = args.first()? else {
        return number(name, args);
    };
    let lane = |idx: usize| -> Option<Value> {
        let part = |arg: &Value| match arg {
            Value::Vector(lanes) => lanes.get(idx).cloned(),
            scalar => Some(scalar.clone()),
        };
        number(name, &args.iter().map(part).collect::<Option<Vec<Value>>>()?)
    };
    let results = (0..receiver.len()).map(lane).collect::<Option<Vec<Value>>>()?;
    if !matches!(results.first()?, Value::Tuple(_)) {
        return Some(Value::Vector(results));
    }
    // Tuples in lanes become a tuple of vectors.
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for result in results {
        let Value::Tuple(parts) = result else {
            return None;
        };
        let [first, second] = parts.try_into().ok()?;
        firsts.push(first);
        seconds.push(second);
    }
    Some(Value::Tuple(vec![Value::Vector(firsts), Value::Vector(seconds)]))
}

/// SYCL's `bitselect` on representations, which leaves those of NaNs alone.
fn bitselect(args: &[Value]) -> Option<Value> {
    let [a, b, mask] = args else { return None };
    Some(match (a, b, mask) {
        (Value::F16(a), Value::F16(b), Value::F16(mask)) => Value::F16((a & !mask) | (b & mask)),
        (Value::Bf16(a), Value::Bf16(b), Value::Bf16(mask)) => Value::Bf16((a & !mask) | (b & mask)),
        (Value::F32(a), Value::F32(b), Value::F32(mask)) => {
            let (a, b, mask) = (a.to_bits(), b.to_bits(), mask.to_bits());
            Value::F32(f32::from_bits((a & !mask) | (b & mask)))
        }
        (Value::F64(a), Value::F64(b), Value::F64(mask)) => {
            let (a, b, mask) = (a.to_bits(), b.to_bits(), mask.to_bits());
            Value::F64(f64::from_bits((a & !mask) | (b & mask)))
        }
        (Value::Int(kind, a), Value::Int(_, b), Value::Int(_, mask)) => Value::Int(*kind, (a & !mask) | (b & mask)),
        _ => return None,
    })
}

/// A function on single numbers.
fn number(name: &str, args: &[Value]) -> Option<Value> {
    if name == "bitselect" {
        return bitselect(args);
    }
    match args.first()? {
        Value::F16(_) => float::<f16>(name, args),
        Value::Bf16(_) => float::<bf16>(name, args),
        Value::F32(_) => float::<f32>(name, args),
        Value::F64(_) => float::<f64>(name, args),
        Value::Int(kind, high) => match (kind, name) {
            (_, "upsample") => Some(Value::Int(wide(*kind)?, (high << kind.bits()) | args.get(1)?.as_int()?)),
            (IntKind::I8, _) => integer::<i8>(name, args),
            (IntKind::I16, _) => integer::<i16>(name, args),
            (IntKind::I32, _) => integer::<i32>(name, args),
            (IntKind::I64, _) => integer::<i64>(name, args),
            (IntKind::Isize, _) => integer::<isize>(name, args),
            (IntKind::U8, _) => integer::<u8>(name, args),
            (IntKind::U16, _) => integer::<u16>(name, args),
            (IntKind::U32, _) => integer::<u32>(name, args),
            (IntKind::U64, _) => integer::<u64>(name, args),
            (IntKind::Usize, _) => integer::<usize>(name, args),
        },
        _ => None,
    }
}

/// The argument at a position, as `T`.
fn argument<T: Scalar>(args: &[Value], position: usize) -> Option<T> {
    Some(match args.get(position)? {
        Value::F16(bits) => T::from_scalar(f16::from_bits(*bits)),
        Value::Bf16(bits) => T::from_scalar(bf16::from_bits(*bits)),
        Value::F32(value) => T::from_scalar(*value),
        Value::F64(value) => T::from_scalar(*value),
        Value::Int(kind, value) if kind.signed() => T::from_scalar(*value as i64),
        Value::Int(_, value) => T::from_scalar(*value as u64),
        _ => return None,
    })
}

/// A pair as a tuple.
fn pair(parts: (impl DeviceCopy, impl DeviceCopy)) -> Value {
    Value::Tuple(vec![parts.0.to_value(), parts.1.to_value()])
}

/// A function of every number.
fn scalar<T: Scalar>(name: &str, args: &[Value]) -> Option<Value> {
    let x: T = argument(args, 0)?;
    Some(match name {
        "lesser" => x.lesser(argument(args, 1)?).to_value(),
        "greater" => x.greater(argument(args, 1)?).to_value(),
        "magnitude" => x.magnitude().to_value(),
        "limited" => x.limited(argument(args, 1)?, argument(args, 2)?).to_value(),
        "to_f32" => x.to_f32().to_value(),
        "to_f64" => x.to_f64().to_value(),
        _ => return None,
    })
}

/// A function of floats, by the table.
fn float<T: Float>(name: &str, args: &[Value]) -> Option<Value> {
    let x: T = argument(args, 0)?;
    let y = || argument::<T>(args, 1);
    macro_rules! dispatch {
        (
            unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
            ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
            binary_predicate { $($(#[$pd:meta])* $p:ident)* } exponent { $($(#[$ed:meta])* $e:ident)* }
            pair { $($(#[$qd:meta])* $q:ident)* } pair_exponent { $($(#[$xd:meta])* $x:ident)* }
            binary_pair_exponent { $($(#[$yd:meta])* $y:ident)* }
        ) => {
            match name {
                $(stringify!($u) => <T as Math>::$u(x).to_value(),)*
                $(stringify!($b) => <T as Math>::$b(x, y()?).to_value(),)*
                $(stringify!($t) => <T as Math>::$t(x, y()?, argument(args, 2)?).to_value(),)*
                $(stringify!($i) => <T as Math>::$i(x, argument(args, 1)?).to_value(),)*
                $(stringify!($p) => <T as Math>::$p(x, y()?).to_value(),)*
                $(stringify!($e) => <T as Math>::$e(x).to_value(),)*
                $(stringify!($q) => pair(<T as Math>::$q(x)),)*
                $(stringify!($x) => pair(<T as Math>::$x(x)),)*
                $(stringify!($y) => pair(<T as Math>::$y(x, y()?)),)*
                _ => return scalar::<T>(name, args),
            }
        };
    }
    Some(for_sycl_float_functions!(dispatch))
}

/// A function of integers, by the table.
fn integer<T: Integer>(name: &str, args: &[Value]) -> Option<Value> {
    let x: T = argument(args, 0)?;
    macro_rules! dispatch {
        (binary { $($(#[$bd:meta])* $b:ident)* } ternary { $($(#[$td:meta])* $t:ident)* }) => {
            match name {
                $(stringify!($b) => <T as IntegerMath>::$b(x, argument(args, 1)?).to_value(),)*
                $(stringify!($t) => <T as IntegerMath>::$t(x, argument(args, 1)?, argument(args, 2)?).to_value(),)*
                _ => return scalar::<T>(name, args),
            }
        };
    }
    Some(for_sycl_integer_functions!(dispatch))
}

/// A function of whole vectors, or a geometric one of single floats.
fn whole(name: &str, args: &[Value]) -> Option<Value> {
    match (args.first()?, name) {
        (Value::Vector(mask), "select") => {
            let (Value::Vector(yes), Value::Vector(no)) = (args.get(1)?, args.get(2)?) else {
                return None;
            };
            let choose = |((lane, yes), no): ((&Value, &Value), &Value)| match lane {
                Value::Bool(true) => Some(yes.clone()),
                Value::Bool(false) => Some(no.clone()),
                _ => None,
            };
            Some(Value::Vector(mask.iter().zip(yes).zip(no).map(choose).collect::<Option<_>>()?))
        }
        (Value::Vector(lanes), "gather") => {
            let Value::Array(_, positions) = args.get(1)? else {
                return None;
            };
            let zero = Value::read(&lanes.first()?.ty(), &[0; 16]).ok()?;
            let lane = |position: &Value| {
                let lane = usize::try_from(position.as_int()?).ok().and_then(|position| lanes.get(position));
                Some(lane.unwrap_or(&zero).clone())
            };
            Some(Value::Vector(positions.iter().map(lane).collect::<Option<_>>()?))
        }
        (Value::Vector(lanes), _) => match lanes.first()? {
            Value::F16(_) => vector::<f16>(name, args),
            Value::Bf16(_) => vector::<bf16>(name, args),
            Value::F32(_) => vector::<f32>(name, args),
            Value::F64(_) => vector::<f64>(name, args),
            _ => None,
        },
        (Value::F16(_), _) => single::<f16>(name, args),
        (Value::Bf16(_), _) => single::<bf16>(name, args),
        (Value::F32(_), _) => single::<f32>(name, args),
        (Value::F64(_), _) => single::<f64>(name, args),
        _ => None,
    }
}

/// A geometric function of single floats.
fn single<T: Float>(name: &str, args: &[Value]) -> Option<Value> {
    let x: T = argument(args, 0)?;
    let result = match (name, args.len()) {
        ("dot", 2) => x.dot(argument(args, 1)?),
        ("length", 1) => x.length(),
        ("distance", 2) => x.distance(argument(args, 1)?),
        ("normalize", 1) => x.normalize(),
        ("fast_length", 1) => x.fast_length(),
        ("fast_distance", 2) => x.fast_distance(argument(args, 1)?),
        ("fast_normalize", 1) => x.fast_normalize(),
        _ => return None,
    };
    Some(result.to_value())
}

/// A geometric function of float vectors.
fn vector<T: Float>(name: &str, args: &[Value]) -> Option<Value> {
    let lanes = |position: usize| -> Option<Vec<T>> {
        let Value::Vector(lanes) = args.get(position)? else {
            return None;
        };
        (0..lanes.len()).map(|idx| argument(lanes, idx)).collect()
    };
    let values = |lanes: Vec<T>| Value::Vector(lanes.iter().map(T::to_value).collect());
    let wide = |lanes: &[T]| lanes.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let a = lanes(0)?;
    Some(match (name, args.len()) {
        ("sum", 1) => geometric::sum(&a).to_value(),
        ("dot", 2) => geometric::dot(&a, &lanes(1)?).to_value(),
        ("length", 1) => T::from_f64(geometric::length(&wide(&a))).to_value(),
        ("distance", 2) => {
            let differences: Vec<f64> = wide(&a).iter().zip(wide(&lanes(1)?)).map(|(a, b)| a - b).collect();
            T::from_f64(geometric::length(&differences)).to_value()
        }
        ("normalize", 1) => {
            let mut wide = wide(&a);
            geometric::normalize(&mut wide);
            values(wide.into_iter().map(T::from_f64).collect())
        }
        ("fast_length", 1) => Float::sqrt(geometric::dot(&a, &a)).to_value(),
        ("fast_distance", 2) => {
            let differences: Vec<T> = a.iter().zip(lanes(1)?).map(|(&a, b)| a - b).collect();
            Float::sqrt(geometric::dot(&differences, &differences)).to_value()
        }
        ("fast_normalize", 1) => {
            let length = Float::sqrt(geometric::dot(&a, &a));
            values(if length == T::ZERO { a } else { a.into_iter().map(|x| x / length).collect() })
        }
        ("cross", 2) => {
            let b = lanes(1)?;
            if b.len() != a.len() || a.len() < 3 {
                return None;
            }
            let lane = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
            let mut cross = vec![lane(1, 2), lane(2, 0), lane(0, 1)];
            cross.resize(a.len(), T::ZERO);
            values(cross)
        }
        _ => return None,
    })
}
