//! The methods of the float types, as the standard library computes them.

use super::Outcome;
use crate::types::IntKind;
use crate::value::Value;

macro_rules! float_methods {
    ($function:ident, $float:ident, $variant:ident, $bits:ident) => {
        /// A method of the type; the receiver is the first argument.
        pub(super) fn $function(name: &str, args: &[Value]) -> Outcome {
            let get = |position: usize| match args.get(position) {
                Some(Value::$variant(value)) => Some(*value),
                _ => None,
            };
            let Some(x) = get(0) else {
                return Outcome::Unsupported;
            };
            let same = |value: $float| Outcome::Value(Value::$variant(value));
            let boolean = |value: bool| Outcome::Value(Value::Bool(value));
            match (name, get(1), get(2)) {
                ("clamp", Some(low), Some(high)) => {
                    let above = if x < low { low } else { x };
                    let value = Value::$variant(if above > high { high } else { above });
                    // Neither are they in order if one is NaN.
                    let ordered = low <= high;
                    return if ordered { Outcome::Value(value) } else { Outcome::ClampBounds(value) };
                }
                ("mul_add", Some(y), Some(z)) => return same(x.mul_add(y, z)),
                _ => {}
            }
            if let Some(y) = get(1) {
                return same(match name {
                    "min" => x.min(y),
                    "max" => x.max(y),
                    "powf" => x.powf(y),
                    "atan2" => x.atan2(y),
                    "hypot" => x.hypot(y),
                    "copysign" => x.copysign(y),
                    "rem_euclid" => x.rem_euclid(y),
                    "div_euclid" => x.div_euclid(y),
                    "log" => x.log(y),
                    _ => return Outcome::Unsupported,
                });
            }
            if let ("powi", Some(Value::Int(IntKind::I32, power))) = (name, args.get(1)) {
                return same(x.powi(*power as i32));
            }
            same(match name {
                "abs" => x.abs(),
                "signum" => x.signum(),
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
                "floor" => x.floor(),
                "ceil" => x.ceil(),
                "round" => x.round(),
                "round_ties_even" => x.round_ties_even(),
                "trunc" => x.trunc(),
                "fract" => x.fract(),
                "recip" => x.recip(),
                "to_degrees" => x.to_degrees(),
                "to_radians" => x.to_radians(),
                "is_nan" => return boolean(x.is_nan()),
                "is_infinite" => return boolean(x.is_infinite()),
                "is_finite" => return boolean(x.is_finite()),
                "is_normal" => return boolean(x.is_normal()),
                "is_subnormal" => return boolean(x.is_subnormal()),
                "is_sign_negative" => return boolean(x.is_sign_negative()),
                "is_sign_positive" => return boolean(x.is_sign_positive()),
                "to_bits" => return Outcome::Value(Value::Int(IntKind::$bits, i128::from(x.to_bits()))),
                "sin_cos" => {
                    let (sin, cos) = x.sin_cos();
                    return Outcome::Value(Value::Tuple(vec![Value::$variant(sin), Value::$variant(cos)]));
                }
                _ => return Outcome::Unsupported,
            })
        }
    };
}

float_methods!(method_f32, f32, F32, U32);
float_methods!(method_f64, f64, F64, U64);
