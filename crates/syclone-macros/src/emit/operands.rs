//! Operators are for numbers and vectors: a user's own `impl Add` has no tree. rustc would accept it, so that it is asked of
//! each operand that may be something else.
//!
//! Most are asked beside the code that runs, each type once: types that the function spells and operates on, fields of such
//! types, constants, results of functions, and variables that an inline kernel captures. What is left (elements of array
//! fields, results of methods, and what only an instance of a generic function knows) goes by a function of the library's
//! that gives it back, where it is printed. In generic functions and inline kernels that function cannot have the bound,
//! and is refused when its instance is compiled.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::*;

use super::numbers::Numbers;
use super::parameters::{is_generic, mentions_params};
use super::printer::callee_path;
use crate::frontend::{Parsed, make_ident, role_by_name};

/// Statements that check the operands whose type could be a struct.
pub fn operand_checks(parsed: &Parsed) -> TokenStream {
    let operands = Operands::of(parsed);
    let mut checks = Checks { parsed, operands: &operands, seen: Vec::new(), tokens: TokenStream::new() };
    each_expr(&parsed.function.body, &mut |expr| checks.check(expr));
    checks.tokens
}

/// Of an inline kernel: the variables that it captured and computes with, and where it does so first. They are taken as such.
pub fn computed_captures(parsed: &Parsed) -> Vec<(VarId, Span)> {
    let operands = Operands::of(parsed);
    let mut found: Vec<(VarId, Span)> = Vec::new();
    each_expr(&parsed.function.body, &mut |expr| {
        let of_expr: &[&Expr] = match &expr.kind {
            ExprKind::Binary(op, left, right) | ExprKind::AssignOp(op, left, right) if computes(*op) => &[left, right],
            ExprKind::Unary(_, value) => &[value],
            _ => &[],
        };
        for operand in of_expr {
            if let Some(var) = operands.captured_variable(operand)
                && !operands.numbers.is_number(operand)
                && found.iter().all(|(known, _)| *known != var)
            {
                found.push((var, parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site)));
            }
        }
    });
    found
}

struct Checks<'a> {
    parsed: &'a Parsed,
    operands: &'a Operands<'a>,
    /// Types, and expressions of a type, that are checked already.
    seen: Vec<String>,
    tokens: TokenStream,
}

impl Checks<'_> {
    fn check(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, left, right) if computes(*op) => {
                self.operand(left);
                self.operand(right);
            }
            ExprKind::AssignOp(op, place, value) if computes(*op) => {
                self.operand(place);
                self.operand(value);
            }
            ExprKind::Unary(_, value) => self.operand(value),
            ExprKind::Binary(op, left, right) if !matches!(op, BinaryOp::And | BinaryOp::Or) => {
                [left, right].into_iter().for_each(|operand| self.captured(operand, "compared"));
            }
            _ => {}
        }
    }

    fn operand(&mut self, operand: &Expr) {
        if self.operands.numbers.is_number(operand) || self.operands.way(operand) == Some(Way::Known) {
            return;
        }
        let span = self.parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        let Some(ty) = self.operands.numbers.spelled.type_of(operand) else {
            let Some(value) = self.operands.value_of_type(operand) else { return self.captured(operand, "computed") };
            if self.is_new(value.to_string()) {
                let check = at(span, quote!(::syclone::abi::role::operand_of));
                self.tokens.extend(quote_spanned!(span=> let _ = || #check(&{ #value });));
            }
            return;
        };
        if self.operands.is_asked(ty) && self.is_new(ty.to_token_stream().to_string()) {
            let ty = at(span, ty.to_token_stream());
            self.tokens.extend(quote_spanned!(span=> let _ = ::syclone::abi::role::operand::<#ty>;));
        }
    }

    fn is_new(&mut self, text: String) -> bool {
        let is_new = !self.seen.contains(&text);
        if is_new {
            self.seen.push(text);
        }
        is_new
    }

    /// Asks of what was captured whether a kernel can do this with it.
    fn captured(&mut self, operand: &Expr, what: &str) {
        let span = self.parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        let Some(value) = self.operands.captured_value(operand, span) else { return };
        if what == "computed" && self.operands.captured_variable(operand).is_some() {
            return;
        }
        if !self.is_new(format!("{what} {value}")) {
            return;
        }
        let what = Ident::new(what, Span::call_site());
        let value = quote_spanned!(span=> &#value);
        self.tokens.extend(quote!(::syclone::abi::role::#what(#value);));
    }
}

/// How an operand goes by the library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Its type is known where it stands, so that what is no number has no type after it: its operator is no second error.
    Known,
    /// Its type is found by what follows too.
    Inferred,
    /// Only an instance of the function knows the type.
    OfInstance,
    /// Likewise, and it is a variable that refers to the value.
    Behind,
}

impl Way {
    fn of(is_generic: bool, refers: bool) -> Self {
        match (is_generic, refers) {
            (false, _) => Way::Inferred,
            (true, false) => Way::OfInstance,
            (true, true) => Way::Behind,
        }
    }

    /// The library's function that gives a value back.
    pub fn function(self) -> &'static str {
        match self {
            Way::Known => "known_number",
            Way::Inferred => "number",
            Way::OfInstance => "number_of_instance",
            Way::Behind => "number_behind",
        }
    }
}

/// What is known of a function's operands.
pub struct Operands<'a> {
    parsed: &'a Parsed,
    numbers: Numbers<'a>,
}

impl<'a> Operands<'a> {
    /// Looks at the function.
    pub fn of(parsed: &'a Parsed) -> Self {
        Operands { parsed, numbers: Numbers::of(parsed) }
    }

    /// How an operand goes by the library; `None` where there is no need, as for most, or it is asked about beside the code.
    pub fn way(&self, operand: &Expr) -> Option<Way> {
        if self.numbers.is_number(operand) {
            return None;
        }
        let refers = self.numbers.spelled.refers(operand);
        let is_generic = is_generic(self.parsed);
        if let Some(ty) = self.numbers.spelled.type_of(operand) {
            if mentions_params(self.parsed, &ty.to_token_stream()) {
                return Some(Way::of(is_generic, refers));
            }
            return (!refers && self.is_asked(ty)).then_some(Way::Known);
        }
        // The function around an inline kernel may be generic.
        if self.captured_value(operand, Span::call_site()).is_some() {
            return None;
        }
        match self.value_of_type(operand) {
            // In a generic function it is asked about beside the code.
            Some(_) => (!matches!(operand.kind, ExprKind::Call(..))).then_some(Way::Known),
            None if self.has_known_type(operand) => Some(Way::Known),
            None => Some(Way::of(is_generic || self.parsed.is_inline, refers)),
        }
    }

    /// Whether an operand that nobody asks about has a type that is known where it stands: the result of a function, and an
    /// element of an array that is a field.
    fn has_known_type(&self, operand: &Expr) -> bool {
        match &operand.kind {
            ExprKind::Call(..) => !is_generic(self.parsed) && !self.parsed.is_inline,
            ExprKind::Index(base, _) => self.value_of_type(base).is_some(),
            _ => false,
        }
    }

    /// Whether an operand goes by the library for a type that an operand before it in the same computation has too.
    pub fn is_repeated(&self, operand: &Expr, first: &Expr) -> bool {
        let mut before = first;
        while let ExprKind::Binary(op, left, _) = &before.kind
            && computes(*op)
        {
            before = left;
        }
        let text = |expr: &Expr| match self.numbers.spelled.type_of(expr) {
            Some(ty) => Some(ty.to_token_stream().to_string()),
            None => self.value_of_type(expr).map(|value| value.to_string()),
        };
        !std::ptr::eq(before, operand)
            && self.way(operand) == Some(Way::Known)
            && text(before).is_some_and(|of| Some(of) == text(operand))
    }

    /// Whether a type that is no number by its name is asked about: not where only its bounds tell what it is.
    fn is_asked(&self, ty: &syn::Type) -> bool {
        matches!(ty, syn::Type::Path(path) if path.qself.is_none())
            && !mentions_params(self.parsed, &ty.to_token_stream())
    }

    /// An expression of the type of a field of a value whose type is spelled, or of a function's result, for code that is
    /// never run.
    fn value_of_type(&self, expr: &Expr) -> Option<TokenStream> {
        let span = self.parsed.spans.get(expr.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        match &expr.kind {
            ExprKind::Field(base, name) => {
                let (base, name) = (self.value_of_type(base)?, make_ident(name, span));
                Some(quote!(#base.#name))
            }
            ExprKind::TupleField(base, position) => {
                let (base, position) = (self.value_of_type(base)?, syn::Index::from(*position as usize));
                Some(quote!(#base.#position))
            }
            // Where the bound can be asked of the value itself, a call that is wrong is not to be an error a second time.
            ExprKind::Call(callee, args)
                if (is_generic(self.parsed) || self.parsed.is_inline)
                    && !args.iter().any(|arg| self.numbers.roles.is_item(arg)) =>
            {
                let function = callee_path(&self.parsed.callees[callee.0 as usize], "__device");
                let args = args.iter().map(|_| quote!(::syclone::abi::any()));
                let call = quote!(#function(#(#args,)* ::syclone::abi::any()));
                (!mentions_params(self.parsed, &call)).then_some(call)
            }
            ExprKind::Const(id) => {
                let value = self.parsed.consts[id.0 as usize].to_token_stream();
                (!mentions_params(self.parsed, &value)).then_some(value)
            }
            _ => {
                let ty = self.numbers.spelled.type_of(expr)?.to_token_stream();
                let is_value = role_by_name(self.numbers.spelled.type_of(expr)?) == ParamRole::Value;
                (is_value && !mentions_params(self.parsed, &ty)).then(|| quote!(::syclone::abi::any::<#ty>()))
            }
        }
    }

    /// The captured variable that an expression is.
    fn captured_variable(&self, expr: &Expr) -> Option<VarId> {
        let ExprKind::Var(var) = &expr.kind else { return None };
        let var = self.numbers.spelled.origin(*var);
        let captured = |role| !matches!(role, ParamRole::Item | ParamRole::NdItem);
        let is_captured = self.parsed.params.iter().any(|param| param.var == var && captured(param.role));
        (self.parsed.is_inline && is_captured).then_some(var)
    }

    /// A captured variable, or a field of one, as the host has it.
    fn captured_value(&self, expr: &Expr, span: Span) -> Option<TokenStream> {
        match &expr.kind {
            ExprKind::Var(_) => {
                let var = self.captured_variable(expr)?;
                let param = self.parsed.params.iter().find(|param| param.var == var)?;
                let mut name = param.ident.clone();
                name.set_span(name.span().located_at(span));
                Some(name.into_token_stream())
            }
            ExprKind::Field(base, name) => {
                let (base, name) = (self.captured_value(base, span)?, make_ident(name, span));
                Some(quote!(#base.#name))
            }
            ExprKind::TupleField(base, index) => {
                let (base, index) = (self.captured_value(base, span)?, syn::Index::from(*index as usize));
                Some(quote!(#base.#index))
            }
            _ => None,
        }
    }
}

/// Whether the operator has a number as its result.
pub fn computes(op: BinaryOp) -> bool {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    !matches!(op, Eq | Ne | Lt | Le | Gt | Ge | And | Or)
}

/// The tokens as if they stood elsewhere, so that a mistake is reported there.
fn at(span: Span, tokens: TokenStream) -> TokenStream {
    let moved = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut moved = Group::new(group.delimiter(), at(span, group.stream()));
            moved.set_span(span);
            TokenTree::Group(moved)
        }
        // A receiver's type is the macro's own token, and means the same wherever it was written.
        TokenTree::Ident(ident) if ident == "Self" => Ident::new("Self", span).into(),
        mut token => {
            token.set_span(token.span().located_at(span));
            token
        }
    });
    moved.collect()
}
