//! Building the region tree from a normalised body.

use std::collections::{BTreeMap, BTreeSet};

use super::super::AnalysisError;
use super::super::normalise::each_operand_mut;
use super::super::sync::{Roles, SyncKind, Token, each_child, leaves};
use super::super::uses::{Uses, has_index, pattern_vars, root};
use super::super::variance::{Variance, Variances};
use super::storage::{assign_storage, each_body};
use super::*;

/// Why a body cannot be split; the first is an error, the second asks for the lock-step form.
pub(super) enum Stop {
    Error(AnalysisError),
    LockStep { span: SpanId, reason: String },
}

pub(super) fn build(
    function: Function,
    roles: Roles,
    variances: Variances,
    strips: bool,
) -> Result<Verdict, AnalysisError> {
    let mut body = function.body.clone();
    if let Some(tail) = body.tail.take() {
        body.stmts.push(Stmt::Expr(*tail));
    }
    let collective = function.kind == FunctionKind::Collective;
    let mut builder = Builder::new(function, roles, variances);
    builder.strips = strips;
    builder.note_inner_assignments(&body.stmts);
    let Builder { scalars, inner_assigned, .. } = &mut builder;
    scalars.retain(|var| !inner_assigned.contains(var));
    let nodes = match builder.nodes(&body.stmts, Level::Group) {
        Ok(nodes) => nodes,
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::LockStep { span, reason }) => return Ok(Verdict::LockStep { span, reason }),
    };
    // A region that an item leaves early stores nothing for it, so no result either.
    let loses_result = builder.function.ret.is_some() && any_returns(&nodes);
    let plan = assign_storage(builder, nodes);
    if collective && (plan.needs_alive || loses_result) {
        return Ok(Verdict::LockStep {
            span: plan.function.vars[0].span,
            reason: "an early `return` that depends on the item, in a device function that synchronises".into(),
        });
    }
    Ok(Verdict::Split(Box::new(plan)))
}

/// Whether some item leaves a region early.
fn any_returns(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        let mut found = matches!(node, Node::Items(Items { returns: true, .. }));
        each_body(node, &mut |body| found = found || any_returns(body));
        found
    })
}

/// The level that is being split.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Group,
    Strip,
}

pub(super) struct Builder {
    pub(super) function: Function,
    pub(super) roles: Roles,
    pub(super) variances: Variances,
    pub(super) scalars: BTreeSet<VarId>,
    pub(super) remat: Vec<Stmt>,
    pub(super) remat_vars: Vec<(VarId, usize)>,
    pub(super) deferred: Vec<VarId>,
    /// Variables that some statement inside a leaf assigns.
    inner_assigned: BTreeSet<VarId>,
    /// How often the body mentions each variable.
    mentions: BTreeMap<VarId, usize>,
    /// While a region is split into strips: the variables that live outside of it too.
    elsewhere: BTreeSet<VarId>,
    pub(super) next_id: usize,
    /// Whether regions may be split into strips.
    strips: bool,
}

impl Builder {
    fn new(function: Function, roles: Roles, variances: Variances) -> Self {
        let declared = Uses::of(&function.vars, &function.body.stmts).declared;
        let params: BTreeSet<VarId> = function.params.iter().map(|p| p.var).collect();
        let mut all = Uses::of(&function.vars, &function.body.stmts);
        if let Some(tail) = &function.body.tail {
            all.expr(&function.vars, tail);
        }
        let deferred: Vec<VarId> = all
            .assigned
            .iter()
            .copied()
            .filter(|v| !declared.contains(v) && !all.declared.contains(v) && !params.contains(v))
            .collect();
        let mentions = mentions(&statements(&function.body));
        let scalars = deferred.iter().copied().filter(|v| variances.var(*v).is_uniform()).collect();
        Self {
            function,
            roles,
            variances,
            scalars,
            remat: Vec::new(),
            remat_vars: Vec::new(),
            deferred,
            inner_assigned: BTreeSet::new(),
            mentions,
            elsewhere: BTreeSet::new(),
            next_id: 0,
            strips: true,
        }
    }

    /// A new variable, which is assigned once.
    fn fresh(&mut self, name: &str, span: SpanId, variance: Variance) -> VarId {
        let index = self.function.vars.len();
        self.function.vars.push(Variable { name: format!("{name}{index}"), mutable: false, span });
        self.variances.declare(variance);
        VarId(index as u32)
    }

    /// A pattern whose variables nothing assigns again, and the statements that copy it to those that something does:
    /// the pattern's own are bound once for all items.
    fn fixed_pattern(&mut self, pattern: &Pattern, copies: &mut Vec<Stmt>) -> Pattern {
        match pattern {
            Pattern::Bind { var, sub } => {
                let sub = sub.as_ref().map(|sub| Box::new(self.fixed_pattern(sub, copies)));
                let Variable { mutable, span, .. } = self.function.vars[var.0 as usize];
                if !mutable {
                    self.scalars.insert(*var);
                    return Pattern::Bind { var: *var, sub };
                }
                let known = copies.iter().find_map(|copy| match copy {
                    Stmt::Let {
                        pattern: Pattern::Bind { var: to, .. },
                        init: Expr { kind: ExprKind::Var(from), .. },
                        ..
                    } if to == var => Some(*from),
                    _ => None,
                });
                let from = known.unwrap_or_else(|| {
                    let from = self.fresh("__b", span, Variance::UNIFORM);
                    let init = Expr { kind: ExprKind::Var(from), span };
                    copies.push(Stmt::Let { pattern: Pattern::Bind { var: *var, sub: None }, ty: None, init, span });
                    from
                });
                self.scalars.insert(from);
                Pattern::Bind { var: from, sub }
            }
            Pattern::Tuple(items, span) => {
                Pattern::Tuple(items.iter().map(|p| self.fixed_pattern(p, copies)).collect(), *span)
            }
            Pattern::Or(items, span) => {
                Pattern::Or(items.iter().map(|p| self.fixed_pattern(p, copies)).collect(), *span)
            }
            other => other.clone(),
        }
    }

    fn uses(&self, stmt: &Stmt) -> Uses {
        Uses::of(&self.function.vars, [stmt])
    }

    fn uniform(&self, variance: Variance, level: Level) -> bool {
        match level {
            Level::Group => variance.is_uniform(),
            Level::Strip => variance.is_uniform_in_row(),
        }
    }

    /// Collects what statements that stay whole on the group level assign.
    fn note_inner_assignments(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.splits(stmt, Level::Group) {
                let Stmt::Expr(expr) = stmt else { continue };
                let mut blocks: Vec<Vec<Stmt>> = Vec::new();
                control_blocks(expr, &mut |block| blocks.push(statements(block)));
                for block in &blocks {
                    self.note_inner_assignments(block);
                }
            } else if !self.is_plain_assignment(stmt) {
                self.inner_assigned.extend(self.uses(stmt).assigned);
            } else if let Stmt::Expr(Expr {
                kind: ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value),
                ..
            }) = stmt
            {
                let var = root(place).expect("a plain assignment has a variable");
                if !self.variances.expr(value).is_uniform() {
                    self.inner_assigned.insert(var);
                }
            }
        }
    }

    fn is_plain_assignment(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Expr(Expr { kind: ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value), .. }) => {
                matches!(place.kind, ExprKind::Var(_)) && Uses::of_expr(&self.function.vars, value).assigned.is_empty()
            }
            _ => false,
        }
    }

    /// Whether a statement must (group level) or should (strip level) be taken apart.
    fn splits(&self, stmt: &Stmt, level: Level) -> bool {
        if escapes(stmt) {
            return true;
        }
        match level {
            Level::Group => self.roles.stmt_syncs(stmt) || matches!(stmt, Stmt::Expr(e) if self.is_uniform_return(e)),
            Level::Strip => self.strips && matches!(stmt, Stmt::Expr(e) if self.interchanges(e)),
        }
    }

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
    fn is_scalar(&self, stmt: &Stmt, level: Level) -> bool {
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
    fn is_remat(&self, stmt: &Stmt, level: Level) -> bool {
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

    pub(super) fn nodes(&mut self, stmts: &[Stmt], level: Level) -> Result<Vec<Node>, Stop> {
        let mut out = Vec::new();
        let mut pending: Vec<Stmt> = Vec::new();
        for stmt in stmts {
            if let Stmt::Let { init, .. } = stmt
                && self.roles.token(init).is_some()
            {
                continue; // a second name of a group token: the tokens are made where they are used
            }
            if self.splits(stmt, level) {
                self.split(stmt, level, &mut pending, &mut out)?;
            } else if self.is_scalar(stmt, level) {
                if let Stmt::Let { pattern, .. } = stmt {
                    pattern_vars(pattern, &mut |var| {
                        self.scalars.insert(var);
                    });
                }
                let (uses, before) = (self.uses(stmt), Uses::of(&self.function.vars, &pending));
                let depends = uses.mentioned.iter().any(|v| before.declared.contains(v) || before.assigned.contains(v))
                    || uses.assigned.iter().any(|v| before.mentioned.contains(v));
                if depends || guarded(stmt, &pending) {
                    self.flush(&mut pending, level, &mut out)?;
                }
                // Otherwise it runs before the region that is being collected, which cannot tell the difference.
                out.push(Node::Scalar(stmt.clone()));
            } else if self.is_remat(stmt, level) && !guarded(stmt, &pending) {
                let index = self.remat.len();
                if let Stmt::Let { pattern, .. } = stmt {
                    pattern_vars(pattern, &mut |var| self.remat_vars.push((var, index)));
                }
                self.remat.push(stmt.clone());
            } else {
                pending.push(stmt.clone());
            }
        }
        self.flush(&mut pending, level, &mut out)?;
        Ok(out)
    }

    /// Turns the collected statements into a region or piece.
    fn flush(&mut self, pending: &mut Vec<Stmt>, level: Level, out: &mut Vec<Node>) -> Result<(), Stop> {
        if pending.is_empty() {
            return Ok(());
        }
        let stmts = std::mem::take(pending);
        let returns = stmts.iter().any(stmt_returns);
        let id = self.next_id;
        self.next_id += 1;
        if level == Level::Group && stmts.iter().any(|s| self.splits(s, Level::Strip)) {
            let here = mentions(&stmts);
            let all = self.function.vars.iter().enumerate().map(|(index, _)| VarId(index as u32));
            self.elsewhere =
                all.filter(|var| self.mentions.get(var).is_none_or(|all| here.get(var) != Some(all))).collect();
            let nodes = self.nodes(&stmts, Level::Strip)?;
            out.push(Node::Items(Items { id, body: ItemBody::Strips(nodes), returns, bound: None }));
            return Ok(());
        }
        let bound = self.bound(&stmts);
        out.push(Node::Items(Items { id, body: ItemBody::Straight(stmts), returns, bound }));
        Ok(())
    }

    /// `if local_id < n { … }` and nothing else: the items from `n` on need not be visited.
    fn bound(&self, stmts: &[Stmt]) -> Option<Expr> {
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

    /// Control flow around something that splits must be uniform.
    fn require_uniform(&self, variance: Variance, level: Level, around: &Expr, construct: &str) -> Result<(), Stop> {
        if self.uniform(variance, level) {
            return Ok(());
        }
        let Some((sync, kind)) = self.roles.find_sync(around) else {
            // Leaving a loop that has a barrier.
            return Err(self.divergent(variance, around.span, "leaves a loop that has a barrier", construct, None));
        };
        Err(self.divergent(variance, sync.span, "stands in control flow", construct, Some(kind)))
    }

    fn divergent(&self, variance: Variance, span: SpanId, what: &str, construct: &str, kind: Option<SyncKind>) -> Stop {
        let sub_group_only =
            matches!(kind, Some(SyncKind::Collective(Token::SubGroup) | SyncKind::Barrier(Token::SubGroup)));
        if variance.is_proven() && !(sub_group_only && variance.is_uniform_in_sub_group()) {
            let thing = match kind {
                Some(SyncKind::Barrier(_)) => "a barrier",
                Some(SyncKind::Collective(_)) => "a group operation",
                Some(SyncKind::Call) => "a call that may synchronise",
                None => "this",
            };
            return Stop::Error(AnalysisError::new(
                span,
                format!(
                    "{thing} {what} that depends on the work-item ({construct})\n\
                     all items of the group must reach it: move it out, or make the condition the same for the whole group"
                ),
            ));
        }
        Stop::LockStep {
            span,
            reason: format!("{construct} around it is not proven the same for all items of the group"),
        }
    }

    fn split(&mut self, stmt: &Stmt, level: Level, pending: &mut Vec<Stmt>, out: &mut Vec<Node>) -> Result<(), Stop> {
        let (target, expr) = match stmt {
            Stmt::Let { pattern: Pattern::Bind { var, .. }, ty, init, .. } => (Some((*var, *ty)), init),
            Stmt::Let { init, span, .. } => {
                return Err(Stop::Error(AnalysisError::new(
                    *span,
                    format!(
                        "this `let` takes apart a value that synchronises ({:?})\nbind it to one name first",
                        init.span
                    ),
                )));
            }
            Stmt::Expr(expr) => (None, expr),
        };
        match self.roles.sync(expr) {
            Some(SyncKind::Barrier(_)) => {
                self.flush(pending, level, out)?;
                out.push(Node::Barrier { span: expr.span });
                return Ok(());
            }
            Some(kind) => return self.collective(target, expr, kind, pending, out),
            None => {}
        }
        let node = match &expr.kind {
            ExprKind::If(cond, then, otherwise) => {
                self.require_uniform(self.variances.expr(cond), level, expr, "an `if`")?;
                self.flush(pending, level, out)?;
                let then = self.nodes(&statements(then), level)?;
                let otherwise = otherwise.as_ref().map_or(Ok(Vec::new()), |b| self.nodes(&statements(b), level))?;
                Node::If { cond: (**cond).clone(), then, otherwise }
            }
            ExprKind::Match(scrutinee, arms) => {
                self.require_uniform(self.variances.expr(scrutinee), level, expr, "a `match`")?;
                self.flush(pending, level, out)?;
                let mut new = Vec::new();
                for arm in arms {
                    if let Some(guard) = &arm.guard {
                        self.require_uniform(self.variances.expr(guard), level, expr, "a match guard")?;
                    }
                    let mut body = Vec::new();
                    let pattern = self.fixed_pattern(&arm.pattern, &mut body);
                    let mut guard = arm.guard.clone();
                    if let Some(guard) = &mut guard {
                        body.iter().for_each(|copy| rename(guard, copy));
                    }
                    match &arm.body.kind {
                        ExprKind::Block(None, block) => body.extend(statements(block)),
                        _ => body.push(Stmt::Expr(arm.body.clone())),
                    }
                    new.push((pattern, guard, self.nodes(&body, level)?));
                }
                Node::Match { scrutinee: (**scrutinee).clone(), arms: new }
            }
            ExprKind::Block(label, block) => {
                self.require_uniform(self.variances.exit(expr.span), level, expr, "a labelled block")?;
                self.flush(pending, level, out)?;
                Node::Block { label: label.clone(), body: self.nodes(&statements(block), level)? }
            }
            ExprKind::Loop(label, block) => {
                self.require_uniform(self.variances.exit(expr.span), level, expr, "a `loop`")?;
                self.flush(pending, level, out)?;
                Node::Loop { label: label.clone(), body: self.nodes(&statements(block), level)? }
            }
            ExprKind::While(label, cond, block) => {
                let variance = self.variances.expr(cond).or(self.variances.exit(expr.span));
                self.require_uniform(variance, level, expr, "a `while`")?;
                self.flush(pending, level, out)?;
                Node::While {
                    label: label.clone(),
                    cond: (**cond).clone(),
                    body: self.nodes(&statements(block), level)?,
                }
            }
            ExprKind::For { label, pattern, range, body } => {
                self.require_uniform(self.variances.exit(expr.span), level, expr, "a `for`")?;
                self.flush(pending, level, out)?;
                let mut stmts = Vec::new();
                let pattern = self.fixed_pattern(pattern, &mut stmts);
                stmts.extend(statements(body));
                Node::For { label: label.clone(), pattern, range: range.clone(), body: self.nodes(&stmts, level)? }
            }
            ExprKind::Break(label, None) => {
                self.flush(pending, level, out)?;
                Node::Break(label.clone())
            }
            ExprKind::Continue(label) => {
                self.flush(pending, level, out)?;
                Node::Continue(label.clone())
            }
            ExprKind::Return(None) => {
                self.flush(pending, level, out)?;
                Node::Return
            }
            _ => {
                return Err(Stop::LockStep { span: expr.span, reason: "control flow inside an expression".into() });
            }
        };
        out.push(node);
        Ok(())
    }

    fn collective(
        &mut self,
        target: Option<(VarId, Option<TypeId>)>,
        expr: &Expr,
        kind: SyncKind,
        pending: &mut Vec<Stmt>,
        out: &mut Vec<Node>,
    ) -> Result<(), Stop> {
        let (operation, args) = match (&expr.kind, kind) {
            (ExprKind::Method { name, args, .. }, SyncKind::Collective(token)) => {
                (Operation::Method(token, name.clone()), args)
            }
            (ExprKind::Call(callee, args), _) => (Operation::Call(*callee), args),
            _ => unreachable!("collectives are methods or calls"),
        };
        let mut new = Vec::new();
        for arg in args {
            new.push(if self.roles.is_item(arg) {
                Argument::Item
            } else if self.variances.expr(arg).is_uniform() || self.is_handle(arg) {
                Argument::Uniform(Box::new(arg.clone()))
            } else {
                if let ExprKind::Ref(true, _) = arg.kind {
                    return Err(Stop::LockStep {
                        span: arg.span,
                        reason: "a `&mut` argument of a function that may synchronise".into(),
                    });
                }
                let var = self.fresh("__a", arg.span, self.variances.expr(arg));
                let pattern = Pattern::Bind { var, sub: None };
                pending.push(Stmt::Let { pattern, ty: None, init: arg.clone(), span: arg.span });
                Argument::PerItem(var)
            });
        }
        self.flush(pending, Level::Group, out)?;
        let ty = target.and_then(|(_, ty)| ty);
        let target = target.map(|(var, _)| var);
        let uniform = target
            .is_none_or(|var| self.variances.var(var).is_uniform() && !self.inner_assigned.contains(&var))
            && matches!(&operation, Operation::Method(Token::Group, name) if super::super::sync::is_uniform_result(name));
        if let (true, Some(var)) = (uniform, target) {
            self.scalars.insert(var);
        }
        out.push(Node::Collective(Collective { target, ty, uniform, operation, args: new, span: expr.span }));
        Ok(())
    }

    fn is_handle(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => self.roles.role(*var).is_some_and(is_memory),
            ExprKind::Method { receiver, name, args, .. } if name == "span" => {
                self.is_handle(receiver) && args.iter().all(|arg| self.variances.expr(arg).is_uniform())
            }
            _ => false,
        }
    }
}

fn is_memory(role: ParamRole) -> bool {
    matches!(
        role,
        ParamRole::View
            | ParamRole::ItemMut
            | ParamRole::GroupMut
            | ParamRole::ScatterMut
            | ParamRole::AtomicView
            | ParamRole::Local
            | ParamRole::LocalAccessor
    )
}

/// A block's statements, its tail as the last.
pub(super) fn statements(block: &Block) -> Vec<Stmt> {
    let mut stmts = block.stmts.clone();
    if let Some(tail) = &block.tail {
        stmts.push(Stmt::Expr((**tail).clone()));
    }
    stmts
}

fn control_blocks(expr: &Expr, f: &mut dyn FnMut(&Block)) {
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
fn escapes(stmt: &Stmt) -> bool {
    let (Stmt::Let { init: e, .. } | Stmt::Expr(e)) = stmt;
    leaves(e)
}

/// Whether statements that leave a loop do so inside a larger expression, such as the value of a `let`.
fn jumps_in_values(stmts: &[Stmt]) -> bool {
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
pub(super) fn stmt_returns(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if contains_return(e))
}

fn contains_return(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Return(_));
    each_child(expr, &mut |child| found = found || contains_return(child));
    found
}

fn breaks_with_value(block: &Block) -> bool {
    fn search(expr: &Expr) -> bool {
        let mut found = matches!(expr.kind, ExprKind::Break(_, Some(_)));
        each_child(expr, &mut |child| found = found || search(child));
        found
    }
    statements(block).iter().any(|s| matches!(s, Stmt::Let { init: e, .. } | Stmt::Expr(e) if search(e)))
}

/// Whether a `return` before a statement may be what keeps it from failing: it must not run earlier than written.
fn guarded(stmt: &Stmt, before: &[Stmt]) -> bool {
    let (Stmt::Let { init, .. } | Stmt::Expr(init)) = stmt;
    may_fail(init) && before.iter().any(stmt_returns)
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
fn mentions(stmts: &[Stmt]) -> BTreeMap<VarId, usize> {
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

/// Renames the variable that a `let copy = original;` binds back to the original.
fn rename(expr: &mut Expr, copy: &Stmt) {
    let Stmt::Let { pattern: Pattern::Bind { var, .. }, init: Expr { kind: ExprKind::Var(original), .. }, .. } = copy
    else {
        return;
    };
    if matches!(expr.kind, ExprKind::Var(v) if v == *var) {
        expr.kind = ExprKind::Var(*original);
    }
    each_operand_mut(expr, &mut |operand| rename(operand, copy));
}
