//! Where a work-item is: [`Item`], [`NdItem`] and the [`Group`] and [`SubGroup`] that it belongs to.
//!
//! These are tokens that only a running kernel has. An item is the proof that its holder may write the item's own
//! element of an [`ItemMut`](super::ItemMut), so none can be made, stored in memory or sent to another item:
//! there is no constructor, and they are no [`DeviceCopy`](crate::types::DeviceCopy).

use std::ops::Deref;

use super::dimension::in_dimension;
use crate::abi::GroupCx;

/// The group that made a token.
#[derive(Clone, Copy, Debug)]
struct Owner<const D: usize>(*const GroupCx<D>);

impl<const D: usize> Deref for Owner<D> {
    type Target = GroupCx<D>;

    #[inline(always)]
    fn deref(&self) -> &GroupCx<D> {
        // SAFETY: tokens live no longer than the group that made them: a kernel cannot store one.
        unsafe { &*self.0 }
    }
}

/// Methods that give one element of an index or a range.
macro_rules! by_dimension {
    ($($(#[$doc:meta])* $name:ident: $($field:ident).+)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[track_caller]
        pub fn $name(&self, dim: usize) -> usize {
            in_dimension(&self.$($field).+, dim)
        }
    )*};
}

/// A work-item of a kernel over a plain range.
#[derive(Clone, Copy, Debug)]
pub struct Item<const D: usize = 1> {
    global: [usize; D],
    group: Owner<D>,
}

impl<const D: usize> Item<D> {
    /// The item at `global`.
    #[inline(always)]
    pub(crate) fn new(global: [usize; D], group: &GroupCx<D>) -> Self {
        Item { global, group: Owner(group) }
    }

    #[inline(always)]
    pub(crate) fn position(&self) -> [usize; D] {
        self.global
    }

    by_dimension! {
        /// The item's index in dimension `dim`.
        global_id: global
        /// The item's index in dimension `dim`, by SYCL's name.
        id: global
        /// The number of items in dimension `dim`.
        global_range: group.global_range
    }

    /// The number of items in dimension `dim`, by SYCL's name.
    #[inline(always)]
    #[track_caller]
    pub fn range(&self, dim: usize) -> usize {
        self.global_range(dim)
    }

    /// The item's place among all, counted row by row: the last dimension varies fastest.
    #[inline(always)]
    pub fn global_linear_id(&self) -> usize {
        linear(self.global, self.group.global_range)
    }

    /// [`Item::global_linear_id`] by SYCL's name.
    #[inline(always)]
    pub fn linear_id(&self) -> usize {
        self.global_linear_id()
    }
}

/// A work-item of a kernel over an nd-range: it belongs to a work-group.
#[derive(Clone, Copy, Debug)]
pub struct NdItem<const D: usize = 1> {
    global: [usize; D],
    local: [usize; D],
    group: Owner<D>,
}

impl<const D: usize> NdItem<D> {
    /// The item at `local` of `group`.
    #[inline(always)]
    pub(crate) fn new(global: [usize; D], local: [usize; D], group: &GroupCx<D>) -> Self {
        NdItem { global, local, group: Owner(group) }
    }

    #[inline(always)]
    pub(crate) fn position(&self) -> [usize; D] {
        self.global
    }

    #[inline(always)]
    pub(crate) fn group_position(&self) -> [usize; D] {
        self.group.group_id
    }

    by_dimension! {
        /// The item's index among all items, in dimension `dim`.
        global_id: global
        /// The item's index in its work-group, in dimension `dim`.
        local_id: local
        /// The index of the item's work-group, in dimension `dim`.
        group_id: group.group_id
        /// The number of items in dimension `dim`.
        global_range: group.global_range
        /// The number of items of a work-group in dimension `dim`.
        local_range: group.local_range
        /// The number of work-groups in dimension `dim`.
        group_range: group.group_range
    }

    /// The item's place among all items, counted row by row: the last dimension varies fastest.
    #[inline(always)]
    pub fn global_linear_id(&self) -> usize {
        linear(self.global, self.group.global_range)
    }

    /// The item's place in its work-group, counted row by row.
    #[inline(always)]
    pub fn local_linear_id(&self) -> usize {
        linear(self.local, self.group.local_range)
    }

    /// The place of the item's work-group among all, counted row by row.
    #[inline(always)]
    pub fn group_linear_id(&self) -> usize {
        self.group().linear_id()
    }

    /// The item's work-group.
    #[inline(always)]
    pub fn group(&self) -> Group<D> {
        Group { group: self.group }
    }

    /// The item's sub-group.
    #[inline(always)]
    pub fn sub_group(&self) -> SubGroup {
        self.group.sub_group(self.local_linear_id())
    }

    /// Waits until every item of the work-group has come here; what any of them wrote to local or global memory
    /// before is then seen by all of the group.
    ///
    /// Every item of the group has to reach the same barrier. A group in which some do not ends in an error that
    /// names the barrier's line; it never hangs.
    pub fn barrier(&self) {
        super::group::only_in_kernels()
    }
}

/// A work-group: the items that share local memory and can wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct Group<const D: usize = 1> {
    group: Owner<D>,
}

impl<const D: usize> Group<D> {
    #[inline(always)]
    pub(crate) fn new(group: &GroupCx<D>) -> Self {
        Group { group: Owner(group) }
    }

    #[inline(always)]
    pub(crate) fn position(&self) -> [usize; D] {
        self.group.group_id
    }

    #[inline(always)]
    pub(crate) fn group_position(&self) -> [usize; D] {
        self.group.group_id
    }

    by_dimension! {
        /// The group's index in dimension `dim`.
        id: group.group_id
        /// The number of groups in dimension `dim`.
        range: group.group_range
        /// The number of items of a group in dimension `dim`.
        local_range: group.local_range
    }

    /// The group's place among all, counted row by row: the last dimension varies fastest.
    #[inline(always)]
    pub fn linear_id(&self) -> usize {
        linear(self.group.group_id, self.group.group_range)
    }

    /// The number of items in the group.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.group.size()
    }
}

/// A sub-group: consecutive items of a work-group that exchange values without memory.
///
/// The items are numbered by [`NdItem::local_linear_id`]; each run of [`SubGroup::max_size`] of them is a
/// sub-group, and the last one of a work-group may be smaller.
///
/// ```
/// use syclone::prelude::*;
/// #[kernel]
/// fn neighbours(item: NdItem<1>, x: ItemMut<u32>) {
///     let next = item.sub_group().shuffle_down(x[item], 1);
///     x[item] = next;
/// }
/// # fn main() -> Result<()> {
/// # let queue = Queue::new(&Device::select("cpu")?)?;
/// let x = Buffer::from_vec(vec![1u32, 2, 3, 4, 5, 6]);
/// let shape = NdRange::new([6], [6]).sub_group_size(4);
/// queue.submit(|h| h.parallel_for(shape, neighbours(x.read_write(h))))?;
/// assert_eq!(x.host_read()?[..], [2, 3, 4, 4, 6, 6]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SubGroup {
    linear: usize,
    items: usize,
    width: usize,
}

impl SubGroup {
    /// The sub-group of item `linear` in a group of `items`, `width` to a full sub-group.
    #[inline(always)]
    pub(crate) fn new(linear: usize, items: usize, width: usize) -> Self {
        SubGroup { linear, items, width }
    }

    /// The sub-group's index in its work-group.
    #[inline(always)]
    pub fn id(&self) -> usize {
        self.linear / self.width
    }

    /// The item's index in the sub-group: its lane.
    #[inline(always)]
    pub fn local_id(&self) -> usize {
        self.linear % self.width
    }

    /// The number of items in this sub-group; the last of a work-group may have fewer than the others.
    #[inline(always)]
    pub fn size(&self) -> usize {
        let first = self.linear - self.local_id();
        self.width.min(self.items - first)
    }

    /// The number of items in a full sub-group, as chosen by the launch.
    #[inline(always)]
    pub fn max_size(&self) -> usize {
        self.width
    }

    /// The number of sub-groups in the work-group.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.items.div_ceil(self.width)
    }
}

/// The row-major place of `index` in `extents`.
#[inline(always)]
pub(crate) fn linear<const D: usize>(index: [usize; D], extents: [usize; D]) -> usize {
    let mut place = 0usize;
    for dim in 0..D {
        place = place.wrapping_mul(extents[dim]).wrapping_add(index[dim]);
    }
    place
}
