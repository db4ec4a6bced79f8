//! The interpreter: slow, and right by inspection. Every kernel test on the CPU device is compared with it.
//!
//! A typed tree becomes a flat code of small instructions on byte offsets in a frame (`code`); each work-item has a
//! program counter and frames of its own and runs until it ends or waits at a barrier or another operation of its
//! group. The group goes on when all its items wait at the same one; if some ended or wait elsewhere, the launch ends in
//! [`Fault::Divergence`]. There is one thread and one order: groups in order, within a group the items in order.
//!
//! Global memory is the host's own, behind the pointers of the launch's arguments; every access to it and to local memory
//! goes through one place (`machine::memory`), which tells an [`Observer`] about it.

mod code;
mod compile;
mod fault;
mod id;
mod incident;
mod local;
mod machine;

use std::ops::Range;
use std::sync::Arc;

pub use fault::{Fault, OutOfBounds};
pub use id::Id;
pub use incident::{Incident, IncidentKind, Site, SourcePlace};
pub use local::LocalPiece;

use crate::bound::BoundFunction;
use crate::builtins::Builtins;
use crate::infer::infer;
use crate::types::{Op, Order, Scope, Type};
use crate::value::Value;

/// Elements in global memory. Missing dimensions are 1 in front: a row of `n` has extents `[1, 1, n]`.
#[derive(Clone, Debug)]
pub struct Global {
    /// The first element.
    pub ptr: *mut u8,
    /// Elements in each dimension.
    pub extents: [usize; 3],
    /// Elements from one row (last dimension) to the next.
    pub pitch: usize,
    /// The type of the elements.
    pub elem: Type,
}

// SAFETY: the pointer is only a number here; whoever runs a launch vouches for the memory (see `run`).
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

/// Where a reduction's running value is.
#[derive(Clone, Debug)]
pub struct Slot(pub *mut u8);

// SAFETY: as for `Global`.
unsafe impl Send for Slot {}
// SAFETY: as for `Global`.
unsafe impl Sync for Slot {}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A plain value, or a specialised one.
    Value(Value),
    /// A `View`, `ItemMut`, `GroupMut`, `ScatterMut` or `AtomicView`; the parameter's type says which.
    Global(Global),
    /// Local memory sized at launch.
    LocalAccessor {
        /// Elements in each dimension, missing ones 1 in front.
        extents: [usize; 3],
        /// The type of the elements.
        elem: Type,
    },
    /// A reduction: each `combine` replaces the value in the slot.
    Reducer {
        /// The operator.
        op: Op,
        /// The value's type.
        ty: Type,
        /// Holds a valid value before the launch, and the result after it.
        slot: Slot,
    },
}

/// A kernel and what it is launched with.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub function: Arc<BoundFunction>,
    /// Arguments of its parameters in order, the item left out.
    pub args: Vec<Arg>,
    /// Items in each dimension, missing ones 1 in front.
    pub global: [usize; 3],
    /// Items of a work-group in each dimension, missing ones 1 in front; ignored unless it is an nd-range kernel.
    pub local: [usize; 3],
    /// Items of a sub-group.
    pub sub_group_size: usize,
    /// Whether integer overflow is an error, as in debug builds of Rust, or wraps.
    pub overflow_checks: bool,
}

/// Which memory an access is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Global memory behind the argument at this position of [`Launch::args`].
    Global(usize),
    /// The group's local memory.
    Local,
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// A plain write of what is there already; told from the others only if the observer
    /// [wants incidents](Observer::wants_incidents).
    WriteSame,
    /// An atomic operation.
    Atomic {
        /// Whether it reads.
        reads: bool,
        /// Whether it may write.
        writes: bool,
        /// What it orders.
        order: Order,
        /// For whom.
        scope: Scope,
    },
}

impl AccessKind {
    /// Whether the access takes what is there.
    pub fn reads(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::Atomic { reads: true, .. })
    }

    /// Whether the access may change what is there.
    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Read | AccessKind::Atomic { writes: false, .. })
    }
}

/// One access to memory that items share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Which memory.
    pub space: Space,
    /// Bytes from the argument's first element, or from the beginning of local memory.
    pub offset: usize,
    /// Bytes.
    pub len: usize,
    /// How.
    pub kind: AccessKind,
    /// Linear position of the group in the launch.
    pub group: usize,
    /// Linear position of the item in its group.
    pub item: usize,
    /// The instruction; [`Kernel::place`] says where it is written.
    pub site: Site,
}

/// Someone who watches a launch run: the basis of race detection.
pub trait Observer {
    /// An item is about to access memory that it shares with others.
    fn access(&mut self, access: &Access) {
        let _ = access;
    }

    /// A group begins; the one before it has ended.
    fn begin_group(&mut self, group: usize) {
        let _ = group;
    }

    /// All items of a group have come to a barrier, or to an operation that synchronises them.
    fn barrier(&mut self, group: usize) {
        let _ = group;
    }

    /// All items of a sub-group have come to a barrier of theirs, or to an operation that synchronises them: those with
    /// these positions in their group.
    fn sub_group_barrier(&mut self, group: usize, members: Range<usize>) {
        let _ = (group, members);
    }

    /// The item with this position in its group has passed a fence.
    fn fence(&mut self, item: usize, order: Order, scope: Scope) {
        let _ = (item, order, scope);
    }

    /// Whether it wants to know of every incident, also those that are no faults. That costs time.
    fn wants_incidents(&self) -> bool {
        false
    }

    /// Something has gone wrong, or may have.
    fn incident(&mut self, incident: &Incident) {
        let _ = incident;
    }
}

/// Watches nothing.
pub struct NoObserver;

impl Observer for NoObserver {}

/// A kernel ready to run: typed and compiled, for any number of launches.
pub struct Kernel {
    code: code::Code,
}

impl Kernel {
    /// Types and compiles a kernel and all that it calls.
    pub fn new(function: &Arc<BoundFunction>, builtins: &dyn Builtins) -> Result<Kernel, Fault> {
        let program = infer(function, builtins).map_err(|error| Fault::Untyped(Box::new(error)))?;
        Ok(Kernel { code: compile::compile(&program)? })
    }

    /// Where an instruction is written.
    pub fn place(&self, site: Site) -> SourcePlace<'_> {
        let of = |function: &&code::FunctionCode| site.0 >= function.first_site;
        let function = self.code.functions.iter().rev().find(of).or(self.code.functions.first());
        let span = function.and_then(|function| function.spans.get((site.0 - function.first_site) as usize).copied());
        SourcePlace {
            function: function.map_or("", |function| &function.name),
            file: function.map_or("", |function| &function.file),
            span: span.unwrap_or_default(),
        }
    }

    /// The name of the parameter behind an argument of a launch.
    pub fn parameter(&self, argument: usize) -> &str {
        let params = self.code.functions.first().map_or(&[][..], |function| &function.params);
        let is_item = matches!(params.first(), Some((_, Type::Item(_) | Type::NdItem(_))));
        self.code.param_names.get(argument + usize::from(is_item)).map_or("", String::as_str)
    }

    /// What lies where in the local memory of a launch, in order; none of what does not fit into memory.
    pub fn local_pieces(&self, launch: &Launch) -> Vec<LocalPiece> {
        let mut local = self.code.local.clone();
        for arg in &launch.args {
            if let Arg::LocalAccessor { extents, elem } = arg {
                let _ = local.place(elem, extents.iter().fold(1, |len, &extent| usize::saturating_mul(len, extent)));
            }
        }
        local.pieces
    }

    /// Runs a launch of the function that the kernel was made from, watched by an observer.
    ///
    /// # Safety
    /// As for [`run`].
    pub unsafe fn run(
        &self,
        launch: &Launch,
        builtins: &dyn Builtins,
        observer: &mut dyn Observer,
    ) -> Result<(), Fault> {
        machine::run(&self.code, launch, builtins, observer)
    }
}

/// Runs a launch to its end.
///
/// # Safety
/// Every pointer among the arguments is valid, for reads and writes as its parameter's type has it, over the elements
/// that its extents and pitch say, which hold values of their type; and nothing else touches that memory meanwhile.
pub unsafe fn run(launch: &Launch, builtins: &dyn Builtins) -> Result<(), Fault> {
    let kernel = Kernel::new(&launch.function, builtins)?;
    // SAFETY: the caller's own promise.
    unsafe { kernel.run(launch, builtins, &mut NoObserver) }
}
