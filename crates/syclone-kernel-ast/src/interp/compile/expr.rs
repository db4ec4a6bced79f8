//! Values.

use super::{Compiler, Place, Result, internal};
use crate::interp::code::*;
use crate::tree::*;
use crate::types::{IntKind, Type};
use crate::value::Value;

impl Compiler<'_> {
    /// Where an expression's value is: a variable's own place, or a temporary.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<At> {
        self.at_line(expr.span);
        let ty = self.type_of(expr);
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::TupleField(..)
            | ExprKind::Index(..)
            | ExprKind::Deref(_) => {
                let place = self.place(expr)?;
                self.at_line(expr.span);
                self.load(place, ty.size() as u32)
            }
            _ => {
                let to = self.temp(&ty)?;
                self.value_to(expr, to)?;
                Ok(to)
            }
        }
    }

    /// The value behind an expression's references.
    pub(super) fn operand(&mut self, expr: &Expr) -> Result<At> {
        if !matches!(self.type_of(expr), Type::Ref(..) | Type::Spec(_)) {
            return self.value(expr);
        }
        let (place, ty) = self.behind(expr)?;
        self.load(place, ty.size() as u32)
    }

    /// The type behind an expression's references.
    pub(super) fn operand_type(&self, expr: &Expr) -> Type {
        let mut ty = self.type_of(expr);
        while let Type::Ref(inner, _) | Type::Spec(inner) = ty {
            ty = *inner;
        }
        ty
    }

    /// An operand that what comes after it cannot change.
    pub(super) fn stable(&mut self, expr: &Expr, later: &[&Expr]) -> Result<At> {
        let at = self.operand(expr)?;
        if later.iter().all(|later| self.is_pure(later)) {
            return Ok(at);
        }
        let ty = self.operand_type(expr);
        let to = self.temp(&ty)?;
        self.copy(to, at, &ty);
        Ok(to)
    }

    /// Whether evaluating an expression surely changes no variable.
    fn is_pure(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Lit(_) | ExprKind::Var(_) | ExprKind::Const(_) => true,
            ExprKind::Unary(_, value)
            | ExprKind::Cast(value, _)
            | ExprKind::Field(value, _)
            | ExprKind::TupleField(value, _)
            | ExprKind::Deref(value)
            | ExprKind::Ref(false, value) => self.is_pure(value),
            ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => {
                self.is_pure(left) && self.is_pure(right)
            }
            ExprKind::Tuple(parts)
            | ExprKind::Array(parts)
            | ExprKind::Builtin(_, _, parts)
            | ExprKind::Call(_, parts) => {
                parts.iter().all(|part| self.is_pure(part) && !matches!(self.typed.type_of(part), Type::Ref(_, true)))
            }
            ExprKind::Method { receiver, args, .. } => {
                self.typed.callee(expr).is_none() && self.is_pure(receiver) && args.iter().all(|arg| self.is_pure(arg))
            }
            _ => false,
        }
    }

    /// Evaluates an expression into a place of the frame that the expression itself does not read.
    // Each kind is a function of its own: this recursion must not need kilobytes of stack for a level.
    pub(super) fn value_to(&mut self, expr: &Expr, to: At) -> Result<()> {
        self.at_line(expr.span);
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::TupleField(..)
            | ExprKind::Index(..)
            | ExprKind::Deref(_) => self.read_place(expr, to),
            ExprKind::Lit(_) | ExprKind::Const(_) => self.known_value(expr, to),
            ExprKind::Unary(op, value) => self.unary(*op, value, to),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                self.short_circuit(*op, left, right, to)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, to, expr.span),
            ExprKind::Assign(place, value) => self.assign(place, value, expr.span),
            ExprKind::AssignOp(op, place, value) => self.assign_op(*op, place, value, expr.span),
            ExprKind::Cast(value, _) => self.cast_value(expr, value, to),
            ExprKind::Tuple(parts) => self.tuple(expr, parts, to),
            ExprKind::Array(parts) => self.array(expr, parts, to),
            ExprKind::Repeat(value, _) => self.repeat(expr, value, to),
            ExprKind::Struct(_, fields) => self.struct_literal(expr, fields, to),
            ExprKind::TupleStruct(_, parts) => self.tuple_struct(expr, parts, to),
            ExprKind::Call(_, args) => self.call(expr, &args.iter().collect::<Vec<_>>(), to),
            ExprKind::Builtin(name, types, args) => self.builtin(expr, name, !types.is_empty(), args, to),
            ExprKind::Method { receiver, name, args, .. } => self.method(expr, receiver, name, args, to),
            ExprKind::Message(kind, template, operands) => self.message(*kind, template, operands, expr.span),
            ExprKind::Ref(_, value) => self.reference(expr, value, to),
            _ => self.flow(expr, to),
        }
    }

    fn read_place(&mut self, expr: &Expr, to: At) -> Result<()> {
        let mark = self.free;
        let place = self.place(expr)?;
        self.at_line(expr.span);
        match place {
            Place::Frame(from) => self.copy(to, from, &self.type_of(expr)),
            Place::Memory(address, offset) => {
                let len = self.typed.type_of(expr).size() as u32;
                if len > 0 {
                    self.emit(Instr::Load { to, address, offset, len });
                }
            }
        }
        self.free = mark;
        Ok(())
    }

    fn known_value(&mut self, expr: &Expr, to: At) -> Result<()> {
        match &expr.kind {
            ExprKind::Lit(lit) => {
                let value = self.literal_value(lit, self.typed.type_of(expr))?;
                self.constant(to, &value);
            }
            ExprKind::Const(id) => match self.typed.bound.consts.get(id.0 as usize) {
                Some(value) => self.constant(to, &value.value),
                None => return internal("a constant outside the table"),
            },
            _ => {}
        }
        Ok(())
    }

    fn cast_value(&mut self, expr: &Expr, value: &Expr, to: At) -> Result<()> {
        let from = self.operand(value)?;
        let from_type = self.operand_type(value);
        self.at_line(expr.span);
        self.cast(1, to, &self.type_of(expr), from, &from_type);
        Ok(())
    }

    fn tuple(&mut self, expr: &Expr, parts: &[Expr], to: At) -> Result<()> {
        let Type::Tuple(types) = self.type_of(expr) else {
            return parts.iter().try_for_each(|part| self.value(part).map(|_| ()));
        };
        for (position, part) in parts.iter().enumerate() {
            self.value_to(part, to + Type::tuple_offset(&types, position) as u32)?;
        }
        Ok(())
    }

    fn array(&mut self, expr: &Expr, parts: &[Expr], to: At) -> Result<()> {
        let Type::Array(elem, _) = self.type_of(expr) else {
            return internal("an array of another type");
        };
        let stride = elem.size() as u32;
        for (position, part) in parts.iter().enumerate() {
            self.value_to(part, to + position as u32 * stride)?;
        }
        Ok(())
    }

    fn struct_literal(&mut self, expr: &Expr, fields: &[(String, Expr)], to: At) -> Result<()> {
        let Type::Struct(ty) = self.type_of(expr) else {
            return internal("a struct literal of another type");
        };
        for (name, value) in fields {
            let Some(position) = ty.field(name) else {
                return internal("a field that is not there");
            };
            self.value_to(value, to + ty.fields[position].offset as u32)?;
        }
        Ok(())
    }

    fn tuple_struct(&mut self, expr: &Expr, parts: &[Expr], to: At) -> Result<()> {
        let Type::Struct(ty) = self.type_of(expr) else {
            return internal("a struct literal of another type");
        };
        for (field, value) in ty.fields.iter().zip(parts) {
            self.value_to(value, to + field.offset as u32)?;
        }
        Ok(())
    }

    fn reference(&mut self, expr: &Expr, value: &Expr, to: At) -> Result<()> {
        // A reference to a handle is the handle itself.
        if !matches!(self.typed.type_of(expr), Type::Ref(..)) {
            return self.value_to(value, to);
        }
        let place = self.place(value)?;
        let address = self.whole_address(place)?;
        self.emit(Instr::Copy { to, from: address, len: 8 });
        Ok(())
    }

    fn repeat(&mut self, expr: &Expr, value: &Expr, to: At) -> Result<()> {
        let ty = self.type_of(expr);
        let Type::Array(elem, len) = &ty else {
            return internal("a repetition that is no array");
        };
        let total = ty.size() as u32;
        if *len == 0 {
            self.value(value)?;
            return Ok(());
        }
        self.value_to(value, to)?;
        // Doubling: a few copies fill an array of any length.
        let mut done = elem.size() as u32;
        while done > 0 && done < total {
            let len = done.min(total - done);
            self.emit(Instr::Copy { to: to + done, from: to, len });
            done += len;
        }
        Ok(())
    }

    /// The value of a literal of a type.
    pub(super) fn literal_value(&self, lit: &Lit, ty: &Type) -> Result<Value> {
        Ok(match (lit, ty) {
            (Lit::Bool(value), _) => Value::Bool(*value),
            (Lit::Int(value, _), Type::Int(kind)) => Value::Int(*kind, kind.wrap(*value)),
            (Lit::Int(value, _), Type::F32) => Value::F32(*value as f32),
            (Lit::Int(value, _), Type::F64) => Value::F64(*value as f64),
            // Parsed in the type itself: the detour through f64 would round twice.
            (Lit::Float(digits, _), Type::F32) => match digits.parse() {
                Ok(value) => Value::F32(value),
                Err(_) => return internal(format!("the float literal `{digits}`")),
            },
            (Lit::Float(digits, _), Type::F64) => match digits.parse() {
                Ok(value) => Value::F64(value),
                Err(_) => return internal(format!("the float literal `{digits}`")),
            },
            _ => return internal(format!("a literal of type {ty}")),
        })
    }

    fn unary(&mut self, op: UnaryOp, value: &Expr, to: At) -> Result<()> {
        let ty = self.operand_type(value);
        let (elem, lanes) = lanes_of(&ty);
        let Some(scalar) = Scalar::of(elem) else {
            self.value(value)?;
            return if ty == Type::Never { Ok(()) } else { internal(format!("a unary operator on {ty}")) };
        };
        // A negative literal is one literal: the smallest integer's digits alone do not fit its type.
        if let (UnaryOp::Neg, ExprKind::Lit(Lit::Int(digits, _)), Type::Int(kind)) = (op, &value.kind, elem) {
            self.constant(to, &Value::Int(*kind, kind.wrap(-digits)));
            return Ok(());
        }
        let span = self.span;
        let from = self.operand(value)?;
        self.span = span;
        self.emit(Instr::Unary { not: op == UnaryOp::Not, scalar, lanes, to, from });
        Ok(())
    }

    fn short_circuit(&mut self, op: BinaryOp, left: &Expr, right: &Expr, to: At) -> Result<()> {
        let left = self.operand(left)?;
        self.emit(Instr::Copy { to, from: left, len: 1 });
        let end = if op == BinaryOp::And {
            self.emit(Instr::JumpUnless { condition: to, target: 0 })
        } else {
            self.emit(Instr::JumpIf { condition: to, target: 0 })
        };
        let right = self.operand(right)?;
        self.emit(Instr::Copy { to, from: right, len: 1 });
        self.land(end);
        Ok(())
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, to: At, span: SpanId) -> Result<()> {
        let left_type = self.operand_type(left);
        let right_type = self.operand_type(right);
        let left_at = self.stable(left, &[right])?;
        let right_at = self.operand(right)?;
        self.at_line(span);
        self.operate(op, to, (left_at, &left_type), (right_at, &right_type))
    }

    /// An operator on values in the frame.
    fn operate(&mut self, op: BinaryOp, to: At, left: (At, &Type), right: (At, &Type)) -> Result<()> {
        if *left.1 == Type::Never || *right.1 == Type::Never {
            return Ok(());
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
            return self.comparison(op, left.1, to, left.0, right.0);
        }
        let (left_elem, left_lanes) = lanes_of(left.1);
        let (right_elem, right_lanes) = lanes_of(right.1);
        let (Some(left_scalar), Some(right_scalar)) = (Scalar::of(left_elem), Scalar::of(right_elem)) else {
            return internal(format!("operator `{}` on {} and {}", op.symbol(), left.1, right.1));
        };
        let lanes = left_lanes.max(right_lanes);
        if lanes == 1 && left_scalar == right_scalar {
            self.emit(Instr::Binary { op, scalar: left_scalar, to, left: left.0, right: right.0 });
        } else {
            let left = Lanes { at: left.0, scalar: left_scalar, vector: left_lanes > 1 };
            let right = Lanes { at: right.0, scalar: right_scalar, vector: right_lanes > 1 };
            self.emit(Instr::LaneBinary { op, lanes, to, left, right });
        }
        Ok(())
    }

    pub(super) fn cast(&mut self, lanes: u8, to: At, ty: &Type, from: At, from_type: &Type) {
        if *from_type == Type::Never {
            return;
        }
        let ty = self.type_at(ty);
        let from_ty = self.type_at(from_type);
        self.emit(Instr::Cast { lanes, to, ty, from, from_ty });
    }

    fn assign(&mut self, place: &Expr, value: &Expr, span: SpanId) -> Result<()> {
        let ty = self.type_of(value);
        let from = self.value(value)?;
        let from = if self.is_pure(place) {
            from
        } else {
            let copy = self.temp(&ty)?;
            self.copy(copy, from, &ty);
            copy
        };
        let place = self.place(place)?;
        self.at_line(span);
        self.store(place, from, &ty);
        Ok(())
    }

    fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr, span: SpanId) -> Result<()> {
        let ty = self.type_of(place);
        let value_type = self.operand_type(value);
        let right = self.stable(value, &[place])?;
        let place = self.place(place)?;
        let left = self.load(place, ty.size() as u32)?;
        let to = self.temp(&ty)?;
        self.at_line(span);
        self.operate(op, to, (left, &ty), (right, &value_type))?;
        self.store(place, to, &ty);
        Ok(())
    }

    /// A `usize` constant in the frame.
    pub(super) fn usize_constant(&mut self, value: usize) -> Result<At> {
        let to = self.temp_bytes(8)?;
        self.constant(to, &Value::Int(IntKind::Usize, value as i128));
        Ok(to)
    }
}

/// A vector's lanes, or the type itself as one.
pub(super) fn lanes_of(ty: &Type) -> (&Type, u8) {
    match ty {
        Type::Vector(elem, lanes) => (elem, *lanes),
        ty => (ty, 1),
    }
}
