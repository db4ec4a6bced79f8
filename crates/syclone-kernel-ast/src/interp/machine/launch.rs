//! From a launch's arguments to a machine, and over all groups.

use super::memory::{Handle, MAX_HANDLES};
use super::reduce;
use super::{Item, Machine, Status, product, unlinear};
use crate::builtins::Builtins;
use crate::interp::code::{At, Code};
use crate::interp::local::LocalLayout;
use crate::interp::{Arg, Fault, IncidentKind, Launch, Observer};
use crate::tree::FunctionKind;
use crate::types::Type;

/// More private or local memory than any launch needs; an allocator that overcommits would hand out much more.
const MAX_BYTES: usize = 1 << 33;

fn misfit<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Arguments(what.into()))
}

/// Runs a launch.
pub(in crate::interp) fn run(
    code: &Code,
    launch: &Launch,
    builtins: &dyn Builtins,
    observer: &mut dyn Observer,
) -> Result<(), Fault> {
    let Some(kind) = code.kind else {
        return misfit("there is no kernel");
    };
    let (global_range, local_range) = match kind {
        FunctionKind::NdRange { .. } => (launch.global, launch.local),
        FunctionKind::Range { .. } => (launch.global, [1; 3]),
        FunctionKind::SingleTask => ([1; 3], [1; 3]),
        FunctionKind::Device | FunctionKind::Collective => {
            return misfit("a device function cannot be launched");
        }
    };
    if product(global_range) == 0 {
        return Ok(());
    }
    if let Some(dim) = (0..3).find(|&dim| local_range[dim] == 0 || global_range[dim] % local_range[dim] != 0) {
        return misfit(format!("work-groups of {local_range:?} do not divide {global_range:?} in dimension {dim}"));
    }
    if launch.sub_group_size == 0 && matches!(kind, FunctionKind::NdRange { .. }) {
        return misfit("sub-groups of no items");
    }
    let Some(kernel) = code.functions.first() else {
        return misfit("there is no kernel");
    };
    let arguments = Arguments::new(code, launch, &kernel.params)?;
    let item_bytes = depth(code, 0).next_multiple_of(16).max(16);
    let group_size = product(local_range);
    let mut machine = Machine {
        code,
        builtins,
        watched: observer.wants_incidents(),
        observer,
        overflow_checks: launch.overflow_checks,
        kind,
        bases: std::iter::once(std::ptr::null_mut()).chain(arguments.handles.iter().map(Handle::base)).collect(),
        elements: arguments.handles.iter().enumerate().map(|(number, handle)| handle.elements(number)).collect(),
        partials: vec![reduce::Partial::new(); arguments.handles.len()],
        handles: arguments.handles,
        positions: arguments.positions,
        global_range,
        local_range,
        group_range: std::array::from_fn(|dim| global_range[dim] / local_range[dim]),
        local_ids: (0..group_size).map(|item| unlinear(item, local_range)).collect(),
        sub_group_size: launch.sub_group_size.max(1),
        private: zeroed(item_bytes.checked_mul(group_size).ok_or(Fault::OutOfMemory { bytes: usize::MAX })?)?,
        item_bytes,
        local: zeroed(arguments.local.bytes)?,
        items: Vec::new(),
        outside: Vec::new(),
        group: [0; 3],
        group_linear: 0,
        current: 0,
        function: 0,
        pc: 0,
        base: 0,
    };
    machine.items = (0..group_size)
        .map(|item| Item { function: 0, pc: 0, base: item * item_bytes, callers: Vec::new(), status: Status::Ready })
        .collect();
    for group in 0..product(machine.group_range) {
        machine.group_linear = group;
        machine.group = unlinear(group, machine.group_range);
        machine.begin_group(&arguments.values);
        machine.observer.begin_group(group);
        if let Err(fault) = machine.run_group() {
            if let Fault::InvalidValue { ty, .. } = &fault {
                machine.tell(IncidentKind::InvalidValue(ty.clone()));
            }
            return Err(fault);
        }
    }
    machine.finish_reductions()?;
    if machine.outside.is_empty() { Ok(()) } else { Err(Fault::OutOfBounds(machine.outside)) }
}

/// Memory that may be too much to have.
fn zeroed(bytes: usize) -> Result<Vec<u8>, Fault> {
    if bytes > MAX_BYTES {
        return Err(Fault::OutOfMemory { bytes });
    }
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| Fault::OutOfMemory { bytes })?;
    memory.resize(bytes, 0);
    Ok(memory)
}

/// Bytes of private memory that a function and its deepest chain of calls need. Calls never form a cycle.
fn depth(code: &Code, function: u32) -> usize {
    let mut known = vec![None; code.functions.len()];
    depth_of(code, function as usize, &mut known)
}

fn depth_of(code: &Code, function: usize, known: &mut [Option<usize>]) -> usize {
    if let Some(Some(bytes)) = known.get(function) {
        return *bytes;
    }
    let Some(code_of) = code.functions.get(function) else {
        return 0;
    };
    let below = code_of.calls.iter().map(|&callee| depth_of(code, callee as usize, known)).max().unwrap_or(0);
    let bytes = (code_of.frame as usize).next_multiple_of(16) + below;
    known[function] = Some(bytes);
    bytes
}

/// The arguments as items find them.
struct Arguments {
    handles: Vec<Handle>,
    positions: Vec<usize>,
    /// Bytes that go to each item's frame.
    values: Vec<(At, Vec<u8>)>,
    local: LocalLayout,
}

impl Arguments {
    fn new(code: &Code, launch: &Launch, params: &[(At, Type)]) -> Result<Self, Fault> {
        let local = code.local.clone();
        let mut arguments = Arguments { handles: Vec::new(), positions: Vec::new(), values: Vec::new(), local };
        let mut args = launch.args.iter();
        for (position, (at, ty)) in params.iter().enumerate() {
            if matches!(ty, Type::Item(_) | Type::NdItem(_)) {
                continue;
            }
            let name = code.param_names.get(position).map_or("", String::as_str);
            let Some(arg) = args.next() else {
                return misfit(format!("no argument for `{name}`"));
            };
            arguments.positions.push(position);
            arguments.add(arg, *at, ty, name)?;
        }
        if args.next().is_some() {
            return misfit(format!("{} arguments, but {} parameters", launch.args.len(), arguments.handles.len()));
        }
        Ok(arguments)
    }

    fn add(&mut self, arg: &Arg, at: At, ty: &Type, name: &str) -> Result<(), Fault> {
        if self.handles.len() >= MAX_HANDLES {
            return misfit(format!("more than {MAX_HANDLES} parameters"));
        }
        let number = self.handles.len() as u64;
        let (handle, bytes) = match (arg, ty) {
            (Arg::Value(value), ty) if value.ty() == *ty || matches!(ty, Type::Spec(ty) if value.ty() == **ty) => {
                (Handle::Plain, value.to_bytes())
            }
            (
                Arg::Global(global),
                Type::View(elem, _)
                | Type::ItemMut(elem, _)
                | Type::GroupMut(elem, _)
                | Type::ScatterMut(elem, _)
                | Type::AtomicView(elem, _),
            ) if global.elem == **elem => (Handle::Global(global.clone()), number.to_le_bytes().to_vec()),
            (Arg::LocalAccessor { extents, elem }, Type::LocalAccessor(expected, _)) if elem == &**expected => {
                let len = product(*extents);
                let bytes = len.saturating_mul(elem.size());
                let offset = self.local.place(elem, len).ok_or(Fault::OutOfMemory { bytes })?;
                let handle = Handle::Local { offset: offset as u64, extents: *extents, elem: elem.clone() };
                (handle, number.to_le_bytes().to_vec())
            }
            (Arg::Reducer { op, ty, slot }, Type::Reducer(expected, expected_op))
                if ty == &**expected && op == expected_op =>
            {
                let handle = Handle::Reducer { op: *op, ty: ty.clone(), slot: slot.0 };
                (handle, number.to_le_bytes().to_vec())
            }
            _ => return misfit(format!("the argument for `{name}` is not of type {ty}")),
        };
        self.handles.push(handle);
        self.values.push((at, bytes));
        Ok(())
    }
}

impl Machine<'_> {
    fn begin_group(&mut self, values: &[(At, Vec<u8>)]) {
        self.local.fill(0);
        for (position, item) in self.items.iter_mut().enumerate() {
            item.function = 0;
            item.pc = 0;
            item.base = position * self.item_bytes;
            item.callers.clear();
            item.status = Status::Ready;
            for (at, bytes) in values {
                let start = item.base + *at as usize;
                self.private[start..start + bytes.len()].copy_from_slice(bytes);
            }
        }
    }
}
