//! The three memories behind an address, and the handles that kernels reach global and sized local memory through.
//!
//! An address is 64 bits. The top two say whether it is in the item's private memory or in the group's local memory; else it
//! is in global memory, and the eight bits from [`HANDLE_SHIFT`] on are one more than the handle's number
//! among the arguments. The low bits are an offset there. Zero is the address of an element that does not exist. The bits between are the
//! order and the scope of an atomic, which ends where the address is used.

use super::Machine;
use crate::interp::code::Coordinates;
use crate::interp::{Access, AccessKind, Fault, Global, IncidentKind, OutOfBounds, Space};
use crate::types::{Op, Order, Scope, Type};

const PRIVATE: u64 = 1 << 62;
const LOCAL: u64 = 2 << 62;
const MASK: u64 = 3 << 62;
const HANDLE_SHIFT: u32 = 48;
const OFFSET: u64 = (1 << HANDLE_SHIFT) - 1;
const ORDER_SHIFT: u32 = 56;
const SCOPE_SHIFT: u32 = 59;
/// What the three bits of an order, or of a scope, can hold.
const THREE_BITS: u64 = 7;
/// More handles than this have no number.
pub(super) const MAX_HANDLES: usize = 254;
/// The address of an element that does not exist.
pub(super) const NOTHING: u64 = 0;

/// What a handle in a frame stands for: its number is the parameter's position among the arguments.
pub(super) enum Handle {
    Global(Global),
    Local {
        offset: u64,
        extents: [usize; 3],
        elem: Type,
    },
    Reducer {
        op: Op,
        ty: Type,
        slot: *mut u8,
    },
    /// A parameter that is no handle.
    Plain,
}

/// The elements that a handle gives access to.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    /// The address of the first.
    start: u64,
    extents: [usize; 3],
    /// Elements from one row to the next.
    pitch: usize,
    /// Bytes of one.
    size: usize,
}

impl Handle {
    /// The elements behind the handle with this number.
    pub(super) fn elements(&self, number: usize) -> Option<Elements> {
        match self {
            Handle::Global(Global { extents, pitch, elem, .. }) => {
                Some(Elements { start: global(number), extents: *extents, pitch: *pitch, size: elem.size() })
            }
            Handle::Local { offset, extents, elem } => {
                Some(Elements { start: local(*offset), extents: *extents, pitch: extents[2], size: elem.size() })
            }
            Handle::Reducer { .. } | Handle::Plain => None,
        }
    }

    /// The first byte of global memory behind the handle.
    pub(super) fn base(&self) -> *mut u8 {
        match self {
            Handle::Global(global) => global.ptr,
            Handle::Reducer { slot, .. } => *slot,
            Handle::Local { .. } | Handle::Plain => std::ptr::null_mut(),
        }
    }
}

pub(super) fn private(offset: usize) -> u64 {
    PRIVATE | offset as u64
}

pub(super) fn local(offset: u64) -> u64 {
    LOCAL | offset
}

/// The address of the first byte behind a handle.
pub(super) fn global(handle: usize) -> u64 {
    (handle as u64 + 1) << HANDLE_SHIFT
}

/// An address plus an offset; of nothing if the base is.
pub(super) fn add(address: u64, offset: u64) -> u64 {
    if address == NOTHING { NOTHING } else { address.wrapping_add(offset) }
}

/// The address of an atomic with another order of its operations.
pub(super) fn with_order(address: u64, order: Order) -> u64 {
    with_bits(address, ORDER_SHIFT, order as u64)
}

/// The address of an atomic with another scope of its operations. The device, which is the default, is zero.
pub(super) fn with_scope(address: u64, scope: Scope) -> u64 {
    with_bits(address, SCOPE_SHIFT, scope as u64 ^ Scope::Device as u64)
}

fn with_bits(address: u64, shift: u32, bits: u64) -> u64 {
    if address == NOTHING { NOTHING } else { address & !(THREE_BITS << shift) | bits << shift }
}

/// An atomic's address, order and scope.
pub(super) fn atomic(address: u64) -> (u64, Order, Scope) {
    let bits = |shift: u32| address >> shift & THREE_BITS;
    let order = Order::ALL.get(bits(ORDER_SHIFT) as usize).copied().unwrap_or(Order::SeqCst);
    let scope = (bits(SCOPE_SHIFT) ^ Scope::Device as u64) as usize;
    let scope = Scope::ALL.get(scope).copied().unwrap_or(Scope::System);
    (address & !(THREE_BITS << ORDER_SHIFT | THREE_BITS << SCOPE_SHIFT), order, scope)
}

impl Machine<'_> {
    /// Reads from an address into the running item's frame.
    pub(super) fn load(&mut self, to: usize, address: u64, len: usize) -> Result<(), Fault> {
        self.observe(address, len, AccessKind::Read);
        self.read_bytes(address, to, len)
    }

    /// Writes from the running item's frame to an address.
    pub(super) fn store(&mut self, address: u64, from: usize, len: usize) -> Result<(), Fault> {
        let start = self.base + from;
        if self.watched && !self.changes(address, start, len) {
            self.observe(address, len, AccessKind::WriteSame);
        } else {
            self.observe(address, len, AccessKind::Write);
        }
        let bytes = self.private.get(start..start + len).ok_or_else(stray)?;
        match address & MASK {
            PRIVATE => {
                let at = self.base_of_item() + (address & !MASK) as usize;
                if at + len > self.private.len() {
                    return Err(stray());
                }
                self.private.copy_within(start..start + len, at);
            }
            LOCAL => {
                let at = (address & !MASK) as usize;
                self.local.get_mut(at..at + len).ok_or_else(stray)?.copy_from_slice(bytes);
            }
            _ if address == NOTHING => {}
            // SAFETY: the address is that of an element inside a handle's extents (`element` checks each), or of a part
            // of it; the caller of `run` vouches for those.
            _ => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host(address), len) },
        }
        Ok(())
    }

    /// Whether the bytes at an address of shared memory differ from those in private memory.
    fn changes(&self, address: u64, start: usize, len: usize) -> bool {
        let Some(new) = self.private.get(start..start + len) else { return true };
        match address & MASK {
            PRIVATE => true,
            LOCAL => {
                let at = (address & !MASK) as usize;
                self.local.get(at..at + len) != Some(new)
            }
            _ if address == NOTHING => true,
            // SAFETY: as in `store`.
            _ => unsafe { std::slice::from_raw_parts(self.host(address), len) != new },
        }
    }

    fn read_bytes(&mut self, address: u64, to: usize, len: usize) -> Result<(), Fault> {
        let start = self.base + to;
        match address & MASK {
            PRIVATE => {
                let at = self.base_of_item() + (address & !MASK) as usize;
                if at.max(start) + len > self.private.len() {
                    return Err(stray());
                }
                self.private.copy_within(at..at + len, start);
            }
            LOCAL => {
                let at = (address & !MASK) as usize;
                let bytes = self.local.get(at..at + len).ok_or_else(stray)?;
                self.private.get_mut(start..start + len).ok_or_else(stray)?.copy_from_slice(bytes);
            }
            _ => {
                let source = self.host(address);
                if len == 4 && address != NOTHING {
                    // SAFETY: as in `store`.
                    let bytes = unsafe { source.cast::<[u8; 4]>().read() };
                    self.private.get_mut(start..start + 4).ok_or_else(stray)?.copy_from_slice(&bytes);
                    return Ok(());
                }
                let target = self.private.get_mut(start..start + len).ok_or_else(stray)?;
                if address == NOTHING {
                    target.fill(0);
                } else {
                    // SAFETY: as in `store`.
                    unsafe { std::ptr::copy_nonoverlapping(source, target.as_mut_ptr(), len) }
                }
            }
        }
        Ok(())
    }

    /// The bytes at an address of shared memory, for operations that are no plain reads.
    pub(super) fn peek(&mut self, address: u64, len: usize, kind: AccessKind) -> Result<Vec<u8>, Fault> {
        self.observe(address, len, kind);
        let mut bytes = vec![0; len];
        match address & MASK {
            PRIVATE => return Err(stray()),
            LOCAL => {
                let at = (address & !MASK) as usize;
                bytes.copy_from_slice(self.local.get(at..at + len).ok_or_else(stray)?);
            }
            _ if address == NOTHING => {}
            // SAFETY: as in `store`.
            _ => unsafe { std::ptr::copy_nonoverlapping(self.host(address), bytes.as_mut_ptr(), len) },
        }
        Ok(bytes)
    }

    /// Puts bytes to an address of shared memory; `kind` is `None` for the second half of an atomic operation.
    pub(super) fn poke(&mut self, address: u64, bytes: &[u8], kind: Option<AccessKind>) -> Result<(), Fault> {
        if let Some(kind) = kind {
            self.observe(address, bytes.len(), kind);
        }
        match address & MASK {
            PRIVATE => return Err(stray()),
            LOCAL => {
                let at = (address & !MASK) as usize;
                self.local.get_mut(at..at + bytes.len()).ok_or_else(stray)?.copy_from_slice(bytes);
            }
            _ if address == NOTHING => {}
            // SAFETY: as in `store`.
            _ => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host(address), bytes.len()) },
        }
        Ok(())
    }

    /// The host's address of an address in global memory.
    #[inline(always)]
    fn host(&self, address: u64) -> *mut u8 {
        let base = self.bases.get((address >> HANDLE_SHIFT & 0xff) as usize).copied().unwrap_or(std::ptr::null_mut());
        base.wrapping_add((address & OFFSET) as usize)
    }

    #[inline(always)]
    fn observe(&mut self, address: u64, len: usize, kind: AccessKind) {
        let space = match address & MASK {
            PRIVATE => return,
            LOCAL => Space::Local,
            _ if address == NOTHING => return,
            _ => Space::Global((address >> HANDLE_SHIFT & 0xff) as usize - 1),
        };
        let access = Access {
            space,
            offset: (address & OFFSET) as usize,
            len,
            kind,
            group: self.group_linear,
            item: self.current,
            site: self.site(),
        };
        self.observer.access(&access);
    }

    /// The address of an element of a handle; of nothing, and reported, if it is outside.
    pub(super) fn element(&mut self, handle: u64, coordinates: Coordinates) -> Result<u64, Fault> {
        let mut index = [0; 3];
        match coordinates {
            Coordinates::Item => index = self.global_id(),
            Coordinates::Group => index = self.group,
            Coordinates::Numbers(at, dims) => {
                let dims = usize::from(dims.min(3));
                for dim in 0..dims {
                    index[3 - dims + dim] = self.number(at + 8 * dim as u32) as usize;
                }
            }
        }
        self.element_at(handle, index)
    }

    /// The address of the element at an index.
    pub(super) fn element_at(&mut self, handle: u64, index: [usize; 3]) -> Result<u64, Fault> {
        let Some(&Some(Elements { start, extents, pitch, size })) = self.elements.get(handle as usize) else {
            return Err(Fault::Internal("an index into a parameter that is no memory".into()));
        };
        if (0..3).any(|dim| index[dim] >= extents[dim]) {
            self.report_handle(handle as usize, index, extents);
            return Ok(NOTHING);
        }
        let position = (index[0] * extents[1] + index[1]) * pitch + index[2];
        Ok(start.wrapping_add((position * size) as u64))
    }

    /// Notes an index outside a parameter's elements, if it is the first.
    pub(super) fn report_handle(&mut self, handle: usize, index: [usize; 3], extents: [usize; 3]) {
        let position = self.positions.get(handle).copied();
        let name = position.and_then(|position| self.code.param_names.get(position)).cloned().unwrap_or_default();
        let kernel = self.code.functions.first();
        let ty = position.and_then(|position| kernel?.params.get(position)).map(|(_, ty)| ty);
        let dims = ty.and_then(Type::dims).unwrap_or(1);
        self.report(name, position, index, extents, dims);
    }

    /// Notes an index outside a row of elements, if it is the first of its name: of those at an address, which may be a
    /// parameter's, or of an array or a vector.
    pub(super) fn report_row(&mut self, name: String, address: Option<u64>, index: u64, len: u64) {
        let handle = address.and_then(|address| self.handle_of(address));
        let position = handle.and_then(|handle| self.positions.get(handle)).copied();
        self.report(name, position, [0, 0, index as usize], [1, 1, len as usize], 1);
    }

    /// The handle behind which an address lies.
    fn handle_of(&self, address: u64) -> Option<usize> {
        let holds = |handle: &Handle| match handle {
            Handle::Local { offset, extents, elem } => {
                let bytes = super::product(*extents) * elem.size();
                (*offset..*offset + bytes as u64).contains(&(address & OFFSET))
            }
            _ => false,
        };
        match address & MASK {
            PRIVATE => None,
            LOCAL => self.handles.iter().position(holds),
            _ => ((address >> HANDLE_SHIFT & 0xff) as usize).checked_sub(1),
        }
    }

    fn report(&mut self, parameter: String, position: Option<usize>, index: [usize; 3], extents: [usize; 3], dims: u8) {
        let known = self.outside.iter().any(|fault| fault.position == position && fault.parameter == parameter);
        if known && !self.watched {
            return;
        }
        let (line, item) = (self.line(), self.item_id());
        let fault = OutOfBounds { parameter, position, line, index, extents, dims, item };
        if !known {
            self.outside.push(fault.clone());
        }
        self.tell(IncidentKind::OutOfBounds(fault));
    }

    /// A handle's extents.
    pub(super) fn extents(&self, handle: u64) -> [usize; 3] {
        match self.handles.get(handle as usize) {
            Some(Handle::Global(global)) => global.extents,
            Some(Handle::Local { extents, .. }) => *extents,
            _ => [0; 3],
        }
    }

    /// The address of a handle's first element.
    pub(super) fn first(&self, handle: u64) -> u64 {
        match self.handles.get(handle as usize) {
            Some(Handle::Global(_)) => global(handle as usize),
            Some(Handle::Local { offset, .. }) => local(*offset),
            _ => NOTHING,
        }
    }
}

fn stray() -> Fault {
    Fault::Internal("an address outside of its memory".into())
}
