//! The library's functions and macros by the names that the user calls them by. The tree takes such a name to mean the
//! library's; here rustc is asked whether it does, by Rust's own rules, at the user's token. So it also sees an import used.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::frontend::{LibraryName, Parsed};

/// Statements that compile if each of these names means the library's function or macro.
pub fn name_checks(parsed: &Parsed) -> TokenStream {
    parsed.library_names.iter().filter_map(name_check).collect()
}

fn name_check(LibraryName { path, is_macro }: &LibraryName) -> Option<TokenStream> {
    let name = &path.segments.last()?.ident;
    if *is_macro {
        return Some(quote_spanned! {name.span()=>
            let _: ::syclone::abi::names::InAKernelThisNameMeansSyclonesMacro = #path!(@in_a_kernel);
        });
    }
    let mut of_library = name.clone();
    let span = name.span().resolved_at(Span::call_site());
    of_library.set_span(span);
    let check = quote_spanned!(span=> let _: ::syclone::abi::names::#of_library =);
    let path = path.to_token_stream();
    // Of a function that is generic in its result alone, coercion would choose the parameter that makes it right.
    let parameter = (name == "local").then(|| quote_spanned!(span=> ::<::syclone::abi::names::Element>));
    Some(quote_spanned!(span=> #check #path #parameter;))
}
