//! What `kernel!` makes of a captured variable: at the launch, and in each group.

use super::group_cx::GroupCx;
use super::tree_type::role::Operand;
use crate::api::{AtomicAccess, ReadAccess, ReadWriteAccess, ReduceAccess, ScatterAccess, WriteAccess};
use crate::kernel::place::{IndexableMut, Place, at_mut};
use crate::kernel::{
    AtomicView, ChunkReducer, GroupMut, ItemMut, KernelArg, KernelParam, LocalAccessor, Reducer, ScatterMut, View,
};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// A variable that an inline kernel can capture.
pub trait Capture {
    /// What the kernel sees.
    type Param: KernelParam;

    /// Converts it.
    ///
    /// # Safety
    /// As for [`KernelArg::into_param`].
    unsafe fn capture(self) -> Self::Param;
}

/// A variable that an inline kernel captures.
///
/// It is taken by a [method](Take::__take), because rustc does not know what a method gives that does not exist: what cannot
/// be captured is then one error, at the variable, and no use of it is another.
pub struct Variable<T>(pub T);

/// What a reference that can be captured leads to. No type is that.
#[diagnostic::on_unimplemented(
    message = "a reference cannot be captured by `kernel!`",
    label = "leads to a `{Self}`",
    note = "capture an access of a buffer, such as `let data = buffer.read(h);`, or a copy of the value, `let value = *value;`"
)]
pub trait Behind {
    /// What the kernel would see.
    type Taken;
}

/// The method by which a reference would be taken. Where a type with a lifetime has none, rustc has no words of ours; what
/// the method asks for, it looks at later.
pub trait TakeReference {
    /// What the reference leads to.
    type To: ?Sized;

    /// Never called.
    ///
    /// # Safety
    /// As for [`Take::__take`].
    unsafe fn __take(self) -> <Self::To as Behind>::Taken
    where
        Self::To: Behind;

    /// [`TakeReference::__take`].
    ///
    /// # Safety
    /// As there.
    unsafe fn __take_number(self) -> <Self::To as Behind>::Taken
    where
        Self::To: Behind;
}

impl<T: ?Sized> TakeReference for Variable<&T> {
    type To = T;

    unsafe fn __take(self) -> T::Taken
    where
        T: Behind,
    {
        unreachable!("no type is behind a reference that can be captured")
    }

    unsafe fn __take_number(self) -> T::Taken
    where
        T: Behind,
    {
        unreachable!("no type is behind a reference that can be captured")
    }
}

/// A [`Variable`] that can be captured.
#[diagnostic::on_unimplemented(
    message = "this variable cannot be captured by `kernel!`",
    label = "neither an access of memory nor a `DeviceCopy` value",
    note = "capture an access of a buffer, such as `let data = buffer.read(h);`, or a `DeviceCopy` value: a struct of the program's \
            own needs `#[derive(Clone, Copy, DeviceCopy)]`"
)]
pub trait Capturable {
    /// What the kernel sees.
    type Param: KernelParam;

    /// [`Capture::capture`].
    ///
    /// # Safety
    /// As there.
    unsafe fn captured(self) -> Self::Param;
}

impl<T: Capture> Capturable for Variable<T> {
    type Param = T::Param;

    #[inline(always)]
    unsafe fn captured(self) -> T::Param {
        // SAFETY: the caller's promise.
        unsafe { self.0.capture() }
    }
}

/// The method by which a [`Variable`] is taken.
pub trait Take {
    /// What the kernel sees.
    type Taken;

    /// What the kernel sees of it.
    ///
    /// # Safety
    /// As for [`Capture::capture`].
    unsafe fn __take(self) -> Self::Taken;
}

impl<V: Capturable> Take for V {
    type Taken = V::Param;

    #[inline(always)]
    unsafe fn __take(self) -> V::Param {
        // SAFETY: the caller's promise.
        unsafe { self.captured() }
    }
}

/// A [`Variable`] that the kernel computes with.
#[diagnostic::on_unimplemented(
    message = "this captured variable has no operators in a kernel",
    label = "operators are for numbers and vectors",
    note = "write a method in a `#[device_fn] impl`, such as `a.plus(b)`"
)]
pub trait Computable: Capturable {}

impl<T: Capture<Param: Operand>> Computable for Variable<T> {}

/// The method by which a [`Variable`] is taken that the kernel computes with.
pub trait TakeNumber: Take {
    /// [`Take::__take`].
    ///
    /// # Safety
    /// As there.
    unsafe fn __take_number(self) -> Self::Taken
    where
        Self: Sized,
    {
        // SAFETY: the caller's promise.
        unsafe { self.__take() }
    }
}

impl<V: Computable> TakeNumber for V {}

impl<T: DeviceCopy> Capture for T {
    type Param = T;

    unsafe fn capture(self) -> T {
        self
    }
}

macro_rules! captures {
    ($($access:ident => $param:ident;)*) => {$(
        impl<T: DeviceCopy, const D: usize> Capture for $access<T, D> {
            type Param = $param<T, D>;

            unsafe fn capture(self) -> $param<T, D> {
                // SAFETY: the caller's promise.
        unsafe { KernelArg::into_param(self) }
            }
        }
    )*};
}
captures! {
    ReadAccess => View;
    WriteAccess => ItemMut;
    ReadWriteAccess => ItemMut;
    AtomicAccess => AtomicView;
    ScatterAccess => ScatterMut;
}

macro_rules! handles {
    ($($handle:ident)*) => {$(
        impl<T: DeviceCopy, const D: usize> Capture for crate::kernel::$handle<T, D> {
            type Param = Self;

            unsafe fn capture(self) -> Self {
                self
            }
        }
    )*};
}
handles!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor);

impl<T: DeviceCopy, O: ReduceOp<T>> Capture for ReduceAccess<T, O> {
    type Param = Reducer<T, O>;

    unsafe fn capture(self) -> Reducer<T, O> {
        // SAFETY: the caller's promise.
        unsafe { KernelArg::into_param(self) }
    }
}

/// A captured variable in a group: local memory is the group's own, and so are the partial results of reductions.
pub trait Captured<const D: usize>: KernelParam {
    /// What the group's items see.
    type Bound: Copy;

    /// Binds it to the group.
    fn bind_to(self, group: &GroupCx<D>) -> Self::Bound;
}

impl<T: DeviceCopy, const D: usize> Captured<D> for T {
    type Bound = T;

    #[inline(always)]
    fn bind_to(self, _: &GroupCx<D>) -> T {
        self
    }
}

/// What a kernel writes to at an index, of what it captured: memory, and no value of its own.
#[diagnostic::on_unimplemented(
    message = "a captured value cannot be assigned to",
    label = "the kernel has a copy of it",
    note = "start a variable with it, `let mut x = x;`, or write to memory that all items share"
)]
pub trait CapturedMemory {}

macro_rules! captured_memory {
    ($($handle:ident)*) => { $(impl<T, const D: usize> CapturedMemory for $handle<T, D> {})* };
}
captured_memory!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor);

/// [`at_mut`] of a variable that an inline kernel captured.
///
/// # Safety
/// As there.
#[inline(always)]
pub unsafe fn captured_at_mut<C: CapturedMemory + IndexableMut<I>, I>(this: *const C, index: I) -> Place<C::Elem> {
    // SAFETY: the caller's promise.
    unsafe { at_mut(this, index) }
}

macro_rules! bound_as_they_are {
    ($($handle:ident)*) => {$(
        impl<T: DeviceCopy, const N: usize, const D: usize> Captured<D> for $handle<T, N> {
            type Bound = Self;

            #[inline(always)]
            fn bind_to(self, _: &GroupCx<D>) -> Self {
                self
            }
        }
    )*};
}
bound_as_they_are!(View ItemMut GroupMut ScatterMut AtomicView);

impl<T: DeviceCopy, const N: usize, const D: usize> Captured<D> for LocalAccessor<T, N> {
    type Bound = Self;

    #[inline(always)]
    fn bind_to(self, group: &GroupCx<D>) -> Self {
        group.bind_local(&self)
    }
}

impl<T: DeviceCopy, O: ReduceOp<T>, const D: usize> Captured<D> for Reducer<T, O> {
    type Bound = ChunkReducer<T, O>;

    #[inline(always)]
    fn bind_to(self, group: &GroupCx<D>) -> ChunkReducer<T, O> {
        self.bind(group)
    }
}
