//! The values that cross between the host and kernels, and the arithmetic on them.
//!
//! Everything here is plain data without a device behind it: what a value may be ([`DeviceCopy`]), the numeric
//! traits that generic kernels are written against ([`Scalar`], [`Float`], [`Integer`]), short vectors
//! ([`Vector`]), SYCL's mathematical functions ([`math`]), and the tokens that name an operator, a memory order
//! or a scope ([`ops`], [`order`]). Kernels compile these very functions on the CPU device; the interpreter of
//! the kernel tree reaches them through [`builtins`].

pub mod builtins;
#[doc(hidden)]
pub mod compared;
pub mod derive_support;
pub mod device_copy;
pub mod half;
pub mod math;
pub mod ops;
pub mod order;
pub mod scalar;
pub mod swizzle;
pub mod vector;

pub(crate) mod called_at;
mod scalar_impls;
mod vector_math;
mod vector_ops;

#[cfg(test)]
mod tests;

pub use self::device_copy::{DeviceConst, DeviceCopy};
pub use self::half::{bf16, f16};
pub use self::math::{Geometric, IntegerMath, Math, Upsample};
pub use self::order::{Order, Scope};
pub use self::scalar::{Float, Integer, Scalar, VectorElement};
pub use self::vector::{Lanes, Vector};
