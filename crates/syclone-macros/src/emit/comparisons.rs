//! How values are compared: what tables say of it, and `#[device_fn] impl PartialEq` and `impl PartialOrd`.
//!
//! std's traits have no hidden functions, so that those of such a block are the type's own. The block itself calls them, and
//! a trait of the library's leads from the type to their trees.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::*;

use super::device_fn::{Taken, bound_function, device_function, host_signature};
use super::found::{is_ours, spelled_types};
use crate::frontend::{Parsed, ParsedImpl, last_segment};

/// The statements that ask rustc how values of a type are compared, and the expression of what it said.
pub fn comparison_of(ty: &impl ToTokens) -> (TokenStream, TokenStream) {
    let known = quote! {
        #[allow(unused_imports)]
        use ::syclone::types::compared::NotCompared as _;
        let __compared = ::syclone::types::compared::Compared::<#ty>::new();
    };
    let comparison = quote! {
        ::syclone::types::compared::comparison(
            __compared.equal(), __compared.order(), __compared.device_equal(), __compared.device_order(),
        )
    };
    (known, comparison)
}

/// The types that the function spells of which only an instance knows how its values are compared: those with arguments,
/// and where it compares values, its own parameters and what may be another name of such a type.
pub fn compared(parsed: &Parsed) -> Vec<TokenStream> {
    let compares = compares(parsed);
    let has_arguments = |ty: &syn::Type| last_segment(ty).is_some_and(|last| !last.arguments.is_none());
    let types = spelled_types(parsed).into_iter();
    let spelled = types.filter(|ty| !is_ours(ty) && (compares || has_arguments(ty)));
    let params = [&parsed.generics, &parsed.outer].into_iter().flat_map(|generics| generics.type_params());
    let params = params.filter(|_| compares).map(|param| param.ident.to_token_stream());
    spelled.map(ToTokens::to_token_stream).chain(params).collect()
}

/// Whether the function compares what may be structs or enums by their own comparisons.
pub fn compares_values(parsed: &Parsed) -> bool {
    compares(parsed) && !compared(parsed).is_empty()
}

/// Whether the function compares anything with what is no literal.
fn compares(parsed: &Parsed) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let is_literal = |operand: &Expr| matches!(operand.kind, ExprKind::Lit(_));
    let mut found = false;
    each_expr(&parsed.function.body, &mut |expr| {
        found |= matches!(&expr.kind, ExprKind::Binary(Eq | Ne | Lt | Le | Gt | Ge, left, right)
            if !is_literal(left) && !is_literal(right));
    });
    found
}

/// The expansion of a block of std's trait of this name.
pub fn comparison_impl(parsed: &ParsedImpl, name: &str) -> TokenStream {
    let item = &parsed.item;
    let functions: Vec<_> = parsed
        .functions
        .iter()
        .map(|f| {
            let named = |prefix: &str| format_ident!("__{}_{}_{}", prefix, name, f.ident, span = f.ident.span());
            (f, named("device"), named("bound"))
        })
        .collect();
    let compared = functions.iter().map(|(f, device, _)| {
        let (attrs, sig) = (&f.attrs, host_signature(f));
        let names = f.params.iter().map(|param| &param.ident);
        quote! {
            #(#attrs)*
            #[inline]
            #sig {
                unsafe { ::syclone::types::compared::compare(|__oob| Self::#device(#(#names,)* __oob)) }
            }
        }
    });
    let hidden = functions.iter().map(|(f, device, bound)| {
        let none = TokenStream::new();
        let (device, bound) = (device_function(f, device, none.clone(), Taken::Plain), bound_function(f, bound, none));
        quote!(#[allow(non_snake_case)] #device #[allow(non_snake_case)] #bound)
    });
    let listed = functions.iter().map(|(f, _, bound)| {
        let operator = &f.ident;
        quote!(#operator: ::core::option::Option::Some(Self::#bound as ::syclone::abi::BindFn))
    });
    let (trait_, list) = match functions.first() {
        Some((_, _, bound)) if name == "PartialEq" => {
            (quote!(DevicePartialEq), quote!(const EQ: ::syclone::abi::BindFn = Self::#bound;))
        }
        _ => (
            quote!(DevicePartialOrd),
            quote!(const OPERATORS: ::syclone::types::compared::DeviceComparison =
                ::syclone::types::compared::DeviceComparison { #(#listed,)* ..::syclone::types::compared::NO_OPERATORS };),
        ),
    };
    // What no kernel calls stays as it was.
    let others = item.items.iter().filter(|member| match member {
        syn::ImplItem::Fn(function) => parsed.of.is_of_the_host(&function.sig.ident),
        _ => true,
    });
    let (attrs, generics, self_ty) = (&item.attrs, &item.generics, &item.self_ty);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let of_trait = item.trait_.as_ref().map(|(path, for_token)| quote!(#path #for_token));
    let conditions: Vec<_> = attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    quote! {
        #(#attrs)*
        impl #impl_generics #of_trait #self_ty #where_clause {
            #(#others)*
            #(#compared)*
        }
        #(#conditions)*
        #[doc(hidden)]
        impl #impl_generics #self_ty #where_clause {
            #(#hidden)*
        }
        #(#conditions)*
        #[doc(hidden)]
        impl #impl_generics ::syclone::types::compared::#trait_ for #self_ty #where_clause {
            #list
        }
    }
}
