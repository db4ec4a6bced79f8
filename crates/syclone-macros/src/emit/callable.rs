//! Device functions of types that kernels call by a type's path or on a value.
//!
//! Their hidden forms are functions of the type or of a trait, so that rustc, where a type has none of the name, would only
//! say that it lacks `__device_f`. In scope of each call is therefore a trait that every `DeviceFunction` of the library's has,
//! with all names that are called: no type is one, and rustc says what that means.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::ExprKind;

use super::builtin_names::is_builtin_method;
use super::device_fn::turbofish;
use super::found::may_be_value;
use super::printer::callee_path;
use crate::frontend::{Callee, Parsed, is_of_handles};

/// The name of a hidden form of a function of a type.
pub fn hidden(kind: &str, name: &str, span: Span) -> Ident {
    format_ident!("{}_{}", kind, name.trim_start_matches("r#"), span = span)
}

/// An item in the scope of the trait of what the functions in it call.
pub fn with_callable<'a>(functions: impl IntoIterator<Item = &'a Parsed>, item: TokenStream) -> TokenStream {
    let callable = callable(functions, &format_ident!("__HasDeviceFn"));
    if callable.is_empty() { item } else { quote!(const _: () = { #callable #item };) }
}

/// The trait, by this name, of what the functions call, if they call anything of a type.
pub fn callable<'a>(functions: impl IntoIterator<Item = &'a Parsed>, name: &Ident) -> TokenStream {
    let mut names = BTreeSet::new();
    functions.into_iter().for_each(|parsed| note(parsed, &mut names));
    if names.is_empty() {
        return TokenStream::new();
    }
    let names = names.iter();
    quote_spanned! {Span::call_site()=>
        #[allow(dead_code, non_camel_case_types)]
        trait #name {
            #(fn #names(&self) {})*
        }
        impl<__T: ::syclone::abi::DeviceFunction + ?::core::marker::Sized> #name for __T {}
    }
}

/// Notes the hidden names of what a function calls of types.
fn note(parsed: &Parsed, names: &mut BTreeSet<Ident>) {
    each_expr(&parsed.function.body, &mut |expr| {
        if let ExprKind::Method { receiver, name, .. } = &expr.kind
            && !is_builtin_method(name)
            && !is_of_handles(name)
            && may_be_value(parsed, receiver)
        {
            names.insert(hidden("__device", name, Span::call_site()));
        }
    });
    let paths = parsed.callees.iter().filter_map(|callee| match callee {
        Callee::Assoc { name, .. } => Some(hidden("__device", &name.to_string(), Span::call_site())),
        Callee::Free { .. } => None,
    });
    names.extend(paths);
}

/// The hidden function by which a path to a device function finds its tree.
pub fn by_path(parsed: &Parsed, vis: &TokenStream, bound: &Ident) -> TokenStream {
    let name = hidden("__path", &parsed.ident.to_string(), parsed.ident.span());
    let (generics, _, where_clause) = parsed.generics.split_for_impl();
    let own = turbofish(parsed);
    quote! {
        #[doc(hidden)]
        #[inline(always)]
        #[allow(dead_code)]
        #vis fn #name #generics (self: &::std::rc::Rc<Self>) -> ::syclone::abi::BindFn #where_clause {
            Self::#bound #own
        }
    }
}

/// The trees of the functions that are called by paths, and a trait that stands in for those that do not exist.
pub fn callees(parsed: &Parsed) -> (TokenStream, Vec<TokenStream>) {
    let mut stand_ins = BTreeSet::new();
    let trees = parsed.callees.iter().map(|callee| match callee {
        Callee::Assoc { prefix, name, generics: None, of_trait: false } if !may_be_unsized(parsed, prefix) => {
            let (text, span) = (name.to_string(), name.span());
            stand_ins.insert(hidden("__path", &text, Span::call_site()));
            let finder = hidden("__path", &text, span);
            quote!(#prefix::__of_type(|__x| __x.#finder()))
        }
        _ => callee_path(callee, "__bound"),
    });
    let trees = trees.collect();
    if stand_ins.is_empty() {
        return (TokenStream::new(), trees);
    }
    let names = stand_ins.iter();
    let items = quote_spanned! {Span::call_site()=>
        #[allow(dead_code)]
        trait __Paths {
            #(fn #names(&self) -> ::syclone::abi::BindFn { ::syclone::abi::any() })*
        }
        impl<__T> __Paths for &::std::rc::Rc<__T> {}
        use ::syclone::abi::OfType as _;
    };
    (items, trees)
}

/// Whether it is `Self` where that may be a trait's, of any type.
fn may_be_unsized(parsed: &Parsed, prefix: &TokenStream) -> bool {
    let clauses = parsed.outer.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_self = |predicate: &syn::WherePredicate| match predicate {
        syn::WherePredicate::Type(predicate) => predicate.bounded_ty.to_token_stream().to_string() == "Self",
        _ => false,
    };
    prefix.to_string() == "Self" && clauses.into_iter().any(of_self)
}
