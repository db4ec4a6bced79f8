//! What happens before what in a launch.
//!
//! The interpreter runs one item at a time, so there is one clock for all: it moves on whenever items synchronise. An access
//! is remembered as its item and the time ([`Stamp`]). It happens before an access that the running item makes now if
//!
//! - it was the running item's own, or
//! - the two items are of one group, which has passed a barrier since, or of one sub-group, which has, or
//! - the running item has *acquired* it: by an atomic read, or a fence after one, of what the other one released; what the other
//!   one had acquired or passed barriers with before comes with it.
//!
//! Groups run one after another, and nothing orders the items of different groups but atomics.

use std::collections::HashMap;
use std::ops::Range;

use crate::types::{Order, Scope};

/// Who did something, and when.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Stamp {
    /// The item's number in the launch, counted from 1; 0 is nobody.
    pub(super) item: u32,
    /// The time.
    pub(super) time: u32,
}

/// What an item has acquired: all that these items, and these groups, did before these times.
#[derive(Clone, Default, Debug)]
struct Known {
    items: Vec<(u32, u32)>,
    groups: Vec<(u32, u32)>,
}

impl Known {
    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.groups.is_empty()
    }

    fn add(list: &mut Vec<(u32, u32)>, who: u32, time: u32) {
        match list.iter_mut().find(|(known, _)| *known == who) {
            Some((_, until)) => *until = (*until).max(time),
            None => list.push((who, time)),
        }
    }

    fn merge(&mut self, other: &Known) {
        other.items.iter().for_each(|&(item, time)| Known::add(&mut self.items, item, time));
        other.groups.iter().for_each(|&(group, time)| Known::add(&mut self.groups, group, time));
    }

    fn covers(&self, stamp: Stamp, group: u32) -> bool {
        let inside =
            |list: &[(u32, u32)], who: u32| list.iter().any(|&(known, time)| known == who && stamp.time < time);
        inside(&self.items, stamp.item) || inside(&self.groups, group)
    }
}

/// What an atomic's last writer released.
#[derive(Clone, Debug)]
struct Release {
    known: Known,
    item: u32,
    scope: Scope,
}

/// An atomic: global memory behind an argument, or local memory (`None`), and the offset.
pub(super) type Location = (Option<usize>, usize);

/// The order of a launch so far.
#[derive(Debug)]
pub(super) struct Clock {
    now: u32,
    group: u32,
    /// The number of the group's first item.
    first: u32,
    group_size: u32,
    sub_group_size: u32,
    /// When the group began, and when it passed its last barrier.
    began: u32,
    barrier: u32,
    /// When each sub-group of the group passed its last barrier.
    sub_groups: Vec<u32>,
    /// What all items of the group have acquired, and what each has.
    shared: Known,
    own: Vec<Known>,
    /// Whether any of those is not empty: without atomics that order, nobody looks.
    acquired: bool,
    /// What each item's last releasing fence covers, and what an acquiring fence of it would acquire.
    fenced: Vec<Option<Release>>,
    pending: Vec<Known>,
    releases: HashMap<Location, Release>,
}

impl Clock {
    pub(super) fn new(group_size: usize, sub_group_size: usize) -> Clock {
        let sub_group_size = sub_group_size.clamp(1, group_size.max(1));
        Clock {
            now: 1,
            group: 0,
            first: 1,
            group_size: group_size as u32,
            sub_group_size: sub_group_size as u32,
            began: 1,
            barrier: 1,
            sub_groups: vec![0; group_size.div_ceil(sub_group_size)],
            shared: Known::default(),
            own: vec![Known::default(); group_size],
            acquired: false,
            fenced: vec![None; group_size],
            pending: vec![Known::default(); group_size],
            releases: HashMap::new(),
        }
    }

    /// The time and number of an access that the item at a position in the group makes now.
    #[inline(always)]
    pub(super) fn stamp(&self, item: usize) -> Stamp {
        Stamp { item: self.first + item as u32, time: self.now }
    }

    /// When the running group began.
    pub(super) fn group_began(&self) -> u32 {
        self.began
    }

    /// The number of an item's group.
    pub(super) fn group_of(&self, item: u32) -> u32 {
        (item - 1) / self.group_size
    }

    /// The number of an item's sub-group, among all of the launch.
    pub(super) fn sub_group_of(&self, item: u32) -> (u32, u32) {
        ((item - 1) / self.group_size, (item - 1) % self.group_size / self.sub_group_size)
    }

    /// Whether what was done at `earlier` happens before what the item of `now`, which runs, does now.
    #[inline(always)]
    pub(super) fn ordered(&self, earlier: Stamp, now: Stamp) -> bool {
        if earlier.item == now.item {
            return true;
        }
        let position = earlier.item.wrapping_sub(self.first);
        if position < self.group_size {
            if earlier.time < self.barrier {
                return true;
            }
            let sub_group = position / self.sub_group_size;
            if sub_group == (now.item - self.first) / self.sub_group_size
                && earlier.time < self.sub_groups[sub_group as usize]
            {
                return true;
            }
        }
        self.acquired && self.knows(earlier, now)
    }

    #[cold]
    fn knows(&self, earlier: Stamp, now: Stamp) -> bool {
        let group = self.group_of(earlier.item);
        self.shared.covers(earlier, group) || self.own[(now.item - self.first) as usize].covers(earlier, group)
    }

    /// Whether two items both lie in a scope.
    pub(super) fn within(&self, scope: Scope, one: u32, other: u32) -> bool {
        match scope {
            Scope::WorkItem => one == other,
            Scope::SubGroup => self.sub_group_of(one) == self.sub_group_of(other),
            Scope::WorkGroup => self.group_of(one) == self.group_of(other),
            Scope::Device | Scope::System => true,
        }
    }

    pub(super) fn begin_group(&mut self, group: usize) {
        self.now += 1;
        self.group = group as u32;
        self.first = group as u32 * self.group_size + 1;
        (self.began, self.barrier) = (self.now, self.now);
        if self.group_size > 1 {
            self.sub_groups.fill(0);
        }
        if self.acquired {
            self.shared = Known::default();
            self.own.fill(Known::default());
            self.acquired = false;
        }
        // Another group's local memory is another one, at the same offsets.
        if !self.releases.is_empty() {
            self.releases.retain(|(argument, _), _| argument.is_some());
        }
        // Only what was used is cleared: a group may be one item.
        self.fenced.iter_mut().for_each(|fenced| *fenced = None);
        self.pending.iter_mut().filter(|pending| !pending.is_empty()).for_each(|pending| *pending = Known::default());
    }

    pub(super) fn barrier(&mut self) {
        self.now += 1;
        self.barrier = self.now;
        if self.acquired {
            for own in &mut self.own {
                self.shared.merge(&std::mem::take(own));
            }
        }
    }

    pub(super) fn sub_group_barrier(&mut self, members: Range<usize>) {
        self.now += 1;
        self.sub_groups[members.start / self.sub_group_size as usize] = self.now;
        if self.acquired {
            let mut all = Known::default();
            self.own[members.clone()].iter().for_each(|own| all.merge(own));
            self.own[members].fill(all);
        }
    }

    /// All that happens before what the item at a position does next.
    fn snapshot(&mut self, item: usize, scope: Scope) -> Release {
        let stamp = self.stamp(item);
        self.now += 1;
        let mut known = self.own[item].clone();
        known.merge(&self.shared);
        Known::add(&mut known.items, stamp.item, self.now);
        if self.barrier > self.began {
            Known::add(&mut known.groups, self.group, self.barrier);
        }
        let sub_group = item / self.sub_group_size as usize;
        let passed = self.sub_groups[sub_group];
        if passed > self.barrier {
            let start = sub_group as u32 * self.sub_group_size;
            for member in start..self.group_size.min(start + self.sub_group_size) {
                if self.first + member != stamp.item {
                    Known::add(&mut known.items, self.first + member, passed);
                }
            }
        }
        Release { known, item: stamp.item, scope }
    }

    /// An atomic operation of the item at a position.
    pub(super) fn atomic(
        &mut self,
        item: usize,
        location: Location,
        (reads, writes): (bool, bool),
        order: Order,
        scope: Scope,
    ) {
        let me = self.first + item as u32;
        if reads && let Some(release) = self.releases.get(&location) {
            let heard = self.within(scope, release.item, me) && self.within(release.scope, release.item, me);
            if heard {
                let known = release.known.clone();
                if matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
                    self.own[item].merge(&known);
                    self.acquired = true;
                } else {
                    self.pending[item].merge(&known);
                }
            }
        }
        if !writes {
            return;
        }
        let released = match order {
            Order::Release | Order::AcqRel | Order::SeqCst => Some(self.snapshot(item, scope)),
            _ => self.fenced[item].clone(),
        };
        match (released, reads) {
            // What reads and writes goes on with what was released before it.
            (Some(mut released), true) => {
                if let Some(before) = self.releases.get(&location) {
                    released.known.merge(&before.known);
                }
                self.releases.insert(location, released);
            }
            (Some(released), false) => {
                self.releases.insert(location, released);
            }
            (None, true) => {}
            (None, false) => {
                if !self.releases.is_empty() {
                    self.releases.remove(&location);
                }
            }
        }
    }

    /// A fence of the item at a position.
    pub(super) fn fence(&mut self, item: usize, order: Order, scope: Scope) {
        if matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
            let pending = std::mem::take(&mut self.pending[item]);
            self.acquired |= !pending.is_empty();
            self.own[item].merge(&pending);
        }
        if matches!(order, Order::Release | Order::AcqRel | Order::SeqCst) {
            self.fenced[item] = Some(self.snapshot(item, scope));
        }
    }
}
