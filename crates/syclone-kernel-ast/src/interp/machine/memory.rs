//! The three memories behind an address, and the handles that kernels reach global and sized local memory through.
//!
//! An address is 64 bits. The top two say which memory: an offset in the item's private memory, an offset in the group's
//! local memory, or the host's own address of global memory (whose top bits are clear in user space). Zero is the
//! address of an element that does not exist.

use super::Machine;
use crate::interp::code::Coordinates;
use crate::interp::{Access, AccessKind, Fault, Global, OutOfBounds, Space};
use crate::types::{Op, Type};

const PRIVATE: u64 = 1 << 62;
const LOCAL: u64 = 2 << 62;
const MASK: u64 = 3 << 62;
/// Larger elements than this are read in pieces; no type of a kernel is.
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
        address: u64,
    },
    /// A parameter that is no handle.
    Plain,
}

pub(super) fn private(offset: usize) -> u64 {
    PRIVATE | offset as u64
}

pub(super) fn local(offset: u64) -> u64 {
    LOCAL | offset
}

/// An address plus an offset; of nothing if the base is.
pub(super) fn add(address: u64, offset: u64) -> u64 {
    if address == NOTHING { NOTHING } else { address.wrapping_add(offset) }
}

impl Machine<'_> {
    /// Reads from an address into the running item's frame.
    pub(super) fn load(&mut self, to: usize, address: u64, len: usize) -> Result<(), Fault> {
        self.observe(address, len, AccessKind::Read);
        self.read_bytes(address, to, len)
    }

    /// Writes from the running item's frame to an address.
    pub(super) fn store(&mut self, address: u64, from: usize, len: usize) -> Result<(), Fault> {
        self.observe(address, len, AccessKind::Write);
        let start = self.base + from;
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
            _ => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, len) },
        }
        Ok(())
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
                let target = self.private.get_mut(start..start + len).ok_or_else(stray)?;
                if address == NOTHING {
                    target.fill(0);
                } else {
                    // SAFETY: as in `store`.
                    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, target.as_mut_ptr(), len) }
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
            _ => unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), len) },
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
            _ => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) },
        }
        Ok(())
    }

    fn observe(&mut self, address: u64, len: usize, kind: AccessKind) {
        let (space, address) = match address & MASK {
            PRIVATE => return,
            LOCAL => (Space::Local, (address & !MASK) as usize),
            _ if address == NOTHING => return,
            _ => (Space::Global, address as usize),
        };
        let access =
            Access { space, address, len, kind, group: self.group_linear, item: self.current, line: self.line() };
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
        let (start, extents, pitch, size) = match self.handles.get(handle as usize) {
            Some(Handle::Global(global)) => (global.ptr as u64, global.extents, global.pitch, global.elem.size()),
            Some(Handle::Local { offset, extents, elem }) => (local(*offset), *extents, extents[2], elem.size()),
            _ => {
                return Err(Fault::Internal("an index into a parameter that is no memory".into()));
            }
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
        self.report(name, position, index, extents);
    }

    /// Notes an index outside an array, if it is the first of its name.
    pub(super) fn report(
        &mut self,
        parameter: String,
        position: Option<usize>,
        index: [usize; 3],
        extents: [usize; 3],
    ) {
        if self.outside.iter().any(|fault| fault.position == position && fault.parameter == parameter) {
            return;
        }
        let fault = OutOfBounds { parameter, position, line: self.line(), index, extents, item: self.global_id() };
        self.outside.push(fault);
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
            Some(Handle::Global(global)) => global.ptr as u64,
            Some(Handle::Local { offset, .. }) => local(*offset),
            _ => NOTHING,
        }
    }
}

fn stray() -> Fault {
    Fault::Internal("an address outside of its memory".into())
}
