//! The free functions of the kernel language, as macro output calls them.

pub use crate::kernel::fence;
use crate::types::DeviceCopy;
use crate::types::ops::{Maximum, Minimum, ReduceOp};

/// The smaller of two values; a NaN is ignored.
#[inline(always)]
pub fn min<T: DeviceCopy>(a: T, b: T) -> T
where
    Minimum: ReduceOp<T>,
{
    Minimum::apply(a, b)
}

/// The larger of two values; a NaN is ignored.
#[inline(always)]
pub fn max<T: DeviceCopy>(a: T, b: T) -> T
where
    Maximum: ReduceOp<T>,
{
    Maximum::apply(a, b)
}
