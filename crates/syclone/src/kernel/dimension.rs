//! One number of an id, a range or extents.

/// The number at `dim`.
///
/// # Panics
/// If there is no such dimension, with the caller's line.
#[inline(always)]
#[track_caller]
pub(crate) fn in_dimension<const D: usize>(numbers: &[usize; D], dim: usize) -> usize {
    match numbers.get(dim) {
        Some(number) => *number,
        None => no_dimension(dim, D),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_dimension(dim: usize, dims: usize) -> ! {
    panic!("dimension {dim} of what has {dims}, counted from 0")
}
