//! The fallback for kernels whose barriers are not provably uniform: each item is a future, and all are polled in
//! lock-step.
//!
//! # The protocol
//! A barrier or collective is a *site*: its line, what it does, and for which types. An item that comes to one
//! registers and yields once. The executor polls the items in order, sub-group by sub-group:
//!
//! 1. A *sub-group round* polls each item of a sub-group once. If all of them then wait at one sub-group site, the
//!    next sub-group round begins. If none does, the sub-group is through for now. Anything else is a divergence.
//! 2. A *group round* brings every sub-group to that state. If all items of the group have ended, it is done. If all
//!    wait at one group site, the next group round begins. Anything else is a divergence.
//!
//! A divergence is reported with the line of the site that was reached first, and the group ends there: its futures
//! are dropped, nothing waits for ever.
//!
//! A collective's arguments are deposited on arrival. The first item to be resumed, which is polled before all others,
//! computes all results with the functions of [`super::group`] or [`super::sub_group`]; each item then takes its own.
//! The buffers of two rounds alternate, so that an item's next deposit cannot overwrite what others still read.

mod collectives;
pub mod group;
mod round;
pub mod sub_group;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use self::collectives::Results;
use self::round::{Arrival, Operation, Round, Site};
use super::group_cx::GroupCx;
use super::per_item::PerItem;
use crate::kernel::{NdItem, Oob};

/// What all items of a running group share.
struct State {
    group: Round,
    sub_group: Round,
}

/// One item's hold on the executor: what its future waits through.
pub struct Cx<'a, const D: usize> {
    group: &'a GroupCx<D>,
    /// Outlives the item's future: see [`run`].
    state: *const State,
    index: usize,
    line: u32,
}

impl<const D: usize> Clone for Cx<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize> Copy for Cx<'_, D> {}

impl<'a, const D: usize> Cx<'a, D> {
    /// The group.
    #[inline(always)]
    pub fn group(&self) -> &'a GroupCx<D> {
        self.group
    }

    /// The item's local linear id.
    #[inline(always)]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The same hold for a collective in `line`, which a report of divergence names.
    #[must_use]
    #[inline(always)]
    pub fn at(self, line: u32) -> Self {
        Cx { line, ..self }
    }

    /// Reports what the item touched out of bounds.
    pub fn report(&self, oob: Oob) {
        self.group.report(oob);
    }

    fn state(&self) -> &State {
        // SAFETY: the state outlives all futures, which are all that has a `Cx` (see `run`).
        unsafe { &*self.state }
    }

    /// Waits for all items of the group, at the barrier in `line`.
    pub async fn barrier(&self, line: u32) {
        let site = Site::new::<(), (), ()>(line, Operation::Barrier);
        self.state().group.arrive(site);
        Arrival::new().await
    }

    /// Waits for all items of the item's sub-group, at the barrier in `line`.
    pub async fn sub_group_barrier(&self, line: u32) {
        let site = Site::new::<(), (), ()>(line, Operation::Barrier);
        self.state().sub_group.arrive(site);
        Arrival::new().await
    }

    /// A collective of the group: `argument` of each item, and `compute` from all of them to all results.
    async fn in_group<A: Copy + 'static, R: Copy + 'static, O: 'static, C: Results<R>>(
        &self,
        operation: Operation,
        argument: A,
        compute: impl FnOnce(&GroupCx<D>, PerItem<A>) -> C,
    ) -> R {
        let site = Site::new::<A, R, O>(self.line, operation);
        self.state().group.exchange(self.group, site, self.index, argument, compute).await
    }

    /// A collective of the item's sub-group, as [`Cx::in_group`]; the group that `compute` sees is the sub-group.
    async fn in_sub_group<A: Copy + 'static, R: Copy + 'static, O: 'static, C: Results<R>>(
        &self,
        operation: Operation,
        argument: A,
        compute: impl FnOnce(&GroupCx<1>, PerItem<A>) -> C,
    ) -> R {
        let site = Site::new::<A, R, O>(self.line, operation);
        let lane = self.index % self.group.sub_group_size;
        let sub_group = self.group.alone(self.index - lane);
        self.state().sub_group.exchange(&sub_group, site, lane, argument, compute).await
    }
}

/// The futures of a group's items; drops them however the run ends.
struct Items<F> {
    futures: PerItem<F>,
    len: usize,
}

impl<F> Drop for Items<F> {
    fn drop(&mut self) {
        for i in 0..self.len {
            // SAFETY: the first `len` futures have been written, and are dropped only here.
            unsafe { std::ptr::drop_in_place(self.futures.as_ptr(i)) }
        }
    }
}

/// Runs a group whose items are the futures that `item` makes, to the end or to a divergence, which it reports.
pub fn run<'a, const D: usize, F: Future<Output = ()>>(
    group: &'a GroupCx<D>,
    item: impl Fn(NdItem<D>, Cx<'a, D>) -> F,
) {
    let size = group.size();
    // Declared before the items and so dropped after them: no future outlives the state.
    let state = State { group: Round::new(), sub_group: Round::new() };
    let mut items = Items { futures: group.per_item::<F>(), len: 0 };
    for index in 0..size {
        let future = item(group.nd_item(group.local_of(index)), Cx { group, state: &state, index, line: 0 });
        // SAFETY: the storage has a place for each item's future.
        unsafe { items.futures.as_ptr(index).write(future) };
        items.len += 1;
    }
    let width = group.sub_group_size.max(1);
    loop {
        state.group.begin();
        let mut ended = 0;
        for first in (0..size).step_by(width) {
            match run_sub_group(group, &state, &items, first..size.min(first + width)) {
                Some(ended_here) => ended += ended_here,
                None => return,
            }
        }
        if ended == size {
            return;
        }
        if !state.group.complete(size) {
            group.diverged(state.group.line(), state.group.arrived());
            return;
        }
    }
}

/// Polls a sub-group's items until each has ended or waits for the group; gives the number that ended, or `None`
/// after a divergence.
fn run_sub_group<const D: usize, F: Future<Output = ()>>(
    group: &GroupCx<D>,
    state: &State,
    items: &Items<F>,
    indices: std::ops::Range<usize>,
) -> Option<usize> {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        state.sub_group.begin();
        let mut ended = 0;
        for index in indices.clone() {
            // SAFETY: the future has been written, is not referred to otherwise, and stays where it is until it is
            // dropped: storage of a group never moves. Every round polls only futures that have not ended, because
            // a round in which only some ended is the last.
            let future = unsafe { Pin::new_unchecked(&mut *items.futures.as_ptr(index)) };
            if let Poll::Ready(()) = future.poll(&mut context) {
                ended += 1;
            }
        }
        if !state.sub_group.visited() {
            return Some(ended);
        }
        if !state.sub_group.complete(indices.len()) {
            group.diverged_among(state.sub_group.line(), state.sub_group.arrived(), indices.len());
            return None;
        }
    }
}
