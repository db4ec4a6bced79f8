//! What of a function differs between its instances.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;

use crate::frontend::Parsed;

/// Whether the types of the function's values differ between its instances.
pub fn is_generic(parsed: &Parsed) -> bool {
    let params = |generics: &syn::Generics| generics.type_params().next().is_some();
    params(&parsed.generics) || params(&parsed.outer) || is_in_trait(parsed)
}

/// Whether only the bounds of a generic parameter tell what a type is.
pub fn mentions_params(parsed: &Parsed, tokens: &TokenStream) -> bool {
    is_generic(parsed) && tokens.clone().into_iter().any(|token| is_param(parsed, &token))
}

fn is_param(parsed: &Parsed, token: &TokenTree) -> bool {
    let among = |generics: &syn::Generics, ident: &Ident| generics.type_params().any(|param| param.ident == *ident);
    match token {
        TokenTree::Group(group) => group.stream().into_iter().any(|token| is_param(parsed, &token)),
        TokenTree::Ident(ident) => ident == "Self" || among(&parsed.generics, ident) || among(&parsed.outer, ident),
        _ => false,
    }
}

fn is_in_trait(parsed: &Parsed) -> bool {
    parsed.outer.where_clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| {
        matches!(predicate, syn::WherePredicate::Type(bound) if bound.bounded_ty.to_token_stream().to_string() == "Self")
    })
}
