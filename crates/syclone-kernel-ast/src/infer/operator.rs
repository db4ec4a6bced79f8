//! Operators, which may have to wait until their operands' types are known.

use super::{InferErrorKind, Inference, Pending, Result};
use crate::tree::{BinaryOp, SpanId};
use crate::types::Type;

/// Whether the operator compares.
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

impl Inference<'_> {
    /// The type of `left op right`, which is put off if it cannot be told yet.
    pub(super) fn binary_type(&mut self, op: BinaryOp, left: &Type, right: &Type, span: SpanId) -> Result<Type> {
        let out = self.table.fresh();
        if self.binary(op, left, right, &out, span)?.is_none() {
            self.pending.push(Pending::Binary { op, left: left.clone(), right: right.clone(), out: out.clone(), span });
        }
        Ok(self.table.shallow(&out))
    }

    /// Relates the types of an operator's operands and result; `None` if too little is known.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &Type,
        right: &Type,
        out: &Type,
        span: SpanId,
    ) -> Result<Option<()>> {
        let left = self.without_refs(left);
        let right = self.without_refs(right);
        if left == Type::Never || right == Type::Never {
            let ty = if is_comparison(op) { Type::Bool } else { Type::Never };
            self.unify(&ty, out, span)?;
            return Ok(Some(()));
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            self.unify(&left, &Type::Bool, span)?;
            self.unify(&right, &Type::Bool, span)?;
            self.unify(&Type::Bool, out, span)?;
            return Ok(Some(()));
        }
        if is_comparison(op) {
            self.unify(&right, &left, span)?;
            self.unify(&Type::Bool, out, span)?;
            return Ok(Some(()));
        }
        if self.table.is_open(&left) {
            return Ok(None);
        }
        for ty in [&left, &right] {
            if !matches!(ty, Type::Var(_) | Type::Vector(..)) && !ty.is_scalar() {
                let operation = format!("operator `{}`", op.symbol());
                return Err(self.error(span, InferErrorKind::NoOperation { ty: ty.clone(), operation }));
            }
        }
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        match (&left, &right) {
            (Type::Vector(a, _), Type::Vector(b, _)) => {
                if !shift {
                    self.unify(b, a, span)?;
                    self.unify(&right, &left, span)?;
                }
            }
            (Type::Vector(..), _) if self.table.is_open(&right) => return Ok(None),
            // A scalar stands for all lanes; a shift's may be of another integer type.
            (Type::Vector(elem, _), _) => {
                let literal = self.table.is_int_var(&right) || self.table.is_float_var(&right);
                if !shift || literal {
                    self.unify(&right, elem, span)?;
                }
            }
            (_, Type::Vector(elem, _)) => {
                self.unify(&left, elem, span)?;
                self.unify(&right, out, span)?;
                return Ok(Some(()));
            }
            // The type of a shift's amount says nothing of the value's.
            _ if shift => {}
            _ if self.table.is_open(&right) => return Ok(None),
            _ => self.unify(&right, &left, span)?,
        }
        self.unify(&left, out, span)?;
        Ok(Some(()))
    }

    /// The type of a comparison's operands, which is known by now.
    pub(super) fn compared_type(&self, ty: &Type) -> Type {
        let mut ty = self.table.resolve(ty);
        while let Type::Ref(inner, _) | Type::Spec(inner) = ty {
            ty = *inner;
        }
        ty
    }

    /// The type with references, and the handles that read as a value, taken off as far as it is known.
    fn without_refs(&self, ty: &Type) -> Type {
        let mut ty = self.table.shallow(ty);
        while let Type::Ref(inner, _) = ty {
            ty = self.table.shallow(&inner);
        }
        ty
    }
}
