//! The names of methods that every device has.
//!
//! The macro cannot see types. A method with one of these names is called as written; any other belongs to a device
//! struct or trait and is called through its hidden device form, which a plain Rust method does not have: that is
//! how rustc refuses methods without `#[device_fn]` at the user's own token. A device method that shares a name with
//! a built-in one works all the same, since its plain form calls the device form.

/// Whether a method of this name is built in.
pub fn is_builtin_method(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok() || is_swizzle(name)
}

/// Whether a built-in method panics for some numbers or vectors, and not always with the line of its call.
pub fn may_panic(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "clamp"
            | "div_ceil"
            | "div_euclid"
            | "isqrt"
            | "next_multiple_of"
            | "next_power_of_two"
            | "pow"
            | "rem_euclid"
            | "saturating_div"
            | "wrapping_div"
            | "wrapping_rem"
    )
}

/// `xy`, `zyxw`, `s0` … `sF`.
fn is_swizzle(name: &str) -> bool {
    let lanes = (2..=4).contains(&name.len()) && name.bytes().all(|b| b"xyzw".contains(&b));
    let numbered = name.len() == 2 && name.starts_with('s') && name.as_bytes()[1].is_ascii_hexdigit();
    lanes || numbered
}

/// Sorted.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "abs", "abs_diff", "acos", "acosh", "acospi", "add_sat", "all", "any", "asin", "asinh", "asinpi", "atan", "atan2",
    "atan2pi", "atanh", "atanpi", "bitselect", "cbrt", "ceil", "clamp", "clone", "clz", "combine", "compare_exchange",
    "convert", "copysign", "cos", "cosh", "cospi", "count", "count_ones", "count_zeros", "cross", "ctz", "distance",
    "div_ceil", "div_euclid", "dot", "erf", "erfc", "even", "exchange", "exp", "exp10", "exp2", "exp_m1", "extent",
    "fast_distance", "fast_length", "fast_normalize", "fdim", "fetch_add", "fetch_and", "fetch_max", "fetch_min",
    "fetch_or", "fetch_sub", "fetch_xor", "floor", "floor_fract", "fmod", "fract", "frexp", "gather", "get",
    "global_id", "global_linear_id", "global_range", "greater", "group", "group_id", "group_linear_id", "group_range",
    "hadd", "hi", "hypot", "id", "ilogb", "is_finite", "is_infinite", "is_less_greater", "is_nan", "is_negative",
    "is_normal", "is_ordered", "is_positive", "is_power_of_two", "is_sign_negative", "is_sign_positive",
    "is_subnormal", "is_unordered", "isqrt", "lanes_eq", "lanes_ge", "lanes_gt", "lanes_le", "lanes_lt", "lanes_ne",
    "ldexp", "leading_ones", "leading_zeros", "len", "length", "lesser", "lgamma", "lgamma_r", "limited", "linear_id",
    "ln", "ln_1p", "lo", "load", "load_vector", "local_id", "local_linear_id", "local_range", "log", "log10", "log2",
    "logb", "mad", "mad24", "mad_hi", "mad_sat", "magnitude", "max", "max_size", "maxmag", "midpoint", "min",
    "minmag", "mix", "modf", "mul24", "mul_add", "mul_hi", "next_multiple_of", "next_power_of_two", "nextafter",
    "normalize", "odd", "order", "overflowing_add", "overflowing_mul", "overflowing_sub", "popcount", "pow", "powf",
    "powi", "powr", "range", "recip", "rem_euclid", "remainder", "remquo", "reverse_bits", "rhadd", "rint", "rootn",
    "rotate", "rotate_left", "rotate_right", "round", "round_ties_even", "rsqrt", "saturating_abs", "saturating_add",
    "saturating_div", "saturating_mul", "saturating_neg", "saturating_pow", "saturating_sub", "scope", "select",
    "sign", "signum", "sin", "sin_cos", "sinh", "sinpi", "size", "smoothstep", "span", "sqrt", "step", "store",
    "store_vector", "sub_group", "sub_sat", "sum", "swap_bytes", "swizzle2", "swizzle3", "swizzle4", "tan", "tanh",
    "tanpi", "tgamma", "to_array", "to_bits", "to_degrees", "to_f32", "to_f64", "to_radians", "trailing_ones",
    "trailing_zeros", "trunc", "unsigned_abs", "upsample", "w", "with", "wrapping_abs", "wrapping_add",
    "wrapping_div", "wrapping_mul", "wrapping_neg", "wrapping_pow", "wrapping_rem", "wrapping_shl", "wrapping_shr",
    "wrapping_sub", "x", "y", "z",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_the_search() {
        assert!(NAMES.is_sorted());
    }
}
