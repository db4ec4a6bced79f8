//! `#[device_fn]` on a free function.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::plan::{Storage, Verdict, plan};
use syclone_kernel_ast::analysis::sync::Roles;
use syclone_kernel_ast::tree::*;

use super::bound::bound_value;
use super::callable::callable;
use super::device_impl::misplaced_function;
use super::lock_step::{item_body, note_item};
use super::printer::{Form, Printer};
use super::regions::{Regions, per_item};
use super::{allowances, analysis_error, dims_of, hidden_type, let_oob};
use crate::frontend::{ParamTokens, Parsed};

/// The whole expansion: the function itself, callable on the host, and a type of the same name (in the name space
/// of types, so that an import of the one imports the other), which is another name of the one that holds what kernels call.
pub fn device_fn(parsed: &Parsed) -> syn::Result<TokenStream> {
    let Parsed { vis, ident, .. } = parsed;
    if let Some(inside) = parsed.misplaced {
        return Ok(misplaced_function(parsed, inside));
    }
    let (host, hidden) =
        if parsed.function.kind == FunctionKind::Collective { collective(parsed)? } else { single(parsed) };
    let (holder, span, callable) = (holder(parsed), ident.span(), callable([parsed], &format_ident!("__HasDeviceFn")));
    // With the name's span, so that rustc shows it where a type or module has it too.
    let name = quote_spanned!(span=> #vis type #ident = #holder;);
    Ok(quote! {
        #host
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #holder {}
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #name
        #[doc(hidden)]
        const _: () = {
            #callable
            impl #holder { #hidden }
        };
    })
}

/// The type that holds what kernels call.
fn holder(parsed: &Parsed) -> Ident {
    hidden_type("device", &parsed.ident)
}

fn single(parsed: &Parsed) -> (TokenStream, TokenStream) {
    let ident = holder(parsed);
    let generics = turbofish(parsed);
    let host = host_function(parsed, quote!(#ident::__device #generics), Taken::Plain);
    let device = device_function(parsed, &format_ident!("__device"), quote!(pub), Taken::Plain);
    let bound = bound_function(parsed, &format_ident!("__bound"), quote!(pub));
    (host, quote!(#device #bound))
}

/// How a hidden function takes the accumulator of faults, always as its last argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// As the reference that it is.
    Plain,
    /// As that of no [instance](super::device_impl) of a trait with parameters. What may be a method of such a trait is called
    /// with a type of the library's own, which rustc takes for no other argument where the user leaves one out.
    OfNoInstance,
}

/// The user's signature with a body that calls the hidden function. Kernels call the hidden function itself, so a
/// private one that only they use must not be reported as dead.
pub fn host_function(parsed: &Parsed, hidden: TokenStream, taken: Taken) -> TokenStream {
    let Parsed { vis, attrs, .. } = parsed;
    let (sig, names) = (host_signature(parsed), parsed.params.iter().map(|p| &p.ident));
    // Nothing on the host has a turn at the memory of a handle, if ever one came there.
    let body = if parsed.params.iter().all(|p| of_the_host(p.role)) {
        let oob = quote!(&mut unsafe { ::syclone::abi::Oob::new() });
        match taken {
            Taken::Plain => quote!(#hidden(#(#names,)* #oob)),
            Taken::OfNoInstance => quote!(#hidden(#(#names,)* ::syclone::abi::Oob::of(#oob))),
        }
    } else {
        quote!(let _ = (#(&#names,)*); ::syclone::abi::only_in_kernels())
    };
    quote! {
        #(#attrs)*
        #[inline]
        #[allow(dead_code)]
        #vis #sig { #body }
    }
}

/// The user's signature for a body that changes none of the parameters.
pub fn host_signature(parsed: &Parsed) -> syn::Signature {
    let mut sig = parsed.sig.clone();
    for input in &mut sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => receiver.mutability = None,
            syn::FnArg::Typed(typed) => {
                if let syn::Pat::Ident(name) = &mut *typed.pat {
                    name.mutability = None;
                }
            }
        }
    }
    sig
}

/// Whether what the parameter takes exists outside of kernels.
fn of_the_host(role: ParamRole) -> bool {
    matches!(role, ParamRole::Value | ParamRole::Reference { .. } | ParamRole::Spec | ParamRole::SubGroup)
}

/// The hidden function that kernels call: the user's body, with the accumulator of faults as its last parameter.
pub fn device_function(parsed: &Parsed, name: &Ident, vis: TokenStream, taken: Taken) -> TokenStream {
    let Parsed { sig, function, .. } = parsed;
    let roles = Roles::of(function);
    let printer = Printer::new(parsed, function, &roles, Form::Device);
    let body = printer.block(&function.body);
    let mut sig = sig.clone();
    sig.ident = name.clone();
    rename_params(&mut sig, parsed, &printer);
    sig.inputs.push(match taken {
        Taken::Plain => syn::parse_quote!(__oob: &mut ::syclone::abi::Oob),
        Taken::OfNoInstance => {
            syn::parse_quote!(::syclone::abi::OobOf { oob: __oob, .. }: ::syclone::abi::OobOf<'_, ()>)
        }
    });
    let allow = allowances();
    quote! {
        #[doc(hidden)]
        #[inline(always)]
        #allow
        #vis #sig #body
    }
}

/// Parameters take the names that the printer gives them.
fn rename_params(sig: &mut syn::Signature, parsed: &Parsed, printer: &Printer<'_>) {
    for (input, param) in sig.inputs.iter_mut().zip(&parsed.function.params) {
        if let syn::FnArg::Typed(typed) = input {
            let name = printer.var(param.var);
            let mutable = parsed.function.vars[param.var.0 as usize].mutable.then(|| quote!(mut));
            typed.attrs.clear();
            *typed.pat = syn::parse_quote!(#mutable #name);
        }
    }
}

/// The hidden function that gives the bound tree.
pub fn bound_function(parsed: &Parsed, name: &Ident, vis: TokenStream) -> TokenStream {
    let value = bound_value(parsed);
    let (impl_generics, _, where_clause) = parsed.generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #vis fn #name #impl_generics () -> ::std::sync::Arc<::syclone::abi::BoundFunction> #where_clause { #value }
    }
}

/// `::<T, N>` with the function's own generic parameters.
pub fn turbofish(parsed: &Parsed) -> Option<TokenStream> {
    let names: Vec<&Ident> = parsed
        .generics
        .params
        .iter()
        .filter_map(|p| match p {
            syn::GenericParam::Type(t) => Some(&t.ident),
            syn::GenericParam::Const(c) => Some(&c.ident),
            syn::GenericParam::Lifetime(_) => None,
        })
        .collect();
    (!names.is_empty()).then(|| quote!(::<#(#names),*>))
}

/// A function that may synchronise: `__group` runs it for all items of a group, `__lock_step` for one as a future.
fn collective(parsed: &Parsed) -> syn::Result<(TokenStream, TokenStream)> {
    let Parsed { vis, attrs, sig, ident, .. } = parsed;
    let mut host_sig = sig.clone();
    for input in &mut host_sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            typed.attrs.clear();
            *typed.pat = syn::parse_quote!(_);
        }
    }
    let host = quote! {
        #(#attrs)*
        #[allow(unused)]
        #vis #host_sig { ::syclone::abi::only_in_kernels() }
    };
    let item =
        parsed.params.iter().find(|p| p.role == ParamRole::NdItem).expect("a collective function takes the item");
    let dims = dims_of(&item.ty);
    let dims: usize = dims.to_string().trim().parse().map_err(|_| {
        syn::Error::new_spanned(&item.ty, "a device function that synchronises needs a literal number of dimensions\nwrite `NdItem<1>`, `NdItem<2>` or `NdItem<3>`")
    })?;
    let ret = parsed.ret.as_ref().map_or_else(|| quote!(()), |ty| quote!(#ty));
    let others: Vec<(usize, &ParamTokens)> =
        parsed.params.iter().enumerate().filter(|(_, p)| p.role != ParamRole::NdItem).collect();
    if let Some((_, reference)) = others.iter().find(|(_, p)| matches!(p.role, ParamRole::Reference { .. })) {
        return Err(syn::Error::new_spanned(
            &reference.ty,
            "a device function that synchronises cannot take a reference\ntake the value and return the new one",
        ));
    }
    let group = group_function(parsed, dims, &others, &ret)?;
    let (_, body, item_name) = item_body(parsed)?;
    let (impl_generics, _, where_clause) = parsed.generics.split_for_impl();
    let function = &parsed.function;
    let roles = Roles::of(function);
    let printer = Printer::new(parsed, function, &roles, Form::LockStep);
    let names = others.iter().map(|(index, _)| printer.var(function.params[*index].var));
    let types = others.iter().map(|(_, p)| &p.ty);
    let generics = parsed.generics.params.iter();
    let allow = allowances();
    let bound = bound_function(parsed, &format_ident!("__bound"), quote!(pub));
    let span = ident.span();
    let (note, oob) = (note_item(parsed), let_oob());
    let hidden = quote_spanned! {span=>
        #group
        #[doc(hidden)]
        #allow
        pub async fn __lock_step<#(#generics),*>(__ax: ::syclone::abi::lock_step::Cx<'_, #dims>, #(#names: #types),*) -> #ret #where_clause {
            let #item_name = __ax.group().nd_item(__ax.group().local_of(__ax.index()));
            #oob
            #note
            let __result = { #body };
            __ax.report(__oob);
            __result
        }
        #bound
    };
    let _ = impl_generics;
    Ok((host, hidden))
}

fn group_function(
    parsed: &Parsed,
    dims: usize,
    others: &[(usize, &ParamTokens)],
    ret: &TokenStream,
) -> syn::Result<TokenStream> {
    // The value becomes an assignment, so that the planner stores it like any other variable.
    let mut with_result = clone_with_result(&parsed.function);
    let result = VarId(with_result.vars.len() as u32 - 1);
    let (where_clause, generics) = (&parsed.generics.where_clause, parsed.generics.params.iter());
    let args: Vec<Ident> =
        others.iter().map(|(index, _)| format_ident!("__arg_{}", parsed.function.params[*index].var.0)).collect();
    let types: Vec<&syn::Type> = others.iter().map(|(_, p)| &p.ty).collect();
    let (allow, oob) = (allowances(), let_oob());
    if parsed.ret.is_none() {
        with_result = parsed.function.clone();
    }
    let body = match plan(&with_result).map_err(|e| analysis_error(parsed, &e))? {
        Verdict::Split(mut plan) => {
            let function = plan.function.clone();
            let roles = plan.roles.clone();
            let printer = Printer::new(parsed, &function, &roles, Form::Loops { alive: plan.needs_alive });
            let varies = |p: &ParamTokens| matches!(p.role, ParamRole::Value);
            let item_args: Vec<VarId> =
                others.iter().filter(|(_, p)| varies(p)).map(|(index, _)| plan.function.params[*index].var).collect();
            let handles: TokenStream = others
                .iter()
                .filter(|(_, p)| !varies(p))
                .map(|(index, _)| {
                    let var = plan.function.params[*index].var;
                    let (name, arg) = (printer.var(var), format_ident!("__arg_{}", var.0));
                    quote!(let #name = ::syclone::abi::GroupArg::get(&#arg, 0);)
                })
                .collect();
            let value = if parsed.ret.is_none() {
                quote!(__g.per_item::<()>())
            } else if plan.storage[result.0 as usize] == Storage::Scalar {
                let name = printer.var(result).clone();
                quote!({ let __result = __g.per_item(); __result.fill(#name, __g.size()); __result })
            } else {
                plan.storage[result.0 as usize] = Storage::PerItem;
                let array = per_item(result);
                quote!(#array)
            };
            let regions = Regions::new(parsed, &plan, dims, item_args);
            let body = regions.body(quote!(__g.local_range), quote!(#value));
            quote! {
                #handles
                #oob
                let __result: ::syclone::abi::PerItem<#ret> = { #body };
                __g.report(__oob);
            }
        }
        Verdict::LockStep { .. } => {
            let (_, body, item) = item_body(parsed)?;
            let note = note_item(parsed);
            let roles = Roles::of(&parsed.function);
            let printer = Printer::new(parsed, &parsed.function, &roles, Form::LockStep);
            let loads = others.iter().map(|(index, _)| {
                let var = parsed.function.params[*index].var;
                let (name, arg) = (printer.var(var), format_ident!("__arg_{}", var.0));
                quote!(let #name = ::syclone::abi::GroupArg::get(&#arg, __ax.index());)
            });
            quote! {
                let __result: ::syclone::abi::PerItem<#ret> = __g.per_item();
                ::syclone::abi::lock_step::run(__g, |#item: ::syclone::kernel::NdItem<#dims>, __ax: ::syclone::abi::lock_step::Cx<'_, #dims>| {
                    #(#loads)*
                    async move {
                        let __value = async move {
                            #oob
                            #note
                            let __value: #ret = { #body };
                            __ax.report(__oob);
                            __value
                        }.await;
                        __result.set(__ax.index(), __value);
                    }
                });
            }
        }
    };
    Ok(quote! {
        #[doc(hidden)]
        #[inline(always)]
        #allow
        pub fn __group<#(#generics),*>(__g: &::syclone::abi::GroupCx<#dims>, #(#args: impl ::syclone::abi::GroupArg<#types>),*) -> ::syclone::abi::PerItem<#ret> #where_clause {
            #body
            __result
        }
    })
}

/// The function with its tail assigned to a new variable, the last one.
fn clone_with_result(function: &Function) -> Function {
    let mut out = function.clone();
    let span = function.body.tail.as_ref().map_or(SpanId(0), |tail| tail.span);
    out.vars.push(Variable { name: "__value_of_call".into(), mutable: true, span });
    let var = VarId(out.vars.len() as u32 - 1);
    if let Some(tail) = out.body.tail.take() {
        let place = Expr { kind: ExprKind::Var(var), span };
        out.body.stmts.push(Stmt::Expr(Expr { kind: ExprKind::Assign(Box::new(place), tail), span }));
    }
    out
}
