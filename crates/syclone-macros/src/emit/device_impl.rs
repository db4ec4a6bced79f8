//! `#[device_fn]` on `impl` blocks and traits.
//!
//! Each function `f` keeps its signature and calls its hidden form `__device_f`, which kernels call; `__bound_f` gives
//! its tree, which `__path_f` finds for a path, and `__find_f` of a method by way of a value. A trait's methods are written as
//! `__body_f`, which its `__device_f` calls: of a trait with parameters, that one says by the type of its last parameter
//! [which instance](instance) it belongs to. The [`own_lists`] of a type have its methods without a trait, for calls whose
//! receiver's type is known only at run time.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::builtin_names::is_builtin_method;
use super::callable::{by_path, callable, hidden, with_callable};
use super::device_fn::{Taken, bound_function, device_function, host_function, host_signature, turbofish};
use super::found::finder;
use super::hidden_type;
use crate::frontend::{Inside, Parsed, ParsedImpl, ParsedTrait, last_segment, name_of};

/// The expansion of a block.
pub fn device_impl(parsed: &ParsedImpl) -> TokenStream {
    let item = &parsed.item;
    let in_trait = item.trait_.is_some();
    let vis = if in_trait { TokenStream::new() } else { quote!(pub) };
    let functions = parsed.functions.iter().map(|f| {
        let Hidden { device, bound, body } = Hidden::of(f, in_trait);
        let generics = turbofish(f);
        // Several instances of one trait have functions of the same names.
        let own = match &item.trait_ {
            Some((path, _)) => quote!(<Self as #path>),
            None => quote!(Self),
        };
        let taken = if body.is_some() { Taken::Plain } else { Taken::OfNoInstance };
        let written = body.as_ref().unwrap_or(&device);
        let host = host_function(f, quote!(#own::#written #generics), taken);
        // A trait has its own.
        let finders = (!in_trait).then(|| finders(f, &vis, &bound, None));
        let (device, bound) = (device_function(f, written, vis.clone(), taken), bound_function(f, &bound, vis.clone()));
        quote!(#host #device #bound #finders)
    });
    let methods = (!in_trait).then(|| methods_list(&parsed.functions, &vis, &own_list(next_block(&item.self_ty))));
    // What is no function (associated types and constants) stays as it was.
    let others = item.items.iter().filter(|i| !matches!(i, syn::ImplItem::Fn(_)));
    let (attrs, unsafety, generics, self_ty) = (&item.attrs, &item.unsafety, &item.generics, &item.self_ty);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let of_trait = item.trait_.as_ref().map(|(path, for_token)| quote!(#path #for_token));
    let block = quote! {
        #(#attrs)*
        #unsafety impl #impl_generics #of_trait #self_ty #where_clause {
            #(#others)*
            #(#functions)*
            #methods
        }
    };
    with_callable(&parsed.functions, block)
}

/// The expansion of a function of a block or a trait that has the attribute of its own, which is an error: what its uses
/// look for.
pub fn misplaced_function(parsed: &Parsed, inside: Inside) -> TokenStream {
    let Parsed { vis, .. } = parsed;
    let sig = host_signature(parsed);
    let Hidden { device, bound, .. } = Hidden::of(parsed, false);
    // An `impl` of a trait can have none but the trait's own functions.
    let hidden = (inside != Inside::ImplOfTrait).then(|| {
        let finders = finders(parsed, &vis.to_token_stream(), &bound, None);
        let device = device_function(parsed, &device, vis.to_token_stream(), Taken::OfNoInstance);
        let bound = bound_function(parsed, &bound, vis.to_token_stream());
        quote!(#device #bound #finders)
    });
    quote!(#[allow(unused)] #vis #sig { loop {} } #hidden)
}

/// The expansion of a trait.
pub fn device_trait(parsed: &ParsedTrait) -> TokenStream {
    let item = &parsed.item;
    let (ident, generics, (_, type_generics, where_clause)) =
        (&item.ident, &item.generics, item.generics.split_for_impl());
    let (own, instance) = (quote!(<Self as #ident #type_generics>), instance(Some(&item.generics)));
    let functions = parsed.functions.iter().map(|f| {
        let Hidden { device, bound, body } = Hidden::of(f, true);
        if body.is_some() {
            note_method(&name_of(&f.ident));
        }
        let called = body.as_ref().map(|body| calling_function(f, &device, &quote!(#own::#body), &instance));
        let finders = finders(f, &TokenStream::new(), &bound, Some(&item.generics));
        let taken = if body.is_some() { Taken::Plain } else { Taken::OfNoInstance };
        let written = body.unwrap_or(device);
        if f.has_body {
            let generics = turbofish(f);
            let host = host_function(f, quote!(#own::#written #generics), taken);
            let (device, bound) = (
                device_function(f, &written, TokenStream::new(), taken),
                bound_function(f, &bound, TokenStream::new()),
            );
            return quote!(#host #device #bound #called #finders);
        }
        let Parsed { attrs, sig, .. } = f;
        let mut hidden = sig.clone();
        hidden.ident = written;
        hidden.inputs.push(match taken {
            Taken::Plain => syn::parse_quote!(__oob: &mut ::syclone::abi::Oob),
            Taken::OfNoInstance => syn::parse_quote!(__oob: ::syclone::abi::OobOf<'_, ()>),
        });
        let (impl_generics, _, where_clause) = f.generics.split_for_impl();
        quote! {
            #(#attrs)*
            #sig;
            #[doc(hidden)]
            #hidden;
            #[doc(hidden)]
            fn #bound #impl_generics () -> ::std::sync::Arc<::syclone::abi::BoundFunction> #where_clause;
            #called
            #finders
        }
    });
    let others = item.items.iter().filter(|i| !matches!(i, syn::TraitItem::Fn(_)));
    let (attrs, vis, unsafety) = (&item.attrs, &item.vis, &item.unsafety);
    let (colon, supertraits) = (&item.colon_token, &item.supertraits);
    let callable = callable(&parsed.functions, &hidden_type("has_device_fn", ident));
    quote! {
        #callable
        #(#attrs)*
        #vis #unsafety trait #ident #generics #colon #supertraits #where_clause {
            #(#others)*
            #(#functions)*
        }
    }
}

/// The hidden functions that find a function's tree: by a path, and by a value if it is a method.
fn finders(parsed: &Parsed, vis: &TokenStream, bound: &Ident, of_trait: Option<&syn::Generics>) -> TokenStream {
    let (by_path, by_value) = (by_path(parsed, vis, bound), finder(parsed, vis, bound, &instance(of_trait)));
    quote!(#by_path #by_value)
}

/// The names of a function's hidden forms.
struct Hidden {
    device: Ident,
    bound: Ident,
    /// Of a trait's method: of what `device` calls.
    body: Option<Ident>,
}

impl Hidden {
    fn of(parsed: &Parsed, in_trait: bool) -> Self {
        let ident = &parsed.ident;
        let named = |prefix: &str| hidden(prefix, &ident.to_string(), ident.span());
        let body = (in_trait && parsed.sig.receiver().is_some()).then(|| named("__body"));
        Hidden { device: named("__device"), bound: named("__bound"), body }
    }
}

/// The instance that a method belongs to, as a type: the parameters of its trait, none if it has none.
fn instance(of_trait: Option<&syn::Generics>) -> TokenStream {
    let params = of_trait.into_iter().flat_map(|generics| &generics.params).filter_map(|param| match param {
        syn::GenericParam::Type(param) => {
            let ident = &param.ident;
            Some(quote!(*const #ident))
        }
        syn::GenericParam::Const(param) => {
            let (ident, ty) = (&param.ident, &param.ty);
            Some(quote!(::syclone::abi::constant::#ty<#ident>))
        }
        syn::GenericParam::Lifetime(_) => None,
    });
    quote!((#(#params,)*))
}

/// The hidden form of a trait's method that kernels call, by one signature for all types. It calls the `written` one.
fn calling_function(parsed: &Parsed, name: &Ident, written: &TokenStream, instance: &TokenStream) -> TokenStream {
    let mut sig = host_signature(parsed);
    sig.ident = name.clone();
    sig.inputs.push(syn::parse_quote!(__faults: ::syclone::abi::OobOf<'_, #instance>));
    let (names, generics) = (parsed.params.iter().map(|param| &param.ident), turbofish(parsed));
    quote! {
        #[doc(hidden)]
        #[inline(always)]
        #[allow(unused)]
        #sig { #written #generics (#(#names,)* __faults.oob) }
    }
}

/// Methods of the crate's device traits that are called like built-in ones.
static CALLED_LIKE_BUILT_IN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn note_method(name: &str) {
    if is_builtin_method(name) {
        CALLED_LIKE_BUILT_IN.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }
}

/// Whether a trait of the crate, above this place, has a device method by the name of a built-in one.
pub fn may_be_of_trait(name: &str) -> bool {
    CALLED_LIKE_BUILT_IN.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
}

/// How many blocks without a trait a type may have: `derive(DeviceCopy)` asks for the list of each.
const BLOCKS: usize = 8;

/// The names of the lists of a type's own blocks. Those that no block has are the library's `NoDeviceMethods`'s, which are
/// empty.
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
    /// How many blocks of a type were expanded, by the type's name.
    static EXPANDED: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);
    // `impl Pair<f32>` and `impl<T> Pair<T>` are of one type.
    let name = last_segment(self_ty).map(|last| last.ident.to_string());
    let mut counts = EXPANDED.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts.get_or_insert_default().entry(name.unwrap_or_default()).or_default();
    *count += 1;
    (*count - 1) % BLOCKS
}

/// The functions with a receiver and without generics of their own.
fn methods(functions: &[Parsed]) -> impl Iterator<Item = &Parsed> {
    functions.iter().filter(|f| f.sig.receiver().is_some() && f.generics.params.is_empty())
}

/// The list called `name` of the [`methods`].
fn methods_list(functions: &[Parsed], vis: &TokenStream, name: &Ident) -> TokenStream {
    let entries = methods(functions).map(|f| {
        let (method, bound) = (name_of(&f.ident), Hidden::of(f, false).bound);
        quote!((#method, Self::#bound as fn() -> ::std::sync::Arc<::syclone::abi::BoundFunction>))
    });
    quote! {
        #[doc(hidden)]
        #vis fn #name() -> ::std::vec::Vec<(&'static str, fn() -> ::std::sync::Arc<::syclone::abi::BoundFunction>)> {
            ::std::vec![#(#entries),*]
        }
    }
}
