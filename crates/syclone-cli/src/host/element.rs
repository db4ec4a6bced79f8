//! The element types as the native code needs them, and memory for them.

use syclone::prelude::*;

use crate::args::Dtype;
use crate::failure::Failure;

/// A float type that the benchmarks run with.
pub trait Element: Copy + Default + Send + Sync + 'static {
    /// Its name and size.
    const DTYPE: Dtype;
    /// What outputs are filled with before a run, so that an element that is not written is seen.
    const POISON: Self;
    /// The largest error that counts as right, relative to the magnitude of what was added up.
    const TOLERANCE: f64;

    /// The nearest value.
    fn nearest(value: f64) -> Self;
    /// The same value.
    fn wide(self) -> f64;
    /// `self * b + c`, in one rounding when `FUSED`.
    fn mul_add_if<const FUSED: bool>(self, b: Self, c: Self) -> Self;
}

macro_rules! element {
    ($ty:ident, $dtype:ident, $tolerance:literal) => {
        impl Element for $ty {
            const DTYPE: Dtype = Dtype::$dtype;
            const POISON: Self = <$ty>::NAN;
            const TOLERANCE: f64 = $tolerance;

            #[inline(always)]
            fn nearest(value: f64) -> Self {
                value as $ty
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn mul_add_if<const FUSED: bool>(self, b: Self, c: Self) -> Self {
                if FUSED { self.mul_add(b, c) } else { self * b + c }
            }
        }
    };
}

element!(f32, F32, 1e-4);
element!(f64, F64, 1e-12);

/// A buffer in memory that the device allocated, with a copy of `values`.
pub fn on_device<T: Element + DeviceCopy, const D: usize>(
    values: &[T],
    extents: impl Into<Range<D>>,
) -> Result<Buffer<T, D>, Failure> {
    let buffer = Buffer::try_new(extents)?;
    buffer.copy_from_slice(values)?;
    Ok(buffer)
}

/// `len` copies of `value`, or an error when the host has no memory for them.
pub fn filled<T: Copy>(len: usize, value: T, what: &'static str) -> Result<Vec<T>, Failure> {
    let mut data = Vec::new();
    data.try_reserve_exact(len)
        .map_err(|_| Failure::OutOfMemory { what, bytes: len.saturating_mul(size_of::<T>()) })?;
    data.resize(len, value);
    Ok(data)
}
