//! Values as text.

use super::{Align, Notation, Spec};
use crate::half::{bf16_to_f32, f16_to_f32};
use crate::value::Value;

/// The digits of a float that is not negative.
macro_rules! digits {
    ($value:expr, $spec:expr) => {
        match ($spec.notation, $spec.precision) {
            (Notation::Debug, None) => format!("{:?}", $value),
            (Notation::Debug, Some(precision)) => format!("{:.*?}", precision, $value),
            (Notation::LowerExp, None) => format!("{:e}", $value),
            (Notation::LowerExp, Some(precision)) => format!("{:.*e}", precision, $value),
            (Notation::UpperExp, None) => format!("{:E}", $value),
            (Notation::UpperExp, Some(precision)) => format!("{:.*E}", precision, $value),
            (_, None) => format!("{}", $value),
            (_, Some(precision)) => format!("{:.*}", precision, $value),
        }
    };
}

/// A number in parts, between which zeros may go.
struct Parts {
    negative: bool,
    prefix: &'static str,
    digits: String,
}

/// Adds a value as a spec says.
pub(super) fn write(text: &mut String, value: &Value, spec: &Spec) {
    match value {
        Value::Vector(lanes) => {
            text.push('[');
            for (position, lane) in lanes.iter().enumerate() {
                text.push_str(if position > 0 { ", " } else { "" });
                write(text, lane, spec);
            }
            text.push(']');
        }
        Value::Bool(value) => pad(text, if *value { "true" } else { "false" }, spec, Align::Left),
        Value::Int(kind, value) => {
            let raw = *value as u128 & (u128::MAX >> (128 - kind.bits()));
            let (prefix, digits) = match spec.notation {
                Notation::LowerHex => ("0x", format!("{raw:x}")),
                Notation::UpperHex => ("0x", format!("{raw:X}")),
                Notation::Binary => ("0b", format!("{raw:b}")),
                Notation::Octal => ("0o", format!("{raw:o}")),
                _ => ("", value.unsigned_abs().to_string()),
            };
            let negative = *value < 0 && !spec.notation.is_for_integers();
            number(text, Parts { negative, prefix, digits }, spec);
        }
        Value::F16(bits) => single(text, f16_to_f32(*bits), spec),
        Value::Bf16(bits) => single(text, bf16_to_f32(*bits), spec),
        Value::F32(value) => single(text, *value, spec),
        Value::F64(value) => float(text, digits!(value.abs(), spec), value.is_sign_negative(), value.is_nan(), spec),
        // Nothing else has the trait that the macros ask for.
        other => text.push_str(&other.ty().to_string()),
    }
}

fn single(text: &mut String, value: f32, spec: &Spec) {
    float(text, digits!(value.abs(), spec), value.is_sign_negative(), value.is_nan(), spec);
}

fn float(text: &mut String, digits: String, negative: bool, is_nan: bool, spec: &Spec) {
    // A NaN has no sign, not even one that is asked for.
    let spec = Spec { plus: spec.plus && !is_nan, ..*spec };
    number(text, Parts { negative: negative && !is_nan, prefix: "", digits }, &spec);
}

fn number(text: &mut String, parts: Parts, spec: &Spec) {
    let sign = match (parts.negative, spec.plus) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    };
    let prefix = if spec.prefix { parts.prefix } else { "" };
    if spec.zeros {
        let missing = spec.width.saturating_sub(sign.len() + prefix.len() + parts.digits.len());
        text.push_str(sign);
        text.push_str(prefix);
        text.extend(std::iter::repeat_n('0', missing));
        text.push_str(&parts.digits);
    } else {
        pad(text, &format!("{sign}{prefix}{}", parts.digits), spec, Align::Right);
    }
}

fn pad(text: &mut String, what: &str, spec: &Spec, align: Align) {
    let missing = spec.width.saturating_sub(what.chars().count());
    let before = match spec.align.unwrap_or(align) {
        Align::Left => 0,
        Align::Middle => missing / 2,
        Align::Right => missing,
    };
    let fill = spec.fill.unwrap_or(' ');
    text.extend(std::iter::repeat_n(fill, before));
    text.push_str(what);
    text.extend(std::iter::repeat_n(fill, missing - before));
}
