//! The machine: groups one after another, the items of a group in turns.

mod atomic;
mod fast;
mod group;
mod launch;
mod memory;
mod reduce;
mod scalar;
mod step;

use super::code::{At, Code, Query};
use super::fault::Fault;
use super::{Id, Incident, IncidentKind, Observer, OutOfBounds, Site};
use crate::builtins::Builtins;
use crate::tree::FunctionKind;
use crate::types::Type;
use crate::value::Value;
use memory::{Elements, Handle};

pub(super) use launch::run;

/// What an item is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Ready,
    /// At an operation of its group or sub-group, whose instruction is the one before its program counter.
    Waiting,
    Ended,
}

/// Where a call goes back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Caller {
    function: usize,
    pc: usize,
    base: usize,
    to: At,
}

/// A work-item.
#[derive(Clone, Debug)]
struct Item {
    function: usize,
    pc: usize,
    /// Where its running function's frame begins in all private memory.
    base: usize,
    callers: Vec<Caller>,
    status: Status,
}

/// A launch being run.
struct Machine<'a> {
    code: &'a Code,
    builtins: &'a dyn Builtins,
    observer: &'a mut dyn Observer,
    overflow_checks: bool,
    /// Whether the observer wants to know of what is no fault, such as casts that lose a value.
    watched: bool,
    kind: FunctionKind,
    handles: Vec<Handle>,
    /// What has been combined so far, for each handle.
    partials: Vec<reduce::Partial>,
    /// What each handle gives access to, if it is memory.
    elements: Vec<Option<Elements>>,
    /// The first byte behind each handle of global memory; the first is that of nothing.
    bases: Vec<*mut u8>,
    /// The parameter's position of each argument.
    positions: Vec<usize>,
    global_range: [usize; 3],
    local_range: [usize; 3],
    group_range: [usize; 3],
    /// The local id of each item of a group.
    local_ids: Vec<[usize; 3]>,
    sub_group_size: usize,
    /// The frames of all items of the group, one item behind another.
    private: Vec<u8>,
    item_bytes: usize,
    local: Vec<u8>,
    items: Vec<Item>,
    outside: Vec<OutOfBounds>,
    group: [usize; 3],
    group_linear: usize,
    /// The running item, its function, its next instruction and its frame.
    current: usize,
    function: usize,
    pc: usize,
    base: usize,
}

fn product(range: [usize; 3]) -> usize {
    range[0].saturating_mul(range[1]).saturating_mul(range[2])
}

fn linear(id: [usize; 3], range: [usize; 3]) -> usize {
    (id[0] * range[1] + id[1]) * range[2] + id[2]
}

fn unlinear(position: usize, range: [usize; 3]) -> [usize; 3] {
    [position / (range[1] * range[2]), position / range[2] % range[1], position % range[2]]
}

impl Machine<'_> {
    fn base_of_item(&self) -> usize {
        self.current * self.item_bytes
    }

    /// Source line of the running instruction.
    fn line(&self) -> u32 {
        let spans = self.code.functions.get(self.function).map(|function| &function.spans);
        spans.and_then(|spans| spans.get(self.pc.saturating_sub(1))).map_or(0, |span| span.line)
    }

    /// The running instruction.
    fn site(&self) -> Site {
        Site(self.code.functions[self.function].first_site + (self.pc as u32).wrapping_sub(1))
    }

    /// Tells the observer of something that the running item has met.
    fn tell(&mut self, kind: IncidentKind) {
        let incident =
            Incident { kind, site: self.site(), group: self.group, item: self.current, id: self.global_id() };
        self.observer.incident(&incident);
    }

    fn local_id(&self) -> [usize; 3] {
        self.local_ids[self.current]
    }

    fn global_id(&self) -> [usize; 3] {
        let local = self.local_id();
        std::array::from_fn(|dim| self.group[dim] * self.local_range[dim] + local[dim])
    }

    /// The running item's global id, for people.
    fn item_id(&self) -> Id {
        Id::new(self.global_id(), self.kind.dims())
    }

    /// A value of up to eight bytes in the running frame, zero-extended.
    fn bits(&self, at: At, len: u32) -> u64 {
        let start = self.base + at as usize;
        let mut raw = [0; 8];
        match len {
            4 => raw[..4].copy_from_slice(&self.private[start..start + 4]),
            8 => raw.copy_from_slice(&self.private[start..start + 8]),
            1 => raw[0] = self.private[start],
            len => raw[..len as usize].copy_from_slice(&self.private[start..start + len as usize]),
        }
        u64::from_le_bytes(raw)
    }

    fn set_bits(&mut self, at: At, bits: u64, len: u32) {
        let start = self.base + at as usize;
        let raw = bits.to_le_bytes();
        match len {
            4 => self.private[start..start + 4].copy_from_slice(&raw[..4]),
            8 => self.private[start..start + 8].copy_from_slice(&raw),
            1 => self.private[start] = raw[0],
            len => self.private[start..start + len as usize].copy_from_slice(&raw[..len as usize]),
        }
    }

    /// A `usize` or an address in the running frame.
    fn number(&self, at: At) -> u64 {
        self.bits(at, 8)
    }

    fn set_number(&mut self, at: At, value: u64) {
        self.set_bits(at, value, 8);
    }

    fn wide(&self, at: At) -> i128 {
        let start = self.base + at as usize;
        let mut raw = [0; 16];
        raw.copy_from_slice(&self.private[start..start + 16]);
        i128::from_le_bytes(raw)
    }

    fn set_wide(&mut self, at: At, value: i128) {
        let start = self.base + at as usize;
        self.private[start..start + 16].copy_from_slice(&value.to_le_bytes());
    }

    /// A value in the running frame.
    fn value(&self, at: At, ty: &Type) -> Result<Value, Fault> {
        let bytes = self.private.get(self.base + at as usize..).unwrap_or_default();
        Value::read(ty, bytes).map_err(|invalid| self.invalid(invalid.ty))
    }

    fn set_value(&mut self, at: At, value: &Value) {
        if let Some(bytes) = self.private.get_mut(self.base + at as usize..) {
            value.write(bytes);
        }
    }

    fn invalid(&self, ty: Type) -> Fault {
        Fault::InvalidValue { ty, line: self.line(), item: self.item_id() }
    }

    /// What the running item asks about itself.
    fn ask(&mut self, query: Query, dim: At, dims: u8) -> Result<usize, Fault> {
        let (start, len) = self.sub_group_of(self.current);
        let by_dimension = match query {
            Query::GlobalId => self.global_id(),
            Query::LocalId => self.local_id(),
            Query::GroupId => self.group,
            Query::GlobalRange => self.global_range,
            Query::LocalRange => self.local_range,
            Query::GroupRange => self.group_range,
            Query::GlobalLinear => return Ok(linear(self.global_id(), self.global_range)),
            Query::LocalLinear => return Ok(self.current),
            Query::GroupLinear => return Ok(self.group_linear),
            Query::GroupSize => return Ok(self.items.len()),
            Query::SubGroupId => return Ok(start / self.sub_group_size),
            Query::SubGroupLocalId => return Ok(self.current - start),
            Query::SubGroupSize => return Ok(len),
            Query::SubGroupMaxSize => return Ok(self.sub_group_size),
            Query::SubGroupCount => return Ok(self.items.len().div_ceil(self.sub_group_size)),
        };
        self.in_dimension(by_dimension, dim, dims)
    }

    /// The number of a dimension that stands at `dim`, which may not exist.
    fn in_dimension(&mut self, numbers: [usize; 3], dim: At, dims: u8) -> Result<usize, Fault> {
        let (dim, dims) = (self.number(dim) as usize, usize::from(dims.min(3)));
        if dim < dims {
            return Ok(numbers[3 - dims + dim]);
        }
        if self.watched {
            self.tell(IncidentKind::NoDimension { dim, dims });
        }
        Err(Fault::NoDimension { dim, dims, line: self.line(), item: self.item_id() })
    }

    /// First item and number of items of an item's sub-group.
    fn sub_group_of(&self, item: usize) -> (usize, usize) {
        let start = item / self.sub_group_size * self.sub_group_size;
        (start, self.sub_group_size.min(self.items.len() - start))
    }
}
