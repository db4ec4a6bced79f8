//! `kernel!(|item: Item<1>| …)`: a kernel at the place where it is launched, with captured arguments.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::{Block, ExprKind, FunctionKind, ParamRole, VarId};

use super::bound::{calls_field, encoded, tables_field};
use super::callable::callable;
use super::kernel::{bodies, declared_extents, dims, item_check, local_bytes, local_name, size_options};
use super::library_names::name_checks;
use super::operands::{computed_captures, operand_checks};
use super::sites::{found_at, sites};
use super::{allowances, let_oob};
use crate::frontend::Inline;

/// The expansion: an expression that is a kernel.
pub fn inline(inline: Inline) -> syn::Result<TokenStream> {
    let Inline { mut parsed, captures } = inline;
    let dims = dims(parsed.function.kind);
    let (text, calls, tables) = (encoded(&parsed), calls_field(&parsed), tables_field(&parsed));
    // What a captured variable is, its type tells later; until then it may be memory that other items write.
    let reducers = combined(&parsed.function.body);
    for param in &mut parsed.function.params {
        if param.role == ParamRole::Value {
            param.role = if reducers.contains(&param.var) { ParamRole::Reducer } else { ParamRole::ItemMut };
        }
    }
    let extents = declared_extents(&parsed);
    let bodies = bodies(&parsed, extents.clone())?;
    let form = match parsed.function.kind {
        FunctionKind::Range { .. } => quote!(::syclone::abi::RangeForm),
        FunctionKind::NdRange { .. } => quote!(::syclone::abi::NdRangeForm),
        _ => quote!(::syclone::abi::SingleTaskForm),
    };
    // The item comes before the captures.
    let names = parsed.params.iter().skip(parsed.params.len() - captures.len()).map(|p| local_name(&parsed, p));
    let names: Vec<Ident> = names.collect();
    let (allow, oob) = (allowances(), let_oob());
    let item = item_check(&parsed);
    let unpack =
        quote!(#item let (#(#names,)*) = __params; #(let #names = ::syclone::abi::Captured::bind_to(#names, __g);)*);
    let regions = bodies.regions.as_ref().map_or_else(
        || quote!(::syclone::abi::no_form),
        |body| {
            quote!(#[inline(always)] |__params, __g: &::syclone::abi::GroupCx<#dims>| {
                #unpack
                #oob
                #body
                __g.report(__oob);
            })
        },
    );
    let lock_step = bodies.lock_step.as_ref().map_or_else(
        || quote!(::syclone::abi::no_form),
        |body| quote!(#[inline(always)] |__params, __g: &::syclone::abi::GroupCx<#dims>| { #unpack #body }),
    );
    let reason = bodies.reason.map(|(_, r)| quote!(not_split: ::core::option::Option::Some(#r),));
    let has_lock_step = bodies.lock_step.is_some();
    let text_names = captures.iter().map(Ident::to_string).collect::<Vec<_>>().join(" ");
    let (sizes, local_bytes) = (size_options(&parsed, extents), local_bytes(&parsed));
    let meta = quote!(::syclone::abi::KernelMeta {
        lock_step: #has_lock_step,
        #sizes
        #local_bytes
        #reason
        #calls
        #tables
        ..::syclone::abi::KernelMeta::new(
            ::core::concat!("kernel! at ", ::core::file!(), ":", ::core::line!()),
            #text_names,
            #text,
        )
    });
    // At the variable, so that rustc sees one error where it cannot be captured, or computed with where it is.
    let computed = computed_captures(&parsed);
    let first_capture = parsed.params.len() - captures.len();
    let captured = captures.iter().zip(&parsed.params[first_capture..]).map(|(name, param)| {
        let computed = computed.iter().find(|(var, _)| *var == param.var);
        let (span, take) = match computed {
            Some((_, span)) => (name.span().located_at(*span), "__take_number"),
            None => (name.span(), "__take"),
        };
        let (mut name, take) = (name.clone(), Ident::new(take, span));
        name.set_span(span);
        quote!(unsafe { ::syclone::abi::Variable(#name).#take() })
    });
    let (checked_names, operands, callable) =
        (name_checks(&parsed), operand_checks(&parsed), callable([&parsed], &format_ident!("__HasDeviceFn")));
    let sites = sites(&parsed);
    let methods = match &sites[..] {
        [] => quote!(::syclone::abi::no_methods),
        sites => {
            let methods = found_at(&parsed, sites, Some(&names));
            quote!(|__captures| #methods)
        }
    };
    Ok(quote! {
        {
            #checked_names
            #callable
            #operands
            #[allow(unused_imports)]
            use ::syclone::abi::{Take as _, TakeNumber as _, TakeReference as _};
            #allow
            let __kernel = ::syclone::abi::inline_kernel::<#dims, #form, _, _, _>(
                #meta,
                (#(#captured,)*),
                #regions,
                #lock_step,
                #methods,
            );
            __kernel
        }
    })
}

/// The variables on which the body calls `combine`, which only reducers have.
fn combined(body: &Block) -> Vec<VarId> {
    let mut found = Vec::new();
    each_expr(body, &mut |expr| {
        if let ExprKind::Method { receiver, name, .. } = &expr.kind
            && let (ExprKind::Var(var), "combine") = (&receiver.kind, name.as_str())
        {
            found.push(*var);
        }
    });
    found
}
