use super::*;
use crate::tree::BinaryOp;
use crate::types::{IntKind, Op};

fn i8_value(value: i8) -> Value {
    Value::Int(IntKind::I8, value.into())
}

fn u8_value(value: u8) -> Value {
    Value::Int(IntKind::U8, value.into())
}

/// What `checked` and `wrapping` say together.
fn expected(checked: Option<i8>, wrapping: i8) -> Outcome {
    checked.map_or(Outcome::Overflow(i8_value(wrapping)), |value| Outcome::Value(i8_value(value)))
}

#[test]
fn every_pair_of_i8_gives_what_rust_gives() {
    for a in i8::MIN..=i8::MAX {
        for b in i8::MIN..=i8::MAX {
            let run = |op| binary(op, &i8_value(a), &i8_value(b));
            assert_eq!(run(BinaryOp::Add), expected(a.checked_add(b), a.wrapping_add(b)));
            assert_eq!(run(BinaryOp::Sub), expected(a.checked_sub(b), a.wrapping_sub(b)));
            assert_eq!(run(BinaryOp::Mul), expected(a.checked_mul(b), a.wrapping_mul(b)));
            if b == 0 {
                assert_eq!(run(BinaryOp::Div), Outcome::DivideByZero);
                assert_eq!(run(BinaryOp::Rem), Outcome::DivideByZero);
            } else {
                let divided =
                    |value: Option<i8>| value.map_or(Outcome::DivideOverflow, |value| Outcome::Value(i8_value(value)));
                assert_eq!(run(BinaryOp::Div), divided(a.checked_div(b)));
                assert_eq!(run(BinaryOp::Rem), divided(a.checked_rem(b)));
                assert_eq!(method("rem_euclid", &[i8_value(a), i8_value(b)]), divided(a.checked_rem_euclid(b)));
                assert_eq!(method("div_euclid", &[i8_value(a), i8_value(b)]), divided(a.checked_div_euclid(b)));
            }
            assert_eq!(run(BinaryOp::BitXor), Outcome::Value(i8_value(a ^ b)));
            let amount = u32::try_from(b).ok().filter(|amount| *amount < 8);
            let shifted = |value: i8| {
                if amount.is_some() { Outcome::Value(i8_value(value)) } else { Outcome::Overflow(i8_value(value)) }
            };
            assert_eq!(run(BinaryOp::Shl), shifted(a.wrapping_shl(b as u32)));
            assert_eq!(run(BinaryOp::Shr), shifted(a.wrapping_shr(b as u32)));
        }
    }
}

#[test]
fn methods_of_every_pair_of_8_bit_integers_give_what_rust_gives() {
    for a in u8::MIN..=u8::MAX {
        for b in u8::MIN..=u8::MAX {
            let (x, y) = (a as i8, b as i8);
            let unsigned = |name: &str, value: u8| {
                assert_eq!(method(name, &[u8_value(a), u8_value(b)]), Outcome::Value(u8_value(value)), "{name} {a} {b}")
            };
            let signed = |name: &str, value: i8| {
                assert_eq!(method(name, &[i8_value(x), i8_value(y)]), Outcome::Value(i8_value(value)), "{name} {x} {y}")
            };
            unsigned("saturating_add", a.saturating_add(b));
            unsigned("saturating_sub", a.saturating_sub(b));
            unsigned("saturating_mul", a.saturating_mul(b));
            unsigned("wrapping_mul", a.wrapping_mul(b));
            unsigned("abs_diff", a.abs_diff(b));
            unsigned("midpoint", a.midpoint(b));
            signed("saturating_add", x.saturating_add(y));
            signed("saturating_sub", x.saturating_sub(y));
            signed("saturating_mul", x.saturating_mul(y));
            signed("wrapping_sub", x.wrapping_sub(y));
            signed("midpoint", x.midpoint(y));
            signed("min", x.min(y));
            signed("max", x.max(y));
            let by = [i8_value(x), Value::Int(IntKind::U32, b.into())];
            assert_eq!(method("rotate_left", &by), Outcome::Value(i8_value(x.rotate_left(b.into()))));
            assert_eq!(method("rotate_right", &by), Outcome::Value(i8_value(x.rotate_right(b.into()))));
            assert_eq!(method("pow", &by), expected(x.checked_pow(b.into()), x.wrapping_pow(b.into())));
            assert_eq!(method("saturating_pow", &by), Outcome::Value(i8_value(x.saturating_pow(b.into()))));
            if b != 0 {
                unsigned("div_ceil", a.div_ceil(b));
            }
        }
        let x = a as i8;
        let count = |name: &str, value: u32| {
            assert_eq!(
                method(name, &[i8_value(x)]),
                Outcome::Value(Value::Int(IntKind::U32, value.into())),
                "{name} {x}"
            )
        };
        count("count_ones", x.count_ones());
        count("count_zeros", x.count_zeros());
        count("leading_zeros", x.leading_zeros());
        count("leading_ones", x.leading_ones());
        count("trailing_zeros", x.trailing_zeros());
        count("trailing_ones", x.trailing_ones());
        assert_eq!(method("reverse_bits", &[i8_value(x)]), Outcome::Value(i8_value(x.reverse_bits())));
        assert_eq!(method("abs", &[i8_value(x)]), expected(x.checked_abs(), x.wrapping_abs()));
        assert_eq!(negate(&i8_value(x)), expected(x.checked_neg(), x.wrapping_neg()));
        assert_eq!(not(&i8_value(x)), Outcome::Value(i8_value(!x)));
        let power = a.checked_next_power_of_two();
        let power = power.map_or(Outcome::Overflow(u8_value(0)), |power| Outcome::Value(u8_value(power)));
        assert_eq!(method("next_power_of_two", &[u8_value(a)]), power);
    }
}

#[test]
fn products_of_64_bit_integers_wrap_and_are_found_to_overflow() {
    let values = [0, 1, 2, 3, u64::MAX, u64::MAX - 1, 1 << 32, (1 << 32) + 1, 1 << 63, 0x1234_5678_9abc_def1];
    let value = |x: u64| Value::Int(IntKind::U64, x.into());
    for a in values {
        for b in values {
            let expected = match a.checked_mul(b) {
                Some(product) => Outcome::Value(value(product)),
                None => Outcome::Overflow(value(a.wrapping_mul(b))),
            };
            assert_eq!(binary(BinaryOp::Mul, &value(a), &value(b)), expected, "{a} * {b}");
            assert_eq!(method("saturating_mul", &[value(a), value(b)]), Outcome::Value(value(a.saturating_mul(b))));
            let (a, b) = (a as i64, b as i64);
            let signed = |x: i64| Value::Int(IntKind::I64, x.into());
            let product = method("wrapping_mul", &[signed(a), signed(b)]);
            assert_eq!(product, Outcome::Value(signed(a.wrapping_mul(b))));
            let (low, flag) = a.overflowing_mul(b);
            let expected = Outcome::Value(Value::Tuple(vec![signed(low), Value::Bool(flag)]));
            assert_eq!(method("overflowing_mul", &[signed(a), signed(b)]), expected);
        }
    }
}

#[test]
fn casts_from_floats_saturate_as_in_rust() {
    let values = [
        0.0,
        -0.0,
        0.5,
        -0.9,
        127.9,
        128.0,
        -128.9,
        -129.0,
        1e10,
        -1e10,
        1e30,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        4294967295.5,
    ];
    for x in values {
        let to = |kind: IntKind, value: i128| {
            assert_eq!(cast(&Value::F64(x), &Type::Int(kind)), Some(Value::Int(kind, value)), "{x}")
        };
        to(IntKind::I8, (x as i8).into());
        to(IntKind::U8, (x as u8).into());
        to(IntKind::U32, (x as u32).into());
        to(IntKind::I64, (x as i64).into());
        to(IntKind::U64, (x as u64).into());
        let single = Value::F32(x as f32);
        assert_eq!(cast(&single, &Type::Int(IntKind::I32)), Some(Value::Int(IntKind::I32, (x as f32 as i32).into())));
    }
    for x in [i64::MAX, i64::MIN, 16_777_217, (1 << 53) + 1] {
        assert_eq!(cast(&Value::Int(IntKind::I64, x.into()), &Type::F32), Some(Value::F32(x as f32)));
        assert_eq!(cast(&Value::Int(IntKind::I64, x.into()), &Type::F64), Some(Value::F64(x as f64)));
    }
}

#[test]
fn half_floats_compute_in_f32_and_round_after_every_operation() {
    let half = |x: f32| Value::F16(f16_from_f32(x));
    // 2049 is no f16: it rounds to 2048, ties to even.
    assert_eq!(binary(BinaryOp::Add, &half(2048.0), &half(1.0)), Outcome::Value(half(2048.0)));
    assert_eq!(binary(BinaryOp::Mul, &half(300.0), &half(300.0)), Outcome::Value(half(f32::INFINITY)));
    assert_eq!(method("sqrt", &[half(2.0)]), Outcome::Value(half(2f32.sqrt())));
    let brain = |x: f32| Value::Bf16(bf16_from_f32(x));
    assert_eq!(binary(BinaryOp::Add, &brain(256.0), &brain(1.0)), Outcome::Value(brain(256.0)));
    assert_eq!(method("to_f32", &[brain(1.5)]), Outcome::Value(Value::F32(1.5)));
}

#[test]
fn an_identity_leaves_every_value_as_it_is() {
    let values = [
        Value::Int(IntKind::I32, -7),
        Value::Int(IntKind::U8, 200),
        Value::F32(-2.5),
        Value::F64(1e300),
        Value::Bool(true),
        Value::Bool(false),
    ];
    for value in values {
        for op in Op::ALL {
            let Some(identity) = identity(op, &value.ty()) else {
                continue;
            };
            // `LogicalAnd` and `LogicalOr` turn integers into truth values.
            let logical = matches!(op, Op::LogicalAnd | Op::LogicalOr) && value.ty().is_int();
            if let Some(result) = apply(op, &identity, &value).filter(|_| !logical) {
                assert_eq!(result, value, "{op:?}");
            }
        }
    }
    assert_eq!(identity(Op::Maximum, &Type::F32), Some(Value::F32(f32::NEG_INFINITY)));
    assert_eq!(apply(Op::Minimum, &Value::F32(f32::NAN), &Value::F32(3.0)), Some(Value::F32(3.0)));
}

#[test]
fn every_method_with_a_signature_exists() {
    let names = "abs signum sqrt cbrt exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh \
        floor ceil round round_ties_even trunc fract recip to_degrees to_radians min max powf atan2 hypot copysign rem_euclid div_euclid \
        log clamp mul_add powi is_nan is_infinite is_finite is_normal is_subnormal is_sign_negative is_sign_positive to_bits sin_cos \
        wrapping_abs saturating_abs saturating_neg unsigned_abs is_negative is_positive next_power_of_two is_power_of_two div_ceil \
        next_multiple_of swap_bytes reverse_bits wrapping_neg isqrt wrapping_add wrapping_sub wrapping_mul wrapping_div wrapping_rem \
        saturating_add saturating_sub saturating_mul saturating_div midpoint pow wrapping_pow saturating_pow wrapping_shl wrapping_shr \
        rotate_left rotate_right count_ones count_zeros leading_zeros trailing_zeros leading_ones trailing_ones abs_diff overflowing_add \
        overflowing_sub overflowing_mul to_f32 to_f64 to_i64 to_u64";
    let one = |ty: &Type| cast(&Value::Int(IntKind::I32, 1), ty).unwrap();
    let types = [Type::F16, Type::Bf16, Type::F32, Type::F64].into_iter().chain(IntKind::ALL.map(Type::Int));
    let mut known = 0;
    for ty in types {
        for name in names.split_whitespace() {
            let Some((params, result)) = signature(&ty, name) else {
                continue;
            };
            let mut args = vec![one(&ty)];
            args.extend(params.iter().map(|param| one(&param.of(&ty))));
            match method(name, &args) {
                Outcome::Value(value) => assert_eq!(value.ty(), result.of(&ty), "{name} on {ty}"),
                other => panic!("{name} on {ty}: {other:?}"),
            }
            known += 1;
        }
    }
    assert!(known > 500, "{known}");
}
