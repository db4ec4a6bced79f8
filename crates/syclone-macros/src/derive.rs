//! `#[derive(DeviceCopy)]`: little code, because `syclone::types::derive_support` does the work.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Ident, Result, parse_quote};

use crate::emit::{comparison_of, own_lists};
use crate::frontend::name_of;

/// The expansion for a struct, or an enum without data.
pub fn device_copy(item: TokenStream) -> Result<TokenStream> {
    let mut item: DeriveInput = syn::parse2(item)?;
    for param in &mut item.generics.params {
        match param {
            GenericParam::Type(param) => param.bounds.push(parse_quote!(::syclone::types::DeviceCopy)),
            GenericParam::Lifetime(param) => {
                let message = "a device value owns its data: borrow nothing, and take memory as a `View`";
                return Err(Error::new_spanned(&param.lifetime, message));
            }
            GenericParam::Const(_) => {}
        }
    }
    let body = match &item.data {
        Data::Struct(data) => of_struct(&item.ident, &data.fields),
        Data::Enum(data) => of_enum(&item, data)?,
        Data::Union(data) => {
            let message = "a union cannot be `DeviceCopy`: nothing says which of its fields is valid; use a struct";
            return Err(Error::new_spanned(data.union_token, message));
        }
    };
    let ident = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    Ok(quote! {
        // SAFETY: size, alignment and offsets are the compiler's own, and every field is listed with its type.
        #[automatically_derived]
        unsafe impl #impl_generics ::syclone::types::DeviceCopy for #ident #ty_generics #where_clause {
            #body
        }
    })
}

/// The three functions for a struct.
fn of_struct(ident: &Ident, fields: &Fields) -> TokenStream {
    let name = ident.to_string();
    let (methods, comparison) = (own_lists(), comparison());
    let tuple = matches!(fields, Fields::Unnamed(_));
    let mut specs = Vec::new();
    let mut zeros = Vec::new();
    let mut values = Vec::new();
    for (idx, field) in fields.iter().enumerate() {
        let ty = &field.ty;
        let member = match &field.ident {
            Some(ident) => ident.to_token_stream(),
            None => syn::Index::from(idx).to_token_stream(),
        };
        let text = match &field.ident {
            Some(ident) => name_of(ident),
            None => idx.to_string(),
        };
        // At the field's type, so that a type that is not `DeviceCopy` is reported there.
        let device_copy = quote_spanned!(ty.span()=> <#ty as ::syclone::types::DeviceCopy>);
        specs.push(quote!((#text, ::core::mem::offset_of!(Self, #member), #device_copy::device_type)));
        zeros.push(quote!(#member: #device_copy::zeroed()));
        // A copy, because a field of a packed struct cannot be borrowed.
        values.push(quote!(#device_copy::to_value(&{ self.#member })));
    }
    quote! {
        fn device_type() -> ::syclone::types::derive_support::Type {
            #[allow(unused_imports)]
            use ::syclone::types::derive_support::NoDeviceMethods as _;
            ::syclone::types::derive_support::struct_type::<Self>(
                #name, #tuple, &[#(#specs),*], &[#(Self::#methods),*],
                #comparison,
            )
        }
        fn zeroed() -> Self {
            Self { #(#zeros),* }
        }
        fn to_value(&self) -> ::syclone::types::derive_support::Value {
            ::syclone::types::derive_support::struct_value::<Self>(::std::vec![#(#values),*])
        }
    }
}

/// How the type's values are compared, as far as it is known for all instances.
fn comparison() -> TokenStream {
    let (known, comparison) = comparison_of(&quote!(Self));
    quote!({ #known #comparison })
}

/// The three functions for an enum without data.
fn of_enum(item: &DeriveInput, data: &syn::DataEnum) -> Result<TokenStream> {
    let mut errors: Option<Error> = None;
    for variant in &data.variants {
        if !variant.fields.is_empty() {
            let message = "an enum with data cannot be `DeviceCopy`: keep the kind in an enum without data, and the data beside it in a struct";
            let error = Error::new_spanned(variant, message);
            match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            }
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    let Some(first) = data.variants.first() else {
        return Err(Error::new_spanned(&item.ident, "an enum without variants has no values: give it one"));
    };
    // The compiler gives an enum of one variant no bytes at all unless it is told the type.
    if data.variants.len() == 1 && !item.attrs.iter().any(|attribute| attribute.path().is_ident("repr")) {
        let message = "say the integer type of an enum of one variant: write `#[repr(u8)]` above it";
        return Err(Error::new_spanned(&item.ident, message));
    }
    let name = item.ident.to_string();
    let first = &first.ident;
    let (methods, comparison) = (own_lists(), comparison());
    let variants = data.variants.iter().map(|variant| {
        let (ident, text) = (&variant.ident, name_of(&variant.ident));
        quote!((#text, Self::#ident as i128))
    });
    Ok(quote! {
        fn device_type() -> ::syclone::types::derive_support::Type {
            #[allow(unused_imports)]
            use ::syclone::types::derive_support::NoDeviceMethods as _;
            ::syclone::types::derive_support::enum_type::<Self>(
                #name, &[#(#variants),*], &[#(Self::#methods),*],
                #comparison,
            )
        }
        fn zeroed() -> Self {
            Self::#first
        }
        fn to_value(&self) -> ::syclone::types::derive_support::Value {
            ::syclone::types::derive_support::enum_value::<Self>(*self as i128)
        }
    })
}
