//! Dimensions that an id, a range or an extent does not have: an error here where both numbers are literals, and when
//! the kernel runs where they are not.

use super::lower::Lowerer;
use super::signature::dims;
use super::types::last_segment;
use syclone_kernel_ast::tree::*;
use syn::{Expr as SynExpr, GenericArgument, Lit, PathArguments, Type};

/// The number of dimensions of a parameter, if its type spells it or leaves it at one.
pub fn dims_of(role: ParamRole, ty: &Type) -> Option<usize> {
    use ParamRole::*;
    match role {
        Item | NdItem | NdItemRef | Group => dims(ty).map(usize::from),
        View | ItemMut | GroupMut | ScatterMut | AtomicView | LocalAccessor => {
            let PathArguments::AngleBracketed(list) = &last_segment(ty)?.arguments else {
                return None;
            };
            match list.args.iter().nth(1) {
                None => Some(1),
                Some(GenericArgument::Const(SynExpr::Lit(lit))) => number(&lit.lit),
                Some(_) => None,
            }
        }
        _ => None,
    }
}

fn number(lit: &Lit) -> Option<usize> {
    match lit {
        Lit::Int(int) => int.base10_parse().ok(),
        _ => None,
    }
}

impl Lowerer {
    /// Checks the literal argument of `item.local_id(2)` and the like.
    pub fn check_dimension(&mut self, receiver: &Expr, name: &str, args: &[&SynExpr]) {
        let [SynExpr::Lit(lit)] = args else { return };
        let (Some(dim), Some((what, dims))) = (number(&lit.lit), self.with_dims(receiver, name)) else { return };
        if dim >= dims {
            let has = match dims {
                1 => "it has one, 0".to_owned(),
                2 => "it has two, 0 and 1".to_owned(),
                _ => format!("it has {dims}, 0 to {}", dims - 1),
            };
            self.error(lit, format!("{what} has no dimension {dim}: {has}"));
        }
    }

    /// What a method's argument is a dimension of, and how many there are.
    fn with_dims(&self, receiver: &Expr, name: &str) -> Option<(&'static str, usize)> {
        use ParamRole::*;
        let (var, of_group) = match &receiver.kind {
            ExprKind::Var(var) => (*var, false),
            ExprKind::Method { receiver, name, .. } if name == "group" => match receiver.kind {
                ExprKind::Var(var) => (var, true),
                _ => return None,
            },
            _ => return None,
        };
        let dims = *self.dims.get(var.0 as usize)?;
        let what = match (self.role(var)?, name) {
            (NdItem | NdItemRef, "id" | "range" | "local_range") if of_group => "the group",
            (Group, "id" | "range" | "local_range") => "the group",
            (Item, "global_id" | "id" | "global_range" | "range") => "the item",
            (
                NdItem | NdItemRef,
                "global_id" | "local_id" | "group_id" | "global_range" | "local_range" | "group_range",
            ) => "the item",
            (View | ItemMut | GroupMut | ScatterMut | AtomicView | LocalAccessor, "extent") => "the parameter",
            _ => return None,
        };
        Some((what, dims?))
    }
}
