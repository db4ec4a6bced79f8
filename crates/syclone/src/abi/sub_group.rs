//! The algorithms of sub-groups, for all sub-groups of a work-group at once.
//!
//! A sub-group is a run of `sub_group_size` consecutive items; the last may be shorter. Every result is one value an
//! item, because sub-groups differ. Orders of combination are those of [`super::group`].

use std::mem::MaybeUninit;
use std::ops::Range;

use super::algorithms::{algorithms, scan_range};
use super::group::fold_tree;
use super::group_cx::{GroupCx, MAX_SUB_GROUP_SIZE};
use super::joint;
use super::per_item::{GroupArg, PerItem};
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

// The exchanges by the names of shuffles. A broadcast is of one lane for all; each item names it.
pub use self::{
    permute_xor as shuffle_xor, select as broadcast, select as shuffle, shift_left as shuffle_down,
    shift_right as shuffle_up,
};

/// Results that all items of a sub-group share.
type Shared<T> = PerItem<T>;

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
    _op: O,
) -> PerItem<T> {
    once(group, |items| {
        let mut lanes = [O::begin(); MAX_SUB_GROUP_SIZE];
        let lanes = &mut lanes[..items.len()];
        for (value, i) in lanes.iter_mut().zip(items) {
            *value = O::widen(x.get(i));
        }
        fold_tree::<T, O>(lanes)
    })
}

algorithms!();

/// The predicates of each sub-group as a mask: bit `i` is that of the item with local id `i`.
#[inline(always)]
pub fn ballot<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> PerItem<u32> {
    // Sub-groups have at most 32 items.
    once(group, |items| items.enumerate().fold(0, |mask, (lane, i)| mask | ((predicate.get(i) as u32) << lane)))
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

/// What `value` gives for the items of each sub-group.
#[inline(always)]
fn once<const D: usize, T: Copy>(group: &GroupCx<D>, mut value: impl FnMut(Range<usize>) -> T) -> PerItem<T> {
    let out = group.per_item::<T>();
    for_each(group, |first, len| {
        let value = value(first..first + len);
        (first..first + len).for_each(|i| out.set(i, value));
    });
    out
}
