//! Rewriting a body so that every synchronising operation stands alone.
//!
//! Afterwards a synchronising operation is either a statement of its own or the whole initial value of a `let`, its
//! operands do not synchronise, and every condition, bound and scrutinee is free of them. The order of evaluation
//! stays: what is evaluated before a hoisted operation is bound to a variable before it. A `break` or `continue` that
//! leaves a statement of a loop with such an operation becomes a statement too, since the loop will be taken apart.

use super::AnalysisError;
use super::sync::{Roles, SyncKind, each_child, leaves};
use super::uses::{has_index, root};
use crate::tree::*;

/// Rewrites the body of `function`; new variables are appended to its table.
///
/// # Errors
/// A synchronising operation in the right operand of `&&` or `||`, in a place's index, in a match guard, in a loop
/// that is used as a value, or in a literal pattern's position, where it cannot be evaluated by all items.
pub fn normalise(function: &Function) -> Result<Function, AnalysisError> {
    let mut out = function.clone();
    let roles = Roles::of(function);
    if !roles.block_syncs(&function.body) {
        return Ok(out);
    }
    let mut pass = Pass { roles, vars: std::mem::take(&mut out.vars) };
    out.body = if function.ret.is_none() { pass.statements(&function.body)? } else { pass.block(&function.body)? };
    out.vars = pass.vars;
    Ok(out)
}

struct Pass {
    roles: Roles,
    vars: Vec<Variable>,
}

type Out = Vec<Stmt>;

impl Pass {
    fn temporary(&mut self, span: SpanId, mutable: bool) -> VarId {
        self.vars.push(Variable { name: format!("__t{}", self.vars.len()), mutable, span });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Whether an expression cannot stay inside a larger one: it synchronises or jumps out of it.
    fn is_apart(&self, expr: &Expr) -> bool {
        self.roles.contains_sync(expr) || leaves(expr)
    }

    fn block(&mut self, block: &Block) -> Result<Block, AnalysisError> {
        let mut stmts = Out::new();
        for stmt in &block.stmts {
            self.stmt(stmt, &mut stmts)?;
        }
        let tail = match &block.tail {
            Some(tail) if self.is_apart(tail) => self.value_or_control(tail, &mut stmts)?.map(Box::new),
            tail => tail.clone(),
        };
        Ok(Block { stmts, tail })
    }

    /// A tail: control flow without a value becomes a statement, anything else a hoisted value.
    fn value_or_control(&mut self, tail: &Expr, out: &mut Out) -> Result<Option<Expr>, AnalysisError> {
        if yields_nothing(tail) || matches!(self.roles.sync(tail), Some(SyncKind::Barrier(_))) {
            self.stmt(&Stmt::Expr(tail.clone()), out)?;
            return Ok(None);
        }
        self.hoist(tail, out).map(Some)
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Out) -> Result<(), AnalysisError> {
        let (Stmt::Let { init: expr, .. } | Stmt::Expr(expr)) = stmt;
        if !self.is_apart(expr) {
            out.push(stmt.clone());
            return Ok(());
        }
        match stmt {
            Stmt::Let { pattern, ty, init, span } => {
                let init = match (self.roles.sync(init), pattern) {
                    (Some(_), Pattern::Bind { sub: None, .. }) => self.operands(init, out)?,
                    _ => self.hoist(init, out)?,
                };
                out.push(Stmt::Let { pattern: pattern.clone(), ty: *ty, init, span: *span });
            }
            Stmt::Expr(expr) => self.effect(expr, out)?,
        }
        Ok(())
    }

    /// An expression whose value is dropped.
    fn effect(&mut self, expr: &Expr, out: &mut Out) -> Result<(), AnalysisError> {
        if self.roles.sync(expr).is_some() {
            let expr = self.operands(expr, out)?;
            out.push(Stmt::Expr(expr));
            return Ok(());
        }
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::If(cond, then, otherwise) => {
                let cond = self.hoist(cond, out)?;
                let otherwise = otherwise.as_ref().map(|b| self.statements(b)).transpose()?;
                ExprKind::If(Box::new(cond), self.statements(then)?, otherwise)
            }
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.hoist(scrutinee, out)?;
                let mut new = Vec::new();
                for arm in arms {
                    self.refuse(arm.guard.as_ref(), "in the guard of a match arm")?;
                    let body = self.as_block(&arm.body)?;
                    let body = Expr { span: arm.body.span, kind: ExprKind::Block(None, body) };
                    new.push(Arm { pattern: arm.pattern.clone(), guard: arm.guard.clone(), body });
                }
                ExprKind::Match(Box::new(scrutinee), new)
            }
            ExprKind::Block(label, block) => ExprKind::Block(label.clone(), self.statements(block)?),
            ExprKind::Loop(label, block) => ExprKind::Loop(label.clone(), self.statements(block)?),
            ExprKind::Break(_, None) | ExprKind::Continue(_) => expr.kind.clone(),
            ExprKind::While(label, cond, block) if self.roles.contains_sync(cond) => {
                // `while c { … }` is `loop { if !c { break } … }`, which has a place for the hoisted part of `c`.
                let mut body = Out::new();
                let cond = self.hoist(cond, &mut body)?;
                let not = Expr { span: cond.span, kind: ExprKind::Unary(UnaryOp::Not, Box::new(cond)) };
                let leave = Stmt::Expr(Expr { span, kind: ExprKind::Break(None, None) });
                let exit = ExprKind::If(Box::new(not), Block { stmts: vec![leave], tail: None }, None);
                body.push(Stmt::Expr(Expr { span, kind: exit }));
                body.extend(self.statements(block)?.stmts);
                ExprKind::Loop(label.clone(), Block { stmts: body, tail: None })
            }
            ExprKind::While(label, cond, block) => {
                ExprKind::While(label.clone(), cond.clone(), self.statements(block)?)
            }
            ExprKind::For { label, pattern, range, body } => {
                let mut range = range.clone();
                range.start = Box::new(self.hoist(&range.start, out)?);
                range.end = Box::new(self.hoist(&range.end, out)?);
                for adaptor in &mut range.adaptors {
                    if let RangeAdaptor::StepBy(step) = adaptor {
                        **step = self.hoist(step, out)?;
                    }
                }
                ExprKind::For { label: label.clone(), pattern: pattern.clone(), range, body: self.statements(body)? }
            }
            ExprKind::Assign(place, value) => {
                self.refuse(Some(place), "in the place of an assignment")?;
                ExprKind::Assign(place.clone(), Box::new(self.hoist(value, out)?))
            }
            ExprKind::AssignOp(op, place, value) => {
                self.refuse(Some(place), "in the place of an assignment")?;
                ExprKind::AssignOp(*op, place.clone(), Box::new(self.hoist(value, out)?))
            }
            _ => {
                let value = self.hoist(expr, out)?;
                out.push(Stmt::Expr(value));
                return Ok(());
            }
        };
        out.push(Stmt::Expr(Expr { kind, span }));
        Ok(())
    }

    /// A block whose value is dropped.
    fn statements(&mut self, block: &Block) -> Result<Block, AnalysisError> {
        let mut stmts = Out::new();
        for stmt in &block.stmts {
            self.stmt(stmt, &mut stmts)?;
        }
        if let Some(tail) = &block.tail {
            self.stmt(&Stmt::Expr((**tail).clone()), &mut stmts)?;
        }
        Ok(Block { stmts, tail: None })
    }

    fn as_block(&mut self, expr: &Expr) -> Result<Block, AnalysisError> {
        match &expr.kind {
            ExprKind::Block(None, block) => self.statements(block),
            _ => self.statements(&Block { stmts: vec![Stmt::Expr(expr.clone())], tail: None }),
        }
    }

    /// The value of an expression, without synchronising operations: those are bound to variables before it.
    fn hoist(&mut self, expr: &Expr, out: &mut Out) -> Result<Expr, AnalysisError> {
        if !self.is_apart(expr) {
            return Ok(expr.clone());
        }
        let sync_span = self.roles.find_sync(expr).map(|(sync, _)| sync.span);
        if let Some(kind) = self.roles.sync(expr) {
            if matches!(kind, SyncKind::Barrier(_)) {
                return Err(AnalysisError::new(
                    expr.span,
                    "a barrier has no value\nwrite it as a statement of its own",
                ));
            }
            let init = self.operands(expr, out)?;
            return Ok(self.bind(init, out));
        }
        match &expr.kind {
            ExprKind::If(_, _, Some(_)) | ExprKind::Match(..) | ExprKind::Block(None, _) => {
                let var = self.temporary(expr.span, true);
                let control = self.assign_value(expr, var)?;
                self.effect(&control, out)?;
                Ok(Expr { kind: ExprKind::Var(var), span: expr.span })
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if self.is_apart(right) => {
                if let Some((sync, _)) = self.roles.find_sync(right) {
                    return Err(AnalysisError::new(
                        sync.span,
                        "a group operation in the right operand of `&&` or `||` would be skipped by some items\n\
                         bind its result to a variable first",
                    ));
                }
                let known = Expr { kind: ExprKind::Lit(Lit::Bool(*op == BinaryOp::Or)), span: expr.span };
                let block = |tail: &Expr| Block { stmts: Vec::new(), tail: Some(Box::new(tail.clone())) };
                let (then, otherwise) =
                    if *op == BinaryOp::And { (block(right), block(&known)) } else { (block(&known), block(right)) };
                self.hoist(&Expr { kind: ExprKind::If(left.clone(), then, Some(otherwise)), span: expr.span }, out)
            }
            ExprKind::If(..)
            | ExprKind::Loop(..)
            | ExprKind::While(..)
            | ExprKind::For { .. }
            | ExprKind::Block(..) => match sync_span {
                Some(span) => Err(AnalysisError::new(
                    span,
                    "a barrier or group operation in a loop or labelled block that is used as a value\n\
                     assign the value to a variable inside the loop instead",
                )),
                None => Ok(expr.clone()),
            },
            ExprKind::Message(MessageKind::Assert, _, operands) => {
                for arg in operands.iter().skip(1) {
                    self.refuse(Some(arg), "in the message of `kassert!`, which only some items need")?;
                }
                self.operands(expr, out)
            }
            _ => self.operands(expr, out),
        }
    }

    /// The expression with its operands hoisted; those before the last one to be hoisted are bound in order.
    fn operands(&mut self, expr: &Expr, out: &mut Out) -> Result<Expr, AnalysisError> {
        let mut last = None;
        let mut count = 0;
        each_child(expr, &mut |child| {
            if self.is_apart(child) {
                last = Some(count);
            }
            count += 1;
        });
        let Some(last) = last else {
            return Ok(expr.clone());
        };
        // A method may change the variable that it is called on, so that stays itself and not a copy.
        let by_place = matches!(&expr.kind, ExprKind::Method { receiver, .. } if !has_index(receiver) && root(receiver).is_some_and(|var| self.roles.role(var).is_none()));
        let mut result = expr.clone();
        let mut position = 0;
        let mut failure = None;
        each_operand_mut(&mut result, &mut |child| {
            if position <= last && failure.is_none() {
                let before = position < last
                    && !is_constant(child)
                    && !self.is_handle(child)
                    && (position != 0 || !by_place)
                    && !matches!(child.kind, ExprKind::Ref(..));
                let hoisted = self
                    .hoist(child, out)
                    .map(|value| if before && !is_constant(&value) { self.bind(value, out) } else { value });
                match hoisted {
                    Ok(value) => *child = value,
                    Err(error) => failure = Some(error),
                }
            }
            position += 1;
        });
        failure.map_or(Ok(result), Err)
    }

    fn is_handle(&self, expr: &Expr) -> bool {
        self.roles.token(expr).is_some() || matches!(expr.kind, ExprKind::Var(var) if self.roles.role(var).is_some())
    }

    fn bind(&mut self, init: Expr, out: &mut Out) -> Expr {
        let var = self.temporary(init.span, false);
        let span = init.span;
        out.push(Stmt::Let { pattern: Pattern::Bind { var, sub: None }, ty: None, init, span });
        Expr { kind: ExprKind::Var(var), span }
    }

    /// Control flow that assigns to `var` what `expr` would yield.
    fn assign_value(&mut self, expr: &Expr, var: VarId) -> Result<Expr, AnalysisError> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::If(cond, then, Some(otherwise)) => {
                ExprKind::If(cond.clone(), self.assign_tail(then, var)?, Some(self.assign_tail(otherwise, var)?))
            }
            ExprKind::Match(scrutinee, arms) => {
                let mut new = Vec::new();
                for arm in arms {
                    new.push(Arm { body: self.assign_value(&arm.body, var)?, ..arm.clone() });
                }
                ExprKind::Match(scrutinee.clone(), new)
            }
            ExprKind::Block(None, block) => ExprKind::Block(None, self.assign_tail(block, var)?),
            ExprKind::Break(..) | ExprKind::Continue(_) | ExprKind::Return(_) => expr.kind.clone(),
            _ => {
                let place = Expr { kind: ExprKind::Var(var), span };
                ExprKind::Assign(Box::new(place), Box::new(expr.clone()))
            }
        };
        Ok(Expr { kind, span })
    }

    fn assign_tail(&mut self, block: &Block, var: VarId) -> Result<Block, AnalysisError> {
        let mut stmts = block.stmts.clone();
        if let Some(tail) = &block.tail {
            stmts.push(Stmt::Expr(self.assign_value(tail, var)?));
        }
        Ok(Block { stmts, tail: None })
    }

    fn refuse(&self, expr: Option<&Expr>, place: &str) -> Result<(), AnalysisError> {
        match expr.and_then(|e| self.roles.find_sync(e)) {
            Some((sync, _)) => Err(AnalysisError::new(
                sync.span,
                format!("a barrier or group operation {place}\nbind its result to a variable first"),
            )),
            None => Ok(()),
        }
    }
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Lit(_) | ExprKind::Const(_))
}

/// Control flow that is a statement by nature.
fn yields_nothing(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::While(..) | ExprKind::For { .. } | ExprKind::Assign(..) | ExprKind::AssignOp(..) => true,
        ExprKind::If(_, then, otherwise) => then.tail.is_none() || otherwise.is_none(),
        ExprKind::Match(_, arms) => arms.iter().all(|arm| yields_nothing(&arm.body)),
        ExprKind::Block(_, block) => block.tail.as_ref().is_none_or(|tail| yields_nothing(tail)),
        ExprKind::Loop(..) => true,
        ExprKind::Tuple(items) => items.is_empty(),
        ExprKind::Message(..) => true,
        _ => false,
    }
}

/// The operands of an expression without blocks of its own, in the order of [`each_child`].
pub(super) fn each_operand_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
        ExprKind::Unary(_, a)
        | ExprKind::Cast(a, _)
        | ExprKind::Field(a, _)
        | ExprKind::TupleField(a, _)
        | ExprKind::Ref(_, a)
        | ExprKind::Deref(a) => f(a),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Repeat(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Tuple(items)
        | ExprKind::Array(items)
        | ExprKind::TupleStruct(_, items)
        | ExprKind::Call(_, items)
        | ExprKind::Builtin(_, _, items)
        | ExprKind::Message(_, _, items) => items.iter_mut().for_each(f),
        ExprKind::Struct(_, fields) => fields.iter_mut().for_each(|(_, e)| f(e)),
        ExprKind::Method { receiver, args, .. } => {
            f(receiver);
            args.iter_mut().for_each(f);
        }
        ExprKind::Break(_, Some(value)) | ExprKind::Return(Some(value)) => f(value),
        _ => {}
    }
}
