//! Arithmetic on values in frames.

use super::{Machine, fast};
use crate::interp::code::{At, Lanes, NameAt, Scalar, TypeAt};
use crate::interp::{Fault, IncidentKind};
use crate::numeric::{self, Outcome};
use crate::tree::BinaryOp;
use crate::types::comparison::{compared_parts, compared_whole};
use crate::types::{Comparison, Type};
use crate::value::Value;
use std::cmp::Ordering;

/// What the program says of two values.
enum OwnComparison {
    Unknown,
    Equal(bool),
    Order(Option<Ordering>),
}

impl Machine<'_> {
    /// The value of an operation on operands, or the fault that it ends in.
    pub(super) fn settle(&mut self, outcome: Outcome, operation: &str, operands: &[Value]) -> Result<Value, Fault> {
        match outcome {
            Outcome::Value(value) => Ok(value),
            Outcome::Overflow(value) => {
                self.tell_overflow(operation, operands);
                if self.overflow_checks { Err(self.overflow()) } else { Ok(value) }
            }
            Outcome::DivideOverflow => {
                self.tell_overflow(operation, operands);
                Err(self.overflow())
            }
            Outcome::DivideByZero => {
                if self.watched {
                    self.tell(IncidentKind::DivideByZero { operation: operation.to_owned() });
                }
                Err(Fault::DivideByZero { line: self.line(), item: self.item_id() })
            }
            Outcome::ClampBounds(_) => {
                self.tell_clamp(operands);
                Err(Fault::ClampBounds { line: self.line(), item: self.item_id() })
            }
            Outcome::Unsupported => {
                let line = self.line();
                Err(Fault::Internal(format!("an operation in line {line} that its operands do not have")))
            }
        }
    }

    fn overflow(&self) -> Fault {
        Fault::Overflow { line: self.line(), item: self.item_id() }
    }

    fn tell_clamp(&mut self, operands: &[Value]) {
        if let ([_, low, high], true) = (operands, self.watched) {
            self.tell(IncidentKind::ClampBounds { low: low.clone(), high: high.clone() });
        }
    }

    fn tell_overflow(&mut self, operation: &str, operands: &[Value]) {
        if !self.watched {
            return;
        }
        self.tell(match (operation, operands) {
            ("<<" | ">>", [Value::Int(kind, _), Value::Int(_, amount)]) => {
                IncidentKind::ShiftTooFar { amount: *amount, kind: *kind }
            }
            _ => IncidentKind::Overflow { operation: operation.to_owned(), operands: operands.to_vec() },
        });
    }

    /// A scalar in the running frame.
    fn scalar(&self, at: At, scalar: Scalar) -> Result<Value, Fault> {
        let bits = self.bits(at, scalar.size());
        Ok(match scalar {
            Scalar::Bool if bits > 1 => return Err(self.invalid(Type::Bool)),
            Scalar::Bool => Value::Bool(bits == 1),
            Scalar::Int(kind) => Value::Int(kind, kind.wrap(i128::from(bits))),
            Scalar::F16 => Value::F16(bits as u16),
            Scalar::Bf16 => Value::Bf16(bits as u16),
            Scalar::F32 => Value::F32(f32::from_bits(bits as u32)),
            Scalar::F64 => Value::F64(f64::from_bits(bits)),
        })
    }

    /// Writes a scalar to the running frame.
    fn set_scalar(&mut self, at: At, value: &Value) {
        match value {
            Value::Bool(value) => self.set_bits(at, u64::from(*value), 1),
            Value::Int(kind, value) => self.set_bits(at, *value as u64, kind.bits() / 8),
            Value::F32(value) => self.set_bits(at, u64::from(value.to_bits()), 4),
            Value::F64(value) => self.set_bits(at, value.to_bits(), 8),
            other => self.set_value(at, other),
        }
    }

    fn lane(&self, operand: Lanes, lane: u8) -> Result<Value, Fault> {
        let step = if operand.vector { u32::from(lane) * operand.scalar.size() } else { 0 };
        self.scalar(operand.at + step, operand.scalar)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, scalar: Scalar, to: At, left: At, right: At) -> Result<(), Fault> {
        let size = scalar.size();
        if let Some(bits) = fast::binary(op, scalar, self.bits(left, size), self.bits(right, size)) {
            self.set_bits(to, bits, size);
            return Ok(());
        }
        let (left, right) = (self.scalar(left, scalar)?, self.scalar(right, scalar)?);
        let value = match numeric::binary(op, &left, &right) {
            Outcome::Value(value) => value,
            other => self.settle(other, op.symbol(), &[left, right])?,
        };
        self.set_scalar(to, &value);
        Ok(())
    }

    pub(super) fn lane_binary(
        &mut self,
        op: BinaryOp,
        lanes: u8,
        to: At,
        left: Lanes,
        right: Lanes,
    ) -> Result<(), Fault> {
        if let (1, Scalar::Int(kind), Scalar::Int(by)) = (lanes, left.scalar, right.scalar) {
            let amount = fast::integer(by, self.bits(right.at, right.scalar.size()));
            let size = left.scalar.size();
            if let Some(bits) = fast::shift(op, kind, self.bits(left.at, size), amount) {
                self.set_bits(to, bits, size);
                return Ok(());
            }
        }
        // All lanes are read before any is written: an operand may be a lane of the target.
        let mut results = Vec::with_capacity(usize::from(lanes));
        for lane in 0..lanes {
            let (left, right) = (self.lane(left, lane)?, self.lane(right, lane)?);
            let outcome = numeric::binary(op, &left, &right);
            results.push(self.settle(outcome, op.symbol(), &[left, right])?);
        }
        self.set_lanes(to, &results);
        Ok(())
    }

    fn set_lanes(&mut self, to: At, values: &[Value]) {
        let mut at = to;
        for value in values {
            self.set_scalar(at, value);
            at += value.ty().size() as u32;
        }
    }

    pub(super) fn unary(&mut self, not: bool, scalar: Scalar, lanes: u8, to: At, from: At) -> Result<(), Fault> {
        let mut results = Vec::with_capacity(usize::from(lanes));
        for lane in 0..lanes {
            let value = self.lane(Lanes { at: from, scalar, vector: true }, lane)?;
            let outcome = if not { numeric::not(&value) } else { numeric::negate(&value) };
            results.push(self.settle(outcome, if not { "!" } else { "-" }, &[value])?);
        }
        self.set_lanes(to, &results);
        Ok(())
    }

    pub(super) fn compare(&mut self, op: BinaryOp, scalar: Scalar, to: At, left: At, right: At) -> Result<(), Fault> {
        let size = scalar.size();
        let order = match fast::compare(scalar, self.bits(left, size), self.bits(right, size)) {
            Some(order) => order,
            None => numeric::compare(&self.scalar(left, scalar)?, &self.scalar(right, scalar)?),
        };
        let result = holds(op, order);
        self.set_bits(to, u64::from(result), 1);
        Ok(())
    }

    pub(super) fn lane_compare(
        &mut self,
        op: BinaryOp,
        lanes: u8,
        to: At,
        left: Lanes,
        right: Lanes,
    ) -> Result<(), Fault> {
        let mut results = Vec::with_capacity(usize::from(lanes));
        for lane in 0..lanes {
            results.push(Value::Bool(holds(op, numeric::compare(&self.lane(left, lane)?, &self.lane(right, lane)?))));
        }
        self.set_lanes(to, &results);
        Ok(())
    }

    pub(super) fn compare_value(&mut self, op: BinaryOp, ty: &Type, to: At, left: At, right: At) -> Result<(), Fault> {
        let (left, right) = (self.value(left, ty)?, self.value(right, ty)?);
        let result = holds(op, numeric::compare(&left, &right));
        self.set_bits(to, u64::from(result), 1);
        Ok(())
    }

    /// Compares two values as the program itself does, each struct and enum as a whole. What differs from the comparison
    /// field by field is not the derived one.
    pub(super) fn check_comparison(&self, op: BinaryOp, ty: &Type, left: At, right: At) -> Result<(), Fault> {
        match ty {
            Type::Array(elem, len) => {
                let size = elem.size();
                (0..*len)
                    .map(|i| (i * size) as u32)
                    .try_for_each(|offset| self.check_comparison(op, elem, left + offset, right + offset))
            }
            Type::Tuple(parts) => parts.iter().enumerate().try_for_each(|(position, part)| {
                let offset = Type::tuple_offset(parts, position) as u32;
                self.check_comparison(op, part, left + offset, right + offset)
            }),
            Type::Struct(_) | Type::Enum(_) => {
                let order = numeric::compare(&self.value(left, ty)?, &self.value(right, ty)?);
                let is_derived = match self.own_comparison(op, ty, left, right) {
                    OwnComparison::Unknown => true,
                    OwnComparison::Equal(equal) => equal == (order == Some(Ordering::Equal)),
                    OwnComparison::Order(own) => own == order,
                };
                if is_derived { Ok(()) } else { Err(Fault::OwnComparison { ty: ty.clone(), line: self.line() }) }
            }
            _ => Ok(()),
        }
    }

    /// Compares two values as the program itself does, which must give the result that was computed. Arrays and tuples are
    /// compared for their order only.
    pub(super) fn check_compared(&self, op: BinaryOp, ty: &Type, result: At, left: At, right: At) -> Result<(), Fault> {
        // Read as values, which sees to it that they are some.
        let _values = (self.value(left, ty)?, self.value(right, ty)?);
        let own = match self.own_comparison_of_parts(op, ty, left, right)? {
            OwnComparison::Unknown => return Ok(()),
            OwnComparison::Equal(equal) => equal == (op == BinaryOp::Eq),
            OwnComparison::Order(order) => holds(op, order),
        };
        if own == (self.bits(result, 1) != 0) {
            return Ok(());
        }
        let ty = compared_whole(ty).first().map_or(ty, |part| part);
        Err(Fault::OwnComparison { ty: ty.clone(), line: self.line() })
    }

    /// [`own_comparison`](Self::own_comparison), or the order of two arrays or tuples, part by part.
    fn own_comparison_of_parts(&self, op: BinaryOp, ty: &Type, left: At, right: At) -> Result<OwnComparison, Fault> {
        match ty {
            Type::Struct(_) | Type::Enum(_) => Ok(self.own_comparison(op, ty, left, right)),
            Type::Array(..) | Type::Tuple(_) => {
                for (part, offset) in compared_parts(ty) {
                    let found = self.own_comparison_of_parts(op, part, left + offset as u32, right + offset as u32)?;
                    if !matches!(found, OwnComparison::Order(Some(Ordering::Equal))) {
                        return Ok(found);
                    }
                }
                Ok(OwnComparison::Order(Some(Ordering::Equal)))
            }
            _ => Ok(OwnComparison::Order(numeric::compare(&self.value(left, ty)?, &self.value(right, ty)?))),
        }
    }

    /// What the program's own comparison says of two valid values.
    fn own_comparison(&self, op: BinaryOp, ty: &Type, left: At, right: At) -> OwnComparison {
        let bytes = |at: At| self.private.get(self.base + at as usize..).unwrap_or_default().as_ptr();
        let (left, right) = (bytes(left), bytes(right));
        let Comparison { equal, order, .. } = self.code.comparison(ty);
        let found = if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            // SAFETY: the caller has read both as values of the type just now.
            equal.map(|equal| OwnComparison::Equal(unsafe { equal(left, right) }))
        } else {
            // SAFETY: as above.
            order.map(|order| OwnComparison::Order(unsafe { order(left, right) }))
        };
        found.unwrap_or(OwnComparison::Unknown)
    }

    pub(super) fn cast(&mut self, lanes: u8, to: At, ty: &Type, from: At, from_ty: &Type) -> Result<(), Fault> {
        let (from_size, size) = (from_ty.size() as u32, ty.size() as u32);
        if let (1, Some(from_scalar), Some(to_scalar)) = (lanes, Scalar::of(from_ty), Scalar::of(ty))
            && !matches!(from_ty, Type::Enum(_))
            && let Some(bits) = fast::cast(from_scalar, to_scalar, self.bits(from, from_size))
        {
            self.set_bits(to, bits, size);
            return Ok(());
        }
        // Every lane is read before any is written, as for operators.
        let mut results = Vec::with_capacity(usize::from(lanes));
        for lane in 0..u32::from(lanes) {
            let value = self.value(from + lane * from_size, from_ty)?;
            let Some(result) = numeric::cast(&value, ty) else {
                return Err(Fault::Internal(format!("a cast from {from_ty} to {ty}")));
            };
            if self.watched && numeric::loses(&value, &result) {
                self.tell(IncidentKind::LossyCast { from: value, to: result.clone() });
            }
            results.push(result);
        }
        for (lane, value) in results.iter().enumerate() {
            self.set_value(to + lane as u32 * size, value);
        }
        Ok(())
    }

    /// A method of the primitive types, lane by lane if there is more than one.
    pub(super) fn math(&mut self, name: NameAt, to: At, args: &[(At, TypeAt)], lanes: u8) -> Result<(), Fault> {
        let code = self.code;
        let name = code.names[name as usize].as_str();
        let args = self.arguments(args)?;
        if lanes == 1 {
            let value = self.settle(numeric::method(name, &args), name, &args)?;
            self.set_value(to, &value);
            return Ok(());
        }
        let mut results = Vec::with_capacity(usize::from(lanes));
        for lane in 0..usize::from(lanes) {
            let scalars: Vec<Value> = args
                .iter()
                .map(|arg| match arg {
                    Value::Vector(lanes) => lanes.get(lane).cloned().unwrap_or(Value::Unit),
                    other => other.clone(),
                })
                .collect();
            results.push(match (name, numeric::method(name, &scalars)) {
                // Lanes wrap where the scalar's method may not.
                ("abs", Outcome::Overflow(value)) => value,
                (_, Outcome::ClampBounds(value)) => {
                    self.tell_clamp(&scalars);
                    value
                }
                (_, outcome) => self.settle(outcome, name, &scalars)?,
            });
        }
        self.set_value(to, &transpose(results));
        Ok(())
    }

    /// A function that is lent.
    pub(super) fn lent(&mut self, name: NameAt, to: At, args: &[(At, TypeAt)], ty: &Type) -> Result<(), Fault> {
        let name = &self.code.names[name as usize];
        let args = self.arguments(args)?;
        if let Some(sum) = self.sum_of_integers(name, &args)? {
            self.set_value(to, &sum);
            return Ok(());
        }
        match self.builtins.call(name, &args) {
            Some(value) if value.ty() == *ty => {
                self.set_value(to, &value);
                Ok(())
            }
            Some(value) => Err(Fault::Internal(format!("`{name}` gave type {} and promised {ty}", value.ty()))),
            None => Err(Fault::Internal(format!("there is no function `{name}`"))),
        }
    }

    /// The sum of integer lanes, or of their products: from the first to the last, each step as the operator in a kernel. No
    /// lent function could say that one does not fit.
    fn sum_of_integers(&mut self, name: &str, args: &[Value]) -> Result<Option<Value>, Fault> {
        let (lanes, factors) = match (name, args) {
            ("sum", [Value::Vector(lanes)]) => (lanes, None),
            ("dot", [Value::Vector(lanes), Value::Vector(factors)]) => (lanes, Some(factors)),
            _ => return Ok(None),
        };
        let mut sum: Option<Value> = None;
        for (position, lane) in lanes.iter().enumerate() {
            if !matches!(lane, Value::Int(..)) {
                return Ok(None);
            }
            let term = match factors.and_then(|factors| factors.get(position)) {
                Some(factor) => self.settle(numeric::binary(BinaryOp::Mul, lane, factor), name, args)?,
                None => lane.clone(),
            };
            sum = Some(match sum {
                Some(sum) => self.settle(numeric::binary(BinaryOp::Add, &sum, &term), name, args)?,
                None => term,
            });
        }
        Ok(sum)
    }

    fn arguments(&self, args: &[(At, TypeAt)]) -> Result<Vec<Value>, Fault> {
        args.iter().map(|(at, ty)| self.value(*at, &self.code.types[*ty as usize])).collect()
    }
}

/// Lanes as a vector; lanes of tuples as a tuple of vectors.
fn transpose(lanes: Vec<Value>) -> Value {
    let Some(Value::Tuple(first)) = lanes.first() else {
        return Value::Vector(lanes);
    };
    let part = |position: usize| {
        let of = |lane: &Value| match lane {
            Value::Tuple(parts) => parts.get(position).cloned().unwrap_or(Value::Unit),
            other => other.clone(),
        };
        Value::Vector(lanes.iter().map(of).collect())
    };
    Value::Tuple((0..first.len()).map(part).collect())
}

/// Whether a comparison holds for an order; none does for values without one, but `!=`.
fn holds(op: BinaryOp, order: Option<Ordering>) -> bool {
    match op {
        BinaryOp::Eq => order == Some(Ordering::Equal),
        BinaryOp::Ne => order != Some(Ordering::Equal),
        BinaryOp::Lt => order == Some(Ordering::Less),
        BinaryOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        BinaryOp::Gt => order == Some(Ordering::Greater),
        BinaryOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => false,
    }
}
