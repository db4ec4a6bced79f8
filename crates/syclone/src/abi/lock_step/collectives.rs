//! The collectives that groups and sub-groups share: each deposits its arguments, and is computed from those of all items
//! by the function of the same name in [`crate::abi::group`] or [`crate::abi::sub_group`].

use crate::abi::group_cx::GroupCx;
use crate::abi::per_item::{GroupArg, PerItem};

/// One field of what each item deposited.
#[derive(Clone, Copy)]
pub(super) struct Part<A, F>(pub(super) PerItem<A>, pub(super) F);

impl<A: Copy, T, F: Fn(A) -> T> GroupArg<T> for Part<A, F> {
    fn get(&self, i: usize) -> T {
        (self.1)(self.0.get(i))
    }
}

/// What a collective computes: a result for each item, or one that is the same for all.
pub(super) trait Results<R> {
    /// A result for each item.
    fn of_each<const D: usize>(self, group: &GroupCx<D>) -> PerItem<R>;
}

impl<R> Results<R> for PerItem<R> {
    fn of_each<const D: usize>(self, _: &GroupCx<D>) -> PerItem<R> {
        self
    }
}

impl<R: Copy> Results<R> for R {
    fn of_each<const D: usize>(self, group: &GroupCx<D>) -> PerItem<R> {
        let results = group.per_item();
        for i in 0..group.size() {
            results.set(i, self);
        }
        results
    }
}

/// Declares them in a module where `whole` is the module that computes; `$within` is how the items of the group or
/// sub-group come together, a method of `Cx`.
macro_rules! collectives {
    ($within:ident) => {
        collectives! { $within combine
            reduce Reduce
            inclusive_scan InclusiveScan
            exclusive_scan ExclusiveScan
        }
        collectives! { $within combine_from
            inclusive_scan_init InclusiveScanInit
            exclusive_scan_init ExclusiveScanInit
        }
        collectives! { $within vote any Any bool; all All bool; none None bool; }
        collectives! { $within exchange
            broadcast Broadcast
            shift_left ShiftLeft
            shift_right ShiftRight
            permute_xor PermuteXor
            select Select
        }
        collectives! { $within joint_combine joint_reduce JointReduce }
        collectives! { $within joint_scan
            joint_inclusive_scan JointInclusiveScan
            joint_exclusive_scan JointExclusiveScan
        }
        collectives! { $within joint_vote joint_any JointAny joint_all JointAll joint_none JointNone }
    };
    ($within:ident combine $($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(cx: &Cx<'_, D>, x: T, op: O) -> T {
            cx.$within::<T, T, O, _>(Operation::$operation, x, |g, x| whole::$name(g, x, op)).await
        }
    )*};
    ($within:ident combine_from $($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, O: ReduceOp<T>>(
            cx: &Cx<'_, D>,
            x: T,
            init: T,
            op: O,
        ) -> T {
            cx.$within::<(T, T), T, O, _>(Operation::$operation, (x, init), |g, args| {
                whole::$name(g, Part(args, |(x, _)| x), Part(args, |(_, init)| init), op)
            })
            .await
        }
    )*};
    ($within:ident vote $($name:ident $operation:ident $result:ty;)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize>(cx: &Cx<'_, D>, predicate: bool) -> $result {
            cx.$within::<bool, $result, (), _>(Operation::$operation, predicate, |g, x| whole::$name(g, x)).await
        }
    )*};
    ($within:ident exchange $($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy>(cx: &Cx<'_, D>, x: T, which: usize) -> T {
            cx.$within::<(T, usize), T, (), _>(Operation::$operation, (x, which), |g, args| {
                whole::$name(g, Part(args, |(x, _)| x), Part(args, |(_, which)| which))
            })
            .await
        }
    )*};
    ($within:ident joint_combine $($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, S: SpanOf<T>, O: ReduceOp<T>>(
            cx: &Cx<'_, D>,
            src: S,
            op: O,
        ) -> T {
            cx.$within::<S, T, O, _>(Operation::$operation, src, |g, spans| whole::$name(g, spans, op)).await
        }
    )*};
    ($within:ident joint_scan $($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, T: DeviceCopy, S: SpanOf<T>, M: SpanMutOf<T>, O: ReduceOp<T>>(
            cx: &Cx<'_, D>,
            src: S,
            dst: M,
            op: O,
        ) {
            cx.$within::<(S, M), (), O, _>(Operation::$operation, (src, dst), |g, spans| {
                whole::$name(g, Part(spans, |(src, _)| src), Part(spans, |(_, dst)| dst), op)
            })
            .await
        }
    )*};
    ($within:ident joint_vote $($name:ident $operation:ident)*) => {$(
        #[doc = concat!("[`whole::", stringify!($name), "`].")]
        pub async fn $name<const D: usize, S: SpanOf<bool>>(cx: &Cx<'_, D>, src: S) -> bool {
            cx.$within::<S, bool, (), _>(Operation::$operation, src, |g, spans| whole::$name(g, spans)).await
        }
    )*};
}

pub(super) use collectives;
