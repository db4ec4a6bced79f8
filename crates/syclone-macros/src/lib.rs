//! The proc macros of syclone. The crate `syclone` re-exports them and has their documentation for users.
//!
//! Each macro is the front end (`frontend`: tokens to tree, with every error at the user's own token), the analysis
//! of `syclone-kernel-ast`, and the back end (`emit`: the native version and the tree as a constant).
#![warn(missing_docs)]

mod derive;
mod emit;
mod frontend;
mod syntax;

use frontend::Parsed;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, quote};

/// Makes a function a kernel.
#[proc_macro_attribute]
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    let (item, mistake) = syntax::read(item.into());
    let Some(item) = item else { return mistake.into() };
    let parsed = frontend::parse_kernel(attr.into(), item);
    expand(parsed.and_then(|parsed| emit_or_stub(parsed, emit::kernel)), mistake)
}

/// Makes a function, or the functions of an `impl` block or trait, callable from kernels.
#[proc_macro_attribute]
pub fn device_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    let attr = attr.into();
    let (item, mistake) = syntax::read(item.into());
    let Some(item) = item else { return mistake.into() };
    let expand_item = || match item {
        syn::Item::Fn(function) => {
            let parsed = frontend::parse_device_fn(attr, function)?;
            emit_or_stub(parsed, emit::device_fn)
        }
        syn::Item::Impl(block) => {
            let parsed = frontend::parse_device_impl(attr, block)?;
            let emitted = match parsed.of {
                frontend::ImplOf::Values | frontend::ImplOf::Trait => emit::device_impl(&parsed),
                frontend::ImplOf::Comparison(name) => emit::comparison_impl(&parsed, name),
                // What was wrong is said beside it.
                frontend::ImplOf::Refused => parsed.item.to_token_stream(),
            };
            Ok(with_errors(emitted, parsed.errors, &parsed.functions))
        }
        syn::Item::Trait(item) => {
            frontend::note_trait(&item.ident);
            let parsed = frontend::parse_device_trait(attr, item)?;
            Ok(with_errors(emit::device_trait(&parsed), parsed.errors, &parsed.functions))
        }
        other => Err(frontend::no_device_item(&other)),
    };
    expand(expand_item(), mistake)
}

/// A kernel as a closure; `syclone::kernel!` calls it.
#[proc_macro]
pub fn kernel_inline(tokens: TokenStream) -> TokenStream {
    // One expression, whatever is in it.
    let block = |tokens: Tokens| TokenStream::from(quote!({ #tokens }));
    match inline(tokens.into()) {
        Ok((expression, None)) => expression.into(),
        Ok((stub, Some(error))) => {
            let errors = error.into_compile_error();
            block(quote!(#errors #stub))
        }
        Err(error) => block(error.into_compile_error()),
    }
}

/// The expression of an inline kernel, and what was wrong if it is only a stub.
fn inline(tokens: Tokens) -> syn::Result<(Tokens, Option<syn::Error>)> {
    let mut inline = frontend::parse_inline(tokens.clone())?;
    let errors = inline.parsed.errors.take();
    emit::inline(inline).map(|emitted| (emitted, errors)).or_else(|error| {
        let mut stub = frontend::parse_inline(tokens)?;
        stub.make_stub(error);
        let errors = stub.parsed.errors.take();
        Ok((emit::inline(stub)?, errors))
    })
}

/// Lets a struct or an enum without data cross between host and device.
#[proc_macro_derive(DeviceCopy)]
pub fn derive_device_copy(item: TokenStream) -> TokenStream {
    expand(derive::device_copy(item.into()), Tokens::new())
}

/// Emits the function. What is wrong with its body is reported beside a stub, so that its uses are not errors too.
fn emit_or_stub(mut parsed: Parsed, emit: fn(&Parsed) -> syn::Result<Tokens>) -> syn::Result<Tokens> {
    let emitted = emit(&parsed).or_else(|error| {
        parsed.make_stub(error);
        emit(&parsed)
    })?;
    Ok(with_errors(emitted, None, std::slice::from_ref(&parsed)))
}

/// The code, and the errors beside it.
fn with_errors(emitted: Tokens, errors: Option<syn::Error>, functions: &[Parsed]) -> Tokens {
    let errors = errors.iter().chain(functions.iter().filter_map(|parsed| parsed.errors.as_ref()));
    let errors = errors.map(syn::Error::to_compile_error);
    quote!(#emitted #(#errors)*)
}

/// The expansion, or what was wrong with it, and a mistake of the syntax.
fn expand(result: syn::Result<Tokens>, mistake: Tokens) -> TokenStream {
    let expansion = result.unwrap_or_else(syn::Error::into_compile_error);
    quote!(#expansion #mistake).into()
}
