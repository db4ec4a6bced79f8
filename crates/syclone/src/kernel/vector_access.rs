//! Short vectors to and from global and local memory: `N` adjacent elements at once.

use super::place::Oob;
use crate::types::{Lanes, Vector, VectorElement};

/// Adjacent elements: initialised and valid for reads, and for writes where they are written.
pub(crate) struct Row<T> {
    pub(crate) first: *mut T,
    pub(crate) len: usize,
    /// The fault bit to raise outside.
    pub(crate) fault: u32,
}

/// How many of the `N` elements from `index * N` are inside.
#[inline(always)]
fn inside<const N: usize>(len: usize, index: usize) -> usize {
    match index.checked_mul(N) {
        Some(first) => len.saturating_sub(first).min(N),
        None => 0,
    }
}

/// Reads a vector; elements outside are zero.
#[inline(always)]
pub(crate) fn load<T: VectorElement, const N: usize>(row: Row<T>, index: usize, oob: &mut Oob) -> Vector<T, N>
where
    [(); N]: Lanes,
{
    let inside = inside::<N>(row.len, index);
    let first = row.first.wrapping_add(index.wrapping_mul(N));
    let lanes = if inside == N {
        // SAFETY: all elements are inside the row.
        unsafe { first.cast::<[T; N]>().read() }
    } else {
        oob.note(row.fault);
        std::array::from_fn(|lane| {
            if lane < inside {
                // SAFETY: lanes below `inside` are inside the row.
                unsafe { first.add(lane).read() }
            } else {
                T::zeroed()
            }
        })
    };
    Vector::new(lanes)
}

/// Writes a vector; elements outside are dropped.
#[inline(always)]
pub(crate) fn store<T: VectorElement, const N: usize>(row: Row<T>, index: usize, value: Vector<T, N>, oob: &mut Oob)
where
    [(); N]: Lanes,
{
    let inside = inside::<N>(row.len, index);
    let first = row.first.wrapping_add(index.wrapping_mul(N));
    let lanes = value.to_array();
    if inside == N {
        // SAFETY: all elements are inside the row, which may be written.
        unsafe { first.cast::<[T; N]>().write(lanes) }
    } else {
        oob.note(row.fault);
        for (lane, &element) in lanes.iter().enumerate().take(inside) {
            // SAFETY: lanes below `inside` are inside the row.
            unsafe { first.add(lane).write(element) }
        }
    }
}
