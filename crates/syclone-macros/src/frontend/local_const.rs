//! `const` items inside a body.
//!
//! The tables are evaluated outside the body, where its items do not exist. So each use of such a constant becomes a
//! block that declares it, and those that it may need, again: `{ const N: usize = 4; N }`.

use super::hygiene::{self, Scope};
use super::lower::Binding;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, GenericArgument, Path, parse_quote};

/// The block for each constant of one block of the source.
pub fn bindings(consts: &[&syn::ItemConst], scopes: &[Scope]) -> Vec<(Ident, Expr)> {
    let items: Vec<syn::ItemConst> = consts
        .iter()
        .map(|item| {
            let mut item = (*item).clone();
            let own: Vec<String> = consts.iter().map(|item| item.ident.to_string()).collect();
            let mut outer = Substitute { scopes, except: &own };
            outer.visit_type_mut(&mut item.ty);
            outer.visit_expr_mut(&mut item.expr);
            item
        })
        .collect();
    items
        .iter()
        .map(|item| {
            let ident = &item.ident;
            // Which of its siblings it needs is not worth finding out.
            let block = parse_quote!({ #(#[allow(dead_code)] #items)* #ident });
            (ident.clone(), block)
        })
        .collect()
}

/// Puts the blocks in the place of the constants in a type's array lengths and const arguments.
pub fn substitute_in_type(ty: &mut syn::Type, scopes: &[Scope]) {
    if has_consts(scopes) {
        Substitute { scopes, except: &[] }.visit_type_mut(ty);
    }
}

/// The same in the const arguments of a turbofish.
pub fn substitute_in_generics(generics: &mut syn::AngleBracketedGenericArguments, scopes: &[Scope]) {
    if has_consts(scopes) {
        Substitute { scopes, except: &[] }.visit_angle_bracketed_generic_arguments_mut(generics);
    }
}

/// The same in a constant expression.
pub fn substitute_in_expr(expr: &mut Expr, scopes: &[Scope]) {
    if has_consts(scopes) {
        Substitute { scopes, except: &[] }.visit_expr_mut(expr);
    }
}

/// Whether any constants are in scope.
pub fn has_consts(scopes: &[Scope]) -> bool {
    scopes.iter().any(Scope::has_consts)
}

struct Substitute<'a> {
    scopes: &'a [Scope],
    except: &'a [String],
}

impl Substitute<'_> {
    fn block(&self, path: &Path) -> Option<Expr> {
        let name = path.get_ident()?;
        if self.except.contains(&name.to_string()) {
            return None;
        }
        match hygiene::resolve(self.scopes, name)? {
            Binding::Const(block) => Some((**block).clone()),
            Binding::Var(_) => None,
        }
    }
}

impl VisitMut for Substitute<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let block = match expr {
            Expr::Path(path) if path.qself.is_none() => self.block(&path.path),
            _ => None,
        };
        match block {
            Some(block) => *expr = block,
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_generic_argument_mut(&mut self, argument: &mut GenericArgument) {
        // `Tile<N>`: the grammar takes a constant's name for a type.
        let block = match argument {
            GenericArgument::Type(syn::Type::Path(path)) if path.qself.is_none() => self.block(&path.path),
            _ => None,
        };
        match block {
            Some(block) => *argument = GenericArgument::Const(parse_block(block)),
            None => visit_mut::visit_generic_argument_mut(self, argument),
        }
    }
}

/// A const argument must be a block or a literal, which the substitution's expression already is.
fn parse_block(block: Expr) -> Expr {
    match &block {
        Expr::Block(_) => block,
        other => {
            let tokens = other.to_token_stream();
            parse_quote!({ #tokens })
        }
    }
}
