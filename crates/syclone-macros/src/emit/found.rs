//! Device methods that share their names with built-in ones, which no [site](super::sites) looks for: most calls by such a
//! name are of numbers, and would not be worth one.
//!
//! Each `#[device_fn]` method `f` has a hidden `__find_f`, which gives its tree. A kernel's tables call it on each type of
//! the user's that the kernel spells, and on each constant that it calls such a method on, by the rules by which the native
//! form calls the method itself. Where a type has no such method, one of a trait that is made for this, and for references
//! only, is found instead, a step later, and says so.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::*;

use super::builtin_names::is_builtin_method;
use super::device_fn::turbofish;
use crate::frontend::{PRIMITIVES, Parsed, is_library_trait, is_vector_alias, last_segment, names_const, role_by_name};

/// The hidden function of a device method that gives its tree, by way of a value and of the `instance` that it belongs to.
pub fn finder(parsed: &Parsed, vis: &TokenStream, bound: &Ident, instance: &TokenStream) -> Option<TokenStream> {
    parsed.sig.receiver()?;
    let name = finder_name(&parsed.ident.to_string(), parsed.ident.span());
    let (generics, _, where_clause) = parsed.generics.split_for_impl();
    let own = turbofish(parsed);
    Some(quote! {
        #[doc(hidden)]
        #[inline(always)]
        #[allow(dead_code)]
        #vis fn #name #generics (
            &self,
            _: ::syclone::abi::Instance<#instance>,
        ) -> ::core::option::Option<::syclone::abi::BindFn> #where_clause {
            ::core::option::Option::Some(Self::#bound #own)
        }
    })
}

pub fn finder_name(method: &str, span: Span) -> Ident {
    format_ident!("__find_{}", method.trim_start_matches("r#"), span = span)
}

/// What tables say of the methods that the function calls.
#[derive(Default)]
pub struct Found {
    /// Items that the entries need.
    pub items: TokenStream,
    /// Where methods come from: functions that give them.
    pub entries: Vec<TokenStream>,
}

/// The methods of the types that the function spells and of the constants on which it calls some.
pub fn found(parsed: &Parsed) -> Found {
    let mut calls = Calls { parsed, names: BTreeSet::new(), on_consts: BTreeSet::new() };
    each_expr(&parsed.function.body, &mut |expr| calls.note(expr));
    if calls.names.is_empty() {
        return Found::default();
    }
    let span = Span::call_site();
    let finders = |names: &mut dyn Iterator<Item = &String>| {
        let finders = names.map(|name| {
            let finder = finder_name(name, span);
            quote!((#name, |__x, __of| __x.#finder(__of)))
        });
        quote!(&[#(#finders),*])
    };
    let mut types = Types { parsed, with_parameters: true, seen: BTreeSet::new(), types: Vec::new() };
    parsed.types.iter().for_each(|ty| types.add(ty));
    let of_types = types.types.iter().filter(|ty| !is_ours(ty)).map(|ty| {
        let finders = finders(&mut calls.names.iter());
        quote!(|| ::syclone::abi::found::<#ty>(#finders))
    });
    let of_consts = calls.on_consts.iter().map(|(id, name)| {
        let (value, finders) = (&parsed.consts[*id as usize], finders(&mut std::iter::once(name)));
        quote!(|| ::syclone::abi::found_of::<_, ()>(&(#value), #finders))
    });
    let entries: Vec<TokenStream> = of_types.chain(of_consts).collect();
    if entries.is_empty() {
        return Found::default();
    }
    let nothing = calls.names.iter().map(|name| nothing_found(&finder_name(name, span), 0));
    let items = quote_spanned! {span=>
        #[allow(dead_code)]
        trait __Find { #(#nothing)* }
        impl<__T> __Find for &__T {}
    };
    Found { items, entries }
}

/// The function of a trait that is found where a type has no method, with so many types as its own parameters.
pub fn nothing_found(finder: &Ident, types: usize) -> TokenStream {
    let instance = if types == 0 { quote!(__I) } else { quote!(()) };
    let params = (0..types).map(|position| format_ident!("__T{}", position));
    let params = params.chain((types == 0).then(|| format_ident!("__I")));
    quote! {
        fn #finder<#(#params),*>(&self, _: ::syclone::abi::Instance<#instance>) -> ::core::option::Option<::syclone::abi::BindFn> {
            ::core::option::Option::None
        }
    }
}

/// The types of values that the function spells, those inside of others too.
pub fn spelled_types(parsed: &Parsed) -> Vec<&syn::Type> {
    let mut types = Types { parsed, with_parameters: false, seen: BTreeSet::new(), types: Vec::new() };
    parsed.types.iter().for_each(|ty| types.add(ty));
    types.types
}

/// Whether a type is the library's own or the language's, of which a built-in method is always that.
pub fn is_ours(ty: &syn::Type) -> bool {
    let name = last_segment(ty).map(|last| last.ident.to_string()).unwrap_or_default();
    PRIMITIVES.contains(&name.as_str()) || name == "Vector" || is_vector_alias(&name)
}

/// The calls on values by names of built-in methods.
struct Calls<'a> {
    parsed: &'a Parsed,
    names: BTreeSet<String>,
    on_consts: BTreeSet<(u32, String)>,
}

impl Calls<'_> {
    fn note(&mut self, expr: &Expr) {
        if let ExprKind::Method { receiver, name, types, consts, .. } = &expr.kind
            && types.is_empty()
            && consts.is_empty()
            && is_builtin_method(name)
            && may_be_value(self.parsed, receiver)
        {
            self.names.insert(name.clone());
            if let ExprKind::Const(id) = receiver.kind {
                self.on_consts.insert((id.0, name.clone()));
            }
        }
    }
}

/// Whether a receiver may be a value, and not a handle, the item or a group.
pub fn may_be_value(parsed: &Parsed, receiver: &Expr) -> bool {
    match &receiver.kind {
        ExprKind::Var(var) => parsed.params.iter().all(|p| p.var != *var || is_value(p.role)),
        ExprKind::Method { name, .. } => !matches!(name.as_str(), "group" | "sub_group" | "atomic"),
        _ => true,
    }
}

/// Whether a parameter is a value, or refers to one.
pub fn is_value(role: ParamRole) -> bool {
    matches!(role, ParamRole::Value | ParamRole::Reference { .. } | ParamRole::Spec)
}

/// The types that a function spells, those inside of others too, as far as they may be those of values.
struct Types<'a> {
    parsed: &'a Parsed,
    /// With type parameters that are bounded by other traits than the library's.
    with_parameters: bool,
    seen: BTreeSet<String>,
    types: Vec<&'a syn::Type>,
}

impl<'a> Types<'a> {
    fn add(&mut self, ty: &'a syn::Type) {
        match ty {
            syn::Type::Reference(reference) => self.add(&reference.elem),
            syn::Type::Array(array) => self.add(&array.elem),
            syn::Type::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.add(part)),
            syn::Type::Paren(paren) => self.add(&paren.elem),
            syn::Type::Group(group) => self.add(&group.elem),
            syn::Type::Path(_) => self.add_path(ty),
            _ => {}
        }
    }

    fn add_path(&mut self, ty: &'a syn::Type) {
        let arguments = last_segment(ty).map(|last| &last.arguments);
        let parts = match arguments {
            Some(syn::PathArguments::AngleBracketed(list)) => {
                Some(list.args.iter().filter_map(|argument| match argument {
                    syn::GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                }))
            }
            _ => None,
        };
        let mut parts = parts.into_iter().flatten();
        if role_by_name(ty) != ParamRole::Value {
            // What follows the elements' type is none of a value's: a reducer's operator.
            parts.next().into_iter().for_each(|part| self.add(part));
            return;
        }
        for part in parts {
            if !self.is_const(part) {
                self.add(part);
            }
        }
        if self.is_wanted(ty) && !super::bound::leaves_open(ty) && self.seen.insert(ty.to_token_stream().to_string()) {
            self.types.push(ty);
        }
    }

    /// Whether what the grammar takes for a type is a constant: a const parameter, or a name like those of constants.
    fn is_const(&self, ty: &syn::Type) -> bool {
        let syn::Type::Path(path) = ty else { return false };
        let of = |generics: &syn::Generics| generics.const_params().any(|param| path.path.is_ident(&param.ident));
        of(&self.parsed.generics) || of(&self.parsed.outer) || names_const(&path.path)
    }

    /// Whether a type is no parameter, or one whose bounds may have methods.
    fn is_wanted(&self, ty: &syn::Type) -> bool {
        let syn::Type::Path(path) = ty else { return true };
        let of = |generics: &syn::Generics| generics.type_params().any(|param| path.path.is_ident(&param.ident));
        if !of(&self.parsed.generics) && !of(&self.parsed.outer) {
            return true;
        }
        let name = ty.to_token_stream().to_string();
        let is_bounded = |generics: &syn::Generics| {
            let of_params = generics.type_params().filter(|param| path.path.is_ident(&param.ident));
            let of_clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
            let of_clauses = of_clauses.filter_map(|predicate| match predicate {
                syn::WherePredicate::Type(predicate) => Some(predicate),
                _ => None,
            });
            let of_clauses = of_clauses.filter(|predicate| predicate.bounded_ty.to_token_stream().to_string() == name);
            let bounds = of_params.flat_map(|param| &param.bounds);
            bounds.chain(of_clauses.flat_map(|predicate| &predicate.bounds)).any(is_of_user)
        };
        self.with_parameters && (is_bounded(&self.parsed.generics) || is_bounded(&self.parsed.outer))
    }
}

/// Whether a bound may be a trait of the user's.
fn is_of_user(bound: &syn::TypeParamBound) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| !is_library_trait(&last.ident))
}
