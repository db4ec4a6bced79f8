//! Patterns of `let`, `for` and `match`.

use super::lower::{Binding, Lowerer};
use syclone_kernel_ast::tree::*;
use syn::spanned::Spanned;
use syn::{Expr as SynExpr, Pat};

impl Lowerer {
    /// A pattern that always matches: a name, `_`, or a tuple of such.
    pub fn let_pattern(&mut self, pat: &Pat) -> Pattern {
        match pat {
            Pat::Ident(ident) => {
                if let Some(by_ref) = &ident.by_ref {
                    self.error(by_ref, "`ref` is not part of the kernel language: values are copied");
                }
                if let Some((at, _)) = &ident.subpat {
                    self.error(at, "`@` in a `let` is not part of the kernel language: bind the value, then its parts");
                }
                Pattern::Bind { var: self.declare(&ident.ident, ident.mutability.is_some()), sub: None }
            }
            Pat::Wild(wild) => Pattern::Wild(self.span(wild.underscore_token.span)),
            Pat::Tuple(tuple) => {
                let span = self.span(tuple.paren_token.span.open());
                Pattern::Tuple(tuple.elems.iter().map(|pat| self.let_pattern(pat)).collect(), span)
            }
            Pat::Paren(paren) => self.let_pattern(&paren.pat),
            Pat::Type(typed) => self.bad_pattern(typed, "put the type after the whole pattern"),
            Pat::Struct(pat) => self.bad_pattern(
                pat,
                "structs are not taken apart by patterns in a kernel: bind the value and read its fields",
            ),
            Pat::TupleStruct(pat) => self.bad_pattern(
                pat,
                "structs are not taken apart by patterns in a kernel: bind the value and read `.0`, `.1`",
            ),
            Pat::Slice(pat) => self.bad_pattern(pat, "arrays are not taken apart by patterns in a kernel: index them"),
            Pat::Rest(pat) => {
                self.bad_pattern(pat, "`..` in a pattern is not part of the kernel language: write `_` for each part")
            }
            Pat::Reference(pat) => {
                self.bad_pattern(pat, "references are not part of the kernel language: values are copied")
            }
            Pat::Macro(pat) => self.bad_pattern(pat, "macros cannot be used in a kernel: write the pattern out"),
            other => self.bad_pattern(
                other,
                "a `let` takes a name, `_` or a tuple of them: use `match` for a pattern that can fail",
            ),
        }
    }

    fn bad_pattern(&mut self, tokens: impl quote::ToTokens, message: &str) -> Pattern {
        self.error(tokens, message);
        Pattern::Wild(self.span(proc_macro2::Span::call_site()))
    }

    /// The pattern of a `match` arm. `bound` holds the names that the arm has bound so far: the alternatives of an
    /// or-pattern bind the same variables.
    pub fn match_pattern(&mut self, pat: &Pat, bound: &mut Vec<(proc_macro2::Ident, VarId)>) -> Pattern {
        match pat {
            Pat::Ident(pat) => {
                let name = pat.ident.to_string();
                if let Some(by_ref) = &pat.by_ref {
                    return self.bad_pattern(by_ref, "`ref` is not part of the kernel language: values are copied");
                }
                // The compiler knows whether a lone name is a constant; here the naming convention tells.
                if pat.subpat.is_none() && pat.mutability.is_none() && is_upper(&name) {
                    return self.const_pattern(&pat.ident.clone().into(), None);
                }
                let var = match bound.iter().find(|(known, _)| super::hygiene::is_same(known, &pat.ident)) {
                    Some((_, var)) => *var,
                    None => {
                        let var = self.declare(&pat.ident, pat.mutability.is_some());
                        bound.push((pat.ident.clone(), var));
                        var
                    }
                };
                let sub = pat.subpat.as_ref().map(|(_, sub)| Box::new(self.match_pattern(sub, bound)));
                Pattern::Bind { var, sub }
            }
            Pat::Wild(wild) => Pattern::Wild(self.span(wild.underscore_token.span)),
            Pat::Paren(paren) => self.match_pattern(&paren.pat, bound),
            Pat::Tuple(tuple) => {
                let span = self.span(tuple.paren_token.span.open());
                Pattern::Tuple(tuple.elems.iter().map(|pat| self.match_pattern(pat, bound)).collect(), span)
            }
            Pat::Or(or) => {
                let span = self.span(or.span());
                Pattern::Or(or.cases.iter().map(|pat| self.match_pattern(pat, bound)).collect(), span)
            }
            Pat::Lit(lit) => match self.literal(&lit.lit) {
                Some(value) => Pattern::Lit(value, self.span(lit.span())),
                None => Pattern::Wild(self.span(lit.span())),
            },
            Pat::Path(path) => self.const_pattern(&path.path, path.qself.as_ref()),
            Pat::Range(range) => {
                let lo = range.start.as_deref().map(|end| Box::new(self.range_end(end)));
                let hi = range.end.as_deref().map(|end| Box::new(self.range_end(end)));
                let (inclusive, span) = match &range.limits {
                    syn::RangeLimits::HalfOpen(dots) => (false, dots.spans[0]),
                    syn::RangeLimits::Closed(dots) => (true, dots.spans[0]),
                };
                Pattern::Range { lo, hi, inclusive, span: self.span(span) }
            }
            Pat::TupleStruct(pat) => {
                let segments: Vec<String> = pat.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                let message = super::advice::for_path(&segments).unwrap_or(
                    "patterns with data are not part of the kernel language: match on an integer or an enum without data, and read the fields",
                );
                self.bad_pattern(pat, message)
            }
            Pat::Struct(pat) => self.bad_pattern(
                pat,
                "patterns with data are not part of the kernel language: match on an integer or an enum without data, and read the fields",
            ),
            Pat::Slice(pat) => self.bad_pattern(pat, "arrays are not taken apart by patterns in a kernel: index them"),
            Pat::Rest(pat) => self.bad_pattern(pat, "`..` in a pattern is not part of the kernel language: write `_` for each part"),
            Pat::Reference(pat) => {
                self.bad_pattern(pat, "references are not part of the kernel language: match on the value")
            }
            Pat::Macro(pat) => self.bad_pattern(pat, "macros cannot be used in a kernel: write the pattern out"),
            other => self.bad_pattern(other, "this pattern is not part of the kernel language: use literals, constants, ranges, tuples, `|` and names"),
        }
    }

    fn range_end(&mut self, end: &SynExpr) -> Pattern {
        match end {
            SynExpr::Lit(lit) => match self.literal(&lit.lit) {
                Some(value) => Pattern::Lit(value, self.span(lit.span())),
                None => Pattern::Wild(self.span(lit.span())),
            },
            SynExpr::Path(path) => self.const_pattern(&path.path, path.qself.as_ref()),
            other => self.bad_pattern(other, "the ends of a range pattern are literals or constants"),
        }
    }

    fn const_pattern(&mut self, path: &syn::Path, qself: Option<&syn::QSelf>) -> Pattern {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.last().is_some_and(|last| last == "None")
            && let Some(message) = super::advice::for_path(&segments)
        {
            return self.bad_pattern(path, message);
        }
        if let Some(name) = path.get_ident()
            && let Some(Binding::Const(_)) = self.lookup(name)
        {
            return self.bad_pattern(
                path,
                "a `const` of the body cannot be matched against: move it out of the kernel, or compare in a guard, `x if x == N`",
            );
        }
        let span = self.span(path.span());
        let path = syn::ExprPath { attrs: Vec::new(), qself: qself.cloned(), path: path.clone() };
        Pattern::Const(self.intern_const(SynExpr::Path(path)), span)
    }
}

/// Whether a name is a constant's, a type's or a variant's by convention.
pub fn is_upper(name: &str) -> bool {
    name.trim_start_matches("r#").trim_start_matches('_').starts_with(char::is_uppercase)
}
