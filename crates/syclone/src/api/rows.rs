//! Rows of host memory that lie apart: what the host sees of pitched memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Where the rows are. They are numbered in row-major order over all dimensions but the last.
#[derive(Clone, Copy)]
struct Layout<const D: usize> {
    extents: [usize; D],
    pitch: usize,
}

impl<const D: usize> Layout<D> {
    /// Rows without elements may be more than can be counted.
    fn rows(&self) -> usize {
        self.extents[..D - 1].iter().fold(1, |rows: usize, &extent| rows.saturating_mul(extent))
    }

    /// The rows that have elements.
    fn full_rows(&self) -> usize {
        if self.row_len() == 0 { 0 } else { self.rows() }
    }

    fn row_len(&self) -> usize {
        self.extents[D - 1]
    }

    /// Where the row begins, in elements.
    fn start(&self, row: usize) -> Option<usize> {
        // Rows without elements all begin at the first: the memory need not reach to where the others would.
        (row < self.rows()).then(|| if self.row_len() == 0 { 0 } else { row * self.pitch })
    }

    fn no_row(&self, row: usize) -> ! {
        panic!("row {row} of {} rows", self.rows())
    }
}

/// Rows to read. Index it with a row's number for a slice.
///
/// ```
/// use syclone::prelude::*;
/// # fn main() -> Result<()> {
/// let matrix = Buffer::from_vec_with((0..12).collect::<Vec<i32>>(), [3, 4])?;
/// let middle = matrix.columns(1..3)?;
/// let guard = middle.host_read_rows()?;
/// assert_eq!(guard.rows()[2], [9, 10]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct RowsRef<'a, T, const D: usize> {
    first: *const T,
    layout: Layout<D>,
    owner: PhantomData<&'a [T]>,
}

/// Rows to read and write. Index it with a row's number for a slice.
pub struct RowsMut<'a, T, const D: usize> {
    first: *mut T,
    layout: Layout<D>,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: it stands for shared slices, and is sent where those may be.
unsafe impl<T: Sync, const D: usize> Send for RowsRef<'_, T, D> {}
// SAFETY: as above.
unsafe impl<T: Sync, const D: usize> Sync for RowsRef<'_, T, D> {}
// SAFETY: it stands for mutable slices, and is sent where those may be.
unsafe impl<T: Send, const D: usize> Send for RowsMut<'_, T, D> {}
// SAFETY: as above; a shared reference gives shared slices.
unsafe impl<T: Sync, const D: usize> Sync for RowsMut<'_, T, D> {}

macro_rules! rows {
    ($name:ident, $ptr:ty, $life:lifetime) => {
        impl<$life, T, const D: usize> $name<$life, T, D> {
            /// The rows of `extents` elements that begin at `first`, `pitch` elements apart.
            ///
            /// # Safety
            /// The elements of each row are initialised, and for `'a` nobody else uses them otherwise than a slice
            /// would allow. `pitch` is at least the last extent.
            pub(crate) unsafe fn new(first: $ptr, extents: [usize; D], pitch: usize) -> Self {
                $name { first, layout: Layout { extents, pitch }, owner: PhantomData }
            }

            /// The number of elements in each dimension.
            pub fn extents(&self) -> [usize; D] {
                self.layout.extents
            }

            /// The number of rows: of all indices of all dimensions but the last.
            pub fn count(&self) -> usize {
                self.layout.rows()
            }

            /// The row number `row`, if there is one.
            pub fn get(&self, row: usize) -> Option<&[T]> {
                let start = self.layout.start(row)?;
                // SAFETY: the row exists, and by the contract of `new` it may be read for as long as `self` is borrowed.
                Some(unsafe { std::slice::from_raw_parts(self.first.add(start), self.layout.row_len()) })
            }

            /// The rows, one after another.
            pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
                (0..self.count()).map(|row| &self[row])
            }
        }

        impl<T: Clone, const D: usize> $name<'_, T, D> {
            /// The elements, row by row.
            pub fn to_vec(&self) -> Vec<T> {
                let rows = self.layout.full_rows();
                let mut vec = Vec::with_capacity(rows * self.layout.row_len());
                self.iter().take(rows).for_each(|row| vec.extend_from_slice(row));
                vec
            }
        }

        impl<T, const D: usize> Index<usize> for $name<'_, T, D> {
            type Output = [T];

            /// As for a slice, an index without a row is a panic; [`get`](Self::get) is none then.
            fn index(&self, row: usize) -> &[T] {
                self.get(row).unwrap_or_else(|| self.layout.no_row(row))
            }
        }

        impl<T: fmt::Debug, const D: usize> fmt::Debug for $name<'_, T, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.iter().take(self.layout.full_rows())).finish()
            }
        }
    };
}

rows!(RowsRef, *const T, 'a);
rows!(RowsMut, *mut T, 'a);

impl<T, const D: usize> RowsMut<'_, T, D> {
    /// The row number `row`, if there is one.
    pub fn get_mut(&mut self, row: usize) -> Option<&mut [T]> {
        let start = self.layout.start(row)?;
        // SAFETY: the row exists, and by the contract of `new` it is this value's alone while it is borrowed mutably.
        Some(unsafe { std::slice::from_raw_parts_mut(self.first.add(start), self.layout.row_len()) })
    }

    /// The rows, one after another.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [T]> {
        let (first, layout) = (self.first, self.layout);
        (0..layout.rows()).map(move |row| {
            let start = layout.start(row).expect("the row is below their number");
            // SAFETY: as for `get_mut`; each row is given once, and rows do not overlap.
            unsafe { std::slice::from_raw_parts_mut(first.add(start), layout.row_len()) }
        })
    }
}

impl<T, const D: usize> IndexMut<usize> for RowsMut<'_, T, D> {
    fn index_mut(&mut self, row: usize) -> &mut [T] {
        let layout = self.layout;
        self.get_mut(row).unwrap_or_else(|| layout.no_row(row))
    }
}
