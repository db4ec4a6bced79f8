//! Which variables a piece of tree declares, reads and writes.

use std::collections::BTreeSet;

use super::sync::each_child;
use crate::tree::*;

/// The variables that statements touch.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Bound by a `let`, a `for` or a `match` inside.
    pub declared: BTreeSet<VarId>,
    /// Mentioned at all.
    pub mentioned: BTreeSet<VarId>,
    /// Assigned, or handed out as `&mut`, or the receiver of a method that may change it.
    pub assigned: BTreeSet<VarId>,
}

impl Uses {
    /// The uses of some statements.
    pub fn of<'s>(vars: &[Variable], stmts: impl IntoIterator<Item = &'s Stmt>) -> Self {
        let mut uses = Self::default();
        stmts.into_iter().for_each(|stmt| uses.stmt(vars, stmt));
        uses
    }

    /// The uses of one expression.
    pub fn of_expr(vars: &[Variable], expr: &Expr) -> Self {
        let mut uses = Self::default();
        uses.expr(vars, expr);
        uses
    }

    /// Adds a statement's.
    pub fn stmt(&mut self, vars: &[Variable], stmt: &Stmt) {
        match stmt {
            Stmt::Let { pattern, init, .. } => {
                self.expr(vars, init);
                self.pattern(pattern);
            }
            Stmt::Expr(e) => self.expr(vars, e),
        }
    }

    /// Adds what a pattern binds.
    pub fn pattern(&mut self, pattern: &Pattern) {
        pattern_vars(pattern, &mut |var| {
            self.declared.insert(var);
            self.mentioned.insert(var);
        });
    }

    /// Adds an expression's.
    pub fn expr(&mut self, vars: &[Variable], expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(var) => {
                self.mentioned.insert(*var);
            }
            ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => self.assign(place),
            ExprKind::Ref(true, place) => self.assign(place),
            ExprKind::Method { receiver, name, .. } if may_change_receiver(vars, receiver, name) => {
                self.assign(receiver)
            }
            ExprKind::For { pattern, .. } => self.pattern(pattern),
            ExprKind::Match(_, arms) => arms.iter().for_each(|arm| self.pattern(&arm.pattern)),
            _ => {}
        }
        block_patterns(expr, &mut |pattern| self.pattern(pattern));
        each_child(expr, &mut |child| self.expr(vars, child));
    }

    fn assign(&mut self, place: &Expr) {
        if let Some(var) = root(place) {
            self.assigned.insert(var);
        }
    }
}

/// Whether a method call may change the variable it is called on. A method of a device struct may take `&mut self`
/// (which one does only the types know), but that needs a `mut` variable; the built-in methods never do.
pub fn may_change_receiver(vars: &[Variable], receiver: &Expr, name: &str) -> bool {
    root(receiver).is_some_and(|var| vars[var.0 as usize].mutable) && !PURE_METHODS.contains(&name)
}

/// Built-in methods that are common on `mut` variables.
const PURE_METHODS: &[&str] = &[
    "abs",
    "min",
    "max",
    "clamp",
    "sqrt",
    "exp",
    "ln",
    "sin",
    "cos",
    "tan",
    "tanh",
    "powf",
    "powi",
    "pow",
    "mul_add",
    "floor",
    "ceil",
    "round",
    "trunc",
    "recip",
    "signum",
    "abs_diff",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "saturating_add",
    "saturating_sub",
    "rotate_left",
    "rotate_right",
    "count_ones",
    "leading_zeros",
    "trailing_zeros",
    "to_bits",
    "is_nan",
    "get",
    "with",
    "x",
    "y",
    "z",
    "w",
    "xy",
    "xyz",
    "dot",
    "length",
    "rsqrt",
    "to_f32",
    "to_f64",
];

/// The variable that a place begins with.
pub fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::TupleField(base, _) | ExprKind::Deref(base) => {
            root(base)
        }
        _ => None,
    }
}

/// Whether a place has an index in it.
pub fn has_index(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index(..) => true,
        ExprKind::Field(base, _) | ExprKind::TupleField(base, _) | ExprKind::Deref(base) => has_index(base),
        _ => false,
    }
}

/// Calls `f` on every variable that a pattern binds.
pub fn pattern_vars(pattern: &Pattern, f: &mut dyn FnMut(VarId)) {
    match pattern {
        Pattern::Bind { var, sub } => {
            f(*var);
            if let Some(sub) = sub {
                pattern_vars(sub, f);
            }
        }
        Pattern::Tuple(items, _) | Pattern::Or(items, _) => items.iter().for_each(|p| pattern_vars(p, f)),
        Pattern::Wild(_) | Pattern::Lit(..) | Pattern::Const(..) | Pattern::Range { .. } => {}
    }
}

/// The patterns of `let` statements in blocks directly inside `expr`.
fn block_patterns(expr: &Expr, f: &mut dyn FnMut(&Pattern)) {
    let mut block = |b: &Block| {
        for stmt in &b.stmts {
            if let Stmt::Let { pattern, .. } = stmt {
                f(pattern);
            }
        }
    };
    match &expr.kind {
        ExprKind::If(_, then, otherwise) => {
            block(then);
            if let Some(otherwise) = otherwise {
                block(otherwise);
            }
        }
        ExprKind::Block(_, b) | ExprKind::Loop(_, b) | ExprKind::While(_, _, b) => block(b),
        ExprKind::For { body, .. } => block(body),
        _ => {}
    }
}
