//! The algorithms of a work-group, on the values of all its items at once.
//!
//! The orders in which values are combined are part of the contract, so that floats give the same bits on every run
//! and in the interpreter: reductions use the halving tree of `fold_tree`, scans go from left to right. Sums and products of 16-bit floats are
//! kept in `f32` and rounded once for each result: one after another, a sum of `bf16` would come to a halt at 256.

use std::ops::Range;

use super::algorithms::{algorithms, scan_range};
use super::group_cx::GroupCx;
use super::joint;
use super::per_item::{GroupArg, PerItem};
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// Results that all items share.
type Shared<T> = T;

/// The values combined by any function in the order of the halving tree: with the smallest power of two `s` at least half
/// of their number, value `i` takes in value `i + s` where there is one, then `s` halves. `None` for no values.
#[inline(always)]
pub(crate) fn fold_tree_by<T: Copy>(values: &mut [T], apply: impl Fn(T, T) -> T) -> Option<T> {
    let mut half = values.len().next_power_of_two() / 2;
    while half > 0 {
        let (low, high) = values.split_at_mut(half.min(values.len()));
        for (into, &from) in low.iter_mut().zip(high.iter().take(half)) {
            *into = apply(*into, from);
        }
        half /= 2;
    }
    values.first().copied()
}

/// The values combined by the operator in that order, rounded once in the end; its identity for no values.
#[inline(always)]
pub(super) fn fold_tree<T: DeviceCopy, O: ReduceOp<T>>(values: &mut [O::Partial]) -> T {
    fold_tree_by(values, O::join).map_or_else(O::identity, O::end)
}

/// The values of all items combined by the operator.
#[inline(always)]
pub fn reduce<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(group: &GroupCx<D>, x: impl GroupArg<T>, _op: O) -> T {
    let mark = group.mark();
    let values = group.per_item::<O::Partial>();
    for i in 0..group.size() {
        values.set(i, O::widen(x.get(i)));
    }
    // SAFETY: all values are set, and nothing else knows of them.
    let result = fold_tree::<T, O>(unsafe { values.as_mut_slice(group.size()) });
    group.release(mark);
    result
}

algorithms!();

/// The value of item `id`, which is the same for all items; zero if there is no such item.
#[inline(always)]
pub fn broadcast<const D: usize, T: DeviceCopy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    id: impl GroupArg<usize>,
) -> T {
    let id = id.get(0);
    if id < group.size() { x.get(id) } else { T::zeroed() }
}

/// For each item, the value of the item that `source` names by its number and argument; its own where there is none.
#[inline(always)]
fn exchange<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    argument: impl GroupArg<usize>,
    source: impl Fn(usize, usize) -> usize,
) -> PerItem<T> {
    let size = group.size();
    let out = group.per_item::<T>();
    for i in 0..size {
        let from = source(i, argument.get(i));
        out.set(i, x.get(if from < size { from } else { i }));
    }
    out
}

/// What `value` gives for all items.
#[inline(always)]
fn once<const D: usize, T>(group: &GroupCx<D>, mut value: impl FnMut(Range<usize>) -> T) -> T {
    value(0..group.size())
}
