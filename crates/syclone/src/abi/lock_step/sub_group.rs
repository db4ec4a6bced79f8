//! The algorithms of sub-groups for items in lock-step: those of [`crate::abi::sub_group`], one future an item.
//!
//! Only the items of one sub-group have to come to the same place; other sub-groups may be elsewhere.

use super::Cx;
use super::group::{Part, for_all};
use super::round::Operation;
use crate::abi::sub_group as whole;
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// Declares the combinations of one value an item.
macro_rules! combinations {
    ($($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(cx: &Cx<'_, D>, x: T, op: O) -> T {
            cx.in_sub_group::<T, T, O>(Operation::$operation, x, |g, x| whole::$name(g, x, op)).await
        }
    )*};
}

combinations!(reduce Reduce inclusive_scan InclusiveScan exclusive_scan ExclusiveScan);

/// Declares the scans that begin with a value.
macro_rules! scans_with_init {
    ($($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            cx: &Cx<'_, D>,
            x: T,
            init: T,
            op: O,
        ) -> T {
            cx.in_sub_group::<(T, T), T, O>(Operation::$operation, (x, init), |g, args| {
                whole::$name(g, Part(args, |(x, _)| x), Part(args, |(_, init)| init), op)
            })
            .await
        }
    )*};
}

scans_with_init!(inclusive_scan_init InclusiveScanInit exclusive_scan_init ExclusiveScanInit);

/// Declares the votes.
macro_rules! votes {
    ($($name:ident $operation:ident $result:ty;)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize>(cx: &Cx<'_, D>, predicate: bool) -> $result {
            cx.in_sub_group::<bool, $result, ()>(Operation::$operation, predicate, |g, x| whole::$name(g, x)).await
        }
    )*};
}

votes!(any Any bool; all All bool; none None bool; ballot Ballot u32;);

/// Declares the exchanges of values, which take a number beside the value.
macro_rules! exchanges {
    ($($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy>(cx: &Cx<'_, D>, x: T, which: usize) -> T {
            cx.in_sub_group::<(T, usize), T, ()>(Operation::$operation, (x, which), |g, args| {
                whole::$name(g, Part(args, |(x, _)| x), Part(args, |(_, which)| which))
            })
            .await
        }
    )*};
}

exchanges! {
    broadcast Broadcast
    shuffle Select
    shuffle_up ShiftRight
    shuffle_down ShiftLeft
    shuffle_xor PermuteXor
    select Select
    shift_left ShiftLeft
    shift_right ShiftRight
    permute_xor PermuteXor
}

/// [`whole::joint_reduce`].
pub async fn joint_reduce<const D: usize, T: DeviceCopy, S: SpanOf<T>, O: ReduceOp<T>>(
    cx: &Cx<'_, D>,
    src: S,
    op: O,
) -> T {
    cx.in_sub_group::<S, T, O>(Operation::JointReduce, src, |g, spans| whole::joint_reduce(g, spans, op)).await
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
            cx.in_sub_group::<(S, M), (), O>(Operation::$operation, (src, dst), |g, spans| {
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
            cx.in_sub_group::<S, bool, ()>(Operation::$operation, src, |g, spans| whole::$name(g, spans)).await
        }
    )*};
}

joint_votes!(joint_any JointAny joint_all JointAll joint_none JointNone);
