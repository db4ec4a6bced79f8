//! The things that the attributes stand on.

use super::lower::{Body, GenericNames, Lowerer};
use super::std_traits::{ImplOf, impl_of};
use super::surroundings::{Inside, Surroundings};
use super::{Options, Parsed, add_error, name_of, signature};
use crate::emit::is_builtin_method;
use proc_macro2::{Span as TokenSpan, TokenStream};
use syclone_kernel_ast::tree::{Block, Function, Span};
use syn::spanned::Spanned;
use syn::{Error, ImplItem, Item, Result, Signature, TraitItem, Visibility};

/// `#[device_fn] impl … { … }`
pub struct ParsedImpl {
    /// The block as written, without the attribute.
    pub item: syn::ItemImpl,
    /// What it implements.
    pub of: ImplOf,
    /// Its functions in order.
    pub functions: Vec<Parsed>,
    /// What was wrong outside of the functions' bodies.
    pub errors: Option<Error>,
}

/// `#[device_fn] trait … { … }`
pub struct ParsedTrait {
    /// The trait as written, without the attribute.
    pub item: syn::ItemTrait,
    /// Its functions in order; [`Parsed::has_body`] says which have a default.
    pub functions: Vec<Parsed>,
    /// What was wrong outside of the functions' bodies.
    pub errors: Option<Error>,
}

/// Reads `#[kernel(attr)] item`.
pub fn parse_kernel(attr: TokenStream, item: Item) -> Result<Parsed> {
    let options = Options::parse(attr);
    let item = match item {
        Item::Fn(item) => item,
        other => {
            let message =
                "`#[kernel]` stands on a function: for helper functions, `impl` blocks and traits write `#[device_fn]`";
            return Err(Error::new_spanned(head(&other), message));
        }
    };
    let (options, bad_options) = match options {
        Ok(options) => (options, None),
        Err(error) => (Options::default(), Some(error)),
    };
    let source = Source {
        attrs: item.attrs,
        vis: item.vis,
        sig: item.sig,
        block: Some(*item.block),
        in_type: false,
        outer: syn::Generics::default(),
    };
    let unchecked_known = bad_options.is_none();
    let misplaced = misplaced(&source.vis, &source.sig, "kernel");
    let parsed = parse(source, Body::Kernel, options, unchecked_known);
    note_misplaced(misplaced, combine(bad_options, parsed))
}

/// Reads `#[device_fn] fn`.
pub fn parse_device_fn(attr: TokenStream, item: syn::ItemFn) -> Result<Parsed> {
    let errors = no_options(attr).err();
    let misplaced = misplaced(&item.vis, &item.sig, "device_fn");
    let source = Source {
        attrs: item.attrs,
        vis: item.vis,
        sig: item.sig,
        block: Some(*item.block),
        in_type: misplaced.is_some(),
        outer: syn::Generics::default(),
    };
    note_misplaced(misplaced, combine(errors, parse(source, Body::Device, Options::default(), true)))
}

/// The error of an attribute on a function of an `impl` block or a trait.
fn misplaced(vis: &Visibility, sig: &Signature, attribute: &str) -> Option<(Inside, Error)> {
    // At the begin of a line stand functions of modules.
    let first = if let Visibility::Inherited = vis { sig.span() } else { vis.span() };
    let is_nested = first.start().column > 0;
    let around = is_nested.then(|| Surroundings::of_function(&sig.ident, &["impl", "trait"])).flatten();
    let inside = match around.and_then(|around| around.inside()) {
        Some(inside) => inside,
        // Only such a function has a receiver. A kernel's is told of as a parameter.
        None if attribute == "device_fn" && sig.receiver().is_some() => Inside::Impl,
        None => return None,
    };
    let block = if inside == Inside::Trait { "trait" } else { "`impl` block" };
    let message = match attribute {
        "kernel" => format!(
            "a kernel cannot belong to an `impl` block or a trait\nmove it out of the {block}, and make what it needs of `self` its parameters"
        ),
        _ => format!(
            "`#[device_fn]` stands on the whole {block}, and not on one of its functions\nmove it there; functions of the host go into an `impl` block of their own"
        ),
    };
    Some((inside, Error::new(sig.ident.span(), message)))
}

fn note_misplaced(mistake: Option<(Inside, Error)>, parsed: Result<Parsed>) -> Result<Parsed> {
    match (mistake, parsed) {
        (Some((inside, error)), Ok(mut parsed)) => {
            // What else is wrong with it may be so only here.
            parsed.errors = None;
            parsed.make_stub(error);
            parsed.misplaced = Some(inside);
            Ok(parsed)
        }
        (Some((_, error)), Err(_)) => Err(error),
        (None, parsed) => parsed,
    }
}

/// Reads `#[device_fn] impl`.
pub fn parse_device_impl(attr: TokenStream, item: syn::ItemImpl) -> Result<ParsedImpl> {
    let mut errors = no_options(attr).err();
    if let Some(token) = &item.unsafety {
        add_error(
            &mut errors,
            Error::new_spanned(token, "device functions cannot belong to an `unsafe impl`: leave `unsafe` out"),
        );
    }
    for param in &item.generics.params {
        if let syn::GenericParam::Lifetime(param) = param {
            add_error(
                &mut errors,
                Error::new_spanned(param, "lifetimes do not exist on a device: handles and values are copied"),
            );
        }
    }
    let mut of = impl_of(&item, &mut errors);
    if let Some(error) = of_plain_trait(&item) {
        add_error(&mut errors, error);
        of = ImplOf::Refused;
    }
    if of == ImplOf::Refused {
        return Ok(ParsedImpl { item, of, functions: Vec::new(), errors });
    }
    let mut outer = item.generics.clone();
    if let (Some((path, _)), ImplOf::Trait) = (&item.trait_, of) {
        outer.make_where_clause().predicates.push(syn::parse_quote!(Self: #path));
    }
    let mut functions = Vec::new();
    for member in &item.items {
        match member {
            ImplItem::Fn(function) if of.is_of_the_host(&function.sig.ident) => {}
            ImplItem::Fn(function) => {
                let source = Source {
                    attrs: function.attrs.clone(),
                    vis: function.vis.clone(),
                    sig: function.sig.clone(),
                    block: Some(function.block.clone()),
                    in_type: true,
                    outer: outer.clone(),
                };
                match parse(source, Body::Device, Options::default(), true) {
                    Ok(parsed) => functions.push(parsed),
                    Err(error) => {
                        add_error(&mut errors, error);
                        if let ImplOf::Comparison(_) = of {
                            // What is left would lack a function; the block as written lacks none.
                            of = ImplOf::Refused;
                        }
                    }
                }
            }
            ImplItem::Const(_) | ImplItem::Type(_) => {}
            other => add_error(
                &mut errors,
                Error::new_spanned(
                    other,
                    "a device `impl` holds functions, constants and types: write the macro's result out",
                ),
            ),
        }
    }
    Ok(ParsedImpl { item, of, functions, errors })
}

/// The error of a block of a trait that is seen to be the host's.
fn of_plain_trait(item: &syn::ItemImpl) -> Option<Error> {
    let (path, _) = item.trait_.as_ref()?;
    let name = path.get_ident()?;
    let function = item.items.iter().find_map(|member| match member {
        ImplItem::Fn(function) => Some(&function.sig.ident),
        _ => None,
    })?;
    let words = format!("trait {name}");
    let is_plain = Surroundings::of_function(function, &[&words])?.is_plain_trait(&name.to_string());
    let message = || {
        format!("`{name}` is a trait of the host only: write `#[device_fn]` over it to call its functions in kernels")
    };
    is_plain.then(|| Error::new(name.span(), message()))
}

/// Reads `#[device_fn] trait`.
pub fn parse_device_trait(attr: TokenStream, mut item: syn::ItemTrait) -> Result<ParsedTrait> {
    let mut errors = no_options(attr).err();
    if let Some(token) = &item.unsafety {
        add_error(&mut errors, Error::new_spanned(token, "a device trait cannot be `unsafe`: leave `unsafe` out"));
    }
    for param in &item.generics.params {
        if let syn::GenericParam::Lifetime(param) = param {
            add_error(
                &mut errors,
                Error::new_spanned(param, "lifetimes do not exist on a device: handles and values are copied"),
            );
        }
    }
    let mut outer = item.generics.clone();
    let (name, (_, arguments, _)) = (&item.ident, item.generics.split_for_impl());
    let own: syn::WherePredicate = syn::parse_quote!(Self: #name #arguments);
    outer.make_where_clause().predicates.push(own);
    let with_receiver = item.items.iter().find_map(|member| match member {
        TraitItem::Fn(function) => function.sig.receiver(),
        _ => None,
    });
    if let (Some(receiver), true) = (with_receiver, item.supertraits.is_empty()) {
        let message = format!(
            "a value whose type a kernel does not know must be `DeviceCopy`: write `trait {}: DeviceCopy`",
            item.ident
        );
        add_error(&mut errors, Error::new_spanned(receiver, message));
        // So that nothing else is wrong with it.
        item.colon_token.get_or_insert_default();
        item.supertraits.push(syn::parse_quote!(::syclone::types::DeviceCopy));
    }
    let has_params = !item.generics.params.is_empty();
    let mut functions = Vec::new();
    for member in &item.items {
        match member {
            TraitItem::Fn(function) => {
                let name = &function.sig.ident;
                if has_params && function.sig.receiver().is_some() && is_builtin_method(&name_of(name)) {
                    let message = format!(
                        "`{name}` is a built-in method of numbers, vectors or memory, which a trait with parameters cannot have too\nchoose another \
                         name, such as `{name}_of`"
                    );
                    add_error(&mut errors, Error::new_spanned(name, message));
                }
                let source = Source {
                    attrs: function.attrs.clone(),
                    vis: Visibility::Inherited,
                    sig: function.sig.clone(),
                    block: function.default.clone(),
                    in_type: true,
                    outer: outer.clone(),
                };
                match parse(source, Body::Device, Options::default(), true) {
                    Ok(parsed) => functions.push(parsed),
                    Err(error) => add_error(&mut errors, error),
                }
            }
            TraitItem::Const(_) | TraitItem::Type(_) => {}
            other => add_error(
                &mut errors,
                Error::new_spanned(
                    other,
                    "a device trait holds functions, constants and types: write the macro's result out",
                ),
            ),
        }
    }
    Ok(ParsedTrait { item, functions, errors })
}

/// A function wherever it stands.
pub struct Source {
    /// Attributes other than ours.
    pub attrs: Vec<syn::Attribute>,
    /// Visibility.
    pub vis: Visibility,
    /// Signature.
    pub sig: Signature,
    /// The body, which a trait's function may lack.
    pub block: Option<syn::Block>,
    /// Whether it belongs to an `impl` or a trait.
    pub in_type: bool,
    /// Generics around it.
    pub outer: syn::Generics,
}

fn parse(source: Source, body: Body, options: Options, unchecked_known: bool) -> Result<Parsed> {
    let Source { attrs, vis, sig, block, in_type, outer } = source;
    let mut generics = GenericNames::default();
    generics.add(&outer);
    generics.add(&sig.generics);
    let mut sig = sig;
    if body == Body::Kernel {
        // A command outlives the call that launches it; nobody should have to write that.
        for param in sig.generics.type_params_mut() {
            param.bounds.push(syn::parse_quote!('static));
        }
    }
    let kind = signature::kind(&sig, body);
    let mut lowerer = Lowerer::new(body, kind, (Some(sig.ident.clone()), in_type), generics);
    if unchecked_known {
        lowerer.check_signature(&sig, options.unchecked);
    }
    if body == Body::Kernel
        && let Some(mistake) = options.mistake(kind)
    {
        lowerer.error_at(sig.ident.span(), mistake);
    }
    let (params, tokens) = lowerer.params(&sig, in_type);
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            typed.attrs.clear();
        }
    }
    let ret = lowerer.return_type(&sig);
    let ret_id = ret.as_ref().map(|ty| lowerer.intern_type(ty));
    let signature_is_right = lowerer.errors.is_empty();
    let lowered = block.as_ref().map(|block| lowerer.body(block)).unwrap_or_default();
    let mut errors = lowerer.take_errors();
    if !signature_is_right && let Some(errors) = errors.take() {
        return Err(errors);
    }
    let (function, tables) = finish(lowerer, lowered, params, ret_id, &sig);
    let mut parsed = Parsed {
        function,
        vis,
        ident: sig.ident.clone(),
        generics: sig.generics.clone(),
        outer,
        attrs,
        params: tokens,
        ret,
        types: tables.types,
        consts: tables.consts,
        callees: tables.callees,
        library_names: tables.library_names,
        spans: tables.spans,
        options,
        is_inline: false,
        misplaced: None,
        has_body: block.is_some(),
        errors: None,
        sig,
    };
    if let Some(errors) = errors {
        parsed.make_stub(errors);
    }
    Ok(parsed)
}

/// The tokens behind the tables.
pub struct Tables {
    /// Behind `Function::types`.
    pub types: Vec<syn::Type>,
    /// Behind `Function::consts`.
    pub consts: Vec<syn::Expr>,
    /// Behind `Function::callees`.
    pub callees: Vec<super::Callee>,
    /// What the body calls of the library by names in scope.
    pub library_names: Vec<super::LibraryName>,
    /// Behind `Function::spans`.
    pub spans: Vec<TokenSpan>,
}

/// Puts the tree together.
pub fn finish(
    lowerer: Lowerer,
    body: Block,
    params: Vec<syclone_kernel_ast::tree::Param>,
    ret: Option<syclone_kernel_ast::tree::TypeId>,
    sig: &Signature,
) -> (Function, Tables) {
    let spans = lowerer.spans.iter().map(|span| {
        let start = span.start();
        Span { line: start.line as u32, column: start.column as u32 }
    });
    let function = Function {
        name: sig.ident.to_string(),
        file: sig.ident.span().file(),
        kind: lowerer.kind,
        params,
        ret,
        vars: lowerer.vars,
        body,
        types: lowerer.types.text,
        consts: lowerer.consts.text,
        callees: lowerer.callees.text,
        spans: spans.collect(),
    };
    let tables = Tables {
        types: lowerer.types.values,
        consts: lowerer.consts.values,
        callees: lowerer.callees.values,
        library_names: lowerer.library_names,
        spans: lowerer.spans,
    };
    (function, tables)
}

fn no_options(attr: TokenStream) -> Result<()> {
    match attr.is_empty() {
        true => Ok(()),
        false => Err(Error::new_spanned(attr, "`#[device_fn]` takes no options: write just `#[device_fn]`")),
    }
}

/// What was wrong with the attribute is reported beside the rest.
fn combine(first: Option<Error>, parsed: Result<Parsed>) -> Result<Parsed> {
    match (first, parsed) {
        (None, parsed) => parsed,
        (Some(error), Ok(mut parsed)) => {
            parsed.make_stub(error);
            Ok(parsed)
        }
        (Some(mut error), Err(more)) => {
            error.combine(more);
            Err(error)
        }
    }
}

/// The error of `#[device_fn]` on anything else.
pub fn no_device_item(item: &Item) -> Error {
    let message = "`#[device_fn]` stands on a function, an `impl` block or a trait; for structs and enums write `#[derive(Clone, Copy, DeviceCopy)]`";
    Error::new_spanned(head(item), message)
}

/// The keyword of an item, which is enough to point at.
fn head(item: &Item) -> TokenStream {
    use quote::ToTokens;
    match item {
        Item::Impl(item) => item.impl_token.to_token_stream(),
        Item::Trait(item) => item.trait_token.to_token_stream(),
        Item::Struct(item) => item.struct_token.to_token_stream(),
        Item::Enum(item) => item.enum_token.to_token_stream(),
        Item::Mod(item) => item.mod_token.to_token_stream(),
        Item::Const(item) => item.const_token.to_token_stream(),
        Item::Static(item) => item.static_token.to_token_stream(),
        other => other.to_token_stream(),
    }
}
