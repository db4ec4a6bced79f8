//! The joint algorithms, over spans of memory: what a work-group or a sub-group does once, whoever its items are.
//!
//! All elements count as read before any is written, so that spans may overlap in every way.

use super::group::fold_tree;
use super::group_cx::GroupCx;
use crate::kernel::{Oob, RawSpan};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// How many elements of a span are true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    holding: usize,
    len: usize,
}

impl Count {
    /// Whether any element is true.
    pub(super) fn any(self) -> bool {
        self.holding > 0
    }

    /// Whether all elements are true.
    pub(super) fn all(self) -> bool {
        self.holding == self.len
    }

    /// Whether no element is true.
    pub(super) fn none(self) -> bool {
        self.holding == 0
    }
}

/// Reports what a span asked for beyond its memory.
#[inline(always)]
fn report<const D: usize>(group: &GroupCx<D>, fault: u32) {
    // SAFETY: for this group, and what its kernel has.
    let mut oob = unsafe { Oob::new() };
    oob.note(fault);
    group.report(oob);
}

/// The elements of a span.
#[inline(always)]
fn elements<T: DeviceCopy>(src: RawSpan<T>) -> impl Iterator<Item = T> {
    // SAFETY: the span's elements are valid while the kernel runs.
    (0..src.len).map(move |i| unsafe { *src.ptr.add(i) })
}

/// The elements of a span combined by the tree of [`super::group::reduce`]. `copy` is room for them, which several calls
/// may use one after another.
#[inline(always)]
pub(super) fn reduce<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: RawSpan<T>,
    copy: &mut Vec<O::Partial>,
) -> T {
    report(group, src.fault);
    copy.clear();
    copy.extend(elements(src).map(O::widen));
    fold_tree::<T, O>(copy)
}

/// Both scans, from left to right; `dst` comes from something that may be written.
#[inline(always)]
pub(super) fn scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    mut src: RawSpan<T>,
    dst: RawSpan<T>,
    inclusive: bool,
) {
    let short = if dst.len < src.len { dst.bit } else { 0 };
    report(group, src.fault | dst.fault | short);
    let len = src.len.min(dst.len);
    let mut copy: Vec<T>;
    // Where `dst` begins inside of `src`, elements would be written before they are read.
    if src.ptr.addr() < dst.ptr.addr() && dst.ptr.addr() < src.ptr.wrapping_add(len).addr() {
        copy = elements(src).collect();
        src.ptr = copy.as_mut_ptr();
    }
    let mut sum = None;
    for i in 0..len {
        // SAFETY: both spans' elements are valid while the kernel runs, and `dst` may be written. They may overlap:
        // no reference is made, and element `i` is read before it is written.
        unsafe {
            let value = O::widen(*src.ptr.add(i));
            let with_value = sum.map_or(value, |before| O::join(before, value));
            *dst.ptr.add(i) = if inclusive { O::end(with_value) } else { sum.map_or_else(O::identity, O::end) };
            sum = Some(with_value);
        }
    }
}

/// How many elements of a span are true.
#[inline(always)]
pub(super) fn count<const D: usize>(group: &GroupCx<D>, src: RawSpan<bool>) -> Count {
    report(group, src.fault);
    Count { holding: elements(src).filter(|holds| *holds).count(), len: src.len }
}
