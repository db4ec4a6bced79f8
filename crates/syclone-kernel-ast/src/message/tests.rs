//! Texts are compared with Rust's own `format!`.

use super::*;
use crate::types::IntKind;

fn text(template: &str, args: &[Value]) -> String {
    let mut template = Template::parse(template).expect("a format string");
    let mut next = 0;
    for piece in &mut template.pieces {
        if let Piece::Argument(argument @ Argument::Next, _) = piece {
            *argument = Argument::Number(next);
            next += 1;
        }
    }
    // What is handed on is parsed again.
    format(&template.to_string(), args)
}

/// Compares each spec's text for each value with Rust's.
macro_rules! same_as_rust {
    ([$($value:expr),*], $make:expr, $specs:tt) => { $(same_as_rust!(@specs $value, $make, $specs);)* };
    (@specs $value:expr, $make:expr, [$($spec:literal),*]) => { $(
        let (value, make) = ($value, $make);
        assert_eq!(text($spec, &[make(value)]), format!($spec, value), "{} of {value:?}", $spec);
    )* };
}

#[test]
fn integers_print_as_rust_prints_them() {
    same_as_rust!(
        [0i32, 7, -7, 255, i32::MIN, i32::MAX],
        |x| Value::Int(IntKind::I32, i128::from(x)),
        [
            "{}", "{:?}", "{:5}", "{:<5}|", "{:^6}|", "{:*>8}", "{:-^9}", "{:+}", "{:+5}", "{:05}", "{:+05}", "{:<05}",
            "{:x}", "{:X}", "{:#x}", "{:#010x}", "{:b}", "{:#b}", "{:o}", "{:#o}", "{:12b}|", "{:.3}", "{:é>4}"
        ]
    );
    same_as_rust!([0u64, 9, u64::MAX], |x| Value::Int(IntKind::U64, i128::from(x)), ["{}", "{:x}", "{:#X}", "{:024}"]);
    same_as_rust!([-1i8, 127], |x| Value::Int(IntKind::I8, i128::from(x)), ["{}", "{:x}", "{:08b}"]);
}

#[test]
fn floats_print_as_rust_prints_them() {
    let values = |x| Value::F32(x);
    same_as_rust!(
        [
            0.0f32,
            -0.0,
            1.0,
            -1.5,
            0.1,
            1e20,
            1e-7,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY
        ],
        values,
        [
            "{}", "{:?}", "{:.3}", "{:.0}", "{:9.2}", "{:<9.2}|", "{:^9.2}|", "{:+}", "{:+.1}", "{:08.2}", "{:+08.2}",
            "{:e}", "{:.2e}", "{:E}", "{:12e}|", "{:_>12}", "{:.3?}", "{:_<06}"
        ]
    );
    same_as_rust!([0.1f64, -1e300, 1.0 / 3.0, f64::NAN], Value::F64, ["{}", "{:?}", "{:.17}", "{:e}", "{:010.3}"]);
}

#[test]
fn bools_and_vectors_print_too() {
    same_as_rust!([true, false], Value::Bool, ["{}", "{:?}", "{:7}|", "{:>7}", "{:-^7}"]);
    let lanes = Value::Vector(vec![Value::F32(1.0), Value::F32(-0.25)]);
    assert_eq!(text("v = {:.2};", &[lanes]), "v = [1.00, -0.25];");
    let lanes = Value::Vector((1..=4).map(|i| Value::Int(IntKind::U8, 15 * i)).collect());
    assert_eq!(text("{:02x}", &[lanes]), "[0f, 1e, 2d, 3c]");
    assert_eq!(text("{} {}", &[Value::F16(0x3e00), Value::Bf16(0xbfc0)]), "1.5 -1.5");
}

#[test]
fn arguments_go_by_place_number_and_braces_stay() {
    let args = [Value::Bool(true), Value::Int(IntKind::I32, 5)];
    assert_eq!(text("{{{1}}} {0} {1}", &args), "{5} true 5");
    assert_eq!(text("", &args), "");
    let parsed = Template::parse("{x:>4}{y}").expect("a format string");
    assert_eq!(parsed.to_string(), "{x:>4}{y}");
}

#[test]
fn wrong_format_strings_say_what_is_wrong() {
    let says = |text: &str, part: &str| {
        let error = Template::parse(text).expect_err(text).to_string();
        assert!(error.contains(part), "{error}");
    };
    says("{", "a `{` without its `}`");
    says("}", "a `}` without its `{`");
    says("{{}", "a `}` without its `{`");
    says("{a.b}", "is no name");
    says("{:5$}", "a width or precision is a number");
    says("{:.*}", "a precision is a number");
    says("{:q}", "`q` is no notation");
    says("{:#?}", "`#` is for");
    says("{:1001}", "at most 1000");
}
