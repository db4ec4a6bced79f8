//! What all handles to global memory share: where the elements are, how many, and which fault bit they raise.

use super::item::{Group, Item, NdItem};
use super::place::{Place, fault_unless};
use super::vector_access::Row;

/// Rows of elements in global memory, seen by one command.
#[derive(Debug)]
pub(crate) struct Memory<T, const D: usize> {
    pub(crate) ptr: *mut T,
    pub(crate) extents: [usize; D],
    /// Elements from one row (last dimension) to the next.
    pub(crate) pitch: usize,
    pub(crate) fault: u32,
    /// The command whose access made the handle.
    pub(crate) command: Option<u64>,
}

impl<T, const D: usize> Clone for Memory<T, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize> Copy for Memory<T, D> {}

#[allow(clippy::needless_range_loop, reason = "the same dimension of two arrays")]
impl<T, const D: usize> Memory<T, D> {
    pub(crate) fn new(ptr: *const T, extents: [usize; D], command: Option<u64>) -> Self {
        let pitch = extents.last().copied().unwrap_or(1);
        Memory { ptr: ptr.cast_mut(), extents, pitch, fault: 0, command }
    }

    /// How far the element at `index` is from the first, in elements; affine in `index`, in or out of bounds.
    #[inline(always)]
    fn offset(&self, index: [usize; D]) -> usize {
        let mut row = 0usize;
        for dim in 0..D - 1 {
            row = row.wrapping_mul(self.extents[dim]).wrapping_add(index[dim]);
        }
        row.wrapping_mul(self.pitch).wrapping_add(index[D - 1])
    }

    /// Whether every dimension of `index` is inside; no short circuit, so that loops over it vectorise.
    #[inline(always)]
    fn inside(&self, index: [usize; D]) -> bool {
        let mut inside = true;
        for dim in 0..D {
            inside &= index[dim] < self.extents[dim];
        }
        inside
    }

    /// The place of the element at `index`.
    ///
    /// # Safety
    /// The memory is alive and ordered against other commands: the launch sees to it.
    #[inline(always)]
    pub(crate) unsafe fn place(&self, index: [usize; D]) -> Place<T> {
        let ptr = self.ptr.wrapping_add(self.offset(index));
        // SAFETY: an index inside the extents is inside the memory that the handle was made from.
        unsafe { Place::new(ptr, fault_unless(self.inside(index), self.fault)) }
    }

    /// The number of elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        let mut len = 1usize;
        for extent in self.extents {
            len = len.wrapping_mul(extent);
        }
        len
    }

    /// The first address, and the bytes from there to the end of the last row.
    pub(crate) fn reach(&self) -> (usize, usize) {
        if self.len() == 0 {
            // Without elements, extents and pitch may be more than bytes can count.
            return (self.ptr.addr(), 0);
        }
        let rows = self.extents[..D - 1].iter().product::<usize>();
        let elements = (rows - 1) * self.pitch + self.extents[D - 1];
        (self.ptr.addr(), elements * size_of::<T>())
    }

    /// If the rows lie apart, the bytes of one, and from one to the next.
    pub(crate) fn rows_apart(&self) -> Option<(usize, usize)> {
        let (row, pitch) = (self.extents[D - 1], self.pitch);
        (row < pitch && self.len() > 0).then(|| (row * size_of::<T>(), pitch * size_of::<T>()))
    }

    /// The extents as the launcher and the interpreter take them: missing dimensions are 1 in front.
    pub(crate) fn extents_3d(&self) -> [usize; 3] {
        leading_ones(self.extents)
    }
}

impl<T> Memory<T, 1> {
    /// All elements of one dimension.
    #[inline(always)]
    pub(crate) fn row(&self) -> Row<T> {
        Row { first: self.ptr, len: self.extents[0], fault: self.fault }
    }
}

/// `extents` as the last of three dimensions.
pub(crate) fn leading_ones<const D: usize>(extents: [usize; D]) -> [usize; 3] {
    let mut all = [1; 3];
    for dim in 0..D.min(3) {
        all[3 - D.min(3) + dim] = extents[dim];
    }
    all
}

/// What can be an index into `D` dimensions: `usize` (one dimension), `[usize; D]`, an item or a group.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index into {D} dimensions",
    note = "index with `usize`, with `[usize; D]` for D dimensions, or with the item or group itself"
)]
pub trait Position<const D: usize>: Copy {
    /// The index in each dimension.
    fn position(self) -> [usize; D];
}

/// The indices that are numbers: `usize` (one dimension) and `[usize; D]`.
pub trait Coordinates<const D: usize>: Position<D> {}

/// The indices that belong to one work-item.
#[diagnostic::on_unimplemented(
    message = "an ItemMut cannot be indexed by `{Self}`",
    note = "index an ItemMut with the item: each element has one writer; for any other index take ScatterMut"
)]
///
/// # Safety
/// Two items of a launch never have tokens of one position.
pub unsafe trait ItemToken<const D: usize>: Position<D> {}

/// The indices that belong to one work-group.
#[diagnostic::on_unimplemented(
    message = "a GroupMut cannot be indexed by `{Self}`",
    note = "index a GroupMut with the group: each element has one writing group"
)]
///
/// # Safety
/// Items of two groups of a launch never have tokens of one position.
pub unsafe trait GroupToken<const D: usize>: Copy {
    /// The group's index in each dimension.
    fn group_position(self) -> [usize; D];
}

impl Position<1> for usize {
    #[inline(always)]
    fn position(self) -> [usize; 1] {
        [self]
    }
}

impl Coordinates<1> for usize {}

impl<const D: usize> Position<D> for [usize; D] {
    #[inline(always)]
    fn position(self) -> [usize; D] {
        self
    }
}

impl<const D: usize> Coordinates<D> for [usize; D] {}

macro_rules! tokens {
    ($unsafe:tt $trait:ident::$method:ident for $($token:ident)*) => {$(
        tokens!(@ $unsafe $trait $method $token);
    )*};
    (@ [$($unsafe:tt)?] $trait:ident $method:ident $token:ident) => {
        // SAFETY: only the launch makes tokens, one for each item or group.
        $($unsafe)? impl<const D: usize> $trait<D> for $token<D> {
            #[inline(always)]
            fn $method(self) -> [usize; D] {
                <$token<D>>::$method(&self)
            }
        }

        // SAFETY: as above.
        $($unsafe)? impl<const D: usize> $trait<D> for &$token<D> {
            #[inline(always)]
            fn $method(self) -> [usize; D] {
                <$token<D>>::$method(self)
            }
        }
    };
}

tokens!([] Position::position for Item NdItem Group);
tokens!([unsafe] GroupToken::group_position for NdItem Group);

// SAFETY: only the launch makes items, one for each position.
unsafe impl<const D: usize> ItemToken<D> for Item<D> {}
// SAFETY: as above.
unsafe impl<const D: usize> ItemToken<D> for &Item<D> {}
// SAFETY: as above.
unsafe impl<const D: usize> ItemToken<D> for NdItem<D> {}
// SAFETY: as above.
unsafe impl<const D: usize> ItemToken<D> for &NdItem<D> {}

/// Declares a handle to global memory: the struct, its copies, its hidden constructors and its extents.
macro_rules! memory_handle {
    ($(#[$doc:meta])* $name:ident, $(#[$contract:meta])* fn from_raw(ptr: $ptr:ty)) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T, const D: usize = 1>(pub(crate) $crate::kernel::memory::Memory<T, D>);

        impl<T, const D: usize> Clone for $name<T, D> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T, const D: usize> Copy for $name<T, D> {}

        // SAFETY: the memory is only touched inside a launch, whose command owns this access to it; what items may
        // do to it at the same time is ordered by the handle's kind of index. Handles to what is not `DeviceCopy` do
        // not exist; that the bound is not asked for here spares whoever names one a second error.
        unsafe impl<T, const D: usize> Send for $name<T, D> {}
        // SAFETY: as above.
        unsafe impl<T, const D: usize> Sync for $name<T, D> {}

        impl<T: $crate::types::DeviceCopy, const D: usize> $name<T, D> {
            /// A handle to the elements at `ptr`, row by row, made by an access of `command`.
            ///
            /// # Safety
            $(#[$contract])*
            #[doc(hidden)]
            pub unsafe fn from_raw(ptr: $ptr, extents: [usize; D], command: Option<u64>) -> Self {
                $name($crate::kernel::memory::Memory::new(ptr, extents, command))
            }

            /// The same handle with `pitch` elements from one row to the next.
            ///
            /// # Safety
            /// As for `from_raw`, with these rows.
            #[doc(hidden)]
            pub unsafe fn with_pitch(mut self, pitch: usize) -> Self {
                self.0.pitch = pitch;
                self
            }

            /// The number of elements in dimension `dim`.
            #[inline(always)]
            #[track_caller]
            pub fn extent(&self, dim: usize) -> usize {
                $crate::kernel::dimension::in_dimension(&self.0.extents, dim)
            }

            /// The number of elements.
            #[inline(always)]
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there are no elements.
            #[inline(always)]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    };
}

pub(crate) use memory_handle;
