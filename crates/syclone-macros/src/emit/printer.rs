//! Printing expressions of the tree as Rust, with the user's own spans.
//!
//! One printer serves all forms of the native version. What differs between them (how a `return` leaves, where the
//! sub-group comes from, whether a barrier is awaited) is in [`Form`].
//!
//! Here are names, patterns and statements; `expr.rs` prints values, `place.rs` what they are read from and written to,
//! `call.rs` calls, and `plain.rs` what rustc is asked about them.

mod call;
mod expr;
mod message;
mod place;
mod plain;

pub use call::{callee_path, calls_functions};

use std::cell::{OnceCell, RefCell};

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::Roles;
use syclone_kernel_ast::tree::*;

use super::operands::{Operands, Way};
use super::receivers::Receivers;
use super::sites::Site;
use crate::frontend::{Parsed, make_ident};

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
    /// Never run, only type-checked: see `sites.rs`. Like a device function, but with the group where one is asked for.
    Probe,
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
    /// Assertions that are known to hold in the loop being printed, likewise.
    held: RefCell<Vec<*const Expr>>,
    /// What is known of operands, once one is printed.
    operands: OnceCell<Operands<'a>>,
    /// Likewise of receivers.
    receivers: OnceCell<Receivers<'a>>,
    /// In [`Form::Probe`]: the calls whose receivers go by a site.
    sites: &'a [Site<'a>],
}

impl<'a> Printer<'a> {
    pub fn new(parsed: &'a Parsed, function: &'a Function, roles: &'a Roles, form: Form) -> Self {
        let (names, inside, held) = (Vec::new(), RefCell::default(), RefCell::default());
        let (operands, receivers) = (OnceCell::new(), OnceCell::new());
        let mut printer = Self { parsed, function, roles, form, names, inside, held, operands, receivers, sites: &[] };
        for (index, var) in function.vars.iter().enumerate() {
            let span = printer.span(var.span);
            let name = printed_name(function, index);
            // A receiver stays `self`, which rustc resolves itself; a probe is in no method.
            let name = if form == Form::Probe && name == "self" { "__self" } else { &name };
            printer.names.push(make_ident(name, span));
        }
        printer
    }

    /// The printer of a probe with these sites.
    pub fn of_probe(parsed: &'a Parsed, roles: &'a Roles, sites: &'a [Site<'a>]) -> Self {
        Self { sites, ..Self::new(parsed, &parsed.function, roles, Form::Probe) }
    }

    /// How an operand of a computation goes by the library, if it may be no number. In a probe only those do that would be
    /// a second error there.
    fn way(&self, operand: &Expr) -> Option<Way> {
        let way = self.operands().way(operand);
        way.filter(|way| self.form != Form::Probe || *way == Way::Known)
    }

    fn operands(&self) -> &Operands<'a> {
        self.operands.get_or_init(|| Operands::of(self.parsed))
    }

    /// The value of an operand of a computation: by the library if need be. `first` is the operator's first operand: where
    /// neither is a number, rustc says so once for each place and type, and so once if both are told to stand there.
    fn number(&self, operand: &Expr, first: &Expr) -> Printed {
        let printed = self.expr(operand);
        match self.way(operand) {
            Some(Way::Known) if self.operands().is_repeated(operand, first) => printed,
            Some(way) => self.by_way(way, printed, self.way(first).map_or(operand.span, |_| first.span)),
            None => printed,
        }
    }

    fn by_way(&self, way: Way, value: Printed, at: SpanId) -> Printed {
        // All of it is the user's own for rustc, which then reports there what is no number.
        let span = self.users(at);
        let (function, operand) = (Ident::new(way.function(), span), Ident::new("__operand", span));
        quote_spanned!(span=> (match #value { #operand => ::syclone::abi::role::#function(#operand) })).into()
    }

    /// The site by which the receiver of a call goes, and its name.
    fn site(&self, call: &Expr) -> Option<(&Site<'a>, Ident)> {
        let position = self.sites.iter().position(|site| std::ptr::eq(site.call, call))?;
        Some((&self.sites[position], site_name(position)))
    }

    pub fn span(&self, span: SpanId) -> Span {
        let site = Span::call_site();
        // The user's place, our hygiene: printed names and the names that the macro adds must see each other.
        self.parsed.spans.get(span.0 as usize).map_or(site, |user| user.resolved_at(site))
    }

    /// The user's place with the user's hygiene.
    fn users(&self, span: SpanId) -> Span {
        self.parsed.spans.get(span.0 as usize).copied().unwrap_or_else(Span::call_site)
    }

    /// Tokens in parentheses that are the user's own for rustc. An operation of two such operands, whose operator is the
    /// user's too, panics with the user's line; other printed code with that of the macro.
    fn placed(&self, tokens: Printed, span: SpanId) -> Group {
        let mut group = Group::new(Delimiter::Parenthesis, tokens.into_token_stream());
        group.set_span(self.users(span));
        group
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

    /// Prints without some assertions.
    pub fn with_held<R>(&self, assertions: &[&Expr], print: impl FnOnce() -> R) -> R {
        self.held.borrow_mut().extend(assertions.iter().map(|assertion| std::ptr::from_ref(*assertion)));
        let printed = print();
        self.held.borrow_mut().clear();
        printed
    }

    fn is_inside(&self, access: &Expr) -> bool {
        self.parsed.options.unchecked || self.inside.borrow().contains(&std::ptr::from_ref(access))
    }

    /// The accumulator of out-of-bounds accesses as an argument. It comes last, after arguments that use it too.
    fn oob(&self) -> Faults {
        Faults { behind_reference: matches!(self.form, Form::Device | Form::Probe) }
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

    pub fn range(&self, range: &ForRange) -> TokenStream {
        let (start, end) = (self.operand(&range.start), self.operand(&range.end));
        let mut tokens = if range.inclusive { quote!((#start..=#end)) } else { quote!((#start..#end)) };
        for adaptor in &range.adaptors {
            tokens = match adaptor {
                RangeAdaptor::Rev => quote!(#tokens.rev()),
                RangeAdaptor::StepBy(step) => {
                    let (span, step) = (self.users(step.span), self.expr(step));
                    let step = quote_spanned!(span=> ::syclone::abi::step(#step));
                    quote!(#tokens.step_by(#step))
                }
            };
        }
        tokens
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

/// The name of a probe's site.
pub fn site_name(position: usize) -> Ident {
    format_ident!("__site_{}", position)
}
