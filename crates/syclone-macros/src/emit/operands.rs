//! Operators are for numbers and vectors: a user's own `impl Add` has no tree. rustc would accept it, so that it is asked of
//! each type that the function spells and operates on, of the fields of such types and the results of functions, and of each
//! variable that an inline kernel captures and operates on. What else is no number, methods' results, the interpreter refuses.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::{Roles, each_child};
use syclone_kernel_ast::analysis::uses::root;
use syclone_kernel_ast::tree::*;

use super::printer::callee_path;
use super::spelled::Spelled;
use crate::frontend::{PRIMITIVES, Parsed, is_vector_alias, last_segment, make_ident, role_by_name};

/// Statements that check the operands whose type could be a struct.
pub fn operand_checks(parsed: &Parsed) -> TokenStream {
    let (roles, spelled) = (Roles::of(&parsed.function), Spelled::of(parsed));
    let mut checks = Checks { parsed, roles, spelled, seen: Vec::new(), tokens: TokenStream::new() };
    let body = &parsed.function.body;
    body.stmts.iter().for_each(|(Stmt::Let { init: e, .. } | Stmt::Expr(e))| checks.search(e));
    body.tail.iter().for_each(|tail| checks.search(tail));
    checks.tokens
}

struct Checks<'a> {
    parsed: &'a Parsed,
    roles: Roles,
    spelled: Spelled<'a>,
    /// Types, and expressions of a type, that are checked already.
    seen: Vec<String>,
    tokens: TokenStream,
}

impl Checks<'_> {
    fn search(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, left, right) | ExprKind::AssignOp(op, left, right) if computes(*op) => {
                self.operand(left);
                self.operand(right);
            }
            ExprKind::Unary(_, value) => self.operand(value),
            ExprKind::Binary(op, left, right) if !matches!(op, BinaryOp::And | BinaryOp::Or) => {
                [left, right].into_iter().for_each(|operand| self.captured(operand, "compared"));
            }
            _ => {}
        }
        each_child(expr, &mut |child| self.search(child));
    }

    fn operand(&mut self, operand: &Expr) {
        let span = self.parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        let Some(ty) = self.spelled.type_of(operand) else {
            let Some(value) = self.value_of_type(operand) else { return self.captured(operand, "computed") };
            if self.is_new(value.to_string()) {
                let check = at(span, quote!(::syclone::abi::role::operand_of));
                self.tokens.extend(quote_spanned!(span=> let _ = || #check(&{ #value });));
            }
            return;
        };
        if !self.is_number(ty) && self.is_new(ty.to_token_stream().to_string()) {
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
            ExprKind::Call(callee, args) if !args.iter().any(|arg| self.roles.is_item(arg)) => {
                let function = callee_path(&self.parsed.callees[callee.0 as usize], "__device");
                let args = args.iter().map(|_| quote!(::syclone::abi::any()));
                let call = quote!(#function(#(#args,)* ::syclone::abi::any()));
                (!self.mentions_params(&call)).then_some(call)
            }
            _ => {
                let ty = self.spelled.type_of(expr)?.to_token_stream();
                let is_value = role_by_name(self.spelled.type_of(expr)?) == ParamRole::Value && !self.is_of_local(expr);
                (is_value && !self.mentions_params(&ty)).then(|| quote!(::syclone::abi::any::<#ty>()))
            }
        }
    }

    /// Whether an element is one of local memory that the function was handed, whose spelled type is that of the whole.
    fn is_of_local(&self, expr: &Expr) -> bool {
        root(expr).is_some_and(|var| self.roles.role(var) == Some(ParamRole::Local))
    }

    /// Whether only the bounds of a generic parameter tell what a type is.
    fn mentions_params(&self, tokens: &TokenStream) -> bool {
        let params = |generics: &'_ syn::Generics| generics.type_params().next().is_some();
        (params(&self.parsed.generics) || params(&self.parsed.outer) || self.is_in_trait())
            && tokens.clone().into_iter().any(|token| self.is_param(&token))
    }

    fn is_param(&self, token: &TokenTree) -> bool {
        let among = |generics: &syn::Generics, ident: &Ident| generics.type_params().any(|param| param.ident == *ident);
        match token {
            TokenTree::Group(group) => group.stream().into_iter().any(|token| self.is_param(&token)),
            TokenTree::Ident(ident) => {
                ident == "Self" || among(&self.parsed.generics, ident) || among(&self.parsed.outer, ident)
            }
            _ => false,
        }
    }

    fn is_in_trait(&self) -> bool {
        self.parsed.outer.where_clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| {
            matches!(predicate, syn::WherePredicate::Type(bound) if bound.bounded_ty.to_token_stream().to_string() == "Self")
        })
    }

    /// Asks of what was captured whether a kernel can do this with it.
    fn captured(&mut self, operand: &Expr, what: &str) {
        let span = self.parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        let Some(value) = self.captured_value(operand, span) else { return };
        if !self.is_new(format!("{what} {value}")) {
            return;
        }
        let what = Ident::new(what, Span::call_site());
        let value = quote_spanned!(span=> &#value);
        self.tokens.extend(quote!(::syclone::abi::role::#what(#value);));
    }

    /// A captured variable, or a field of one, as the host has it.
    fn captured_value(&self, expr: &Expr, span: Span) -> Option<TokenStream> {
        match &expr.kind {
            ExprKind::Var(var) if self.parsed.is_inline => {
                let var = self.spelled.origin(*var);
                let captured = |role| !matches!(role, ParamRole::Item | ParamRole::NdItem);
                let param = self.parsed.params.iter().find(|param| param.var == var && captured(param.role))?;
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

    /// Whether a type is a number by its name, or one of which only its bounds tell what it is.
    fn is_number(&self, ty: &syn::Type) -> bool {
        let syn::Type::Path(path) = ty else { return true };
        let Some(first) = path.path.segments.first().filter(|_| path.qself.is_none()) else { return true };
        let name = last_segment(ty).map(|last| last.ident.to_string()).unwrap_or_default();
        let is_param = |generics: &syn::Generics| generics.type_params().any(|param| param.ident == first.ident);
        PRIMITIVES.contains(&name.as_str())
            || name == "Vector"
            || is_vector_alias(&name)
            || is_param(&self.parsed.generics)
            || is_param(&self.parsed.outer)
            || (first.ident == "Self" && self.is_in_trait())
    }
}

/// Whether the operator has a number as its result.
fn computes(op: BinaryOp) -> bool {
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
