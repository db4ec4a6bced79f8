//! `#[device_fn]` on `impl` blocks and traits.
//!
//! Each function `f` keeps its signature and calls its hidden form `__device_f`, which kernels call; `__bound_f` gives
//! its tree. `__device_methods` of a trait and [`own_lists`] of a type list the functions that have a receiver, for calls
//! whose receiver's type is known only at run time; `__method_f` of a trait gives one of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::bound::method_source;
use super::device_fn::{bound_function, device_function, host_function, turbofish};
use crate::frontend::{Parsed, ParsedImpl, ParsedTrait, last_segment};

/// The expansion of a block.
pub fn device_impl(parsed: &ParsedImpl) -> TokenStream {
    let item = &parsed.item;
    let in_trait = item.trait_.is_some();
    let vis = if in_trait { TokenStream::new() } else { quote!(pub) };
    let functions = parsed.functions.iter().map(|f| {
        let (device, bound) = hidden_names(f);
        let generics = turbofish(f);
        let host = host_function(f, quote!(Self::#device #generics));
        let (device, bound) = (device_function(f, &device, vis.clone()), bound_function(f, &bound, vis.clone()));
        quote!(#host #device #bound)
    });
    // Another name than a trait's: `derive(DeviceCopy)` looks for it where traits are in scope too. A trait's own list has
    // its default functions too, so its implementations leave it alone.
    let methods = (!in_trait).then(|| methods_list(&parsed.functions, &vis, &own_list(next_block(&item.self_ty))));
    // What is no function (associated types and constants) stays as it was.
    let others = item.items.iter().filter(|i| !matches!(i, syn::ImplItem::Fn(_)));
    let (attrs, unsafety, generics, self_ty) = (&item.attrs, &item.unsafety, &item.generics, &item.self_ty);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let of_trait = item.trait_.as_ref().map(|(path, for_token)| quote!(#path #for_token));
    quote! {
        #(#attrs)*
        #unsafety impl #impl_generics #of_trait #self_ty #where_clause {
            #(#others)*
            #(#functions)*
            #methods
        }
    }
}

/// The expansion of a trait.
pub fn device_trait(parsed: &ParsedTrait) -> TokenStream {
    let item = &parsed.item;
    let functions = parsed.functions.iter().map(|f| {
        let (device, bound) = hidden_names(f);
        if f.has_body {
            let generics = turbofish(f);
            let host = host_function(f, quote!(Self::#device #generics));
            let (device, bound) =
                (device_function(f, &device, TokenStream::new()), bound_function(f, &bound, TokenStream::new()));
            return quote!(#host #device #bound);
        }
        let Parsed { attrs, sig, .. } = f;
        let mut hidden = sig.clone();
        hidden.ident = device;
        hidden.inputs.push(syn::parse_quote!(__oob: &mut ::syclone::abi::Oob));
        let (impl_generics, _, where_clause) = f.generics.split_for_impl();
        quote! {
            #(#attrs)*
            #sig;
            #[doc(hidden)]
            #hidden;
            #[doc(hidden)]
            fn #bound #impl_generics () -> ::std::sync::Arc<::syclone::abi::BoundFunction> #where_clause;
        }
    });
    let methods = methods_list(&parsed.functions, &TokenStream::new(), &format_ident!("__device_methods"));
    let sources = method_sources(&parsed.functions);
    let others = item.items.iter().filter(|i| !matches!(i, syn::TraitItem::Fn(_)));
    let (attrs, vis, unsafety, ident) = (&item.attrs, &item.vis, &item.unsafety, &item.ident);
    let (colon, supertraits) = (&item.colon_token, &item.supertraits);
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    quote! {
        #(#attrs)*
        #vis #unsafety trait #ident #impl_generics #colon #supertraits #where_clause {
            #(#others)*
            #(#functions)*
            #methods
            #(#sources)*
        }
    }
}

/// How many blocks without a trait a type may have: `derive(DeviceCopy)` asks for the list of each.
const BLOCKS: usize = 8;

/// The names of a type's lists. Those that no block has are the library's `NoDeviceMethods`'s, which are empty.
pub fn own_lists() -> impl Iterator<Item = Ident> {
    (0..BLOCKS).map(own_list)
}

/// The name of a block's list. It is what rustc says of a block too many.
fn own_list(block: usize) -> Ident {
    format_ident!("__device_fn_block_{}_of_at_most_{}", block, BLOCKS)
}

/// A number that no other block of the type has.
///
/// All functions of a type share one name space, and a block cannot see the others, so blocks are counted as they are
/// expanded, which one compilation does in order and in one process. Types of other modules may have the same name and
/// share its count. It goes round then, and two blocks of one type still differ.
fn next_block(self_ty: &syn::Type) -> usize {
    static EXPANDED: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);
    // `impl Pair<f32>` and `impl<T> Pair<T>` are of one type.
    let name = last_segment(self_ty).map(|last| last.ident.to_string());
    let mut expanded = EXPANDED.lock().unwrap_or_else(PoisonError::into_inner);
    let count = expanded.get_or_insert_default().entry(name.unwrap_or_default()).or_default();
    let number = *count;
    *count = (number + 1) % BLOCKS;
    number
}

fn hidden_names(parsed: &Parsed) -> (Ident, Ident) {
    let ident = &parsed.ident;
    (format_ident!("__device_{}", ident, span = ident.span()), format_ident!("__bound_{}", ident, span = ident.span()))
}

/// The functions with a receiver and without generics of their own.
fn methods(functions: &[Parsed]) -> impl Iterator<Item = &Parsed> {
    functions.iter().filter(|f| f.sig.receiver().is_some() && f.generics.params.is_empty())
}

/// For each method of a trait, the function that gives it for the type that implements it: kernels whose type parameter
/// the trait bounds ask for those that they call.
fn method_sources(functions: &[Parsed]) -> impl Iterator<Item = TokenStream> {
    methods(functions).map(|f| {
        let (method, (_, bound)) = (f.ident.to_string(), hidden_names(f));
        let source = method_source(&method);
        quote! {
            #[doc(hidden)]
            fn #source() -> ::std::vec::Vec<::syclone::abi::BoundMethod>
            where
                Self: ::syclone::abi::TreeType,
            {
                ::syclone::abi::methods_of::<Self>(::std::vec![(#method, Self::#bound)])
            }
        }
    })
}

/// The list called `name` of the [`methods`].
fn methods_list(functions: &[Parsed], vis: &TokenStream, name: &Ident) -> TokenStream {
    let entries = methods(functions).map(|f| {
        let (method, (_, bound)) = (f.ident.to_string(), hidden_names(f));
        quote!((#method, Self::#bound as fn() -> ::std::sync::Arc<::syclone::abi::BoundFunction>))
    });
    quote! {
        #[doc(hidden)]
        #vis fn #name() -> ::std::vec::Vec<(&'static str, fn() -> ::std::sync::Arc<::syclone::abi::BoundFunction>)> {
            ::std::vec![#(#entries),*]
        }
    }
}
