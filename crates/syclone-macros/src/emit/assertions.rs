//! Which assertions of an item loop can be looked at for many items before the loop runs them.
//!
//! An assertion is a second way out of the loop around it, and such a loop is not vectorised. But what a leaf begins with
//! often only reads and computes. A loop of that alone, without a way out, says whether all of its assertions hold for a
//! block of items; if they do, a copy of the loop runs the block without them. If one does not hold, or where it stands
//! behind something else, the loop runs as it is written, so that the first item that fails ends it in its turn.

use syclone_kernel_ast::analysis::plan::Plan;
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::analysis::uses::{Uses, root};
use syclone_kernel_ast::tree::*;

/// The begin of a leaf, up to the last assertion that can be looked at ahead.
pub struct Ahead<'p> {
    /// The statements: `let`s, and assertions.
    pub stmts: &'p [Stmt],
    /// The assertions among them.
    pub assertions: Vec<&'p Expr>,
}

/// What can be looked at ahead of the items that run `stmts`, if there is something.
pub fn ahead<'p>(plan: &Plan, stmts: &'p [Stmt]) -> Option<Ahead<'p>> {
    // Those that are gone assert nothing.
    if plan.needs_alive {
        return None;
    }
    let (mut assertions, mut end) = (Vec::new(), 0);
    for (position, stmt) in stmts.iter().enumerate() {
        match (condition(stmt), stmt) {
            (Some((expr, condition)), _) if only_looks(plan, condition) => {
                assertions.push(expr);
                end = position + 1;
            }
            // A name of the group is printed where it is used.
            (None, Stmt::Let { init, .. }) if plan.roles.token(init).is_some() || only_looks(plan, init) => {}
            _ => break,
        }
    }
    (end > 0).then(|| Ahead { stmts: &stmts[..end], assertions })
}

/// The assertion that a statement is, and its condition.
pub fn condition(stmt: &Stmt) -> Option<(&Expr, &Expr)> {
    match stmt {
        Stmt::Expr(expr) => match &expr.kind {
            ExprKind::Message(MessageKind::Assert, _, operands) => Some((expr, operands.first()?)),
            _ => None,
        },
        Stmt::Let { .. } => None,
    }
}

impl Ahead<'_> {
    /// What looking mentions. What a message would print is not looked at.
    pub fn uses(&self, plan: &Plan) -> Uses {
        let mut uses = Uses::default();
        for stmt in self.stmts {
            match condition(stmt) {
                Some((_, condition)) => uses.expr(&plan.function.vars, condition),
                None => uses.stmt(&plan.function.vars, stmt),
            }
        }
        for var in uses.declared.clone() {
            uses.mentioned.remove(&var);
        }
        uses
    }
}

/// Whether an expression can be evaluated once more and early: it ends, changes nothing, and reads only what no item
/// changes for another one.
fn only_looks(plan: &Plan, expr: &Expr) -> bool {
    let looks = match &expr.kind {
        ExprKind::Lit(_)
        | ExprKind::Var(_)
        | ExprKind::Const(_)
        | ExprKind::Unary(..)
        | ExprKind::Cast(..)
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::Field(..)
        | ExprKind::TupleField(..) => true,
        // Not division, which an assertion may guard.
        ExprKind::Binary(op, ..) => !matches!(op, BinaryOp::Div | BinaryOp::Rem),
        ExprKind::Index(..) => root(expr).is_some_and(|var| match plan.roles.role(var) {
            Some(role) => matches!(role, ParamRole::View | ParamRole::ItemMut),
            None => true,
        }),
        ExprKind::Method { receiver, name, .. } => {
            matches!(receiver.kind, ExprKind::Var(var) if plan.roles.role(var).is_some())
                && matches!(
                    name.as_str(),
                    "id" | "linear_id"
                        | "global_id"
                        | "global_linear_id"
                        | "local_id"
                        | "local_linear_id"
                        | "group_id"
                        | "group_linear_id"
                        | "range"
                        | "global_range"
                        | "local_range"
                        | "group_range"
                        | "extent"
                        | "len"
                        | "is_empty"
                        | "get"
                )
        }
        _ => false,
    };
    let mut all = looks && plan.roles.token(expr).is_none();
    if let ExprKind::Index(base, index) = &expr.kind {
        return all && only_looks(plan, base) && (plan.roles.token(index).is_some() || only_looks(plan, index));
    }
    each_child(expr, &mut |child| all = all && only_looks(plan, child));
    all
}
