//! The algorithms of sub-groups, for all sub-groups of a work-group at once.
//!
//! A sub-group is a run of `sub_group_size` consecutive items; the last may be shorter. Every result is one value an
//! item, because sub-groups differ. Orders of combination are those of [`super::group`].

use std::mem::MaybeUninit;

use super::group::{fold_tree, scan_range, scans};
use super::group_cx::{GroupCx, MAX_SUB_GROUP_SIZE};
use super::joint::{self, Count};
use super::per_item::{GroupArg, PerItem};
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

// The shuffles by SYCL's names. A broadcast is of one lane for all; each item names it.
pub use self::{
    shuffle as broadcast, shuffle as select, shuffle_down as shift_left, shuffle_up as shift_right,
    shuffle_xor as permute_xor,
};

/// Calls `each` with the first item and the number of items of every sub-group.
#[inline(always)]
fn for_each<const D: usize>(group: &GroupCx<D>, mut each: impl FnMut(usize, usize)) {
    /// The usual width gets a version of its own, whose loops over lanes unroll into vectors.
    const USUAL: usize = 16;
    let (size, width) = (group.size(), group.sub_group_size);
    let mut first = 0;
    if width == USUAL {
        while size - first >= USUAL {
            each(first, USUAL);
            first += USUAL;
        }
    }
    while first < size {
        each(first, width.min(size - first));
        first += width;
    }
}

/// The values of each sub-group's items combined by the operator.
#[inline(always)]
pub fn reduce<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    op: O,
) -> PerItem<T> {
    let _ = op;
    let out = group.per_item::<T>();
    for i in 0..group.size() {
        out.set(i, x.get(i));
    }
    // SAFETY: all values are set, and the slice ends before `out` is used again.
    let values = unsafe { out.as_mut_slice(group.size()) };
    for_each(group, |first, len| {
        let sub_group = &mut values[first..first + len];
        let sum = fold_tree::<T, O>(sub_group);
        sub_group.fill(sum);
    });
    out
}

scans!();

/// Any scan of each sub-group, which begins with `init` of its first item's number.
#[inline(always)]
fn scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    x: &impl GroupArg<T>,
    init: impl Fn(usize) -> Option<T>,
    inclusive: bool,
    _op: O,
) -> PerItem<T> {
    let out = group.per_item::<T>();
    for_each(group, |first, len| scan_range::<T, O>(first..first + len, x, init(first), inclusive, out));
    out
}

/// The predicates of each sub-group combined by `combine` from `start`.
#[inline(always)]
fn vote<const D: usize>(
    group: &GroupCx<D>,
    predicate: impl GroupArg<bool>,
    start: bool,
    combine: impl Fn(bool, bool) -> bool,
    result: impl Fn(bool) -> bool,
) -> PerItem<bool> {
    let out = group.per_item::<bool>();
    for_each(group, |first, len| {
        let vote = (first..first + len).fold(start, |vote, i| combine(vote, predicate.get(i)));
        for i in first..first + len {
            out.set(i, result(vote));
        }
    });
    out
}

/// Whether the predicate holds for any item of the sub-group.
#[inline(always)]
pub fn any<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> PerItem<bool> {
    vote(group, predicate, false, |a, b| a | b, |any| any)
}

/// Whether the predicate holds for all items of the sub-group.
#[inline(always)]
pub fn all<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> PerItem<bool> {
    vote(group, predicate, true, |a, b| a & b, |all| all)
}

/// Whether the predicate holds for no item of the sub-group.
#[inline(always)]
pub fn none<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> PerItem<bool> {
    vote(group, predicate, false, |a, b| a | b, |any| !any)
}

/// The predicates of each sub-group as a mask: bit `i` is that of the item with local id `i`.
#[inline(always)]
pub fn ballot<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> PerItem<u32> {
    let out = group.per_item::<u32>();
    for_each(group, |first, len| {
        // Sub-groups have at most 32 items.
        let mask = (0..len).fold(0, |mask, lane| mask | ((predicate.get(first + lane) as u32) << lane));
        for i in first..first + len {
            out.set(i, mask);
        }
    });
    out
}

/// For each item, the value of the lane that `source` names; its own where there is no such lane.
#[inline(always)]
fn exchange<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    argument: impl GroupArg<usize>,
    source: impl Fn(usize, usize) -> usize,
) -> PerItem<T> {
    let out = group.per_item::<T>();
    for_each(group, |first, len| {
        // All lanes are read before any is written, which lets the compiler move them in registers.
        let mut lanes = [MaybeUninit::uninit(); MAX_SUB_GROUP_SIZE];
        for (lane, value) in lanes.iter_mut().enumerate().take(len) {
            let from = source(lane, argument.get(first + lane));
            value.write(x.get(first + if from < len { from } else { lane }));
        }
        for (lane, value) in lanes.iter().enumerate().take(len) {
            // SAFETY: the first `len` values have been written.
            out.set(first + lane, unsafe { value.assume_init() });
        }
    });
    out
}

/// For each item, the value of lane `id`; its own if there is none.
#[inline(always)]
pub fn shuffle<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    id: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, id, |_, id| id)
}

/// For each item, the value of the lane `delta` before it; its own if there is none.
#[inline(always)]
pub fn shuffle_up<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    delta: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, delta, |lane, delta| {
        // No lane has the number `usize::MAX`.
        lane.checked_sub(delta).unwrap_or(usize::MAX)
    })
}

/// For each item, the value of the lane `delta` after it; its own if there is none.
#[inline(always)]
pub fn shuffle_down<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    delta: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, delta, |lane, delta| lane.saturating_add(delta))
}

/// For each item, the value of the lane that is its own xor `mask`; its own if there is none.
#[inline(always)]
pub fn shuffle_xor<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    mask: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, mask, |lane, mask| lane ^ mask)
}

/// The elements of each sub-group's span combined by the operator, by the tree of [`reduce`]. The spans are those of the
/// sub-groups' first items.
#[inline(always)]
pub fn joint_reduce<const D: usize, T: DeviceCopy, S: SpanOf<T>, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    op: O,
) -> PerItem<T> {
    let _ = op;
    let mut copy = Vec::new();
    joint_value(group, |first| joint::reduce::<D, T, O>(group, src.get(first).raw_span(), &mut copy))
}

/// What `value` gives for the first item of each sub-group, for all its items.
#[inline(always)]
fn joint_value<const D: usize, T: Copy>(group: &GroupCx<D>, mut value: impl FnMut(usize) -> T) -> PerItem<T> {
    let out = group.per_item::<T>();
    for_each(group, |first, len| {
        let value = value(first);
        (first..first + len).for_each(|i| out.set(i, value));
    });
    out
}

/// Writes to each element of a sub-group's `dst` the elements of its `src` up to and including its own, combined in order.
/// The spans are those of the sub-groups' first items, and may overlap.
#[inline(always)]
pub fn joint_inclusive_scan<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    dst: impl GroupArg<M>,
    op: O,
) {
    let _ = op;
    for_each(group, |first, _| {
        joint::scan::<D, T, O>(group, src.get(first).raw_span(), dst.get(first).raw_span(), true);
    });
}

/// Writes to each element of a sub-group's `dst` the elements of its `src` before its own, combined in order from the
/// operator's identity. The spans are those of the sub-groups' first items, and may overlap.
#[inline(always)]
pub fn joint_exclusive_scan<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    dst: impl GroupArg<M>,
    op: O,
) {
    let _ = op;
    for_each(group, |first, _| {
        joint::scan::<D, T, O>(group, src.get(first).raw_span(), dst.get(first).raw_span(), false);
    });
}

/// What each sub-group's items say of their span.
#[inline(always)]
fn joint_vote<const D: usize, S: SpanOf<bool>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    result: impl Fn(Count) -> bool,
) -> PerItem<bool> {
    joint_value(group, |first| result(joint::count(group, src.get(first).raw_span())))
}

/// Whether any element of each sub-group's span, its first item's, is true.
#[inline(always)]
pub fn joint_any<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> PerItem<bool> {
    joint_vote(group, src, Count::any)
}

/// Whether all elements of each sub-group's span, its first item's, are true.
#[inline(always)]
pub fn joint_all<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> PerItem<bool> {
    joint_vote(group, src, Count::all)
}

/// Whether no element of each sub-group's span, its first item's, is true.
#[inline(always)]
pub fn joint_none<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> PerItem<bool> {
    joint_vote(group, src, Count::none)
}
