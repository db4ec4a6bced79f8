//! `#[device_fn]` on `impl` blocks and traits.
//!
//! Each function `f` keeps its signature and calls its hidden form `__device_f`, which kernels call; `__bound_f` gives
//! its tree. `__device_methods` of a trait, and [`own_lists`] and [`trait_lists`] of a type, list the functions that have a
//! receiver, for calls whose receiver's type is known only at run time; `__method_f` of a trait gives one of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::bound::method_source;
use super::device_fn::{bound_function, device_function, host_function, turbofish};
use super::found::finder;
use crate::frontend::{Parsed, ParsedImpl, ParsedTrait, last_segment, name_of};

/// The expansion of a block.
pub fn device_impl(parsed: &ParsedImpl) -> TokenStream {
    let item = &parsed.item;
    let in_trait = item.trait_.is_some();
    let vis = if in_trait { TokenStream::new() } else { quote!(pub) };
    let functions = parsed.functions.iter().map(|f| {
        let (device, bound) = hidden_names(f);
        let generics = turbofish(f);
        // Several instances of one trait have functions of the same names.
        let own = match &item.trait_ {
            Some((path, _)) => quote!(<Self as #path>),
            None => quote!(Self),
        };
        let host = host_function(f, quote!(#own::#device #generics));
        // A trait has its own.
        let finder = (!in_trait).then(|| finder(f, &vis, &bound));
        let (device, bound) = (device_function(f, &device, vis.clone()), bound_function(f, &bound, vis.clone()));
        quote!(#host #device #bound #finder)
    });
    // Another name than a trait's: `derive(DeviceCopy)` looks for it where traits are in scope too. A trait's own list has
    // its default functions too, so its implementations leave it alone.
    let methods = (!in_trait).then(|| methods_list(&parsed.functions, &vis, &own_list(next_block(&item.self_ty))));
    let of_type = list_of_type(item);
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
        #of_type
    }
}

/// The list of a trait's methods among a type's own: for values whose type no kernel spells, and of traits with parameters
/// for all values, because no name leads to one of several instances of a trait.
///
/// Only a type of this crate can have one, and no macro sees where a type is from: it is one that derived `DeviceCopy`
/// before, or whose path begins in this crate. A kernel finds the methods of other types where rustc finds them by name.
fn list_of_type(item: &syn::ItemImpl) -> Option<TokenStream> {
    let (path, self_ty, generics) = (&item.trait_.as_ref()?.0, &item.self_ty, &item.generics);
    let syn::Type::Path(ty) = &**self_ty else { return None };
    let (first, last) = (ty.path.segments.first()?, ty.path.segments.last()?);
    let begins_here = ty.path.segments.len() > 1 && ["crate", "self", "super"].iter().any(|word| first.ident == word);
    if !begins_here && !is_derived(&last.ident) {
        return None;
    }
    // Every parameter of the block must be one of the type.
    let arguments = last.arguments.to_token_stream().to_string();
    let mentions =
        |ident: &Ident| arguments.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| *ident == word);
    let is_constrained = generics.params.iter().all(|param| match param {
        syn::GenericParam::Type(param) => mentions(&param.ident),
        syn::GenericParam::Const(param) => mentions(&param.ident),
        syn::GenericParam::Lifetime(_) => false,
    });
    if !is_constrained {
        return None;
    }
    // The methods of a block too many are found by name; those that cannot be make rustc refuse the block, unless it is of
    // another type of the same name.
    let number = count_block(&TRAIT_BLOCKS_OF, self_ty);
    let has_instances = path.segments.last().is_some_and(|last| !last.arguments.is_none());
    let name = (number < TRAIT_BLOCKS || has_instances).then(|| trait_list(number % TRAIT_BLOCKS))?;
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    Some(quote! {
        #(#conditions)*
        #[doc(hidden)]
        impl #impl_generics #self_ty #where_clause {
            #[doc(hidden)]
            #[allow(dead_code)]
            pub fn #name(&self) -> ::std::vec::Vec<(&'static str, ::syclone::abi::BindFn)> {
                <Self as #path>::__device_methods()
            }
        }
    })
}

/// The names of the types that derived `DeviceCopy` so far.
static DERIVED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes that a type of this crate derived `DeviceCopy`.
pub fn note_derived(ident: &Ident) {
    DERIVED.lock().unwrap_or_else(PoisonError::into_inner).insert(ident.to_string());
}

fn is_derived(ident: &Ident) -> bool {
    DERIVED.lock().unwrap_or_else(PoisonError::into_inner).contains(&ident.to_string())
}

/// The expansion of a trait.
pub fn device_trait(parsed: &ParsedTrait) -> TokenStream {
    let item = &parsed.item;
    // Arguments would choose among several instances, and there are none where a method is only found: lists have the
    // methods of all instances. Those that are generic themselves are in no list.
    let has_instances = item.generics.type_params().next().is_some();
    let found = parsed.functions.iter().filter(|f| !has_instances || !f.generics.params.is_empty());
    let finders = found.map(|f| {
        let (_, bound) = hidden_names(f);
        finder(f, &TokenStream::new(), &bound)
    });
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
            #(#finders)*
            #methods
            #(#sources)*
        }
    }
}

/// How many blocks without a trait a type may have: `derive(DeviceCopy)` asks for the list of each.
const BLOCKS: usize = 8;

/// How many blocks of traits a type may have that have lists.
const TRAIT_BLOCKS: usize = 16;

/// The names of the lists of a type's own blocks. Those that no block has are the library's `NoDeviceMethods`'s, which are
/// empty.
pub fn own_lists() -> impl Iterator<Item = Ident> {
    (0..BLOCKS).map(own_list)
}

/// The names of the lists of a type's blocks of traits, which are methods. Those of some instances of a generic type are
/// there for a value of such a type only, and not where the type derives `DeviceCopy`.
pub fn trait_lists() -> impl Iterator<Item = Ident> {
    (0..TRAIT_BLOCKS).map(trait_list)
}

fn trait_list(block: usize) -> Ident {
    format_ident!("__device_fn_trait_block_{}_of_at_most_{}", block, TRAIT_BLOCKS)
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
    static EXPANDED: Counts = Mutex::new(None);
    count_block(&EXPANDED, self_ty) % BLOCKS
}

/// How many blocks of a type were expanded, by the type's name.
type Counts = Mutex<Option<HashMap<String, usize>>>;

/// The blocks of traits that have lists.
static TRAIT_BLOCKS_OF: Counts = Mutex::new(None);

/// How many blocks of the type were counted before this one.
fn count_block(counts: &Counts, self_ty: &syn::Type) -> usize {
    // `impl Pair<f32>` and `impl<T> Pair<T>` are of one type.
    let name = last_segment(self_ty).map(|last| last.ident.to_string());
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts.get_or_insert_default().entry(name.unwrap_or_default()).or_default();
    *count += 1;
    *count - 1
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
/// the trait bounds ask for those that they call. Of a generic method it is generic too, so that a call that leaves its
/// parameters out is an error.
fn method_sources(functions: &[Parsed]) -> impl Iterator<Item = TokenStream> {
    functions.iter().filter(|f| f.sig.receiver().is_some()).map(|f| {
        let (method, (_, bound)) = (name_of(&f.ident), hidden_names(f));
        let (source, instance) = (method_source(&method, f.ident.span()), turbofish(f));
        let (generics, _, where_clause) = f.generics.split_for_impl();
        let own = where_clause.iter().flat_map(|clause| &clause.predicates);
        quote! {
            #[doc(hidden)]
            fn #source #generics () -> ::std::vec::Vec<::syclone::abi::BoundMethod>
            where
                Self: ::syclone::abi::TreeType,
                #(#own,)*
            {
                ::syclone::abi::methods_of::<Self>(::std::vec![(#method, Self::#bound #instance)])
            }
        }
    })
}

/// The list called `name` of the [`methods`].
fn methods_list(functions: &[Parsed], vis: &TokenStream, name: &Ident) -> TokenStream {
    let entries = methods(functions).map(|f| {
        let (method, (_, bound)) = (name_of(&f.ident), hidden_names(f));
        quote!((#method, Self::#bound as fn() -> ::std::sync::Arc<::syclone::abi::BoundFunction>))
    });
    quote! {
        #[doc(hidden)]
        #vis fn #name() -> ::std::vec::Vec<(&'static str, fn() -> ::std::sync::Arc<::syclone::abi::BoundFunction>)> {
            ::std::vec![#(#entries),*]
        }
    }
}
