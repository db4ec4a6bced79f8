//! Memory objects: the unit of ownership and of ordering.
//!
//! An object owns an allocation or a moved-in `Vec`, or borrows host memory under an unsafe contract. Whoever
//! may still touch the bytes holds an `Arc` of the object, so memory outlives the commands that use it, and
//! its bytes never move. Who may touch them *when* is decided by the object's hazard state (module `hazard`).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::TypeId;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use memmap2::MmapMut;

use crate::hazard::Hazards;
use crate::sync::Mutex;
use crate::{Device, Error, Name, Result};

/// Alignment of every allocation: a cache line, and the widest vector register.
pub(crate) const ALIGNMENT: usize = 64;

/// From this size on an allocation is a map of its own with huge pages where the system has them: fewer misses in the
/// tables that translate addresses, which a kernel that streams through memory feels.
const MAPPED_FROM: usize = 4 << 20;

/// Each map begins its bytes this much later in its pages than the one before, [`STAGGERS`] times: arrays of one size would
/// otherwise lie a power of two apart, and their equal indices in one bank of the memory and one set of the caches.
const STAGGER: usize = 4096;
/// Different places where a map's bytes begin.
const STAGGERS: usize = 16;

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
}

// SAFETY: the object itself never touches the bytes behind `ptr`. Those who do hold either a command's
// place in the hazard order or a host access, both of which order accesses across threads; what a `Vec`
// leaves to drop was `Send` (`from_vec` requires it).
unsafe impl Send for MemoryObject {}
// SAFETY: as above; through `&MemoryObject` only the pointer and the locked hazard state can be reached.
unsafe impl Sync for MemoryObject {}

enum Storage {
    /// Nothing to free: borrowed, or of zero bytes.
    Borrowed,
    /// From the global allocator: the block that the aligned bytes lie in, and the device that counts it.
    Allocated { block: NonNull<u8>, layout: Layout, account: Arc<MemoryAccount> },
    /// Pages from the operating system, unmapped when the map is dropped, and the device that counts them.
    Mapped { _pages: MmapMut, account: Arc<MemoryAccount> },
    /// A `Vec<T>` in pieces.
    Vec { len: usize, capacity: usize, element: TypeId, drop: unsafe fn(*mut u8, usize, usize) },
}

impl MemoryObject {
    /// Allocates `bytes` zeroed bytes for `device`, aligned to 64.
    ///
    /// Large blocks are zeroed lazily by the operating system, so pages land near the worker that first
    /// touches them.
    pub fn allocate(device: &Device, bytes: usize) -> Result<Arc<MemoryObject>> {
        if bytes == 0 {
            return Ok(MemoryObject::with_storage(dangling(), 0, Storage::Borrowed));
        }
        let account = Arc::clone(device.memory());
        let info = device.info();
        let out_of_memory = |in_use| Error::OutOfMemory {
            device: info.selector.clone(),
            asked: bytes,
            in_use,
            limit: info.global_memory_bytes,
        };
        if bytes > info.max_allocation {
            return Err(out_of_memory(account.stats().in_use));
        }
        device.backend().allocate(bytes, account.stats().in_use)?;
        account.reserve(bytes, info.global_memory_bytes).map_err(out_of_memory)?;
        if bytes >= MAPPED_FROM {
            let before = (account.stats().allocations as usize % STAGGERS) * STAGGER;
            let Some(mut pages) = bytes.checked_add(before).and_then(map) else {
                return Err(out_of_memory(account.release(bytes)));
            };
            // SAFETY: the map has `bytes` bytes after these.
            let ptr = unsafe { NonNull::new_unchecked(pages.as_mut_ptr().add(before)) };
            return Ok(MemoryObject::with_storage(ptr, bytes, Storage::Mapped { _pages: pages, account }));
        }
        // An over-aligned request would be zeroed eagerly (there is no aligned calloc): align by hand.
        let block = bytes
            .checked_add(ALIGNMENT)
            .and_then(|padded| Layout::from_size_align(padded, align_of::<usize>()).ok())
            .and_then(|layout| {
                // SAFETY: the layout's size is at least ALIGNMENT, so it is not zero.
                NonNull::new(unsafe { alloc_zeroed(layout) }).map(|block| (block, layout))
            });
        let Some((block, layout)) = block else {
            let in_use = account.release(bytes);
            return Err(out_of_memory(in_use));
        };
        let offset = block.as_ptr().align_offset(ALIGNMENT);
        // SAFETY: the offset is less than ALIGNMENT, and the block is ALIGNMENT longer than `bytes`.
        let ptr = unsafe { block.add(offset) };
        Ok(MemoryObject::with_storage(ptr, bytes, Storage::Allocated { block, layout, account }))
    }

    /// Moves a vector in; no bytes are copied. [`MemoryObject::try_into_vec`] gives it back.
    pub fn from_vec<T: Send + 'static>(vec: Vec<T>) -> Arc<MemoryObject> {
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
        Arc::new(MemoryObject { id, ptr, bytes, storage, hazards: Mutex::default() })
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

    pub(crate) fn hazards(&self) -> &Mutex<Hazards> {
        &self.hazards
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

/// Zeroed pages for `bytes` bytes, huge ones where the system has them; none when there is no memory.
fn map(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    // Advice only: a system without huge pages refuses, and the pages are as good as any.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

fn dangling() -> NonNull<u8> {
    #[repr(align(64))]
    struct Line;
    NonNull::<Line>::dangling().cast()
}

impl Drop for MemoryObject {
    fn drop(&mut self) {
        match &self.storage {
            Storage::Borrowed => {}
            Storage::Mapped { account, .. } => {
                account.release(self.bytes);
            }
            Storage::Allocated { block, layout, account } => {
                // SAFETY: allocated with this layout, and nobody holds a handle any more.
                unsafe { dealloc(block.as_ptr(), *layout) };
                account.release(self.bytes);
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

/// What a device's allocations hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryStats {
    /// Bytes held now.
    pub in_use: usize,
    /// The most bytes ever held at once.
    pub high_water: usize,
    /// Allocations made so far.
    pub allocations: u64,
}

/// The counters behind [`MemoryStats`]; allocations keep it alive after their device.
#[derive(Debug, Default)]
pub(crate) struct MemoryAccount {
    in_use: AtomicUsize,
    high_water: AtomicUsize,
    allocations: AtomicU64,
}

impl MemoryAccount {
    /// Counts `bytes` as held, unless that passes `limit`; the error is what was held.
    fn reserve(&self, bytes: usize, limit: usize) -> Result<(), usize> {
        let add = |held: usize| held.checked_add(bytes).filter(|&total| total <= limit);
        let before = self.in_use.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)?;
        self.high_water.fetch_max(before + bytes, Ordering::Relaxed);
        self.allocations.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Counts `bytes` as freed and says what is still held.
    fn release(&self, bytes: usize) -> usize {
        self.in_use.fetch_sub(bytes, Ordering::Relaxed) - bytes
    }

    pub(crate) fn stats(&self) -> MemoryStats {
        MemoryStats {
            in_use: self.in_use.load(Ordering::Relaxed),
            high_water: self.high_water.load(Ordering::Relaxed),
            allocations: self.allocations.load(Ordering::Relaxed),
        }
    }
}
