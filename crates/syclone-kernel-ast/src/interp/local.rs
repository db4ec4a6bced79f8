//! What lies where in a group's local memory: first what the kernel declares, then what its launch adds.

use crate::types::Type;

/// Every piece begins at a multiple of this, as on the device.
const ALIGN: usize = 64;

/// Elements of one type in a row, somewhere in local memory.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalPiece {
    /// The first byte.
    pub offset: usize,
    /// Number of elements.
    pub len: usize,
    /// Their type.
    pub elem: Type,
}

/// The pieces, one behind the other.
#[derive(Clone, Default, Debug)]
pub(super) struct LocalLayout {
    pub(super) bytes: usize,
    pub(super) pieces: Vec<LocalPiece>,
}

impl LocalLayout {
    /// Adds a piece and gives its first byte; none if it ends beyond all memory.
    pub(super) fn place(&mut self, elem: &Type, len: usize) -> Option<usize> {
        let offset = self.bytes.checked_next_multiple_of(ALIGN)?;
        self.bytes = offset.checked_add(len.checked_mul(elem.size())?)?;
        self.pieces.push(LocalPiece { offset, len, elem: elem.clone() });
        Some(offset)
    }
}
