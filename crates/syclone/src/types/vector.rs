//! Short vectors.
//!
//! A [`Vector`] lies in memory as the array of its lanes does, so a buffer of scalars can be read in vectors, and
//! three lanes take the space of three. Operators and functions act lane by lane (`vector_ops.rs`,
//! `vector_math.rs`) through loops of fixed length that LLVM turns into vector instructions.

use core::ops::{Deref, DerefMut, Index, IndexMut};

use super::scalar::{Scalar, VectorElement};

/// 2, 3, 4, 8 or 16 lanes of a number or `bool`.
///
/// ```
/// use syclone::types::Vector;
/// let v = Vector::new([1.0f32, 2.0, 3.0, 4.0]);
/// assert_eq!(v.wzyx(), Vector::new([4.0, 3.0, 2.0, 1.0]));
/// assert_eq!((2.0 * v + 1.0).x, 3.0);
/// assert_eq!(v.dot(Vector::splat(1.0)), 10.0);
/// let capped = v.lanes_gt(2.5).select(Vector::splat(2.5), v);
/// assert_eq!(capped.to_array(), [1.0, 2.0, 2.5, 2.5]);
/// ```
///
/// Other numbers of lanes do not exist:
/// ```compile_fail
/// let v = syclone::types::Vector::new([1.0f32; 5]);
/// ```
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Vector<T, const N: usize>(pub(super) [T; N]);

/// The numbers of lanes that exist: `where [(); N]: Lanes` is the bound of code generic over the number of lanes.
///
/// ```
/// use syclone::types::{Lanes, Vector};
/// fn ramp<const N: usize>() -> Vector<f32, N> where [(); N]: Lanes {
///     Vector::new(std::array::from_fn(|i| i as f32))
/// }
/// assert_eq!(ramp::<3>().to_array(), [0.0, 1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "a vector cannot have the number of lanes that `{Self}` counts",
    note = "a vector has 2, 3, 4, 8 or 16 lanes"
)]
pub trait Lanes {}

impl Lanes for [(); 2] {}
impl Lanes for [(); 3] {}
impl Lanes for [(); 4] {}
impl Lanes for [(); 8] {}
impl Lanes for [(); 16] {}

impl<T: VectorElement, const N: usize> Vector<T, N>
where
    [(); N]: Lanes,
{
    /// A vector of these lanes.
    #[inline(always)]
    pub const fn new(lanes: [T; N]) -> Self {
        Vector(lanes)
    }

    /// A vector of equal lanes.
    #[inline(always)]
    pub const fn splat(lane: T) -> Self {
        Vector([lane; N])
    }
}

impl<T: VectorElement, const N: usize> Vector<T, N> {
    /// The number of lanes.
    pub const LANES: usize = N;

    /// The lanes as an array.
    #[inline(always)]
    pub const fn to_array(self) -> [T; N] {
        self.0
    }

    /// Lane `idx`; zero where there is no such lane.
    #[inline(always)]
    pub fn get(self, idx: usize) -> T {
        if idx < N { self.0[idx] } else { T::zeroed() }
    }

    /// The vector with lane `idx` replaced; unchanged where there is no such lane.
    #[inline(always)]
    #[must_use]
    pub fn with(mut self, idx: usize, lane: T) -> Self {
        if idx < N {
            self.0[idx] = lane;
        }
        self
    }

    /// Applies a function to every lane.
    #[inline(always)]
    pub(super) fn map_lanes<U>(self, mut f: impl FnMut(T) -> U) -> Vector<U, N> {
        Vector(core::array::from_fn(|i| f(self.0[i])))
    }

    /// Applies a function to every pair of lanes.
    #[inline(always)]
    pub(super) fn zip_lanes<U: Copy, V>(self, other: Vector<U, N>, mut f: impl FnMut(T, U) -> V) -> Vector<V, N> {
        Vector(core::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl<T: Scalar, const N: usize> Vector<T, N> {
    /// Every lane converted as `as` does; see [`Scalar::convert`].
    #[inline(always)]
    pub fn convert<U: Scalar>(self) -> Vector<U, N> {
        self.map_lanes(U::from_scalar)
    }
}

impl<T: VectorElement, const N: usize> Default for Vector<T, N>
where
    [(); N]: Lanes,
{
    /// All lanes zero.
    #[inline(always)]
    fn default() -> Self {
        Vector([T::zeroed(); N])
    }
}

impl<T: VectorElement, const N: usize> From<[T; N]> for Vector<T, N>
where
    [(); N]: Lanes,
{
    #[inline(always)]
    fn from(lanes: [T; N]) -> Self {
        Vector(lanes)
    }
}

impl<T: VectorElement, const N: usize> From<T> for Vector<T, N> {
    /// A vector of equal lanes: functions that take a second vector take a scalar in its place.
    #[inline(always)]
    fn from(lane: T) -> Self {
        Vector([lane; N])
    }
}

impl<T, const N: usize> From<Vector<T, N>> for [T; N] {
    #[inline(always)]
    fn from(vector: Vector<T, N>) -> Self {
        vector.0
    }
}

impl<T, const N: usize> Index<usize> for Vector<T, N> {
    type Output = T;
    #[inline(always)]
    fn index(&self, idx: usize) -> &T {
        &self.0[idx]
    }
}

impl<T, const N: usize> IndexMut<usize> for Vector<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, idx: usize) -> &mut T {
        &mut self.0[idx]
    }
}

/// The named lanes of a vector of a given length.
macro_rules! named_lanes {
    ($(#[$doc:meta])* $name:ident $lanes:literal: $($(#[$lane_doc:meta])* $lane:ident)*) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name<T> {
            $($(#[$lane_doc])* pub $lane: T,)*
        }

        impl<T> Deref for Vector<T, $lanes> {
            type Target = $name<T>;
            #[inline(always)]
            fn deref(&self) -> &$name<T> {
                // SAFETY: both are `repr(C)`, one around an array of as many `T` as the other has fields of `T`,
                // so size, alignment and the place of each lane agree.
                unsafe { &*core::ptr::from_ref(self).cast::<$name<T>>() }
            }
        }

        impl<T> DerefMut for Vector<T, $lanes> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut $name<T> {
                // SAFETY: as in `deref`, and the borrow is exclusive.
                unsafe { &mut *core::ptr::from_mut(self).cast::<$name<T>>() }
            }
        }
    };
}

named_lanes! {
    /// The lanes of a vector of two by name.
    XY 2:
    /// Lane 0.
    x
    /// Lane 1.
    y
}
named_lanes! {
    /// The lanes of a vector of three by name.
    XYZ 3:
    /// Lane 0.
    x
    /// Lane 1.
    y
    /// Lane 2.
    z
}
named_lanes! {
    /// The lanes of a vector of four by name.
    XYZW 4:
    /// Lane 0.
    x
    /// Lane 1.
    y
    /// Lane 2.
    z
    /// Lane 3.
    w
}

/// Declares `F32x4` and the like.
macro_rules! aliases {
    ($($element:ident: $x2:ident $x3:ident $x4:ident $x8:ident $x16:ident;)*) => {$(
        #[doc = concat!("Two lanes of `", stringify!($element), "`.")]
        pub type $x2 = Vector<$element, 2>;
        #[doc = concat!("Three lanes of `", stringify!($element), "`.")]
        pub type $x3 = Vector<$element, 3>;
        #[doc = concat!("Four lanes of `", stringify!($element), "`.")]
        pub type $x4 = Vector<$element, 4>;
        #[doc = concat!("Eight lanes of `", stringify!($element), "`.")]
        pub type $x8 = Vector<$element, 8>;
        #[doc = concat!("Sixteen lanes of `", stringify!($element), "`.")]
        pub type $x16 = Vector<$element, 16>;
    )*};
}

/// Short names of the vector types: SYCL's `float4` is `F32x4`.
pub mod alias {
    use super::Vector;
    use crate::types::half::{bf16, f16};

    aliases! {
        f16: F16x2 F16x3 F16x4 F16x8 F16x16;
        bf16: Bf16x2 Bf16x3 Bf16x4 Bf16x8 Bf16x16;
        f32: F32x2 F32x3 F32x4 F32x8 F32x16;
        f64: F64x2 F64x3 F64x4 F64x8 F64x16;
        i8: I8x2 I8x3 I8x4 I8x8 I8x16;
        i16: I16x2 I16x3 I16x4 I16x8 I16x16;
        i32: I32x2 I32x3 I32x4 I32x8 I32x16;
        i64: I64x2 I64x3 I64x4 I64x8 I64x16;
        u8: U8x2 U8x3 U8x4 U8x8 U8x16;
        u16: U16x2 U16x3 U16x4 U16x8 U16x16;
        u32: U32x2 U32x3 U32x4 U32x8 U32x16;
        u64: U64x2 U64x3 U64x4 U64x8 U64x16;
        bool: Boolx2 Boolx3 Boolx4 Boolx8 Boolx16;
    }
}
