//! What a kernel is to the launcher: a call of a `#[kernel]` function, or the inline kernel of `kernel!`.

use std::marker::PhantomData;
use std::sync::Arc;

use syclone_kernel_ast::bound::{BoundFunction, BoundMethod};
use syclone_kernel_ast::types::Type;

use super::bind::{Tables, bind_kernel};
use super::group_cx::GroupCx;
use super::site::Captures;
use crate::kernel::{KernelArgs, ParamTuple};

/// The kind of index space that a kernel runs over.
pub trait Form: Copy + Send + Sync + 'static {
    /// Whether the kernel takes an `NdItem`, and so needs work-groups.
    const GROUPS: bool;

    /// The type of the item that a kernel takes in so many dimensions.
    fn item(dims: u8) -> Option<Type>;
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

    fn item(dims: u8) -> Option<Type> {
        Some(Type::Item(dims))
    }
}
impl Form for NdRangeForm {
    const GROUPS: bool = true;

    fn item(dims: u8) -> Option<Type> {
        Some(Type::NdItem(dims))
    }
}
impl Form for SingleTaskForm {
    const GROUPS: bool = false;

    fn item(_: u8) -> Option<Type> {
        None
    }
}

/// What is known of a kernel without its arguments.
#[derive(Clone, Copy, Debug)]
pub struct KernelMeta<const D: usize> {
    /// The name, as errors print it.
    pub name: &'static str,
    /// Names of the parameters, the item left out, with spaces between them.
    pub parameters: &'static str,
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
    /// Whether it calls device functions or methods.
    pub calls: bool,
    /// The tree, encoded.
    pub text: &'static str,
    /// What the tree's numbers stand for, where that is more than the types of the parameters.
    pub tables: fn() -> Tables,
}

impl<const D: usize> KernelMeta<D> {
    /// A kernel without options and local memory, in region form.
    pub const fn new(name: &'static str, parameters: &'static str, text: &'static str) -> Self {
        KernelMeta {
            name,
            parameters,
            work_group_size: None,
            sub_group_size: None,
            local_bytes: 0,
            lock_step: false,
            not_split: None,
            calls: false,
            text,
            tables: Tables::default,
        }
    }

    /// The name of the parameter at a position, the item left out.
    pub fn parameter(&self, position: usize) -> Option<&'static str> {
        self.parameters.split(' ').nth(position).filter(|name| !name.is_empty())
    }
}

/// A kernel with its arguments.
#[diagnostic::on_unimplemented(
    message = "this is no kernel that can be launched over {D} dimensions",
    label = "no kernel, or its item has another number of dimensions",
    note = "a kernel is what a `#[kernel]` function returns, `axpy(a, x, y)`, or `kernel!(|item: Item<1>| …)`",
    note = "launch it over as many dimensions as its `Item` or `NdItem` has: a number is one, `[a, b]` two, `[a, b, c]` three",
    note = "a kernel without an item has none: launch it with `single_task`, and only such a one"
)]
pub trait Kernel<const D: usize>: Send + Sync + 'static {
    /// All parameters but the item, as the kernel sees them.
    type Params: ParamTuple;
    /// The index space.
    type Form: Form;

    /// What is known without the arguments.
    fn meta(&self) -> KernelMeta<D>;

    /// The arguments.
    ///
    /// # Safety
    /// They are looked at, or used by this launch.
    unsafe fn params(&self) -> Self::Params;

    /// The tree, for the interpreter and for other devices.
    fn bound(&self) -> Arc<BoundFunction> {
        let meta = self.meta();
        bind_kernel(meta.text, (meta.tables)(), Self::Form::item(D as u8), Self::Params::types())
    }

    /// Runs one work-group (or box of items) by regions.
    ///
    /// # Safety
    /// The parameters are those of the launch, their memory is alive and ordered, and `group` is a group of it.
    unsafe fn group(&self, params: Self::Params, group: &GroupCx<D>);

    /// Runs one work-group in lock-step.
    ///
    /// # Safety
    /// As for [`Kernel::group`].
    unsafe fn group_lock_step(&self, params: Self::Params, group: &GroupCx<D>);
}

/// The code of a `#[kernel]` function, which macro output implements for a type without values.
///
/// Few items, and no value of its own: 100 kernels cost what their items cost.
pub trait KernelCode<const D: usize>: 'static {
    /// All parameters but the item, as the kernel sees them.
    type Params: ParamTuple;

    /// What is known without the arguments.
    fn meta() -> KernelMeta<D>;

    /// [`Kernel::group`].
    ///
    /// # Safety
    /// As there.
    unsafe fn group(params: Self::Params, group: &GroupCx<D>) {
        no_form(params, group);
    }

    /// [`Kernel::group_lock_step`].
    ///
    /// # Safety
    /// As there.
    unsafe fn group_lock_step(params: Self::Params, group: &GroupCx<D>) {
        no_form(params, group);
    }
}

/// The code of a kernel that is none, because it stands where no kernel can: its launches are no errors of their own.
pub struct NoCode<P>(PhantomData<fn() -> P>);

impl<const D: usize, P: ParamTuple> KernelCode<D> for NoCode<P> {
    type Params = P;

    fn meta() -> KernelMeta<D> {
        unreachable!("a program with such a kernel does not compile");
    }
}

/// The types of a kernel's parameters by number, for predicates that are not to spell them.
pub trait Named<const N: usize> {
    /// The type.
    type Type;
}

/// `T` itself, as an argument.
pub trait Same<T> {
    /// It.
    type Type;
}

impl<T> Same<T> for () {
    type Type = T;
}

/// A call of a `#[kernel]` function: its code `C` with arguments, to be launched.
///
/// That the arguments may be a kernel's is asked where it is launched, and not here: the kernel's own function asks it once,
/// at the type of the parameter.
pub struct KernelCall<const D: usize, N, C, P> {
    params: P,
    code: PhantomData<fn() -> (N, C)>,
}

impl<const D: usize, N, C, P> KernelCall<D, N, C, P> {
    /// The call with these arguments.
    pub fn new(args: impl KernelArgs<P>) -> Self {
        // SAFETY: what is made of them can only be launched.
        KernelCall { params: unsafe { args.into_params() }, code: PhantomData }
    }
}

impl<const D: usize, N: Form, C: KernelCode<D, Params = P>, P: ParamTuple> Kernel<D> for KernelCall<D, N, C, P> {
    type Params = P;
    type Form = N;

    fn meta(&self) -> KernelMeta<D> {
        C::meta()
    }

    unsafe fn params(&self) -> P {
        self.params
    }

    #[inline(always)]
    unsafe fn group(&self, params: P, group: &GroupCx<D>) {
        // SAFETY: the caller's promise.
        unsafe { C::group(params, group) }
    }

    #[inline(always)]
    unsafe fn group_lock_step(&self, params: P, group: &GroupCx<D>) {
        // SAFETY: the caller's promise.
        unsafe { C::group_lock_step(params, group) }
    }
}

/// A `kernel!` closure with what it captured.
pub struct InlineKernel<const D: usize, N, P, R, L> {
    meta: KernelMeta<D>,
    params: P,
    regions: R,
    lock_step: L,
    methods: fn(Captures<P>) -> Vec<BoundMethod>,
    form: PhantomData<fn() -> N>,
}

impl<const D: usize, N, P: Copy, R: Copy, L: Copy> Clone for InlineKernel<D, N, P, R, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize, N, P: Copy, R: Copy, L: Copy> Copy for InlineKernel<D, N, P, R, L> {}

/// Stands in for the form that a kernel does not have.
pub fn no_form<const D: usize, P>(_: P, _: &GroupCx<D>) {
    unreachable!("the launcher never asks for a form that a kernel does not have");
}

/// Makes an inline kernel of its forms, which are closures that capture nothing: the captured values are `params`. Only here
/// are their types known, so the `methods` that are called on them come apart from the other tables.
pub fn inline_kernel<const D: usize, N, P, R, L>(
    meta: KernelMeta<D>,
    params: P,
    regions: R,
    lock_step: L,
    methods: fn(Captures<P>) -> Vec<BoundMethod>,
) -> InlineKernel<D, N, P, R, L>
where
    N: Form,
    P: ParamTuple,
    R: Fn(P, &GroupCx<D>) + Copy + Send + Sync + 'static,
    L: Fn(P, &GroupCx<D>) + Copy + Send + Sync + 'static,
{
    InlineKernel { meta, params, regions, lock_step, methods, form: PhantomData }
}

/// Stands in for the methods of an inline kernel that calls none on what it captured.
pub fn no_methods<P>(_: Captures<P>) -> Vec<BoundMethod> {
    Vec::new()
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

    unsafe fn params(&self) -> P {
        self.params
    }

    fn bound(&self) -> Arc<BoundFunction> {
        let tables = (self.meta.tables)().with_methods((self.methods)(Captures::new()));
        bind_kernel(self.meta.text, tables, N::item(D as u8), P::types())
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
