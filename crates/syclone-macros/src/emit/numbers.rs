//! Which operands are numbers or vectors by what the function itself spells, so that nobody has to ask rustc.

use std::collections::BTreeSet;

use syclone_kernel_ast::analysis::sync::Roles;
use syclone_kernel_ast::analysis::walk::{Binding, each_binding};
use syclone_kernel_ast::tree::*;

use super::builtin_names::is_builtin_method;
use super::spelled::Spelled;
use crate::frontend::{PRIMITIVES, Parsed, is_vector_alias, last_segment};

/// What is known of a function's expressions. What is not said to be a number may be one all the same.
pub struct Numbers<'a> {
    pub parsed: &'a Parsed,
    pub roles: Roles,
    pub spelled: Spelled<'a>,
    /// The variables whose first value says it.
    variables: BTreeSet<u32>,
}

impl<'a> Numbers<'a> {
    /// Looks at each `let`, `for` and `match`.
    pub fn of(parsed: &'a Parsed) -> Self {
        let (roles, spelled) = (Roles::of(&parsed.function), Spelled::of(parsed));
        let mut numbers = Numbers { parsed, roles, spelled, variables: BTreeSet::new() };
        each_binding(&parsed.function.body, &mut |binding| match binding {
            Binding::Let { pattern, init: value, .. } | Binding::Arm(pattern, value) => numbers.bind(pattern, value),
            Binding::For(pattern) => numbers.bind_all(pattern),
        });
        numbers
    }

    /// Whether an expression is a number, `bool` or vector, or a part of one. Operands are checked, so that results of
    /// operators are.
    pub fn is_number(&self, expr: &Expr) -> bool {
        let by_type = || self.spelled.type_of(expr).is_some_and(|ty| self.is_number_type(ty));
        match &expr.kind {
            ExprKind::Lit(_) | ExprKind::Cast(..) | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
            ExprKind::Var(var) => self.variables.contains(&var.0) || by_type(),
            ExprKind::Const(id) => self.is_constant_number(&self.parsed.consts[id.0 as usize]),
            ExprKind::Deref(inner) => self.is_refused(inner) || self.is_number(inner) || by_type(),
            ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::TupleField(base, _) => {
                self.is_number(base) || by_type()
            }
            ExprKind::Builtin(_, types, args) => match types.first() {
                Some(ty) => self.is_number_type(&self.parsed.types[ty.0 as usize]),
                None => args.iter().any(|arg| self.is_number(arg)),
            },
            ExprKind::Method { receiver, name, args, .. } => self.is_method_number(receiver, name, args),
            ExprKind::Block(None, block) => self.is_block_number(block),
            ExprKind::If(_, then, otherwise) => {
                self.is_block_number(then) || otherwise.iter().any(|block| self.is_block_number(block))
            }
            ExprKind::Match(_, arms) => arms.iter().any(|arm| self.is_number(&arm.body)),
            _ => false,
        }
    }

    /// Whether `*` of a value is refused, so that the result need not be looked at.
    fn is_refused(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Var(var) => {
                !self.spelled.refers(value) && self.roles.role(*var).is_none_or(|role| role == ParamRole::Value)
            }
            ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::TupleField(..) | ExprKind::Deref(_) => true,
            _ => false,
        }
    }

    fn is_block_number(&self, block: &Block) -> bool {
        block.tail.iter().any(|tail| self.is_number(tail))
    }

    /// Built-in methods of numbers give numbers, and so do those of handles that do not give back a value.
    fn is_method_number(&self, receiver: &Expr, name: &str, args: &[Expr]) -> bool {
        if !is_builtin_method(name) && !matches!(name, "reduce" | "broadcast") {
            return false;
        }
        let role = if let ExprKind::Var(var) = receiver.kind { self.roles.role(var) } else { None };
        match role {
            Some(ParamRole::Value | ParamRole::Reference { .. } | ParamRole::Local) => self.is_number(receiver),
            Some(ParamRole::Spec) => self.is_number(receiver),
            // What an inline kernel captured is taken for memory until its type tells.
            Some(ParamRole::ItemMut) if self.parsed.is_inline => false,
            Some(_) => true,
            None if self.roles.token(receiver).is_some() => args.first().is_none_or(|arg| self.is_number(arg)),
            None if matches!(&receiver.kind, ExprKind::Method { name, .. } if name == "atomic") => true,
            None => self.is_number(receiver),
        }
    }

    /// A constant that can only be a number: a const parameter, or one of a primitive type.
    fn is_constant_number(&self, value: &syn::Expr) -> bool {
        let path = match value {
            syn::Expr::Lit(_) => return true,
            syn::Expr::Path(path) => &path.path,
            _ => return false,
        };
        let is_param = |generics: &syn::Generics| generics.const_params().any(|param| path.is_ident(&param.ident));
        let mut before = path.segments.iter().rev().skip(1);
        is_param(&self.parsed.generics)
            || is_param(&self.parsed.outer)
            || before.any(|segment| PRIMITIVES.iter().any(|name| segment.ident == name))
    }

    /// Whether a type is a number's or vector's by its name or its bounds.
    pub fn is_number_type(&self, ty: &syn::Type) -> bool {
        let syn::Type::Path(path) = ty else { return false };
        let name = last_segment(ty).map(|last| last.ident.to_string()).unwrap_or_default();
        PRIMITIVES.contains(&name.as_str())
            || name == "Vector"
            || is_vector_alias(&name)
            || path.path.get_ident().is_some_and(|ident| {
                [&self.parsed.generics, &self.parsed.outer]
                    .into_iter()
                    .any(|generics| is_bounded(generics, ident, &["Scalar", "Float", "Integer"]))
            })
    }

    fn bind(&mut self, pattern: &Pattern, value: &Expr) {
        match (pattern, &value.kind) {
            (Pattern::Tuple(patterns, _), ExprKind::Tuple(values)) => {
                patterns.iter().zip(values).for_each(|(pattern, value)| self.bind(pattern, value));
            }
            _ if self.is_number(value) => self.bind_all(pattern),
            _ => {}
        }
    }

    fn bind_all(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Bind { var, sub } => {
                self.variables.insert(var.0);
                sub.iter().for_each(|sub| self.bind_all(sub));
            }
            // A tuple of a built-in function's results.
            Pattern::Tuple(patterns, _) | Pattern::Or(patterns, _) => {
                patterns.iter().for_each(|pattern| self.bind_all(pattern));
            }
            _ => {}
        }
    }
}

/// Whether a type parameter has a bound of one of these names.
pub fn is_bounded(generics: &syn::Generics, ident: &syn::Ident, names: &[&str]) -> bool {
    let is_any = |bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>| {
        bounds.iter().any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => {
                let last = bound.path.segments.last();
                last.is_some_and(|last| names.iter().any(|name| last.ident == name))
            }
            _ => false,
        })
    };
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    generics.type_params().any(|param| param.ident == *ident && is_any(&param.bounds))
        || predicates.into_iter().any(|predicate| match predicate {
            syn::WherePredicate::Type(predicate) => {
                matches!(&predicate.bounded_ty, syn::Type::Path(path) if path.path.is_ident(ident))
                    && is_any(&predicate.bounds)
            }
            _ => false,
        })
}
