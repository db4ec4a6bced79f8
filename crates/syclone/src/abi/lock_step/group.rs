//! The algorithms of a work-group for items in lock-step: those of [`crate::abi::group`], one future an item.

use super::Cx;
use super::round::Operation;
use crate::abi::group as whole;
use crate::abi::group_cx::GroupCx;
use crate::abi::per_item::{GroupArg, PerItem};
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// One field of what each item deposited.
#[derive(Clone, Copy)]
pub(super) struct Part<A, F>(pub(super) PerItem<A>, pub(super) F);

impl<A: Copy, T, F: Fn(A) -> T> GroupArg<T> for Part<A, F> {
    fn get(&self, i: usize) -> T {
        (self.1)(self.0.get(i))
    }
}

/// A result that is the same for all items, for each of them.
fn for_all<const D: usize, R: Copy>(group: &GroupCx<D>, result: R) -> PerItem<R> {
    let results = group.per_item();
    for i in 0..group.size() {
        results.set(i, result);
    }
    results
}

/// [`whole::reduce`].
pub async fn reduce<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(cx: &Cx<'_, D>, x: T, op: O) -> T {
    cx.in_group::<T, T, O>(Operation::Reduce, x, |g, x| for_all(g, whole::reduce(g, x, op))).await
}

/// [`whole::inclusive_scan`].
pub async fn inclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(cx: &Cx<'_, D>, x: T, op: O) -> T {
    cx.in_group::<T, T, O>(Operation::InclusiveScan, x, |g, x| whole::inclusive_scan(g, x, op)).await
}

/// [`whole::exclusive_scan`].
pub async fn exclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(cx: &Cx<'_, D>, x: T, op: O) -> T {
    cx.in_group::<T, T, O>(Operation::ExclusiveScan, x, |g, x| whole::exclusive_scan(g, x, op)).await
}

/// [`whole::inclusive_scan_init`].
pub async fn inclusive_scan_init<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    x: T,
    init: T,
    op: O,
) -> T {
    cx.in_group::<(T, T), T, O>(Operation::InclusiveScanInit, (x, init), |g, args| {
        whole::inclusive_scan_init(g, Part(args, |(x, _)| x), Part(args, |(_, init)| init), op)
    })
    .await
}

/// [`whole::exclusive_scan_init`].
pub async fn exclusive_scan_init<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    x: T,
    init: T,
    op: O,
) -> T {
    cx.in_group::<(T, T), T, O>(Operation::ExclusiveScanInit, (x, init), |g, args| {
        whole::exclusive_scan_init(g, Part(args, |(x, _)| x), Part(args, |(_, init)| init), op)
    })
    .await
}

/// [`whole::broadcast`].
pub async fn broadcast<const D: usize, T: DeviceCopy>(cx: &Cx<'_, D>, x: T, id: usize) -> T {
    cx.in_group::<(T, usize), T, ()>(Operation::Broadcast, (x, id), |g, args| {
        for_all(g, whole::broadcast(g, Part(args, |(x, _)| x), Part(args, |(_, id)| id)))
    })
    .await
}

/// [`whole::any`].
pub async fn any<const D: usize>(cx: &Cx<'_, D>, predicate: bool) -> bool {
    cx.in_group::<bool, bool, ()>(Operation::Any, predicate, |g, x| for_all(g, whole::any(g, x))).await
}

/// [`whole::all`].
pub async fn all<const D: usize>(cx: &Cx<'_, D>, predicate: bool) -> bool {
    cx.in_group::<bool, bool, ()>(Operation::All, predicate, |g, x| for_all(g, whole::all(g, x))).await
}

/// [`whole::none`].
pub async fn none<const D: usize>(cx: &Cx<'_, D>, predicate: bool) -> bool {
    cx.in_group::<bool, bool, ()>(Operation::None, predicate, |g, x| for_all(g, whole::none(g, x))).await
}

/// Declares the exchanges of values, which take a number beside the value.
macro_rules! exchanges {
    ($($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy>(cx: &Cx<'_, D>, x: T, which: usize) -> T {
            cx.in_group::<(T, usize), T, ()>(Operation::$operation, (x, which), |g, args| {
                whole::$name(g, Part(args, |(x, _)| x), Part(args, |(_, which)| which))
            })
            .await
        }
    )*};
}

exchanges!(shift_left ShiftLeft shift_right ShiftRight permute_xor PermuteXor select Select);

/// [`whole::joint_reduce`]; the group takes the first item's span.
pub async fn joint_reduce<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    src: impl SpanOf<T>,
    op: O,
) -> T {
    let _ = op;
    cx.in_group::<_, T, O>(Operation::JointReduce, src.raw_span(), |g, spans| {
        for_all(g, whole::joint_reduce_raw::<D, T, O>(g, spans.get(0)))
    })
    .await
}

/// [`whole::joint_inclusive_scan`]; the group takes the first item's spans.
pub async fn joint_inclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    src: impl SpanOf<T>,
    dst: impl SpanMutOf<T>,
    op: O,
) {
    let _ = op;
    cx.in_group::<_, (), O>(Operation::JointInclusiveScan, (src.raw_span(), dst.raw_span()), |g, spans| {
        let (src, dst) = spans.get(0);
        whole::joint_scan_raw::<D, T, O>(g, src, dst, true);
        for_all(g, ())
    })
    .await
}

/// [`whole::joint_exclusive_scan`]; the group takes the first item's spans.
pub async fn joint_exclusive_scan<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    src: impl SpanOf<T>,
    dst: impl SpanMutOf<T>,
    op: O,
) {
    let _ = op;
    cx.in_group::<_, (), O>(Operation::JointExclusiveScan, (src.raw_span(), dst.raw_span()), |g, spans| {
        let (src, dst) = spans.get(0);
        whole::joint_scan_raw::<D, T, O>(g, src, dst, false);
        for_all(g, ())
    })
    .await
}

/// Declares the votes on spans; the group takes the first item's.
macro_rules! joint_votes {
    ($($name:ident $operation:ident |$holding:ident, $len:ident| $result:expr;)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`]; the group takes the first item's span.")]
        pub async fn $name<const D: usize>(cx: &Cx<'_, D>, src: impl SpanOf<bool>) -> bool {
            cx.in_group::<_, bool, ()>(Operation::$operation, src.raw_span(), |g, spans| {
                let ($holding, $len) = whole::joint_count_raw(g, spans.get(0));
                for_all(g, $result)
            })
            .await
        }
    )*};
}

joint_votes! {
    joint_any JointAny |holding, _len| holding > 0;
    joint_all JointAll |holding, len| holding == len;
    joint_none JointNone |holding, _len| holding == 0;
}
