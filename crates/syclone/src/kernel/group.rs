//! The group algorithms as a kernel calls them: signatures and meanings.
//!
//! The macro replaces each call by one of [`crate::abi::group`] or [`crate::abi::sub_group`], which work on the
//! values of all items at once; these methods are what rustc and editors see of them.

use super::item::{Group, SubGroup};
use super::span::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// What the methods that only the macro can translate do elsewhere.
#[cold]
pub fn only_in_kernels() -> ! {
    unreachable!("barriers, group algorithms and local memory exist only inside #[kernel] and #[device_fn]")
}

/// The body of a method that only the macro can translate. It takes the arguments, so that they have a use.
#[cold]
fn translated<A>(_: A) -> ! {
    only_in_kernels()
}

/// The algorithms that work-groups and sub-groups share; the arguments differ in nothing but whose items they are.
macro_rules! algorithms {
    () => {
        /// Waits for all items of the group.
        pub fn barrier(&self) {
            only_in_kernels()
        }

        /// The values `x` of all items combined by `op`, the same for every item.
        ///
        /// The order is a halving tree, the same on every run, so that floats repeat: with the smallest power of
        /// two `s` at least half of the size, value `i` takes in value `i + s`, then `s` halves. Here as in scans, sums
        /// and products of `f16` and `bf16` are kept in `f32`, and each result is rounded once.
        pub fn reduce<T: DeviceCopy, O: ReduceOp<T>>(&self, x: T, op: O) -> T {
            translated((x, op))
        }

        /// The values of the items up to and including this one, combined in order.
        pub fn inclusive_scan<T: DeviceCopy, O: ReduceOp<T>>(&self, x: T, op: O) -> T {
            translated((x, op))
        }

        /// The values of the items before this one, combined in order; the operator's identity for the first.
        pub fn exclusive_scan<T: DeviceCopy, O: ReduceOp<T>>(&self, x: T, op: O) -> T {
            translated((x, op))
        }

        /// [`inclusive_scan`](Self::inclusive_scan) that begins with `init`.
        pub fn inclusive_scan_init<T: DeviceCopy, O: ReduceOp<T>>(&self, x: T, init: T, op: O) -> T {
            translated((x, init, op))
        }

        /// [`exclusive_scan`](Self::exclusive_scan) that begins with `init`.
        pub fn exclusive_scan_init<T: DeviceCopy, O: ReduceOp<T>>(&self, x: T, init: T, op: O) -> T {
            translated((x, init, op))
        }

        /// The value of the item with linear id `id`, for every item. If there is none: zero for a whole group, whose result
        /// is one value; each item's own value for a sub-group, as in every exchange between its lanes.
        pub fn broadcast<T: DeviceCopy>(&self, x: T, id: usize) -> T {
            translated((x, id))
        }

        /// Whether `predicate` holds for any item.
        pub fn any(&self, predicate: bool) -> bool {
            translated(predicate)
        }

        /// Whether `predicate` holds for all items.
        pub fn all(&self, predicate: bool) -> bool {
            translated(predicate)
        }

        /// Whether `predicate` holds for no item.
        pub fn none(&self, predicate: bool) -> bool {
            translated(predicate)
        }

        /// The value of the item `delta` places after this one; the item's own value if there is none.
        pub fn shift_left<T: DeviceCopy>(&self, x: T, delta: usize) -> T {
            translated((x, delta))
        }

        /// The value of the item `delta` places before this one; the item's own value if there is none.
        pub fn shift_right<T: DeviceCopy>(&self, x: T, delta: usize) -> T {
            translated((x, delta))
        }

        /// The value of the item whose linear id is this one's xor `mask`; the item's own value if there is none.
        pub fn permute_xor<T: DeviceCopy>(&self, x: T, mask: usize) -> T {
            translated((x, mask))
        }

        /// The value of the item with linear id `id`; the item's own value if there is none.
        pub fn select<T: DeviceCopy>(&self, x: T, id: usize) -> T {
            translated((x, id))
        }

        /// The elements of a span combined by `op`, by the tree of [`reduce`](Self::reduce); the operator's identity
        /// if there are none.
        ///
        /// The items of the group pass the same span, as to every joint algorithm; another group's may be another one.
        /// What any of them wrote before is seen by all of it, and what it writes is seen by all of them after.
        pub fn joint_reduce<T: DeviceCopy, O: ReduceOp<T>>(&self, src: impl SpanOf<T>, op: O) -> T {
            translated((src.raw_span(), op))
        }

        /// Writes to each element of `dst` the elements of `src` up to and including its own, combined in
        /// order. The two may overlap: what is read is what was there before.
        pub fn joint_inclusive_scan<T: DeviceCopy, O: ReduceOp<T>>(
            &self,
            src: impl SpanOf<T>,
            dst: impl SpanMutOf<T>,
            op: O,
        ) {
            translated((src.raw_span(), dst.raw_span(), op))
        }

        /// Writes to each element of `dst` the elements of `src` before its own, combined in order; the
        /// operator's identity to the first. The two may overlap: what is read is what was there before.
        pub fn joint_exclusive_scan<T: DeviceCopy, O: ReduceOp<T>>(
            &self,
            src: impl SpanOf<T>,
            dst: impl SpanMutOf<T>,
            op: O,
        ) {
            translated((src.raw_span(), dst.raw_span(), op))
        }

        /// Whether any element of the span is true.
        pub fn joint_any(&self, src: impl SpanOf<bool>) -> bool {
            translated(src.raw_span())
        }

        /// Whether all elements of the span are true.
        pub fn joint_all(&self, src: impl SpanOf<bool>) -> bool {
            translated(src.raw_span())
        }

        /// Whether no element of the span is true.
        pub fn joint_none(&self, src: impl SpanOf<bool>) -> bool {
            translated(src.raw_span())
        }
    };
}

impl<const D: usize> Group<D> {
    algorithms!();
}

impl SubGroup {
    algorithms!();

    /// The predicates of the sub-group's items as a mask: bit `i` is item `i`'s.
    pub fn ballot(&self, predicate: bool) -> u32 {
        translated(predicate)
    }

    /// The value of the item with local id `id`; the item's own value if there is none.
    pub fn shuffle<T: DeviceCopy>(&self, x: T, id: usize) -> T {
        translated((x, id))
    }

    /// The value of the item `delta` places before this one; the item's own value if there is none.
    pub fn shuffle_up<T: DeviceCopy>(&self, x: T, delta: usize) -> T {
        translated((x, delta))
    }

    /// The value of the item `delta` places after this one; the item's own value if there is none.
    pub fn shuffle_down<T: DeviceCopy>(&self, x: T, delta: usize) -> T {
        translated((x, delta))
    }

    /// The value of the item whose local id is this one's xor `mask`; the item's own value if there is none.
    pub fn shuffle_xor<T: DeviceCopy>(&self, x: T, mask: usize) -> T {
        translated((x, mask))
    }
}
