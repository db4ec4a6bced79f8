//! What to write instead of what the kernel language lacks.

/// Advice on a macro call.
pub fn for_macro(name: &str) -> String {
    let instead = match name {
        "println" | "print" | "eprintln" | "eprint" | "dbg" => "a kernel prints with `kprintln!`",
        "format" | "write" | "writeln" | "format_args" | "concat" | "stringify" => "strings do not exist on a device",
        "panic" | "todo" | "unimplemented" | "unreachable" => {
            "a kernel cannot panic: end its command with `kassert!(false, \"…\")`, or write an error value to a buffer and `return`"
        }
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
            "a kernel asserts with `kassert!`"
        }
        "vec" => "there is no heap on a device: write an array, `[value; N]`",
        "matches" => "write the `match` out: `match x { … => true, _ => false }`",
        "kernel" => "a kernel cannot launch kernels: submit both from the host",
        _ => "write what the macro stands for, or a `#[device_fn]`",
    };
    format!("the macro `{name}!` cannot be used in a kernel: {instead}")
}

/// Advice on a method that exists on the host only.
pub fn for_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "iter" | "iter_mut" | "into_iter" => {
            "iterators are not part of the kernel language: write `for i in 0..n` and index"
        }
        "collect" | "to_vec" => "there is no heap on a device: use an array `[value; N]` and index it",
        "to_string" | "to_owned" => "strings do not exist on a device",
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" => {
            "`Option` and `Result` do not exist on a device: compare and branch instead"
        }
        "checked_add" | "checked_sub" | "checked_mul" | "checked_div" | "checked_rem" | "checked_shl"
        | "checked_shr" | "checked_pow" | "checked_neg" => {
            "`Option` does not exist on a device: use the `wrapping_` or `saturating_` form, or compare first"
        }
        "clone" => "values are copied: leave `.clone()` out",
        "into" => "say the type: `f64::from(x)`, or `x as f64`",
        "try_into" => "say the type: `x as u32`",
        "as_ptr" | "as_mut_ptr" | "as_slice" | "as_mut_slice" | "get_unchecked" | "get_unchecked_mut" => {
            "pointers and slices are not part of the kernel language: index instead"
        }
        _ => return None,
    })
}

/// Advice on the methods of iterators, when called on a range.
pub fn for_range_method(name: &str) -> String {
    format!(
        "`.{name}()` on a range is not part of the kernel language: write a `for` loop; a range takes `.rev()` and `.step_by(n)`"
    )
}

/// Advice on a call of something that exists on the host only, by its path's segments. A longer path than the standard
/// library's is of the user's own.
pub fn for_path(segments: &[String]) -> Option<&'static str> {
    let last = segments.last().map(String::as_str).unwrap_or_default();
    let before = segments.len().checked_sub(2).map(|idx| segments[idx].as_str()).unwrap_or_default();
    Some(match (before, last) {
        ("" | "Option" | "Result", "Some" | "Ok" | "Err" | "None") => {
            "`Option` and `Result` hold data, which device enums do not: use a `bool` beside the value, or a special value"
        }
        ("Vec" | "Box" | "String" | "Rc" | "Arc", _) if segments.len() == 2 => {
            "there is no heap on a device: use an array `[value; N]`; a type of your own takes a longer path, such as `self::Box::new(x)`"
        }
        ("Default", "default") => "write the value out",
        ("mem", "swap" | "replace" | "take") => "write it with a variable: `let t = a; a = b; b = t;`",
        ("mem", _) => "use `to_bits`, `from_bits`, or constants from outside the kernel",
        ("cmp", "min" | "max") => "write `min(a, b)` or `max(a, b)`, or the method `a.min(b)`",
        _ if matches!(segments.first().map(String::as_str), Some("std" | "core" | "alloc")) && segments.len() > 1 => {
            "functions of the standard library are called as methods in a kernel, such as `x.sqrt()`; for others write a `#[device_fn]`"
        }
        _ => return None,
    })
}
