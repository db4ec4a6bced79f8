//! The types of a kernel's parameters, of the elements of its memory, and of the values that its body makes, which must be
//! `DeviceCopy`.
//!
//! rustc would report one that is not at each place that needs it: the parameter, every index, the launch's functions.
//! So the kernel's function asks once, at the type itself, and everything else takes it for granted.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::tree::{Expr, ExprKind, ParamRole, Stmt, TypeId};

use super::bound::leaves_open;
use super::passed;
use crate::frontend::{PRIMITIVES, Parsed, elements, type_arguments};

/// What a kernel needs of one type.
enum Need<'a> {
    /// That it is `DeviceCopy`.
    DeviceCopy(&'a syn::Type),
    /// That the second reduces values of the first.
    ReduceOp(&'a syn::Type, &'a syn::Type),
    /// That it is `DeviceCopy`, which its reduction asks for too.
    Reduced(&'a syn::Type),
}

/// Statements that ask for all that the kernel needs, each at its type.
pub fn device_type_checks(parsed: &Parsed) -> TokenStream {
    let span = parsed.ident.span();
    let checks = needs(parsed).into_iter().map(|need| match need {
        Need::DeviceCopy(ty) => quote_spanned!(span=> let _ = ::syclone::abi::role::device_copy::<#ty>;),
        Need::ReduceOp(ty, op) => quote_spanned!(span=> let _ = ::syclone::abi::role::reduced::<#ty, #op>;),
        Need::Reduced(_) => TokenStream::new(),
    });
    checks.collect()
}

/// All that a kernel needs, granted to its code, which is not to report it a second time.
#[derive(Default)]
pub struct Granted {
    /// The where clause of the code, with the kernel's own predicates.
    pub where_clause: Option<syn::WhereClause>,
    /// Other names of the types in it. rustc's words for a type that it does not know are others in a where clause than
    /// elsewhere, and so would be a second error.
    pub names: TokenStream,
}

/// What is granted to the code, the type `code` with the kernel's generic parameters.
///
/// A predicate that holds or not whatever the generic parameters are would be an error itself if it does not: rustc looks at
/// it only where it is used if it begins with `for<…>`.
pub fn granted(parsed: &Parsed, code: &Ident) -> Granted {
    let (impl_generics, type_generics, own) = parsed.generics.split_for_impl();
    let mut predicates = Vec::new();
    let mut names = TokenStream::new();
    for (position, need) in needs(parsed).into_iter().enumerate() {
        let name = quote!(<#code #type_generics as ::syclone::abi::Named<#position>>::Type);
        let (ty, predicate) = match need {
            Need::DeviceCopy(ty) | Need::Reduced(ty) if is_bounded_parameter(parsed, ty) => continue,
            Need::DeviceCopy(ty) | Need::Reduced(ty) => (ty, quote!(#name: ::syclone::types::DeviceCopy)),
            Need::ReduceOp(ty, op) => (op, quote!(#name: ::syclone::types::ops::ReduceOp<#ty>)),
        };
        names.extend(quote_spanned! {code.span()=>
            impl #impl_generics ::syclone::abi::Named<#position> for #code #type_generics #own {
                type Type = <() as ::syclone::abi::Same<#ty>>::Type;
            }
        });
        predicates.push(quote!(for<'__granted> #predicate));
    }
    let mut generics = parsed.generics.clone();
    if !predicates.is_empty() {
        generics
            .make_where_clause()
            .predicates
            .extend(predicates.into_iter().map(|tokens| -> syn::WherePredicate { syn::parse_quote!(#tokens) }));
    }
    Granted { where_clause: generics.where_clause, names }
}

/// Each need once, as far as the language's own types do not meet it.
fn needs(parsed: &Parsed) -> Vec<Need<'_>> {
    let mut seen = BTreeSet::new();
    let of_params = passed(parsed).into_iter().flat_map(|param| {
        let mut arguments = type_arguments(&param.ty);
        match param.role {
            ParamRole::Value => [Some(Need::DeviceCopy(elements(&param.ty))), None],
            ParamRole::Reducer => match (arguments.next(), arguments.next()) {
                (Some(ty), Some(op)) => [Some(Need::ReduceOp(ty, op)), Some(Need::Reduced(ty))],
                _ => [None, None],
            },
            _ => [arguments.next().map(|ty| Need::DeviceCopy(elements(ty))), None],
        }
    });
    let made = made(parsed).into_iter().map(|ty| Some(Need::DeviceCopy(elements(ty))));
    let needs = of_params.chain(made).flatten();
    let is_new = |need: &Need<'_>| match need {
        // The front end says more of a tuple.
        Need::DeviceCopy(syn::Type::Tuple(_)) => false,
        Need::DeviceCopy(ty) | Need::Reduced(ty) if is_primitive(ty) => false,
        Need::DeviceCopy(ty) | Need::Reduced(ty) => seen.insert(ty.to_token_stream().to_string()),
        Need::ReduceOp(..) => true,
    };
    needs.filter(is_new).collect()
}

/// The types of which the body makes values: local memory, and literals of structs.
fn made(parsed: &Parsed) -> Vec<&syn::Type> {
    fn search(expr: &Expr, types: &mut Vec<TypeId>) {
        match &expr.kind {
            ExprKind::Builtin(name, of, _) if name == "local" => types.extend(of.first()),
            ExprKind::Struct(ty, _) | ExprKind::TupleStruct(ty, _) => types.push(*ty),
            _ => {}
        }
        each_child(expr, &mut |child| search(child, types));
    }
    let (body, mut types) = (&parsed.function.body, Vec::new());
    body.stmts.iter().for_each(|(Stmt::Let { init: e, .. } | Stmt::Expr(e))| search(e, &mut types));
    body.tail.iter().for_each(|tail| search(tail, &mut types));
    types.into_iter().map(|ty| &parsed.types[ty.0 as usize]).filter(|ty| !leaves_open(ty)).collect()
}

/// Whether the type is one of the language's numbers, or `bool`, by its name.
pub fn is_primitive(ty: &syn::Type) -> bool {
    let name = if let syn::Type::Path(path) = ty { path.path.get_ident() } else { None };
    name.is_some_and(|name| PRIMITIVES.contains(&name.to_string().as_str()))
}

/// Whether the type is a generic parameter that one of the library's own bounds makes `DeviceCopy`.
fn is_bounded_parameter(parsed: &Parsed, ty: &syn::Type) -> bool {
    const BOUNDS: [&str; 4] = ["DeviceCopy", "Scalar", "Float", "Integer"];
    let syn::Type::Path(path) = ty else { return false };
    let parameter = parsed.generics.type_params().find(|param| path.path.is_ident(&param.ident));
    parameter.is_some_and(|parameter| {
        parameter.bounds.iter().any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => BOUNDS.iter().any(|name| bound.path.is_ident(name)),
            _ => false,
        })
    })
}
