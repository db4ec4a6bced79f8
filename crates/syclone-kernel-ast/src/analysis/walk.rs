//! Walks over a whole body: each expression, and each place that gives variables their first values.

use super::sync::each_child;
use crate::tree::{Block, Expr, ExprKind, Pattern, Stmt, TypeId};

/// Calls `f` on every expression of a block, each before those inside of it.
pub fn each_expr<'e>(block: &'e Block, f: &mut dyn FnMut(&'e Expr)) {
    fn visit<'e>(expr: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
        f(expr);
        each_child(expr, &mut |child| visit(child, f));
    }
    block.stmts.iter().for_each(|(Stmt::Let { init: expr, .. } | Stmt::Expr(expr))| visit(expr, f));
    block.tail.iter().for_each(|tail| visit(tail, f));
}

/// What gives variables their first values.
#[derive(Clone, Copy, Debug)]
pub enum Binding<'e> {
    /// A `let`.
    Let {
        /// Its variables.
        pattern: &'e Pattern,
        /// The type that it declares.
        ty: Option<TypeId>,
        /// The value.
        init: &'e Expr,
    },
    /// A `for`, whose variables are integers.
    For(&'e Pattern),
    /// An arm of a `match` on this value.
    Arm(&'e Pattern, &'e Expr),
}

/// Calls `f` on every binding of a block in its order, on one whose value has bindings itself after those.
pub fn each_binding<'e>(block: &'e Block, f: &mut dyn FnMut(Binding<'e>)) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let { pattern, ty, init, .. } => {
                bindings_in(init, f);
                f(Binding::Let { pattern, ty: *ty, init });
            }
            Stmt::Expr(expr) => bindings_in(expr, f),
        }
    }
    block.tail.iter().for_each(|tail| bindings_in(tail, f));
}

fn bindings_in<'e>(expr: &'e Expr, f: &mut dyn FnMut(Binding<'e>)) {
    match &expr.kind {
        ExprKind::Block(_, block) | ExprKind::Loop(_, block) => each_binding(block, f),
        ExprKind::While(_, condition, block) => {
            bindings_in(condition, f);
            each_binding(block, f);
        }
        ExprKind::For { pattern, body, .. } => {
            f(Binding::For(pattern));
            each_binding(body, f);
        }
        ExprKind::If(condition, then, otherwise) => {
            bindings_in(condition, f);
            each_binding(then, f);
            otherwise.iter().for_each(|otherwise| each_binding(otherwise, f));
        }
        ExprKind::Match(scrutinee, arms) => {
            bindings_in(scrutinee, f);
            for arm in arms {
                f(Binding::Arm(&arm.pattern, scrutinee));
                arm.guard.iter().for_each(|guard| bindings_in(guard, f));
                bindings_in(&arm.body, f);
            }
        }
        _ => each_child(expr, &mut |child| bindings_in(child, f)),
    }
}
