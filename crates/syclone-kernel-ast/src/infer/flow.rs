//! Blocks, branches, loops and jumps, and which of them never come to an end.

use super::{InferErrorKind, Inference, Jump, Result};
use crate::tree::*;
use crate::types::Type;

impl Inference<'_> {
    /// The type of a block, its last expression's.
    pub(super) fn block(&mut self, block: &Block) -> Result<Type> {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern, ty, init, span } => {
                    let found = self.expr(init)?;
                    let declared = match ty {
                        Some(ty) => self.named_type(*ty)?,
                        None if self.table.shallow(&found) == Type::Never => self.table.fresh(),
                        None => found.clone(),
                    };
                    self.coerce(&found, &declared, *span)?;
                    self.pattern(pattern, &declared)?;
                }
                Stmt::Expr(expr) => {
                    self.expr(expr)?;
                }
            }
        }
        match &block.tail {
            Some(tail) => self.expr(tail),
            None if self.diverges => Ok(Type::Never),
            None => Ok(Type::Unit),
        }
    }

    pub(super) fn branch(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Block>,
        span: SpanId,
    ) -> Result<Type> {
        self.expect(condition, &Type::Bool)?;
        let before = self.diverges;
        let then_type = self.block(then)?;
        let then_diverges = std::mem::replace(&mut self.diverges, before);
        let Some(otherwise) = otherwise else {
            self.coerce(&then_type, &Type::Unit, span)?;
            return Ok(Type::Unit);
        };
        let otherwise_type = self.block(otherwise)?;
        self.diverges = before || (then_diverges && self.diverges);
        self.join(&then_type, &otherwise_type, span)
    }

    pub(super) fn labelled_block(&mut self, label: &Option<String>, block: &Block, span: SpanId) -> Result<Type> {
        let before = self.diverges;
        self.jumps.push(Jump { label: label.clone(), is_loop: false, value: None });
        let ty = self.block(block)?;
        match self.jumps.pop().and_then(|jump| jump.value) {
            Some(value) => {
                self.diverges = before;
                self.join(&ty, &value, span)
            }
            None => Ok(ty),
        }
    }

    pub(super) fn control(&mut self, expr: &Expr) -> Result<Type> {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Loop(label, body) => {
                let before = self.diverges;
                self.jumps.push(Jump { label: label.clone(), is_loop: true, value: None });
                self.block(body)?;
                self.diverges = before;
                self.jumps.pop().and_then(|jump| jump.value).unwrap_or(Type::Never)
            }
            ExprKind::While(label, condition, body) => {
                self.expect(condition, &Type::Bool)?;
                self.loop_body(label, body)?;
                Type::Unit
            }
            ExprKind::For { label, pattern, range, body } => {
                let start = self.expr(&range.start)?;
                let end = self.expr(&range.end)?;
                self.unify(&end, &start, span)?;
                for adaptor in &range.adaptors {
                    if let RangeAdaptor::StepBy(step) = adaptor {
                        self.expect(step, &Type::USIZE)?;
                    }
                }
                self.pattern(pattern, &start)?;
                self.loop_body(label, body)?;
                Type::Unit
            }
            ExprKind::Break(label, value) => {
                let ty = match value {
                    Some(value) => self.expr(value)?,
                    None => Type::Unit,
                };
                self.break_value(label.as_deref(), ty, span)?;
                Type::Never
            }
            ExprKind::Return(value) => {
                let ret = self.ret.clone();
                match value {
                    Some(value) => self.expect(value, &ret)?,
                    None => self.unify(&Type::Unit, &ret, span)?,
                }
                Type::Never
            }
            _ => Type::Never,
        })
    }

    fn loop_body(&mut self, label: &Option<String>, body: &Block) -> Result<()> {
        let before = self.diverges;
        self.jumps.push(Jump { label: label.clone(), is_loop: true, value: None });
        self.block(body)?;
        self.jumps.pop();
        self.diverges = before;
        Ok(())
    }

    fn break_value(&mut self, label: Option<&str>, ty: Type, span: SpanId) -> Result<()> {
        let position = self.jumps.iter().rposition(|jump| match label {
            Some(label) => jump.label.as_deref() == Some(label),
            None => jump.is_loop,
        });
        let Some(position) = position else {
            return Err(self.error(span, InferErrorKind::Internal("a `break` outside of a loop".into())));
        };
        let value = match self.jumps[position].value.take() {
            Some(before) => self.join(&before, &ty, span)?,
            None => ty,
        };
        self.jumps[position].value = Some(value);
        Ok(())
    }

    pub(super) fn match_type(&mut self, value: &Expr, arms: &[Arm]) -> Result<Type> {
        let scrutinee = self.expr(value)?;
        let before = self.diverges;
        let mut all_diverge = true;
        let mut ty = Type::Never;
        for arm in arms {
            self.diverges = before;
            self.pattern(&arm.pattern, &scrutinee)?;
            if let Some(guard) = &arm.guard {
                self.expect(guard, &Type::Bool)?;
            }
            self.diverges = before;
            let body = self.expr(&arm.body)?;
            all_diverge &= self.diverges;
            ty = self.join(&ty, &body, arm.body.span)?;
        }
        self.diverges = before || all_diverge;
        Ok(ty)
    }
}
