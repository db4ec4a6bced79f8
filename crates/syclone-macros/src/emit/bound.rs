//! The tree as macro output: one string, and the tables that only rustc can fill.

use proc_macro2::TokenStream;
use quote::quote;
use syclone_kernel_ast::encode::encode;

use super::callable::callees;
use super::comparisons::{compared, compares_values, comparison_of};
use super::found::{Found, found};
use super::library_names::name_checks;
use super::operands::operand_checks;
use super::sites::{Site, found_at, sites};
use crate::frontend::Parsed;

/// The tree as a string literal.
pub fn encoded(parsed: &Parsed) -> TokenStream {
    let text = encode(&parsed.function);
    quote!(#text)
}

/// The expression that binds the tree.
pub fn bound_value(parsed: &Parsed) -> TokenStream {
    let (text, tables) = (encoded(parsed), tables(parsed, found(parsed), &sites(parsed)));
    let (names, operands) = (name_checks(parsed), operand_checks(parsed));
    quote!(#names #operands ::syclone::abi::bind(#text, #tables))
}

/// The field of a kernel's description that says that it calls device functions, if it does or may do so
/// by comparing values.
pub fn calls_field(parsed: &Parsed) -> Option<TokenStream> {
    let calls = !parsed.callees.is_empty() || !sites(parsed).is_empty() || compares_values(parsed);
    calls.then(|| quote!(calls: true,))
}

/// The field of a kernel's description with the tables, where they hold more than the types of its parameters, which the
/// library knows. They come first.
pub fn tables_field(parsed: &Parsed) -> TokenStream {
    let of_params = parsed.function.params.iter().map(|p| p.ty.0 as usize + 1).max().unwrap_or(0);
    let only_params = parsed.types.len() == of_params && parsed.consts.is_empty() && parsed.callees.is_empty();
    let found = found(parsed);
    // An inline kernel's sites are where the types of what it captured are known.
    let sites = if parsed.is_inline { Vec::new() } else { sites(parsed) };
    if only_params && found.entries.is_empty() && sites.is_empty() && compared(parsed).is_empty() {
        return TokenStream::new();
    }
    let tables = tables(parsed, found, &sites);
    quote!(tables: || #tables,)
}

/// The tables, with the methods that are found.
fn tables(parsed: &Parsed, Found { items, entries }: Found, sites: &[Site<'_>]) -> TokenStream {
    let types = parsed.types.iter().map(type_value);
    let consts = parsed.consts.iter().map(|c| quote!(::syclone::abi::DeviceConst::device_const(&(#c))));
    let (paths, callees) = callees(parsed);
    let tables = quote!(::syclone::abi::Tables::new(
        [#(#types),*], [#(#consts),*], [#(#callees),*], [#(#entries),*]
    ));
    let compared = compared(parsed);
    let tables = match &compared[..] {
        [] => tables,
        types => {
            let of_types = types.iter().map(|ty| {
                let (known, comparison) = comparison_of(ty);
                quote!(|| { #known __compared.with(#comparison) })
            });
            quote!(#tables.with_comparisons([#(#of_types),*]))
        }
    };
    let tables = if items.is_empty() && paths.is_empty() { tables } else { quote!({ #items #paths #tables }) };
    if sites.is_empty() {
        return tables;
    }
    // Beside that block, whose traits and the probe's have methods of one name.
    let methods = found_at(parsed, sites, None);
    quote!((#tables).with_methods(#methods))
}

/// The descriptor of a type as an expression.
fn type_value(ty: &syn::Type) -> TokenStream {
    match ty {
        syn::Type::Infer(_) => quote!(::syclone::abi::Type::Infer),
        syn::Type::Reference(reference) => {
            let inner = type_value(&reference.elem);
            let mutable = reference.mutability.is_some();
            quote!(::syclone::abi::Type::Ref(::std::boxed::Box::new(#inner), #mutable))
        }
        // Any number of parts.
        syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let parts = tuple.elems.iter().map(type_value);
            quote!(::syclone::abi::Type::Tuple(::std::vec![#(#parts),*]))
        }
        // Tuples are no `DeviceCopy`, so arrays of them have no `TreeType`.
        syn::Type::Array(array) if leaves_open(ty) || !matches!(*array.elem, syn::Type::Path(_)) => {
            let (inner, len) = (type_value(&array.elem), &array.len);
            quote!(::syclone::abi::Type::Array(::std::boxed::Box::new(#inner), #len))
        }
        // `Vector<_, _>`, which `Vector::new` stands for, is found by inference as a whole.
        _ if leaves_open(ty) => quote!(::syclone::abi::Type::Infer),
        _ => quote!(<#ty as ::syclone::abi::TreeType>::tree_type()),
    }
}

/// Whether a part of the type is `_`.
pub fn leaves_open(ty: &syn::Type) -> bool {
    struct Finder(bool);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_type_infer(&mut self, _: &'ast syn::TypeInfer) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    syn::visit::Visit::visit_type(&mut finder, ty);
    finder.0
}
