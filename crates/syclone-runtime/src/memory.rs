//! Memory objects: the unit of ownership and of ordering.
//!
//! An object owns an allocation or a moved-in `Vec`, or borrows host memory under an unsafe contract. Whoever
//! may still touch the bytes holds an `Arc` of the object, so memory outlives the commands that use it, and
//! its bytes never move. Who may touch them *when* is decided by the object's hazard state (module `hazard`).
//!
//! `account` counts what a device's allocations hold and keeps freed blocks for the next ones; `block` is where the
//! bytes come from.

mod account;
mod block;

use std::any::TypeId;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use account::MemoryAccount;
pub use account::MemoryStats;
use account::Refusal;
use block::Block;

use crate::check::commands;
use crate::hazard::Hazards;
use crate::node::NO_PANIC;
use crate::queue::QueueShared;
use crate::sync::{AtomicUsize, Mutex, MutexGuard};
use crate::{AccessMode, Device, Error, Name, Region, Result};

/// Memory that commands touch, with the state that orders them.
///
/// ```
/// use syclone_runtime::{Command, Device, MemoryObject, Queue};
///
/// let device = Device::default_device()?;
/// let queue = Queue::new(&device)?;
/// let source = MemoryObject::from_vec(vec![7u64; 100]);
/// let copy = MemoryObject::allocate(&device, 800)?;
/// let back = MemoryObject::from_vec(vec![0u64; 100]);
/// queue.submit(Command::copy(&source, 0, &copy, 0, 800)?)?;
/// queue.submit(Command::copy(&copy, 0, &back, 0, 800)?)?.wait()?;
/// assert_eq!(back.try_into_vec::<u64>().unwrap(), [7; 100]);
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
pub struct MemoryObject {
    id: u64,
    ptr: NonNull<u8>,
    bytes: usize,
    storage: Storage,
    hazards: Mutex<Hazards>,
    /// The queue whose lane has the object, as its id; 0 for none. Changes under the lock of the hazards.
    lease: AtomicUsize,
}

// SAFETY: the object itself never touches the bytes behind `ptr`. Those who do hold either a command's
// place in the hazard order or a host access, both of which order accesses across threads; what a `Vec`
// leaves to drop was `Send` (`from_vec` requires it).
unsafe impl Send for MemoryObject {}
// SAFETY: as above; through `&MemoryObject` only the pointer and the locked hazard state can be reached.
unsafe impl Sync for MemoryObject {}

/// Types of which any bytes are a value, and that have no bytes without one.
///
/// # Safety
/// So it is.
pub unsafe trait AnyBytes: Copy + Send + 'static {}

macro_rules! any_bytes {
    ($($number:ty)*) => {$(
        // SAFETY: a number is all of its bits.
        unsafe impl AnyBytes for $number {}
    )*};
}

any_bytes!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

enum Storage {
    /// Nothing to free: borrowed, or of zero bytes.
    Borrowed,
    /// A block of a device's memory, the account that takes it back, and the device's memory in bytes.
    Allocated { block: ManuallyDrop<Block>, account: Arc<MemoryAccount>, physical: usize },
    /// A `Vec<T>` in pieces.
    Vec { len: usize, capacity: usize, element: TypeId, drop: unsafe fn(*mut u8, usize, usize) },
}

impl MemoryObject {
    /// Allocates `bytes` zeroed bytes for `device`, aligned to 64.
    ///
    /// A freed block of a like size is taken if there is one, and made zero. The pages of a new large one are provided
    /// when they are first touched, so they land near the worker that does.
    pub fn allocate(device: &Device, bytes: usize) -> Result<Arc<MemoryObject>> {
        if bytes == 0 {
            return Ok(MemoryObject::with_storage(dangling(), 0, Storage::Borrowed));
        }
        let account = Arc::clone(device.memory());
        let info = device.info();
        let out_of_memory = |Refusal { in_use, limit }| Error::OutOfMemory {
            device: info.selector.clone(),
            asked: bytes,
            in_use,
            limit,
        };
        let physical = info.global_memory_bytes;
        let is_too_large = bytes > info.max_allocation;
        if is_too_large && bytes <= account.limit(physical) {
            let device = info.selector.clone();
            return Err(Error::AllocationTooLarge { device, asked: bytes, limit: info.max_allocation });
        }
        if is_too_large || !device.backend().has_memory(bytes)? {
            let (in_use, limit) = (account.stats().in_use, account.limit(physical));
            return Err(out_of_memory(Refusal { in_use, limit }));
        }
        let block = account.take(bytes, physical).map_err(out_of_memory)?;
        let (ptr, block) = (block.ptr(), ManuallyDrop::new(block));
        Ok(MemoryObject::with_storage(ptr, bytes, Storage::Allocated { block, account, physical }))
    }

    /// Moves a vector of numbers in; no bytes are copied. [`MemoryObject::try_into_vec`] gives it back.
    pub fn from_vec<T: AnyBytes>(vec: Vec<T>) -> Arc<MemoryObject> {
        // SAFETY: whatever bytes copies and fills leave there are numbers.
        unsafe { MemoryObject::from_values(vec) }
    }

    /// Moves a vector of any elements in, as [`MemoryObject::from_vec`] does.
    ///
    /// # Safety
    /// Copies and fills know bytes only. Whoever lets commands write the object sees to it that the bytes are values of `T`
    /// again when they end; or nobody does.
    pub unsafe fn from_values<T: Send + 'static>(vec: Vec<T>) -> Arc<MemoryObject> {
        unsafe fn drop_vec<T>(ptr: *mut u8, len: usize, capacity: usize) {
            // SAFETY: the caller passes the parts of a forgotten `Vec<T>`, once.
            drop(unsafe { Vec::from_raw_parts(ptr.cast::<T>(), len, capacity) });
        }
        let mut vec = ManuallyDrop::new(vec);
        let (len, capacity) = (vec.len(), vec.capacity());
        // `as_mut_ptr` is never null; it dangles (aligned) when nothing is allocated.
        let ptr = NonNull::new(vec.as_mut_ptr()).expect("a vector's pointer is never null").cast();
        let storage = Storage::Vec { len, capacity, element: TypeId::of::<T>(), drop: drop_vec::<T> };
        MemoryObject::with_storage(ptr, len * size_of::<T>(), storage)
    }

    /// Gives a moved-in vector back, if this is its last handle and it was a `Vec<T>`.
    ///
    /// Commands hold handles until they end, so the last handle means that nobody uses the bytes.
    pub fn try_into_vec<T: 'static>(self: Arc<Self>) -> Result<Vec<T>, Arc<Self>> {
        match self.storage {
            Storage::Vec { element, .. } if element == TypeId::of::<T>() => {}
            _ => return Err(self),
        }
        let mut object = Arc::try_unwrap(self)?;
        match std::mem::replace(&mut object.storage, Storage::Borrowed) {
            Storage::Vec { len, capacity, .. } => {
                commands::gone(object.id);
                // SAFETY: these are the parts of a forgotten `Vec<T>` (the type was compared), and the
                // storage that would have dropped them has just been taken away.
                Ok(unsafe { Vec::from_raw_parts(object.ptr.as_ptr().cast::<T>(), len, capacity) })
            }
            _ => unreachable!("the storage was a vector above, and the object is owned"),
        }
    }

    /// Borrows host memory.
    ///
    /// # Safety
    /// - `ptr` is valid for reads and writes of `bytes` bytes until the object is dropped, which is not
    ///   before the last command that uses it has ended.
    /// - Until then nobody else touches those bytes, except under a host access of this object.
    /// - A shared borrow is used with [`crate::AccessMode::Read`] only; it then need not be valid for writes.
    pub unsafe fn borrow(ptr: NonNull<u8>, bytes: usize) -> Arc<MemoryObject> {
        MemoryObject::with_storage(ptr, bytes, Storage::Borrowed)
    }

    fn with_storage(ptr: NonNull<u8>, bytes: usize, storage: Storage) -> Arc<MemoryObject> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(MemoryObject { id, ptr, bytes, storage, hazards: Mutex::default(), lease: AtomicUsize::new(0) })
    }

    /// A number that no other object of this process has or had.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The first byte. Dereferencing it needs a place in the object's hazard order.
    pub fn ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Has the system provide the pages of some bytes now, if it would otherwise do so when they are first touched.
    pub(crate) fn populate(&self, start: usize, bytes: usize) {
        if let Storage::Allocated { block, .. } = &self.storage {
            block.populate(start, bytes);
        }
    }

    /// The hazards, for a use outside of any lane: a lease ends.
    pub(crate) fn lock_hazards(&self) -> MutexGuard<'_, Hazards> {
        let mut hazards = self.hazards.lock().expect(NO_PANIC);
        if self.lease.load(Ordering::Relaxed) != 0 {
            self.end_lease(&mut hazards);
        }
        hazards
    }

    fn end_lease(&self, hazards: &mut Hazards) {
        // Before the tickets are looked at; see the module `lane`.
        self.lease.store(0, Ordering::SeqCst);
        if let Some(marker) = hazards.lane.take().and_then(|queue| queue.upgrade()?.lane_marker(Some(self.id))) {
            hazards.register(&marker, AccessMode::Write, &Region::range(0..self.bytes));
        }
    }

    /// Whether the object is leased to the queue's lane.
    pub(crate) fn is_leased_to(&self, queue: &QueueShared) -> bool {
        self.lease.load(Ordering::SeqCst) == queue.id()
    }

    /// Leases the object to the queue's lane, unless someone else uses it or what it holds is no result.
    pub(crate) fn lease_to(&self, queue: &Arc<QueueShared>) -> bool {
        if self.is_leased_to(queue) {
            return true;
        }
        let mut hazards = self.lock_hazards();
        if !hazards.forget_all() {
            return false;
        }
        hazards.lane = Some(Arc::downgrade(queue));
        self.lease.store(queue.id(), Ordering::SeqCst);
        true
    }

    /// Ends the lease to the queue's lane, if there still is one. Whoever ends it at the same time is waited for.
    pub(crate) fn end_lease_to(&self, queue: &QueueShared) {
        let mut hazards = self.hazards.lock().expect(NO_PANIC);
        if self.is_leased_to(queue) {
            self.end_lease(&mut hazards);
        }
    }

    /// Checks that `offset..offset + bytes` lies inside; the error names `command`.
    pub(crate) fn check_range(&self, command: &Name, offset: usize, bytes: usize) -> Result<()> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(()),
            end => Err(Error::RangeOutsideObject {
                command: command.clone(),
                start: offset,
                end: end.unwrap_or(usize::MAX),
                bytes: self.bytes,
            }),
        }
    }
}

fn dangling() -> NonNull<u8> {
    #[repr(align(64))]
    struct Line;
    NonNull::<Line>::dangling().cast()
}

impl Drop for MemoryObject {
    fn drop(&mut self) {
        if !matches!(self.storage, Storage::Borrowed) {
            // Before somebody else can have it.
            commands::gone(self.id);
        }
        match &mut self.storage {
            Storage::Borrowed => {}
            Storage::Allocated { block, account, physical } => {
                // SAFETY: taken here alone, and the storage is not looked at again.
                let block = unsafe { ManuallyDrop::take(block) };
                account.give_back(block, self.bytes, *physical);
            }
            Storage::Vec { len, capacity, drop, .. } => {
                // SAFETY: the parts of the vector that `from_vec` forgot; they are dropped only here.
                unsafe { drop(self.ptr.as_ptr(), *len, *capacity) }
            }
        }
    }
}

impl fmt::Debug for MemoryObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryObject({}, {} bytes)", self.id, self.bytes)
    }
}
