//! Atomic operations: whole by nature, because one item runs at a time.

use super::Machine;
use crate::interp::code::{At, AtomicOp};
use crate::interp::{AccessKind, Fault};
use crate::numeric;
use crate::tree::BinaryOp;
use crate::types::Type;
use crate::value::Value;

impl Machine<'_> {
    pub(super) fn atomic(&mut self, op: AtomicOp, ty: &Type, to: At, address: At, args: [At; 2]) -> Result<(), Fault> {
        let address = self.number(address);
        let before = self.peek(address, ty.size(), AccessKind::Atomic)?;
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
                    other => self.settle(other)?,
                };
                self.poke(address, &after.to_bytes(), None)?;
            }
            AtomicOp::Fetch(op) => {
                let Some(after) = numeric::apply(op, &read(self)?, &self.value(args[0], ty)?) else {
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
