//! Control flow: branches, matches, loops and jumps.

use super::{Compiler, Jump, Result, internal};
use crate::interp::code::*;
use crate::tree::*;
use crate::types::Type;

impl Compiler<'_> {
    /// A control-flow expression whose value, if it has one, goes to `to`.
    pub(super) fn flow(&mut self, expr: &Expr, to: At) -> Result<()> {
        let ty = &self.type_of(expr);
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise.as_ref(), to, ty),
            ExprKind::Match(value, arms) => self.match_arms(value, arms, to),
            ExprKind::Block(None, block) => self.block(block, to, ty),
            ExprKind::Block(label, block) => {
                self.jumps.push(Jump {
                    label: label.clone(),
                    is_loop: false,
                    result: to,
                    again: 0,
                    breaks: Vec::new(),
                });
                self.block(block, to, ty)?;
                self.end_jumps();
                Ok(())
            }
            ExprKind::Loop(label, body) => {
                let again = self.here();
                self.loop_body(label, body, again, to)?;
                self.end_jumps();
                Ok(())
            }
            ExprKind::While(label, condition, body) => {
                let again = self.here();
                let mark = self.free;
                let condition = self.operand(condition)?;
                self.free = mark;
                let done = self.emit(Instr::JumpUnless { condition, target: 0 });
                self.loop_body(label, body, again, to)?;
                self.land(done);
                self.end_jumps();
                Ok(())
            }
            ExprKind::For { label, pattern, range, body } => self.for_loop(expr, label, pattern, range, body),
            ExprKind::Break(label, value) => {
                let position = self.jump_of(label.as_deref(), false)?;
                if let Some(value) = value {
                    let result = self.jumps[position].result;
                    self.value_to(value, result)?;
                }
                let jump = self.emit(Instr::Jump { target: 0 });
                self.jumps[position].breaks.push(jump);
                Ok(())
            }
            ExprKind::Continue(label) => {
                let position = self.jump_of(label.as_deref(), true)?;
                let target = self.jumps[position].again;
                self.emit(Instr::Jump { target });
                Ok(())
            }
            ExprKind::Return(value) => {
                let ret = self.typed.ret.clone();
                let from = match value {
                    Some(value) => self.value(value)?,
                    None => 0,
                };
                self.emit(Instr::Return { from, len: ret.size() as u32 });
                Ok(())
            }
            _ => internal("an expression that is no control flow"),
        }
    }

    fn branch(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>, to: At, ty: &Type) -> Result<()> {
        let mark = self.free;
        let condition = self.operand(condition)?;
        self.free = mark;
        let skip = self.emit(Instr::JumpUnless { condition, target: 0 });
        self.block(then, to, ty)?;
        if let Some(otherwise) = otherwise {
            let end = self.emit(Instr::Jump { target: 0 });
            self.land(skip);
            self.block(otherwise, to, ty)?;
            self.land(end);
        } else {
            self.land(skip);
        }
        Ok(())
    }

    fn jump_of(&self, label: Option<&str>, only_loops: bool) -> Result<usize> {
        let position = self.jumps.iter().rposition(|jump| match label {
            Some(label) => jump.label.as_deref() == Some(label) && (jump.is_loop || !only_loops),
            None => jump.is_loop,
        });
        match position {
            Some(position) => Ok(position),
            None => internal("a jump outside of its loop"),
        }
    }

    /// A loop's body and the jump back; the caller ends its jumps.
    fn loop_body(&mut self, label: &Option<String>, body: &Block, again: Target, result: At) -> Result<()> {
        self.jumps.push(Jump { label: label.clone(), is_loop: true, result, again, breaks: Vec::new() });
        self.block(body, 0, &Type::Unit)?;
        self.emit(Instr::Jump { target: again });
        Ok(())
    }

    fn end_jumps(&mut self) {
        for jump in self.jumps.pop().map(|jump| jump.breaks).unwrap_or_default() {
            self.land(jump);
        }
    }

    fn match_arms(&mut self, value: &Expr, arms: &[Arm], to: At) -> Result<()> {
        let ty = self.type_of(value);
        // A copy: what an arm does to the matched variable must not change what later arms see.
        let at = self.temp(&ty)?;
        self.value_to(value, at)?;
        let mut ends = Vec::new();
        for arm in arms {
            let mark = self.free;
            let mut failed = self.test(&arm.pattern, at, &ty)?;
            if let Some(guard) = &arm.guard {
                let condition = self.operand(guard)?;
                failed.push(self.emit(Instr::JumpUnless { condition, target: 0 }));
            }
            self.value_to(&arm.body, to)?;
            ends.push(self.emit(Instr::Jump { target: 0 }));
            for jump in failed {
                self.land(jump);
            }
            self.free = mark;
        }
        self.emit(Instr::Unreachable);
        for jump in ends {
            self.land(jump);
        }
        Ok(())
    }

    fn for_loop(
        &mut self,
        expr: &Expr,
        label: &Option<String>,
        pattern: &Pattern,
        range: &ForRange,
        body: &Block,
    ) -> Result<()> {
        let ty = self.type_of(&range.start);
        let Type::Int(kind) = ty else {
            return internal(format!("a `for` over {ty}"));
        };
        let state = self.temp_bytes(48)?;
        let mark = self.free;
        let start = self.stable(&range.start, &[&range.end])?;
        let end = self.operand(&range.end)?;
        self.at_line(expr.span);
        self.emit(Instr::Range { state, start, end, kind, inclusive: range.inclusive });
        for adaptor in &range.adaptors {
            match adaptor {
                RangeAdaptor::Rev => self.emit(Instr::RangeRev { state }),
                RangeAdaptor::StepBy(step) => {
                    let step = self.operand(step)?;
                    self.emit(Instr::RangeStep { state, step })
                }
            };
        }
        self.free = mark;
        let value = self.temp(&ty)?;
        let next = self.emit(Instr::RangeNext { state, to: value, kind, done: 0 });
        self.bind(pattern, value, &ty)?;
        self.loop_body(label, body, next, 0)?;
        self.land(next);
        self.end_jumps();
        Ok(())
    }
}
