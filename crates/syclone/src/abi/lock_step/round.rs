//! One round of the executor: which site the items came to, and what they deposited there.

use std::any::TypeId;
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::collectives::Results;
use crate::abi::group_cx::GroupCx;
use crate::abi::per_item::PerItem;

/// What a site does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Barrier,
    Reduce,
    InclusiveScan,
    ExclusiveScan,
    InclusiveScanInit,
    ExclusiveScanInit,
    Broadcast,
    Any,
    All,
    None,
    Ballot,
    ShiftLeft,
    ShiftRight,
    PermuteXor,
    Select,
    JointReduce,
    JointInclusiveScan,
    JointExclusiveScan,
    JointAny,
    JointAll,
    JointNone,
}

/// A barrier or collective in the source. Equal sites have equal types of arguments and results, which makes the
/// deposits of all items at one site one array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Site {
    line: u32,
    operation: Operation,
    types: TypeId,
}

impl Site {
    /// A site in `line` with arguments `A`, results `R` and operator `O`.
    pub(super) fn new<A: 'static, R: 'static, O: 'static>(line: u32, operation: Operation) -> Self {
        Site { line, operation, types: TypeId::of::<(A, R, O)>() }
    }
}

/// A future that waits once: for the next round.
pub(super) struct Arrival {
    waited: bool,
}

impl Arrival {
    pub(super) fn new() -> Self {
        Arrival { waited: false }
    }
}

impl Future for Arrival {
    type Output = ();

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.waited, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// The state of a round.
pub(super) struct Round {
    /// The site that the first item came to.
    site: Cell<Option<Site>>,
    /// How many items came there.
    arrived: Cell<usize>,
    /// How many came to another one.
    elsewhere: Cell<usize>,
    /// Which of the two pairs of buffers this round uses.
    parity: Cell<usize>,
    deposits: [Buffer; 2],
    results: [Buffer; 2],
}

/// Storage for one value of each item, kept from round to round.
struct Buffer {
    storage: Cell<PerItem<[u8; 64]>>,
    bytes: Cell<usize>,
}

impl Buffer {
    fn new() -> Self {
        // SAFETY: valid for no elements, and `bytes` says so.
        let nothing = unsafe { PerItem::from_raw(std::ptr::null_mut()) };
        Buffer { storage: Cell::new(nothing), bytes: Cell::new(0) }
    }

    /// The buffer with room for a `T` of each item of the group.
    fn ensure<const D: usize, T>(&self, group: &GroupCx<D>) {
        let bytes = group.size() * size_of::<T>();
        if bytes > self.bytes.get() || align_of::<T>() > 64 {
            // Doubled, so that what earlier buffers leave unused until the group ends stays below what is in use.
            let blocks = bytes.max(2 * self.bytes.get()).div_ceil(64);
            self.storage.set(group.storage(blocks * 64, align_of::<T>()));
            self.bytes.set(blocks * 64);
        }
    }

    /// The values; `ensure` has made room for them.
    fn values<T>(&self) -> PerItem<T> {
        // SAFETY: the storage is aligned and large enough, and lives while the group does.
        unsafe { PerItem::from_raw(self.storage.get().as_ptr(0).cast()) }
    }
}

impl Round {
    pub(super) fn new() -> Self {
        Round {
            site: Cell::new(None),
            arrived: Cell::new(0),
            elsewhere: Cell::new(0),
            parity: Cell::new(0),
            deposits: [Buffer::new(), Buffer::new()],
            results: [Buffer::new(), Buffer::new()],
        }
    }

    /// Begins the next round.
    pub(super) fn begin(&self) {
        self.site.set(None);
        self.arrived.set(0);
        self.elsewhere.set(0);
        self.parity.set(1 - self.parity.get());
    }

    /// Counts an item that came to `site`; whether it is the round's site.
    #[inline(always)]
    pub(super) fn arrive(&self, site: Site) -> bool {
        let first = self.site.get().unwrap_or(site);
        self.site.set(Some(first));
        let same = first == site;
        let count = if same { &self.arrived } else { &self.elsewhere };
        count.set(count.get() + 1);
        same
    }

    /// Whether any item came to a site.
    pub(super) fn visited(&self) -> bool {
        self.site.get().is_some()
    }

    /// Whether all `items` came to one site.
    pub(super) fn complete(&self, items: usize) -> bool {
        self.arrived.get() == items
    }

    /// How many came to the round's site.
    pub(super) fn arrived(&self) -> usize {
        self.arrived.get()
    }

    /// The line of the round's site; 0 if there is none.
    pub(super) fn line(&self) -> u32 {
        self.site.get().map_or(0, |site| site.line)
    }

    /// The collective at `site`: deposits the argument of item `index`, waits, and gives the item's result.
    pub(super) async fn exchange<const D: usize, A: Copy + 'static, R: Copy + 'static, C: Results<R>>(
        &self,
        group: &GroupCx<D>,
        site: Site,
        index: usize,
        argument: A,
        compute: impl FnOnce(&GroupCx<D>, PerItem<A>) -> C,
    ) -> R {
        let parity = self.parity.get();
        let (deposits, results) = (&self.deposits[parity], &self.results[parity]);
        // At another site the buffer has another type; the round then ends in a divergence, and the item with it.
        if self.arrive(site) {
            if self.arrived.get() == 1 {
                deposits.ensure::<D, A>(group);
                results.ensure::<D, R>(group);
            }
            deposits.values::<A>().set(index, argument);
        }
        Arrival::new().await;
        let results = results.values::<R>();
        // All items have come, and the first is resumed before the others.
        if index == 0 {
            let mark = group.mark();
            let computed = compute(group, deposits.values()).of_each(group);
            for i in 0..group.size() {
                results.set(i, computed.get(i));
            }
            group.release(mark);
        }
        results.get(index)
    }
}
