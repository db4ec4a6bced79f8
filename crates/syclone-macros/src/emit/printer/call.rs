//! Calls: of device functions, of the library's functions, and of methods.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::{Roles, SyncKind, Token, each_child};
use syclone_kernel_ast::analysis::uses::{has_index, root};
use syclone_kernel_ast::tree::*;

use super::super::builtin_names::{is_builtin_method, may_panic};
use super::super::callable::hidden;
use super::{Form, Printed, Printer};
use crate::frontend::{Callee, is_of_handles, make_ident};

impl Printer<'_> {
    pub(super) fn call(&self, callee: CalleeId, args: &[Expr], expr: &Expr) -> TokenStream {
        let span = self.span(expr.span);
        let collective = matches!(self.roles.sync(expr), Some(SyncKind::Call));
        let printed = args.iter().filter(|arg| !(collective && self.roles.is_item(arg))).map(|e| self.expr(e));
        if collective {
            let function = self.callee(callee, "__lock_step");
            return quote_spanned!(span=> #function(__ax, #(#printed),*).await);
        }
        let function = self.callee(callee, "__device");
        let oob = match &self.parsed.callees[callee.0 as usize] {
            Callee::Free { .. } => self.oob().into_token_stream(),
            Callee::Assoc { .. } => self.faults(),
        };
        quote_spanned!(span=> #function(#(#printed,)* #oob))
    }

    /// The accumulator of faults as a function takes it that may be a method of a trait with parameters.
    fn faults(&self) -> TokenStream {
        let oob = self.oob();
        quote!(::syclone::abi::Oob::of(#oob))
    }

    /// A callee's hidden function: `helper::__device::<T>` or `Type::__device_name::<T>`.
    pub fn callee(&self, callee: CalleeId, kind: &str) -> TokenStream {
        callee_path(&self.parsed.callees[callee.0 as usize], kind)
    }

    /// Whether one item is printed as a future.
    fn is_future(&self) -> bool {
        matches!(self.form, Form::LockStep | Form::Probe)
    }

    /// The token of the group or sub-group that runs.
    pub(super) fn token(&self, token: Token) -> TokenStream {
        match token {
            Token::Group if self.is_future() => quote!(__ax.group().group()),
            Token::SubGroup if self.is_future() => quote!(__ax.group().sub_group(__ax.index())),
            Token::Group => quote!(__g.group()),
            Token::SubGroup => quote!(__g.sub_group(__i)),
        }
    }

    pub(super) fn builtin(&self, name: &str, types: &[TypeId], args: &[Expr], span: Span) -> TokenStream {
        let types: Vec<TokenStream> = types.iter().map(|ty| self.ty(*ty)).collect();
        let args = args.iter().map(|e| if name == "from" { self.converted(e) } else { self.expr(e) });
        let ident = make_ident(name, span);
        match (name, types.first()) {
            ("local", _) => quote_spanned!(span=> __g.local::<#(#types),*>()),
            (_, Some(ty)) => quote_spanned!(span=> <#ty>::#ident(#(#args),*)),
            (_, None) => quote_spanned!(span=> ::syclone::kernel::#ident(#(#args),*)),
        }
    }

    /// A method's generic arguments.
    pub fn turbofish(&self, types: &[TypeId], consts: &[ConstId]) -> TokenStream {
        let types = types.iter().map(|ty| self.ty(*ty));
        let consts = consts.iter().map(|c| {
            let c = self.constant(*c);
            quote!({ #c })
        });
        quote!(::<#(#types,)* #(#consts,)*>)
    }

    /// A method call. In a probe its receiver may go by a site: beside the call if it is a place, else through it.
    pub(super) fn method(
        &self,
        expr: &Expr,
        receiver: &Expr,
        name: &str,
        types: &[TypeId],
        consts: &[ConstId],
        args: &[Expr],
    ) -> TokenStream {
        let Some((site, name_of_site)) = self.site(expr) else {
            return self.plain_method(expr, receiver, None, self.faults(), name, types, consts, args);
        };
        let faults = quote!(#name_of_site.faults());
        let printed = self.operand(receiver);
        if root(receiver).is_none() {
            let through = quote!(#name_of_site.through(#printed)).into();
            return self.plain_method(expr, receiver, Some(through), faults, name, types, consts, args);
        }
        let behind = site.refers.then(|| quote!(*));
        let call = self.plain_method(expr, receiver, None, faults, name, types, consts, args);
        quote!((#name_of_site.is(&#behind #printed), #call).1)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one call")]
    fn plain_method(
        &self,
        expr: &Expr,
        receiver: &Expr,
        printed_receiver: Option<Printed>,
        faults: TokenStream,
        name: &str,
        types: &[TypeId],
        consts: &[ConstId],
        args: &[Expr],
    ) -> TokenStream {
        let span = self.span(expr.span);
        let oob = self.oob();
        let ident = make_ident(name, span);
        let printed: Vec<Printed> = args.iter().map(|e| self.expr(e)).collect();
        if let Some(kind) = self.roles.sync(expr) {
            let line = self.line(expr.span);
            return match kind {
                SyncKind::Barrier(Token::Group) => quote_spanned!(span=> __ax.barrier(#line).await),
                SyncKind::Barrier(Token::SubGroup) => quote_spanned!(span=> __ax.sub_group_barrier(#line).await),
                SyncKind::Collective(token) => {
                    let module = if token == Token::Group { quote!(group) } else { quote!(sub_group) };
                    quote_spanned!(span=> ::syclone::abi::lock_step::#module::#ident(&__ax.at(#line), #(#printed),*).await)
                }
                SyncKind::Call => unreachable!("a method is no call by path"),
            };
        }
        let generics = (!types.is_empty() || !consts.is_empty()).then(|| self.turbofish(types, consts));
        let receiver_tokens = match self.roles.token(receiver) {
            // By reference, so that the token's own method comes before one that a program has for the type.
            Some(token) => {
                let token = self.token(token);
                quote!((&#token)).into()
            }
            None if self.roles.is_any_item(receiver) => {
                let item = self.operand(receiver);
                quote!((&#item)).into()
            }
            None => printed_receiver.unwrap_or_else(|| self.operand(receiver)),
        };
        let role =
            root(receiver).filter(|_| matches!(receiver.kind, ExprKind::Var(_))).and_then(|var| self.roles.role(var));
        match (role, name) {
            (Some(ParamRole::Reducer), "combine") => {
                let index = match self.form {
                    Form::LockStep => quote!(__ax.index()),
                    Form::Probe => quote!(0),
                    _ => quote!(__i),
                };
                return quote_spanned!(span=> #receiver_tokens.combine(#(#printed,)* #index));
            }
            (Some(_), "atomic" | "load_vector" | "store_vector") => {
                return quote_spanned!(span=> #receiver_tokens.#ident #generics(#(#printed,)* #oob));
            }
            _ => {}
        }
        let is_value = |role| match role {
            ParamRole::Value | ParamRole::Reference { .. } => true,
            ParamRole::Spec => name != "get",
            _ => false,
        };
        // What an inline kernel captured has the role of memory until its type tells; no method of memory has this name.
        let is_captured = self.parsed.is_inline && role == Some(ParamRole::ItemMut) && !is_of_handles(name);
        let of_handle =
            !is_captured && role.is_some_and(|role| !is_value(role)) || self.roles.token(receiver).is_some();
        // An element is a copy: a method that changes it would change the copy, which must not have a place to change.
        let element = Ident::new("__element", span);
        let is_element = !of_handle && has_index(receiver);
        if of_handle || is_builtin_method(name) {
            // The user's own for rustc, as `placed` operands are: a built-in method that panics says where it is called.
            let users = self.users(expr.span);
            let ident = make_ident(name, users);
            let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#(#printed),*));
            arguments.set_span(users);
            let called = |value: &dyn ToTokens| quote_spanned!(span=> #value.#ident #generics #arguments);
            let asked = |value: &dyn ToTokens| {
                self.method_check(expr, receiver, name, (types, consts), &value.to_token_stream())
            };
            let is_place = of_handle || root(receiver).is_some();
            let call = match is_element || !is_place {
                true => match (asked(&element), called(&element)) {
                    (None, _) if !is_element => called(&receiver_tokens),
                    (check, call) => {
                        let mutable = (!is_element).then(|| quote!(mut));
                        quote_spanned!(span=> (match #receiver_tokens { #mutable #element => { #check #call } }))
                    }
                },
                false => match (asked(&receiver_tokens), called(&receiver_tokens)) {
                    (None, call) => call,
                    (check, call) => quote_spanned!(span=> ({ #check #call })),
                },
            };
            if of_handle || !may_panic(name) || matches!(self.form, Form::Probe) {
                return call;
            }
            let here = quote_spanned!(users=> ::syclone::abi::CalledAt::here());
            return quote_spanned! {span=>
                ({ let __at = #here; let __called = #call; __at.passed(); __called })
            };
        }
        let device = hidden("__device", name, span);
        if is_element {
            let copy = quote_spanned!(span=> ::syclone::abi::Element::of(#receiver_tokens));
            return quote_spanned!(span=> (match #copy { mut #element => #element.#device #generics(#(#printed,)* #faults) }));
        }
        quote_spanned!(span=> #receiver_tokens.#device #generics(#(#printed,)* #faults))
    }
}

/// Whether device functions that do not synchronise are called inside an expression, for which somebody must note which
/// item calls them.
pub fn calls_functions(roles: &Roles, expr: &Expr) -> bool {
    let mut found = match &expr.kind {
        ExprKind::Call(..) => roles.sync(expr).is_none(),
        ExprKind::Method { receiver, name, .. } => {
            let role = if let ExprKind::Var(var) = receiver.kind { roles.role(var) } else { None };
            // Memory has no methods of other names, so that what seems to be some is a captured value.
            let is_value = role.is_none_or(|role| {
                matches!(role, ParamRole::Value | ParamRole::Spec | ParamRole::Reference { .. } | ParamRole::ItemMut)
            });
            is_value
                && !is_of_handles(name)
                && !is_builtin_method(name)
                && roles.token(receiver).is_none()
                && roles.sync(expr).is_none()
        }
        _ => false,
    };
    each_child(expr, &mut |child| found = found || calls_functions(roles, child));
    found
}

/// A callee's hidden function: `helper::__device::<T>` or `Type::__device_name::<T>`.
pub fn callee_path(callee: &Callee, kind: &str) -> TokenStream {
    match callee {
        Callee::Free { path, generics } => {
            let span = path.segments.last().map_or_else(Span::call_site, |s| s.ident.span());
            let name = Ident::new(kind, span);
            let generics = generics.as_ref().map(|g| {
                let args = &g.args;
                quote!(::<#args>)
            });
            quote!(#path::#name #generics)
        }
        Callee::Assoc { prefix, name, generics, .. } => {
            let name = hidden(kind, &name.to_string(), name.span());
            let generics = generics.as_ref().map(|g| {
                let args = &g.args;
                quote!(::<#args>)
            });
            quote!(#prefix::#name #generics)
        }
    }
}
