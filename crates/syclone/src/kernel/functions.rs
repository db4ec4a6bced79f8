//! The functions [`min`] and [`max`], which kernels call by these names. [`fence`](super::fence) and
//! [`local`](super::local()) are where atomics and local memory are.

use crate::types::DeviceCopy;
use crate::types::ops::{Maximum, Minimum, ReduceOp};

/// The smaller of two values, lane by lane for vectors; a NaN is ignored.
///
/// It is a function of kernels, by this name or a path that begins with `syclone`, and of the host.
///
/// ```
/// use syclone::prelude::*;
/// #[kernel]
/// fn clamp(item: Item<1>, most: f32, x: ItemMut<f32>) {
///     x[item] = min(x[item], most);
/// }
/// assert_eq!(min(2.0, f32::NAN), 2.0);
/// assert_eq!(min(I32x2::new([1, 5]), I32x2::splat(3)), I32x2::new([1, 3]));
/// ```
#[inline(always)]
pub fn min<T: Ordered<Minimum>>(a: T, b: T) -> T::Chosen {
    T::choose(a, b)
}

/// The larger of two values, lane by lane for vectors; a NaN is ignored. What [`min`] says of itself holds here too.
///
/// ```
/// use syclone::prelude::*;
/// assert_eq!(max(f64::NAN, 3.0), 3.0);
/// ```
#[inline(always)]
pub fn max<T: Ordered<Maximum>>(a: T, b: T) -> T::Chosen {
    T::choose(a, b)
}

/// A value that [`min`] (`O` is [`Minimum`]) or [`max`] (`O` is [`Maximum`]) takes: whatever the operator combines.
pub trait Ordered<O>: Sized {
    /// The type itself.
    type Chosen;

    /// One of the two, or of each lane's two.
    fn choose(a: Self, b: Self) -> Self::Chosen;
}

impl<T: DeviceCopy, O: ReduceOp<T>> Ordered<O> for T {
    type Chosen = T;

    #[inline(always)]
    fn choose(a: T, b: T) -> T {
        O::apply(a, b)
    }
}
