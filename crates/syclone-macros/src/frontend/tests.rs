//! The front end on token streams: what the tree says, and which mistakes are reported where.

use super::*;
use quote::quote;

fn item(tokens: TokenStream) -> syn::Item {
    syn::parse2(tokens).expect("the test's item parses")
}

fn kernel(tokens: TokenStream) -> Parsed {
    let parsed = parse_kernel(TokenStream::new(), item(tokens)).unwrap_or_else(|error| panic!("{:?}", messages(error)));
    assert!(parsed.errors.is_none(), "{:?}", parsed.errors.map(messages));
    parsed
}

fn messages(error: syn::Error) -> Vec<String> {
    error.into_iter().map(|error| error.to_string()).collect()
}

/// What was wrong, whether or not a stub stands in for the body.
fn errors(parsed: syn::Result<Parsed>) -> Vec<String> {
    match parsed {
        Ok(parsed) => parsed.errors.map(messages).unwrap_or_default(),
        Err(error) => messages(error),
    }
}

fn mistakes(tokens: TokenStream) -> Vec<String> {
    errors(parse_kernel(TokenStream::new(), item(tokens)))
}

fn device_fn(tokens: TokenStream) -> syn::Result<Parsed> {
    parse_device_fn(TokenStream::new(), syn::parse2(tokens).expect("the test's function parses"))
}

/// The mistakes of a body of an nd-range kernel with a view and an output.
fn mistakes_in_body(body: TokenStream) -> Vec<String> {
    mistakes(quote! {
        fn k(item: NdItem<1>, a: View<f32>, out: ItemMut<f32>, n: u32) { #body }
    })
}

#[test]
fn the_tiled_multiplication_prints_back() {
    let parsed = kernel(quote! {
        pub fn gemm<const B: usize>(item: NdItem<2>, a: View<f32, 2>, b: View<f32, 2>, c: ItemMut<f32, 2>) {
            let tile_a = local::<[[f32; B]; B]>();
            let (row, col) = (item.global_id(0), item.global_id(1));
            let mut sum = 0.0;
            for t in 0..a.extent(1) / B {
                tile_a[row][col] = a[[row, t * B + col]];
                item.barrier();
                for k in 0..B { sum += tile_a[row][k] * b[[k, col]]; }
                item.barrier();
            }
            c[item] = sum;
        }
    });
    let printed = parsed.function.to_string();
    for line in [
        "let tile_a = local::<[[f32; B]; B]>();",
        "let (row, col) = (item.global_id(0), item.global_id(1));",
        "tile_a[row][col] = a[[row, t * B + col]];",
        "item.barrier();",
        "c[item] = sum;",
    ] {
        assert!(printed.contains(line), "{line} in\n{printed}");
    }
    use syclone_kernel_ast::tree::{FunctionKind, ParamRole::*};
    assert_eq!(parsed.function.kind, FunctionKind::NdRange { dims: 2 });
    let roles: Vec<_> = parsed.params.iter().map(|param| param.role).collect();
    assert_eq!(roles, [NdItem, View, View, ItemMut]);
    // `B` is one entry however often it is used.
    assert_eq!(parsed.function.consts, ["B"]);
}

#[test]
fn a_shadowing_variable_is_another_variable() {
    let parsed = kernel(quote! {
        fn k(item: Item<1>, n: u32, out: ItemMut<u32>) { let n = n + 1; { let n = n * 2; } out[item] = n; }
    });
    let names: Vec<_> = parsed.function.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["item", "n", "out", "n", "n"]);
    let printed = format!("{:?}", parsed.function.body.stmts[2]);
    assert!(printed.contains("Var(VarId(3))"), "the first inner `n` is stored: {printed}");
}

#[test]
fn paths_in_calls_are_told_apart_by_their_spelling() {
    let parsed = kernel(quote! {
        fn k<T: Float, A: Activation>(item: Item<1>, x: f32) {
            let a = helper(x);
            let b = tools::helper::<3>(x, &item);
            let c = A::apply(x);
            let d = <A as Activation>::apply(x);
            let e = Pair::<f32>::new(x);
            let f = f32::max(x, 1.0);
            let g = T::from_f32(x);
            let h = F32x4::splat(x);
            let i = Vector::splat(x);
            let j = min(x, MAX);
            let p = Pair(x, x);
        }
    });
    assert_eq!(
        parsed.function.callees,
        ["helper", "tools::helper::<3>", "A::apply", "<A as Activation>::apply", "Pair::<f32>::new"]
    );
    let prefixes: Vec<String> = parsed
        .callees
        .iter()
        .map(|callee| match callee {
            Callee::Free { path, generics } => {
                format!("free {} {}", types::display(path), generics.is_some())
            }
            Callee::Assoc { prefix, name, .. } => format!("of {} {name}", types::display(prefix)),
        })
        .collect();
    assert_eq!(
        prefixes,
        [
            "free helper false",
            "free tools::helper true",
            "of A apply",
            "of <A as Activation> apply",
            "of Pair::<f32> new"
        ]
    );
    assert_eq!(parsed.function.types[2..], ["T", "F32x4", "Vector<_, _>", "Pair"], "{:?}", parsed.function.types);
}

#[test]
fn a_method_tells_its_types_from_its_constants() {
    let parsed = kernel(quote! {
        fn k<const N: usize, T: Scalar>(item: Item<1>, a: View<f32>) {
            let u = a.load_vector::<4>(0);
            let v = a.load_vector::<N>(0);
            let w = a.load_vector::<WIDTH>(0);
            let x = u.convert::<T>();
            let y = u.convert::<f64>();
        }
    });
    assert_eq!(parsed.function.consts, ["4", "N", "WIDTH"]);
    assert_eq!(parsed.function.types[2..], ["T", "f64"]);
}

#[test]
fn a_const_of_the_body_is_repeated_where_it_is_used() {
    let parsed = kernel(quote! {
        fn k(item: Item<1>, out: ItemMut<f32>) {
            const N: usize = 4;
            const M: usize = N * 2;
            let acc: [f32; M] = [0.0; M];
            out[item] = acc[N];
        }
    });
    assert_eq!(parsed.function.consts, ["M", "N"]);
    assert_eq!(parsed.function.types[2..], ["[f32; M]"]);
    let tokens = {
        let ty = &parsed.types[2];
        quote!(#ty).to_string()
    };
    assert!(tokens.contains("const M : usize = N * 2"), "{tokens}");
}

#[test]
fn a_swap_by_tuple_assignment_reads_before_it_writes() {
    let parsed = kernel(quote! {
        fn k(item: Item<1>, out: ItemMut<f32>) { let mut a = 1.0; let mut b = 2.0; (a, b) = (b, a); _ = a; out[item] = b; }
    });
    let printed = parsed.function.to_string();
    let let_at = printed.find("= (b, a)").expect("the right side is bound first");
    let store_at = printed.find("a = part_0").expect("then the places are written");
    assert!(let_at < store_at, "{printed}");
}

#[test]
fn or_patterns_bind_one_variable() {
    let parsed = kernel(quote! {
        fn k(item: Item<1>, n: u32, out: ItemMut<u32>) {
            out[item] = match n { x @ 1 | x @ 3 if x > 2 => x, 4..=7 => 1, LIMIT => 2, -1 => 3, Mode::Fast => 4, _ => 0 };
        }
    });
    let xs = parsed.function.vars.iter().filter(|var| var.name == "x").count();
    assert_eq!(xs, 1);
    assert_eq!(parsed.function.consts, ["LIMIT", "Mode::Fast"]);
}

#[test]
fn for_ranges_keep_their_adaptors_in_order() {
    let parsed = kernel(quote! {
        fn k(item: Item<1>, n: usize) { 'outer: for i in (0..=n).rev().step_by(2) { for _ in 0..i { continue 'outer; } } }
    });
    let printed = parsed.function.to_string();
    assert!(printed.contains("'outer: for i in (0..=n).rev().step_by(2)"), "{printed}");
    assert!(printed.contains("continue 'outer"), "{printed}");
}

#[test]
fn an_inline_kernel_finds_its_captures_in_order() {
    let inline = parse_inline(quote!(|item: Item<1>| {
        let t = scale * x[item];
        out[item] = t + OFFSET;
    }));
    let inline = inline.unwrap_or_else(|error| panic!("{error}"));
    let captures: Vec<String> = inline.captures.iter().map(ToString::to_string).collect();
    assert_eq!(captures, ["scale", "x", "out"]);
    let names: Vec<_> = inline.parsed.function.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["item", "scale", "x", "out", "t"]);
    assert_eq!(inline.parsed.function.consts, ["OFFSET"]);
    assert_eq!(inline.parsed.params.len(), 4);
}

#[test]
fn a_device_function_that_takes_the_item_by_value_is_collective() {
    use syclone_kernel_ast::tree::{FunctionKind, ParamRole};
    let collective = device_fn(quote!(
        fn f(item: NdItem<1>, x: f32) -> f32 {
            item.barrier();
            x
        }
    ));
    assert_eq!(collective.map(|parsed| parsed.function.kind).ok(), Some(FunctionKind::Collective));
    let reader = device_fn(quote!(
        fn f(item: &NdItem<1>, x: &mut f32) {
            *x += item.local_id(0) as f32;
        }
    ));
    let reader = reader.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(reader.function.kind, FunctionKind::Device);
    let roles: Vec<_> = reader.params.iter().map(|param| param.role).collect();
    assert_eq!(roles, [ParamRole::NdItemRef, ParamRole::Reference { mutable: true }]);
}

#[test]
fn a_device_impl_gives_each_of_its_functions() {
    let item = syn::parse2(quote! {
        impl Complex { pub const ONE: f32 = 1.0; pub fn new(re: f32, im: f32) -> Self { Self { re, im } } pub fn norm(&self) -> f32 { self.re * self.re } }
    });
    let parsed = parse_device_impl(TokenStream::new(), item.expect("parses")).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<String> = parsed.functions.iter().map(|function| function.ident.to_string()).collect();
    assert_eq!(names, ["new", "norm"]);
    assert_eq!(parsed.functions[1].function.vars[0].name, "self");
}

#[test]
fn a_device_trait_keeps_functions_without_a_body() {
    let item = syn::parse2(
        quote! { pub trait Activation { fn apply(x: f32) -> f32; fn twice(x: f32) -> f32 { Self::apply(Self::apply(x)) } } },
    );
    let parsed =
        parse_device_trait(TokenStream::new(), item.expect("parses")).unwrap_or_else(|error| panic!("{error}"));
    let bodies: Vec<bool> = parsed.functions.iter().map(|function| function.has_body).collect();
    assert_eq!(bodies, [false, true]);
}

#[test]
fn options_are_read_and_unknown_ones_are_named() {
    let tokens = quote!(
        fn k(item: NdItem<2>) {}
    );
    let parsed = parse_kernel(quote!(work_group_size(16, 8), sub_group_size = 16, fallback), item(tokens.clone()));
    let options = parsed.map(|parsed| parsed.options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(options.work_group_size.map(|sizes| sizes.len()), Some(2));
    assert!(options.fallback && options.sub_group_size.is_some() && !options.unchecked);
    let unknown = errors(parse_kernel(quote!(fast), item(tokens)));
    assert!(unknown[0].starts_with("unknown option `fast`: a kernel's options are"), "{unknown:?}");
}

#[test]
fn every_unsupported_construct_is_one_mistake_with_advice() {
    let cases = [
        (quote!(while let 1 = n {}), "`while let` is not"),
        (quote!(if let 1 = n {}), "`if let` is not"),
        (quote!(let 1 = n else { return };), "`let … else`"),
        (quote!(let Some(x) = Some(n) else { return };), "`let … else`"),
        (quote!(let f = |x: f32| x;), "closures do not exist"),
        (quote!(let r = &a;), "a reference can only be an argument"),
        (quote!(helper(&a[0]);), "a reference into memory"),
        (quote!(helper(n)?;), "`?` is not"),
        (quote!(async { 1 };), "`async` is not"),
        (quote!(unsafe { f(n) };), "`unsafe` blocks are not"),
        (quote!(let s = "text";), "strings do not exist"),
        (quote!(let c = 'c';), "`char` is not"),
        (quote!(let v = Vec::new();), "no heap"),
        (quote!(let v: Vec<f32> = make();), "`Vec` does not exist"),
        (quote!(let v = vec![1, 2];), "`vec!` cannot be used"),
        (quote!(println!("{}", n);), "a kernel prints with `kprintln!`"),
        (quote!(assert!(n > 0);), "a kernel asserts with `kassert!`"),
        (quote!(let s = a.iter().map(|x| x * 2.0).sum();), "iterators are not part"),
        (quote!(let s = (0..n).map(|i| i).sum();), "`.map()` on a range"),
        (quote!(for x in a {}), "runs over a range"),
        (quote!(for i in 0.. {}), "needs an end"),
        (quote!(let s = a[1..3];), "slices do not exist"),
        (quote!(let s = P { x: 1.0, ..p };), "`..` in a struct literal"),
        (
            quote!(
                use std::f32::consts::PI;
            ),
            "`use` cannot stand",
        ),
        (
            quote!(
                fn inner() {}
            ),
            "functions cannot be declared",
        ),
        (
            quote!(
                struct S;
            ),
            "structs cannot be declared",
        ),
        (quote!(let r = 0..n;), "a range is only for"),
        (quote!(let x: u32;), "needs its first value"),
        (quote!(return 1;), "a kernel returns nothing"),
        (quote!(let x = n as Vector<f32, 4>;), "`as` converts to a scalar"),
        (quote!(let x = n as f16;), "f16::from_f32"),
        (
            quote!(if n > 0 {
                let t = local::<[f32; 4]>();
            }),
            "at the top level",
        ),
        (quote!(let it = item;), "not a value to keep"),
        (quote!(let P { x } = p;), "not taken apart"),
        (quote!(let (x, ..) = p;), "`..` in a pattern"),
        (
            quote!(match n {
                Some(x) => {}
                _ => {}
            }),
            "`Option` and `Result`",
        ),
        (quote!(break;), "outside of a loop"),
        (
            quote!(loop {
                break 'missing;
            }),
            "labelled `'missing`",
        ),
        (quote!(#[allow(unused)] let x = 1;), "attributes cannot stand"),
        (quote!(let x = 1i128;), "`i128` literals"),
        (quote!(let x = std::mem::size_of::<f32>();), "`to_bits`"),
        (quote!(n();), "a variable cannot be called"),
        (quote!(let x = self.x;), "`self` does not exist"),
        (quote!(k(item, a, out, n);), "recursion does not exist"),
    ];
    let mut wrong = Vec::new();
    for (body, expected) in cases {
        let text = body.to_string();
        let found = mistakes_in_body(body);
        if found.len() != 1 || !found[0].contains(expected) {
            wrong.push((text, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_mistake_of_a_body_is_reported() {
    let found = mistakes(quote! {
        fn k(item: Item<1>, s: String) -> f32 { let a = "x"; let b = 'c' ; println!("x"); a + helper(|x| x) }
    });
    assert_eq!(found.len(), 6, "{found:#?}");
}

#[test]
fn wrong_signatures_say_what_to_write() {
    let cases = [
        (
            quote!(
                fn k(item: Item<1>) -> u32 {
                    1
                }
            ),
            "a kernel returns nothing",
        ),
        (
            quote!(
                fn k(out: ItemMut<f32>) {}
            ),
            "make `item: Item<…>`",
        ),
        (
            quote!(
                fn k(n: u32, item: Item<1>) {}
            ),
            "move it to the front",
        ),
        (
            quote!(
                fn k(item: Item<4>) {}
            ),
            "1 to 3",
        ),
        (
            quote!(
                fn k(item: &Item<1>) {}
            ),
            "leave the `&` out",
        ),
        (
            quote!(
                fn k(item: Item<1>, a: &[f32]) {}
            ),
            "slices do not exist",
        ),
        (
            quote!(
                fn k(item: Item<1>, a: Vec<f32>) {}
            ),
            "`Vec` does not exist",
        ),
        (
            quote!(
                fn k(item: Item<1>, a: impl Fn(f32)) {}
            ),
            "name a generic parameter",
        ),
        (
            quote!(
                fn k(item: Item<1>, a: &dyn Shape) {}
            ),
            "trait objects do not",
        ),
        (
            quote!(
                fn k(item: Item<1>, a: *const f32) {}
            ),
            "raw pointers",
        ),
        (
            quote!(
                fn k(item: Item<1>, mut n: u32) {}
            ),
            "let mut n = n;",
        ),
        (
            quote!(
                fn k(self) {}
            ),
            "`self` has no meaning",
        ),
        (
            quote!(
                fn k<'a>(item: Item<1>) {}
            ),
            "lifetimes do not",
        ),
        (
            quote!(
                unsafe fn k(item: Item<1>) {}
            ),
            "only an unchecked kernel",
        ),
        (
            quote!(
                const fn k(item: Item<1>) {}
            ),
            "cannot be `const`",
        ),
        (
            quote!(
                async fn k(item: Item<1>) {}
            ),
            "cannot be `async`",
        ),
        (
            quote!(
                fn k(item: Item<1>, t: LocalAccessor<f32>) {}
            ),
            "needs work-groups",
        ),
        (
            quote!(
                fn k(item: Item<1>) {
                    item.barrier();
                }
            ),
            "a range kernel has no work-groups",
        ),
        (
            quote!(
                fn k(item: Item<1>) {
                    let t = local::<f32>();
                }
            ),
            "a range kernel has no work-groups",
        ),
        (
            quote!(
                struct K;
            ),
            "`#[kernel]` stands on a function",
        ),
    ];
    for (item, expected) in cases {
        let text = item.to_string();
        let found = mistakes(item);
        assert_eq!(found.len(), 1, "`{text}`: {found:?}");
        assert!(found[0].contains(expected), "`{text}` gives: {}", found[0]);
    }
}

#[test]
fn a_function_with_a_borrowed_item_cannot_synchronise() {
    let cases = [
        quote!(
            fn f(item: &NdItem<1>) {
                item.barrier();
            }
        ),
        quote!(
            fn f(item: &NdItem<1>, x: f32) -> f32 {
                item.group().reduce(x, Plus)
            }
        ),
        quote!(
            fn f(item: &NdItem<1>, x: f32) -> f32 {
                let g = item.sub_group();
                g.shuffle_xor(x, 1)
            }
        ),
    ];
    for item in cases {
        let found = errors(device_fn(item));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("must take the item by value"), "{found:?}");
    }
}
