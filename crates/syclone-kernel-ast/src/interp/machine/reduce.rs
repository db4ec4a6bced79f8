//! Reductions: partial results of one, two, four, … values, so that a sum of many floats is as exact as the native forms'.
//!
//! Adding up one by one loses what is small against the sum so far. Here two partial results of equally many values become
//! one of twice as many, as in a binary counter; their order is that of the items.

use super::Machine;
use super::memory::{self, Handle};
use crate::interp::code::At;
use crate::interp::{AccessKind, Fault};
use crate::numeric;
use crate::types::{Op, Order, Scope};
use crate::value::Value;

/// The partial results of one reduction: that at position `n` is of two to the power of `n` values.
pub(super) type Partial = Vec<Option<Value>>;

fn apply(op: Op, left: &Value, right: &Value) -> Result<Value, Fault> {
    numeric::apply(op, left, right).ok_or_else(|| Fault::Internal(format!("{} on {}", op.name(), left.ty())))
}

impl Machine<'_> {
    /// Adds a value to a reduction.
    pub(super) fn combine(&mut self, handle: At, from: At) -> Result<(), Fault> {
        let handle = self.number(handle) as usize;
        let Some(Handle::Reducer { op, ty, .. }) = self.handles.get(handle) else {
            return Err(Fault::Internal("a reduction that is none".into()));
        };
        let (op, mut carry) = (*op, numeric::partial(*op, &self.value(from, ty)?));
        let partial = &mut self.partials[handle];
        for level in partial.iter_mut() {
            match level.take() {
                Some(before) => carry = apply(op, &before, &carry)?,
                None => {
                    *level = Some(carry);
                    return Ok(());
                }
            }
        }
        partial.push(Some(carry));
        Ok(())
    }

    /// Puts the results to the reductions' slots, whose values come first.
    pub(super) fn finish_reductions(&mut self) -> Result<(), Fault> {
        for number in 0..self.handles.len() {
            let Handle::Reducer { op, ty, .. } = &self.handles[number] else { continue };
            let (op, ty) = (*op, ty.clone());
            let mut result: Option<Value> = None;
            for earlier in std::mem::take(&mut self.partials[number]).into_iter().flatten() {
                result = Some(match result {
                    Some(later) => apply(op, &earlier, &later)?,
                    None => earlier,
                });
            }
            let Some(result) = result else { continue };
            let (order, scope) = (Order::Relaxed, Scope::Device);
            let kind = AccessKind::Atomic { reads: true, writes: true, order, scope };
            let address = memory::global(number);
            let bytes = self.peek(address, ty.size(), kind)?;
            let before = Value::read(&ty, &bytes).map_err(|invalid| self.invalid(invalid.ty))?;
            let result = apply(op, &numeric::partial(op, &before), &result)?;
            self.poke(address, &numeric::rounded(&ty, result).to_bytes(), None)?;
        }
        Ok(())
    }
}
