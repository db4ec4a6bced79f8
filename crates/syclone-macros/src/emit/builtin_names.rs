//! The names of methods that every device has.
//!
//! The macro cannot see types. A method with one of these names is called as written; any other belongs to a device
//! struct or trait and is called through its hidden device form, which a plain Rust method does not have: that is
//! how rustc refuses methods without `#[device_fn]` at the user's own token. A device method that shares a name with
//! a built-in one works all the same, since its plain form calls the device form; a plain one is refused by a
//! [check](super::printer) where the receiver is not known to have the built-in one.

/// Whether a method of this name is built in.
pub fn is_builtin_method(name: &str) -> bool {
    name == "clone" || Group::of(name).is_some()
}

/// What has the built-in method of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    Floats,
    Integers,
    Numbers,
    Vectors,
    Memory,
    Items,
}

impl Group {
    /// The group of a method; none of `clone`, which all values have.
    pub fn of(name: &str) -> Option<Group> {
        if is_swizzle(name) {
            return Some(Group::Vectors);
        }
        let is_in = |names: &[&str]| names.binary_search(&name).is_ok();
        GROUPS.iter().find(|(_, names)| is_in(names)).map(|(group, _)| *group)
    }

    /// The library's trait of the types in the group.
    pub fn trait_name(self) -> &'static str {
        match self {
            Group::Floats => "Floats",
            Group::Integers => "Integers",
            Group::Numbers => "Numbers",
            Group::Vectors => "Vectors",
            Group::Memory => "Memory",
            Group::Items => "Items",
        }
    }
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

/// Each name in one group, sorted.
const GROUPS: &[(Group, &[&str])] = &[
    (Group::Floats, OF_FLOATS),
    (Group::Integers, OF_INTEGERS),
    (Group::Numbers, OF_NUMBERS),
    (Group::Vectors, OF_VECTORS),
    (Group::Memory, OF_MEMORY),
    (Group::Items, OF_ITEMS),
];

/// Of floats, and of vectors of them.
#[rustfmt::skip]
const OF_FLOATS: &[&str] = &[
    "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi", "cbrt", "ceil",
    "copysign", "cos", "cosh", "cospi", "cross", "distance", "dot", "erf", "erfc", "exp", "exp10", "exp2", "exp_m1",
    "fast_distance", "fast_length", "fast_normalize", "fdim", "floor", "floor_fract", "fmod", "fract", "frexp", "hypot",
    "ilogb", "is_finite", "is_infinite", "is_less_greater", "is_nan", "is_normal", "is_ordered", "is_sign_negative",
    "is_sign_positive", "is_subnormal", "is_unordered", "ldexp", "length", "lgamma", "lgamma_r", "ln", "ln_1p", "log",
    "log10", "log2", "logb", "mad", "maxmag", "minmag", "mix", "modf", "mul_add", "nextafter", "normalize", "powf",
    "powi", "powr", "recip", "remainder", "remquo", "rint", "rootn", "round", "round_ties_even", "rsqrt", "sign", "sin",
    "sin_cos", "sinh", "sinpi", "smoothstep", "sqrt", "step", "tan", "tanh", "tanpi", "tgamma", "to_bits", "to_degrees",
    "to_radians", "trunc",
];

/// Of integers, and of vectors of them.
#[rustfmt::skip]
const OF_INTEGERS: &[&str] = &[
    "abs_diff", "add_sat", "clz", "count_ones", "count_zeros", "ctz", "div_ceil", "hadd", "is_negative", "is_positive",
    "is_power_of_two", "isqrt", "leading_ones", "leading_zeros", "mad24", "mad_hi", "mad_sat", "midpoint", "mul24",
    "mul_hi", "next_multiple_of", "next_power_of_two", "overflowing_add", "overflowing_mul", "overflowing_sub",
    "popcount", "pow", "reverse_bits", "rhadd", "rotate", "rotate_left", "rotate_right", "saturating_abs",
    "saturating_add", "saturating_div", "saturating_mul", "saturating_neg", "saturating_pow", "saturating_sub",
    "sub_sat", "swap_bytes", "trailing_ones", "trailing_zeros", "unsigned_abs", "upsample", "wrapping_abs",
    "wrapping_add", "wrapping_div", "wrapping_mul", "wrapping_neg", "wrapping_pow", "wrapping_rem", "wrapping_shl",
    "wrapping_shr", "wrapping_sub",
];

/// Of all numbers.
#[rustfmt::skip]
const OF_NUMBERS: &[&str] = &[
    "abs", "bitselect", "clamp", "convert", "div_euclid", "greater", "lesser", "limited", "magnitude", "max", "min", "rem_euclid",
    "signum", "to_f32", "to_f64",
];

/// Of vectors alone; swizzles are too.
#[rustfmt::skip]
const OF_VECTORS: &[&str] = &[
    "all", "any", "even", "gather", "get", "hi", "lanes_eq", "lanes_ge", "lanes_gt", "lanes_le", "lanes_lt",
    "lanes_ne", "lo", "odd", "select", "sum", "swizzle2", "swizzle3", "swizzle4", "to_array", "w", "with", "x", "y",
    "z",
];

/// Of handles to memory, of what they give, and of arrays.
#[rustfmt::skip]
const OF_MEMORY: &[&str] = &[
    "combine", "compare_exchange", "exchange", "extent", "fetch_add", "fetch_and", "fetch_max", "fetch_min", "fetch_or",
    "fetch_sub", "fetch_xor", "len", "load", "load_vector", "order", "scope", "span", "store", "store_vector",
];

/// Of items, groups and sub-groups.
#[rustfmt::skip]
const OF_ITEMS: &[&str] = &[
    "count", "global_id", "global_linear_id", "global_range", "group", "group_id", "group_linear_id", "group_range",
    "id", "linear_id", "local_id", "local_linear_id", "local_range", "max_size", "range", "size", "sub_group",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_lists_are_sorted_for_the_search_and_no_name_is_in_two() {
        let mut seen = BTreeSet::new();
        for (group, names) in GROUPS {
            assert!(names.is_sorted(), "{group:?}");
            for name in *names {
                assert!(seen.insert(name), "{name}");
                assert_eq!(Group::of(name), Some(*group), "{name}");
            }
        }
    }
}
