//! Taking apart a statement that synchronises, or a loop that a strip of items runs together.

use super::search::{is_memory, statements};
use super::*;
use crate::analysis::normalise::each_operand_mut;
use crate::analysis::sync::{SyncKind, Token, is_uniform_result};

impl Builder {
    pub(super) fn split(
        &mut self,
        stmt: &Stmt,
        level: Level,
        pending: &mut Vec<Stmt>,
        out: &mut Vec<Node>,
    ) -> Result<(), Stop> {
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
            && matches!(&operation, Operation::Method(Token::Group, name) if is_uniform_result(name));
        if let (true, Some(var)) = (uniform, target) {
            self.scalars.insert(var);
        }
        out.push(Node::Collective(Collective { target, ty, uniform, operation, args: new, span: expr.span }));
        Ok(())
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

    fn is_handle(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => self.roles.role(*var).is_some_and(is_memory),
            ExprKind::Method { receiver, name, args, .. } if name == "span" => {
                self.is_handle(receiver) && args.iter().all(|arg| self.variances.expr(arg).is_uniform())
            }
            _ => false,
        }
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
