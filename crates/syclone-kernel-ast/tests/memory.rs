//! Memory in the interpreter: bounds, atomics, reductions, structs and references, faults.

mod support;

use std::sync::Arc;

use support::*;
use syclone_kernel_ast::bound::BoundFunction;
use syclone_kernel_ast::builtins::NoBuiltins;
use syclone_kernel_ast::interp::{Access, AccessKind, Arg, Fault, Global, Id, Kernel, Observer, OutOfBounds, Space};
use syclone_kernel_ast::types::{Field, IntKind, Op, Order, Scope, StructType, Type};
use syclone_kernel_ast::value::Value;

/// An item of one dimension.
fn item(id: usize) -> Id {
    Id::new([0, 0, id], 1)
}

#[test]
fn reads_outside_give_zero_writes_are_dropped_and_the_first_is_reported() {
    let text = "fn k(item: Item<1>, x: View<i32>, out: ScatterMut<i32>) {
        let i = item.global_id(0);
        let y = x[i + 5];
        out[i * 3] = y + 100;
    }";
    let mut memory: Vec<i32> = (0..12).collect();
    let mut out = vec![-7; 16];
    let view = row(&mut memory[2..10]);
    let scatter = row(&mut out[4..12]);
    let fault = run_text(text, 5, 1, vec![view, scatter]).unwrap_err();
    assert_eq!(memory, (0..12).collect::<Vec<i32>>());
    assert_eq!(out, [-7, -7, -7, -7, 107, -7, -7, 108, -7, -7, 109, -7, -7, -7, -7, -7]);
    let first = OutOfBounds {
        parameter: "x".into(),
        position: Some(1),
        line: 3,
        index: [0, 0, 8],
        extents: [1, 1, 8],
        dims: 1,
        item: item(3),
    };
    let second = OutOfBounds {
        parameter: "out".into(),
        position: Some(2),
        line: 4,
        index: [0, 0, 9],
        extents: [1, 1, 8],
        dims: 1,
        item: item(3),
    };
    assert_eq!(fault, Fault::OutOfBounds(vec![first, second]));
}

#[test]
fn each_dimension_is_checked_on_its_own_and_rows_may_be_pitched() {
    let text =
        "fn k(item: Item<2>, x: View<i32, 2>, out: ItemMut<i32, 2>) { out[item] = x[[item.id(0), item.id(1) + 1]]; }";
    let mut x: Vec<i32> = (0..15).collect();
    let mut out = vec![-1; 6];
    let pitched = Arg::Global(Global { ptr: x.as_mut_ptr().cast(), extents: [1, 3, 2], pitch: 5, elem: Type::I32 });
    let mut launch = launch(&bind(text), 1, 1, vec![pitched, table(&mut out, 3, 2)]);
    launch.global = [1, 3, 2];
    let fault = run(&launch).unwrap_err();
    assert_eq!(out, [1, 0, 6, 0, 11, 0]);
    let Fault::OutOfBounds(faults) = fault else { panic!("{fault}") };
    assert_eq!((faults[0].index, faults[0].extents, faults[0].item), ([0, 0, 2], [1, 3, 2], Id::new([0, 0, 1], 2)));
    assert_eq!(faults[0].dims, 2);
}

#[test]
fn an_item_without_an_element_of_its_own_is_out_of_bounds() {
    let mut out = vec![0; 3];
    let fault =
        run_text("fn k(item: Item<1>, out: ItemMut<i32>) { out[item] = 1; }", 4, 1, vec![row(&mut out)]).unwrap_err();
    assert!(
        matches!(&fault, Fault::OutOfBounds(faults) if faults[0].parameter == "out" && faults[0].item == item(3)),
        "{fault}"
    );
    assert_eq!(out, [1, 1, 1]);
}

#[test]
fn arrays_are_checked_as_views_are() {
    let text = "fn k(item: NdItem<1>, out: ItemMut<i32>) {
        let tile = local::<[i32; 4]>();
        let mut v = [1, 2, 3];
        let i = item.global_id(0) + 3;
        v[i] = 50;
        tile[i + 1] = 60;
        out[item] = v[i] + v[0] + tile[i + 1];
    }";
    let mut out = vec![-1; 2];
    let fault = run_text(text, 2, 2, vec![row(&mut out)]).unwrap_err();
    assert_eq!(out, [1, 1]);
    let Fault::OutOfBounds(faults) = fault else { panic!("{fault}") };
    let names: Vec<_> = faults.iter().map(|fault| (fault.parameter.as_str(), fault.position, fault.line)).collect();
    assert_eq!(names, [("v", None, 5), ("tile", None, 6)]);
}

#[test]
fn huge_indices_do_not_wrap_into_range() {
    let text = "fn k(item: Item<1>, x: View<i64>, out: ItemMut<i64>, n: usize) { out[item] = x[n] + x[n / 8 + 1]; }";
    let mut x = vec![1i64; 4];
    let mut out = vec![5i64; 1];
    assert!(run_text(text, 1, 1, vec![row(&mut x), row(&mut out), plain(usize::MAX)]).is_err());
    assert_eq!(out, [0]);
}

#[test]
fn an_item_is_named_with_as_many_numbers_as_the_kernel_has_dimensions() {
    let divides = |params: &str, global: [usize; 3]| {
        let text = format!("fn k({params}x: View<i32>) {{ let y = 1 / x[0]; }}");
        let mut x = [0];
        let mut launch = launch(&bind(&text), 1, 1, vec![row(&mut x)]);
        launch.global = global;
        run(&launch).unwrap_err().to_string()
    };
    assert_eq!(divides("item: Item<1>, ", [1, 1, 4]), "division by zero in line 1: item 0");
    assert_eq!(divides("item: Item<2>, ", [1, 1, 4]), "division by zero in line 1: item [0, 0]");
    assert_eq!(divides("item: NdItem<3>, ", [2, 2, 2]), "division by zero in line 1: item [0, 0, 0]");
    assert_eq!(divides("", [1; 3]), "division by zero in line 1: item 0");
}

#[test]
fn faults_of_arithmetic_name_line_and_item() {
    let divide = "fn k(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
        out[item] = 100
            / x[item];
    }";
    let mut x = vec![1, 2, 0, 4];
    let mut out = vec![0; 4];
    let args = vec![row(&mut x), row(&mut out)];
    assert_eq!(run_text(divide, 4, 1, args), Err(Fault::DivideByZero { line: 3, item: item(2) }));
    let add = bind("fn k(item: Item<1>, x: View<u8>, out: ItemMut<u8>) { out[item] = x[item] + 200; }");
    let (mut x, mut out) = (vec![1u8, 100], vec![0u8; 2]);
    let mut launch = launch(&add, 2, 1, vec![row(&mut x), row(&mut out)]);
    assert_eq!(run(&launch), Err(Fault::Overflow { line: 1, item: item(1) }));
    launch.overflow_checks = false;
    assert_eq!(run(&launch), Ok(()));
    assert_eq!(out, [201, 44]);
    let step = "fn k(item: Item<1>, n: usize) { for i in (0..4).step_by(n) { } }";
    assert_eq!(run_text(step, 1, 1, vec![plain(0usize)]), Err(Fault::ZeroStep { line: 1, item: item(0) }));
    let smallest = "fn k(item: Item<1>, n: i32) { let x = i32::MIN / n; }";
    assert_eq!(run_text(smallest, 1, 1, vec![plain(-1)]), Err(Fault::Overflow { line: 1, item: item(0) }));
}

#[test]
fn atomics_update_global_and_local_memory() {
    let text = "fn k(item: NdItem<1>, counts: AtomicView<u32>, limits: AtomicView<f32>, x: View<f32>, out: ItemMut<u32>) {
        let hits = local::<[u32; 2]>();
        out[item] = counts.atomic(0).fetch_add(1);
        counts.atomic(1).order(Order::SeqCst).scope(Scope::Device).fetch_max(item.global_id(0) as u32);
        let old = limits.atomic(0).fetch_min(x[item]);
        limits.atomic(1).fetch_max(x[item]);
        limits.atomic(2).fetch_add(x[item]);
        hits.atomic(1).fetch_sub(1);
        item.barrier();
        if item.local_id(0) == 0 { counts.atomic(2).fetch_xor(hits[1]); counts.atomic(3).exchange(9); counts.atomic(4).store(8); }
        let (seen, swapped) = counts.atomic(5).compare_exchange(item.global_id(0) as u32, 77);
    }";
    let mut counts = vec![10u32, 3, 0, 0, 0, 2];
    let mut limits = vec![f32::INFINITY, f32::NEG_INFINITY, 0.5];
    let mut x = vec![3.0f32, -2.0, f32::NAN, 7.5, -0.5, 1.0];
    let mut out = vec![0u32; 6];
    run_text(text, 6, 3, vec![row(&mut counts), row(&mut limits), row(&mut x), row(&mut out)]).unwrap();
    assert_eq!(counts, [16, 5, 0, 9, 8, 77]);
    assert_eq!(limits[..2], [-2.0, 7.5]);
    assert!(limits[2].is_nan());
    assert_eq!(out, [10, 11, 12, 13, 14, 15]);
}

#[test]
fn compare_exchange_compares_bits() {
    let text = "fn k(item: Item<1>, a: AtomicView<f32>, out: ItemMut<i32>) {
        let (old, one) = a.atomic(0).compare_exchange(f32::NAN, 1.0);
        let (zero, two) = a.atomic(1).compare_exchange(-0.0, 1.0);
        let (gone, three) = a.atomic(2).compare_exchange(0.0, 1.0);
        out[item] = one as i32 + 2 * two as i32 + 4 * three as i32 + 8 * (gone == 0.0) as i32;
    }";
    let (mut a, mut out) = (vec![f32::NAN, 0.0], vec![0]);
    let fault = run_text(text, 1, 1, vec![row(&mut a), row(&mut out)]).unwrap_err();
    assert_eq!((a, out), (vec![1.0, 0.0], vec![1 + 4 + 8]));
    assert!(
        matches!(&fault, Fault::OutOfBounds(faults) if faults[0].parameter == "a" && faults[0].line == 4),
        "{fault}"
    );
}

#[test]
fn reductions_combine_into_their_slots() {
    let text = "fn k(item: Item<1>, x: View<i32>, sum: Reducer<i32, Plus>, low: Reducer<i32, Minimum>) {
        sum.combine(x[item]);
        if x[item] != 0 { low.combine(x[item]); }
    }";
    let (mut sum, mut low) = (10, i32::MAX);
    let mut x = vec![4, 0, 9, 3];
    let args = vec![row(&mut x), reducer(Op::Plus, &mut sum), reducer(Op::Minimum, &mut low)];
    run_text(text, 4, 1, args).unwrap();
    assert_eq!((sum, low), (26, 3));
    let args = vec![row(&mut x), reducer(Op::Plus, &mut sum), reducer(Op::Minimum, &mut low)];
    assert_eq!(run_text(text, 0, 1, args), Ok(()));
    assert_eq!((sum, low), (26, 3));
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Particle {
    tag: u8,
    at: [f32; 2],
    mass: f64,
}

impl Data for Particle {
    fn ty() -> Type {
        particle()
    }
    fn value(self) -> Value {
        Value::Unit
    }
}

fn push() -> Arc<BoundFunction> {
    bind_with("device fn push(p: &mut Particle, by: f32) { p.at[1] += by; p.mass = p.mass * 2.0; }", &plain_names())
}

fn norm() -> Arc<BoundFunction> {
    bind_with("device fn norm(p: &Particle) -> f32 { let v = p.at; v[0] * v[0] + v[1] * v[1] }", &plain_names())
}

fn plain_names() -> Names {
    Names { types: vec![("Particle", described(Vec::new()))], ..Names::default() }
}

fn described(methods: Vec<(&'static str, syclone_kernel_ast::types::BindFn)>) -> Type {
    Type::Struct(Arc::new(StructType {
        name: "Particle",
        path: "Particle",
        size: size_of::<Particle>(),
        align: align_of::<Particle>(),
        fields: vec![
            Field { name: "tag", ty: Type::Int(IntKind::U8), offset: std::mem::offset_of!(Particle, tag) },
            Field { name: "at", ty: Type::Array(Box::new(Type::F32), 2), offset: std::mem::offset_of!(Particle, at) },
            Field { name: "mass", ty: Type::F64, offset: std::mem::offset_of!(Particle, mass) },
        ],
        tuple: false,
        methods,
        comparison: Default::default(),
    }))
}

fn particle() -> Type {
    described(vec![("push", push), ("norm", norm)])
}

#[test]
fn structs_keep_rusts_layout_in_memory_and_methods_borrow() {
    let text = "fn k(item: Item<1>, x: View<Particle>, out: ItemMut<Particle>) {
        let mut p = x[item];
        p.push(0.5);
        p.tag += 1;
        let q = Particle { mass: p.norm() as f64, tag: p.tag, at: [p.at[1], x[item].at[0]] };
        out[item] = q;
        out[item].at[0] += p.mass as f32;
        if x[item].mass > 3.0 { out[item].tag = 99; }
    }";
    let names = Names { types: vec![("Particle", particle())], ..Names::default() };
    let mut x = vec![Particle { tag: 1, at: [1.0, 2.0], mass: 3.0 }, Particle { tag: 7, at: [-1.0, 0.25], mass: 4.0 }];
    let mut out = vec![Particle { tag: 0, at: [0.0; 2], mass: 0.0 }; 2];
    run(&launch(&bind_with(text, &names), 2, 1, vec![row(&mut x), row(&mut out)])).unwrap();
    assert_eq!(out[0], Particle { tag: 2, at: [2.5 + 6.0, 1.0], mass: 7.25 });
    assert_eq!(out[1], Particle { tag: 99, at: [0.75 + 8.0, -1.0], mass: 1.5625 });
}

fn add_to() -> Arc<BoundFunction> {
    bind(
        "device fn add_to(sum: &mut i32, v: &[i32; 3], by: i32) -> bool { for i in 0..3 { if v[i] > 9 { return false; } *sum += v[i] * by; } true }",
    )
}

#[test]
fn references_reach_the_callers_variables() {
    let names = Names { callees: vec![("add_to", add_to)], ..Names::default() };
    let text = "fn k(item: Item<1>, out: ItemMut<i32>) {
        let mut sums = [0, 100];
        let v = [[1, 2, 3], [4, 50, 6]];
        let i = item.global_id(0);
        let ok = add_to(&mut sums[i], &v[i], 10);
        out[item] = sums[0] + sums[1] + ok as i32 * 1000;
    }";
    let mut out = vec![0; 2];
    run(&launch(&bind_with(text, &names), 2, 1, vec![row(&mut out)])).unwrap();
    assert_eq!(out, [1160, 140]);
}

#[test]
fn specialised_arguments_and_plain_values_are_the_same_for_all_items() {
    let text = "fn k(item: Item<1>, out: ItemMut<f32>, scale: Spec<f32>, add: f32, flags: [bool; 2]) {
        out[item] = scale.get() * item.id(0) as f32 + add + flags[1] as i32 as f32;
    }";
    let mut out = vec![0.0f32; 3];
    let flags = Arg::Value(Value::Array(Type::Bool, vec![Value::Bool(false), Value::Bool(true)]));
    run_text(text, 3, 1, vec![row(&mut out), plain(2.0f32), plain(0.5f32), flags]).unwrap();
    assert_eq!(out, [1.5, 3.5, 5.5]);
}

#[test]
fn arguments_that_do_not_fit_are_an_error() {
    let function = bind("fn k(item: Item<1>, x: View<i32>, n: u32) { }");
    let mut wrong = vec![1.0f32];
    let mut right = vec![1];
    for args in [vec![row(&mut wrong), plain(1u32)], vec![row(&mut right), plain(1i32)], vec![row(&mut right)]] {
        assert!(matches!(run(&launch(&function, 1, 1, args)), Err(Fault::Arguments(_))));
    }
    let group = bind("fn k(item: NdItem<1>, n: u32) { }");
    assert!(matches!(run(&launch(&group, 10, 4, vec![plain(1u32)])), Err(Fault::Arguments(_))));
    assert_eq!(run(&launch(&group, 0, 4, vec![plain(1u32)])), Ok(()));
}

#[test]
fn single_tasks_run_once() {
    let text = "fn k(out: ScatterMut<i32>) { for i in 0..out.len() { out[i] += i as i32 + 1; } }";
    let mut out = vec![0; 4];
    run_text(text, 17, 1, vec![row(&mut out)]).unwrap();
    assert_eq!(out, [1, 2, 3, 4]);
}

#[test]
fn vectors_are_loaded_computed_and_stored() {
    let text = "fn k(item: Item<1>, x: View<f32>, out: ScatterMut<f32>, flags: ItemMut<bool>) {
        let i = item.id(0);
        let mut v = x.load_vector::<4>(i);
        v *= v.x;
        v = 10.0 - v.wzyx() + Vector::new([0.5, 1.0, 1.5, 2.0]);
        v.y = v.lo().y * 2.0;
        v[3] = v.get(0);
        let w = v.with(2, -1.0).max(0.0).sqrt();
        out.store_vector(i, w);
        flags[item] = v.lanes_gt(w).any() && !(v == w);
    }";
    let mut x = vec![1.0f32, 2.0, 3.0, 4.0, 2.0, 3.0, 4.0, 5.0];
    let mut out = vec![0.0f32; 8];
    let mut flags = vec![false; 2];
    run_text(text, 2, 1, vec![row(&mut x), row(&mut out), row(&mut flags)]).unwrap();
    let expected = |x: [f32; 4]| {
        let m = x.map(|lane| lane * x[0]);
        let mut v = [10.0 - m[3] + 0.5, 10.0 - m[2] + 1.0, 10.0 - m[1] + 1.5, 10.0 - m[0] + 2.0];
        v[1] *= 2.0;
        v[3] = v[0];
        v[2] = -1.0;
        v.map(|lane: f32| lane.max(0.0).sqrt())
    };
    let all: Vec<f32> = [expected([1.0, 2.0, 3.0, 4.0]), expected([2.0, 3.0, 4.0, 5.0])].concat();
    assert_eq!(out, all);
    assert_eq!(flags, [true, true]);
}

#[test]
fn vectors_that_reach_outside_are_cut() {
    let text = "fn k(item: Item<1>, x: View<i32>, out: ScatterMut<i32>) { out.store_vector(item.id(0), x.load_vector::<2>(item.id(0)) + 1); }";
    let (mut x, mut out) = (vec![1, 2, 3, 4], vec![0; 5]);
    let args = vec![row(&mut x[..3]), row(&mut out[..3])];
    assert!(run_text(text, 2, 1, args).is_err());
    assert_eq!(out, [2, 3, 4, 0, 0]);
}

#[derive(Default)]
struct Log {
    accesses: Vec<Access>,
    barriers: usize,
}

impl Observer for Log {
    fn access(&mut self, access: &Access) {
        self.accesses.push(*access);
    }
    fn barrier(&mut self, _group: usize) {
        self.barriers += 1;
    }
}

#[test]
fn observers_see_every_access_to_shared_memory() {
    let text = "fn k(item: NdItem<1>, x: View<i32>, c: AtomicView<i32>) {
        let t = local::<[i32; 2]>();
        t[item.local_id(0)] = x[item];
        item.barrier();
        c.atomic(0).fetch_add(t[1]);
    }";
    let function = bind(text);
    let (mut x, mut c) = (vec![5, 6], vec![0]);
    let launch = launch(&function, 2, 2, vec![row(&mut x), row(&mut c)]);
    let mut log = Log::default();
    let kernel = Kernel::new(&function, &NoBuiltins).unwrap();
    // SAFETY: the arguments point to the vectors above, with their own lengths and types.
    unsafe { kernel.run(&launch, &NoBuiltins, &mut log) }.unwrap();
    use AccessKind::{Read, Write};
    let atomic = AccessKind::Atomic { reads: true, writes: true, order: Order::Relaxed, scope: Scope::Device };
    let of_item = |item| [(Space::Global(0), 4 * item, Read, item, 3), (Space::Local, 4 * item, Write, item, 3)];
    let after = |item| [(Space::Local, 4, Read, item, 5), (Space::Global(1), 0, atomic, item, 5)];
    let seen =
        |access: &Access| (access.space, access.offset, access.kind, access.item, kernel.place(access.site).span.line);
    let accesses: Vec<_> = log.accesses.iter().map(seen).collect();
    assert_eq!(accesses, [of_item(0), of_item(1), after(0), after(1)].concat());
    assert_eq!((log.barriers, c), (1, vec![12]));
}

#[test]
fn memory_that_no_machine_has_is_an_error() {
    let text = "fn k(item: NdItem<1>, n: u32) { let tile = local::<[[f64; 100000]; 100000]>(); tile[1][1] = 1.0; }";
    assert!(matches!(run_text(text, 1, 1, vec![plain(1u32)]), Err(Fault::OutOfMemory { .. })));
    let text = "fn k(item: Item<1>, n: u32) { let a = [[0u8; 100000]; 100000]; }";
    assert!(matches!(run_text(text, 1, 1, vec![plain(1u32)]), Err(Fault::OutOfMemory { .. })));
    let text = "fn k(item: NdItem<1>, a: LocalAccessor<f32>) { a[0] = 1.0; }";
    let huge = Arg::LocalAccessor { extents: [1, 1, usize::MAX], elem: Type::F32 };
    assert!(matches!(run_text(text, 1, 1, vec![huge]), Err(Fault::OutOfMemory { .. })));
}

#[test]
fn lanes_are_chosen_converted_and_reinterpreted() {
    let text = "fn k(item: Item<1>, out: ScatterMut<f32>) {
        let v = Vector::new([1.0f32, -2.0, 3.0, -4.0]);
        let b: Vector<f32, 4> = Vector::from_bits(v.to_bits() ^ 0x80000000u32);
        out.store_vector(0, b.swizzle4::<3, 3, 0, 1>());
        let i = v.convert::<i32>();
        let (s, c) = (i * 2 << 1).convert::<f32>().abs().sin_cos();
        out.store_vector(1, s * s + c * c);
    }";
    let mut out = vec![0.0f32; 8];
    run_text(text, 1, 1, vec![row(&mut out)]).unwrap();
    assert_eq!(out[..4], [4.0, 4.0, -1.0, 2.0]);
    assert!(out[4..].iter().all(|x| (x - 1.0).abs() < 1e-6), "{out:?}");
}
