//! The algorithms that work-groups and sub-groups share: they differ in nothing but whose items take part, which the
//! modules [`super::group`] and [`super::sub_group`] say.

use std::ops::Range;

use super::per_item::{GroupArg, PerItem};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// Scans the items in `items` from left to right. Without `init`, an inclusive scan begins with the first value and
/// an exclusive one with the identity.
#[inline(always)]
pub(super) fn scan_range<T: DeviceCopy, O: ReduceOp<T>>(
    items: Range<usize>,
    x: &impl GroupArg<T>,
    init: Option<T>,
    inclusive: bool,
    out: PerItem<T>,
) {
    let mut sum = init.map(O::widen);
    for i in items {
        let value = O::widen(x.get(i));
        let with_value = sum.map_or(value, |before| O::join(before, value));
        out.set(i, if inclusive { O::end(with_value) } else { sum.map_or_else(O::identity, O::end) });
        sum = Some(with_value);
    }
}

/// Declares the shared algorithms in a module that has
///
/// - `reduce`, whose tree the joint reduction has too,
/// - `exchange`: for each item the value of another one,
/// - `Shared<T>`: results that all items of a group or sub-group share,
/// - `once`: such results, each of a closure that is called with the numbers of the items.
macro_rules! algorithms {
    () => {
        /// For each item, the values up to and including its own, combined in order.
        #[inline(always)]
        pub fn inclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            _op: O,
        ) -> PerItem<T> {
            scan::<D, T, O>(group, x, |_| None, true)
        }

        /// For each item, the values before its own, combined in order from the operator's identity.
        #[inline(always)]
        pub fn exclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            _op: O,
        ) -> PerItem<T> {
            scan::<D, T, O>(group, x, |_| None, false)
        }

        /// [`inclusive_scan`] that begins with `init`, of which the first item's counts.
        #[inline(always)]
        pub fn inclusive_scan_init<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            init: impl GroupArg<T>,
            _op: O,
        ) -> PerItem<T> {
            scan::<D, T, O>(group, x, |first| Some(init.get(first)), true)
        }

        /// [`exclusive_scan`] that begins with `init`, of which the first item's counts.
        #[inline(always)]
        pub fn exclusive_scan_init<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            init: impl GroupArg<T>,
            _op: O,
        ) -> PerItem<T> {
            scan::<D, T, O>(group, x, |first| Some(init.get(first)), false)
        }

        /// Any scan, which begins with `init` of the first item's number.
        #[inline(always)]
        fn scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            init: impl Fn(usize) -> Option<T>,
            inclusive: bool,
        ) -> PerItem<T> {
            let out = group.per_item::<T>();
            once(group, |items| scan_range::<T, O>(items.clone(), &x, init(items.start), inclusive, out));
            out
        }

        /// Whether the predicate holds for any item.
        #[inline(always)]
        pub fn any<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> Shared<bool> {
            once(group, |items| items.fold(false, |any, i| any | predicate.get(i)))
        }

        /// Whether the predicate holds for all items.
        #[inline(always)]
        pub fn all<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> Shared<bool> {
            once(group, |items| items.fold(true, |all, i| all & predicate.get(i)))
        }

        /// Whether the predicate holds for no item.
        #[inline(always)]
        pub fn none<const D: usize>(group: &GroupCx<D>, predicate: impl GroupArg<bool>) -> Shared<bool> {
            once(group, |items| !items.fold(false, |any, i| any | predicate.get(i)))
        }

        /// For each item, the value of the item `delta` places after it; its own if there is none.
        #[inline(always)]
        pub fn shift_left<const D: usize, T: Copy>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            delta: impl GroupArg<usize>,
        ) -> PerItem<T> {
            exchange(group, x, delta, |i, delta| i.saturating_add(delta))
        }

        /// For each item, the value of the item `delta` places before it; its own if there is none.
        #[inline(always)]
        pub fn shift_right<const D: usize, T: Copy>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            delta: impl GroupArg<usize>,
        ) -> PerItem<T> {
            // No item has the number `usize::MAX`.
            exchange(group, x, delta, |i, delta| i.checked_sub(delta).unwrap_or(usize::MAX))
        }

        /// For each item, the value of the item whose linear id is its own xor `mask`; its own if there is none.
        #[inline(always)]
        pub fn permute_xor<const D: usize, T: Copy>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            mask: impl GroupArg<usize>,
        ) -> PerItem<T> {
            exchange(group, x, mask, |i, mask| i ^ mask)
        }

        /// For each item, the value of item `id`; its own if there is none.
        #[inline(always)]
        pub fn select<const D: usize, T: Copy>(
            group: &GroupCx<D>,
            x: impl GroupArg<T>,
            id: impl GroupArg<usize>,
        ) -> PerItem<T> {
            exchange(group, x, id, |_, id| id)
        }

        /// The elements of the span combined by the operator, by the tree of [`reduce`]. The span is the first item's.
        #[inline(always)]
        pub fn joint_reduce<const D: usize, T: DeviceCopy, S: SpanOf<T>, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            src: impl GroupArg<S>,
            _op: O,
        ) -> Shared<T> {
            let mut copy = Vec::new();
            once(group, |Range { start, .. }| joint::reduce::<D, T, O>(group, src.get(start).raw_span(), &mut copy))
        }

        /// Writes to each element of `dst` the elements of `src` up to and including its own, combined in order. The
        /// spans are the first item's, and may overlap.
        #[inline(always)]
        pub fn joint_inclusive_scan<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            src: impl GroupArg<S>,
            dst: impl GroupArg<M>,
            _op: O,
        ) -> Shared<()> {
            once(group, |Range { start, .. }| {
                joint::scan::<D, T, O>(group, src.get(start).raw_span(), dst.get(start).raw_span(), true);
            })
        }

        /// Writes to each element of `dst` the elements of `src` before its own, combined in order from the operator's
        /// identity. The spans are the first item's, and may overlap.
        #[inline(always)]
        pub fn joint_exclusive_scan<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
            group: &GroupCx<D>,
            src: impl GroupArg<S>,
            dst: impl GroupArg<M>,
            _op: O,
        ) -> Shared<()> {
            once(group, |Range { start, .. }| {
                joint::scan::<D, T, O>(group, src.get(start).raw_span(), dst.get(start).raw_span(), false);
            })
        }

        /// Whether any element of the span, the first item's, is true.
        #[inline(always)]
        pub fn joint_any<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> Shared<bool> {
            once(group, |Range { start, .. }| joint::count(group, src.get(start).raw_span()).any())
        }

        /// Whether all elements of the span, the first item's, are true.
        #[inline(always)]
        pub fn joint_all<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> Shared<bool> {
            once(group, |Range { start, .. }| joint::count(group, src.get(start).raw_span()).all())
        }

        /// Whether no element of the span, the first item's, is true.
        #[inline(always)]
        pub fn joint_none<const D: usize, S: SpanOf<bool>>(group: &GroupCx<D>, src: impl GroupArg<S>) -> Shared<bool> {
            once(group, |Range { start, .. }| joint::count(group, src.get(start).raw_span()).none())
        }
    };
}

pub(super) use algorithms;
