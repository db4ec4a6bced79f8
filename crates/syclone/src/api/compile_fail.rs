//! One proof each that a mistake with memory does not compile. The structs only carry the proofs.
//!
//! `docs/safety.md` says what they are parts of; `tests/safety.rs` has the mistakes that only a running program can refuse.

/// A scoped buffer can't leave its scope, after which commands on it would touch memory that is no longer borrowed.
///
/// ```compile_fail,E0521
/// let mut data = [0; 4];
/// let mut kept = None;
/// syclone::scope(|s| {
///     kept = s.buffer_mut(&mut data, 4).ok();
/// });
/// ```
struct ScopedBufferLeavesItsScope;

/// Nor can rows of it that the host looks at.
///
/// ```compile_fail,E0521
/// let mut data = [0; 4];
/// let mut kept = None;
/// syclone::scope(|s| {
///     let left = s.buffer_mut(&mut data, [2, 2]).unwrap().columns(..1).unwrap();
///     kept = Some(left);
/// });
/// ```
struct ScopedColumnsLeaveTheirScope;

/// A slice can't be used while a scope borrows it mutably.
///
/// ```compile_fail,E0506
/// let mut data = [0; 4];
/// syclone::scope(|s| {
///     let buffer = s.buffer_mut(&mut data, 4);
///     data[0] = 1;
///     drop(buffer);
/// });
/// ```
struct SliceUsedWhileBorrowed;

/// A slice that lives shorter than the scope can't be borrowed in it.
///
/// ```compile_fail,E0597
/// syclone::scope(|s| {
///     let mut data = [0; 4];
///     let buffer = s.buffer_mut(&mut data, 4);
/// });
/// ```
struct SliceDiesInsideTheScope;

/// Commands can't write a slice that was borrowed to be read.
///
/// ```compile_fail,E0599
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let data = [0; 4];
/// syclone::scope(|s| {
///     let input = s.buffer(&data, 4).unwrap();
///     queue.submit(|h| h.fill(input.write(h), 1))
/// });
/// ```
struct WriteToBorrowedInput;

/// The host can't look at an access outside of its command.
///
/// ```compile_fail,E0608
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// queue.submit(|h| {
///     let access = buffer.read(h);
///     println!("{}", access[0]);
///     Ok(())
/// });
/// ```
struct HostReadsAccess;

/// One writing access can't become two parameters, which could be used by different items.
///
/// ```compile_fail,E0382
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// #[kernel]
/// fn both(item: NdItem<1>, items: ItemMut<i32>, groups: GroupMut<i32>) {
///     items[item] = 1;
///     groups[item] = 2;
/// }
/// queue.submit(|h| {
///     let access = buffer.write(h);
///     h.parallel_for(NdRange::new(4, 2), both(access, access))
/// });
/// ```
struct OneAccessTwoParameters;

/// One kernel can't read USM memory through one parameter and write it through another.
///
/// ```compile_fail,E0502
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn shift(item: Item<1>, x: View<i32>, y: ItemMut<i32>) {
///     y[item] = x[item.id(0) + 1];
/// }
/// let mut x = queue.alloc_shared::<i32>(4).unwrap();
/// queue.parallel_for(3, shift(x.view(), x.item_mut()));
/// ```
struct UsmReadAndWritten;

/// The host can't reach device memory.
///
/// ```compile_fail,E0599
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let x = queue.alloc_device::<i32>(4).unwrap();
/// x.host();
/// ```
struct HostReadsDeviceMemory;

/// A kernel that writes at any index can't be launched by a safe call.
///
/// ```compile_fail,E0277
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// #[kernel]
/// fn race(item: Item<1>, out: ScatterMut<usize>) {
///     out[0] = item.id(0);
/// }
/// queue.submit(|h| h.parallel_for(4, race(buffer.scatter(h))));
/// ```
struct ScatterLaunchedSafely;

/// A kernel without an item can't run for every index of a range.
///
/// ```compile_fail,E0277
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn once(x: View<i32>) {}
/// let x = queue.alloc_shared::<i32>(4).unwrap();
/// queue.parallel_for(4, once(x.view()));
/// ```
struct SingleTaskOverRange;

/// A kernel with an item can't run as a single task.
///
/// ```compile_fail,E0277
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn many(item: Item<1>, x: ItemMut<i32>) {
///     x[item] = 1;
/// }
/// let mut x = queue.alloc_shared::<i32>(4).unwrap();
/// queue.single_task(many(x.item_mut()));
/// ```
struct RangeKernelAsSingleTask;

/// Two kernels can't be given one writing access.
///
/// ```compile_fail,E0382
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// #[kernel]
/// fn once(item: Item<1>, x: ItemMut<i32>) {
///     x[item] = 1;
/// }
/// queue.submit(|h| {
///     let access = buffer.write(h);
///     h.parallel_for(4, once(access))?;
///     h.parallel_for(4, once(access))
/// });
/// ```
struct OneAccessTwoKernels;

/// One kernel can't be given one USM allocation as two outputs.
///
/// ```compile_fail,E0499
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn both(item: NdItem<1>, items: ItemMut<i32>, groups: GroupMut<i32>) {
///     items[item] = 1;
///     groups[item] = 2;
/// }
/// let mut x = queue.alloc_shared::<i32>(4).unwrap();
/// queue.parallel_for(NdRange::new(4, 2), both(x.item_mut(), x.group_mut()));
/// ```
struct UsmWrittenTwice;

/// Parts of a USM allocation that are taken one after another may overlap, so one kernel can't write both.
///
/// ```compile_fail,E0499
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn both(item: Item<1>, x: ItemMut<i32>, y: ItemMut<i32>) {
///     x[item] = 1;
///     y[item] = 2;
/// }
/// let mut x = queue.alloc_shared::<i32>(4).unwrap();
/// let (mut low, mut high) = (x.slice_mut(..3).unwrap(), x.slice_mut(1..).unwrap());
/// queue.parallel_for(3, both(low.item_mut(), high.item_mut()));
/// ```
struct UsmPartsOverlap;

/// The host can't keep a slice of USM memory while a kernel is given it to write.
///
/// ```compile_fail,E0502
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn once(item: Item<1>, x: ItemMut<i32>) {
///     x[item] = 1;
/// }
/// let mut x = queue.alloc_shared::<i32>(4).unwrap();
/// let guard = x.host().unwrap();
/// queue.parallel_for(4, once(x.item_mut()));
/// println!("{}", guard[0]);
/// ```
struct HostReadsWhileKernelWrites;

/// Nor can it begin to write what it reads.
///
/// ```compile_fail,E0502
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let mut x = queue.alloc_shared::<i32>(4).unwrap();
/// let guard = x.host().unwrap();
/// x.host_mut().unwrap()[0] = 1;
/// println!("{}", guard[0]);
/// ```
struct HostReadsWhileHostWrites;

/// What the host reads of a buffer can't outlive its turn at it.
///
/// ```compile_fail,E0597
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let buffer = Buffer::from_vec(vec![0; 4]);
/// let slice = {
///     let guard = buffer.host_read().unwrap();
///     &guard[..]
/// };
/// queue.submit(|h| h.fill(buffer.write(h), 1));
/// println!("{}", slice[0]);
/// ```
struct HostSliceOutlivesItsGuard;

/// Nor can it outlive the buffer's handle.
///
/// ```compile_fail,E0505
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let buffer = Buffer::from_vec(vec![0; 4]);
/// let guard = buffer.host_read().unwrap();
/// drop(buffer);
/// println!("{}", guard[0]);
/// ```
struct GuardOutlivesItsBuffer;

/// What a host task reads can't leave the task.
///
/// ```compile_fail,E0521
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// use std::sync::Mutex;
/// static KEPT: Mutex<Option<&'static [i32]>> = Mutex::new(None);
/// queue.submit(|h| {
///     let access = buffer.read(h);
///     h.host_task(move |task| {
///         *KEPT.lock().unwrap() = Some(task.read(&access)?);
///         Ok::<_, Error>(())
///     })
/// });
/// ```
struct HostTaskKeepsItsSlice;

/// A command's task runs after the call, so it can't borrow from the stack.
///
/// ```compile_fail,E0373
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let mut sum = 0;
/// let event = queue.submit(|h| h.host_task(|_| sum += 1)).unwrap();
/// event.wait().unwrap();
/// println!("{sum}");
/// ```
struct HostTaskBorrowsTheStack;

/// A command of a scope can't be recorded in a handler that outlives the scope's buffers.
///
/// ```compile_fail,E0597
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// syclone::scope(|s| {
///     let data = vec![0; 4];
///     let buffer = s.buffer(&data, 4).unwrap();
///     let event = queue.submit(|h| h.copy(&buffer, &Buffer::<i32>::new(4))).unwrap();
///     drop(data);
///     event.wait().unwrap();
/// });
/// ```
struct EventOutlivesTheSlice;

/// The handler of a command group can't leave it: nothing is added to a submitted command.
///
/// ```compile_fail,E0521
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// let mut kept = None;
/// queue.submit(|h| {
///     kept = Some(h);
///     Ok(())
/// });
/// ```
struct HandlerLeavesItsGroup;

/// A handler can't go to another thread while its command is being written.
///
/// ```compile_fail,E0277
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// queue.submit(|h| {
///     std::thread::scope(|threads| {
///         threads.spawn(|| h.device());
///     });
///     Ok(())
/// });
/// ```
struct HandlerOnTwoThreads;

/// A queue's `ScatterMut` kernels are not launched by its safe call either.
///
/// ```compile_fail,E0277
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[kernel]
/// fn race(item: Item<1>, out: ScatterMut<usize>) {
///     out[0] = item.id(0);
/// }
/// let mut x = queue.alloc_shared::<usize>(4).unwrap();
/// queue.parallel_for(4, race(x.scatter_mut()));
/// ```
struct ScatterLaunchedSafelyByTheQueue;

/// A kernel without checks is made by an unsafe call.
///
/// ```compile_fail,E0133
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// #[kernel(unchecked)]
/// unsafe fn no_checks(item: Item<1>, x: ItemMut<i32>) {
///     x[item] = 1;
/// }
/// queue.submit(|h| h.parallel_for(4, no_checks(buffer.write(h))));
/// ```
struct UncheckedMadeSafely;

/// A handle to memory can't be taken out of its access.
///
/// ```compile_fail,E0133
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// queue.submit(|h| {
///     let view: syclone::kernel::View<i32> = syclone::kernel::KernelArg::into_param(buffer.read(h));
///     Ok(())
/// });
/// ```
struct HandleOutsideOfAKernel;

/// Nor out of a kernel.
///
/// ```compile_fail,E0133
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// # let buffer = Buffer::from_vec(vec![0; 4]);
/// #[kernel]
/// fn once(item: Item<1>, x: ItemMut<i32>) {
///     x[item] = 1;
/// }
/// queue.submit(|h| {
///     let (handle,) = syclone::Launch::params(&once(buffer.write(h)));
///     Ok(())
/// });
/// ```
struct HandleOutOfAKernel;

/// Only the launch makes the tokens that an `ItemMut` is indexed by.
///
/// ```compile_fail,E0200
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Anywhere(usize);
///
/// impl syclone::kernel::Position<1> for Anywhere {
///     fn position(self) -> [usize; 1] {
///         [self.0]
///     }
/// }
/// impl syclone::kernel::ItemToken<1> for Anywhere {}
/// ```
struct OwnItemToken;

/// A type with references is nothing that a device could copy.
///
/// ```compile_fail,E0277
/// # use syclone::prelude::*;
/// # let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
/// let text = String::from("text");
/// let buffer = Buffer::from_vec(vec![&text[..]; 4]);
/// ```
struct ReferencesInABuffer;
