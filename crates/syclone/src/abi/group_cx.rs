//! The work-group that is running: where it is, and the memory that it owns while it runs.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::arena::{Arena, BLOCK_ALIGN, Mark};
use super::per_item::PerItem;
use crate::kernel::{Group, Item, Local, LocalAccessor, NdItem, Oob, SubGroup};
use crate::types::DeviceCopy;

/// The largest number of items in a sub-group: a ballot has one bit for each.
pub const MAX_SUB_GROUP_SIZE: usize = 32;

/// A barrier or collective that only some items of a group reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Source line of the barrier or collective.
    pub line: u32,
    /// How many items came there.
    pub arrived: usize,
    /// How many there are in the group.
    pub expected: usize,
}

/// What one worker needs to run groups, one after another: local memory, storage, and what went wrong.
///
/// A worker has one and never shares it, so local memory of groups that run at the same time cannot alias.
#[derive(Debug)]
pub struct GroupMemory {
    local: *mut u8,
    local_bytes: usize,
    local_used: Cell<usize>,
    arena: Arena,
    faults: Cell<u32>,
    divergence: Cell<Option<Divergence>>,
}

impl GroupMemory {
    /// Memory for groups whose local memory is the block at `local`.
    ///
    /// # Safety
    /// The block must be valid for `bytes` and aligned to 64 bytes while the value lives, and used by nothing else.
    pub unsafe fn new(local: *mut u8, bytes: usize) -> Self {
        GroupMemory {
            local,
            local_bytes: bytes,
            local_used: Cell::new(0),
            arena: Arena::new(),
            faults: Cell::new(0),
            divergence: Cell::new(None),
        }
    }

    /// [`GroupMemory::new`] with storage that has been used before.
    ///
    /// # Safety
    /// As for [`GroupMemory::new`].
    pub unsafe fn with_arena(local: *mut u8, bytes: usize, arena: Arena) -> Self {
        // SAFETY: the caller's promise.
        GroupMemory { arena, ..unsafe { GroupMemory::new(local, bytes) } }
    }

    /// Takes the storage back, for another use.
    pub fn into_arena(self) -> Arena {
        self.arena
    }

    /// Gives back what the last group took; its faults stay until they are taken.
    #[inline(always)]
    pub fn begin_group(&self) {
        self.local_used.set(0);
        self.arena.reset();
    }

    /// The fault bits reported since the last call.
    pub fn take_faults(&self) -> u32 {
        self.faults.take()
    }

    /// The first divergence reported since the last call.
    pub fn take_divergence(&self) -> Option<Divergence> {
        self.divergence.take()
    }

    /// Whether a fault or a divergence has been reported and not taken.
    #[inline(always)]
    pub fn has_report(&self) -> bool {
        self.faults.get() != 0 || self.divergence.get().is_some()
    }

    /// A block of local memory, uninitialised. What exceeds the worker's block, which the launch has ruled out,
    /// comes from the heap: slower, but never another group's.
    #[inline(always)]
    fn local_block(&self, bytes: usize, align: usize) -> *mut u8 {
        let used = self.local_used.get();
        let size = bytes.next_multiple_of(BLOCK_ALIGN);
        if align <= BLOCK_ALIGN && size <= self.local_bytes - used {
            self.local_used.set(used + size);
            // SAFETY: `used` is inside the block.
            unsafe { self.local.add(used) }
        } else {
            self.arena.alloc(bytes, align)
        }
    }
}

/// A work-group while it runs: all that macro output asks of the library.
///
/// Kernels over a plain range run in boxes of items, which take the place of groups: `offset` is then the first item
/// of the box and `local_range` its extents.
#[derive(Debug)]
pub struct GroupCx<const D: usize> {
    /// The group's index.
    pub group_id: [usize; D],
    /// The number of groups.
    pub group_range: [usize; D],
    /// The number of items in the group.
    pub local_range: [usize; D],
    /// The number of items in the launch.
    pub global_range: [usize; D],
    /// The global index of the group's first item.
    pub offset: [usize; D],
    /// The number of items in a full sub-group, at most [`MAX_SUB_GROUP_SIZE`].
    pub sub_group_size: usize,
    /// The piece of the launch's work that the group belongs to; each has its own partial results of reductions.
    pub chunk: usize,
    memory: NonNull<GroupMemory>,
}

impl<const D: usize> GroupCx<D> {
    /// Group `group_id` of an nd-range. Takes back what the worker's last group used.
    ///
    /// # Safety
    /// `memory` must outlive the group, and the worker must run no other group on it meanwhile.
    #[inline(always)]
    pub unsafe fn nd_range(
        group_id: [usize; D],
        group_range: [usize; D],
        local_range: [usize; D],
        sub_group_size: usize,
        chunk: usize,
        memory: &GroupMemory,
    ) -> Self {
        let mut offset = [0; D];
        let mut global_range = [0; D];
        for dim in 0..D {
            offset[dim] = group_id[dim] * local_range[dim];
            global_range[dim] = group_range[dim] * local_range[dim];
        }
        let sub_group_size = sub_group_size.clamp(1, MAX_SUB_GROUP_SIZE);
        memory.begin_group();
        let memory = NonNull::from(memory);
        GroupCx { group_id, group_range, local_range, global_range, offset, sub_group_size, chunk, memory }
    }

    /// The box of items from `offset`, `extents` large, of a plain range.
    ///
    /// # Safety
    /// As for [`GroupCx::nd_range`].
    #[inline(always)]
    pub unsafe fn range(
        offset: [usize; D],
        extents: [usize; D],
        global_range: [usize; D],
        chunk: usize,
        memory: &GroupMemory,
    ) -> Self {
        memory.begin_group();
        GroupCx {
            group_id: [0; D],
            group_range: [1; D],
            local_range: extents,
            global_range,
            offset,
            sub_group_size: 1,
            chunk,
            memory: NonNull::from(memory),
        }
    }

    #[inline(always)]
    fn memory(&self) -> &GroupMemory {
        // SAFETY: the promise of the constructors: it outlives the group.
        unsafe { self.memory.as_ref() }
    }

    /// The global id of the item at `local`.
    #[inline(always)]
    pub fn global(&self, local: [usize; D]) -> [usize; D] {
        let mut global = self.offset;
        for dim in 0..D {
            global[dim] = global[dim].wrapping_add(local[dim]);
        }
        global
    }

    /// The item at `local` of an nd-range kernel.
    #[inline(always)]
    pub fn nd_item(&self, local: [usize; D]) -> NdItem<D> {
        NdItem::new(self.global(local), local, self)
    }

    /// The item at `local` of this box of a range kernel.
    #[inline(always)]
    pub fn range_item(&self, local: [usize; D]) -> Item<D> {
        Item::new(self.global(local), self)
    }

    /// The group's token.
    #[inline(always)]
    pub fn group(&self) -> Group<D> {
        Group::new(self)
    }

    /// The sub-group of the item with this local linear index.
    #[inline(always)]
    pub fn sub_group(&self, linear: usize) -> SubGroup {
        SubGroup::new(linear, self.size(), self.sub_group_size)
    }

    /// The sub-group whose first item has the local linear index `first`, as a one-dimensional group of its own on
    /// the same memory.
    pub(super) fn alone(&self, first: usize) -> GroupCx<1> {
        let items = self.sub_group_size.min(self.size() - first);
        GroupCx {
            group_id: [0],
            group_range: [1],
            local_range: [items],
            global_range: [items],
            offset: [0],
            sub_group_size: self.sub_group_size,
            chunk: self.chunk,
            memory: self.memory,
        }
    }

    /// The number of items in the group.
    #[inline(always)]
    pub fn size(&self) -> usize {
        let mut size = 1usize;
        for extent in self.local_range {
            size = size.wrapping_mul(extent);
        }
        size
    }

    /// The local index of the item with this local linear index.
    #[inline(always)]
    pub fn local_of(&self, mut linear: usize) -> [usize; D] {
        let mut local = [0; D];
        for dim in (0..D).rev() {
            local[dim] = linear % self.local_range[dim];
            linear /= self.local_range[dim];
        }
        local
    }

    /// Storage for one `T` of each item, uninitialised, until the group ends or it is released.
    #[inline(always)]
    pub fn per_item<T>(&self) -> PerItem<T> {
        let bytes = self.size().saturating_mul(size_of::<T>());
        // SAFETY: the block is aligned, has an element for each item, and lives while the group does.
        unsafe { PerItem::from_raw(self.memory().arena.alloc(bytes, align_of::<T>())) }
    }

    /// Storage of `bytes`, uninitialised, in units of a block, until the group ends or it is released.
    pub(super) fn storage(&self, bytes: usize, align: usize) -> PerItem<[u8; BLOCK_ALIGN]> {
        // SAFETY: the block is aligned and lives while the group does.
        unsafe { PerItem::from_raw(self.memory().arena.alloc(bytes, align)) }
    }

    /// Calls `f` with storage for one `T` of each item. Nothing else points there while `f` runs.
    #[inline(always)]
    pub fn with_per_item<T, R>(&self, f: impl FnOnce(&mut [MaybeUninit<T>]) -> R) -> R {
        let storage = self.per_item::<T>();
        // SAFETY: the block has an element for each item, lives while the group does, and is handed out once.
        f(unsafe { std::slice::from_raw_parts_mut(storage.as_ptr(0).cast(), self.size()) })
    }

    /// Calls `f` with local memory for one `T`, zero at first. Nothing else points there while `f` runs.
    #[inline(always)]
    pub fn with_local<T: DeviceCopy, R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the block holds a valid `T`, stays until the group ends, and is handed out once.
        f(unsafe { &mut *self.local::<T>().as_ptr() })
    }

    /// How much storage is in use, for [`GroupCx::release`].
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        self.memory().arena.mark()
    }

    /// Gives back the storage handed out since `mark`: at the end of each iteration of a loop around regions.
    #[inline(always)]
    pub fn release(&self, mark: Mark) {
        self.memory().arena.release(mark);
    }

    /// Local memory for one `T`, zero at first. Each call gives memory of its own.
    #[inline(always)]
    pub fn local<T: DeviceCopy>(&self) -> Local<T> {
        let ptr = self.memory().local_block(size_of::<T>(), align_of::<T>()).cast::<T>();
        // Not for the kernel's sake, which writes before it reads: a `bool` or an enum may not be any old byte.
        // SAFETY: the block is aligned and large enough.
        unsafe { ptr.write(T::zeroed()) };
        // SAFETY: the block stays valid and unaliased until the group ends.
        unsafe { Local::from_raw(ptr) }
    }

    /// Gives a local accessor its memory for this group, zero at first.
    #[inline(always)]
    pub fn bind_local<T: DeviceCopy, const N: usize>(&self, accessor: &LocalAccessor<T, N>) -> LocalAccessor<T, N> {
        let len = accessor.len();
        let bytes = len.checked_mul(size_of::<T>()).expect("the launch has checked the size of local memory");
        let ptr = self.memory().local_block(bytes, align_of::<T>()).cast::<T>();
        // What has no bytes need not be set, of which there may be more than anyone counts to.
        for i in 0..if size_of::<T>() == 0 { 0 } else { len } {
            // SAFETY: the block holds `len` elements. Why they are set: as in `local`.
            unsafe { ptr.add(i).write(T::zeroed()) };
        }
        // SAFETY: the block stays valid and unaliased until the group ends.
        unsafe { accessor.at(ptr) }
    }

    /// Reports what items of the group touched out of bounds.
    #[inline(always)]
    pub fn report(&self, oob: Oob) {
        let faults = &self.memory().faults;
        if oob.bits() != 0 {
            faults.set(faults.get() | oob.bits());
        }
    }

    /// Whether a divergence of the worker's groups has been reported: the group is to end.
    #[inline(always)]
    pub fn has_diverged(&self) -> bool {
        self.memory().divergence.get().is_some()
    }

    /// Reports that only `arrived` items of the group came to the barrier in `line`. The first report stays.
    #[cold]
    pub fn diverged(&self, line: u32, arrived: usize) {
        self.diverged_among(line, arrived, self.size());
    }

    /// [`GroupCx::diverged`] where `expected` items had to come.
    #[cold]
    pub(super) fn diverged_among(&self, line: u32, arrived: usize, expected: usize) {
        let divergence = &self.memory().divergence;
        if divergence.get().is_none() {
            divergence.set(Some(Divergence { line, arrived, expected }));
        }
    }
}
