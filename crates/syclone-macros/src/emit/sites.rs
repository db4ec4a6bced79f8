//! Calls of methods on values: which method each of them means only rustc knows.
//!
//! The tables print the body once more, as a *probe* that is type-checked and never run. Each such call goes by a site of
//! the library's there (`syclone::abi::site`), which inference gives the receiver's type and the instance of the method's
//! trait; after it the hidden `__find_f` is called on that type. Only functions with such calls pay for it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::Roles;
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::bound::instance_name;
use syclone_kernel_ast::tree::*;

use super::allowances;
use super::builtin_names::is_builtin_method;
use super::device_impl::may_be_of_trait;
use super::found::{finder_name, is_value, may_be_value, nothing_found};
use super::kernel::{dims, unpack};
use super::printer::{Printer, site_name};
use super::receivers::Receivers;
use crate::frontend::{Parsed, is_of_handles};

/// A call that needs a site.
pub struct Site<'a> {
    /// The call.
    pub call: &'a Expr,
    /// Whether its receiver is a variable that refers to the value.
    pub refers: bool,
    /// Whether it may be of a built-in method, by its name.
    pub is_built_in: bool,
}

/// The calls of a function that need a site.
pub fn sites(parsed: &Parsed) -> Vec<Site<'_>> {
    let mut search = Search { parsed, receivers: Receivers::of(parsed), sites: Vec::new() };
    each_expr(&parsed.function.body, &mut |expr| search.expr(expr));
    // Where there is a probe, it costs little more to look for those too that need none but for a trait's method.
    let is_worth_it = |site: &Site<'_>| match &site.call.kind {
        ExprKind::Method { name, types, .. } => !site.is_built_in || !types.is_empty() || may_be_of_trait(name),
        _ => false,
    };
    if search.sites.iter().any(is_worth_it) { search.sites } else { Vec::new() }
}

/// The expression of the methods that are found at the sites: a list of them.
pub fn found_at(parsed: &Parsed, sites: &[Site<'_>], captures: Option<&[Ident]>) -> TokenStream {
    let roles = Roles::of(&parsed.function);
    let printer = Printer::of_probe(parsed, &roles, sites);
    let body = printer.block(&parsed.function.body);
    let setup = setup(parsed, &printer, captures);
    let allow = allowances();
    let probe = match (roles.block_syncs(&parsed.function.body), &parsed.ret) {
        (true, _) => quote!(async { #setup #body }),
        (false, Some(ret)) => quote!(|| -> #ret { #setup #body }),
        (false, None) => quote!(|| { #setup #body }),
    };
    let (mut lets, mut found, mut fallbacks) = (Vec::new(), Vec::new(), Vec::new());
    for (position, Site { call, is_built_in, .. }) in sites.iter().enumerate() {
        let ExprKind::Method { name, types, consts, .. } = &call.kind else { continue };
        let site = site_name(position);
        let finder = finder_name(name, printer.span(call.span));
        let is_instance = !types.is_empty() || !consts.is_empty();
        let (key, generics) = match is_instance {
            true => (instance_name(name, types, consts), Some(printer.turbofish(types, consts))),
            false => (name.clone(), None),
        };
        found.push(quote!(#site.found(#key, |__x, __of| __x.#finder #generics (__of))));
        // Only built-in methods may be on a type that has no device method of the name.
        let fallback = (finder_name(name, Span::call_site()), types.len());
        if (*is_built_in || !is_instance) && !fallbacks.contains(&fallback) {
            fallbacks.push(fallback);
        }
        let new = if *is_built_in { quote!(built_in) } else { quote!(new) };
        lets.push(quote!(let #site = ::syclone::abi::Site::#new();));
    }
    let fallbacks = fallbacks.iter().map(|(finder, types)| nothing_found(finder, *types));
    quote_spanned! {Span::call_site()=>
        {
            #[allow(dead_code)]
            trait __FindAt {
                #(#fallbacks)*
            }
            impl<__T> __FindAt for &__T {}
            #[allow(unused_imports)]
            use ::syclone::abi::NoSite as _;
            #(#lets)*
            #allow
            let _ = #probe;
            [#(#found),*].concat()
        }
    }
}

/// The parameters of a probe, and what else the body's code mentions.
fn setup(parsed: &Parsed, printer: &Printer<'_>, captures: Option<&[Ident]>) -> TokenStream {
    let function = &parsed.function;
    let variable = |param: &crate::frontend::ParamTokens| {
        let (name, ty) = (printer.var(param.var), &param.ty);
        let mutable = function.vars[param.var.0 as usize].mutable.then(|| quote!(mut));
        quote!(let #mutable #name: #ty = ::syclone::abi::any();)
    };
    let is_item = |role| matches!(role, ParamRole::Item | ParamRole::NdItem);
    let oob = quote!(let __oob: &mut ::syclone::abi::Oob = ::syclone::abi::any(););
    let cx = |dims: TokenStream| quote!(let __ax: ::syclone::abi::lock_step::Cx<'_, #dims> = ::syclone::abi::any(););
    match function.kind {
        FunctionKind::Device => {
            let params = parsed.params.iter().map(variable);
            quote!(#oob #(#params)*)
        }
        FunctionKind::Collective => {
            let item = parsed.params.iter().find(|param| param.role == ParamRole::NdItem);
            let cx = item.map(|item| cx(super::dims_of(&item.ty)));
            let params = parsed.params.iter().map(variable);
            quote!(#oob #cx #(#params)*)
        }
        kind => {
            let dims = dims(kind);
            let cx = matches!(kind, FunctionKind::NdRange { .. }).then(|| cx(quote!(#dims)));
            let item = parsed.params.iter().filter(|param| is_item(param.role)).map(variable);
            let params = match captures {
                Some(names) => quote! {
                    let (#(#names,)*) = __captures.any();
                    #(let #names = ::syclone::abi::Captured::bind_to(#names, __g);)*
                },
                None => {
                    let unpack = unpack(parsed);
                    quote!(let __params: Self::Params = ::syclone::abi::any(); #unpack)
                }
            };
            quote! {
                #oob
                let __g: &::syclone::abi::GroupCx<#dims> = ::syclone::abi::any();
                #cx
                #(#item)*
                #params
            }
        }
    }
}

/// The search for calls that need a site, in the order of the body.
struct Search<'a> {
    parsed: &'a Parsed,
    receivers: Receivers<'a>,
    sites: Vec<Site<'a>>,
}

impl<'a> Search<'a> {
    fn expr(&mut self, expr: &'a Expr) {
        if let ExprKind::Method { receiver, name, types, consts, .. } = &expr.kind
            && self.may_be_value(receiver, name)
        {
            let is_built_in = is_builtin_method(name);
            let is_wanted = match (types.is_empty(), consts.is_empty()) {
                (true, true) => !self.is_asked(receiver, name),
                (_, is_of_types) => is_of_types && self.receivers.is_asked(receiver, name),
            };
            if !is_built_in || is_wanted {
                self.sites.push(Site { call: expr, refers: self.receivers.refers(receiver), is_built_in });
            }
        }
    }

    /// Whether a receiver may be a value, and not the item, a group, memory, or a second name of one.
    fn may_be_value(&self, receiver: &Expr, name: &str) -> bool {
        // What an inline kernel captured is taken for memory until its type tells.
        let is_of_values = !is_of_handles(name) || may_be_of_trait(name);
        let is_captured = |role| self.parsed.is_inline && role == ParamRole::ItemMut && is_of_values;
        let is_handle = match receiver.kind {
            ExprKind::Var(var) => {
                self.receivers.numbers.roles.role(var).is_some_and(|role| !is_value(role) && !is_captured(role))
            }
            _ => false,
        };
        !is_handle && self.receivers.numbers.roles.token(receiver).is_none() && may_be_value(self.parsed, receiver)
    }

    /// Whether a method by the name of a built-in one is looked for on the receiver's type already, or is none of a user's.
    fn is_asked(&self, receiver: &Expr, name: &str) -> bool {
        !self.receivers.is_asked(receiver, name)
            || matches!(receiver.kind, ExprKind::Const(_))
            || self.receivers.numbers.spelled.type_of(receiver).is_some()
    }
}
