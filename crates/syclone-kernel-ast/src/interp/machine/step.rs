//! One item's instructions, until it ends or waits.

use super::memory::{self, NOTHING};
use super::{Caller, Machine, Status};
use crate::interp::code::{At, Instr, NameAt, TypeAt};
use crate::interp::{Fault, IncidentKind};
use crate::message;
use crate::types::{IntKind, Type};
use crate::value::Value;

/// An item either goes on or comes to a stop that is no fault.
enum Flow {
    Next,
    Stop(Status),
}

impl Machine<'_> {
    /// Runs an item until it ends or waits.
    pub(super) fn run_item(&mut self, item: usize) -> Result<(), Fault> {
        self.enter(item);
        let code = self.code;
        let (mut function, mut instrs) = (usize::MAX, &[][..]);
        let status = loop {
            if self.function != function {
                function = self.function;
                instrs = code.functions.get(function).map_or(&[][..], |function| &function.instrs);
            }
            let Some(instr) = instrs.get(self.pc) else {
                return Err(Fault::Internal("an instruction outside of its function".into()));
            };
            self.pc += 1;
            match self.step(instr)? {
                Flow::Next => {}
                Flow::Stop(status) => break status,
            }
        };
        let item = &mut self.items[item];
        (item.function, item.pc, item.base, item.status) = (self.function, self.pc, self.base, status);
        Ok(())
    }

    /// Makes an item the running one.
    pub(super) fn enter(&mut self, item: usize) {
        self.current = item;
        let item = &self.items[item];
        (self.function, self.pc, self.base) = (item.function, item.pc, item.base);
    }

    fn step(&mut self, instr: &Instr) -> Result<Flow, Fault> {
        match *instr {
            Instr::Copy { to, from, len } => self.copy(to, from, len as usize),
            Instr::Number { to, bits, len } => self.set_bits(to, bits, u32::from(len)),
            Instr::Bytes { to, start, len } => {
                let code = self.code;
                let at = self.base + to as usize;
                let bytes = &code.bytes[start as usize..(start + len) as usize];
                self.private[at..at + bytes.len()].copy_from_slice(bytes);
            }
            Instr::Binary { op, scalar, to, left, right } => self.binary(op, scalar, to, left, right)?,
            Instr::LaneBinary { op, lanes, to, left, right } => self.lane_binary(op, lanes, to, left, right)?,
            Instr::Unary { not, scalar, lanes, to, from } => self.unary(not, scalar, lanes, to, from)?,
            Instr::Compare { op, scalar, to, left, right } => self.compare(op, scalar, to, left, right)?,
            Instr::LaneCompare { op, lanes, to, left, right } => self.lane_compare(op, lanes, to, left, right)?,
            Instr::CompareValue { op, ty, to, left, right } => {
                let code = self.code;
                self.compare_value(op, &code.types[ty as usize], to, left, right)?;
            }
            Instr::CheckComparison { op, ty, left, right } => {
                let code = self.code;
                self.check_comparison(op, &code.types[ty as usize], left, right)?;
            }
            Instr::CheckCompared { op, ty, result, left, right } => {
                let code = self.code;
                self.check_compared(op, &code.types[ty as usize], result, left, right)?;
            }
            Instr::Cast { lanes, to, ty, from, from_ty } => {
                let code = self.code;
                self.cast(lanes, to, &code.types[ty as usize], from, &code.types[from_ty as usize])?;
            }
            Instr::Jump { target } => self.pc = target as usize,
            Instr::JumpUnless { condition, target } => {
                if !self.condition(condition)? {
                    self.pc = target as usize;
                }
            }
            Instr::JumpIf { condition, target } => {
                if self.condition(condition)? {
                    self.pc = target as usize;
                }
            }
            Instr::Load { to, address, offset, len } => {
                let address = memory::add(self.number(address), u64::from(offset));
                self.load(to as usize, address, len as usize)?;
            }
            Instr::Store { address, offset, from, len } => {
                let address = memory::add(self.number(address), u64::from(offset));
                self.store(address, from as usize, len as usize)?;
            }
            Instr::FrameAddress { to, place } => {
                let offset = self.base + place as usize - self.base_of_item();
                self.set_number(to, memory::private(offset));
            }
            Instr::AddOffset { to, address, offset } => {
                let address = memory::add(self.number(address), u64::from(offset));
                self.set_number(to, address);
            }
            Instr::Call { function, ref args, to } => self.call(function as usize, args, to),
            Instr::Return { from, len } => return Ok(self.leave(from as usize, len as usize)),
            Instr::Range { state, start, end, kind, inclusive } => self.range(state, start, end, kind, inclusive),
            Instr::RangeRev { state } => {
                let (next, step, left) = (self.wide(state), self.wide(state + 16), self.wide(state + 32));
                self.set_wide(state, next.wrapping_add(step.wrapping_mul(left - 1)));
                self.set_wide(state + 16, step.wrapping_neg());
            }
            Instr::RangeStep { state, step } => {
                let by = i128::from(self.number(step));
                if by == 0 {
                    self.tell(IncidentKind::ZeroStep);
                    return Err(Fault::ZeroStep { line: self.line(), item: self.item_id() });
                }
                let (step, left) = (self.wide(state + 16), self.wide(state + 32));
                // A step so large that it overflows is never taken: then at most one value is left.
                self.set_wide(state + 16, step.wrapping_mul(by));
                self.set_wide(state + 32, (left + by - 1) / by);
            }
            Instr::RangeNext { state, to, kind, done } => {
                let (next, step, left) = (self.wide(state), self.wide(state + 16), self.wide(state + 32));
                if left == 0 {
                    self.pc = done as usize;
                } else {
                    self.set_bits(to, next as u64, kind.bits() / 8);
                    self.set_wide(state, next.wrapping_add(step));
                    self.set_wide(state + 32, left - 1);
                }
            }
            Instr::Message { template, ref args, fails } => self.message(template, args, fails)?,
            Instr::Together { .. } => return Ok(Flow::Stop(Status::Waiting)),
            Instr::Unreachable => {
                return Err(Fault::Internal(format!("a match without an arm in line {}", self.line())));
            }
            _ => self.step_memory(instr)?,
        }
        Ok(Flow::Next)
    }

    fn message(&mut self, template: NameAt, args: &[(At, TypeAt)], fails: bool) -> Result<(), Fault> {
        let code = self.code;
        let args =
            args.iter().map(|&(at, ty)| self.value(at, &code.types[ty as usize])).collect::<Result<Vec<_>, _>>()?;
        let message = message::format(&code.names[template as usize], &args);
        if fails {
            let file = code.functions[self.function].file.clone();
            return Err(Fault::Assertion { message, file, line: self.line(), item: self.item_id() });
        }
        self.builtins.print(&message);
        Ok(())
    }

    fn copy(&mut self, to: At, from: At, len: usize) {
        match len {
            1 | 4 | 8 => self.set_bits(to, self.bits(from, len as u32), len as u32),
            _ => {
                let start = self.base + from as usize;
                self.private.copy_within(start..start + len, self.base + to as usize);
            }
        }
    }

    fn call(&mut self, function: usize, args: &[(At, At, u32)], to: At) {
        let frame = self.code.functions[self.function].frame as usize;
        let base = self.base + frame.next_multiple_of(16);
        for &(from, to, len) in args {
            let start = self.base + from as usize;
            self.private.copy_within(start..start + len as usize, base + to as usize);
        }
        let caller = Caller { function: self.function, pc: self.pc, base: self.base, to };
        self.items[self.current].callers.push(caller);
        (self.function, self.pc, self.base) = (function, 0, base);
    }

    fn leave(&mut self, from: usize, len: usize) -> Flow {
        let Some(caller) = self.items[self.current].callers.pop() else {
            return Flow::Stop(Status::Ended);
        };
        let start = self.base + from;
        self.private.copy_within(start..start + len, caller.base + caller.to as usize);
        (self.function, self.pc, self.base) = (caller.function, caller.pc, caller.base);
        Flow::Next
    }

    fn range(&mut self, state: At, start: At, end: At, kind: IntKind, inclusive: bool) {
        let size = kind.bits() / 8;
        let start = kind.wrap(i128::from(self.bits(start, size)));
        let end = kind.wrap(i128::from(self.bits(end, size)));
        let left = end - start + i128::from(inclusive);
        self.set_wide(state, start);
        self.set_wide(state + 16, 1);
        self.set_wide(state + 32, left.max(0));
    }

    /// Instructions on addresses, handles and what an item knows of itself.
    fn step_memory(&mut self, instr: &Instr) -> Result<(), Fault> {
        match *instr {
            Instr::Element { to, address, offset, index, count, stride, name } => {
                let index = self.number(index);
                let address = self.number(address);
                let element = if index < count {
                    memory::add(address, u64::from(offset) + index * u64::from(stride))
                } else {
                    self.report_row(self.name(name), None, index, count);
                    NOTHING
                };
                self.set_number(to, element);
            }
            Instr::HandleElement { to, handle, coordinates } => {
                let address = self.element(self.number(handle), coordinates)?;
                self.set_number(to, address);
            }
            Instr::SpanElement { to, span, index, stride, name } => {
                let (address, len, index) = (self.number(span), self.number(span + 8), self.number(index));
                let element = if index < len {
                    memory::add(address, index * u64::from(stride))
                } else {
                    self.report_row(self.name(name), Some(address), index, len);
                    NOTHING
                };
                self.set_number(to, element);
            }
            Instr::LocalAddress { to, offset } => self.set_number(to, memory::local(u64::from(offset))),
            Instr::HandleSpan { to, handle } => {
                let handle = self.number(handle);
                let len = super::product(self.extents(handle)) as u64;
                self.set_number(to, self.first(handle));
                self.set_number(to + 8, len);
            }
            Instr::ArraySpan { to, address, count } => {
                let address = self.number(address);
                self.set_number(to, address);
                self.set_number(to + 8, count);
            }
            Instr::PartOfSpan { to, span, start, len, stride, name } => {
                let (address, all) = (self.number(span), self.number(span + 8));
                let (start, len) = (self.number(start), self.number(len));
                let inside = start.min(all);
                let part = len.min(all - inside);
                if part < len || inside < start {
                    let last = start.saturating_add(len.saturating_sub(1));
                    self.report_row(self.name(name), Some(address), last, all);
                }
                self.set_number(to, memory::add(address, inside * u64::from(stride)));
                self.set_number(to + 8, part);
            }
            Instr::Extent { to, handle, dim, dims } => {
                let extents = self.extents(self.number(handle));
                let extent = self.in_dimension(extents, dim, dims)?;
                self.set_number(to, extent as u64);
            }
            Instr::Len { to, handle } => {
                let len = super::product(self.extents(self.number(handle)));
                self.set_number(to, len as u64);
            }
            Instr::LoadVector { to, handle, index, lanes, stride } => {
                for (lane, address) in self.vector_addresses(handle, index, lanes)?.into_iter().enumerate() {
                    self.load(to as usize + lane * stride as usize, address, stride as usize)?;
                }
            }
            Instr::StoreVector { from, handle, index, lanes, stride } => {
                for (lane, address) in self.vector_addresses(handle, index, lanes)?.into_iter().enumerate() {
                    self.store(address, from as usize + lane * stride as usize, stride as usize)?;
                }
            }
            Instr::Ask { query, to, dim, dims } => {
                let answer = self.ask(query, dim, dims)?;
                self.set_number(to, answer as u64);
            }
            Instr::Math { name, to, ref args, lanes } => self.math(name, to, args, lanes)?,
            Instr::Lent { name, to, ref args, ty } => {
                let code = self.code;
                self.lent(name, to, args, &code.types[ty as usize])?;
            }
            Instr::Atomic { op, ty, to, address, args } => {
                let code = self.code;
                self.atomic(op, &code.types[ty as usize], to, address, args)?;
            }
            Instr::Ordered { to, address, value, is_scope } => {
                let address = self.number(address);
                let address = match self.value(value, if is_scope { &Type::Scope } else { &Type::Order })? {
                    Value::Order(order) => memory::with_order(address, order),
                    Value::Scope(scope) => memory::with_scope(address, scope),
                    _ => address,
                };
                self.set_number(to, address);
            }
            Instr::Fence { order, scope } => {
                let (order, scope) = (self.value(order, &Type::Order)?, self.value(scope, &Type::Scope)?);
                if let (Value::Order(order), Value::Scope(scope)) = (order, scope) {
                    self.observer.fence(self.current, order, scope);
                }
            }
            Instr::Combine { handle, from } => self.combine(handle, from)?,
            _ => return Err(Fault::Internal("an instruction that is none".into())),
        }
        Ok(())
    }

    /// A `bool`, which may come from memory that holds none.
    #[inline(always)]
    fn condition(&self, at: At) -> Result<bool, Fault> {
        match self.bits(at, 1) {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.invalid(Type::Bool)),
        }
    }

    fn name(&self, name: NameAt) -> String {
        self.code.names[name as usize].clone()
    }

    /// The addresses of the elements from `index * lanes`.
    fn vector_addresses(&mut self, handle: At, index: At, lanes: u8) -> Result<Vec<u64>, Fault> {
        let handle = self.number(handle);
        let first = self.number(index).saturating_mul(u64::from(lanes));
        let mut addresses = Vec::with_capacity(usize::from(lanes));
        for lane in 0..u64::from(lanes) {
            addresses.push(self.element_at(handle, [0, 0, first.saturating_add(lane) as usize])?);
        }
        Ok(addresses)
    }
}
