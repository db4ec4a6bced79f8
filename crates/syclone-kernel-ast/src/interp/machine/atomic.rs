//! Atomic operations: whole by nature, because one item runs at a time.

use std::cmp::Ordering;

use super::{Machine, memory};
use crate::interp::code::{At, AtomicOp};
use crate::interp::{AccessKind, Fault};
use crate::numeric;
use crate::tree::BinaryOp;
use crate::types::{Op, Type};
use crate::value::Value;

/// The lesser or greater of two floats: a NaN loses against any number, and of equal ones the stored one stays.
fn float_extreme(op: Op, old: &Value, value: &Value) -> Option<Value> {
    let better = match op {
        Op::Minimum => Ordering::Less,
        Op::Maximum => Ordering::Greater,
        _ => return None,
    };
    if !matches!(old, Value::F32(_) | Value::F64(_)) {
        return None;
    }
    let is_nan = numeric::compare(old, old).is_none();
    let takes = is_nan || numeric::compare(value, old) == Some(better);
    Some(if takes { value.clone() } else { old.clone() })
}

impl Machine<'_> {
    pub(super) fn atomic(&mut self, op: AtomicOp, ty: &Type, to: At, address: At, args: [At; 2]) -> Result<(), Fault> {
        let (address, order, scope) = memory::atomic(self.number(address));
        let kind = AccessKind::Atomic { reads: op != AtomicOp::Store, writes: op != AtomicOp::Load, order, scope };
        let before = self.peek(address, ty.size(), kind)?;
        let read = |machine: &Self| Value::read(ty, &before).map_err(|invalid| machine.invalid(invalid.ty));
        match op {
            AtomicOp::Load => {}
            AtomicOp::Store => {
                let value = self.value(args[0], ty)?;
                return self.poke(address, &value.to_bytes(), None);
            }
            AtomicOp::Exchange => {
                let value = self.value(args[0], ty)?;
                self.poke(address, &value.to_bytes(), None)?;
            }
            AtomicOp::CompareExchange => {
                // By bits, so that a NaN equals itself and the zeros differ.
                let (current, new) = (self.value(args[0], ty)?.to_bytes(), self.value(args[1], ty)?.to_bytes());
                let same = current == before;
                if same {
                    self.poke(address, &new, None)?;
                }
                let old = read(self)?;
                self.set_value(to, &Value::Tuple(vec![old, Value::Bool(same)]));
                return Ok(());
            }
            AtomicOp::Sub => {
                let after = numeric::binary(BinaryOp::Sub, &read(self)?, &self.value(args[0], ty)?);
                let after = match after {
                    // Atomics wrap in every build.
                    numeric::Outcome::Value(value) | numeric::Outcome::Overflow(value) => value,
                    other => self.settle(other, "-", &[])?,
                };
                self.poke(address, &after.to_bytes(), None)?;
            }
            AtomicOp::Fetch(op) => {
                let (old, value) = (read(self)?, self.value(args[0], ty)?);
                let after = match float_extreme(op, &old, &value) {
                    Some(after) => Some(after),
                    None => numeric::apply(op, &old, &value),
                };
                let Some(after) = after else {
                    return Err(Fault::Internal(format!("an atomic {} on {ty}", op.name())));
                };
                self.poke(address, &after.to_bytes(), None)?;
            }
        }
        let old = read(self)?;
        self.set_value(to, &old);
        Ok(())
    }
}
