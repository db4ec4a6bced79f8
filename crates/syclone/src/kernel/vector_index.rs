//! `v[i]` of a short vector in a kernel.

use super::place::{Indexable, IndexableMut, Inline, Place};
use crate::types::Vector;

impl<T, const N: usize> Indexable<usize> for Vector<T, N> {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: usize) -> Place<T> {
        // SAFETY: a vector has the layout of the array of its lanes, and an array's place only computes an address.
        unsafe { <[T; N] as Indexable<usize>>::place(this.cast(), index) }
    }
}

// SAFETY: a vector is written where it may be.
unsafe impl<T, const N: usize> IndexableMut<usize> for Vector<T, N> {}

// SAFETY: as for arrays.
unsafe impl<T, const N: usize> Inline<usize> for Vector<T, N> {}
