//! What each statement may or must become: taken apart, run once, computed again, or left to the items.

use super::search::{breaks_with_value, contains_return, escapes, is_memory, jumps_in_values, statements};
use super::*;
use crate::analysis::sync::each_child;
use crate::analysis::uses::{Uses, has_index, pattern_vars, root};

impl Builder {
    /// Whether a statement must (group level) or should (strip level) be taken apart.
    pub(super) fn splits(&self, stmt: &Stmt, level: Level) -> bool {
        if escapes(stmt) {
            return true;
        }
        match level {
            Level::Group => self.roles.stmt_syncs(stmt) || matches!(stmt, Stmt::Expr(e) if self.is_uniform_return(e)),
            Level::Strip => self.strips && matches!(stmt, Stmt::Expr(e) if self.interchanges(e)),
        }
    }

    /// Whether an expression is a `return`, or a uniform branch around one.
    fn is_uniform_return(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Return(_) => true,
            ExprKind::If(cond, then, otherwise) => {
                self.variances.expr(cond).is_uniform()
                    && [Some(then), otherwise.as_ref()]
                        .into_iter()
                        .flatten()
                        .any(|b| statements(b).iter().any(|s| matches!(s, Stmt::Expr(e) if self.is_uniform_return(e))))
            }
            _ => false,
        }
    }

    /// Whether a strip of items should run this loop (or this branch around one) together.
    fn interchanges(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::For { range, body, .. } => {
                let mut bounds = self.variances.expr(&range.start).or(self.variances.expr(&range.end));
                for adaptor in &range.adaptors {
                    if let RangeAdaptor::StepBy(step) = adaptor {
                        bounds = bounds.or(self.variances.expr(step));
                    }
                }
                bounds.is_uniform_in_row() && self.body_interchanges(expr, body)
            }
            ExprKind::While(_, cond, body) => {
                self.variances.expr(cond).is_uniform_in_row() && self.body_interchanges(expr, body)
            }
            ExprKind::Loop(_, body) => self.body_interchanges(expr, body),
            ExprKind::If(cond, then, otherwise) => {
                self.variances.expr(cond).is_uniform_in_row()
                    && !contains_return(expr)
                    && [Some(then), otherwise.as_ref()]
                        .into_iter()
                        .flatten()
                        .any(|b| statements(b).iter().any(|s| matches!(s, Stmt::Expr(e) if self.interchanges(e))))
            }
            ExprKind::Block(_, block) => {
                self.variances.exit(expr.span).is_uniform_in_row()
                    && !contains_return(expr)
                    && statements(block).iter().any(|s| matches!(s, Stmt::Expr(e) if self.interchanges(e)))
            }
            _ => false,
        }
    }

    /// Whether a loop with this body, whose bounds all items of a row share, is run by a strip together.
    fn body_interchanges(&self, expr: &Expr, body: &Block) -> bool {
        if !self.variances.exit(expr.span).is_uniform_in_row()
            || contains_return(expr)
            || breaks_with_value(body)
            || jumps_in_values(&statements(body))
        {
            return false;
        }
        let uses = Uses::of_expr(&self.function.vars, expr);
        // A private array that the loop fills stays with its item: lanes of arrays would turn registers into gathers.
        !self.indexes_private(expr) && uses.mentioned.iter().any(|var| self.roles.role(*var).is_some_and(is_memory))
    }

    /// Whether a private variable is indexed or changed in part.
    fn indexes_private(&self, expr: &Expr) -> bool {
        let here = match &expr.kind {
            ExprKind::Index(..) => root(expr).is_none_or(|var| self.roles.role(var).is_none()),
            ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => {
                !matches!(place.kind, ExprKind::Var(_))
                    && !has_index(place)
                    && root(place).is_none_or(|var| self.roles.role(var).is_none())
            }
            _ => false,
        };
        let mut found = here;
        each_child(expr, &mut |child| found = found || self.indexes_private(child));
        found
    }

    /// Whether a statement can run once instead of for each item.
    pub(super) fn is_scalar(&self, stmt: &Stmt, level: Level) -> bool {
        match stmt {
            Stmt::Let { pattern, init, .. } => {
                let mut fits = self.uniform(self.variances.expr(init), level)
                    && Uses::of_expr(&self.function.vars, init).assigned.is_empty();
                pattern_vars(pattern, &mut |var| {
                    fits = fits
                        && self.uniform(self.variances.var(var), level)
                        // Writing through a handle does not change the handle.
                        && (!self.inner_assigned.contains(&var) || self.roles.role(var).is_some())
                        // On the strip level assignments are not sorted into inner and outer ones.
                        && (level == Level::Group || !self.function.vars[var.0 as usize].mutable && !self.elsewhere.contains(&var));
                });
                fits
            }
            Stmt::Expr(Expr { kind: ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value), .. }) => {
                matches!(place.kind, ExprKind::Var(var) if self.scalars.contains(&var))
                    && self.uniform(self.variances.expr(value), level)
            }
            Stmt::Expr(_) => false,
        }
    }

    /// Whether a `let` is cheap enough to be computed again in each leaf.
    pub(super) fn is_remat(&self, stmt: &Stmt, level: Level) -> bool {
        let Stmt::Let { pattern, init, .. } = stmt else { return false };
        let mut fits = true;
        pattern_vars(pattern, &mut |var| {
            // On the strip level the value may be made of what exists in this region only.
            fits = fits
                && !self.function.vars[var.0 as usize].mutable
                && (level == Level::Group || !self.elsewhere.contains(&var));
        });
        fits && self.is_cheap(init)
    }

    /// Whether an expression is made of ids, extents and other cheap values that do not change.
    fn is_cheap(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Lit(_) | ExprKind::Const(_) => true,
            ExprKind::Var(var) => {
                let fixed = !self.function.vars[var.0 as usize].mutable;
                fixed
                    && (self.scalars.contains(var)
                        || self.remat_vars.iter().any(|(v, _)| v == var)
                        || self.function.params.iter().any(|p| p.var == *var))
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a, _) => self.is_cheap(a),
            ExprKind::Binary(op, a, b) => {
                !matches!(op, BinaryOp::Div | BinaryOp::Rem) && self.is_cheap(a) && self.is_cheap(b)
            }
            ExprKind::Tuple(items) => items.iter().all(|e| self.is_cheap(e)),
            ExprKind::Method { receiver, args, name, .. } => {
                let on_ids = self.roles.token(receiver).is_some()
                    || matches!(receiver.kind, ExprKind::Var(var) if matches!(self.roles.role(var), Some(ParamRole::Item | ParamRole::NdItem)))
                    || matches!(receiver.kind, ExprKind::Var(var) if matches!(self.roles.role(var), Some(ParamRole::View)) && name == "extent");
                on_ids && self.roles.sync(expr).is_none() && args.iter().all(|e| self.is_cheap(e))
            }
            _ => false,
        }
    }

    /// `if local_id < n { … }` and nothing else: the items from `n` on need not be visited.
    pub(super) fn bound(&self, stmts: &[Stmt]) -> Option<Expr> {
        let [Stmt::Expr(Expr { kind: ExprKind::If(cond, _, None), .. })] = stmts else { return None };
        let ExprKind::Binary(BinaryOp::Lt, left, right) = &cond.kind else { return None };
        let by_value = self.variances.expr(right).is_uniform()
            && Uses::of_expr(&self.function.vars, right)
                .mentioned
                .iter()
                .all(|v| self.scalars.contains(v) || self.roles.role(*v).is_some());
        (self.function.kind == FunctionKind::NdRange { dims: 1 } && self.is_local_id(left) && by_value)
            .then(|| (**right).clone())
    }

    fn is_local_id(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Method { receiver, name, .. } => (name == "local_id" || name == "local_linear_id") && self.roles.is_item(receiver),
            ExprKind::Var(var) => self.remat_vars.iter().any(|(v, index)| {
                v == var && matches!(&self.remat[*index], Stmt::Let { pattern: Pattern::Bind { .. }, init, .. } if self.is_local_id(init))
            }),
            _ => false,
        }
    }
}
