//! [`Spec`]: a specialised argument.

use crate::types::DeviceCopy;

/// An argument whose value is baked into the kernel when it is built for a device.
///
/// Devices that compile kernels at run time build one version for each value; on the CPU device it is a plain value
/// that is the same for all items. A kernel reads it as `*factor` or `factor.get()`, and the launch passes the value.
///
/// ```
/// use syclone::prelude::*;
/// #[kernel]
/// fn scale(item: Item<1>, factor: Spec<u32>, x: ItemMut<u32>) {
///     x[item] *= factor.get();
/// }
/// # fn main() -> Result<()> {
/// # let queue = Queue::new(&Device::select("cpu")?)?;
/// let x = Buffer::from_vec(vec![1u32, 2, 3]);
/// queue.submit(|h| h.parallel_for(3, scale(10, x.read_write(h))))?;
/// assert_eq!(x.host_read()?[..], [10, 20, 30]);
/// # Ok(())
/// # }
/// ```
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

impl<T> std::ops::Deref for Spec<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
