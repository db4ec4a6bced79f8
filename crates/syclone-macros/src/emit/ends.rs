//! Which accesses of an item loop can be checked at the loop's two ends instead of at every item.
//!
//! An index that is affine in the innermost item is inside its extents for all items of a row if it is inside for the
//! first and the last one. The loop is then printed twice: once with those accesses unchecked, for rows that pass, and
//! once as it is. What decides is computed from ids and uniform values only, so that it can be evaluated before the loop.

use syclone_kernel_ast::analysis::plan::{Plan, Storage};
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::analysis::uses::{Uses, root};
use syclone_kernel_ast::tree::*;

/// The accesses in `stmts` that qualify, by address of their tree nodes.
pub fn affine_accesses<'p>(plan: &'p Plan, stmts: &'p [Stmt]) -> Vec<&'p Expr> {
    let mut found = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::Let { init: e, .. } | Stmt::Expr(e) => collect(plan, e, &mut found),
        }
    }
    found
}

fn collect<'p>(plan: &'p Plan, expr: &'p Expr, found: &mut Vec<&'p Expr>) {
    if let ExprKind::Index(..) = expr.kind
        && let Some(parts) = components(expr)
        && is_memory(plan, expr)
        && parts.iter().all(|part| is_affine(plan, part))
    {
        found.push(expr);
        return;
    }
    each_child(expr, &mut |child| collect(plan, child, found));
}

/// The indices of a chain `x[i][j]`, outermost last; none if something else stands between them.
fn components(expr: &Expr) -> Option<Vec<&Expr>> {
    match &expr.kind {
        ExprKind::Var(_) => Some(Vec::new()),
        ExprKind::Index(base, index) => {
            let mut parts = components(base)?;
            match &index.kind {
                ExprKind::Array(items) => parts.extend(items),
                _ => parts.push(index),
            }
            Some(parts)
        }
        _ => None,
    }
}

fn is_memory(plan: &Plan, expr: &Expr) -> bool {
    let role = root(expr).and_then(|var| plan.roles.role(var));
    matches!(
        role,
        Some(
            ParamRole::View
                | ParamRole::ItemMut
                | ParamRole::GroupMut
                | ParamRole::ScatterMut
                | ParamRole::Local
                | ParamRole::LocalAccessor
        )
    )
}

fn is_affine(plan: &Plan, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => is_affine(plan, a) && is_affine(plan, b),
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let fixed = |e: &Expr| plan.variances.expr(e).is_uniform_in_row();
            is_affine(plan, a) && is_affine(plan, b) && (fixed(a) || fixed(b))
        }
        ExprKind::Var(var) => match plan.storage[var.0 as usize] {
            Storage::Remat(index) => match &plan.remat[index] {
                Stmt::Let { pattern, init, .. } => {
                    bound_part(pattern, init, *var).is_some_and(|part| is_affine(plan, part))
                }
                Stmt::Expr(_) => false,
            },
            _ => is_known(plan, *var),
        },
        ExprKind::Method { receiver, name, args, .. } => {
            let of_item = matches!(receiver.kind, ExprKind::Var(var) if matches!(plan.roles.role(var), Some(ParamRole::Item | ParamRole::NdItem)));
            let id = of_item
                && matches!(name.as_str(), "global_id" | "local_id" | "id")
                && args.iter().all(|a| matches!(a.kind, ExprKind::Lit(_)));
            id || is_fixed(plan, expr)
        }
        _ => is_fixed(plan, expr),
    }
}

/// Whether an expression has one value in a row, and one that can be computed before the loop without side effects.
fn is_fixed(plan: &Plan, expr: &Expr) -> bool {
    let kind = match &expr.kind {
        ExprKind::Lit(_) | ExprKind::Const(_) | ExprKind::Cast(..) => true,
        ExprKind::Var(var) => is_known(plan, *var) || matches!(plan.storage[var.0 as usize], Storage::Remat(_)),
        // Not division: it may be guarded against a divisor of zero.
        ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul),
        ExprKind::Method { receiver, name, .. } => {
            matches!(receiver.kind, ExprKind::Var(var) if plan.roles.role(var).is_some())
                && matches!(
                    name.as_str(),
                    "extent"
                        | "len"
                        | "get"
                        | "group_id"
                        | "group_linear_id"
                        | "local_range"
                        | "global_range"
                        | "group_range"
                )
        }
        _ => false,
    };
    let mut fixed = kind && plan.variances.expr(expr).is_uniform_in_row();
    each_child(expr, &mut |child| fixed = fixed && (is_fixed(plan, child) || is_handle(plan, child)));
    fixed
}

fn is_handle(plan: &Plan, expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Var(var) if plan.roles.role(var).is_some())
}

/// A variable whose value is at hand before the loop.
fn is_known(plan: &Plan, var: VarId) -> bool {
    plan.storage[var.0 as usize] == Storage::Scalar || plan.function.params.iter().any(|p| p.var == var)
}

/// The part of `init` that `pattern` binds to `var`.
fn bound_part<'e>(pattern: &Pattern, init: &'e Expr, var: VarId) -> Option<&'e Expr> {
    match (pattern, &init.kind) {
        (Pattern::Bind { var: bound, sub: None }, _) => (*bound == var).then_some(init),
        (Pattern::Tuple(patterns, _), ExprKind::Tuple(items)) => {
            patterns.iter().zip(items).find_map(|(p, e)| bound_part(p, e, var))
        }
        _ => None,
    }
}

/// The indices of an access that must move steadily along the row.
pub fn steps<'e>(plan: &Plan, access: &'e Expr) -> Vec<&'e Expr> {
    let parts = components(access).expect("an access that qualified has them");
    parts.into_iter().filter(|part| !is_token(plan, part)).collect()
}

/// Whether an index is the item or group itself, which moves by one by its nature.
fn is_token(plan: &Plan, expr: &Expr) -> bool {
    plan.roles.token(expr).is_some()
        || matches!(expr.kind, ExprKind::Var(var) if matches!(plan.roles.role(var), Some(ParamRole::Item | ParamRole::NdItem)))
}

/// What all probes of some accesses mention.
pub fn probe_uses(plan: &Plan, accesses: &[&Expr]) -> Uses {
    let mut uses = Uses::default();
    for access in accesses {
        uses.expr(&plan.function.vars, access);
    }
    uses
}
