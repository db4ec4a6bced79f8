//! Each body here is compiled twice from the same tokens: by rustc, and into a tree that the interpreter runs. Both must
//! give the same values for every input.

mod support;

use std::sync::Arc;

use support::*;
use syclone_kernel_ast::bound::BoundFunction;
use syclone_kernel_ast::builtins::NoBuiltins;
use syclone_kernel_ast::encode::{decode, encode};
use syclone_kernel_ast::infer::infer;

/// Runs the body in both ways for all inputs.
macro_rules! same_as_rust {
    ($($(#[$meta:meta])* $name:ident: |$($arg:ident: $ty:ident),*| -> $ret:ident $body:block for [$($inputs:expr),* $(,)?];)*) => { $(
        $(#[$meta])*
        #[test]
        #[allow(clippy::all, unused, reason = "the bodies show constructs, not style")]
        fn $name() {
            fn body() -> Arc<BoundFunction> {
                bind(concat!("device fn body(", $(stringify!($arg), ": ", stringify!($ty), ", ",)* ") -> ", stringify!($ret), stringify!($body)))
            }
            fn native($($arg: $ty),*) -> $ret $body
            let names = Names { callees: vec![("body", body)], ..Names::default() };
            let text = concat!(
                "fn kernel(item: Item<1>, ", $(stringify!($arg), ": View<", stringify!($ty), ">, ",)* "out: ItemMut<", stringify!($ret),
                ">) { out[item] = body(", $(stringify!($arg), "[item], ",)* "); }"
            );
            let kernel = bind_with(text, &names);
            let tree = &body().tree;
            assert_eq!(decode(&encode(tree)).as_ref(), Ok(&**tree), "the encoded tree");
            let mut inputs = Vec::new();
            $(inputs.extend($inputs);)*
            // One column of bytes for each argument.
            let mut columns = vec![$((<$ty>::ty(), Vec::new())),*];
            let mut expected: Vec<$ret> = Vec::new();
            for &($($arg,)*) in &inputs {
                let values = [$($arg.value()),*];
                for (column, value) in columns.iter_mut().zip(values) {
                    column.1.extend(value.to_bytes());
                }
                expected.push(native($($arg),*));
            }
            let mut out = vec![<$ret>::default(); expected.len()];
            let mut args: Vec<_> = columns.iter_mut().map(|(ty, bytes)| bytes_row(ty, bytes)).collect();
            args.push(row(&mut out));
            run(&launch(&kernel, expected.len(), 1, args)).unwrap();
            let bits = |values: &[$ret]| values.iter().map(|x| x.value().to_bytes()).collect::<Vec<_>>();
            assert_eq!(bits(&out), bits(&expected), "{out:?} is not {expected:?}");
        }
    )* };
}

const SMALL: [(i32,); 9] = [(-7,), (-2,), (-1,), (0,), (1,), (2,), (3,), (10,), (1000,)];
const PAIRS: [(i32, i32); 8] = [(0, 1), (1, 0), (-5, 3), (7, -2), (100, 7), (-100, -7), (12, 12), (3, 31)];
const REALS: [(f32,); 9] = [(0.0,), (-0.0,), (1.0,), (-1.5,), (2.5,), (1e-30,), (3e9,), (f32::INFINITY,), (0.1,)];

same_as_rust! {
    arithmetic_of_integers: |a: i32, b: i32| -> i32 { (a + b) * (a - b) + a / (b * b + 1) - a % 7 } for [PAIRS];
    arithmetic_of_floats: |x: f32| -> f32 { (x + 1.5) * (x - 0.25) / (x * x + 3.0) % 1.25 - -x } for [REALS];
    bits_and_shifts: |a: i32, b: i32| -> i32 { (a & b) | (a ^ !b) ^ (a << 3) ^ (b >> 1) ^ (a >> 31) } for [PAIRS];
    shifts_take_amounts_of_another_type: |a: i32| -> i64 { let n = 5u8; ((a as i64) << n) ^ ((a as u32 >> 7usize) as i64) } for [SMALL];
    comparisons: |a: i32, b: i32| -> u32 {
        (a < b) as u32 + 2 * (a <= b) as u32 + 4 * (a > b) as u32 + 8 * (a >= b) as u32 + 16 * (a == b) as u32 + 32 * (a != b) as u32
    } for [PAIRS];
    comparisons_with_nan: |x: f32| -> u32 {
        let nan = f32::NAN;
        (x < nan) as u32 + 2 * (x >= nan) as u32 + 4 * (x == nan) as u32 + 8 * (x != nan) as u32 + 16 * (nan == nan) as u32
    } for [REALS];
    casts_between_integers: |a: i32| -> i64 { a as u8 as i64 + a as i8 as i64 * 3 + a as u16 as i64 * 5 + a as u64 as i64 } for [SMALL];
    casts_from_floats_saturate: |x: f32| -> i64 { x as u8 as i64 + x as i8 as i64 * 1000 + x as i32 as i64 + (x as u64 >> 1) as i64 / 3 } for [REALS];
    casts_to_floats: |a: i32| -> f64 { a as f32 as f64 + (a as f64) * 0.5 + (a as i64 * 1_000_003) as f32 as f64 } for [SMALL];
    casts_of_bools: |a: i32| -> i32 { (a > 2) as i32 * 7 + (a == 0) as u8 as i32 } for [SMALL];
    literals_default_to_i32_and_f64: |a: i32| -> i64 { let x = 7; let y = 0.1; (y * 1e10) as i64 + (x << 3) as i64 + a as i64 } for [SMALL];
    literals_take_the_type_that_a_later_use_gives_them: |a: i32| -> u64 {
        let mut sum = 0;
        let one = 1;
        for i in 0..5 { sum += one << i; }
        let wide: u64 = sum;
        wide + (a as u64) / 2
    } for [SMALL];
    a_literal_cast_is_of_the_cast_type: |a: i32| -> u32 { 3000000000 as u32 ^ (-1 as i64 as u32) ^ a as u32 } for [SMALL];
    hex_binary_and_suffixed_literals: |a: i32| -> u32 { 0xffu32 + 0b1010 + 1_000u32 + a as u32 } for [[(5i32,), (9,)]];
    the_smallest_integer_is_a_literal: |a: i32| -> i32 { if a > 0 { -2147483648 } else { -128i8 as i32 } } for [SMALL];
    unary_operators: |a: i32| -> i32 { -a + !a - -(!(-a)) + if !(a > 1) { 1 } else { 2 } } for [SMALL];
    short_circuit_leaves_the_right_side_alone: |a: i32| -> i32 {
        let mut count = 0;
        let x = a > 0 && { count += 1; a > 2 };
        let y = a > 0 || { count += 10; a < -1 };
        let z = x || y && { count += 100; true };
        count + x as i32 * 1000 + y as i32 * 2000 + z as i32 * 4000
    } for [SMALL];
    operands_are_read_left_to_right: |a: i32| -> i32 {
        let mut x = a;
        let left = x + { x = 5; x } * { x += 1; x };
        let pair = (x, { x = 9; x }, x);
        left + pair.0 * 10 + pair.1 * 100 + pair.2 * 1000
    } for [SMALL];
    an_assignment_evaluates_its_value_first: |a: i32| -> i32 {
        let mut i = 0usize;
        let mut v = [a, 2, 3, 4];
        v[{ i += 1; i }] = { i = 2; v[0] + 7 };
        v[{ i += 1; i - 4 }] += { i *= 2; i as i32 };
        v[0] + v[1] * 10 + v[2] * 100 + v[3] * 1000 + i as i32 * 100000
    } for [[(1i32,), (4,)]];
    shadowing_makes_a_new_variable: |a: i32| -> i32 {
        let x = a;
        let x = x * 2 + { let x = 3; x };
        { let x = x + 1; let x = x * x; if x > 100 { return x; } }
        x
    } for [SMALL];
    compound_assignment: |a: i32, b: i32| -> i32 {
        let mut x = a;
        x += b; x -= 3; x *= 2; x /= 3; x %= 17; x &= 0xff; x |= 64; x ^= b; x <<= 2; x >>= 1;
        x
    } for [PAIRS];
    if_else_chains_are_values: |a: i32| -> i32 { if a < -1 { 1 } else if a == 0 { 2 } else if a < 3 { let b = a * 7; b } else { 4 } } for [SMALL];
    matches_on_integers: |a: i32| -> i32 {
        match a { -7 => 1, 0 | 1 => 2, 2..=9 => 3, 10.. => 4, ..-3 => 5, _ => 6 }
    } for [SMALL];
    matches_with_bindings_and_guards: |a: i32, b: i32| -> i32 {
        match a { n if n == b => n * 2, n @ 0..=9 if b > 0 => n + b, n @ (7 | 100) => -n, n => n - b }
    } for [PAIRS];
    matches_on_tuples_and_bools: |a: i32, b: i32| -> i32 {
        match (a > 0, b, a % 2 == 0) { (true, 0, _) => 1, (true, n, true) => n, (false, n, even) => n * 10 + even as i32, _ => 99 }
    } for [PAIRS];
    matches_may_assign_the_matched_variable: |a: i32| -> i32 {
        let mut x = a;
        match x { 0 => x = 5, n if n > 2 => { x = 1; x += n; } _ => { x = 0; } }
        x
    } for [SMALL];
    for_loops_over_ranges: |a: i32| -> i32 {
        let mut sum = 0;
        for i in 0..a { sum = sum * 3 % 1009 + i; }
        for i in a..=3 { sum += i * 7; }
        for i in (-3..a).rev() { sum = (sum * 5 + i) % 1009; }
        sum
    } for [SMALL];
    steps_and_reversals_apply_in_order: |a: i32| -> i32 {
        let mut sum = 0;
        for i in (0..a).step_by(3).rev() { sum = (sum * 11 + i) % 10007; }
        for i in (0..a).rev().step_by(3) { sum = (sum * 11 + i) % 10007; }
        for i in (0..=a).step_by(4) { sum = (sum * 11 + i) % 10007; }
        for i in (-2..=2i16).rev().step_by(2).rev() { let i = i as i32; sum = (sum * 11 + i) % 10007; }
        sum
    } for [SMALL];
    ranges_reach_the_ends_of_their_type: |a: u8| -> u32 {
        let mut sum = 0u32;
        for i in a..=255 { sum += i as u32; }
        for i in (250..=u8::MAX).rev().step_by(2) { sum = sum * 3 + i as u32; }
        for i in (i8::MIN..i8::MAX).step_by(100) { sum = sum.wrapping_add(i as u32); }
        sum
    } for [[(0u8,), (200,), (255,)]];
    while_loops: |a: i32| -> i32 {
        let mut n = a;
        let mut steps = 0;
        while n > 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; steps += 1; if steps > 500 { break; } }
        steps
    } for [SMALL];
    loops_have_values: |a: i32| -> i32 {
        let mut i = 0;
        let found = loop { if i * i > a { break i; } i += 1; };
        let other = 'outer: loop { loop { i += 2; if i % 3 == 0 { break 'outer i * 10; } } };
        found + other
    } for [SMALL];
    labels_reach_outer_loops: |a: i32| -> i32 {
        let mut count = 0;
        'rows: for i in 0..10 {
            for j in 0..10 {
                if j > i { continue 'rows; }
                if i * j > a { break 'rows; }
                if (i + j) % 4 == 0 { continue; }
                count += i * 10 + j;
            }
        }
        count
    } for [SMALL];
    labelled_blocks_have_values: |a: i32| -> i32 {
        let x = 'block: { if a < 0 { break 'block -1; } if a > 5 { break 'block a * 2; } a + 100 };
        'unit: { if x > 3 { break 'unit; } return -5; }
        x
    } for [SMALL];
    continue_in_a_while_loop_tests_again: |a: i32| -> i32 {
        let mut i = 0;
        let mut sum = 0;
        while i < 20 { i += 1; if i % 3 == a.rem_euclid(3) { continue; } sum += i; }
        sum
    } for [SMALL];
    early_returns_leave_loops: |a: i32| -> i32 { for i in 0..100 { for j in 0..10 { if i * j == a { return i * 1000 + j; } } } -1 } for [SMALL];
    diverging_branches_have_any_type: |a: i32| -> i32 {
        let x = if a > 0 { a } else { return -a };
        let y = match x { 1 => 10, 2 => return 77, n => n };
        let z: i32 = loop { if y > 5 { break y; } else { return y + 1 } };
        z
    } for [SMALL];
    arrays_and_indices: |a: i32| -> i32 {
        let mut v = [0; 8];
        let w = [[1, 2, 3], [4, 5, 6]];
        for i in 0..8 { v[i] = w[i % 2][i % 3] * a; }
        v[3] += v[2];
        let copy = v;
        v[0] = 1000;
        copy[0] + v[0] + v[3] + w[1][2] + v.len() as i32
    } for [SMALL];
    nested_arrays_are_written_in_place: |a: i32| -> i32 {
        let mut m = [[[0i32; 2]; 3]; 4];
        for i in 0..4 { for j in 0..3 { for k in 0..2 { m[i][j][k] = a + (i * 6 + j * 2 + k) as i32; } } }
        m[1][2] = m[3][0];
        let mut sum = 0;
        for i in 0..4 { for j in 0..3 { for k in 0..2 { sum = (sum * 31 + m[i][j][k]) % 65521; } } }
        sum
    } for [SMALL];
    tuples: |a: i32, b: i32| -> i32 {
        let (x, mut y) = (a, b as i64);
        y += 1;
        let mut t = ((x, y as i32), [a, b], 2.5);
        t.0.1 += 5;
        t.1[0] = t.0.0 + t.0.1;
        let ((p, _), _) = ((t.1[0], 1), [0; 2]);
        p + t.1[1] + (t.2 * 2.0) as i32
    } for [PAIRS];
    equality_of_tuples_and_arrays: |a: i32, b: i32| -> u32 {
        ((a, b) == (b, a)) as u32 + 2 * ([a, b] != [1, 0]) as u32 + 4 * ((a, b) < (1, 2)) as u32 + 8 * ((0.5, a) >= (0.5, b)) as u32
    } for [PAIRS];
    unit_values: |a: i32| -> i32 { let u = (); let x = { let _ = a; u }; if x == () { a } else { 0 } } for [SMALL];
    methods_of_integers: |a: i32, b: i32| -> i32 {
        a.abs().min(b.max(3)).clamp(-5, 50) + a.signum() * 3 + a.rem_euclid(7) + a.wrapping_mul(b) + a.saturating_sub(b)
            + a.abs_diff(b) as i32 + a.pow(2) + a.count_ones() as i32 + a.leading_zeros() as i32 + b.trailing_zeros() as i32
            + a.rotate_left(5).wrapping_add(b.swap_bytes()).wrapping_sub(a.reverse_bits()) / 2
    } for [PAIRS];
    methods_of_unsigned_integers: |a: u8| -> u32 {
        a.next_power_of_two() as u32 + (a.is_power_of_two() as u32) * 1000 + a.div_ceil(3) as u32 * 7 + a.rotate_right(3) as u32
            + a.leading_ones() * 11 + a.isqrt() as u32 + a.next_multiple_of(5) as u32 + a.wrapping_shl(9) as u32 + a.saturating_add(200) as u32
    } for [[(0u8,), (1,), (77,), (128,), (100,)]];
    methods_of_floats: |x: f32| -> f32 {
        x.abs().sqrt() + x.floor() - x.ceil() * 0.5 + x.round() + x.trunc() * x.fract() + x.signum() + x.mul_add(2.0, 1.0)
            + x.max(0.5).min(4.0).ln() + x.clamp(-1.0, 1.0).sin() + x.powi(2).recip() + x.copysign(-1.0) + x.atan2(2.0) + x.hypot(3.0)
    } for [REALS];
    predicates_of_floats: |x: f32| -> u32 {
        x.is_nan() as u32 + 2 * x.is_finite() as u32 + 4 * x.is_infinite() as u32 + 8 * x.is_sign_negative() as u32 + x.to_bits() / 16
    } for [REALS];
    functions_by_path: |x: f32| -> f32 { f32::max(x, 0.0) + f32::from_bits(0x40490fdb) + f32::mul_add(x, 2.0, 1.0) + f32::from(3u8) } for [REALS];
    consts_of_the_language: |a: i32| -> i64 { i32::MAX as i64 + u8::MAX as i64 + i64::MIN / 4 + a as i64 } for [SMALL];
    scalars_of_every_width: |a: i32| -> u64 {
        let b = a as i8; let c = a as u16; let d = a as i16; let e = a as u32; let f = a as usize; let g = a as f64;
        (b.wrapping_add(100) as u64) ^ (c.wrapping_mul(3) as u64) ^ (d as u64) ^ (e / 3) as u64 ^ (f >> 3) as u64 ^ (g * g) as u64
    } for [SMALL];
    bits_of_bools: |a: i32| -> bool { let x = a > 1; let y = a < 5; (x & y) | (x ^ true) & !y } for [SMALL];
    names_reused_in_inner_scopes: |a: i32| -> i32 {
        let mut total = 0;
        for i in 0..3 { let a = a + i; for i in 0..2 { total += a * i; } total += i; }
        total + a
    } for [SMALL];
}

#[test]
fn every_body_prints_as_text_that_parses_to_the_same_tree() {
    let text = "device fn f(a: i32, mut b: f32) -> i32 {
        let (x, mut y): (i32, f32) = (a, b);
        let mut v = [[0; 4]; 2];
        'outer: for i in (0..10).rev().step_by(2) {
            if i > 3 && !(a == 2) || a < -1 { continue 'outer; } else if a == 9 { break; } else { y += 1.5f32; }
            v[0][i as usize] += (a + 3) * -x << 2;
            loop { break 'outer; }
        }
        while b < 3.0 { b = b * 2.0 - (1.0 - b); }
        let w = match x { 0 | 1 => 5, n @ 2..=7 if n > a => n, -3 => { x } _ => return 4 };
        w + 'l: { if a > 0 { break 'l 3; } v[1][2] } + (a, b).0.max(7) + min(a, 2)
    }";
    let first = bind(text);
    let printed = first.tree.to_string();
    let again = bind(&printed.replace("#[device_fn]\nfn", "device fn"));
    let shape = |printed: String| printed;
    assert_eq!(shape(again.tree.to_string()), printed);
    assert!(infer(&first, &NoBuiltins).is_ok(), "{:?}", infer(&first, &NoBuiltins).err());
}
