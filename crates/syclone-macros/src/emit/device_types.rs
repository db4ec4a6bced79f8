//! The types of a kernel's parameters, of the elements of its memory, and of the values that its body makes, which must be
//! `DeviceCopy`.
//!
//! rustc would report one that is not at each place that needs it: the parameter, every index, the launch's functions.
//! So the kernel's function asks once, at the type itself, and everything else takes it for granted.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::{ExprKind, ParamRole};

use super::bound::leaves_open;
use super::numbers::is_bounded;
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

/// All that a kernel needs, granted to its code, which is not to report it a second time.
pub struct Granted {
    /// The where clause of the code, with the kernel's own predicates.
    pub where_clause: Option<syn::WhereClause>,
    /// Other names of the types in it. rustc's words for a type that it does not know are others in a where clause than
    /// elsewhere, and so would be a second error.
    pub names: TokenStream,
}

/// All that a kernel needs of types.
pub struct DeviceTypes<'a> {
    parsed: &'a Parsed,
    needs: Vec<Need<'a>>,
}

impl<'a> DeviceTypes<'a> {
    /// Looks at the parameters and the body.
    pub fn of(parsed: &'a Parsed) -> Self {
        DeviceTypes { parsed, needs: needs(parsed) }
    }

    /// Statements that ask for all of it, each at its type.
    pub fn checks(&self) -> TokenStream {
        let span = self.parsed.ident.span();
        let checks = self.needs.iter().map(|need| match need {
            Need::DeviceCopy(ty) => quote_spanned!(span=> let _ = ::syclone::abi::role::device_copy::<#ty>;),
            Need::ReduceOp(ty, op) => quote_spanned!(span=> let _ = ::syclone::abi::role::reduced::<#ty, #op>;),
            Need::Reduced(_) => TokenStream::new(),
        });
        checks.collect()
    }

    /// What is granted to the code, the type `code` with the kernel's generic parameters.
    ///
    /// A predicate that holds or not whatever the generic parameters are would be an error itself if it does not: rustc looks at
    /// it only where it is used if it begins with `for<…>`.
    pub fn granted(&self, code: &Ident) -> Granted {
        let parsed = self.parsed;
        let (impl_generics, type_generics, own) = parsed.generics.split_for_impl();
        let mut predicates = Vec::new();
        let mut names = TokenStream::new();
        for (position, need) in self.needs.iter().enumerate() {
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
    let mut types = Vec::new();
    each_expr(&parsed.function.body, &mut |expr| match &expr.kind {
        ExprKind::Builtin(name, of, _) if name == "local" => types.extend(of.first()),
        ExprKind::Struct(ty, _) | ExprKind::TupleStruct(ty, _) => types.push(ty),
        _ => {}
    });
    types.into_iter().map(|ty| &parsed.types[ty.0 as usize]).filter(|ty| !leaves_open(ty)).collect()
}

/// Whether the type is one of the language's numbers, or `bool`, by its name.
pub fn is_primitive(ty: &syn::Type) -> bool {
    let name = if let syn::Type::Path(path) = ty { path.path.get_ident() } else { None };
    name.is_some_and(|name| PRIMITIVES.contains(&name.to_string().as_str()))
}

/// Whether the type is a generic parameter that one of the library's own bounds makes `DeviceCopy`.
fn is_bounded_parameter(parsed: &Parsed, ty: &syn::Type) -> bool {
    let parameter = if let syn::Type::Path(path) = ty { path.path.get_ident() } else { None };
    let bounds = ["DeviceCopy", "Scalar", "Float", "Integer"];
    parameter.is_some_and(|parameter| is_bounded(&parsed.generics, parameter, &bounds))
}
