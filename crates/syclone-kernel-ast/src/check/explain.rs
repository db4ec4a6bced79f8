//! Findings in words.

use super::shadow::{Conflict, Earlier};
use super::{Checker, Finding, FindingKind, Location};
use crate::interp::{Access, AccessKind, Id, Incident, IncidentKind, Site, Space};
use crate::types::Type;
use crate::value::Value;

/// The kind of mistake that an incident is.
pub(super) fn kind_of(kind: &IncidentKind) -> FindingKind {
    match kind {
        IncidentKind::Overflow { .. } => FindingKind::Overflow,
        IncidentKind::ShiftTooFar { .. } => FindingKind::ShiftTooFar,
        IncidentKind::DivideByZero { .. } => FindingKind::DivisionByZero,
        IncidentKind::LossyCast { .. } => FindingKind::LossyCast,
        IncidentKind::ZeroStep => FindingKind::ZeroStep,
        IncidentKind::InvalidValue(_) => FindingKind::InvalidValue,
        IncidentKind::OutOfBounds(_) => FindingKind::OutOfBounds,
        IncidentKind::Divergence { sub_group: false, .. } => FindingKind::Divergence,
        IncidentKind::Divergence { sub_group: true, .. } => FindingKind::SubGroupDivergence,
        IncidentKind::DifferentArguments { .. } => FindingKind::DifferentArguments,
        IncidentKind::DifferentSpans { .. } => FindingKind::DifferentSpans,
        IncidentKind::ClampBounds { .. } => FindingKind::ClampBounds,
        IncidentKind::NoDimension { .. } => FindingKind::NoDimension,
    }
}

impl Checker<'_> {
    fn location(&self, site: Site) -> Location {
        let place = self.kernel.place(site);
        Location {
            file: place.file.to_owned(),
            line: place.span.line,
            column: place.span.column,
            function: place.function.to_owned(),
        }
    }

    /// The global id of the item at a position in a group.
    fn id(&self, group: usize, item: usize) -> [usize; 3] {
        let groups: [usize; 3] = std::array::from_fn(|dim| self.global_range[dim] / self.local_range[dim].max(1));
        let at = |position: usize, range: [usize; 3]| {
            [position / (range[1] * range[2]), position / range[2] % range[1], position % range[2]]
        };
        let (group, local) = (at(group, groups), at(item, self.local_range));
        std::array::from_fn(|dim| group[dim] * self.local_range[dim] + local[dim])
    }

    fn id_of_number(&self, number: u32) -> [usize; 3] {
        let size: usize = self.local_range.iter().product();
        let number = number as usize - 1;
        self.id(number / size, number % size)
    }

    fn memory_name(&self, space: Space) -> Option<String> {
        match space {
            Space::Global(argument) => Some(self.kernel.parameter(argument).to_owned()),
            Space::Local => None,
        }
    }

    fn finding(&self, kind: FindingKind, site: Site, items: Vec<[usize; 3]>, message: String) -> Finding {
        Finding {
            kind,
            location: self.location(site),
            other: None,
            items,
            parameter: None,
            message,
            notes: Vec::new(),
            count: 1,
        }
    }

    pub(super) fn explain_race(&self, access: &Access, conflict: Conflict) -> Finding {
        let earlier = conflict.record.stamp.item;
        let now = self.clock.stamp(access.item).item;
        let me = self.id(access.group, access.item);
        let other = self.id_of_number(earlier);
        let same_group = self.clock.group_of(earlier) == self.clock.group_of(now);
        let name = self.memory_name(access.space);
        let memory = match &name {
            Some(name) => format!("`{name}`"),
            None => "local memory".to_owned(),
        };
        let does = match access.kind {
            AccessKind::Read => "reads",
            AccessKind::Write | AccessKind::WriteSame => "writes",
            AccessKind::Atomic { writes: false, .. } => "reads atomically",
            AccessKind::Atomic { .. } => "changes atomically",
        };
        let did = match conflict.earlier {
            Earlier::Read => "has read",
            Earlier::Write => "has written",
            Earlier::Atomic | Earlier::NarrowAtomic(_) => "has accessed atomically",
        };
        let what = match access.space {
            Space::Global(argument) => {
                let index =
                    self.regions.get(argument).map_or(0, |region| access.offset >> region.shift << region.shift);
                format!("byte {index} of {memory}")
            }
            Space::Local => format!("byte {} of {memory}", access.offset),
        };
        let (item, other_item) = (self.item_text(me), self.item_text(other));
        let message = format!("{item} {does} {what}, which {other_item} {did}, and nothing orders the two");
        let may_agree = matches!(access.space, Space::Global(argument) if self.regions[argument].may_agree);
        let advice = match (conflict.earlier, same_group) {
            (Earlier::NarrowAtomic(scope), _) => format!(
                "the atomic operations are of scope {scope:?}, which does not hold both items: give them a wider one"
            ),
            (Earlier::Write, true) if may_agree && access.kind.writes() => {
                "items of a group may write one value to their `GroupMut` element, and these wrote different ones: let one item \
                 write, or put `item.barrier()` between"
                    .to_owned()
            }
            (_, true) => "both items are of one work-group: put `item.barrier()` between, or make both accesses atomic"
                .to_owned(),
            (_, false) => {
                "the items are of different work-groups, which no barrier orders: make both accesses atomic, write \
                 another element, or divide the work into two kernels"
                    .to_owned()
            }
        };
        let mut finding = self.finding(FindingKind::DataRace, access.site, vec![me, other], message);
        let there = match conflict.earlier {
            Earlier::Read => "has read it here",
            Earlier::Write => "has written it here",
            Earlier::Atomic | Earlier::NarrowAtomic(_) => "has accessed it atomically here",
        };
        finding.other = Some((self.location(conflict.record.site()), format!("{other_item} {there}")));
        finding.parameter = name;
        finding.notes.push(advice);
        finding
    }

    pub(super) fn explain_unwritten(&self, access: &Access, byte: usize) -> Finding {
        let me = self.id(access.group, access.item);
        let name = self.memory_name(access.space);
        let region = match access.space {
            Space::Global(argument) => self.regions.get(argument),
            Space::Local => Some(&self.local),
        };
        let field = region.and_then(|region| region.elements.iter().find_map(|elements| elements.field(byte)));
        let field = field.map_or_else(String::new, |field| format!(", in field `{field}`"));
        let (what, advice) = match &name {
            Some(name) => (
                format!("byte {byte} of `{name}`{field}"),
                "a `write` access promises that the old contents do not matter, and fresh device memory has none: use \
                 `read_write`, or write the memory first",
            ),
            None => (
                format!("byte {byte} of local memory{field}"),
                "what local memory holds when a group begins is unspecified: look for a missing barrier or a wrong index, or \
                 write it first",
            ),
        };
        let message = format!("{} reads {what}, which nobody has written", self.item_text(me));
        let mut finding = self.finding(FindingKind::Unwritten, access.site, vec![me], message);
        finding.parameter = name;
        finding.notes.push(advice.to_owned());
        finding
    }

    pub(super) fn explain_misaligned(&self, access: &Access, align: usize) -> Finding {
        let me = self.id(access.group, access.item);
        let name = self.memory_name(access.space).unwrap_or_default();
        let message =
            format!("{} accesses `{name}`, whose address is no multiple of {align} bytes", self.item_text(me));
        let mut finding = self.finding(FindingKind::Misaligned, access.site, vec![me], message);
        finding.parameter = Some(name);
        finding
            .notes
            .push("make the memory from a typed allocation, or begin at a multiple of the type's alignment".into());
        finding
    }

    pub(super) fn explain_incident(&self, kind: FindingKind, incident: &Incident) -> Finding {
        let item = self.item_text(incident.id);
        let mut items = vec![incident.id];
        let mut parameter = None;
        let mut other = None;
        let (message, advice) = match &incident.kind {
            IncidentKind::Overflow { operation, operands } => {
                (overflow(operation, operands), "use a wider type, or a `wrapping_` method where wrapping is meant")
            }
            IncidentKind::ShiftTooFar { amount, kind } => (
                format!("a shift by {amount} of {}, which has {} bits", kind.name(), kind.bits()),
                "keep the amount below the number of bits, or use `wrapping_shl` or `wrapping_shr`",
            ),
            IncidentKind::DivideByZero { operation } => {
                (format!("`{operation}` by zero"), "test the divisor before the division")
            }
            IncidentKind::LossyCast { from, to } => (
                format!("{} becomes {} as {}", text(from), text(to), to.ty()),
                "nothing is wrong if that is meant; else use a wider type",
            ),
            IncidentKind::ZeroStep => ("`step_by(0)`".to_owned(), "use a step of at least 1"),
            IncidentKind::InvalidValue(ty) => {
                (format!("the bytes that are read are no value of {ty}"), "look for who wrote them, as another type")
            }
            IncidentKind::OutOfBounds(fault) => {
                parameter = Some(fault.parameter.clone());
                let (name, index) = (&fault.parameter, Id::new(fault.index, fault.dims));
                let extents = Id::new(fault.extents, fault.dims);
                let elements = if extents.as_slice() == [1] { "element" } else { "elements" };
                (
                    format!("index {index} is outside of `{name}`, which has {extents} {elements}"),
                    "reads give zero and writes are dropped; compare the index with the extent first",
                )
            }
            IncidentKind::Divergence { sub_group, arrived, missing } => {
                let group = self.group_number(incident.group);
                items = arrived.first().map(|&item| self.id(group, item)).into_iter().collect();
                items.extend(missing.first().map(|&(item, _)| self.id(group, item)));
                let which = if *sub_group { "sub-group" } else { "work-group" };
                if let Some(&(item, Some(site))) = missing.first() {
                    let waits = format!("{} waits here instead", self.item_text(self.id(group, item)));
                    other = Some((self.location(site), waits));
                }
                let (came, all) = (arrived.len(), arrived.len() + missing.len());
                let rest = match missing.first() {
                    Some((item, None)) => format!("; {} has ended", self.item_text(self.id(group, *item))),
                    _ => String::new(),
                };
                let message =
                    format!("{came} of the {all} items of a {which} have come here, the others never will{rest}");
                (message, "move it out of the branch or loop, or let the condition be the same for all of them")
            }
            IncidentKind::ClampBounds { low, high } => (
                format!("`clamp` to what is at least {} and at most {}", text(low), text(high)),
                "give the lower bound first; `limited` takes bounds in any order, and gives one of them then",
            ),
            IncidentKind::NoDimension { dim, dims } => (
                format!("dimension {dim} of what has {dims}"),
                "dimensions are counted from 0: ask for a lower one, or take an item or a view of more dimensions",
            ),
            IncidentKind::DifferentArguments { argument, sub_group, first, other, others } => {
                let other = self.id(self.group_number(incident.group), *other);
                items.push(other);
                let which = if *sub_group { "sub-group" } else { "work-group" };
                let message = format!(
                    "its {argument} is {}, and {}, which is of the same {which}, passes {}",
                    text(first),
                    self.item_text(other),
                    text(others)
                );
                (message, "it has to be the same for all of them: where each item names its own source, use `select`")
            }
            IncidentKind::DifferentSpans { sub_group, other } => {
                let other = self.id(self.group_number(incident.group), *other);
                items.push(other);
                let which = if *sub_group { "sub-group" } else { "work-group" };
                let message =
                    format!("its span is the whole {which}'s, and {} passes another one", self.item_text(other));
                (message, "a joint algorithm takes one span for all items: make it of what is the same for all of them")
            }
        };
        let message = match incident.kind {
            IncidentKind::Divergence { .. } => message,
            _ => format!("{item}: {message}"),
        };
        let mut finding = self.finding(kind, incident.site, items, message);
        finding.parameter = parameter;
        finding.other = other;
        finding.notes.push(advice.to_owned());
        finding
    }

    fn group_number(&self, group: [usize; 3]) -> usize {
        let groups: [usize; 3] = std::array::from_fn(|dim| self.global_range[dim] / self.local_range[dim].max(1));
        (group[0] * groups[1] + group[1]) * groups[2] + group[2]
    }

    /// An item by its global id.
    fn item_text(&self, id: [usize; 3]) -> String {
        format!("item {}", Id::new(id, self.dims))
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(_, value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::F16(bits) => crate::half::f16_to_f32(*bits).to_string(),
        Value::Bf16(bits) => crate::half::bf16_to_f32(*bits).to_string(),
        Value::Vector(lanes) => format!("[{}]", lanes.iter().map(text).collect::<Vec<_>>().join(", ")),
        other => format!("{other:?}"),
    }
}

fn overflow(operation: &str, operands: &[Value]) -> String {
    let ty = match operands.first() {
        Some(Value::Vector(lanes)) => lanes.first(),
        first => first,
    };
    let ty = ty.map_or(Type::Unit, Value::ty);
    match operands {
        [left, right] if !operation.starts_with(char::is_alphabetic) => {
            format!("{} {operation} {} does not fit {ty}", text(left), text(right))
        }
        [value] if !operation.starts_with(char::is_alphabetic) => {
            format!("{operation}{} does not fit {ty}", text(value))
        }
        _ => {
            let all: Vec<String> = operands.iter().map(text).collect();
            format!("`{operation}` of {} does not fit {ty}", all.join(", "))
        }
    }
}
