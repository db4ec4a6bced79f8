//! Launching kernels from a command group.

use syclone_runtime::{Access, Command, Device, Event, KernelWork, Name, Result};

use super::arguments;
use super::handler::Handler;
use super::queue::Queue;
use super::range::LaunchShape;
use crate::abi::kernel::{Form, Kernel, NdRangeForm, RangeForm, SingleTaskForm};
use crate::kernel::{ParamTuple, SafeParams};

/// A kernel with its arguments, as the macros make it: what the launching methods take.
///
/// `D` is the number of dimensions that its item has, 0 for a kernel that runs once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel of {D} dimensions",
    note = "launch what a `#[kernel]` function returns, over as many dimensions as its item has (`single_task` if it \
            has none)"
)]
pub trait Launch<const D: usize> {
    /// All parameters but the item.
    type Params: ParamTuple;

    /// The kernel's name.
    fn name(&self) -> Name;

    /// The name of the parameter at a position.
    fn parameter_name(&self, position: usize) -> Option<&'static str>;

    /// The arguments.
    ///
    /// # Safety
    /// They are looked at, or used by this launch.
    unsafe fn params(&self) -> Self::Params;

    /// The kernel's tree as readable text: what the interpreter runs, and what other devices' code is made of.
    fn text(&self) -> String;

    /// The work of running the kernel over `shape`, or what the device can't do of it.
    fn prepare(self, device: &Device, shape: LaunchShape<D>) -> Result<Box<dyn KernelWork>>;

    /// Launches it over `shape` without an event.
    ///
    /// # Safety
    /// The accesses name all memory that the kernel touches and that anyone else may touch, with the right modes.
    unsafe fn launch_on(
        self,
        queue: &syclone_runtime::Queue,
        shape: LaunchShape<D>,
        accesses: &mut [Option<Access>],
    ) -> Result<()>;
}

/// A kernel with an item: what `parallel_for` takes.
#[diagnostic::on_unimplemented(
    message = "this kernel has no item, so it can't run for every index of a range",
    note = "launch it with `single_task`, or give it an `Item` or `NdItem` as its first parameter"
)]
pub trait ItemForm: Form {}

impl ItemForm for RangeForm {}
impl ItemForm for NdRangeForm {}

impl Handler<'_> {
    /// Runs `kernel` for every index of `shape`: a number, an array, a tuple, a [`Range`](crate::Range) or an
    /// [`NdRange`](crate::NdRange).
    ///
    /// ```
    /// use syclone::prelude::*;
    ///
    /// #[kernel]
    /// fn saxpy(item: Item<1>, s: f32, x: View<f32>, y: ItemMut<f32>) {
    ///     y[item] += s * x[item];
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (x, y) = (Buffer::from_vec(vec![1.0, 2.0]), Buffer::from_vec(vec![10.0, 20.0]));
    /// queue.submit(|h| h.parallel_for(2, saxpy(3.0, x.read(h), y.read_write(h))))?;
    /// assert_eq!(y.to_vec()?, [13.0, 26.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A shape without work-items is a command that does nothing. What the device can't do, such as a work-group that is
    /// too large, and arguments that overlap or belong elsewhere, are errors here or in the submission.
    pub fn parallel_for<const D: usize, K>(&self, shape: impl Into<LaunchShape<D>>, kernel: K) -> Result<()>
    where
        K: Launch<D> + Kernel<D, Form: ItemForm>,
        <K as Launch<D>>::Params: SafeParams,
    {
        self.launch_kernel(shape.into(), kernel)
    }

    /// [`parallel_for`](Handler::parallel_for) for kernels that write memory at any index.
    ///
    /// # Safety
    /// No work-item may write an element of a [`ScatterMut`](crate::kernel::ScatterMut) that another one of the launch
    /// reads or writes, unless a barrier of their work-group comes between.
    pub unsafe fn parallel_for_unchecked<const D: usize, K>(
        &self,
        shape: impl Into<LaunchShape<D>>,
        kernel: K,
    ) -> Result<()>
    where
        K: Launch<D> + Kernel<D, Form: ItemForm>,
    {
        self.launch_kernel(shape.into(), kernel)
    }

    /// Runs `kernel` once. It can't race with itself, so it may take any parameters.
    pub fn single_task<K>(&self, kernel: K) -> Result<()>
    where
        K: Launch<0> + Kernel<0, Form = SingleTaskForm>,
    {
        self.launch_kernel(LaunchShape::single(), kernel)
    }

    fn launch_kernel<const D: usize, K: Launch<D>>(&self, shape: LaunchShape<D>, kernel: K) -> Result<()> {
        let name = kernel.name();
        self.launch(name.clone(), || {
            self.with_accesses(|accesses| {
                arguments::bind(
                    &name,
                    &|position| kernel.parameter_name(position),
                    // SAFETY: only looked at.
                    &unsafe { kernel.params() },
                    self.device(),
                    self.id(),
                    accesses,
                )
            })?;
            let mut work = kernel.prepare(self.device(), shape)?;
            if self.device().is_checked() {
                self.with_accesses(|accesses| work.uses(&accesses.iter().flatten().cloned().collect::<Vec<_>>()));
            }
            // SAFETY: every argument that reaches global memory is one of the accesses that the handler adds to the
            // command when it is finished: `bind` has checked that.
            Ok(unsafe { Command::kernel(work, Vec::new()) })
        })
    }
}

/// The most parameters that a kernel has.
const MAX_PARAMETERS: usize = 16;

impl Queue {
    /// Launches a kernel that takes USM memory and plain values, and makes no event: the fast path of an in-order queue.
    ///
    /// The kernel has its place in the order like any other, and its errors come from [`Queue::wait`] and the queue's
    /// error handler. On an in-order queue of the CPU device nothing is allocated and no lock is taken, as long as no
    /// other queue and no host access uses the same memory at the time; then, and in queues of other kinds, it is
    /// [`parallel_for`](Queue::parallel_for) whose event is dropped. Launches of one queue never overlap.
    ///
    /// ```
    /// use syclone::prelude::*;
    ///
    /// #[kernel]
    /// fn step(item: Item<1>, by: f32, x: ItemMut<f32>) {
    ///     x[item] += by;
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// let queue = Queue::in_order(&Device::select("cpu")?)?;
    /// let mut x = queue.alloc_shared::<f32>(64)?;
    /// for _ in 0..1000 {
    ///     queue.launch(64, step(0.5, x.item_mut()))?;
    /// }
    /// queue.wait()?;
    /// assert_eq!(x.host()?[..], [500.0; 64]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn launch<const D: usize, K>(&self, shape: impl Into<LaunchShape<D>>, kernel: K) -> Result<()>
    where
        K: Launch<D> + Kernel<D, Form: ItemForm>,
        <K as Launch<D>>::Params: SafeParams,
    {
        self.launch_without_event(shape.into(), kernel)
    }

    /// [`launch`](Queue::launch) for kernels that write memory at any index.
    ///
    /// # Safety
    /// As for [`Handler::parallel_for_unchecked`].
    pub unsafe fn launch_unchecked<const D: usize, K>(&self, shape: impl Into<LaunchShape<D>>, kernel: K) -> Result<()>
    where
        K: Launch<D> + Kernel<D, Form: ItemForm>,
    {
        self.launch_without_event(shape.into(), kernel)
    }

    /// [`launch`](Queue::launch) for a kernel that runs once.
    pub fn launch_single_task<K>(&self, kernel: K) -> Result<()>
    where
        K: Launch<0> + Kernel<0, Form = SingleTaskForm>,
    {
        self.launch_without_event(LaunchShape::single(), kernel)
    }

    fn launch_without_event<const D: usize, K: Launch<D>>(&self, shape: LaunchShape<D>, kernel: K) -> Result<()> {
        let Some(queue) = self.running().filter(|queue| !queue.device().is_checked()) else {
            return self.submit(|h| h.launch_kernel(shape, kernel)).map(drop);
        };
        let name = kernel.name();
        let mut accesses = [const { None }; MAX_PARAMETERS];
        let name_of = |position| kernel.parameter_name(position);
        // SAFETY: only looked at.
        let params = unsafe { kernel.params() };
        let len = arguments::bind_usm(&name, &name_of, &params, self.device(), &mut accesses)?;
        // SAFETY: every argument that reaches global memory is USM memory, which `bind_usm` has found.
        self.printing(|| unsafe { kernel.launch_on(queue, shape, &mut accesses[..len]) })
    }

    /// [`Handler::parallel_for`] as a command group of its own, for kernels that take USM memory and plain values.
    pub fn parallel_for<const D: usize, K>(&self, shape: impl Into<LaunchShape<D>>, kernel: K) -> Result<Event>
    where
        K: Launch<D> + Kernel<D, Form: ItemForm>,
        <K as Launch<D>>::Params: SafeParams,
    {
        self.submit(|h| h.parallel_for(shape, kernel))
    }

    /// [`Handler::parallel_for_unchecked`] as a command group of its own.
    ///
    /// # Safety
    /// As for [`Handler::parallel_for_unchecked`].
    pub unsafe fn parallel_for_unchecked<const D: usize, K>(
        &self,
        shape: impl Into<LaunchShape<D>>,
        kernel: K,
    ) -> Result<Event>
    where
        K: Launch<D> + Kernel<D, Form: ItemForm>,
    {
        // SAFETY: the caller's promise.
        self.submit(|h| unsafe { h.parallel_for_unchecked(shape, kernel) })
    }

    /// [`Handler::single_task`] as a command group of its own, for kernels that take USM memory and plain values.
    pub fn single_task<K>(&self, kernel: K) -> Result<Event>
    where
        K: Launch<0> + Kernel<0, Form = SingleTaskForm>,
    {
        self.submit(|h| h.single_task(kernel))
    }
}

#[cfg(test)]
pub(crate) mod tests;
