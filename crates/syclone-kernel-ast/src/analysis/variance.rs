//! On which work-item ids a value can depend.
//!
//! The analysis runs forward to a fixed point: a variable depends on what its values depend on and on what decides
//! whether it is assigned. Loops that items leave at different times make everything assigned inside them vary.
//! What the tree cannot tell (memory that other items write, results of calls that see the item) is [`Variance::OPAQUE`]:
//! it may well be the same for all items, but that is not proven.

use super::sync::{Roles, SyncKind, Token, each_child, is_uniform_result};
use super::uses::{may_change_receiver, pattern_vars, root};
use crate::tree::*;

/// A set of things that a value can depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Variance(pub u8);

impl Variance {
    /// The same for all items of the group.
    pub const UNIFORM: Self = Self(0);
    /// The item's id in the last, fastest dimension.
    pub const X: Self = Self(1);
    /// The item's ids in the other dimensions.
    pub const OUTER: Self = Self(2);
    /// Which sub-group the item is in.
    pub const SUB_GROUP: Self = Self(4);
    /// Unknown.
    pub const OPAQUE: Self = Self(8);

    /// Either.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all items of the group have the same value.
    pub fn is_uniform(self) -> bool {
        self.0 == 0
    }

    /// Whether all items that differ only in the last dimension have the same value.
    pub fn is_uniform_in_row(self) -> bool {
        self.0 & !Self::OUTER.0 == 0
    }

    /// Whether the dependence on the item is proven, not just possible.
    pub fn is_proven(self) -> bool {
        self.0 != 0 && self.0 & Self::OPAQUE.0 == 0
    }

    /// Whether all items of a sub-group have the same value.
    pub fn is_uniform_in_sub_group(self) -> bool {
        self.0 & !Self::SUB_GROUP.0 == 0
    }
}

/// The result for one function.
#[derive(Clone, Debug)]
pub struct Variances {
    vars: Vec<Variance>,
    vars_info: Vec<Variable>,
    /// What decides when an item leaves a loop or labelled block, by the span of the loop's expression.
    exits: Vec<(SpanId, Variance)>,
    roles: Roles,
    device: bool,
}

impl Variances {
    /// Nothing is known of any variable.
    pub(super) fn unknown(function: &Function, roles: &Roles) -> Self {
        Self {
            vars: vec![Variance::OPAQUE; function.vars.len()],
            vars_info: function.vars.clone(),
            exits: Vec::new(),
            roles: roles.clone(),
            device: matches!(function.kind, FunctionKind::Device | FunctionKind::Collective),
        }
    }

    /// Analyses a (normalised) function.
    pub fn of(function: &Function, roles: &Roles) -> Self {
        let mut all = Self::unknown(function, roles);
        all.vars.fill(Variance::UNIFORM);
        let device = all.device;
        for param in &function.params {
            all.vars[param.var.0 as usize] = match param.role {
                ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef => all.all_ids(),
                ParamRole::Value | ParamRole::Reference { .. } if device => Variance::X.or(Variance::OPAQUE),
                ParamRole::SubGroup => Variance::SUB_GROUP,
                _ => Variance::UNIFORM,
            };
        }
        loop {
            let before = (all.vars.clone(), all.exits.clone());
            let mut walk = Walk { all: &mut all, loops: Vec::new() };
            walk.block(&function.body, Variance::UNIFORM);
            if before == (all.vars.clone(), all.exits.clone()) {
                return all;
            }
        }
    }

    /// A variable's variance.
    pub fn var(&self, var: VarId) -> Variance {
        self.vars[var.0 as usize]
    }

    /// Adds a variable, the next in the function's table.
    pub(super) fn declare(&mut self, variance: Variance) {
        self.vars.push(variance);
    }

    /// What decides when items leave the loop whose expression has this span.
    pub fn exit(&self, span: SpanId) -> Variance {
        self.exits.iter().find(|(s, _)| *s == span).map_or(Variance::UNIFORM, |(_, v)| *v)
    }

    fn all_ids(&self) -> Variance {
        if self.roles.dims() == 1 { Variance::X } else { Variance::X.or(Variance::OUTER) }
    }

    /// The variance of an expression's value.
    pub fn expr(&self, expr: &Expr) -> Variance {
        let mut of_children = Variance::UNIFORM;
        each_child(expr, &mut |child| of_children = of_children.or(self.expr(child)));
        match &expr.kind {
            ExprKind::Var(var) => self.var(*var),
            // Each item sends its own text: what has one is not done once for all of them.
            ExprKind::Message(..) => self.all_ids().or(Variance::OPAQUE),
            ExprKind::Index(..) | ExprKind::Deref(_) => self.memory(root(expr), of_children),
            ExprKind::Call(_, args) => {
                let hidden = args.iter().any(|arg| self.sees_more(arg));
                if hidden || self.roles.sync(expr).is_some() {
                    self.all_ids().or(Variance::OPAQUE)
                } else {
                    of_children
                }
            }
            ExprKind::Method { receiver, name, args, .. } => self.method(expr, receiver, name, args, of_children),
            _ => of_children,
        }
    }

    /// What a load from memory can depend on beyond its index.
    fn memory(&self, root: Option<VarId>, index: Variance) -> Variance {
        let opaque = match root.and_then(|var| self.roles.role(var)) {
            Some(ParamRole::View) => !index.is_uniform(),
            Some(
                ParamRole::ItemMut
                | ParamRole::GroupMut
                | ParamRole::ScatterMut
                | ParamRole::AtomicView
                | ParamRole::Local
                | ParamRole::LocalAccessor
                | ParamRole::Reducer,
            ) => true,
            _ => false,
        };
        if opaque { index.or(Variance::OPAQUE) } else { index }
    }

    /// Whether a called function that gets this argument sees the item or memory that items write.
    fn sees_more(&self, arg: &Expr) -> bool {
        let arg = if let ExprKind::Ref(_, inner) = &arg.kind { inner } else { arg };
        if self.roles.token(arg).is_some() {
            return true;
        }
        let ExprKind::Var(var) = arg.kind else { return false };
        match self.roles.role(var) {
            None | Some(ParamRole::View | ParamRole::Spec | ParamRole::Value | ParamRole::Reference { .. }) => false,
            Some(_) => true,
        }
    }

    fn method(&self, expr: &Expr, receiver: &Expr, name: &str, args: &[Expr], of_children: Variance) -> Variance {
        if let Some(kind) = self.roles.sync(expr) {
            return match kind {
                SyncKind::Collective(Token::Group) if is_uniform_result(name) => Variance::UNIFORM,
                SyncKind::Collective(Token::SubGroup) if is_uniform_result(name) || name == "ballot" => {
                    Variance::SUB_GROUP.or(Variance::OPAQUE)
                }
                _ => self.all_ids().or(Variance::OPAQUE),
            };
        }
        match self.roles.token(receiver) {
            Some(Token::Group) => return Variance::UNIFORM,
            Some(Token::SubGroup) => {
                return match name {
                    "max_size" | "count" => Variance::UNIFORM,
                    "id" | "size" => Variance::SUB_GROUP,
                    _ => self.all_ids(),
                };
            }
            None => {}
        }
        let role = if let ExprKind::Var(var) = receiver.kind { self.roles.role(var) } else { None };
        match role {
            Some(ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef) => self.item_method(name, args),
            Some(
                ParamRole::View
                | ParamRole::ItemMut
                | ParamRole::GroupMut
                | ParamRole::ScatterMut
                | ParamRole::AtomicView,
            ) if matches!(name, "extent" | "len" | "span") => of_children,
            Some(ParamRole::LocalAccessor | ParamRole::Local) if matches!(name, "extent" | "len" | "span") => {
                of_children
            }
            Some(ParamRole::View) => self.memory(root(receiver), of_children),
            Some(ParamRole::Spec | ParamRole::Value | ParamRole::Reference { .. }) | None => of_children,
            Some(_) => of_children.or(Variance::OPAQUE),
        }
    }

    fn item_method(&self, name: &str, args: &[Expr]) -> Variance {
        match name {
            "global_id" | "local_id" | "id" => {
                match args.first().map(|arg| &arg.kind) {
                    Some(ExprKind::Lit(Lit::Int(dim, _))) if !self.device => {
                        if *dim + 1 == i128::from(self.roles.dims()) { Variance::X } else { Variance::OUTER }
                    }
                    _ => self.all_ids(),
                }
            }
            "group_id" | "global_range" | "local_range" | "group_range" | "group_linear_id" | "range"
            | "global_size" | "local_size" => Variance::UNIFORM,
            _ => self.all_ids(),
        }
    }
}

/// A loop or labelled block on the way down.
struct Target {
    label: Option<String>,
    span: SpanId,
    is_loop: bool,
}

struct Walk<'a> {
    all: &'a mut Variances,
    loops: Vec<Target>,
}

impl Walk<'_> {
    fn raise(&mut self, var: VarId, by: Variance) {
        let slot = &mut self.all.vars[var.0 as usize];
        *slot = slot.or(by);
    }

    fn raise_pattern(&mut self, pattern: &Pattern, by: Variance) {
        pattern_vars(pattern, &mut |var| self.raise(var, by));
    }

    fn block(&mut self, block: &Block, control: Variance) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern, init, .. } => {
                    self.walk(init, control);
                    let value = self.all.expr(init).or(control);
                    self.bind(pattern, init, value, control);
                }
                Stmt::Expr(e) => self.walk(e, control),
            }
        }
        if let Some(tail) = &block.tail {
            self.walk(tail, control);
        }
    }

    /// A tuple of expressions bound by a tuple pattern keeps each part's own variance.
    fn bind(&mut self, pattern: &Pattern, init: &Expr, value: Variance, control: Variance) {
        match (pattern, &init.kind) {
            (Pattern::Tuple(patterns, _), ExprKind::Tuple(items)) if patterns.len() == items.len() => {
                for (pattern, item) in patterns.iter().zip(items) {
                    let value = self.all.expr(item).or(control);
                    self.bind(pattern, item, value, control);
                }
            }
            _ => self.raise_pattern(pattern, value),
        }
    }

    fn body_of(&mut self, label: &Option<String>, span: SpanId, is_loop: bool, block: &Block, control: Variance) {
        self.loops.push(Target { label: label.clone(), span, is_loop });
        let control = control.or(self.all.exit(span));
        self.block(block, control);
        self.loops.pop();
    }

    fn exit(&mut self, label: &Option<String>, control: Variance) {
        let target = match label {
            Some(label) => self.loops.iter().rposition(|t| t.label.as_ref() == Some(label)),
            None => self.loops.iter().rposition(|t| t.is_loop),
        };
        // Leaving an outer loop leaves the loops inside it as well.
        for index in target.unwrap_or(0)..self.loops.len() {
            let span = self.loops[index].span;
            match self.all.exits.iter_mut().find(|(s, _)| *s == span) {
                Some((_, v)) => *v = v.or(control),
                None => self.all.exits.push((span, control)),
            }
        }
    }

    fn walk(&mut self, expr: &Expr, control: Variance) {
        match &expr.kind {
            ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value) => {
                self.walk(value, control);
                self.walk(place, control);
                if let Some(var) = root(place)
                    && self.all.roles.role(var).is_none()
                {
                    let mut by = self.all.expr(value).or(control);
                    if !matches!(place.kind, ExprKind::Var(_)) {
                        by = by.or(self.all.expr(place));
                    }
                    self.raise(var, by);
                }
            }
            ExprKind::If(cond, then, otherwise) => {
                self.walk(cond, control);
                let control = control.or(self.all.expr(cond));
                self.block(then, control);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise, control);
                }
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.walk(left, control);
                self.walk(right, control.or(self.all.expr(left)));
            }
            ExprKind::Match(scrutinee, arms) => {
                self.walk(scrutinee, control);
                let mut control = control.or(self.all.expr(scrutinee));
                for arm in arms {
                    self.raise_pattern(&arm.pattern, control);
                    if let Some(guard) = &arm.guard {
                        self.walk(guard, control);
                        control = control.or(self.all.expr(guard));
                    }
                    self.walk(&arm.body, control);
                }
            }
            ExprKind::Block(label, block) => self.body_of(label, expr.span, false, block, control),
            ExprKind::Loop(label, block) => self.body_of(label, expr.span, true, block, control),
            ExprKind::While(label, cond, block) => {
                self.walk(cond, control);
                let cond = self.all.expr(cond);
                self.loops.push(Target { label: label.clone(), span: expr.span, is_loop: true });
                self.exit(&None, control.or(cond));
                self.loops.pop();
                self.body_of(label, expr.span, true, block, control);
            }
            ExprKind::For { label, pattern, range, body } => {
                let mut bounds = control;
                for e in [&range.start, &range.end] {
                    self.walk(e, control);
                    bounds = bounds.or(self.all.expr(e));
                }
                for adaptor in &range.adaptors {
                    if let RangeAdaptor::StepBy(step) = adaptor {
                        self.walk(step, control);
                        bounds = bounds.or(self.all.expr(step));
                    }
                }
                self.loops.push(Target { label: label.clone(), span: expr.span, is_loop: true });
                self.exit(&None, bounds);
                self.loops.pop();
                let bounds = bounds.or(self.all.exit(expr.span));
                self.raise_pattern(pattern, bounds);
                self.body_of(label, expr.span, true, body, control);
            }
            ExprKind::Break(label, value) => {
                if let Some(value) = value {
                    self.walk(value, control);
                }
                self.exit(label, control);
            }
            ExprKind::Continue(label) => self.exit(label, control),
            _ => {
                self.mutations(expr, control);
                let mut children = Vec::new();
                each_child(expr, &mut |child| children.push(child));
                for child in children {
                    self.walk(child, control);
                }
            }
        }
    }

    /// Variables that a call can change through `&mut`.
    fn mutations(&mut self, expr: &Expr, control: Variance) {
        let by = self.all.expr(expr).or(control);
        match &expr.kind {
            ExprKind::Ref(true, place) => {
                if let Some(var) = root(place) {
                    // What the callee stores there is made of its other arguments, which the caller raises below.
                    self.raise(var, by);
                }
            }
            ExprKind::Call(_, args) | ExprKind::Builtin(_, _, args) => {
                for arg in args {
                    if let ExprKind::Ref(true, place) = &arg.kind
                        && let Some(var) = root(place)
                    {
                        self.raise(var, by);
                    }
                }
            }
            ExprKind::Method { receiver, name, .. } if may_change_receiver(&self.all.vars_info, receiver, name) => {
                if let Some(var) = root(receiver)
                    && self.all.roles.role(var).is_none()
                {
                    self.raise(var, by);
                }
            }
            _ => {}
        }
    }
}
