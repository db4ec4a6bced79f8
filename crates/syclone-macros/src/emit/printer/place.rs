//! Places: checked accesses of memory, and assignments to them and to their parts.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::uses::{has_index, root};
use syclone_kernel_ast::tree::*;

use super::expr::{may_panic, operator};
use super::{Printed, Printer};
use crate::frontend::make_ident;

impl Printer<'_> {
    /// A struct or tuple whose part is read.
    pub(super) fn field_base(&self, base: &Expr) -> Printed {
        let oob = self.oob();
        match self.local_root(base) {
            Some(place) => quote!(#place.get(#oob)).into(),
            None => self.operand(base),
        }
    }

    /// The place behind `Local<T>`, which reads and writes as a `T`.
    pub(super) fn local_root(&self, expr: &Expr) -> Option<TokenStream> {
        let var = match &expr.kind {
            ExprKind::Var(var) => *var,
            _ => return None,
        };
        matches!(self.roles.role(var), Some(ParamRole::Local)).then(|| {
            let name = self.var(var);
            quote!(unsafe { ::syclone::abi::deref(&raw const #name) })
        })
    }

    /// The checked place of an index expression.
    pub fn place(&self, expr: &Expr, write: bool) -> TokenStream {
        let span = self.span(expr.span);
        match &expr.kind {
            ExprKind::Index(base, index) => {
                // rustc reports what cannot be an index once for each place that it sees, so there is one: the index.
                let brackets = span;
                let span = self.span(index.span);
                let index = self.index(index);
                let method = format_ident!("{}", if write { "at_mut" } else { "at" }, span = span);
                if let ExprKind::Deref(inner) = &base.kind
                    && let Some(place) = self.local_root(inner)
                {
                    return quote_spanned!(span=> #place.#method(#index));
                }
                if has_index(base) || self.is_part_of_local(base) {
                    let base = self.place(base, write);
                    return quote_spanned!(span=> #base.#method(#index));
                }
                let mut base_tokens = self.expr(base);
                if let Printed::One(TokenTree::Ident(name)) = &mut base_tokens {
                    name.set_span(span);
                }
                if let ExprKind::Var(var) = base.kind
                    && matches!(self.roles.role(var), Some(ParamRole::Reference { .. } | ParamRole::Spec))
                {
                    // The address wanted is the array's, not that of what refers to it.
                    base_tokens = quote_spanned!(span=> (*#base_tokens)).into();
                }
                let base = base_tokens;
                let kind = if write && !self.is_handle(expr) { "mut" } else { "const" };
                // What an inline kernel captured has the role of memory, also where it is a value.
                let role = root(expr).and_then(|var| self.roles.role(var));
                let is_captured = self.parsed.is_inline && write && role == Some(ParamRole::ItemMut);
                let method = if is_captured { Ident::new("captured_at_mut", span) } else { method };
                let kind = Ident::new(kind, span);
                let raw = quote_spanned!(span=> &raw #kind #base);
                let place = quote_spanned!(span=> ::syclone::abi::#method(#raw, #index));
                quote_spanned!(brackets=> unsafe { #place })
            }
            ExprKind::Field(base, name) => {
                let base = self.place(base, write);
                let name = make_ident(name, span);
                quote!(#base.field(|__p| unsafe { &raw mut (*__p).#name }))
            }
            ExprKind::TupleField(base, index) => {
                let base = self.place(base, write);
                let index = Literal::u32_unsuffixed(*index);
                quote!(#base.field(|__p| unsafe { &raw mut (*__p).#index }))
            }
            ExprKind::Var(_) => self.local_root(expr).unwrap_or_else(|| self.expr(expr).into_token_stream()),
            _ => self.expr(expr).into_token_stream(),
        }
    }

    /// A place that was checked before. It begins where the checked one does, so that a mistake is the same error in both.
    pub(super) fn inside_place(&self, access: &Expr, place: TokenStream) -> TokenStream {
        let mut first = access;
        while let ExprKind::Index(base, _) = &first.kind
            && let ExprKind::Index(..) = base.kind
        {
            first = base;
        }
        quote_spanned!(self.span(first.span)=> unsafe { #place.inside() })
    }

    fn is_handle(&self, place: &Expr) -> bool {
        root(place).is_some_and(|var| {
            self.roles
                .role(var)
                .is_some_and(|role| !matches!(role, ParamRole::Value | ParamRole::Reference { .. } | ParamRole::Spec))
        })
    }

    /// An index: the item or group is copied, an array literal stays as it is.
    fn index(&self, index: &Expr) -> Printed {
        self.expr(index)
    }

    /// `place op value`, where the value has been printed and stands at `at`.
    pub(super) fn assign(
        &self,
        place: &Expr,
        op: Option<BinaryOp>,
        (value, at): (Printed, SpanId),
        span: Span,
    ) -> TokenStream {
        let is_local = match &place.kind {
            ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
                self.local_root(inner).is_some()
            }
            _ => false,
        };
        if !has_index(place) && !is_local {
            let printed = if let ExprKind::Deref(inner) = &place.kind {
                let inner = self.dereferenced(inner);
                quote!(*#inner).into()
            } else {
                self.expr(place)
            };
            let Some(op) = op else {
                return quote_spanned!(span=> #printed = #value);
            };
            let Some(way) = self.way(place) else { return self.change(op, printed, value, at, span) };
            let seen = self.by_way(way, quote!(#printed).into(), place.span);
            let change = self.change(op, printed, value, at, span);
            return quote_spanned!(span=> { let _ = #seen; #change });
        }
        // A value of the wrong type is a mistake where the value is.
        let name = Ident::new("__value", self.span(at));
        let replace = |old: TokenStream| match &op {
            None => quote!(#name),
            Some(op) => {
                let new = Ident::new("__new", Span::call_site());
                let change = self.change(*op, Printed::One(new.into()), Printed::One(name.clone().into()), at, span);
                let old = match self.way(place) {
                    Some(way) => self.by_way(way, old.into(), place.span),
                    None => Printed::More(old),
                };
                quote!({ let mut __new = #old; #change; __new })
            }
        };
        let store = self.store(place, op.is_some(), &replace);
        quote_spanned!(span=> { let #name = #value; #store })
    }

    /// `place op= value`. A panic has the place of the value, at `at`.
    fn change(&self, op: BinaryOp, place: Printed, value: Printed, at: SpanId, span: Span) -> TokenStream {
        if may_panic(op) {
            let (place, value, op) =
                (self.placed(place, at), self.placed(value, at), operator(op, true, self.users(at)));
            return quote!(#place #op #value);
        }
        let op = operator(op, true, span);
        quote!(#place #op #value)
    }

    /// Statements that write `new(old)` to a checked place, where `new` may not look at `old` unless it `reads`. A part of
    /// an element is written by reading the element, changing it and writing it back.
    fn store(&self, place: &Expr, reads: bool, new: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        let oob = self.oob();
        let whole = match &place.kind {
            ExprKind::Index(..) => Some(self.place(place, true)),
            ExprKind::Deref(inner) => self.local_root(inner),
            _ => None,
        };
        if let Some(whole) = whole.filter(|_| !self.indexes_a_part(place)) {
            let span = self.span(place.span);
            let whole = if self.is_inside(place) { self.inside_place(place, whole) } else { whole };
            if !reads {
                let value = new(TokenStream::new());
                return quote_spanned!(span=> #whole.set(#value, #oob););
            }
            let value = new(quote!(__place.get(#oob)));
            return quote_spanned!(span=> let __place = #whole; let __stored = #value; __place.set(__stored, #oob););
        }
        let (base, part): (&Expr, TokenStream) = match &place.kind {
            ExprKind::Field(base, name) => {
                let name = make_ident(name, self.span(place.span));
                (base, quote!(__element.#name))
            }
            ExprKind::TupleField(base, index) => {
                let index = Literal::u32_unsuffixed(*index);
                (base, quote!(__element.#index))
            }
            ExprKind::Index(base, index) => {
                let index = self.index(index);
                let inner = quote!(unsafe { ::syclone::abi::at_mut(&raw mut __element, #index) });
                let value = new(quote!(__place.get(#oob)));
                let change = quote!(let __place = #inner; let __stored = #value; __place.set(__stored, #oob););
                return self.change_element(base, change);
            }
            _ => (place, quote!(__element)),
        };
        let value = new(quote!(#part));
        let change = quote!(#part = #value;);
        self.change_element(base, change)
    }

    fn change_element(&self, base: &Expr, change: TokenStream) -> TokenStream {
        let oob = self.oob();
        if let Some(local) = self.local_root(base) {
            return quote!(let __whole = #local; let mut __element = __whole.get(#oob); #change __whole.set(__element, #oob););
        }
        self.store(base, true, &|old| quote!({ let mut __element = #old; #change __element }))
    }

    /// Whether an index is applied to a field of an element, as in `a[i].b[j]`.
    fn indexes_a_part(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Index(base, _) => {
                matches!(base.kind, ExprKind::Field(..) | ExprKind::TupleField(..))
                    && (has_index(base) || self.is_part_of_local(base))
                    || self.indexes_a_part(base)
            }
            _ => false,
        }
    }

    fn is_part_of_local(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Field(base, _) | ExprKind::TupleField(base, _) => {
                self.local_root(base).is_some() || self.is_part_of_local(base)
            }
            _ => false,
        }
    }
}
