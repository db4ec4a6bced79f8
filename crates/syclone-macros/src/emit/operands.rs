//! Operators are for numbers and vectors: a user's own `impl Add` has no tree. rustc would accept it, so that it is asked of
//! each type that the function spells and operates on, and of each variable that an inline kernel captures and operates on.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::tree::*;

use super::spelled::Spelled;
use crate::frontend::{PRIMITIVES, Parsed, is_vector_alias, last_segment, make_ident};

/// Statements that check the operands whose type could be a struct.
pub fn operand_checks(parsed: &Parsed) -> TokenStream {
    let mut checks = Checks { parsed, spelled: Spelled::of(parsed), seen: Vec::new(), tokens: TokenStream::new() };
    let body = &parsed.function.body;
    body.stmts.iter().for_each(|(Stmt::Let { init: e, .. } | Stmt::Expr(e))| checks.search(e));
    body.tail.iter().for_each(|tail| checks.search(tail));
    checks.tokens
}

struct Checks<'a> {
    parsed: &'a Parsed,
    spelled: Spelled<'a>,
    /// Types that are checked already.
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
        let Some(ty) = self.spelled.type_of(operand) else { return self.captured(operand, "computed") };
        if self.is_number(ty) {
            return;
        }
        let text = ty.to_token_stream().to_string();
        if self.seen.contains(&text) {
            return;
        }
        self.seen.push(text);
        let span = self.parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        let ty = at(span, ty.to_token_stream());
        self.tokens.extend(quote_spanned!(span=> let _ = ::syclone::abi::role::operand::<#ty>;));
    }

    /// Asks of what was captured whether a kernel can do this with it.
    fn captured(&mut self, operand: &Expr, what: &str) {
        let span = self.parsed.spans.get(operand.span.0 as usize).copied().unwrap_or_else(Span::call_site);
        let Some(value) = self.captured_value(operand, span) else { return };
        let text = format!("{what} {value}");
        if self.seen.contains(&text) {
            return;
        }
        self.seen.push(text);
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
                let (base, mut index) = (self.captured_value(base, span)?, Literal::u32_unsuffixed(*index));
                index.set_span(span);
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
        let of_trait = self.parsed.outer.where_clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| {
            matches!(predicate, syn::WherePredicate::Type(bound) if bound.bounded_ty.to_token_stream().to_string() == "Self")
        });
        PRIMITIVES.contains(&name.as_str())
            || name == "Vector"
            || is_vector_alias(&name)
            || is_param(&self.parsed.generics)
            || is_param(&self.parsed.outer)
            || (first.ident == "Self" && of_trait)
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
