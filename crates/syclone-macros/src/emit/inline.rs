//! `kernel!(|item: Item<1>| …)`: a kernel at the place where it is launched, with captured arguments.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syclone_kernel_ast::tree::{FunctionKind, ParamRole};

use super::bound::bound_value;
use super::kernel::{bodies, dims};
use super::allowances;
use crate::frontend::Inline;

/// The expansion: an expression that is a kernel.
pub fn inline(inline: Inline) -> syn::Result<TokenStream> {
    let Inline { mut parsed, captures } = inline;
    let dims = dims(parsed.function.kind);
    let bound = bound_value(&parsed);
    // What a captured variable is, its type tells later; until then it may be memory that other items write.
    for param in &mut parsed.function.params {
        if param.role == ParamRole::Value {
            param.role = ParamRole::ItemMut;
        }
    }
    let bodies = bodies(&parsed, None)?;
    let form = match parsed.function.kind {
        FunctionKind::Range { .. } => quote!(::syclone::abi::RangeForm),
        FunctionKind::NdRange { .. } => quote!(::syclone::abi::NdRangeForm),
        _ => quote!(::syclone::abi::SingleTaskForm),
    };
    let names: Vec<Ident> = captures.iter().map(|c| crate::frontend::make_ident(&c.to_string(), c.span().resolved_at(proc_macro2::Span::call_site()))).collect();
    let allow = allowances();
    let unpack = quote!(let (#(#names,)*) = __params;);
    let regions = bodies.regions.as_ref().map_or_else(
        || quote!(::syclone::abi::NoForm),
        |body| {
            quote!(#[inline(always)] |__params, __g: &::syclone::abi::GroupCx<#dims>| {
                #unpack
                let mut __oob = ::syclone::abi::Oob::new();
                #body
                __g.report(__oob);
            })
        },
    );
    let lock_step = bodies.lock_step.as_ref().map_or_else(
        || quote!(::syclone::abi::no_lock_step),
        |body| quote!(#[inline(always)] |__params, __g: &::syclone::abi::GroupCx<#dims>| { #unpack #body }),
    );
    let reason = bodies.reason.map_or_else(|| quote!(::core::option::Option::None), |r| quote!(::core::option::Option::Some(#r)));
    let text_names = captures.iter().map(Ident::to_string);
    let site = quote!(::syclone::abi::InlineSite {
        name: ::core::concat!("kernel! in ", ::core::file!(), ":", ::core::line!()),
        module: ::core::module_path!(),
        parameters: &[#(#text_names),*],
        not_split: #reason,
    });
    let constructor = if bodies.regions.is_some() { quote!(inline_kernel) } else { quote!(inline_lock_step_kernel) };
    let forms = if bodies.regions.is_some() { quote!(#regions, #lock_step) } else { quote!(#lock_step) };
    Ok(quote! {
        {
            #allow
            let __kernel = ::syclone::abi::#constructor::<#dims, #form, _, _, _>(
                #site,
                (#(::syclone::abi::Capture::capture(#captures),)*),
                || #bound,
                #forms,
            );
            __kernel
        }
    })
}
