//! [`Spec`]: a specialised argument.

use crate::types::DeviceCopy;

/// An argument whose value is baked into the kernel when it is built for a device.
///
/// Devices that compile kernels at run time build one version for each value; on the CPU device it is a plain value
/// that is the same for all items.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spec<T>(T);

impl<T: DeviceCopy> Spec<T> {
    /// An argument with this value.
    pub const fn new(value: T) -> Self {
        Spec(value)
    }

    /// The value.
    #[inline(always)]
    pub fn get(&self) -> T {
        self.0
    }
}
