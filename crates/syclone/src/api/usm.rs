//! Unified shared memory: typed allocations that kernels take directly.
//!
//! [`UsmDevice`] lives on a device and is not read by the host, [`UsmHost`] lives on the host and every device reaches
//! it, [`UsmShared`] belongs to one device and the host. All three own their memory, and borrowing decides who may
//! name it: `x.view()` borrows, `x.item_mut()` borrows mutably, so one kernel can't take both.
//!
//! **Ordering.** A command runs after the borrow that named its arguments has ended, so borrowing alone can't keep two
//! commands apart, nor a command and the host. The runtime therefore orders commands on USM as it does on buffers: a
//! command that writes an allocation, or a slice of one, waits for those before it that use the same bytes. Nothing
//! needs an explicit dependency to be safe, and commands on different allocations or disjoint slices overlap. Commands
//! share ownership, so an allocation may be dropped while they use it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::{Arc, LazyLock, PoisonError, RwLock, Weak};

use syclone_runtime::check::unwritten;
use syclone_runtime::{AccessMode, Aspect, Device, MemoryObject, Result};

use super::block::Block;
use super::handler::next_id;
use super::host::{HostRead, HostWrite};
use super::pitched::{HostReadRows, HostWriteRows};
use super::range::Range;
use crate::kernel::{AtomicView, GroupMut, ItemMut, KernelArg, Reducer, ScatterMut, View};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// What a launch finds behind a handle that was made from USM memory.
pub(crate) struct Allocation {
    pub(crate) object: Arc<MemoryObject>,
    /// The only device that may use it; `None` if all may.
    pub(crate) device: Option<Device>,
}

/// The living allocations by the number that their handles carry.
static ALLOCATIONS: LazyLock<RwLock<HashMap<u64, Arc<Allocation>>>> = LazyLock::new(Default::default);

thread_local! {
    /// What this thread has found lately, so that launching again and again takes no lock. Weak, so that it keeps no
    /// memory and no number alive.
    static FOUND: RefCell<[(u64, Weak<Allocation>); 16]> = RefCell::new(std::array::from_fn(|_| (0, Weak::new())));
}

/// The allocation with this number, if it lives.
pub(crate) fn find(number: u64) -> Option<Arc<Allocation>> {
    FOUND.with_borrow_mut(|found| {
        let place = &mut found[number as usize % 16];
        if place.0 == number {
            // Only the list of allocations owns it for longer than a call of this.
            return place.1.upgrade();
        }
        let allocation = Arc::clone(ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner).get(&number)?);
        *place = (number, Arc::downgrade(&allocation));
        Some(allocation)
    })
}

/// An allocation's place in the list; leaves it when dropped.
#[derive(Debug)]
struct Registration(u64);

impl Registration {
    fn new(allocation: Allocation) -> Self {
        let number = next_id();
        ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(allocation));
        Registration(number)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // Bound, so that the memory is freed after the lock is released.
        let removed = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
        drop(removed);
    }
}

/// A kernel argument made from USM memory, borrowed for `'a`: becomes the handle `H`.
///
/// It borrows only until the kernel is made; from then on the runtime keeps the memory and orders its users.
#[derive(Debug)]
pub struct UsmArg<'a, H> {
    handle: H,
    owner: PhantomData<&'a ()>,
}

macro_rules! usm_arg {
    ($($handle:ident)*) => {$(
        impl<T: DeviceCopy, const D: usize> KernelArg<$handle<T, D>> for UsmArg<'_, $handle<T, D>> {
            unsafe fn into_param(self) -> $handle<T, D> {
                self.handle
            }
        }
    )*};
}

usm_arg!(View ItemMut GroupMut ScatterMut AtomicView);

impl<T: DeviceCopy, O: ReduceOp<T>> KernelArg<Reducer<T, O>> for UsmArg<'_, Reducer<T, O>> {
    unsafe fn into_param(self) -> Reducer<T, O> {
        self.handle
    }
}

/// Elements of an allocation, to read.
#[derive(Debug)]
pub struct UsmSlice<'a, T, const D: usize = 1> {
    block: Block<T, D>,
    number: u64,
    owner: PhantomData<&'a T>,
}

/// Elements of an allocation, to read and write.
#[derive(Debug)]
pub struct UsmSliceMut<'a, T, const D: usize = 1> {
    block: Block<T, D>,
    number: u64,
    owner: PhantomData<&'a mut T>,
}

macro_rules! handle {
    ($self:ident, $handle:ident) => {
        UsmArg {
            // SAFETY: the number tells the launch which memory to keep and to order; the borrow of `self` keeps one
            // kernel from taking it twice if one of the two writes.
            handle: unsafe {
                $handle::from_raw($self.block.ptr(), $self.block.extents(), Some($self.number))
                    .with_pitch($self.block.pitch())
            },
            owner: PhantomData,
        }
    };
}

macro_rules! usm_reads {
    ($name:ident $(<$life:lifetime>)?) => {
        impl<$($life,)? T: DeviceCopy, const D: usize> $name<$($life,)? T, D> {
            /// The number of elements in each dimension.
            pub fn extents(&self) -> [usize; D] {
                self.block.extents()
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                self.block.len()
            }

            /// Whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// A kernel argument that reads any element.
            pub fn view(&self) -> UsmArg<'_, View<T, D>> {
                handle!(self, View)
            }

            /// The indices `rows` of the first dimension, to read.
            pub fn slice(&self, rows: impl RangeBounds<usize>) -> Result<UsmSlice<'_, T, D>> {
                Ok(UsmSlice { block: self.block.slice(rows)?, number: self.number, owner: PhantomData })
            }

            /// The indices `columns` of the last dimension, to read; the rows stay as far apart as they are.
            pub fn columns(&self, columns: impl RangeBounds<usize>) -> Result<UsmSlice<'_, T, D>> {
                Ok(UsmSlice { block: self.block.columns(columns)?, number: self.number, owner: PhantomData })
            }

            pub(crate) fn block(&self) -> &Block<T, D> {
                &self.block
            }
        }
    };
}

macro_rules! usm_writes {
    ($name:ident $(<$life:lifetime>)?) => {
        impl<$($life,)? T: DeviceCopy, const D: usize> $name<$($life,)? T, D> {
            /// A kernel argument whose elements each have one item.
            pub fn item_mut(&mut self) -> UsmArg<'_, ItemMut<T, D>> {
                handle!(self, ItemMut)
            }

            /// A kernel argument whose elements each have one work-group.
            pub fn group_mut(&mut self) -> UsmArg<'_, GroupMut<T, D>> {
                handle!(self, GroupMut)
            }

            /// A kernel argument that writes any element, in a kernel that is launched by an unsafe call.
            pub fn scatter_mut(&mut self) -> UsmArg<'_, ScatterMut<T, D>> {
                handle!(self, ScatterMut)
            }

            /// A kernel argument that changes any element by atomic operations.
            pub fn atomic_view(&mut self) -> UsmArg<'_, AtomicView<T, D>> {
                handle!(self, AtomicView)
            }

            /// The indices `rows` of the first dimension, to read and write.
            pub fn slice_mut(&mut self, rows: impl RangeBounds<usize>) -> Result<UsmSliceMut<'_, T, D>> {
                Ok(UsmSliceMut { block: self.block.slice(rows)?, number: self.number, owner: PhantomData })
            }

            /// The indices `columns` of the last dimension, to read and write; the rows stay as far apart as they are.
            pub fn columns_mut(&mut self, columns: impl RangeBounds<usize>) -> Result<UsmSliceMut<'_, T, D>> {
                Ok(UsmSliceMut { block: self.block.columns(columns)?, number: self.number, owner: PhantomData })
            }

            /// Two parts of the memory that one kernel may take together: the last dimension before `column`, and from
            /// `column` on.
            pub fn split_columns_at_mut(
                &mut self,
                column: usize,
            ) -> Result<(UsmSliceMut<'_, T, D>, UsmSliceMut<'_, T, D>)> {
                let (number, owner) = (self.number, PhantomData);
                let (before, after) = (self.block.columns(..column)?, self.block.columns(column..)?);
                Ok((UsmSliceMut { block: before, number, owner }, UsmSliceMut { block: after, number, owner }))
            }

            /// Two parts of the memory that one kernel may take together: the first dimension before `row`, and from
            /// `row` on.
            pub fn split_at_mut(&mut self, row: usize) -> Result<(UsmSliceMut<'_, T, D>, UsmSliceMut<'_, T, D>)> {
                let (number, owner) = (self.number, PhantomData);
                let (before, after) = (self.block.slice(..row)?, self.block.slice(row..)?);
                Ok((UsmSliceMut { block: before, number, owner }, UsmSliceMut { block: after, number, owner }))
            }
        }
    };
}

usm_reads!(UsmSlice<'a>);
usm_reads!(UsmSliceMut<'a>);
usm_writes!(UsmSliceMut<'a>);

macro_rules! allocation {
    ($(#[$doc:meta])* $name:ident, $what:literal, $aspect:expr, $owner:expr, $fresh:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T, const D: usize = 1> {
            block: Block<T, D>,
            number: u64,
            // Leaves the list of allocations before the block lets go of the memory.
            _registration: Registration,
        }

        impl<T: DeviceCopy, const D: usize> $name<T, D> {
            #[doc = $fresh]
            ///
            /// The error says if `device` lacks this kind of memory, or has too little.
            pub fn new(device: &Device, extents: impl Into<Range<D>>) -> Result<Self> {
                device.require($aspect)?;
                let block: Block<T, D> = Block::zeroed($what, device, extents.into().extents())?;
                Ok($name::of(block, device))
            }

            /// An allocation like that of [`new`](Self::new) whose rows (the last dimension) each begin at a cache line.
            ///
            /// Kernels index it like any other; [`pitch`](Self::pitch) says how far its rows are apart. Copies to and
            /// from it move its elements and not what lies between its rows.
            pub fn pitched(device: &Device, extents: impl Into<Range<D>>) -> Result<Self> {
                device.require($aspect)?;
                let extents = extents.into().extents();
                let pitch = super::pitched::aligned_pitch::<T, D>(extents);
                Ok($name::of(Block::pitched($what, device, extents, pitch)?, device))
            }

            /// The elements from the beginning of one row to the next.
            pub fn pitch(&self) -> usize {
                self.block.pitch()
            }

            fn of(block: Block<T, D>, device: &Device) -> Self {
                if device.is_checked() && $aspect == Aspect::UsmDeviceAllocations {
                    // Its values are nobody's: a kernel that reads them is reported.
                    let first = block.ptr().addr();
                    unwritten::mark(block.object(), first..first + block.object().bytes());
                }
                let owner: fn(&Device) -> Option<Device> = $owner;
                let block = block.owned_by(owner(device));
                let registration =
                    Registration::new(Allocation { object: Arc::clone(block.object()), device: owner(device) });
                $name { block, number: registration.0, _registration: registration }
            }
        }

        impl<T: DeviceCopy> $name<T, 1> {
            /// A kernel argument that reduces into the only element: the result replaces what it holds, or is combined
            /// with it if `include_initial` says so.
            ///
            /// The error says if there is not exactly one element.
            pub fn reducer<O: ReduceOp<T>>(
                &mut self,
                op: O,
                include_initial: bool,
            ) -> Result<UsmArg<'_, Reducer<T, O>>> {
                let _ = op;
                super::block::check_len::<T, 1>("reduction", self.len(), [1])?;
                // SAFETY: as for the other handles.
                let handle = unsafe { Reducer::from_raw(self.block.ptr(), include_initial, Some(self.number)) };
                Ok(UsmArg { handle, owner: PhantomData })
            }
        }

        usm_reads!($name);
        usm_writes!($name);
    };
}

macro_rules! host_reachable {
    ($($name:ident)*) => {$(
        impl<T: DeviceCopy, const D: usize> $name<T, D> {
            /// Waits for the commands that write the memory, then lets the host read it.
            ///
            /// The elements of a [pitched](Self::pitched) allocation are no slice: of those, [`host_rows`](Self::host_rows)
            /// gives the rows, and this an error, unless there is nothing between them.
            pub fn host(&self) -> Result<HostRead<'_, T, D>> {
                self.block.check_dense("host access")?;
                HostRead::wait(&self.block)
            }

            /// Waits for the commands that use the memory, then lets the host read and write it. For pitched memory as
            /// [`host`](Self::host), with [`host_rows_mut`](Self::host_rows_mut).
            pub fn host_mut(&mut self) -> Result<HostWrite<'_, T, D>> {
                self.block.check_dense("host access")?;
                HostWrite::wait(&self.block)
            }

            /// Waits for the commands that write the memory, then lets the host read its rows.
            pub fn host_rows(&self) -> Result<HostReadRows<'_, T, D>> {
                HostReadRows::wait(&self.block, AccessMode::Read)
            }

            /// Waits for the commands that use the memory, then lets the host read and write its rows.
            pub fn host_rows_mut(&mut self) -> Result<HostWriteRows<'_, T, D>> {
                HostWriteRows::wait(&self.block, AccessMode::ReadWrite)
            }
        }
    )*};
}

allocation!(
    /// Memory of one device. The host copies to and from it, and does not touch it otherwise.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let mut x = queue.alloc_device::<f32>(3)?;
    /// queue.copy_from_slice(&[1.0, 2.0, 3.0], &mut x)?;
    /// assert_eq!(queue.to_vec(&x)?, [1.0, 2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    UsmDevice, "device allocation", Aspect::UsmDeviceAllocations, |device| Some(device.clone()),
    "An allocation. What it holds before it is written is unspecified: some values of `T`, never another allocation's."
);
allocation!(
    /// Host memory that every device reaches.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let mut x = queue.alloc_host::<u8>(2)?;
    /// x.host_mut()?[0] = 1;
    /// assert_eq!(x.host()?[..], [1, 0]);
    /// # Ok(())
    /// # }
    /// ```
    UsmHost, "host allocation", Aspect::UsmHostAllocations, |_| None, "An allocation of zeros."
);
allocation!(
    /// Memory that one device and the host share.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let mut x = UsmShared::<i64, 2>::new(queue.device(), [2, 2])?;
    /// queue.fill(&mut x, -1)?;
    /// assert_eq!(x.host()?[..], [-1; 4]);
    /// # Ok(())
    /// # }
    /// ```
    UsmShared, "shared allocation", Aspect::UsmSharedAllocations, |device| Some(device.clone()),
    "An allocation of zeros."
);
host_reachable!(UsmHost UsmShared);

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use super::ALLOCATIONS;
    use crate::api::launch::tests::launches_go_on_while;

    #[test]
    fn launches_that_use_the_same_memory_again_and_again_do_not_lock_the_list_of_allocations() {
        launches_go_on_while(|| ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner));
    }
}
