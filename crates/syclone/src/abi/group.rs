//! The algorithms of a work-group, on the values of all its items at once.
//!
//! The orders in which values are combined are part of the contract, so that floats give the same bits on every run
//! and in the interpreter: reductions use the halving tree of `fold_tree`, scans go from left to right.

use super::group_cx::GroupCx;
use super::joint;
use super::per_item::{GroupArg, PerItem};
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// The values combined by the halving tree: with the smallest power of two `s` at least half of their number, value
/// `i` takes in value `i + s` where there is one, then `s` halves. The operator's identity for no values.
#[inline(always)]
pub(crate) fn fold_tree<T: DeviceCopy, O: ReduceOp<T>>(values: &mut [T]) -> T {
    fold_tree_by(values, O::apply).unwrap_or_else(O::identity)
}

/// The values combined by the same tree and any function. `None` for no values.
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

/// Copies the values of all items to storage of their own, until it is released.
#[inline(always)]
fn gather<const D: usize, T: Copy>(group: &GroupCx<D>, x: impl GroupArg<T>) -> PerItem<T> {
    let values = group.per_item::<T>();
    for i in 0..group.size() {
        values.set(i, x.get(i));
    }
    values
}

/// The values of all items combined by the operator.
#[inline(always)]
pub fn reduce<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(group: &GroupCx<D>, x: impl GroupArg<T>, op: O) -> T {
    let _ = op;
    let mark = group.mark();
    let values = gather(group, x);
    // SAFETY: `gather` has set all values, and nothing else knows of them.
    let result = fold_tree::<T, O>(unsafe { values.as_mut_slice(group.size()) });
    group.release(mark);
    result
}

/// The scans of one module, over its `scan`: groups and sub-groups differ in nothing but whose items they are.
macro_rules! scans {
    () => {
        /// For each item, the values up to and including its own, combined in order.
        #[inline(always)]
        pub fn inclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            op: O,
        ) -> PerItem<T> {
            scan(group, &x, |_| None, true, op)
        }

        /// For each item, the values before its own, combined in order from the operator's identity.
        #[inline(always)]
        pub fn exclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            op: O,
        ) -> PerItem<T> {
            scan(group, &x, |_| None, false, op)
        }

        /// [`inclusive_scan`] that begins with `init`, of which the first item's counts.
        #[inline(always)]
        pub fn inclusive_scan_init<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            init: impl GroupArg<T>,
            op: O,
        ) -> PerItem<T> {
            scan(group, &x, |first| Some(init.get(first)), true, op)
        }

        /// [`exclusive_scan`] that begins with `init`, of which the first item's counts.
        #[inline(always)]
        pub fn exclusive_scan_init<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            init: impl GroupArg<T>,
            op: O,
        ) -> PerItem<T> {
            scan(group, &x, |first| Some(init.get(first)), false, op)
        }
    };
}

pub(super) use scans;

scans!();

/// Any scan, which begins with `init` of the first item's number.
#[inline(always)]
fn scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    x: &impl GroupArg<T>,
    init: impl Fn(usize) -> Option<T>,
    inclusive: bool,
    _op: O,
) -> PerItem<T> {
    let out = group.per_item::<T>();
    scan_range::<T, O>(0..group.size(), x, init(0), inclusive, out);
    out
}

/// Scans the items in `items` from left to right. Without `init`, an inclusive scan begins with the first value and
/// an exclusive one with the identity.
#[inline(always)]
pub(super) fn scan_range<T: DeviceCopy, O: ReduceOp<T>>(
    items: std::ops::Range<usize>,
    x: &impl GroupArg<T>,
    init: Option<T>,
    inclusive: bool,
    out: PerItem<T>,
) {
    let mut sum = init;
    for i in items {
        let value = x.get(i);
        let with_value = sum.map_or(value, |before| O::apply(before, value));
        out.set(i, if inclusive { with_value } else { sum.unwrap_or_else(O::identity) });
        sum = Some(with_value);
    }
}

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

/// Whether the predicate holds for any item.
#[inline(always)]
pub fn any<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> bool {
    (0..group.size()).fold(false, |any, i| any | predicate.get(i))
}

/// Whether the predicate holds for all items.
#[inline(always)]
pub fn all<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> bool {
    (0..group.size()).fold(true, |all, i| all & predicate.get(i))
}

/// Whether the predicate holds for no item.
#[inline(always)]
pub fn none<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> bool {
    !any(group, predicate)
}

/// For each item, the value of the item that `source` names; its own where there is no such item.
#[inline(always)]
fn exchange<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    source: impl Fn(usize) -> Option<usize>,
) -> PerItem<T> {
    let size = group.size();
    let out = group.per_item::<T>();
    for i in 0..size {
        out.set(i, x.get(source(i).filter(|&from| from < size).unwrap_or(i)));
    }
    out
}

/// For each item, the value of the item `delta` places after it; its own if there is none.
#[inline(always)]
pub fn shift_left<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    delta: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, |i| i.checked_add(delta.get(i)))
}

/// For each item, the value of the item `delta` places before it; its own if there is none.
#[inline(always)]
pub fn shift_right<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    delta: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, |i| i.checked_sub(delta.get(i)))
}

/// For each item, the value of the item whose linear id is its own xor `mask`; its own if there is none.
#[inline(always)]
pub fn permute_xor<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    mask: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, |i| Some(i ^ mask.get(i)))
}

/// For each item, the value of item `id`; its own if there is none.
#[inline(always)]
pub fn select<const D: usize, T: Copy>(
    group: &GroupCx<D>,
    x: impl GroupArg<T>,
    id: impl GroupArg<usize>,
) -> PerItem<T> {
    exchange(group, x, |i| Some(id.get(i)))
}

/// The elements of the span combined by the operator, by the tree of [`reduce`]. The span is the first item's.
#[inline(always)]
pub fn joint_reduce<const D: usize, T: DeviceCopy, S: SpanOf<T>, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    op: O,
) -> T {
    let _ = op;
    joint::reduce::<D, T, O>(group, src.get(0).raw_span(), &mut Vec::new())
}

/// Writes to each element of `dst` the elements of `src` up to and including its own, combined in order. The spans
/// are the first item's, and may overlap.
#[inline(always)]
pub fn joint_inclusive_scan<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    dst: impl GroupArg<M>,
    op: O,
) {
    let _ = op;
    joint::scan::<D, T, O>(group, src.get(0).raw_span(), dst.get(0).raw_span(), true);
}

/// Writes to each element of `dst` the elements of `src` before its own, combined in order from the operator's
/// identity. The spans are the first item's, and may overlap.
#[inline(always)]
pub fn joint_exclusive_scan<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
    group: &GroupCx<D>,
    src: impl GroupArg<S>,
    dst: impl GroupArg<M>,
    op: O,
) {
    let _ = op;
    joint::scan::<D, T, O>(group, src.get(0).raw_span(), dst.get(0).raw_span(), false);
}

/// Whether any element of the span, the first item's, is true.
#[inline(always)]
pub fn joint_any<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> bool {
    joint::count(group, src.get(0).raw_span()).any()
}

/// Whether all elements of the span, the first item's, are true.
#[inline(always)]
pub fn joint_all<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> bool {
    joint::count(group, src.get(0).raw_span()).all()
}

/// Whether no element of the span, the first item's, is true.
#[inline(always)]
pub fn joint_none<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> bool {
    joint::count(group, src.get(0).raw_span()).none()
}
