//! One proof each that a mistake with memory does not compile. The structs only carry the proofs.

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
