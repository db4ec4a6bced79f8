//! Places: what can be indexed by what, and what can be assigned to.
//!
//! rustc would find these mistakes too, but in the printed code, with traits that no user has heard of.

use super::expr::strip;
use super::lower::Lowerer;
use syclone_kernel_ast::tree::*;
use syn::{Expr as SynExpr, UnOp};

impl Lowerer {
    /// The left side of an assignment.
    pub fn place(&mut self, expr: &SynExpr) -> Expr {
        match strip(expr) {
            SynExpr::Path(_) | SynExpr::Index(_) | SynExpr::Field(_) => {
                let place = self.expr(expr);
                self.check_writable(expr, &place);
                place
            }
            SynExpr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.expr(expr),
            SynExpr::Infer(_) => self.bad(expr, "`_` can only stand alone on the left side: `_ = value;`"),
            SynExpr::Tuple(_) => self.bad(expr, "tuples within tuples cannot be assigned to: assign each part"),
            SynExpr::Array(_) | SynExpr::Struct(_) | SynExpr::Call(_) => {
                self.bad(expr, "the left side of an assignment is a variable, a field or an index: assign each part")
            }
            other => self.bad(other, "the left side of an assignment is a variable, a field or an index"),
        }
    }

    fn check_writable(&mut self, tokens: &SynExpr, place: &Expr) {
        if matches!(place.kind, ExprKind::Var(_)) {
            return;
        }
        if let Some((var, ParamRole::View)) = self.root(place)
            && !self.poisoned.contains(&var)
        {
            let name = self.vars[var.0 as usize].name.clone();
            self.error(
                tokens,
                format!("`{name}` is a `View`, which is only read: take an `ItemMut`, an `AtomicView` or a `ScatterMut` to write"),
            );
        }
    }

    /// The parameter at the root of a place.
    fn root(&self, place: &Expr) -> Option<(VarId, ParamRole)> {
        match &place.kind {
            ExprKind::Var(var) => Some((*var, self.role(*var)?)),
            ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::TupleField(base, _) => self.root(base),
            _ => None,
        }
    }

    /// `base[index]`
    pub fn index(&mut self, index: &syn::ExprIndex) -> Expr {
        let span = index.bracket_token.span.open();
        let base = self.expr(&index.expr);
        let item = self.item(&index.index);
        let by_item = item.is_some();
        let position = match (item, strip(&index.index)) {
            (Some((item, _)), _) => item,
            (None, SynExpr::Range(range)) => {
                return self.bad(
                    range,
                    "slices do not exist on a device: index one element, or pass the memory with a start and a length",
                );
            }
            (None, position) => self.expr(position),
        };
        let by_group = self.is_group(&position);
        self.check_index(&base, by_item, by_group, &index.index);
        self.make(ExprKind::Index(Box::new(base), Box::new(position)), span)
    }

    fn check_index(&mut self, base: &Expr, by_item: bool, by_group: bool, tokens: &SynExpr) {
        let ExprKind::Var(var) = base.kind else {
            return;
        };
        let Some(role) = self.role(var).filter(|_| !self.poisoned.contains(&var)) else { return };
        let name = self.vars[var.0 as usize].name.clone();
        let message = match role {
            ParamRole::ItemMut if !by_item => {
                format!(
                    "`{name}` is an `ItemMut`, which is indexed by the item, so that each element has one writer: write `{name}[item]`, or take a `ScatterMut`"
                )
            }
            ParamRole::GroupMut if !by_group && !by_item => {
                format!(
                    "`{name}` is a `GroupMut`, which is indexed by the group, so that each element has one writer: write `{name}[item.group()]`, or take a `ScatterMut`"
                )
            }
            ParamRole::AtomicView => {
                format!(
                    "`{name}` is an `AtomicView`, whose elements are only accessed atomically: write `{name}.atomic(i).load()`, or another atomic operation"
                )
            }
            _ => return,
        };
        self.error(tokens, message);
    }
}
