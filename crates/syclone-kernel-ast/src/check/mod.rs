//! Looking for mistakes in a kernel while it runs on the interpreter.
//!
//! A [`Checker`] is an [`Observer`] of one launch. It knows for each number in memory who touched it last (`shadow`) and
//! what happens before what (`clock`), and collects what is wrong as [`Finding`]s, each place once.
//!
//! - *Races* are looked for where items can race: in memory that any item may write at any index, and in local memory. A
//!   `View` cannot be written and an `ItemMut` gives each item its own element. Items of a group that write one and the same
//!   value to their `GroupMut` element do not race.
//! - *Unwritten memory*: the launcher says which bytes of an argument nobody has written; of local memory that is all, whenever
//!   a group begins. (Its values are unspecified then, though always some value of the type.) Padding does not count.
//! - Everything else the interpreter itself notices.

mod clock;
mod elements;
mod explain;
mod finding;
mod shadow;

use std::collections::HashMap;
use std::ops::Range;

use self::clock::{Clock, Stamp};
use self::elements::Elements;
use self::shadow::{Conflict, Earlier, Shadow};
use crate::interp::{Access, AccessKind, Arg, Global, Incident, Kernel, Launch, LocalPiece, Observer, Site, Space};
use crate::tree::FunctionKind;
use crate::types::{Order, Scope, Type};

pub use finding::{Finding, FindingKind, Location};

/// More findings than this say nothing new.
const MOST_FINDINGS: usize = 64;

/// What a launch has touched of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The first byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// The instruction that touched it first.
    pub site: Site,
}

/// What is known of an argument's memory.
#[derive(Default)]
struct Region {
    /// What lies there; local memory has several pieces, in order.
    elements: Vec<Elements>,
    /// The number of bits by which offsets are shifted to cells.
    shift: u32,
    /// Where items can race.
    shadow: Option<Shadow>,
    /// For each cell whether nobody has written it; none if everything is written.
    unwritten: Option<Vec<bool>>,
    /// Whether items may write the same value to one element without an order: a `GroupMut` says so.
    may_agree: bool,
    /// The alignment that its elements need and do not have.
    misaligned: Option<usize>,
    read: Option<Touched>,
    written: Option<Touched>,
    /// Which cells exactly were read and written, a bit each; only of arguments for which that was asked for.
    exactly: Option<[Vec<u64>; 2]>,
}

/// A kind of mistake at one or two places.
type Key = (FindingKind, Site, Option<Site>);

/// The checks of one launch.
pub struct Checker<'a> {
    kernel: &'a Kernel,
    /// The dimensions of the kernel's items.
    dims: u8,
    global_range: [usize; 3],
    local_range: [usize; 3],
    clock: Clock,
    regions: Vec<Region>,
    local: Region,
    /// When each cell of local memory was last written.
    local_written: Vec<u32>,
    findings: Vec<Finding>,
    known: HashMap<Key, usize>,
}

impl<'a> Checker<'a> {
    /// The checks of a launch; `kernel` is made of its function.
    pub fn new(kernel: &'a Kernel, launch: &Launch) -> Checker<'a> {
        let nd_range = matches!(launch.function.tree.kind, FunctionKind::NdRange { .. });
        let single = matches!(launch.function.tree.kind, FunctionKind::SingleTask);
        let local_range = if nd_range { launch.local } else { [1; 3] };
        let global_range = if single { [1; 3] } else { launch.global };
        let group_size = local_range.iter().product();
        let types = launch.function.tree.params.iter().map(|param| &launch.function.types[param.ty.0 as usize]);
        let types = types.filter(|ty| !matches!(ty, Type::Item(_) | Type::NdItem(_)));
        let items = global_range.iter().fold(1usize, |all, &n| all.saturating_mul(n));
        // Items are numbered in 32 bits; nobody waits for an interpreter to run more of them.
        let races = items < u32::MAX as usize && !single;
        Checker {
            kernel,
            dims: launch.function.tree.kind.dims(),
            global_range,
            local_range,
            clock: Clock::new(group_size, launch.sub_group_size),
            regions: launch.args.iter().zip(types).map(|(arg, ty)| Region::of(arg, ty, races)).collect(),
            local: Region::local(&kernel.local_pieces(launch), group_size),
            local_written: Vec::new(),
            findings: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Says that nobody has written these bytes of an argument.
    pub fn mark_unwritten(&mut self, argument: usize, bytes: Range<usize>) {
        let Some(region) = self.regions.get_mut(argument) else { return };
        let cells = bytes.start >> region.shift..bytes.end.div_ceil(1 << region.shift);
        let unwritten = region.unwritten.get_or_insert_default();
        if unwritten.len() < cells.end {
            unwritten.resize(cells.end, false);
        }
        unwritten[cells].fill(true);
    }

    /// Has it noted which bytes of an argument exactly are touched.
    pub fn watch_exactly(&mut self, argument: usize) {
        let Some(region) = self.regions.get_mut(argument) else { return };
        let cells = region.elements.iter().map(Elements::end).max().unwrap_or(0).div_ceil(1 << region.shift);
        region.exactly = Some([(); 2].map(|()| vec![0; cells.div_ceil(64)]));
    }

    /// What was read or written of an argument that was watched: the number of bits by which offsets are shifted, and a bit
    /// for each offset that is left.
    pub fn exactly(&self, argument: usize, writes: bool) -> Option<(u32, &[u64])> {
        let region = self.regions.get(argument)?;
        Some((region.shift, &region.exactly.as_ref()?[usize::from(writes)]))
    }

    /// The bytes of an argument that still nobody has written; padding only behind such bytes.
    pub fn unwritten(&self, argument: usize) -> Vec<Range<usize>> {
        let Some(region) = self.regions.get(argument) else { return Vec::new() };
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (cell, _) in region.unwritten.iter().flatten().enumerate().filter(|(_, unwritten)| **unwritten) {
            let bytes = cell << region.shift..(cell + 1) << region.shift;
            match ranges.last_mut() {
                Some(last) if last.end == bytes.start => last.end = bytes.end,
                _ if region.pads(bytes.start) => {}
                _ => ranges.push(bytes),
            }
        }
        ranges
    }

    /// What was read of an argument, as one range around it.
    pub fn read(&self, argument: usize) -> Option<Touched> {
        self.regions.get(argument)?.read
    }

    /// What was written of an argument, as one range around it.
    pub fn written(&self, argument: usize) -> Option<Touched> {
        self.regions.get(argument)?.written
    }

    /// What was found, in the order in which it happened.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Notes a mistake; `make` describes it, if it is the first at its place.
    fn find(&mut self, key: Key, make: impl FnOnce(&Self) -> Finding) {
        if let Some(&position) = self.known.get(&key) {
            self.findings[position].count += 1;
        } else if self.findings.len() < MOST_FINDINGS {
            let finding = make(self);
            self.known.insert(key, self.findings.len());
            self.findings.push(finding);
        }
    }

    /// An access that is not all right, one way or the other.
    #[cold]
    fn conflict(&mut self, access: &Access, conflict: Conflict) {
        let key = (FindingKind::DataRace, access.site, Some(conflict.record.site()));
        self.find(key, |this| this.explain_race(access, conflict));
    }

    fn local_access(&mut self, access: &Access, now: Stamp) {
        let cells = self.local.cells(access);
        if self.local_written.len() < cells.end {
            self.local_written.resize(cells.end.next_power_of_two(), 0);
            if let Some(shadow) = &mut self.local.shadow {
                shadow.grow_to(self.local_written.len());
            }
        }
        let began = self.clock.group_began();
        if access.kind.reads() {
            let marks = self.local_written[cells.clone()].iter().map(|&time| time < began);
            if let Some(byte) = self.local.first_unwritten(cells.start, marks) {
                self.find((FindingKind::Unwritten, access.site, None), |this| this.explain_unwritten(access, byte));
            }
        }
        if access.kind.writes() {
            self.local_written[cells.clone()].fill(now.time);
        }
        let Some(shadow) = &mut self.local.shadow else { return };
        let mut found = None;
        for cell in cells {
            let conflict = shadow.access(cell, access.kind, now, access.site, &self.clock, began);
            found = found.or(conflict);
        }
        if let Some(conflict) = found {
            self.conflict(access, conflict);
        }
    }

    fn global_access(&mut self, argument: usize, access: &Access, now: Stamp) {
        let Some(region) = self.regions.get_mut(argument) else { return };
        let (reads, writes) = (access.kind.reads(), access.kind.writes());
        let touched = if writes { &mut region.written } else { &mut region.read };
        let end = access.offset + access.len;
        match touched {
            Some(touched) => {
                touched.start = touched.start.min(access.offset);
                touched.end = touched.end.max(end);
            }
            None => *touched = Some(Touched { start: access.offset, end, site: access.site }),
        }
        let cells = region.cells(access);
        if let Some(exactly) = &mut region.exactly {
            let words = &mut exactly[usize::from(writes)];
            cells.clone().for_each(|cell| words[cell / 64] |= 1 << (cell % 64));
        }
        let mut unwritten = None;
        if let Some(marks) = &region.unwritten {
            // Marks end with the last one.
            let marked = cells.start.min(marks.len())..cells.end.min(marks.len());
            if reads {
                unwritten = region.first_unwritten(marked.start, marks[marked.clone()].iter().copied());
            }
            if writes && let Some(marks) = &mut region.unwritten {
                marks[marked].fill(false);
            }
        }
        let mut found = None;
        if let Some(shadow) = &mut region.shadow {
            for cell in cells {
                let conflict = shadow.access(cell, access.kind, now, access.site, &self.clock, 0);
                found = found.or(conflict);
            }
        }
        if region.may_agree && access.kind == AccessKind::WriteSame {
            found = found.filter(|conflict| conflict.earlier != Earlier::Write);
        }
        let misaligned = region.misaligned;
        if let Some(byte) = unwritten {
            self.find((FindingKind::Unwritten, access.site, None), |this| this.explain_unwritten(access, byte));
        }
        if let Some(align) = misaligned {
            self.find((FindingKind::Misaligned, access.site, None), |this| this.explain_misaligned(access, align));
        }
        if let Some(conflict) = found {
            self.conflict(access, conflict);
        }
    }
}

impl Region {
    fn of(arg: &Arg, ty: &Type, races: bool) -> Region {
        let Arg::Global(global) = arg else { return Region::default() };
        let grain = global.elem.grain();
        let bytes = bytes_of(global);
        let racy = matches!(ty, Type::GroupMut(..) | Type::ScatterMut(..) | Type::AtomicView(..));
        let align = global.elem.align();
        Region {
            elements: vec![Elements::new(&global.elem, 0..bytes, grain)],
            shift: grain.trailing_zeros(),
            shadow: if racy && races { Shadow::new(bytes.div_ceil(grain)) } else { None },
            may_agree: matches!(ty, Type::GroupMut(..)),
            misaligned: (!global.ptr.addr().is_multiple_of(align)).then_some(align),
            ..Region::default()
        }
    }

    /// The group's local memory.
    fn local(pieces: &[LocalPiece], group_size: usize) -> Region {
        let grain = pieces.iter().map(|piece| piece.elem.grain()).min().unwrap_or(8);
        let elements = |piece: &LocalPiece| {
            let bytes = piece.offset..piece.offset + piece.len * piece.elem.size();
            Elements::new(&piece.elem, bytes, grain)
        };
        Region {
            elements: pieces.iter().map(elements).collect(),
            shift: grain.trailing_zeros(),
            shadow: (group_size > 1).then(Shadow::default),
            ..Region::default()
        }
    }

    /// The first byte that is no padding and that nobody has written; `marks` says so of each cell from `cell` on.
    #[inline(always)]
    fn first_unwritten(&self, cell: usize, marks: impl Iterator<Item = bool>) -> Option<usize> {
        let unwritten = (cell..).zip(marks).filter(|(_, unwritten)| *unwritten);
        unwritten.map(|(cell, _)| cell << self.shift).find(|&byte| !self.pads(byte))
    }

    #[cold]
    fn pads(&self, byte: usize) -> bool {
        self.elements.iter().any(|elements| elements.pads(byte))
    }

    #[inline(always)]
    fn cells(&self, access: &Access) -> Range<usize> {
        access.offset >> self.shift..(access.offset + access.len + (1 << self.shift) - 1) >> self.shift
    }
}

/// Bytes from the first element of an argument to behind its last.
fn bytes_of(global: &Global) -> usize {
    let [planes, rows, columns] = global.extents;
    if planes == 0 || rows == 0 || columns == 0 {
        return 0;
    }
    ((planes * rows - 1) * global.pitch + columns) * global.elem.size()
}

impl Observer for Checker<'_> {
    fn begin_group(&mut self, group: usize) {
        self.clock.begin_group(group);
    }

    fn access(&mut self, access: &Access) {
        let now = self.clock.stamp(access.item);
        let argument = match access.space {
            Space::Local => {
                self.local_access(access, now);
                None
            }
            Space::Global(argument) => {
                self.global_access(argument, access, now);
                Some(argument)
            }
        };
        if let AccessKind::Atomic { reads, writes, order, scope } = access.kind {
            self.clock.atomic(access.item, (argument, access.offset), (reads, writes), order, scope);
        }
    }

    fn barrier(&mut self, _group: usize) {
        self.clock.barrier();
    }

    fn sub_group_barrier(&mut self, _group: usize, members: Range<usize>) {
        self.clock.sub_group_barrier(members);
    }

    fn fence(&mut self, item: usize, order: Order, scope: Scope) {
        self.clock.fence(item, order, scope);
    }

    fn wants_incidents(&self) -> bool {
        true
    }

    fn incident(&mut self, incident: &Incident) {
        let kind = explain::kind_of(&incident.kind);
        self.find((kind, incident.site, None), |this| this.explain_incident(kind, incident));
    }
}
