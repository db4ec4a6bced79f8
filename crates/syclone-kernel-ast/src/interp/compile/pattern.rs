//! Patterns: tests that jump away, and the copies that bind variables.

use super::{Compiler, Result, internal};
use crate::interp::code::*;
use crate::tree::*;
use crate::types::Type;
use crate::value::Value;

impl Compiler<'_> {
    /// Binds an irrefutable pattern.
    pub(super) fn bind(&mut self, pattern: &Pattern, at: At, ty: &Type) -> Result<()> {
        let failed = self.test(pattern, at, ty)?;
        if failed.is_empty() { Ok(()) } else { internal("a pattern of a `let` that may not match") }
    }

    /// Tests a value and binds variables; gives the jumps that are taken if it does not match.
    pub(super) fn test(&mut self, pattern: &Pattern, at: At, ty: &Type) -> Result<Vec<Target>> {
        match pattern {
            Pattern::Wild(_) => Ok(Vec::new()),
            Pattern::Bind { var, sub } => {
                let to = self.var(*var);
                self.copy(to, at, ty);
                match sub {
                    Some(sub) => self.test(sub, at, ty),
                    None => Ok(Vec::new()),
                }
            }
            Pattern::Tuple(parts, _) => {
                let Type::Tuple(types) = ty else {
                    return if parts.is_empty() {
                        Ok(Vec::new())
                    } else {
                        internal("a tuple pattern for another type")
                    };
                };
                let mut failed = Vec::new();
                for (position, part) in parts.iter().enumerate() {
                    let offset = Type::tuple_offset(types, position) as u32;
                    failed.extend(self.test(part, at + offset, &types[position])?);
                }
                Ok(failed)
            }
            Pattern::Lit(..) | Pattern::Const(..) => {
                let value = self.pattern_value(pattern, ty)?;
                Ok(vec![self.test_compare(BinaryOp::Eq, at, &value, ty)?])
            }
            Pattern::Range { lo, hi, inclusive, .. } => {
                let mut failed = Vec::new();
                if let Some(lo) = lo {
                    let value = self.pattern_value(lo, ty)?;
                    failed.push(self.test_compare(BinaryOp::Ge, at, &value, ty)?);
                }
                if let Some(hi) = hi {
                    let value = self.pattern_value(hi, ty)?;
                    let op = if *inclusive { BinaryOp::Le } else { BinaryOp::Lt };
                    failed.push(self.test_compare(op, at, &value, ty)?);
                }
                Ok(failed)
            }
            Pattern::Or(parts, _) => {
                let mut matched = Vec::new();
                let mut failed = Vec::new();
                for part in parts {
                    for jump in std::mem::take(&mut failed) {
                        self.land(jump);
                    }
                    failed = self.test(part, at, ty)?;
                    matched.push(self.emit(Instr::Jump { target: 0 }));
                }
                // The last alternative's failures fall to the caller, all successes go on here.
                for jump in matched {
                    self.land(jump);
                }
                Ok(failed)
            }
        }
    }

    fn pattern_value(&self, pattern: &Pattern, ty: &Type) -> Result<Value> {
        match pattern {
            Pattern::Lit(lit, _) => self.literal_value(lit, ty),
            Pattern::Const(id, _) => match self.typed.bound.consts.get(id.0 as usize) {
                Some(value) => Ok(value.value.clone()),
                None => internal("a constant outside the table"),
            },
            _ => internal("the end of a range pattern that is no constant"),
        }
    }

    /// A jump that is taken unless the comparison holds.
    fn test_compare(&mut self, op: BinaryOp, left: At, right: &Value, ty: &Type) -> Result<Target> {
        let right_at = self.temp(ty)?;
        self.constant(right_at, right);
        let condition = self.temp_bytes(1)?;
        self.compare(op, ty, condition, left, right_at);
        Ok(self.emit(Instr::JumpUnless { condition, target: 0 }))
    }
}
