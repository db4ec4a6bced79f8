//! What a kernel is to the launcher: the trait that `#[kernel]` implements, and the inline kernel of `kernel!`.

use std::marker::PhantomData;
use std::sync::Arc;

use syclone_kernel_ast::bound::BoundFunction;

use super::group_cx::GroupCx;
use crate::kernel::ParamTuple;

/// The kind of index space that a kernel runs over.
pub trait Form: Copy + Send + Sync + 'static {
    /// Whether the kernel takes an `NdItem`, and so needs work-groups.
    const GROUPS: bool;
}

/// Over a plain range.
#[derive(Clone, Copy, Debug)]
pub struct RangeForm;
/// Over an nd-range.
#[derive(Clone, Copy, Debug)]
pub struct NdRangeForm;
/// Once.
#[derive(Clone, Copy, Debug)]
pub struct SingleTaskForm;

impl Form for RangeForm {
    const GROUPS: bool = false;
}
impl Form for NdRangeForm {
    const GROUPS: bool = true;
}
impl Form for SingleTaskForm {
    const GROUPS: bool = false;
}

/// What is known of a kernel without its arguments.
#[derive(Clone, Copy, Debug)]
pub struct KernelMeta<const D: usize> {
    /// The name, as errors print it.
    pub name: &'static str,
    /// The module that defines it: kernels of one name in two modules are two kernels.
    pub module: &'static str,
    /// Names of the parameters, the item left out.
    pub parameters: &'static [&'static str],
    /// The one work-group size that it can be launched with.
    pub work_group_size: Option<[usize; D]>,
    /// The sub-group size that it asks for.
    pub sub_group_size: Option<usize>,
    /// Static local memory, in bytes.
    pub local_bytes: usize,
    /// Whether there is a lock-step form.
    pub lock_step: bool,
    /// Why there is no region form.
    pub not_split: Option<&'static str>,
}

impl<const D: usize> KernelMeta<D> {
    /// A kernel without options and local memory, in region form.
    pub const fn new(name: &'static str, module: &'static str) -> Self {
        KernelMeta {
            name,
            module,
            parameters: &[],
            work_group_size: None,
            sub_group_size: None,
            local_bytes: 0,
            lock_step: false,
            not_split: None,
        }
    }
}

/// A kernel with its arguments. Implemented by macro output only.
pub trait Kernel<const D: usize>: Send + Sync + 'static {
    /// All parameters but the item, as the kernel sees them.
    type Params: ParamTuple;
    /// The index space.
    type Form: Form;

    /// What is known without the arguments.
    fn meta(&self) -> KernelMeta<D>;

    /// The arguments.
    fn params(&self) -> Self::Params;

    /// The tree, for the interpreter and for other devices.
    fn bound(&self) -> Arc<BoundFunction>;

    /// Runs one work-group (or box of items) by regions.
    ///
    /// # Safety
    /// The parameters are those of the launch, their memory is alive and ordered, and `group` is a group of it.
    unsafe fn group(&self, params: Self::Params, group: &GroupCx<D>) {
        let _ = (params, group);
        unreachable!("the launcher asks for the lock-step form when there is no other");
    }

    /// Runs one work-group in lock-step.
    ///
    /// # Safety
    /// As for [`Kernel::group`].
    unsafe fn group_lock_step(&self, params: Self::Params, group: &GroupCx<D>) {
        let _ = (params, group);
        unreachable!("the launcher asks for the lock-step form only when there is one");
    }
}

/// A `kernel!` closure with what it captured.
pub struct InlineKernel<const D: usize, N, P, R, L> {
    meta: KernelMeta<D>,
    params: P,
    bound: fn() -> Arc<BoundFunction>,
    regions: R,
    lock_step: L,
    form: PhantomData<fn() -> N>,
}

impl<const D: usize, N, P: Copy, R: Copy, L: Copy> Clone for InlineKernel<D, N, P, R, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize, N, P: Copy, R: Copy, L: Copy> Copy for InlineKernel<D, N, P, R, L> {}

/// Stands in for the form that an inline kernel does not have.
pub fn no_form<const D: usize, P>(_: P, _: &GroupCx<D>) {
    unreachable!("the launcher never asks for a form that a kernel does not have");
}

/// Makes an inline kernel of its forms, which are closures that capture nothing: the captured values are `params`.
pub fn inline_kernel<const D: usize, N, P, R, L>(
    meta: KernelMeta<D>,
    params: P,
    bound: fn() -> Arc<BoundFunction>,
    regions: R,
    lock_step: L,
) -> InlineKernel<D, N, P, R, L>
where
    N: Form,
    P: ParamTuple,
    R: Fn(P, &GroupCx<D>) + Copy + Send + Sync + 'static,
    L: Fn(P, &GroupCx<D>) + Copy + Send + Sync + 'static,
{
    InlineKernel { meta, params, bound, regions, lock_step, form: PhantomData }
}

impl<const D: usize, N, P, R, L> Kernel<D> for InlineKernel<D, N, P, R, L>
where
    N: Form,
    P: ParamTuple,
    R: Fn(P, &GroupCx<D>) + Copy + Send + Sync + 'static,
    L: Fn(P, &GroupCx<D>) + Copy + Send + Sync + 'static,
{
    type Params = P;
    type Form = N;

    fn meta(&self) -> KernelMeta<D> {
        self.meta
    }

    fn params(&self) -> P {
        self.params
    }

    fn bound(&self) -> Arc<BoundFunction> {
        let mut bound = (self.bound)();
        // The macro cannot know the types of what a closure captures: the last parameters, with a type entry each.
        let types = P::types();
        let filled = Arc::make_mut(&mut bound);
        let captures = filled.tree.params.len().saturating_sub(types.len());
        for (param, ty) in filled.tree.params[captures..].iter().zip(types) {
            filled.types[param.ty.0 as usize] = ty;
        }
        bound
    }

    #[inline(always)]
    unsafe fn group(&self, params: P, group: &GroupCx<D>) {
        (self.regions)(params, group);
    }

    #[inline(always)]
    unsafe fn group_lock_step(&self, params: P, group: &GroupCx<D>) {
        (self.lock_step)(params, group);
    }
}
