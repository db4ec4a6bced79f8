//! The proc macros of syclone. The crate `syclone` re-exports them and has their documentation for users.
//!
//! Each macro is the front end ([`frontend`]: tokens to tree, with every error at the user's own token), the analysis
//! of `syclone-kernel-ast`, and the back end ([`emit`]: the native version and the tree as a constant).
#![warn(missing_docs)]

mod derive;
mod emit;
mod frontend;

use proc_macro::TokenStream;

/// Makes a function a kernel.
#[proc_macro_attribute]
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand(frontend::parse_kernel(attr.into(), item.into()).and_then(|parsed| emit::kernel(&parsed)))
}

/// Makes a function, or the functions of an `impl` block or trait, callable from kernels.
#[proc_macro_attribute]
pub fn device_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    let expansion = syn::parse::<syn::Item>(item).and_then(|item| match item {
        syn::Item::Fn(function) => frontend::parse_device_fn(attr.into(), function).and_then(|parsed| emit::device_fn(&parsed)),
        syn::Item::Impl(block) => frontend::parse_device_impl(attr.into(), block).map(|parsed| emit::device_impl(&parsed)),
        syn::Item::Trait(block) => frontend::parse_device_trait(attr.into(), block).map(|parsed| emit::device_trait(&parsed)),
        other => Err(syn::Error::new_spanned(other, "`#[device_fn]` goes on a function, an `impl` block or a trait")),
    });
    expand(expansion)
}

/// A kernel as a closure; `syclone::kernel!` calls it.
#[proc_macro]
pub fn kernel_inline(tokens: TokenStream) -> TokenStream {
    expand(frontend::parse_inline(tokens.into()).and_then(emit::inline))
}

/// Lets a struct or an enum without data cross between host and device.
#[proc_macro_derive(DeviceCopy)]
pub fn derive_device_copy(item: TokenStream) -> TokenStream {
    expand(derive::device_copy(item.into()))
}

fn expand(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.into_compile_error()).into()
}
