//! Items of a group in turns, and what they do together.
//!
//! Every item runs until it ends or waits. Then each sub-group whose items all wait at one operation of theirs does it;
//! if there is none, the group must wait at one operation as a whole, or have ended as a whole. Two items wait at one
//! operation if it is the same instruction, reached through the same calls.

use std::ops::Range;

use super::{Machine, Status};
use crate::interp::code::{At, Instr, Together};
use crate::interp::{AccessKind, Fault, Id, IncidentKind, Site};
use crate::numeric;
use crate::types::{IntKind, Op, Type};
use crate::value::Value;

impl Machine<'_> {
    /// Runs the group to its end.
    pub(super) fn run_group(&mut self) -> Result<(), Fault> {
        loop {
            for item in 0..self.items.len() {
                if self.items[item].status == Status::Ready {
                    self.run_item(item)?;
                }
            }
            if self.release_sub_groups()? {
                continue;
            }
            if self.items.iter().all(|item| item.status == Status::Ended) {
                return Ok(());
            }
            if !self.wait_together(0..self.items.len()) || self.is_for_sub_group(0) {
                return Err(self.divergence());
            }
            self.observer.barrier(self.group_linear);
            self.together(0..self.items.len())?;
        }
    }

    /// Lets every sub-group do what all its items wait for; false if there was none.
    fn release_sub_groups(&mut self) -> Result<bool, Fault> {
        if !matches!(self.kind, crate::tree::FunctionKind::NdRange { .. }) {
            return Ok(false);
        }
        let mut released = false;
        let mut start = 0;
        while start < self.items.len() {
            let end = self.items.len().min(start + self.sub_group_size);
            if self.wait_together(start..end) && self.is_for_sub_group(start) {
                self.observer.sub_group_barrier(self.group_linear, start..end);
                self.together(start..end)?;
                released = true;
            }
            start = end;
        }
        Ok(released)
    }

    fn wait_together(&self, members: Range<usize>) -> bool {
        let first = members.start;
        members.into_iter().all(|item| self.same_place(first, item))
    }

    /// Whether both items wait, and at the same operation.
    fn same_place(&self, left: usize, right: usize) -> bool {
        let (left, right) = (&self.items[left], &self.items[right]);
        let calls =
            |item: &super::Item| item.callers.iter().map(|caller| (caller.function, caller.pc)).collect::<Vec<_>>();
        left.status == Status::Waiting
            && right.status == Status::Waiting
            && (left.function, left.pc) == (right.function, right.pc)
            && calls(left) == calls(right)
    }

    fn waited_for(&self, item: usize) -> Option<&Instr> {
        let item = &self.items[item];
        self.code.functions.get(item.function)?.instrs.get(item.pc.checked_sub(1)?)
    }

    fn is_for_sub_group(&self, item: usize) -> bool {
        matches!(self.waited_for(item), Some(Instr::Together { sub_group: true, .. }))
    }

    /// Where an item waits, unless it has ended.
    fn waits_at(&self, item: usize) -> Option<Site> {
        let item = &self.items[item];
        let function = self.code.functions.get(item.function).filter(|_| item.status == Status::Waiting)?;
        Some(Site(function.first_site + (item.pc as u32).wrapping_sub(1)))
    }

    /// Nobody can go on: the fault that names the first operation that is waited for.
    fn divergence(&mut self) -> Fault {
        let Some(first) = self.items.iter().position(|item| item.status == Status::Waiting) else {
            return Fault::Internal("a group in which nobody waits".into());
        };
        let members = if self.is_for_sub_group(first) {
            let (start, len) = self.sub_group_of(first);
            start..start + len
        } else {
            0..self.items.len()
        };
        let expected = members.len();
        let (arrived, missing): (Vec<usize>, Vec<usize>) = members.partition(|&item| self.same_place(first, item));
        let count = arrived.len();
        let missing = missing.into_iter().map(|item| (item, self.waits_at(item))).collect();
        self.enter(first);
        let sub_group = self.is_for_sub_group(first);
        self.tell(IncidentKind::Divergence { sub_group, arrived, missing });
        Fault::Divergence { line: self.line(), arrived: count, expected, group: Id::new(self.group, self.kind.dims()) }
    }

    /// Does what the members wait for and makes them ready.
    fn together(&mut self, members: Range<usize>) -> Result<(), Fault> {
        let code = self.code;
        self.enter(members.start);
        let Some(&Instr::Together { what, ty, to, args, sub_group }) =
            code.functions[self.function].instrs.get(self.pc - 1)
        else {
            return Err(Fault::Internal("a group that waits for nothing".into()));
        };
        let ty = &code.types[ty as usize];
        match what {
            Together::Barrier => {}
            Together::JointReduce(_)
            | Together::JointInclusive(_)
            | Together::JointExclusive(_)
            | Together::JointAny
            | Together::JointAll
            | Together::JointNone => {
                self.compare_spans(what, args, sub_group, members.clone());
                self.joint(what, ty, to, args, members.clone())?;
                // What it reads and writes is done before any member goes on.
                if sub_group {
                    self.observer.sub_group_barrier(self.group_linear, members.clone());
                } else {
                    self.observer.barrier(self.group_linear);
                }
            }
            _ => {
                let results = self.results(what, ty, args, sub_group, members.clone())?;
                for (item, result) in members.clone().zip(results) {
                    self.enter(item);
                    self.set_value(to, &result);
                }
            }
        }
        for item in members {
            self.items[item].status = Status::Ready;
        }
        Ok(())
    }

    /// What each member gets.
    fn results(
        &mut self,
        what: Together,
        ty: &Type,
        args: [At; 2],
        sub_group: bool,
        members: Range<usize>,
    ) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::with_capacity(members.len());
        let mut seconds = Vec::with_capacity(members.len());
        for item in members.clone() {
            self.enter(item);
            values.push(self.value(args[0], ty)?);
            seconds.push(match what {
                Together::InclusiveFrom(_) | Together::ExclusiveFrom(_) => self.value(args[1], ty)?,
                Together::Broadcast
                | Together::BroadcastLane
                | Together::Select
                | Together::Down
                | Together::Up
                | Together::Xor => self.value(args[1], &Type::USIZE)?,
                _ => Value::Unit,
            });
        }
        if let Some(argument) = what.shared_argument() {
            self.compare_arguments(argument, &seconds, sub_group, members.start);
        }
        let len = values.len();
        let truths = || values.iter().map(|value| *value == Value::Bool(true));
        let all = |value: Value| vec![value; len];
        Ok(match what {
            Together::Reduce(op) => all(tree(op, ty, &values)?),
            Together::Inclusive(op) => scan(op, ty, &values, None, true)?,
            Together::Exclusive(op) => scan(op, ty, &values, None, false)?,
            // The initial value is the group's, so the first member's.
            Together::InclusiveFrom(op) => scan(op, ty, &values, seconds.first().cloned(), true)?,
            Together::ExclusiveFrom(op) => scan(op, ty, &values, seconds.first().cloned(), false)?,
            Together::Any => all(Value::Bool(truths().any(|truth| truth))),
            Together::All => all(Value::Bool(truths().all(|truth| truth))),
            Together::None => all(Value::Bool(!truths().any(|truth| truth))),
            Together::Ballot => {
                let bit = |(lane, truth): (usize, bool)| {
                    if truth && lane < 32 { 1i128 << lane } else { 0 }
                };
                all(Value::Int(IntKind::U32, truths().enumerate().map(bit).sum()))
            }
            Together::Broadcast => {
                let id = seconds.first().and_then(Value::as_int).unwrap_or(0);
                let named = usize::try_from(id).ok().and_then(|id| values.get(id)).cloned();
                let zero = || Value::read(ty, &vec![0; ty.size()]).map_err(|invalid| self.invalid(invalid.ty));
                all(named.map_or_else(zero, Ok)?)
            }
            _ => {
                // A lane that does not exist leaves the item its own value.
                let source = |(lane, second): (usize, &Value)| {
                    let by = second.as_int().unwrap_or(0);
                    let lane_number = lane as i128;
                    let from = match what {
                        Together::Down => lane_number + by,
                        Together::Up => lane_number - by,
                        Together::Xor => lane_number ^ by,
                        _ => by,
                    };
                    usize::try_from(from).ok().filter(|from| *from < len).unwrap_or(lane)
                };
                seconds.iter().enumerate().map(|second| values[source(second)].clone()).collect()
            }
        })
    }

    /// Tells of a member whose second operand is not the first one's.
    fn compare_arguments(&mut self, argument: &'static str, seconds: &[Value], sub_group: bool, start: usize) {
        // NaNs of equal bits are equal.
        let bits = |value: &Value| value.to_bytes();
        let Some(first) = seconds.first().filter(|_| self.watched) else { return };
        let Some(other) = seconds.iter().position(|second| second != first && bits(second) != bits(first)) else {
            return;
        };
        let (first, others) = (first.clone(), seconds[other].clone());
        self.enter(start);
        self.tell(IncidentKind::DifferentArguments { argument, sub_group, first, other: start + other, others });
    }

    /// Tells of a member whose spans are not the first one's.
    fn compare_spans(&mut self, what: Together, args: [At; 2], sub_group: bool, members: Range<usize>) {
        let used = if matches!(what, Together::JointInclusive(_) | Together::JointExclusive(_)) { 2 } else { 1 };
        let mut spans = |item: usize| {
            self.enter(item);
            args.map(|span| (self.number(span), self.number(span + 8))).into_iter().take(used).collect::<Vec<_>>()
        };
        let first = spans(members.start);
        let other = members.clone().find(|&item| spans(item) != first);
        self.enter(members.start);
        if let Some(other) = other {
            self.tell(IncidentKind::DifferentSpans { sub_group, other });
        }
    }

    /// Operations over a span of shared memory; the first member's operands count, they are the group's.
    fn joint(&mut self, what: Together, ty: &Type, to: At, args: [At; 2], members: Range<usize>) -> Result<(), Fault> {
        let (address, len) = (self.number(args[0]), self.number(args[0] + 8));
        let mut values = Vec::new();
        for position in 0..len {
            let bytes = self.peek(address + position * ty.size() as u64, ty.size(), AccessKind::Read)?;
            values.push(Value::read(ty, &bytes).map_err(|invalid| self.invalid(invalid.ty))?);
        }
        let mut truths = values.iter().map(|value| *value == Value::Bool(true));
        let result = match what {
            Together::JointReduce(op) => tree(op, ty, &values)?,
            Together::JointAny => Value::Bool(truths.any(|truth| truth)),
            Together::JointAll => Value::Bool(truths.all(|truth| truth)),
            Together::JointNone => Value::Bool(!truths.any(|truth| truth)),
            Together::JointInclusive(op) => return self.joint_scan(op, ty, &values, true, args[1]),
            Together::JointExclusive(op) => {
                return self.joint_scan(op, ty, &values, false, args[1]);
            }
            _ => return Err(Fault::Internal("a joint operation that is none".into())),
        };
        for item in members {
            self.enter(item);
            self.set_value(to, &result);
        }
        Ok(())
    }

    fn joint_scan(&mut self, op: Op, ty: &Type, values: &[Value], inclusive: bool, target: At) -> Result<(), Fault> {
        let (address, room) = (self.number(target), self.number(target + 8) as usize);
        if values.len() > room {
            self.report_row("scan's target".to_owned(), Some(address), values.len() as u64 - 1, room as u64);
        }
        for (position, value) in scan(op, ty, values, None, inclusive)?.iter().enumerate().take(room) {
            let at = address + (position * ty.size()) as u64;
            self.poke(at, &value.to_bytes(), Some(AccessKind::Write))?;
        }
        Ok(())
    }
}

fn apply(op: Op, left: &Value, right: &Value) -> Result<Value, Fault> {
    numeric::apply(op, left, right).ok_or_else(|| Fault::Internal(format!("{} on {}", op.name(), left.ty())))
}

fn identity(op: Op, ty: &Type) -> Result<Value, Fault> {
    numeric::identity(op, ty).ok_or_else(|| Fault::Internal(format!("{} has no identity for {ty}", op.name())))
}

/// All values combined by a halving tree, a fixed order, so that floats repeat; rounded once in the end.
fn tree(op: Op, ty: &Type, values: &[Value]) -> Result<Value, Fault> {
    let mut partials: Vec<Value> = values.iter().map(|value| numeric::partial(op, value)).collect();
    let mut half = partials.len().next_power_of_two() / 2;
    while half > 0 {
        for position in 0..half.min(partials.len().saturating_sub(half)) {
            partials[position] = apply(op, &partials[position], &partials[position + half])?;
        }
        half /= 2;
    }
    partials.into_iter().next().map_or_else(|| identity(op, ty), |result| Ok(numeric::rounded(ty, result)))
}

/// The scan from left to right; each result is rounded once.
fn scan(op: Op, ty: &Type, values: &[Value], init: Option<Value>, inclusive: bool) -> Result<Vec<Value>, Fault> {
    let mut running = init.map(|init| numeric::partial(op, &init));
    let mut results = Vec::with_capacity(values.len());
    for value in values {
        let value = numeric::partial(op, value);
        let before = running;
        let after = match &before {
            Some(before) => apply(op, before, &value)?,
            None => value,
        };
        results.push(match (inclusive, before) {
            (true, _) => numeric::rounded(ty, after.clone()),
            (false, Some(before)) => numeric::rounded(ty, before),
            (false, None) => identity(op, ty)?,
        });
        running = Some(after);
    }
    Ok(results)
}
