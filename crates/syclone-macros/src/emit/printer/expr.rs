//! Values: every kind of expression, with its parts.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::uses::{has_index, root};
use syclone_kernel_ast::tree::*;

use super::super::operands::{Way, computes};
use super::{Form, Printed, Printer};
use crate::frontend::make_ident;

impl Printer<'_> {
    /// The value of an expression.
    pub fn expr(&self, expr: &Expr) -> Printed {
        match &expr.kind {
            ExprKind::Lit(lit) => self.lit(lit, expr.span),
            ExprKind::Var(_) if let Some(token) = self.roles.token(expr) => self.token(token).into(),
            ExprKind::Var(var) => {
                let mut name = self.var(*var).clone();
                name.set_span(self.span(expr.span));
                Printed::One(name.into())
            }
            _ => self.compound(expr).into(),
        }
    }

    /// The value of an expression that has parts.
    fn compound(&self, expr: &Expr) -> TokenStream {
        let span = self.span(expr.span);
        let oob = self.oob();
        match &expr.kind {
            ExprKind::Lit(_) | ExprKind::Var(_) => self.expr(expr).into_token_stream(),
            ExprKind::Const(id) => self.constant(*id),
            ExprKind::Unary(op, a) => {
                // As literals are.
                let span = if matches!(a.kind, ExprKind::Lit(_)) { self.users(expr.span) } else { span };
                let a = self.way(a).map_or_else(|| self.operand(a), |way| self.by_way(way, self.expr(a), a.span));
                match op {
                    UnaryOp::Neg => quote_spanned!(span=> -#a),
                    UnaryOp::Not => quote_spanned!(span=> !#a),
                }
            }
            ExprKind::Binary(op, a, b) if may_panic(*op) => {
                let (a, b) = (self.placed(self.number(a, a), expr.span), self.placed(self.number(b, a), expr.span));
                let op = operator(*op, false, self.users(expr.span));
                quote!(#a #op #b)
            }
            ExprKind::Binary(op, left, right) => {
                let operand = |operand: &Expr| match self.way(operand).filter(|_| computes(*op)) {
                    Some(_) => self.number(operand, left),
                    None => self.operand(operand),
                };
                let (a, b) = (operand(left), operand(right));
                let (check, op) = (self.comparison_check(expr), operator(*op, false, span));
                match check {
                    Some(check) => quote!(({ #check #a #op #b })),
                    None => quote!(#a #op #b),
                }
            }
            ExprKind::Assign(place, value) => {
                let value = (self.expr(value), value.span);
                self.assign(place, None, value, span)
            }
            // As one computation, whose operands can go by the library.
            ExprKind::AssignOp(op, place, value) if self.way(place) == Some(Way::Known) && !has_index(place) => {
                let kind = ExprKind::Binary(*op, place.clone(), value.clone());
                let computed = (self.expr(&Expr { kind, span: expr.span }), expr.span);
                self.assign(place, None, computed, span)
            }
            ExprKind::AssignOp(op, place, value) => {
                let value = (self.number(value, place), value.span);
                self.assign(place, Some(*op), value, span)
            }
            ExprKind::Cast(a, ty) => {
                // What rustc underlines of a cast that is none begins with the operand's first token, which must be the user's.
                let mut value = Group::new(Delimiter::Parenthesis, self.expr(a).into_token_stream());
                value.set_span(self.span(a.span));
                let ty = self.ty(*ty);
                quote_spanned!(span=> #value as #ty)
            }
            ExprKind::Index(base, _) if root(base).is_none() => {
                let ExprKind::Index(base, index) = &expr.kind else { unreachable!() };
                let (base, index) = (self.expr(base), self.expr(index));
                quote_spanned!(span=> { let __base = #base; unsafe { ::syclone::abi::at(&raw const __base, #index) }.get(#oob) })
            }
            ExprKind::Index(..) => {
                let place = self.place(expr, false);
                let place = if self.is_inside(expr) { self.inside_place(expr, place) } else { place };
                quote_spanned!(span=> #place.get(#oob))
            }
            ExprKind::Deref(a) => match self.local_root(a) {
                Some(place) => quote_spanned!(span=> #place.get(#oob)),
                None => {
                    let a = self.dereferenced(a);
                    quote_spanned!(span=> *#a)
                }
            },
            ExprKind::Field(base, name) => {
                let base = self.field_base(base);
                let name = make_ident(name, span);
                quote!(#base.#name)
            }
            ExprKind::TupleField(base, index) => {
                let base = self.field_base(base);
                let mut index = Literal::u32_unsuffixed(*index);
                index.set_span(span);
                quote!(#base.#index)
            }
            ExprKind::Tuple(items) => {
                let items = items.iter().map(|e| self.expr(e));
                quote_spanned!(span=> (#(#items,)*))
            }
            ExprKind::Array(items) => {
                let items = items.iter().map(|e| self.expr(e));
                quote_spanned!(span=> [#(#items),*])
            }
            ExprKind::Repeat(value, count) => {
                let (value, count) = (self.expr(value), self.expr(count));
                quote_spanned!(span=> [#value; #count])
            }
            ExprKind::Struct(ty, fields) => {
                let ty = self.ty(*ty);
                let names = fields.iter().map(|(name, e)| make_ident(name, self.span(e.span)));
                let values = fields.iter().map(|(_, e)| self.expr(e));
                quote!(#ty { #(#names: #values),* })
            }
            ExprKind::TupleStruct(ty, items) => {
                let ty = self.ty(*ty);
                let items = items.iter().map(|e| self.expr(e));
                quote!(#ty(#(#items),*))
            }
            ExprKind::Call(callee, args) => self.call(*callee, args, expr),
            ExprKind::Builtin(name, types, args) => self.builtin(name, types, args, span),
            ExprKind::Message(..) if self.held.borrow().contains(&std::ptr::from_ref(expr)) => quote!(()),
            ExprKind::Message(kind, template, operands) => self.message(*kind, template, operands, expr.span),
            ExprKind::Method { receiver, name, types, consts, args } => {
                self.method(expr, receiver, name, types, consts, args)
            }
            ExprKind::Ref(mutable, a) => {
                let mutable = mutable.then(|| quote!(mut));
                let a = self.operand(a);
                quote_spanned!(span=> &#mutable #a)
            }
            ExprKind::If(cond, then, otherwise) => {
                // At the user's `if`, for what rustc says of the whole.
                let block = |block| at(self.block(block), span);
                let (cond, then) = (self.expr(cond), block(then));
                let otherwise = otherwise.as_ref().map(|otherwise| {
                    let otherwise = block(otherwise);
                    quote!(else #otherwise)
                });
                quote_spanned!(span=> if #cond #then #otherwise)
            }
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.expr(scrutinee);
                let arms = arms.iter().map(|arm| {
                    let (pattern, body) = (self.pattern(&arm.pattern), self.expr(&arm.body));
                    let guard = arm.guard.as_ref().map(|g| {
                        let g = self.expr(g);
                        quote!(if #g)
                    });
                    quote!(#pattern #guard => { #body })
                });
                quote_spanned!(span=> match #scrutinee { #(#arms)* })
            }
            ExprKind::Block(label, block) => {
                let block = self.block(block);
                match Self::label(label) {
                    Some(label) => quote!(#label: #block),
                    None => block,
                }
            }
            ExprKind::Loop(label, block) => {
                let (label, block) = (Self::label(label).map(|l| quote!(#l:)), self.block(block));
                quote_spanned!(span=> #label loop #block)
            }
            ExprKind::While(label, cond, block) => {
                let (label, cond, block) =
                    (Self::label(label).map(|l| quote!(#l:)), self.expr(cond), self.block(block));
                quote_spanned!(span=> #label while #cond #block)
            }
            ExprKind::For { label, pattern, range, body } => {
                let label = Self::label(label).map(|l| quote!(#l:));
                let (pattern, range, body) = (self.pattern(pattern), self.range(range), self.block(body));
                quote_spanned!(span=> #label for #pattern in #range #body)
            }
            ExprKind::Break(label, value) => {
                let (label, value) = (Self::label(label), value.as_ref().map(|v| self.expr(v)));
                quote_spanned!(span=> break #label #value)
            }
            ExprKind::Continue(label) => {
                let label = Self::label(label);
                quote_spanned!(span=> continue #label)
            }
            ExprKind::Return(value) => {
                let value = value.as_ref().map(|v| self.expr(v));
                match self.form {
                    Form::Loops { alive: true } => quote_spanned!(span=> { __alive.kill(__i); continue '__item }),
                    Form::Loops { alive: false } => quote_spanned!(span=> continue '__item),
                    Form::LockStep => {
                        quote_spanned!(span=> { let __value = { #value }; __ax.report(__oob); return __value })
                    }
                    Form::Device | Form::Probe => quote_spanned!(span=> return #value),
                }
            }
        }
    }

    /// An operand: in parentheses unless it needs none.
    pub fn operand(&self, expr: &Expr) -> Printed {
        let tokens = self.expr(expr);
        match &expr.kind {
            ExprKind::Lit(Lit::Int(value, _)) if *value < 0 => quote!((#tokens)).into(),
            ExprKind::Lit(_)
            | ExprKind::Var(_)
            | ExprKind::Call(..)
            | ExprKind::Builtin(..)
            | ExprKind::Method { .. } => tokens,
            ExprKind::Field(..) | ExprKind::TupleField(..) if !has_index(expr) => tokens,
            _ => quote!((#tokens)).into(),
        }
    }

    pub(super) fn constant(&self, id: ConstId) -> TokenStream {
        let value = &self.parsed.consts[id.0 as usize];
        quote!(#value)
    }

    pub fn lit(&self, lit: &Lit, span: SpanId) -> Printed {
        let (span, users) = (self.span(span), self.users(span));
        let text = match lit {
            Lit::Bool(value) => return Printed::One(Ident::new(if *value { "true" } else { "false" }, span).into()),
            Lit::Int(value, suffix) => format!("{}{suffix}", value.unsigned_abs()),
            Lit::Float(digits, suffix) => format!("{digits}{suffix}"),
        };
        let mut literal: Literal = text.parse().expect("a literal of the tree was one in the source");
        // The user's own tokens: rustc says of them whether their type can hold them, and nothing of what a macro made.
        literal.set_span(users);
        match lit {
            Lit::Int(value, _) if *value < 0 => quote_spanned!(users=> -#literal).into(),
            _ => Printed::One(literal.into()),
        }
    }
}

/// Whether Rust panics on some integers: in every build on a division by zero, with overflow checks on other results.
pub(super) fn may_panic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
}

pub(super) fn operator(op: BinaryOp, assign: bool, span: Span) -> TokenStream {
    let equals = if assign { "=" } else { "" };
    let mut symbols = op.symbol().chars().chain(equals.chars()).peekable();
    let mut tokens = TokenStream::new();
    while let Some(symbol) = symbols.next() {
        let spacing = if symbols.peek().is_some() { Spacing::Joint } else { Spacing::Alone };
        let mut token = Punct::new(symbol, spacing);
        token.set_span(span);
        tokens.extend([TokenTree::from(token)]);
    }
    tokens
}

/// A block's braces at another place.
fn at(block: TokenStream, span: Span) -> TokenStream {
    let at = |token| match token {
        TokenTree::Group(mut group) => {
            group.set_span(span);
            TokenTree::Group(group)
        }
        token => token,
    };
    block.into_iter().map(at).collect()
}
