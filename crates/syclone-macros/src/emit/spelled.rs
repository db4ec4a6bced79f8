//! The types of expressions as far as the function's own tokens spell them: of parameters, declared variables, elements and
//! literals. Whatever else there is has a type that only rustc knows.

use std::collections::{BTreeMap, BTreeSet};

use syclone_kernel_ast::analysis::walk::{Binding, each_binding};
use syclone_kernel_ast::tree::*;

use super::bound::leaves_open;
use crate::frontend::{Parsed, last_segment, role_by_name};

/// What a function spells of its variables.
pub struct Spelled<'a> {
    parsed: &'a Parsed,
    types: BTreeMap<u32, &'a syn::Type>,
    references: BTreeSet<u32>,
    /// For a variable that is a copy of another one, the first in the row.
    copies: BTreeMap<u32, VarId>,
}

impl<'a> Spelled<'a> {
    /// Looks at the parameters and at each `let`.
    pub fn of(parsed: &'a Parsed) -> Self {
        let mut spelled =
            Spelled { parsed, types: BTreeMap::new(), references: BTreeSet::new(), copies: BTreeMap::new() };
        for param in &parsed.params {
            if !leaves_open(&param.ty) {
                let ty = behind_references(&param.ty);
                // Local memory reads as what it holds.
                let ty = if param.role == ParamRole::Local { argument(ty) } else { Some(ty) };
                spelled.types.extend(ty.map(|ty| (param.var.0, ty)));
            }
            if matches!(param.role, ParamRole::Reference { .. }) {
                spelled.references.insert(param.var.0);
            }
        }
        each_binding(&parsed.function.body, &mut |binding| {
            if let Binding::Let { pattern, ty, init } = binding {
                spelled.bind(pattern, ty, init);
            }
        });
        spelled
    }

    /// The type of an expression, without references.
    pub fn type_of(&self, expr: &Expr) -> Option<&'a syn::Type> {
        match &expr.kind {
            ExprKind::Var(var) => self.types.get(&var.0).copied(),
            ExprKind::Deref(inner) => match self.type_of(inner)? {
                ty if role_by_name(ty) == ParamRole::Spec => argument(ty),
                ty => Some(ty),
            },
            ExprKind::Index(base, _) => element(self.type_of(base)?),
            ExprKind::TupleField(base, position) => match self.type_of(base)? {
                syn::Type::Tuple(tuple) => tuple.elems.iter().nth(*position as usize).map(behind_references),
                _ => None,
            },
            ExprKind::Struct(ty, _) | ExprKind::TupleStruct(ty, _) | ExprKind::Cast(_, ty) => self.entry(*ty),
            // Local memory reads as what it holds.
            ExprKind::Builtin(name, types, _) if name == "local" => self.entry(*types.first()?),
            _ => None,
        }
    }

    /// Whether an expression is a variable that refers to a value: a parameter, or a second name of one.
    pub fn refers(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Var(var) if self.references.contains(&var.0))
    }

    /// The variable of which this one is a copy, or else itself.
    pub fn origin(&self, var: VarId) -> VarId {
        self.copies.get(&var.0).copied().unwrap_or(var)
    }

    /// A type of the tables.
    fn entry(&self, ty: TypeId) -> Option<&'a syn::Type> {
        let ty = &self.parsed.types[ty.0 as usize];
        (!leaves_open(ty)).then(|| behind_references(ty))
    }

    fn bind(&mut self, pattern: &Pattern, ty: Option<TypeId>, init: &Expr) {
        let Pattern::Bind { var, sub: None } = pattern else { return };
        let declared = ty.and_then(|ty| self.entry(ty));
        if let Some(ty) = declared.or_else(|| self.type_of(init)) {
            self.types.insert(var.0, ty);
        }
        if let ExprKind::Var(of) = init.kind {
            self.copies.insert(var.0, self.origin(of));
        }
        if self.refers(init) {
            self.references.insert(var.0);
        }
    }
}

/// The type behind references, without parentheses.
fn behind_references(mut ty: &syn::Type) -> &syn::Type {
    loop {
        ty = match ty {
            syn::Type::Reference(reference) => &reference.elem,
            syn::Type::Paren(paren) => &paren.elem,
            syn::Type::Group(group) => &group.elem,
            ty => return ty,
        };
    }
}

/// What indexing gives: the element of an array or of memory.
fn element(ty: &syn::Type) -> Option<&syn::Type> {
    if let syn::Type::Array(array) = ty {
        return Some(behind_references(&array.elem));
    }
    match role_by_name(ty) {
        ParamRole::Value => None,
        // A specialised argument is indexed as the array that it is.
        ParamRole::Spec => element(argument(ty)?),
        _ => argument(ty),
    }
}

/// The first type among a type's arguments.
fn argument(ty: &syn::Type) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(list) = &last_segment(ty)?.arguments else { return None };
    list.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(behind_references(ty)),
        _ => None,
    })
}
