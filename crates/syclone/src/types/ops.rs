//! The operators of reductions and scans, as zero-sized values: `group.reduce(x, Plus)`.
//!
//! They are SYCL's function objects `plus`, `multiplies`, `minimum`, … . Each says by [`ReduceOp`] which types it
//! combines and which value changes nothing.

use syclone_kernel_ast::bound::ConstValue;
use syclone_kernel_ast::types::Op;

use super::device_copy::{DeviceConst, DeviceCopy, op_const};
use super::scalar::{Integer, Scalar, VectorElement};
use super::vector::{Lanes, Vector};

/// An associative, commutative operator on `T` with an identity.
///
/// ```
/// use syclone::types::ops::{Minimum, Plus, ReduceOp};
/// fn fold<T: syclone::types::DeviceCopy, O: ReduceOp<T>>(_: O, values: &[T]) -> T {
///     values.iter().fold(O::identity(), |a, &b| O::apply(a, b))
/// }
/// assert_eq!(fold(Plus, &[1, 2, 3]), 6);
/// assert_eq!(fold(Minimum, &[2.0f32, f32::NAN, 1.0]), 1.0);
/// assert_eq!(fold(Minimum, &[0.0f32; 0]), f32::INFINITY);
/// ```
pub trait ReduceOp<T: DeviceCopy>: ReduceToken {
    /// The value that changes nothing.
    fn identity() -> T;
    /// Combines two values.
    fn apply(a: T, b: T) -> T;

    /// What combinations of many values are kept in until the last one: wider than `T` where each would round.
    #[doc(hidden)]
    type Partial: Copy + Send + Sync + 'static;
    /// Of no values.
    #[doc(hidden)]
    fn begin() -> Self::Partial;
    /// Of one value.
    #[doc(hidden)]
    fn widen(x: T) -> Self::Partial;
    /// Combines what came of two parts of the values.
    #[doc(hidden)]
    fn join(a: Self::Partial, b: Self::Partial) -> Self::Partial;
    /// The result.
    #[doc(hidden)]
    fn end(partial: Self::Partial) -> T;
}

/// What an operator is, whatever it combines.
pub trait ReduceToken: Copy + Default + Send + Sync + 'static {
    /// The operator as the kernel tree knows it.
    const OP: Op;
    /// Its name.
    const NAME: &'static str;
}

/// Declares the tokens.
macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name;
        impl ReduceToken for $name {
            const OP: Op = Op::$name;
            const NAME: &'static str = stringify!($name);
        }
        impl DeviceConst for $name {
            fn device_const(&self) -> ConstValue {
                op_const(Op::$name)
            }
        }
    )*};
}

tokens! {
    /// The sum; integers wrap in every build, so that the order makes no difference.
    Plus
    /// The product; integers wrap in every build.
    Multiplies
    /// The smaller one; NaN is ignored.
    Minimum
    /// The greater one; NaN is ignored.
    Maximum
    /// The bits that both have.
    BitAnd
    /// The bits that either has.
    BitOr
    /// The bits that exactly one has.
    BitXor
    /// Whether both are true.
    LogicalAnd
    /// Whether either is true.
    LogicalOr
}

/// [`ReduceOp`] for a token on one class of types.
macro_rules! reduce {
    // Each combination rounds, so partial results are wide.
    (wide $token:ident, $identity:ident, $apply:ident) => {
        impl<T: Scalar> ReduceOp<T> for $token {
            #[inline(always)]
            fn identity() -> T {
                T::$identity
            }
            #[inline(always)]
            fn apply(a: T, b: T) -> T {
                a.$apply(b)
            }
            type Partial = T::Partial;
            #[inline(always)]
            fn begin() -> T::Partial {
                T::Partial::$identity
            }
            #[inline(always)]
            fn widen(x: T) -> T::Partial {
                x.convert()
            }
            #[inline(always)]
            fn join(a: T::Partial, b: T::Partial) -> T::Partial {
                a.$apply(b)
            }
            #[inline(always)]
            fn end(partial: T::Partial) -> T {
                partial.convert()
            }
        }
    };
    ($token:ident $(<$t:ident: $class:ident>)? for $on:ty, $identity:expr, |$a:ident, $b:ident| $apply:expr) => {
        impl$(<$t: $class>)? ReduceOp<$on> for $token {
            #[inline(always)]
            fn identity() -> $on {
                $identity
            }
            #[inline(always)]
            fn apply($a: $on, $b: $on) -> $on {
                $apply
            }
            type Partial = $on;
            #[inline(always)]
            fn begin() -> $on {
                Self::identity()
            }
            #[inline(always)]
            fn widen(x: $on) -> $on {
                x
            }
            #[inline(always)]
            fn join(a: $on, b: $on) -> $on {
                Self::apply(a, b)
            }
            #[inline(always)]
            fn end(partial: $on) -> $on {
                partial
            }
        }
    };
}

reduce!(wide Plus, ZERO, wrapping_sum);
reduce!(wide Multiplies, ONE, wrapping_product);
reduce!(Minimum<T: Scalar> for T, T::GREATEST, |a, b| a.lesser(b));
reduce!(Maximum<T: Scalar> for T, T::LEAST, |a, b| a.greater(b));
reduce!(BitAnd<T: Integer> for T, !T::ZERO, |a, b| a & b);
reduce!(BitOr<T: Integer> for T, T::ZERO, |a, b| a | b);
reduce!(BitXor<T: Integer> for T, T::ZERO, |a, b| a ^ b);
reduce!(BitAnd for bool, true, |a, b| a & b);
reduce!(BitOr for bool, false, |a, b| a | b);
reduce!(BitXor for bool, false, |a, b| a ^ b);
reduce!(LogicalAnd for bool, true, |a, b| a & b);
reduce!(LogicalOr for bool, false, |a, b| a | b);

/// Lane by lane, for every token that combines the lanes.
macro_rules! reduce_vectors {
    ($($token:ident)*) => {$(
        impl<T: VectorElement, const N: usize> ReduceOp<Vector<T, N>> for $token
        where
            [(); N]: Lanes,
            $token: ReduceOp<T>,
        {
            #[inline(always)]
            fn identity() -> Vector<T, N> {
                Vector::splat(<$token as ReduceOp<T>>::identity())
            }
            #[inline(always)]
            fn apply(a: Vector<T, N>, b: Vector<T, N>) -> Vector<T, N> {
                a.zip_lanes(b, <$token as ReduceOp<T>>::apply)
            }
            type Partial = [<$token as ReduceOp<T>>::Partial; N];
            #[inline(always)]
            fn begin() -> Self::Partial {
                [<$token as ReduceOp<T>>::begin(); N]
            }
            #[inline(always)]
            fn widen(x: Vector<T, N>) -> Self::Partial {
                x.to_array().map(<$token as ReduceOp<T>>::widen)
            }
            #[inline(always)]
            fn join(a: Self::Partial, b: Self::Partial) -> Self::Partial {
                std::array::from_fn(|i| <$token as ReduceOp<T>>::join(a[i], b[i]))
            }
            #[inline(always)]
            fn end(partial: Self::Partial) -> Vector<T, N> {
                Vector::new(partial.map(<$token as ReduceOp<T>>::end))
            }
        }
    )*};
}
reduce_vectors!(Plus Multiplies Minimum Maximum BitAnd BitOr BitXor LogicalAnd LogicalOr);
