//! Patterns against the type of what they match.

use super::{InferErrorKind, Inference, Result};
use crate::tree::{Pattern, SpanId};
use crate::types::Type;

impl Inference<'_> {
    /// Binds a pattern's variables and makes its literals have the type of what is matched.
    pub(super) fn pattern(&mut self, pattern: &Pattern, ty: &Type) -> Result<()> {
        match pattern {
            Pattern::Wild(_) => Ok(()),
            Pattern::Bind { var, sub } => {
                let span = self.tree().vars.get(var.0 as usize).map_or(SpanId(0), |variable| variable.span);
                let variable = self.var(*var, span)?;
                self.unify(ty, &variable, span)?;
                sub.as_deref().map_or(Ok(()), |sub| self.pattern(sub, ty))
            }
            Pattern::Tuple(parts, _) if parts.is_empty() => self.unify(&Type::Unit, ty, SpanId(0)),
            Pattern::Tuple(parts, span) => {
                let types: Vec<Type> = parts.iter().map(|_| self.table.fresh()).collect();
                self.unify(ty, &Type::Tuple(types.clone()), *span)?;
                parts.iter().zip(&types).try_for_each(|(part, ty)| self.pattern(part, ty))
            }
            Pattern::Lit(lit, span) => {
                let literal = self.literal(lit, None, *span)?;
                self.unify(&literal, ty, *span)
            }
            Pattern::Const(id, span) => match self.bound.consts.get(id.0 as usize) {
                Some(value) => {
                    let value = value.ty.clone();
                    self.unify(&value, ty, *span)
                }
                None => Err(self.error(*span, InferErrorKind::Internal("a constant outside the table".into()))),
            },
            Pattern::Range { lo, hi, .. } => {
                for end in [lo, hi].into_iter().flatten() {
                    self.pattern(end, ty)?;
                }
                Ok(())
            }
            Pattern::Or(parts, _) => parts.iter().try_for_each(|part| self.pattern(part, ty)),
        }
    }
}
