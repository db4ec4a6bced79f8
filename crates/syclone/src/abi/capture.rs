//! What `kernel!` makes of a captured variable.

use crate::api::{AtomicAccess, ReadAccess, ReadWriteAccess, ReduceAccess, ScatterAccess, WriteAccess};
use crate::kernel::{AtomicView, ItemMut, KernelArg, KernelParam, Reducer, ScatterMut, View};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

/// A variable that an inline kernel can capture.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be captured by `kernel!`",
    note = "capture accesses of buffers, such as `buffer.read(h)`, and DeviceCopy values"
)]
pub trait Capture {
    /// What the kernel sees.
    type Param: KernelParam;

    /// Converts it.
    fn capture(self) -> Self::Param;
}

impl<T: DeviceCopy> Capture for T {
    type Param = T;

    fn capture(self) -> T {
        self
    }
}

macro_rules! captures {
    ($($access:ident => $param:ident;)*) => {$(
        impl<T: DeviceCopy, const D: usize> Capture for $access<T, D> {
            type Param = $param<T, D>;

            fn capture(self) -> $param<T, D> {
                KernelArg::into_param(self)
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

            fn capture(self) -> Self {
                self
            }
        }
    )*};
}
handles!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor);

impl<T: DeviceCopy, O: ReduceOp<T>> Capture for ReduceAccess<T, O> {
    type Param = Reducer<T, O>;

    fn capture(self) -> Reducer<T, O> {
        KernelArg::into_param(self)
    }
}
