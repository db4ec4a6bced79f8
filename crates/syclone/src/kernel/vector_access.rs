//! Short vectors to and from global memory: `N` adjacent elements at once.

use super::memory::Memory;
use super::place::Oob;
use crate::types::{Lanes, Vector, VectorElement};

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
pub(crate) fn load<T: VectorElement, const N: usize>(
    memory: &Memory<T, 1>,
    index: usize,
    oob: &mut Oob,
) -> Vector<T, N>
where
    [(); N]: Lanes,
{
    let inside = inside::<N>(memory.extents[0], index);
    let first = memory.ptr.wrapping_add(index.wrapping_mul(N));
    let lanes = if inside == N {
        // SAFETY: all elements are inside the memory, which the launch keeps alive.
        unsafe { first.cast::<[T; N]>().read() }
    } else {
        oob.note(memory.fault);
        std::array::from_fn(|lane| {
            if lane < inside {
                // SAFETY: lanes below `inside` are inside the memory.
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
pub(crate) fn store<T: VectorElement, const N: usize>(
    memory: &Memory<T, 1>,
    index: usize,
    value: Vector<T, N>,
    oob: &mut Oob,
) where
    [(); N]: Lanes,
{
    let inside = inside::<N>(memory.extents[0], index);
    let first = memory.ptr.wrapping_add(index.wrapping_mul(N));
    let lanes = value.to_array();
    if inside == N {
        // SAFETY: all elements are inside the memory, which the launch keeps alive and which may be written.
        unsafe { first.cast::<[T; N]>().write(lanes) }
    } else {
        oob.note(memory.fault);
        for (lane, &element) in lanes.iter().enumerate().take(inside) {
            // SAFETY: lanes below `inside` are inside the memory.
            unsafe { first.add(lane).write(element) }
        }
    }
}
