//! What a kernel takes as arguments, and what the launcher asks of each.
//!
//! [`KernelParam`] is one parameter as it goes into the kernel, [`ParamTuple`] all of them. [`KernelArg`] is what a
//! caller may pass for a parameter: an access of a buffer for a [`View`], a plain value for itself. [`SafeParam`]
//! marks the parameters with which a safe launch cannot race.

use std::sync::Arc;

use syclone_kernel_ast::interp::{Arg, Global, Slot};
use syclone_kernel_ast::types::Type;

use super::{
    AtomicView, GroupMut, ItemMut, LocalAccessor, Reducer, Reduction, ScatterMut, Spec, View, place::parameter_fault,
};
use crate::abi::TreeType;
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// What kind of thing a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamKind {
    /// A plain value.
    Value,
    /// A specialised argument.
    Spec,
    /// A [`View`].
    View,
    /// An [`ItemMut`].
    ItemMut,
    /// A [`GroupMut`].
    GroupMut,
    /// A [`ScatterMut`].
    ScatterMut,
    /// An [`AtomicView`].
    AtomicView,
    /// A [`LocalAccessor`].
    LocalAccessor,
    /// A [`Reducer`].
    Reducer,
}

/// What the launcher asks of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamInfo {
    /// What it is.
    pub kind: ParamKind,
    /// The command whose access made the handle; `None` for what no command made.
    pub command: Option<u64>,
    /// The global memory that it reaches: the first address, and the number of bytes.
    pub memory: Option<(usize, usize)>,
    /// If that is rows which lie apart, the bytes of one, and from one to the next.
    pub rows: Option<(usize, usize)>,
    /// For [`ItemMut`] and [`GroupMut`], how many items or groups have an element: extents in the last of three
    /// dimensions, ones before them.
    pub covers: Option<[usize; 3]>,
    /// Bytes of local memory that each group needs for it; `usize::MAX` if that many cannot be counted.
    pub local_bytes: usize,
    /// Whether it is a reduction that begins with what its memory holds.
    pub includes_initial: bool,
    /// Whether it can be launched by a safe call.
    pub safe: bool,
}

impl ParamInfo {
    fn new(kind: ParamKind) -> Self {
        ParamInfo {
            kind,
            command: None,
            memory: None,
            rows: None,
            covers: None,
            local_bytes: 0,
            includes_initial: false,
            safe: true,
        }
    }
}

/// A parameter of a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel's parameter",
    note = "kernels take View, ItemMut, GroupMut, AtomicView, ScatterMut, LocalAccessor, Reducer, Spec and DeviceCopy values",
    note = "if it is the type of the elements: write `#[derive(Clone, Copy, DeviceCopy)]` on a struct or enum, such a struct \
            instead of a tuple, and the bound `T: DeviceCopy`, or `T: Scalar` for numbers, on a generic parameter"
)]
///
/// # Safety
/// [`info`](KernelParam::info) tells of all global memory that the value reaches: the launch orders commands by it.
pub unsafe trait KernelParam: TreeType + Copy + Send + Sync + 'static {
    /// What the launcher asks.
    fn info(&self) -> ParamInfo;

    /// The parameter as the interpreter takes it.
    ///
    /// A launch by the interpreter is one piece of work: a reduction's slot is the partial result that
    /// [`with_chunks`](KernelParam::with_chunks) has made, which the interpreter replaces.
    fn arg(&self) -> Arg;

    /// The parameter with this fault bit, which accesses out of bounds raise.
    #[must_use]
    fn with_fault(self, bit: u32) -> Self {
        let _ = bit;
        self
    }

    /// The parameter for a launch in `chunks` chunks of work. A reduction that has to be finished after the last
    /// chunk is added to `reductions`.
    #[must_use]
    fn with_chunks(self, chunks: usize, reductions: &mut Vec<Arc<dyn Reduction>>) -> Self {
        let _ = (chunks, reductions);
        self
    }
}

/// What may be passed for a parameter of type `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `{P}`",
    note = "pass `buffer.read(h)` for a View, `buffer.write(h)` for an ItemMut, GroupMut or ScatterMut, \
            `buffer.atomic(h)` for an AtomicView, a plain value for itself"
)]
pub trait KernelArg<P> {
    /// The parameter.
    ///
    /// # Safety
    /// It is used only by a launch of the command that the argument belongs to, where it is one parameter: a handle to
    /// memory does not know when its turn is.
    unsafe fn into_param(self) -> P;
}

// SAFETY: a plain value reaches no memory.
unsafe impl<T: DeviceCopy> KernelParam for T {
    fn info(&self) -> ParamInfo {
        ParamInfo::new(ParamKind::Value)
    }

    fn arg(&self) -> Arg {
        Arg::Value(self.to_value())
    }
}

impl<T: DeviceCopy> KernelArg<T> for T {
    unsafe fn into_param(self) -> T {
        self
    }
}

/// A plain value that a kernel's function has taken by its type, which it sees to itself.
pub struct PlainValue<T>(pub T);

impl<T> KernelArg<T> for PlainValue<T> {
    unsafe fn into_param(self) -> T {
        self.0
    }
}

// SAFETY: as for a plain value.
unsafe impl<T: DeviceCopy> KernelParam for Spec<T> {
    fn info(&self) -> ParamInfo {
        ParamInfo::new(ParamKind::Spec)
    }

    fn arg(&self) -> Arg {
        Arg::Value(self.get().to_value())
    }
}

impl<T: DeviceCopy> KernelArg<Spec<T>> for T {
    unsafe fn into_param(self) -> Spec<T> {
        Spec::new(self)
    }
}

impl<T: DeviceCopy> KernelArg<Spec<T>> for Spec<T> {
    unsafe fn into_param(self) -> Spec<T> {
        self
    }
}

macro_rules! memory_params {
    ($($name:ident: $covers:expr, safe: $safe:expr;)*) => {$(
        // SAFETY: the handle reaches its own rows, which `info` tells.
        unsafe impl<T: DeviceCopy, const D: usize> KernelParam for $name<T, D> {
            fn info(&self) -> ParamInfo {
                let covers: Option<fn(&Self) -> [usize; 3]> = $covers;
                ParamInfo {
                    command: self.0.command,
                    memory: Some(self.0.reach()),
                    rows: self.0.rows_apart(),
                    covers: covers.map(|covers| covers(self)),
                    safe: $safe,
                    ..ParamInfo::new(ParamKind::$name)
                }
            }

            fn arg(&self) -> Arg {
                Arg::Global(Global {
                    ptr: self.0.ptr.cast(),
                    extents: self.0.extents_3d(),
                    pitch: self.0.pitch,
                    elem: T::device_type(),
                })
            }

            fn with_fault(mut self, bit: u32) -> Self {
                self.0.fault = bit;
                self
            }
        }

        impl<T: DeviceCopy, const D: usize> KernelArg<$name<T, D>> for $name<T, D> {
            unsafe fn into_param(self) -> Self {
                self
            }
        }
    )*};
}

memory_params! {
    View: None, safe: true;
    ItemMut: Some(|this| this.0.extents_3d()), safe: true;
    GroupMut: Some(|this| this.0.extents_3d()), safe: true;
    ScatterMut: None, safe: false;
    AtomicView: None, safe: true;
}

// SAFETY: local memory is the group's own.
unsafe impl<T: DeviceCopy, const D: usize> KernelParam for LocalAccessor<T, D> {
    fn info(&self) -> ParamInfo {
        // More elements than there are addresses are too many, also if they have no bytes.
        let too_many = self.len() > isize::MAX as usize;
        let bytes = if too_many { usize::MAX } else { self.len().saturating_mul(size_of::<T>()) };
        ParamInfo { local_bytes: bytes, ..ParamInfo::new(ParamKind::LocalAccessor) }
    }

    fn arg(&self) -> Arg {
        Arg::LocalAccessor { extents: self.extents_3d(), elem: T::device_type() }
    }

    fn with_fault(self, bit: u32) -> Self {
        LocalAccessor::with_fault(self, bit)
    }
}

impl<T: DeviceCopy, const D: usize> KernelArg<LocalAccessor<T, D>> for LocalAccessor<T, D> {
    unsafe fn into_param(self) -> Self {
        self
    }
}

// SAFETY: the reducer reaches the result, which `info` tells, and partial results of its own.
unsafe impl<T: DeviceCopy, O: ReduceOp<T>> KernelParam for Reducer<T, O> {
    fn info(&self) -> ParamInfo {
        ParamInfo {
            command: self.command(),
            memory: Some((self.result().addr(), size_of::<T>())),
            includes_initial: self.includes_initial(),
            ..ParamInfo::new(ParamKind::Reducer)
        }
    }

    fn arg(&self) -> Arg {
        Arg::Reducer { op: O::OP, ty: T::device_type(), slot: Slot(self.slot().cast()) }
    }

    fn with_chunks(self, chunks: usize, reductions: &mut Vec<Arc<dyn Reduction>>) -> Self {
        let (reducer, reduction) = Reducer::with_chunks(self, chunks);
        reductions.push(reduction);
        reducer
    }
}

impl<T: DeviceCopy, O: ReduceOp<T>> KernelArg<Reducer<T, O>> for Reducer<T, O> {
    unsafe fn into_param(self) -> Self {
        self
    }
}

/// The parameters with which a kernel cannot race, and so may be launched by a safe call: all but [`ScatterMut`].
#[diagnostic::on_unimplemented(
    message = "a kernel that takes `{Self}` may race, so a safe call cannot launch it",
    note = "launch it with `unsafe {{ h.parallel_for_unchecked(…) }}`, and see to it that no element is written by \
            one item while another touches it"
)]
///
/// # Safety
/// Whatever items do with the parameter at the same time, they cannot race.
pub unsafe trait SafeParam: KernelParam {}

// What fails is never that a handle is no value.
#[diagnostic::do_not_recommend]
// SAFETY: a value that each item has for itself.
unsafe impl<T: DeviceCopy> SafeParam for T {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> SafeParam for Spec<T> {}
// SAFETY: nothing writes what it reads while the command runs.
unsafe impl<T: DeviceCopy, const D: usize> SafeParam for View<T, D> {}
// SAFETY: an element is reached by the token of one item.
unsafe impl<T: DeviceCopy, const D: usize> SafeParam for ItemMut<T, D> {}
// SAFETY: an element is reached by the token of one group, whose items take turns.
unsafe impl<T: DeviceCopy, const D: usize> SafeParam for GroupMut<T, D> {}
// SAFETY: all that touches it is atomic.
unsafe impl<T: DeviceCopy, const D: usize> SafeParam for AtomicView<T, D> {}
// SAFETY: only one group reaches it, whose items take turns.
unsafe impl<T: DeviceCopy, const D: usize> SafeParam for LocalAccessor<T, D> {}
// SAFETY: each chunk of the launch has partial results of its own.
unsafe impl<T: DeviceCopy, O: ReduceOp<T>> SafeParam for Reducer<T, O> {}

/// All parameters of a kernel but the item.
///
/// # Safety
/// [`each`](ParamTuple::each) leaves out none, as for [`KernelParam`].
pub unsafe trait ParamTuple: Copy + Send + Sync + 'static {
    /// Calls `f` with the position and the description of each.
    fn each(&self, f: &mut dyn FnMut(usize, ParamInfo));

    /// The parameters as the interpreter takes them.
    fn args(&self) -> Vec<Arg>;

    /// Their types as the kernel tree knows them.
    fn types() -> Vec<Type>;

    /// The parameters with the fault bits of their positions.
    #[must_use]
    fn with_faults(self) -> Self;

    /// The parameters for a launch in `chunks` chunks of work; see [`KernelParam::with_chunks`].
    #[must_use]
    fn with_chunks(self, chunks: usize, reductions: &mut Vec<Arc<dyn Reduction>>) -> Self;
}

/// What may be passed for parameters `P`: a [`KernelArg`] for each.
pub trait KernelArgs<P> {
    /// The parameters.
    ///
    /// # Safety
    /// As for [`KernelArg::into_param`].
    unsafe fn into_params(self) -> P;
}

/// A [`ParamTuple`] of [`SafeParam`]s.
#[diagnostic::on_unimplemented(
    message = "a safe call cannot launch a kernel with the parameters `{Self}`",
    note = "with a `ScatterMut` it may race: launch it with `unsafe {{ h.parallel_for_unchecked(…) }}`, and see to it that no \
            element is written by one item while another touches it"
)]
///
/// # Safety
/// As for [`SafeParam`], of all of them.
pub unsafe trait SafeParams: ParamTuple {}

macro_rules! tuples {
    ($($param:ident $arg:ident $position:tt)*) => {
        #[allow(clippy::unused_unit, reason = "the empty tuple is one of them")]
        // SAFETY: `each` describes all of them.
        unsafe impl<$($param: KernelParam),*> ParamTuple for ($($param,)*) {
            fn each(&self, f: &mut dyn FnMut(usize, ParamInfo)) {
                let _ = &f;
                $(f($position, self.$position.info());)*
            }

            fn args(&self) -> Vec<Arg> {
                vec![$(self.$position.arg()),*]
            }

            fn types() -> Vec<Type> {
                vec![$($param::tree_type()),*]
            }

            fn with_faults(self) -> Self {
                ($(self.$position.with_fault(parameter_fault($position)),)*)
            }

            fn with_chunks(self, chunks: usize, reductions: &mut Vec<Arc<dyn Reduction>>) -> Self {
                let _ = (chunks, &reductions);
                ($(self.$position.with_chunks(chunks, reductions),)*)
            }
        }

        #[allow(clippy::unused_unit, reason = "the empty tuple is one of them")]
        #[diagnostic::do_not_recommend]
        impl<$($param, $arg: KernelArg<$param>),*> KernelArgs<($($param,)*)> for ($($arg,)*) {
            unsafe fn into_params(self) -> ($($param,)*) {
                // SAFETY: the caller's promise, for each.
                #[allow(unused_unsafe, reason = "the empty tuple is one of them")]
                unsafe { ($(self.$position.into_param(),)*) }
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: each is one with which items cannot race.
        unsafe impl<$($param: SafeParam),*> SafeParams for ($($param,)*) {}
    };
}

tuples!();
tuples!(A Ax 0);
tuples!(A Ax 0 B Bx 1);
tuples!(A Ax 0 B Bx 1 C Cx 2);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9 L Lx 10);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9 L Lx 10 M Mx 11);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9 L Lx 10 M Mx 11 N Nx 12);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9 L Lx 10 M Mx 11 N Nx 12 P Px 13);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9 L Lx 10 M Mx 11 N Nx 12 P Px 13 Q Qx 14);
tuples!(A Ax 0 B Bx 1 C Cx 2 E Ex 3 F Fx 4 G Gx 5 H Hx 6 I Ix 7 J Jx 8 K Kx 9 L Lx 10 M Mx 11 N Nx 12 P Px 13 Q Qx 14 R Rx 15);
