//! `kernel!(|item: Item<1>| { … })`: a kernel where it is launched.
//!
//! The closure's free names are its captures: a single lower-case name that the body does not bind. Names that begin
//! with an upper-case letter, and longer paths, are constants as everywhere.

use super::items::finish;
use super::lower::{Body, GenericNames, Lowerer};
use super::signature::{MAX_PARAMS, kernel_kind};
use super::{Options, ParamTokens, Parsed};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syclone_kernel_ast::tree::{Param, ParamRole, TypeId};
use syn::{Error, Expr, Pat, Result, parse_quote};

/// An inline kernel.
pub struct Inline {
    /// The kernel as if it had been written with its captures as parameters after the item: their types are `_` and
    /// their roles [`ParamRole::Value`], because only rustc knows more.
    pub parsed: Parsed,
    /// The captured names in order of first use.
    pub captures: Vec<Ident>,
}

impl Inline {
    /// [`Parsed::make_stub`], without captures.
    pub fn make_stub(&mut self, error: Error) {
        self.captures.clear();
        self.parsed.params.truncate(self.parsed.sig.inputs.len());
        self.parsed.function.params.truncate(self.parsed.sig.inputs.len());
        self.parsed.make_stub(error);
    }
}

/// Reads the tokens between the parentheses of `kernel!(…)`.
pub fn parse_inline(tokens: TokenStream) -> Result<Inline> {
    let closure = match syn::parse2::<Expr>(tokens)? {
        Expr::Closure(closure) => closure,
        other => {
            return Err(Error::new_spanned(other, "`kernel!` takes a closure: write `kernel!(|item: Item<1>| { … })`"));
        }
    };
    check_head(&closure)?;
    let options = options(&closure)?;
    // The first pass finds the captures, the second knows them as parameters, which come first among the variables.
    let (mut parsed, mut captures) = lower(&closure, &[])?;
    if parsed.errors.is_some() {
        captures.clear();
    } else if !captures.is_empty() {
        parsed = lower(&closure, &captures)?.0;
    }
    if let Some(mistake) = options.mistake(parsed.function.kind) {
        let attribute = closure.attrs.first().map_or_else(TokenStream::new, ToTokens::to_token_stream);
        let mut inline = Inline { parsed, captures };
        inline.make_stub(Error::new_spanned(attribute, mistake));
        return Ok(inline);
    }
    parsed.options = options;
    Ok(Inline { parsed, captures })
}

fn check_head(closure: &syn::ExprClosure) -> Result<()> {
    if let Some(token) = &closure.asyncness {
        return Err(Error::new_spanned(
            token,
            "a kernel cannot be `async`: submission does not block, and the event is awaited",
        ));
    }
    if let Some(token) = &closure.constness {
        return Err(Error::new_spanned(token, "a kernel cannot be `const`: leave `const` out"));
    }
    if let syn::ReturnType::Type(..) = &closure.output {
        return Err(Error::new_spanned(
            &closure.output,
            "a kernel returns nothing: write the value to an output, such as an `ItemMut`",
        ));
    }
    match closure.inputs.len() {
        0 | 1 => Ok(()),
        _ => Err(Error::new_spanned(
            &closure.inputs,
            "an inline kernel takes the item only and captures the rest: write `kernel!(|item: Item<1>| { … })`",
        )),
    }
}

/// The options of `kernel!(#[kernel(…)] |item: …| { … })`.
fn options(closure: &syn::ExprClosure) -> Result<Options> {
    let mut options = Options::default();
    for (position, attribute) in closure.attrs.iter().enumerate() {
        let list = attribute.meta.require_list().ok().filter(|list| list.path.is_ident("kernel"));
        let Some(list) = list.filter(|_| position == 0) else {
            let message = "an inline kernel has one attribute at most, that of its options: write `#[kernel(…)]`";
            return Err(Error::new_spanned(attribute, message));
        };
        options = Options::parse(list.tokens.clone())?;
        if options.unchecked {
            let message = "an inline kernel is always checked: write a `#[kernel(unchecked)] unsafe fn`";
            return Err(Error::new_spanned(&list.tokens, message));
        }
    }
    Ok(options)
}

fn lower(closure: &syn::ExprClosure, captures: &[Ident]) -> Result<(Parsed, Vec<Ident>)> {
    let (item, inputs) = item_param(closure)?;
    let kind = kernel_kind(item.as_ref().map(|(_, ty)| ty));
    // At the user's own token, not at that of the macro that wraps this one: errors name its file and line.
    let place = Span::call_site().located_at(closure.inputs_begin.span);
    let ident = Ident::new("inline_kernel", place);
    let sig: syn::Signature = parse_quote!(fn #ident(#inputs));
    let mut lowerer = Lowerer::new(Body::Kernel, kind, (None, false), GenericNames::default());
    lowerer.captures = Some(Vec::new());
    let (mut params, mut tokens) = lowerer.params(&sig, false);
    let inferred: syn::Type = parse_quote!(_);
    for (index, capture) in captures.iter().enumerate() {
        // An entry of its own: the launch fills in the type of what was captured.
        let key = format!("captured {index}");
        let ty = TypeId(lowerer.types.intern(key, "_".into(), inferred.clone()));
        let var = lowerer.declare(capture, false);
        lowerer.captured.push(var);
        lowerer.roles.push(ParamRole::Value);
        params.push(Param { var, ty, role: ParamRole::Value });
        tokens.push(ParamTokens { ident: capture.clone(), var, ty: inferred.clone(), role: ParamRole::Value });
    }
    let block = match &*closure.body {
        Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => block.block.clone(),
        body => parse_quote!({ #body }),
    };
    if let Some(errors) = lowerer.take_errors() {
        return Err(errors);
    }
    let lowered = lowerer.body(&block);
    let found = lowerer.captures.take().unwrap_or_default();
    if let Some(capture) = found.get(MAX_PARAMS) {
        let message = format!(
            "a kernel captures at most {MAX_PARAMS} variables, not {}: put values together in a struct with `#[derive(Clone, Copy, DeviceCopy)]`",
            found.len()
        );
        lowerer.error(capture, message);
    }
    let errors = lowerer.take_errors();
    let (function, tables) = finish(lowerer, lowered, params, None, &sig);
    let mut parsed = Parsed {
        function,
        vis: syn::Visibility::Inherited,
        ident,
        generics: syn::Generics::default(),
        outer: syn::Generics::default(),
        attrs: Vec::new(),
        params: tokens,
        ret: None,
        types: tables.types,
        consts: tables.consts,
        callees: tables.callees,
        library_names: tables.library_names,
        spans: tables.spans,
        options: Options::default(),
        is_inline: true,
        misplaced: None,
        has_body: true,
        errors: None,
        sig,
    };
    if let Some(errors) = errors {
        parsed.make_stub(errors);
    }
    Ok((parsed, found))
}

type ItemParam = (Ident, syn::Type);

/// The item's name and type, and the same as a parameter list.
fn item_param(closure: &syn::ExprClosure) -> Result<(Option<ItemParam>, TokenStream)> {
    let Some(pat) = closure.inputs.first() else {
        return Ok((None, TokenStream::new()));
    };
    if let Pat::Type(typed) = pat
        && let Pat::Ident(name) = &*typed.pat
    {
        let role = super::signature::role_by_name(&typed.ty);
        if matches!(role, ParamRole::Item | ParamRole::NdItem) {
            return Ok((Some((name.ident.clone(), (*typed.ty).clone())), quote::quote!(#typed)));
        }
    }
    Err(Error::new_spanned(
        pat,
        "an inline kernel takes the item with its type: write `|item: Item<1>|` or `|item: NdItem<1>|`",
    ))
}
