//! Comparisons: of scalars, field by field, and by the device functions that types have for them.
//!
//! What a type's own `PartialEq` or `PartialOrd` says is checked where values are compared, unless a device function of
//! that very operator has said it.

use super::{Compiler, Fault, Result, internal, layout};
use crate::interp::code::*;
use crate::tree::BinaryOp;
use crate::types::comparison::{Besides, Composed, compared_parts, compared_whole, is_composed, strict};
use crate::types::{Comparison, Type};

impl Compiler<'_> {
    /// A comparison of two values of one type, as the program itself does it.
    pub(super) fn comparison(&mut self, op: BinaryOp, ty: &Type, to: At, left: At, right: At) -> Result<()> {
        self.composed(op, ty, to, (left, right), true)
    }

    /// A comparison of two values of one type, field by field.
    pub(super) fn compare(&mut self, op: BinaryOp, ty: &Type, to: At, left: At, right: At) {
        match Scalar::of(ty) {
            Some(scalar) => self.emit(Instr::Compare { op, scalar, to, left, right }),
            None => {
                let ty = self.type_at(ty);
                self.emit(Instr::CompareValue { op, ty, to, left, right })
            }
        };
    }

    /// A comparison by device functions where some have a say in it. Inside of a struct nothing is checked: the struct's
    /// own comparison is, as a whole.
    fn composed(&mut self, op: BinaryOp, ty: &Type, to: At, at: (At, At), checks: bool) -> Result<()> {
        let known = &self.program.comparisons;
        let positive = if op == BinaryOp::Ne { BinaryOp::Eq } else { op };
        if !is_composed(positive, ty, known) {
            self.compare(op, ty, to, at.0, at.1);
            return if checks { self.check_comparison(op, ty, at.0, at.1) } else { Ok(()) };
        }
        if op == BinaryOp::Ne {
            self.composed(BinaryOp::Eq, ty, to, at, checks)?;
            self.emit(Instr::Unary { not: true, scalar: Scalar::Bool, lanes: 1, to, from: to });
            return Ok(());
        }
        if let Some(composed) = Comparison::of(ty, known).device.composed(op) {
            self.call_comparison(&composed, ty, to, at)?;
            let is_own = composed.op == op;
            return if is_own { Ok(()) } else { self.check_compared(op, ty, to, at, checks) };
        }
        let is_struct = matches!(ty, Type::Struct(_));
        self.by_parts(op, ty, to, at, checks && !is_struct)?;
        self.check_compared(op, ty, to, at, checks && is_struct)
    }

    /// The parts in turn, up to the first two that differ. Rust asks a tuple's last part for the very operator, and any other
    /// part for its order.
    fn by_parts(&mut self, op: BinaryOp, ty: &Type, to: At, (left, right): (At, At), checks: bool) -> Result<()> {
        let mut ends = Vec::new();
        let parts = compared_parts(ty);
        let last_of_tuple = if matches!(ty, Type::Tuple(_)) { parts.len().checked_sub(1) } else { None };
        for (position, (part, offset)) in parts.into_iter().enumerate() {
            let at = (left + offset as u32, right + offset as u32);
            let mark = self.free;
            if op == BinaryOp::Eq {
                self.composed(BinaryOp::Eq, part, to, at, checks)?;
                ends.push(self.emit(Instr::JumpUnless { condition: to, target: 0 }));
            } else if Some(position) == last_of_tuple {
                self.composed(op, part, to, at, checks)?;
                ends.push(self.emit(Instr::Jump { target: 0 }));
            } else {
                self.composed(BinaryOp::Eq, part, to, at, false)?;
                let next = self.emit(Instr::JumpIf { condition: to, target: 0 });
                let strict = strict(op);
                self.composed(strict, part, to, at, false)?;
                // Of two that differ, an operator of order says the same whether it allows for equals or not.
                let or_equal = if strict == BinaryOp::Lt { BinaryOp::Le } else { BinaryOp::Ge };
                self.check_compared(strict, part, to, at, checks)?;
                self.check_compared(or_equal, part, to, at, checks)?;
                ends.push(self.emit(Instr::Jump { target: 0 }));
                self.land(next);
                self.check_compared(BinaryOp::Le, part, to, at, checks)?;
                self.check_compared(BinaryOp::Ge, part, to, at, checks)?;
            }
            self.free = mark;
        }
        let of_equals = !matches!(op, BinaryOp::Lt | BinaryOp::Gt);
        self.emit(Instr::Number { to, bits: u64::from(of_equals), len: 1 });
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }

    /// Calls a type's own function, and what completes it.
    fn call_comparison(&mut self, composed: &Composed, ty: &Type, to: At, at: (At, At)) -> Result<()> {
        let program = self.program;
        let position = program.comparison(ty, composed.op);
        let Some((position, callee)) = position.and_then(|found| Some((found, program.functions.get(found)?))) else {
            return internal(format!("a comparison of {ty} outside the program"));
        };
        let (places, _) = layout(&callee.vars)?;
        let [first, second] = callee.tree().params.as_slice() else {
            return internal(format!("the parameters of a comparison of {ty}"));
        };
        let mark = self.free;
        let (left, right) = if composed.swapped { (at.1, at.0) } else { at };
        let mut args = Vec::new();
        for (place, param) in [(left, first), (right, second)] {
            let address = self.temp_bytes(8)?;
            self.emit(Instr::FrameAddress { to: address, place });
            args.push((address, places[param.var.0 as usize], 8));
        }
        self.emit_call(position, args, to);
        self.free = mark;
        let Some(besides) = composed.besides else { return Ok(()) };
        let (end, equality) = match besides {
            Besides::OrEqual => (self.emit(Instr::JumpIf { condition: to, target: 0 }), BinaryOp::Eq),
            Besides::AndNotEqual => (self.emit(Instr::JumpUnless { condition: to, target: 0 }), BinaryOp::Ne),
        };
        self.composed(equality, ty, to, at, false)?;
        self.land(end);
        Ok(())
    }

    /// What was computed of two structs or enums, or of arrays and tuples of them, must be what the program's own
    /// comparison says.
    fn check_compared(&mut self, op: BinaryOp, ty: &Type, result: At, at: (At, At), checks: bool) -> Result<()> {
        if !checks || !self.has_known(op, ty)? {
            return Ok(());
        }
        let ty = self.type_at(ty);
        self.emit(Instr::CheckCompared { op, ty, result, left: at.0, right: at.1 });
        Ok(())
    }

    /// A user's own comparison must be the one field by field.
    fn check_comparison(&mut self, op: BinaryOp, ty: &Type, left: At, right: At) -> Result<()> {
        if self.has_known(op, ty)? {
            let ty = self.type_at(ty);
            self.emit(Instr::CheckComparison { op, ty, left, right });
        }
        Ok(())
    }

    /// Whether the values hold structs or enums, of all of which something says how the program compares them.
    fn has_known(&self, op: BinaryOp, ty: &Type) -> Result<bool> {
        let found = compared_whole(ty);
        match found.iter().find(|part| self.is_unknown(op, part)) {
            Some(&part) => Err(Fault::UnknownComparison { ty: part.clone(), line: self.span.line }),
            None => Ok(!found.is_empty()),
        }
    }

    /// Whether nothing says how the program compares values of a struct or an enum.
    fn is_unknown(&self, op: BinaryOp, ty: &Type) -> bool {
        let comparison = self.code.comparison(ty);
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) { comparison.equal.is_none() } else { comparison.order.is_none() }
    }
}
