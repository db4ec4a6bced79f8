//! Types of variables that rustc would give, errors as values, and recursion found out.

mod support;

use std::sync::Arc;

use support::*;
use syclone_kernel_ast::bound::{BoundFunction, BoundMethod};
use syclone_kernel_ast::builtins::{Builtins, NoBuiltins};
use syclone_kernel_ast::infer::{InferErrorKind, Program, infer};
use syclone_kernel_ast::types::{BindFn, EnumType, Field, IntKind, StructType, Type};
use syclone_kernel_ast::value::Value;

fn types_of(text: &str, names: &Names) -> Vec<String> {
    let program = infer(&bind_with(text, names), &NoBuiltins).unwrap_or_else(|error| panic!("{error}"));
    shown(&program)
}

fn shown(program: &Program) -> Vec<String> {
    let typed = &program.functions[0];
    let named = typed.tree().vars.iter().zip(&typed.vars);
    named.map(|(variable, ty)| format!("{}: {ty}", variable.name)).collect()
}

/// The types of the variables after the parameters.
fn locals(body: &str) -> Vec<String> {
    let text = format!("device fn f(a: i32, x: f32, n: usize) {{ {body} }}");
    types_of(&text, &Names::default()).split_off(3)
}

#[test]
fn literals_default_only_when_nothing_determines_them() {
    assert_eq!(
        locals("let i = 1; let y = 0.5; let z = (1, 2.0, true); let v = [0; 3];"),
        ["i: i32", "y: f64", "z: (i32, f64, bool)", "v: [i32; 3]"]
    );
    assert_eq!(
        locals("let i = 1; let y = 0.5; let z = n + i; let w = x * y;"),
        ["i: usize", "y: f32", "z: usize", "w: f32"]
    );
}

#[test]
fn a_later_use_determines_an_earlier_literal() {
    assert_eq!(
        locals(
            "let mut sum = 0.0; let k = 3; for i in 0..4 { sum += x; let w = [1.0f64; 8]; let q = w[i]; let r = w[k]; }"
        ),
        ["sum: f32", "k: usize", "i: usize", "w: [f64; 8]", "q: f64", "r: f64"]
    );
}

#[test]
fn shifts_keep_the_types_of_their_sides_apart() {
    assert_eq!(
        locals("let s = 3u8; let y = a << s; let t = 1; let z = n >> t; let one = 1; let w: u64 = one << t;"),
        ["s: u8", "y: i32", "t: i32", "z: usize", "one: u64", "w: u64"]
    );
}

#[test]
fn operators_wait_for_a_type_that_comes_later() {
    assert_eq!(
        locals("let mut best = -1; let two = 2; let m = best * two + 1; if best < a { best = a; }"),
        ["best: i32", "two: i32", "m: i32"]
    );
    assert_eq!(locals("let p = 1.5; let q = p * 2.0 - 1.0; let r: f32 = q / 3.0;"), ["p: f32", "q: f32", "r: f32"]);
}

#[test]
fn casts_do_not_determine_what_they_cast() {
    assert_eq!(
        locals("let i = 7; let y = i as f32; let z = 3 as u8; let w = -1 as i64;"),
        ["i: i32", "y: f32", "z: u8", "w: i64"]
    );
}

#[test]
fn methods_give_literals_the_type_of_their_receiver() {
    assert_eq!(
        locals(
            "let lo = 0.0; let y = x.max(lo).clamp(-1.0, 1.0); let c = a.count_ones(); let d = a.abs_diff(3); let e = min(1.0, x);"
        ),
        ["lo: f32", "y: f32", "c: u32", "d: u32", "e: f32"]
    );
}

#[test]
fn branches_that_end_elsewhere_do_not_count() {
    assert_eq!(
        locals(
            "let y = if a > 0 { x } else { return }; let z = match a { 0 => return, 1 => 2.5, _ => y }; let w = loop { break 3u8; };"
        ),
        ["y: f32", "z: f32", "w: u8"]
    );
}

#[test]
fn open_types_in_annotations_are_filled_in() {
    assert_eq!(
        locals("let v: _ = 3u16; let w: [_; 2] = [v, 4]; let (p, q): (_, f64) = (x, 1.0);"),
        ["v: u16", "w: [u16; 2]", "p: f32", "q: f64"]
    );
}

#[test]
fn vectors_and_scalars_mix() {
    let body = "let v = Vector::new([x, 1.0, 2.0, 3.0]); let w = v * 2.0 + v; let s = 0.5; let u = s * v; let y = v.x + w.w; let h = v.lo();
        let c = v.convert::<i32>(); let sh = c << 1; let m = v.lanes_lt(w); let t = v.zyx(); let sp: Vector<f64, 2> = Vector::splat(1.0); let g = v[2];
        let fa: Vector<f32, 2> = Vector::from([1.0, 2.0]);";
    assert_eq!(
        locals(body),
        [
            "v: Vector<f32, 4>",
            "w: Vector<f32, 4>",
            "s: f32",
            "u: Vector<f32, 4>",
            "y: f32",
            "h: Vector<f32, 2>",
            "c: Vector<i32, 4>",
            "sh: Vector<i32, 4>",
            "m: Vector<bool, 4>",
            "t: Vector<f32, 3>",
            "sp: Vector<f64, 2>",
            "g: f32",
            "fa: Vector<f32, 2>"
        ]
    );
}

#[test]
fn handles_give_the_types_of_their_elements() {
    let text = "fn k(item: NdItem<2>, v: View<f32, 2>, o: ScatterMut<i64>, c: AtomicView<u32>, l: LocalAccessor<f64>, s: Spec<u16>) {
        let tile = local::<[[f32; 8]; 4]>();
        let (r, q) = (item.global_id(0), item.local_linear_id());
        let e = v[[r, 3]]; let f = tile[1][q]; let row = tile[2]; let g = item.group(); let sg = item.sub_group();
        let sum = g.reduce(e, Plus); let b = sg.ballot(sum > 1.0); let w = sg.shuffle_xor(q, 1);
        let old = c.atomic(0).order(Order::Relaxed).fetch_add(1); let ce = c.atomic(1).compare_exchange(0, 5);
        let at = l[q]; let spec = s.get(); let ext = v.extent(1); let len = o.len();
        o[0] = 3; let part = o.span(1, 2); let js = g.joint_reduce(part, Maximum);
    }";
    assert_eq!(
        types_of(text, &Names::default()).split_off(6),
        [
            "tile: Local<[[f32; 8]; 4]>",
            "r: usize",
            "q: usize",
            "e: f32",
            "f: f32",
            "row: [f32; 8]",
            "g: Group<2>",
            "sg: SubGroup",
            "sum: f32",
            "b: u32",
            "w: usize",
            "old: u32",
            "ce: (u32, bool)",
            "at: f64",
            "spec: u16",
            "ext: usize",
            "len: usize",
            "part: Span<i64>",
            "js: i64"
        ]
    );
}

fn length() -> Arc<BoundFunction> {
    bind_with("device fn length(p: &Point, by: f32) -> f32 { (p.x * p.x + p.y * p.y) * by }", &point_names(false))
}

fn point(methods: bool) -> Type {
    Type::Struct(Arc::new(StructType {
        name: "Point",
        path: "Point",
        size: 12,
        align: 4,
        fields: vec![
            Field { name: "x", ty: Type::F32, offset: 4 },
            Field { name: "y", ty: Type::F32, offset: 0 },
            Field { name: "tags", ty: Type::Array(Box::new(Type::Int(IntKind::U8)), 3), offset: 8 },
        ],
        tuple: false,
        methods: if methods { vec![("length", length)] } else { Vec::new() },
        comparison: Default::default(),
    }))
}

fn point_names(methods: bool) -> Names {
    Names { types: vec![("Point", point(methods))], ..Names::default() }
}

#[test]
fn structs_have_fields_and_methods() {
    let text = "device fn f() { let p = Point { x: 1.0, y: 2.0, tags: [1, 2, 3] }; let l = p.length(2.0); let t = p.tags[0]; }";
    assert_eq!(types_of(text, &point_names(true)), ["p: Point", "l: f32", "t: u8"]);
}

fn twice() -> Arc<BoundFunction> {
    bind("device fn twice(x: f32) -> f64 { x as f64 * 2.0 }")
}

#[test]
fn methods_of_trait_bounds_are_found_by_receiver() {
    let methods = vec![BoundMethod { ty: Type::F32, name: "twice", function: twice }];
    let names = Names { methods, callees: vec![("twice", twice)], ..Names::default() };
    let text = "device fn f(x: f32) { let y = x.twice(); let z = twice(1.0); }";
    assert_eq!(types_of(text, &names), ["x: f32", "y: f64", "z: f64"]);
}

fn halved() -> [BoundMethod; 3] {
    let f64s: BindFn = || bind("device fn halved(x: f32, by: f64) -> f64 { by }");
    let f32s: BindFn = || bind("device fn halved(x: f32, by: f32) -> f32 { by }");
    let counts: BindFn = || bind("device fn halved(x: f32, by: f32) -> u32 { 1 }");
    [f64s, f32s, counts].map(|function| BoundMethod { ty: Type::F32, name: "halved", function })
}

#[test]
fn arguments_and_results_choose_among_methods_of_one_name() {
    let names = |from| Names { methods: halved()[from..].to_vec(), ..Names::default() };
    let text =
        "device fn f(x: f32, y: f64) { let a: u32 = x.halved(0.5); let b = x.halved(y); let c: f32 = x.halved(x); }";
    assert_eq!(types_of(text, &names(0)), ["x: f32", "y: f64", "a: u32", "b: f64", "c: f32"]);
    let twice = Names { methods: [&halved()[..2], &halved()[..2]].concat(), ..Names::default() };
    // A literal has its default where nothing else chooses; a method that is listed twice is one.
    assert_eq!(types_of("device fn f(x: f32) { let a = x.halved(0.5); }", &twice), ["x: f32", "a: f64"]);
    let error = infer(&bind_with("device fn f(x: f32) { let a = x.halved(x); }", &names(1)), &NoBuiltins).unwrap_err();
    assert_eq!(error.kind, InferErrorKind::SeveralMethods { ty: Type::F32, name: "halved".into() });
}

#[test]
fn enums_are_values_and_patterns() {
    let ty = Arc::new(EnumType {
        name: "Mode",
        path: "Mode",
        repr: IntKind::U8,
        variants: vec![("A", 3), ("B", 7)],
        methods: Vec::new(),
        comparison: Default::default(),
    });
    let consts = vec![("Mode::A", Value::Enum(ty.clone(), 0).into()), ("Mode::B", Value::Enum(ty.clone(), 1).into())];
    let names = Names { types: vec![("Mode", Type::Enum(ty))], consts, ..Names::default() };
    let text = "device fn f(m: Mode) -> i32 { let d = m as i32; let s = m == Mode::A; match m { Mode::A => d, Mode::B => 2 } }";
    assert_eq!(types_of(text, &names), ["m: Mode", "d: i32", "s: bool"]);
}

struct Mix;

impl Builtins for Mix {
    fn result_type(&self, name: &str, args: &[Type]) -> Option<Type> {
        match (name, args) {
            ("mix", [a, b, c]) if a == b && b == c => Some(a.clone()),
            ("ldexp", [a, Type::Int(IntKind::I32)]) => Some(a.clone()),
            _ => None,
        }
    }

    fn call(&self, _name: &str, _args: &[Value]) -> Option<Value> {
        None
    }
}

#[test]
fn lent_functions_see_literals_with_the_receivers_type() {
    let function = bind("device fn f(x: f32) { let y = x.mix(2.0, 0.5); let z = x.ldexp(3); }");
    assert_eq!(shown(&infer(&function, &Mix).unwrap()), ["x: f32", "y: f32", "z: f32"]);
}

fn ping() -> Arc<BoundFunction> {
    bind_with("device fn ping(n: i32) -> i32 { pong(n) }", &Names { callees: vec![("pong", pong)], ..Names::default() })
}

fn pong() -> Arc<BoundFunction> {
    bind_with(
        "device fn pong(n: i32) -> i32 { if n > 0 { ping(n - 1) } else { 0 } }",
        &Names { callees: vec![("ping", ping)], ..Names::default() },
    )
}

#[test]
fn recursion_is_an_error_that_names_the_cycle() {
    let names = Names { callees: vec![("ping", ping)], ..Names::default() };
    let error = infer(&bind_with("device fn f(n: i32) -> i32 { ping(n) }", &names), &NoBuiltins).unwrap_err();
    assert_eq!(error.kind, InferErrorKind::Recursion { cycle: ["ping", "pong", "ping"].map(String::from).to_vec() });
    assert!(error.to_string().contains("ping -> pong -> ping"), "{error}");
}

#[test]
fn what_cannot_be_typed_is_an_error_value() {
    let kind = |text: &str| infer(&bind(text), &NoBuiltins).unwrap_err().kind;
    assert_eq!(
        kind("device fn f(x: f32) { let y: i32 = x; }"),
        InferErrorKind::Mismatch { expected: Type::I32, found: Type::F32 }
    );
    assert_eq!(
        kind("device fn f(x: f32) { x.nope(); }"),
        InferErrorKind::NoMethod { ty: Type::F32, name: "nope".into() }
    );
    assert_eq!(kind("device fn f(x: f32) { x.y; }"), InferErrorKind::NoField { ty: Type::F32, name: "y".into() });
    assert!(matches!(kind("device fn f(x: f32) { x[0]; }"), InferErrorKind::NoOperation { .. }));
    assert!(matches!(kind("device fn f() { let v = Vector::splat(1.0); }"), InferErrorKind::Ambiguous { .. }));
    assert!(matches!(kind("device fn f(x: f32) { x.max(1.0, 2.0); }"), InferErrorKind::Arguments { .. }));
}

#[test]
fn the_greater_of_two_literals_takes_its_type_from_what_surrounds_it() {
    let text = "fn k(item: Item<1>, x: View<u64>, out: ItemMut<u64>) {
        let large = if x[item] > 3 { max(6, 4) } else { x[item] };
        out[item] = min(1, 2) + large;
    }";
    let (mut x, mut out) = (vec![1u64, 9], vec![0u64; 2]);
    run_text(text, 2, 1, vec![row(&mut x), row(&mut out)]).unwrap();
    assert_eq!(out, [2, 7]);
}

#[test]
fn a_method_of_a_literal_takes_its_type_from_its_arguments_and_what_surrounds_it() {
    let text = "fn k(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
        let mut five = 5;
        let sum = five.wrapping_add(x[item]);
        five = 7;
        let y: f32 = 2.25.sqrt().max(0.5);
        out[item] = (300 ^ 1).wrapping_sub(x[item]).max(40) + 3.pow(2) + y as u32 + sum.wrapping_mul(five);
    }";
    let (mut x, mut out) = (vec![1u32, 9], vec![0u32; 2]);
    run_text(text, 2, 1, vec![row(&mut x), row(&mut out)]).unwrap();
    assert_eq!(out, [300 + 9 + 1 + 42, 292 + 9 + 1 + 98]);
    assert_eq!(
        locals("let k = 3; let y = k.max(2); let s = 2.min(n); let q = 1.5.max(x);"),
        ["k: i32", "y: i32", "s: usize", "q: f32"]
    );
}
