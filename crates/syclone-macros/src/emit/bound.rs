//! The tree as macro output: one string, and the tables that only rustc can fill.

use proc_macro2::TokenStream;
use quote::quote;
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::encode::encode;
use syclone_kernel_ast::tree::*;

use super::builtin_names::is_builtin_method;
use super::found::{Found, found};
use super::printer::callee_path;
use crate::frontend::Parsed;

/// The tree as a string literal.
pub fn encoded(parsed: &Parsed) -> TokenStream {
    let text = encode(&parsed.function);
    quote!(#text)
}

/// The expression that binds the tree.
pub fn bound_value(parsed: &Parsed) -> TokenStream {
    let (text, tables) = (encoded(parsed), tables(parsed));
    quote!(::syclone::abi::bind(#text, #tables))
}

/// The field of a kernel's description with the tables, where they hold more than the types of its parameters, which the
/// library knows. They come first.
pub fn tables_field(parsed: &Parsed) -> TokenStream {
    let of_params = parsed.function.params.iter().map(|p| p.ty.0 as usize + 1).max().unwrap_or(0);
    let only_params = parsed.types.len() == of_params && parsed.consts.is_empty() && parsed.callees.is_empty();
    if only_params && bound_methods(parsed).is_empty() && found(parsed).entries.is_empty() {
        return TokenStream::new();
    }
    let tables = tables(parsed);
    quote!(tables: || #tables,)
}

fn tables(parsed: &Parsed) -> TokenStream {
    let types = parsed.types.iter().map(type_value);
    let consts = parsed.consts.iter().map(|c| quote!(::syclone::abi::DeviceConst::device_const(&(#c))));
    let callees = parsed.callees.iter().map(|c| callee_path(c, "__bound"));
    let methods = bound_methods(parsed);
    let Found { items, entries } = found(parsed);
    let tables = quote!(::syclone::abi::Tables::new(
        [#(#types),*], [#(#consts),*], [#(#callees),*], [#(#methods,)* #(#entries),*]
    ));
    if items.is_empty() { tables } else { quote!({ #items #tables }) }
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
        syn::Type::Tuple(tuple) if leaves_open(ty) => {
            let parts = tuple.elems.iter().map(type_value);
            quote!(::syclone::abi::Type::Tuple(::std::vec![#(#parts),*]))
        }
        syn::Type::Array(array) if leaves_open(ty) => {
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

/// The device methods of generic parameters, by the traits that bound them, if any method is called at all.
fn bound_methods(parsed: &Parsed) -> Vec<TokenStream> {
    if !calls_unknown_method(&parsed.function.body) {
        return Vec::new();
    }
    let mut methods = Vec::new();
    let mut add = |ty: TokenStream, bounds: &mut dyn Iterator<Item = &syn::TypeParamBound>| {
        for bound in bounds {
            if let syn::TypeParamBound::Trait(bound) = bound {
                let path = &bound.path;
                let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
                if !LIBRARY_TRAITS.contains(&name.as_str()) {
                    methods.push(quote!((<#ty as ::syclone::abi::TreeType>::tree_type, <#ty as #path>::__device_methods as fn() -> _)));
                }
            }
        }
    };
    for generics in [&parsed.generics, &parsed.outer] {
        for param in generics.type_params() {
            let ident = &param.ident;
            add(quote!(#ident), &mut param.bounds.iter());
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate {
                let ty = &predicate.bounded_ty;
                add(quote!(#ty), &mut predicate.bounds.iter());
            }
        }
    }
    methods
}

/// Traits of bounds that are no device traits of the user's.
const LIBRARY_TRAITS: &[&str] = &[
    "Copy",
    "Clone",
    "Send",
    "Sync",
    "Sized",
    "PartialEq",
    "PartialOrd",
    "Eq",
    "Ord",
    "Default",
    "Debug",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "From",
    "Into",
    "DeviceCopy",
    "Scalar",
    "Float",
    "Integer",
    "ReduceOp",
    "Lanes",
    "AtomicScalar",
    "AtomicInteger",
];

fn calls_unknown_method(block: &Block) -> bool {
    fn search(expr: &Expr) -> bool {
        let mut found = matches!(&expr.kind, ExprKind::Method { name, .. } if !is_builtin_method(name));
        each_child(expr, &mut |child| found = found || search(child));
        found
    }
    block.stmts.iter().any(|s| matches!(s, Stmt::Let { init: e, .. } | Stmt::Expr(e) if search(e)))
        || block.tail.as_ref().is_some_and(|e| search(e))
}
