//! Ids of work-items and groups, as people read them.

use std::fmt;

/// The id of a work-item or a group: as many numbers as the kernel has dimensions, and none if it runs once.
///
/// Its text is the number of one dimension, a list of several, and 0 for the one item of a kernel that runs once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Id {
    id: [usize; 3],
    dims: u8,
}

impl Id {
    /// The last `dims` of three numbers, of which those before are 0.
    pub fn new(id: [usize; 3], dims: u8) -> Id {
        Id { id, dims: dims.min(3) }
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[usize] {
        &self.id[3 - usize::from(self.dims)..]
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_slice() {
            [] => f.write_str("0"),
            [id] => write!(f, "{id}"),
            ids => write!(f, "{ids:?}"),
        }
    }
}
