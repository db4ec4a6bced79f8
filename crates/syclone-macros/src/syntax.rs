//! Items whose syntax is wrong.
//!
//! rustc reads an item before it hands it to an attribute, reports what is wrong and goes on. An error of ours would be
//! the same mistake a second time.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// The item, a function with a wrong body as one that does nothing, so that its uses are not errors too; and what says
/// that something was wrong, should rustc not have said so.
pub fn read(tokens: TokenStream) -> (Option<syn::Item>, TokenStream) {
    match syn::parse2::<syn::Item>(tokens.clone()) {
        Ok(item) => (Some(item), TokenStream::new()),
        Err(error) => (without_body(tokens), late_error(&error)),
    }
}

/// The function with an endless loop for a body.
fn without_body(tokens: TokenStream) -> Option<syn::Item> {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.last_mut() else { return None };
    if body.delimiter() != Delimiter::Brace {
        return None;
    }
    *body = Group::new(Delimiter::Brace, quote!(loop {}));
    let function = syn::parse2::<syn::ItemFn>(tokens.into_iter().collect());
    function.ok().map(syn::Item::Fn)
}

/// An error that rustc comes to only where it has found no other: a lint, which it looks for last.
fn late_error(error: &syn::Error) -> TokenStream {
    let message = error.to_string();
    quote_spanned! {error.span()=>
        const _: () = {
            #[must_use = #message]
            struct SyntaxOfAKernel;
            #[deny(unused_must_use)]
            #[allow(dead_code)]
            fn syntax() {
                ::core::convert::identity(SyntaxOfAKernel);
            }
        };
    }
}
