//! The tree as macro output: one string, and the tables that only rustc can fill.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::encode::encode;
use syclone_kernel_ast::tree::*;

use super::builtin_names::is_builtin_method;
use super::comparisons::{compared, compares_values, comparison_of};
use super::found::{Found, found};
use super::library_names::name_checks;
use super::operands::operand_checks;
use super::printer::callee_path;
use super::sites::{Site, found_at, sites};
use crate::frontend::Parsed;

/// The tree as a string literal.
pub fn encoded(parsed: &Parsed) -> TokenStream {
    let text = encode(&parsed.function);
    quote!(#text)
}

/// The expression that binds the tree.
pub fn bound_value(parsed: &Parsed) -> TokenStream {
    let (text, tables) = (encoded(parsed), tables(parsed, &bound_methods(parsed), found(parsed), &sites(parsed)));
    let (names, operands) = (name_checks(parsed), operand_checks(parsed));
    quote!(#names #operands ::syclone::abi::bind(#text, #tables))
}

/// The field of a kernel's description that says that it calls device functions, if it does or may do so
/// by comparing values.
pub fn calls_field(parsed: &Parsed) -> Option<TokenStream> {
    let calls = !parsed.callees.is_empty()
        || !called_methods(parsed).is_empty()
        || !sites(parsed).is_empty()
        || compares_values(parsed);
    calls.then(|| quote!(calls: true,))
}

/// The field of a kernel's description with the tables, where they hold more than the types of its parameters, which the
/// library knows. They come first.
pub fn tables_field(parsed: &Parsed) -> TokenStream {
    let of_params = parsed.function.params.iter().map(|p| p.ty.0 as usize + 1).max().unwrap_or(0);
    let only_params = parsed.types.len() == of_params && parsed.consts.is_empty() && parsed.callees.is_empty();
    let (methods, found) = (bound_methods(parsed), found(parsed));
    // An inline kernel's sites are where the types of what it captured are known.
    let sites = if parsed.is_inline { Vec::new() } else { sites(parsed) };
    if only_params && methods.is_empty() && found.entries.is_empty() && sites.is_empty() && compared(parsed).is_empty()
    {
        return TokenStream::new();
    }
    let tables = tables(parsed, &methods, found, &sites);
    quote!(tables: || #tables,)
}

/// The tables, with the methods of bounds and those that are found where they are called.
fn tables(
    parsed: &Parsed,
    methods: &[TokenStream],
    Found { items, entries }: Found,
    sites: &[Site<'_>],
) -> TokenStream {
    let types = parsed.types.iter().map(type_value);
    let consts = parsed.consts.iter().map(|c| quote!(::syclone::abi::DeviceConst::device_const(&(#c))));
    let callees = parsed.callees.iter().map(|c| callee_path(c, "__bound"));
    let tables = quote!(::syclone::abi::Tables::new(
        [#(#types),*], [#(#consts),*], [#(#callees),*], [#(#methods,)* #(#entries),*]
    ));
    let compared = compared(parsed);
    let tables = match &compared[..] {
        [] => tables,
        types => {
            let of_types = types.iter().map(|ty| {
                let (known, comparison) = comparison_of(ty);
                quote!(|| { #known __compared.with(#comparison) })
            });
            quote!(#tables.with_comparisons([#(#of_types),*]))
        }
    };
    let fallback = (!methods.is_empty()).then(|| no_methods(&called_methods(parsed)));
    let tables = if items.is_empty() && fallback.is_none() { tables } else { quote!({ #items #fallback #tables }) };
    if sites.is_empty() {
        return tables;
    }
    // Beside that block, whose traits and the probe's have methods of one name.
    let methods = found_at(parsed, sites, None);
    quote!((#tables).with_methods(#methods))
}

/// The descriptor of a type as an expression.
fn type_value(ty: &syn::Type) -> TokenStream {
    match ty {
        syn::Type::Infer(_) => quote!(::syclone::abi::Type::Infer),
        syn::Type::Reference(reference) => {
            let inner = type_value(&reference.elem);
            let mutable = reference.mutability.is_some();
            quote!(::syclone::abi::Type::Ref(::std::boxed::Box::new(#inner), #mutable))
        }
        // Any number of parts.
        syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let parts = tuple.elems.iter().map(type_value);
            quote!(::syclone::abi::Type::Tuple(::std::vec![#(#parts),*]))
        }
        // Tuples are no `DeviceCopy`, so arrays of them have no `TreeType`.
        syn::Type::Array(array) if leaves_open(ty) || !matches!(*array.elem, syn::Type::Path(_)) => {
            let (inner, len) = (type_value(&array.elem), &array.len);
            quote!(::syclone::abi::Type::Array(::std::boxed::Box::new(#inner), #len))
        }
        // `Vector<_, _>`, which `Vector::new` stands for, is found by inference as a whole.
        _ if leaves_open(ty) => quote!(::syclone::abi::Type::Infer),
        _ => quote!(<#ty as ::syclone::abi::TreeType>::tree_type()),
    }
}

/// Whether a part of the type is `_`.
pub fn leaves_open(ty: &syn::Type) -> bool {
    struct Finder(bool);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_type_infer(&mut self, _: &'ast syn::TypeInfer) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    syn::visit::Visit::visit_type(&mut finder, ty);
    finder.0
}

/// The sources of the device methods that a generic function may mean, if it calls any method of the user's at all.
///
/// Which of a type parameter's bounds are device traits only rustc can tell, so it is asked for each name that is called:
/// `F::__method_run` is that of the trait that has a `run`, or that of [`no_methods`]. For other types there is [`of_trait`].
fn bound_methods(parsed: &Parsed) -> Vec<TokenStream> {
    let called = called_methods(parsed);
    if called.is_empty() {
        return Vec::new();
    }
    let (mut params, mut others): (Vec<(&Ident, Vec<&syn::Path>)>, Vec<TokenStream>) = (Vec::new(), Vec::new());
    for generics in [&parsed.generics, &parsed.outer] {
        let first = params.len();
        params.extend(generics.type_params().map(|param| (&param.ident, traits(&param.bounds).collect())));
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            let syn::WherePredicate::Type(predicate) = predicate else { continue };
            let ty = &predicate.bounded_ty;
            let name = if let syn::Type::Path(path) = ty { path.path.get_ident() } else { None };
            match params[first..].iter_mut().find(|(param, _)| Some(*param) == name) {
                Some((_, paths)) => paths.extend(traits(&predicate.bounds)),
                None => others.extend(traits(&predicate.bounds).filter_map(|path| of_trait(ty, path, &called))),
            }
        }
    }
    for (param, paths) in params {
        if has_instances(&paths) {
            others.extend(paths.iter().filter_map(|path| of_trait(param, path, &called)));
        } else if !paths.is_empty() {
            others.extend(called.iter().map(|name| quote!(#param::#name)));
        }
    }
    others
}

/// Whether several bounds are instances of one trait, whose methods a name alone does not tell apart.
fn has_instances(paths: &[&syn::Path]) -> bool {
    let names: Vec<_> = paths.iter().filter_map(|path| path.segments.last()).map(|last| &last.ident).collect();
    names.iter().enumerate().any(|(position, name)| names[..position].contains(name))
}

/// The source of a type's methods by a trait. Its supertraits' are found by their names, as those of a type parameter; but
/// no function within a function may mention the outer one's generic parameters, which a trait's arguments may be. A trait
/// with arguments is taken for a device trait, and its supertraits are not asked.
fn of_trait(ty: &impl ToTokens, path: &syn::Path, called: &[Ident]) -> Option<TokenStream> {
    if path.segments.iter().any(|segment| !segment.arguments.is_none()) {
        let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let is_library = LIBRARY_TRAITS.contains(&name.as_str());
        return (!is_library).then(|| quote!(|| ::syclone::abi::methods_of::<#ty>(<#ty as #path>::__device_methods())));
    }
    Some(quote! {{
        fn __of<__S: #path + ::syclone::abi::TreeType>() -> ::std::vec::Vec<::syclone::abi::BoundMethod> {
            ::syclone::abi::methods_from(&[#(__S::#called),*])
        }
        __of::<#ty>
    }})
}

/// The traits among some bounds.
fn traits<'a>(bounds: impl IntoIterator<Item = &'a syn::TypeParamBound>) -> impl Iterator<Item = &'a syn::Path> {
    bounds.into_iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => Some(&bound.path),
        _ => None,
    })
}

/// What a type parameter's name leads to where no bound has the method: an empty list. A bound's own comes first.
fn no_methods(called: &[Ident]) -> TokenStream {
    quote! {
        #[allow(dead_code)]
        trait __NoMethods {
            #(fn #called() -> ::std::vec::Vec<::syclone::abi::BoundMethod> { ::std::vec::Vec::new() })*
        }
        impl<__T: ?::core::marker::Sized> __NoMethods for __T {}
    }
}

/// The function of a trait that gives its method `name`, for the type that implements it.
pub fn method_source(name: &str, span: Span) -> Ident {
    format_ident!("__method_{}", name.trim_start_matches("r#"), span = span)
}

/// Traits with arguments that are no device traits.
#[rustfmt::skip]
const LIBRARY_TRAITS: &[&str] = &[
    "PartialEq", "PartialOrd", "Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "AddAssign",
    "SubAssign", "MulAssign", "DivAssign", "From", "Into", "ReduceOp", "Lanes",
];

/// The [`method_source`]s of the methods in a body that are not built in, each once. Instances of generic methods are found
/// at their [`sites`].
fn called_methods(parsed: &Parsed) -> Vec<Ident> {
    fn search(parsed: &Parsed, expr: &Expr, found: &mut Vec<Ident>) {
        if let ExprKind::Method { name, types, consts, .. } = &expr.kind
            && types.is_empty()
            && consts.is_empty()
            && !is_builtin_method(name)
        {
            let span = parsed.spans.get(expr.span.0 as usize).copied().unwrap_or_else(Span::call_site);
            let source = method_source(name, span.resolved_at(Span::call_site()));
            if !found.contains(&source) {
                found.push(source);
            }
        }
        each_child(expr, &mut |child| search(parsed, child, found));
    }
    let (block, mut found) = (&parsed.function.body, Vec::new());
    block.stmts.iter().for_each(|(Stmt::Let { init: e, .. } | Stmt::Expr(e))| search(parsed, e, &mut found));
    block.tail.iter().for_each(|tail| search(parsed, tail, &mut found));
    found
}
