//! The tree's two text forms: the compact one that macros emit and the one that people read.

mod support;

use std::sync::Arc;

use support::*;
use syclone_kernel_ast::bound::BoundFunction;
use syclone_kernel_ast::builtins::NoBuiltins;
use syclone_kernel_ast::encode::{DecodeError, decode, encode};
use syclone_kernel_ast::interp::Kernel;
use syclone_kernel_ast::tree::*;

const KERNEL: &str = "fn gemm(item: NdItem<2>, a: View<f32, 2>, b: View<f32, 2>, c: ItemMut<f32, 2>) {
    let tile_a = local::<[[f32; 16]; 16]>();
    let (row, col) = (item.global_id(0), item.global_id(1));
    let mut sum: f32 = 0.0;
    'tiles: for t in (0..a.extent(1) / 16).rev().step_by(2) {
        tile_a[row % 16][col % 16] = a[[row, t * 16 + col]];
        item.barrier();
        if sum > 1e30 || !(col < 3) { break 'tiles; } else if row == 1 { continue; } else { sum *= -2.0; }
        for k in 0..=15usize { sum += tile_a[row % 16][k] * b[[k, col]]; }
    }
    let kind = match row as i32 { -1 | 0 => 1u8, n @ 2..=9 if n > 3 => n as u8, _ => { return; } };
    let _ = loop { break kind; };
    c[item] = sum + kind as f32;
}";

#[test]
fn a_kernel_prints_as_rust() {
    let expected = "#[kernel] // nd_range, 2-d
fn gemm(item: NdItem<2>, a: View<f32, 2>, b: View<f32, 2>, c: ItemMut<f32, 2>) {
    let tile_a = local::<[[f32; 16]; 16]>();
    let (row, col) = (item.global_id(0), item.global_id(1));
    let mut sum: f32 = 0.0;
    'tiles: for t in (0..a.extent(1) / 16).rev().step_by(2) {
        tile_a[row % 16][col % 16] = a[[row, t * 16 + col]];
        item.barrier();
        if sum > 1e30 || !(col < 3) {
            break 'tiles;
        } else if row == 1 {
            continue;
        } else {
            sum *= -2.0;
        }
        for k in 0..=15usize {
            sum += tile_a[row % 16][k] * b[[k, col]];
        }
    }
    let kind = match row as i32 {
        -1 | 0 => 1u8,
        n @ 2..=9 if n > 3 => n as u8,
        _ => {
            return;
        },
    };
    let _ = loop {
        break kind;
    };
    c[item] = sum + kind as f32;
}
";
    assert_eq!(bind(KERNEL).tree.to_string(), expected);
}

#[test]
fn operators_print_the_parentheses_that_their_tree_needs() {
    let body = |expr: &str| bind(&format!("device fn f(a: i32, b: i32, c: i32) -> i32 {{ {expr} }}")).tree.to_string();
    for expr in [
        "(a + b) * c",
        "a + b * c",
        "a - (b - c)",
        "a - b - c",
        "-(a + b)",
        "-a as u8 as i32",
        "(a + b) as i32",
        "(a < b) == (b < c)",
        "a & (b | c) ^ a",
        "(a << b) + c",
        "a << b + c",
        "!(a == b && b == c || a < c)",
        "(-a).abs()",
        "-a.abs()",
        "(a, b).0",
        "[a, b][1]",
        "(if a > b { a } else { b }) + c",
        "*(&a) + 1",
    ] {
        let printed = body(expr);
        let line = printed.lines().skip(2).map(str::trim).collect::<Vec<_>>().join(" ");
        let line = line.strip_suffix(" }").expect("the end of the body");
        let again = expr.replace("*(&a)", "*&a");
        assert_eq!(line, again);
    }
}

#[test]
fn encoding_and_decoding_give_the_same_tree() {
    let tree = &bind(KERNEL).tree;
    let text = encode(tree);
    assert_eq!(decode(&text).as_ref(), Ok(&**tree));
    assert!(text.chars().all(|c| !matches!(c, '\\' | '"' | '\n')), "{text}");
    assert!(text.len() < 1400, "{} bytes", text.len());
}

/// A tree whose body is one expression.
fn tree_of(kind: ExprKind) -> Function {
    let mut tree = (*bind("device fn f(a: i32) { }").tree).clone();
    tree.body.tail = Some(Box::new(Expr { kind, span: SpanId(0) }));
    tree
}

#[test]
fn every_literal_survives() {
    let ints = [0, 1, 31, 32, 1023, 1024, -1, -32, i128::MAX, i128::MIN, u64::MAX.into(), i64::MIN.into()];
    let ints = ints.map(|value| Lit::Int(value, "i64".into()));
    let floats = ["0.0", "1e-45", "340282350000000000000000000000000000000.0", ""]
        .map(|digits| Lit::Float(digits.into(), "f32".into()));
    let texts = ["é \"quoted\" \\ 'x'", "", "日本"].map(|text| Lit::Float("1".into(), text.into()));
    for lit in ints.into_iter().chain(floats).chain(texts).chain([Lit::Bool(true), Lit::Bool(false)]) {
        let tree = tree_of(ExprKind::Lit(lit));
        assert_eq!(decode(&encode(&tree)), Ok(tree));
    }
}

#[test]
fn a_damaged_text_is_an_error_and_never_a_panic() {
    let function = bind(KERNEL);
    let text = encode(&function.tree);
    for end in 0..text.len() {
        assert!(decode(&text[..end]).is_err(), "cut to {end} bytes");
    }
    assert_eq!(decode(&text[1..]), Err(DecodeError::Version));
    assert_eq!(decode(&format!("{text}0")), Err(DecodeError::Trailing { offset: text.len() }));
    // Every single character replaced by others: an error, or another tree.
    for at in 0..text.len() {
        for other in ["0", "5", "z", "-", " ", "W"] {
            let damaged = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            if let Ok(tree) = decode(&damaged) {
                let _ = tree.to_string();
                // Later stages refuse what makes no sense, each with an error of its own.
                let function = BoundFunction { tree: Arc::new(tree), ..(*function).clone() };
                let _ = Kernel::new(&Arc::new(function), &NoBuiltins);
            }
        }
    }
}

#[test]
fn indices_outside_of_their_tables_are_found() {
    let error = |kind: ExprKind| decode(&encode(&tree_of(kind))).unwrap_err();
    assert_eq!(error(ExprKind::Var(VarId(1))), DecodeError::Index { table: "vars", index: 1 });
    assert_eq!(error(ExprKind::Const(ConstId(0))), DecodeError::Index { table: "consts", index: 0 });
    assert_eq!(error(ExprKind::Call(CalleeId(3), Vec::new())), DecodeError::Index { table: "callees", index: 3 });
    assert_eq!(
        error(ExprKind::Builtin("local".into(), vec![TypeId(9)], Vec::new())),
        DecodeError::Index { table: "types", index: 9 }
    );
}

#[test]
fn nesting_beyond_the_limit_is_an_error() {
    let nested = |depth: usize| {
        let mut kind = ExprKind::Var(VarId(0));
        for _ in 0..depth {
            kind = ExprKind::Unary(UnaryOp::Not, Box::new(Expr { kind, span: SpanId(0) }));
        }
        tree_of(kind)
    };
    assert!(decode(&encode(&nested(100))).is_ok());
    assert_eq!(decode(&encode(&nested(400))), Err(DecodeError::TooDeep));
}

#[test]
fn the_deepest_tree_needs_no_more_than_an_ordinary_stack() {
    let depth = 280;
    let sum = format!("{}1{}", "(1 + ".repeat(depth), ")".repeat(depth));
    let text = format!("fn k(item: Item<1>, out: ItemMut<i32>) {{ out[item] = {sum}; }}");
    let big = std::thread::Builder::new().stack_size(64 << 20);
    // Only the tests' own parser needs the big one.
    let function = big.spawn(move || bind(&text)).unwrap().join().unwrap();
    let ordinary = std::thread::Builder::new().stack_size(2 << 20);
    let work = move || {
        assert_eq!(decode(&encode(&function.tree)).as_ref(), Ok(&*function.tree));
        let mut out = vec![0];
        run(&launch(&function, 1, 1, vec![row(&mut out)])).unwrap();
        out[0]
    };
    assert_eq!(ordinary.spawn(work).unwrap().join().unwrap(), 281);
}
