//! Questions about statements that need no plan: how they leave, whether they can fail, what they mention.

use std::collections::BTreeMap;

use crate::analysis::sync::{each_child, has_message, leaves, prints};
use crate::tree::*;

/// Whether a parameter of this role is a handle on memory, which a reducer is not.
pub(super) fn is_memory(role: ParamRole) -> bool {
    role == ParamRole::Local || role.is_handle() && role != ParamRole::Reducer
}

/// A block's statements, its tail as the last.
pub(super) fn statements(block: &Block) -> Vec<Stmt> {
    let mut stmts = block.stmts.clone();
    if let Some(tail) = &block.tail {
        stmts.push(Stmt::Expr((**tail).clone()));
    }
    stmts
}

/// Calls `f` on each block of a branch or a loop.
pub(super) fn control_blocks(expr: &Expr, f: &mut dyn FnMut(&Block)) {
    match &expr.kind {
        ExprKind::If(_, then, otherwise) => {
            f(then);
            if let Some(otherwise) = otherwise {
                f(otherwise);
            }
        }
        ExprKind::Match(_, arms) => {
            for arm in arms {
                match &arm.body.kind {
                    ExprKind::Block(None, block) => f(block),
                    _ => f(&Block { stmts: vec![Stmt::Expr(arm.body.clone())], tail: None }),
                }
            }
        }
        ExprKind::Block(_, b) | ExprKind::Loop(_, b) | ExprKind::While(_, _, b) => f(b),
        ExprKind::For { body, .. } => f(body),
        _ => {}
    }
}

/// Whether a statement has a `break` or `continue` that leaves it.
pub(super) fn escapes(stmt: &Stmt) -> bool {
    let (Stmt::Let { init: e, .. } | Stmt::Expr(e)) = stmt;
    leaves(e)
}

/// Whether statements that leave a loop do so inside a larger expression, such as the value of a `let`.
pub(super) fn jumps_in_values(stmts: &[Stmt]) -> bool {
    stmts.iter().filter(|stmt| escapes(stmt)).any(|stmt| {
        let Stmt::Expr(expr) = stmt else { return true };
        let mut own = false;
        match &expr.kind {
            ExprKind::Break(_, None) | ExprKind::Continue(_) => return false,
            ExprKind::If(cond, ..) | ExprKind::While(_, cond, _) | ExprKind::Match(cond, _) => own = leaves(cond),
            ExprKind::For { range, .. } => own = leaves(&range.start) || leaves(&range.end),
            ExprKind::Block(..) | ExprKind::Loop(..) => {}
            _ => return true,
        }
        control_blocks(expr, &mut |block| own = own || jumps_in_values(&statements(block)));
        own
    })
}

/// Whether an item may return in a statement.
pub(in super::super) fn stmt_returns(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if contains_return(e))
}

pub(super) fn contains_return(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Return(_));
    each_child(expr, &mut |child| found = found || contains_return(child));
    found
}

pub(super) fn breaks_with_value(block: &Block) -> bool {
    fn search(expr: &Expr) -> bool {
        let mut found = matches!(expr.kind, ExprKind::Break(_, Some(_)));
        each_child(expr, &mut |child| found = found || search(child));
        found
    }
    statements(block).iter().any(|s| matches!(s, Stmt::Let { init: e, .. } | Stmt::Expr(e) if search(e)))
}

/// Whether a `return` or an assertion before a statement may be what keeps it from failing: it must not run earlier than
/// written.
pub(super) fn guarded(stmt: &Stmt, before: &[Stmt]) -> bool {
    let (Stmt::Let { init, .. } | Stmt::Expr(init)) = stmt;
    may_fail(init) && before.iter().any(|stmt| stmt_returns(stmt) || stmt_has_message(stmt))
}

fn stmt_has_message(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if has_message(e))
}

/// Whether a statement prints.
pub(super) fn stmt_prints(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if prints(e))
}

/// Whether an expression can panic or touch memory out of bounds. Sums and products of ids and extents do not come near
/// the limit of a `usize`; what has been cast may.
fn may_fail(expr: &Expr) -> bool {
    fn casts(expr: &Expr) -> bool {
        let mut found = matches!(expr.kind, ExprKind::Cast(..));
        each_child(expr, &mut |child| found = found || casts(child));
        found
    }
    let mut found = match &expr.kind {
        ExprKind::Lit(_)
        | ExprKind::Var(_)
        | ExprKind::Const(_)
        | ExprKind::Tuple(_)
        | ExprKind::Cast(..)
        | ExprKind::Assign(..) => false,
        ExprKind::Unary(op, _) => *op == UnaryOp::Neg,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul, ..) => casts(expr),
        ExprKind::Binary(op, ..) => {
            matches!(op, BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr)
        }
        ExprKind::Method { name, .. } => !matches!(
            name.as_str(),
            "extent"
                | "len"
                | "global_id"
                | "local_id"
                | "group_id"
                | "id"
                | "linear_id"
                | "global_linear_id"
                | "local_linear_id"
                | "group_linear_id"
                | "range"
                | "global_range"
                | "local_range"
                | "group_range"
                | "size"
                | "group"
                | "sub_group"
        ),
        ExprKind::Builtin(name, ..) => !matches!(name.as_str(), "local" | "min" | "max"),
        _ => true,
    };
    each_child(expr, &mut |child| found = found || may_fail(child));
    found
}

/// How often statements mention each variable.
pub(super) fn mentions(stmts: &[Stmt]) -> BTreeMap<VarId, usize> {
    fn count(expr: &Expr, counts: &mut BTreeMap<VarId, usize>) {
        if let ExprKind::Var(var) = expr.kind {
            *counts.entry(var).or_default() += 1;
        }
        each_child(expr, &mut |child| count(child, counts));
    }
    let mut counts = BTreeMap::new();
    for Stmt::Let { init: e, .. } | Stmt::Expr(e) in stmts {
        count(e, &mut counts);
    }
    counts
}
