//! Printing expressions of the tree as Rust, with the user's own spans.
//!
//! One printer serves all forms of the native version. What differs between them (how a `return` leaves, where the
//! sub-group comes from, whether a barrier is awaited) is in [`Form`].

use std::cell::RefCell;

use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::{Roles, SyncKind, Token};
use syclone_kernel_ast::analysis::uses::{has_index, root};
use syclone_kernel_ast::tree::*;

use super::builtin_names::is_builtin_method;
use crate::frontend::{Callee, Parsed, make_ident};

/// The tokens of an expression. Most are one token, for which a stream of its own would cost compile time.
pub enum Printed {
    /// A variable or a literal.
    One(TokenTree),
    /// Anything else.
    More(TokenStream),
}

impl From<TokenStream> for Printed {
    fn from(tokens: TokenStream) -> Self {
        Printed::More(tokens)
    }
}

impl ToTokens for Printed {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Printed::One(token) => tokens.append(token.clone()),
            Printed::More(more) => more.to_tokens(tokens),
        }
    }
}

/// A reference to the running code's accumulator of faults.
#[derive(Clone, Copy)]
struct Faults {
    behind_reference: bool,
}

impl ToTokens for Faults {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let span = Span::call_site();
        tokens.append(Punct::new('&', Spacing::Alone));
        tokens.append(Ident::new("mut", span));
        if self.behind_reference {
            tokens.append(Punct::new('*', Spacing::Alone));
        }
        tokens.append(Ident::new("__oob", span));
    }
}

/// Which form of the native version is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Item loops: `__g` is the group, `__i` the item's linear index.
    Loops {
        /// Whether an item that returns must be marked as gone.
        alive: bool,
    },
    /// One item as a future: `__ax` is its context.
    LockStep,
    /// A device function for one item.
    Device,
}

/// Prints one function's expressions.
pub struct Printer<'a> {
    pub parsed: &'a Parsed,
    pub function: &'a Function,
    pub roles: &'a Roles,
    pub form: Form,
    names: Vec<Ident>,
    /// Accesses that were checked before the loop being printed, by the address of their nodes.
    inside: RefCell<Vec<*const Expr>>,
}

impl<'a> Printer<'a> {
    pub fn new(parsed: &'a Parsed, function: &'a Function, roles: &'a Roles, form: Form) -> Self {
        let mut printer = Self { parsed, function, roles, form, names: Vec::new(), inside: RefCell::default() };
        for (index, var) in function.vars.iter().enumerate() {
            let span = printer.span(var.span);
            let name = printed_name(function, index);
            // A receiver stays `self`, which rustc resolves itself.
            printer.names.push(make_ident(&name, span));
        }
        printer
    }

    pub fn span(&self, span: SpanId) -> Span {
        let site = Span::call_site();
        // The user's place, our hygiene: printed names and the names that the macro adds must see each other.
        self.parsed.spans.get(span.0 as usize).map_or(site, |user| user.resolved_at(site))
    }

    pub fn line(&self, span: SpanId) -> u32 {
        self.function.spans.get(span.0 as usize).map_or(0, |s| s.line)
    }

    /// Prints with some accesses taken to be inside their bounds.
    pub fn with_inside<R>(&self, accesses: &[&Expr], print: impl FnOnce() -> R) -> R {
        self.inside.borrow_mut().extend(accesses.iter().map(|access| std::ptr::from_ref(*access)));
        let printed = print();
        self.inside.borrow_mut().clear();
        printed
    }

    fn is_inside(&self, access: &Expr) -> bool {
        self.parsed.options.unchecked || self.inside.borrow().contains(&std::ptr::from_ref(access))
    }

    /// The accumulator of out-of-bounds accesses as an argument. It comes last, after arguments that use it too.
    fn oob(&self) -> Faults {
        Faults { behind_reference: self.form == Form::Device }
    }

    pub fn var(&self, var: VarId) -> &Ident {
        &self.names[var.0 as usize]
    }

    pub fn ty(&self, ty: TypeId) -> TokenStream {
        let ty = &self.parsed.types[ty.0 as usize];
        quote!(#ty)
    }

    /// `: T` of a `let`.
    pub fn declared_type(&self, ty: TypeId) -> TokenStream {
        let ty = self.ty(ty);
        quote!(: #ty)
    }

    fn constant(&self, id: ConstId) -> TokenStream {
        let value = &self.parsed.consts[id.0 as usize];
        quote!(#value)
    }

    pub fn lit(&self, lit: &Lit, span: SpanId) -> Printed {
        let span = self.span(span);
        let text = match lit {
            Lit::Bool(value) => return Printed::One(Ident::new(if *value { "true" } else { "false" }, span).into()),
            Lit::Int(value, suffix) => format!("{}{suffix}", value.unsigned_abs()),
            Lit::Float(digits, suffix) => format!("{digits}{suffix}"),
        };
        let mut literal: Literal = text.parse().expect("a literal of the tree was one in the source");
        literal.set_span(span);
        match lit {
            Lit::Int(value, _) if *value < 0 => quote_spanned!(span=> -#literal).into(),
            _ => Printed::One(literal.into()),
        }
    }

    pub fn pattern(&self, pattern: &Pattern) -> TokenStream {
        match pattern {
            Pattern::Wild(span) => quote_spanned!(self.span(*span)=> _),
            Pattern::Bind { var, sub } => {
                let name = self.var(*var);
                let mutable = self.function.vars[var.0 as usize].mutable.then(|| quote!(mut));
                let sub = sub.as_ref().map(|sub| {
                    let sub = self.pattern(sub);
                    quote!(@ (#sub))
                });
                quote!(#mutable #name #sub)
            }
            Pattern::Tuple(items, _) => {
                let items = items.iter().map(|p| self.pattern(p));
                quote!((#(#items,)*))
            }
            Pattern::Lit(lit, span) => self.lit(lit, *span).into_token_stream(),
            Pattern::Const(id, _) => self.constant(*id),
            Pattern::Range { lo, hi, inclusive, span } => {
                let lo = lo.as_ref().map(|p| self.pattern(p));
                let hi = hi.as_ref().map(|p| self.pattern(p));
                let span = self.span(*span);
                let dots = if *inclusive { quote_spanned!(span=> ..=) } else { quote_spanned!(span=> ..) };
                quote!(#lo #dots #hi)
            }
            Pattern::Or(items, _) => {
                let items = items.iter().map(|p| self.pattern(p));
                quote!(#(#items)|*)
            }
        }
    }

    pub fn label(label: &Option<String>) -> Option<syn::Lifetime> {
        label.as_ref().map(|l| syn::Lifetime::new(&format!("'{l}"), Span::mixed_site()))
    }

    pub fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Let { pattern, ty, init, span } => {
                if self.roles.token(init).is_some() {
                    return TokenStream::new(); // group tokens are made where they are used
                }
                let pattern = self.pattern(pattern);
                let ty = ty.map(|ty| self.declared_type(ty));
                let init = self.expr(init);
                quote_spanned!(self.span(*span)=> let #pattern #ty = #init;)
            }
            Stmt::Expr(expr) => {
                let expr = self.expr(expr);
                quote!(#expr;)
            }
        }
    }

    pub fn block(&self, block: &Block) -> TokenStream {
        let stmts = block.stmts.iter().map(|s| self.stmt(s));
        let tail = block.tail.as_ref().map(|e| self.expr(e));
        quote!({ #(#stmts)* #tail })
    }

    /// An operand: in parentheses unless it needs none.
    fn operand(&self, expr: &Expr) -> Printed {
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

    pub fn range(&self, range: &ForRange) -> TokenStream {
        let (start, end) = (self.operand(&range.start), self.operand(&range.end));
        let mut tokens = if range.inclusive { quote!((#start..=#end)) } else { quote!((#start..#end)) };
        for adaptor in &range.adaptors {
            tokens = match adaptor {
                RangeAdaptor::Rev => quote!(#tokens.rev()),
                RangeAdaptor::StepBy(step) => {
                    let step = self.expr(step);
                    quote!(#tokens.step_by(#step))
                }
            };
        }
        tokens
    }

    /// The value of an expression.
    pub fn expr(&self, expr: &Expr) -> Printed {
        match &expr.kind {
            ExprKind::Lit(lit) => self.lit(lit, expr.span),
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
                let a = self.operand(a);
                match op {
                    UnaryOp::Neg => quote_spanned!(span=> -#a),
                    UnaryOp::Not => quote_spanned!(span=> !#a),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                let op = operator(*op, false, span);
                quote!(#a #op #b)
            }
            ExprKind::Assign(place, value) => {
                let value = self.expr(value);
                self.assign(place, None, value, span)
            }
            ExprKind::AssignOp(op, place, value) => {
                let value = self.expr(value);
                self.assign(place, Some(operator(*op, true, span)), value, span)
            }
            ExprKind::Cast(a, ty) => {
                let (a, ty) = (self.operand(a), self.ty(*ty));
                quote_spanned!(span=> #a as #ty)
            }
            ExprKind::Index(base, _) if root(base).is_none() => {
                let ExprKind::Index(base, index) = &expr.kind else { unreachable!() };
                let (base, index) = (self.expr(base), self.expr(index));
                quote_spanned!(span=> { let __base = #base; unsafe { ::syclone::abi::at(&raw const __base, #index) }.get(#oob) })
            }
            ExprKind::Index(..) => {
                let place = self.place(expr, false);
                if self.is_inside(expr) {
                    quote_spanned!(span=> unsafe { #place.read() })
                } else {
                    quote_spanned!(span=> #place.get(#oob))
                }
            }
            ExprKind::Deref(a) => match self.local_root(a) {
                Some(place) => quote_spanned!(span=> #place.get(#oob)),
                None => {
                    let a = self.operand(a);
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
            ExprKind::Method { receiver, name, types, consts, args } => {
                self.method(expr, receiver, name, types, consts, args)
            }
            ExprKind::Ref(mutable, a) => {
                let mutable = mutable.then(|| quote!(mut));
                let a = self.operand(a);
                quote_spanned!(span=> &#mutable #a)
            }
            ExprKind::If(cond, then, otherwise) => {
                let (cond, then) = (self.expr(cond), self.block(then));
                let otherwise = otherwise.as_ref().map(|b| {
                    let b = self.block(b);
                    quote!(else #b)
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
                    Form::Device => quote_spanned!(span=> return #value),
                }
            }
        }
    }

    /// A struct or tuple whose part is read.
    fn field_base(&self, base: &Expr) -> Printed {
        let oob = self.oob();
        match self.local_root(base) {
            Some(place) => quote!(#place.get(#oob)).into(),
            None => self.operand(base),
        }
    }

    /// The place behind `Local<T>`, which reads and writes as a `T`.
    fn local_root(&self, expr: &Expr) -> Option<TokenStream> {
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
                let index = self.index(index);
                let method = format_ident!("{}", if write { "at_mut" } else { "at" }, span = span);
                if let ExprKind::Deref(inner) = &base.kind
                    && let Some(place) = self.local_root(inner)
                {
                    return quote!(#place.#method(#index));
                }
                if has_index(base) || self.is_part_of_local(base) {
                    let base = self.place(base, write);
                    return quote!(#base.#method(#index));
                }
                let mut base_tokens = self.expr(base);
                if let ExprKind::Var(var) = base.kind
                    && matches!(self.roles.role(var), Some(ParamRole::Reference { .. } | ParamRole::Spec))
                {
                    // The address wanted is the array's, not that of what refers to it.
                    base_tokens = quote!((*#base_tokens)).into();
                }
                let base = base_tokens;
                let raw =
                    if write && !self.is_handle(expr) { quote!(&raw mut #base) } else { quote!(&raw const #base) };
                quote_spanned!(span=> unsafe { ::syclone::abi::#method(#raw, #index) })
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

    fn is_handle(&self, place: &Expr) -> bool {
        root(place).is_some_and(|var| {
            self.roles.role(var).is_some_and(|role| !matches!(role, ParamRole::Value | ParamRole::Reference { .. }))
        })
    }

    /// An index: the item or group is copied, an array literal stays as it is.
    fn index(&self, index: &Expr) -> Printed {
        self.expr(index)
    }

    /// `place op value`, where the value has been printed.
    fn assign(&self, place: &Expr, op: Option<TokenStream>, value: Printed, span: Span) -> TokenStream {
        let is_local = match &place.kind {
            ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
                self.local_root(inner).is_some()
            }
            _ => false,
        };
        if !has_index(place) && !is_local {
            let place = if let ExprKind::Deref(inner) = &place.kind {
                let inner = self.operand(inner);
                quote!(*#inner).into()
            } else {
                self.expr(place)
            };
            let op = op.unwrap_or_else(|| quote_spanned!(span=> =));
            return quote!(#place #op #value);
        }
        let replace = |old| match &op {
            None => quote!(__value),
            Some(op) => quote!({ let mut __new = #old; __new #op __value; __new }),
        };
        let store = self.store(place, op.is_some(), &replace);
        quote_spanned!(span=> { let __value = #value; #store })
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
            if self.is_inside(place) {
                let value = new(quote!(unsafe { __place.read() }));
                return quote_spanned!(span=> let __place = #whole; let __stored = #value; unsafe { __place.write(__stored) };);
            }
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

    fn call(&self, callee: CalleeId, args: &[Expr], expr: &Expr) -> TokenStream {
        let span = self.span(expr.span);
        let collective = matches!(self.roles.sync(expr), Some(SyncKind::Call));
        let printed = args.iter().filter(|arg| !(collective && self.roles.is_item(arg))).map(|e| self.expr(e));
        if collective {
            let function = self.callee(callee, "__lock_step");
            return quote_spanned!(span=> #function(__ax, #(#printed),*).await);
        }
        let function = self.callee(callee, "__device");
        let oob = self.oob();
        quote_spanned!(span=> #function(#(#printed,)* #oob))
    }

    /// A callee's hidden function: `helper::__device::<T>` or `Type::__device_name::<T>`.
    pub fn callee(&self, callee: CalleeId, kind: &str) -> TokenStream {
        callee_path(&self.parsed.callees[callee.0 as usize], kind)
    }

    fn builtin(&self, name: &str, types: &[TypeId], args: &[Expr], span: Span) -> TokenStream {
        let types: Vec<TokenStream> = types.iter().map(|ty| self.ty(*ty)).collect();
        let args = args.iter().map(|e| self.expr(e));
        let ident = make_ident(name, span);
        match (name, types.first()) {
            ("local", _) => quote_spanned!(span=> __g.local::<#(#types),*>()),
            (_, Some(ty)) => quote_spanned!(span=> <#ty>::#ident(#(#args),*)),
            (_, None) => quote_spanned!(span=> ::syclone::abi::functions::#ident(#(#args),*)),
        }
    }

    fn method(
        &self,
        expr: &Expr,
        receiver: &Expr,
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
        let generics = (!types.is_empty() || !consts.is_empty()).then(|| {
            let types = types.iter().map(|ty| self.ty(*ty));
            let consts = consts.iter().map(|c| {
                let c = self.constant(*c);
                quote!({ #c })
            });
            quote!(::<#(#types,)* #(#consts,)*>)
        });
        let receiver_tokens = match self.roles.token(receiver) {
            Some(Token::Group) if self.form == Form::LockStep => quote!(__ax.group().group()).into(),
            Some(Token::SubGroup) if self.form == Form::LockStep => quote!(__ax.group().sub_group(__ax.index())).into(),
            Some(Token::Group) => quote!(__g.group()).into(),
            Some(Token::SubGroup) => quote!(__g.sub_group(__i)).into(),
            None => self.operand(receiver),
        };
        let role =
            root(receiver).filter(|_| matches!(receiver.kind, ExprKind::Var(_))).and_then(|var| self.roles.role(var));
        match (role, name) {
            (Some(ParamRole::Reducer), "combine") => {
                let index = if self.form == Form::LockStep { quote!(__ax.index()) } else { quote!(__i) };
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
        if role.is_some_and(|role| !is_value(role)) || is_builtin_method(name) || self.roles.token(receiver).is_some() {
            return quote_spanned!(span=> #receiver_tokens.#ident #generics(#(#printed),*));
        }
        let device = format_ident!("__device_{}", name, span = span);
        if has_index(receiver) {
            // The element is a copy: a method that changes it would change the copy, which rustc then refuses.
            return quote_spanned!(span=> match #receiver_tokens { __element => __element.#device #generics(#(#printed,)* #oob) });
        }
        quote_spanned!(span=> #receiver_tokens.#device #generics(#(#printed,)* #oob))
    }
}

/// The name under which a variable is printed.
///
/// A name that is bound once keeps its name, for debuggers and messages; shadowing is resolved by numbers, since a region
/// may need both the outer and the inner variable. No two variables share a name, and none has a name of the macro's own,
/// which all begin with `__`.
pub fn printed_name(function: &Function, index: usize) -> String {
    let name = &function.vars[index].name;
    let is_taken = |name: &str| function.vars.iter().any(|v| v.name.trim_start_matches("r#") == name);
    let once = function.vars.iter().filter(|v| v.name == *name).count() == 1;
    let plain = name.trim_start_matches("r#");
    if once && name != "_" && !plain.starts_with("__") {
        return name.clone();
    }
    let mut numbered = if plain.starts_with("__") { format!("own{plain}_{index}") } else { format!("{plain}_{index}") };
    while is_taken(&numbered) {
        numbered.push('_');
    }
    numbered
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
        Callee::Assoc { prefix, name, generics } => {
            let name = format_ident!("{}_{}", kind, name, span = name.span());
            let generics = generics.as_ref().map(|g| {
                let args = &g.args;
                quote!(::<#args>)
            });
            quote!(#prefix::#name #generics)
        }
    }
}

fn operator(op: BinaryOp, assign: bool, span: Span) -> TokenStream {
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
