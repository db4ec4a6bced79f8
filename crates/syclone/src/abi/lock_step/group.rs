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
pub(super) fn for_all<const D: usize, R: Copy>(group: &GroupCx<D>, result: R) -> PerItem<R> {
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

/// [`whole::joint_reduce`].
pub async fn joint_reduce<const D: usize, T: DeviceCopy, S: SpanOf<T>, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    src: S,
    op: O,
) -> T {
    cx.in_group::<S, T, O>(Operation::JointReduce, src, |g, spans| for_all(g, whole::joint_reduce(g, spans, op))).await
}

/// Declares the joint scans.
macro_rules! joint_scans {
    ($($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
            cx: &Cx<'_, D>,
            src: S,
            dst: M,
            op: O,
        ) {
            cx.in_group::<(S, M), (), O>(Operation::$operation, (src, dst), |g, spans| {
                for_all(g, whole::$name(g, Part(spans, |(src, _)| src), Part(spans, |(_, dst)| dst), op))
            })
            .await
        }
    )*};
}

joint_scans!(joint_inclusive_scan JointInclusiveScan joint_exclusive_scan JointExclusiveScan);

/// Declares the votes on spans.
macro_rules! joint_votes {
    ($($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, S: SpanOf<bool>>(cx: &Cx<'_, D>, src: S) -> bool {
            cx.in_group::<S, bool, ()>(Operation::$operation, src, |g, spans| for_all(g, whole::$name(g, spans))).await
        }
    )*};
}

joint_votes!(joint_any JointAny joint_all JointAll joint_none JointNone);
