//! The functions of [`Scalar`], [`Float`], [`Math`] and the integer traits on vectors, lane by lane.
//!
//! Where a scalar function takes a second number, the vector's takes a vector or one number for all lanes; results
//! that are pairs are pairs of vectors.

use super::math::table::{
    for_std_float_functions, for_std_integer_functions, for_sycl_float_functions, for_sycl_integer_functions,
};
use super::math::{IntegerMath, Math, Upsample};
use super::scalar::{Float, Integer, Scalar, VectorElement};
use super::vector::Vector;

impl<T: Scalar, const N: usize> Vector<T, N> {
    /// The smaller of two in each lane; for floats a NaN lane is ignored.
    #[inline(always)]
    pub fn min(self, other: impl Into<Self>) -> Self {
        self.zip_lanes(other.into(), T::lesser)
    }

    /// The greater of two in each lane; for floats a NaN lane is ignored.
    #[inline(always)]
    pub fn max(self, other: impl Into<Self>) -> Self {
        self.zip_lanes(other.into(), T::greater)
    }

    /// Every lane limited to `low..=high`; see [`Scalar::limited`].
    #[inline(always)]
    pub fn clamp(self, low: impl Into<Self>, high: impl Into<Self>) -> Self {
        let (low, high) = (low.into(), high.into());
        Vector(core::array::from_fn(|i| self.0[i].limited(low.0[i], high.0[i])))
    }

    /// The absolute value of each lane; the least signed integer stays itself.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map_lanes(T::magnitude)
    }

    /// Each bit is `other`'s where `mask` has a one, otherwise `self`'s.
    #[inline(always)]
    pub fn bitselect(self, other: impl Into<Self>, mask: impl Into<Self>) -> Self {
        let (other, mask) = (other.into(), mask.into());
        Vector(core::array::from_fn(|i| self.0[i].bitselect(other.0[i], mask.0[i])))
    }
}

/// Splits a vector of pairs.
#[inline(always)]
fn unzip<A: Copy, B: Copy, const N: usize>(pairs: Vector<(A, B), N>) -> (Vector<A, N>, Vector<B, N>) {
    (Vector(pairs.0.map(|pair| pair.0)), Vector(pairs.0.map(|pair| pair.1)))
}

/// Methods of shapes that both float tables have.
macro_rules! lanewise {
    (
        $trait:ident;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        $(predicate { $($(#[$pd:meta])* $p:ident)* })?
        $(binary_predicate { $($(#[$cd:meta])* $c:ident)* })? $(exponent { $($(#[$ed:meta])* $e:ident)* })?
        pair { $($(#[$qd:meta])* $q:ident)* }
        $(pair_exponent { $($(#[$xd:meta])* $x:ident)* } binary_pair_exponent { $($(#[$yd:meta])* $y:ident)* })?
    ) => {
        impl<T: Float, const N: usize> Vector<T, N> {
            $($(#[$ud])* #[inline(always)] pub fn $u(self) -> Self {
                self.map_lanes(<T as $trait>::$u)
            })*
            $($(#[$bd])* #[inline(always)] pub fn $b(self, other: impl Into<Self>) -> Self {
                self.zip_lanes(other.into(), <T as $trait>::$b)
            })*
            $($(#[$td])* #[inline(always)] pub fn $t(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
                let (a, b) = (a.into(), b.into());
                Vector(core::array::from_fn(|i| <T as $trait>::$t(self.0[i], a.0[i], b.0[i])))
            })*
            $($(#[$id])* #[inline(always)] pub fn $i(self, n: impl Into<Vector<i32, N>>) -> Self {
                self.zip_lanes(n.into(), <T as $trait>::$i)
            })*
            $($($(#[$pd])* #[inline(always)] pub fn $p(self) -> Vector<bool, N> {
                self.map_lanes(<T as $trait>::$p)
            })*)?
            $($($(#[$cd])* #[inline(always)] pub fn $c(self, other: impl Into<Self>) -> Vector<bool, N> {
                self.zip_lanes(other.into(), <T as $trait>::$c)
            })*)?
            $($($(#[$ed])* #[inline(always)] pub fn $e(self) -> Vector<i32, N> {
                self.map_lanes(<T as $trait>::$e)
            })*)?
            $($(#[$qd])* #[inline(always)] pub fn $q(self) -> (Self, Self) {
                unzip(self.map_lanes(<T as $trait>::$q))
            })*
            $($($(#[$xd])* #[inline(always)] pub fn $x(self) -> (Self, Vector<i32, N>) {
                unzip(self.map_lanes(<T as $trait>::$x))
            })*
            $($(#[$yd])* #[inline(always)] pub fn $y(self, other: impl Into<Self>) -> (Self, Vector<i32, N>) {
                unzip(self.zip_lanes(other.into(), <T as $trait>::$y))
            })*)?
        }
    };
}

for_std_float_functions!(lanewise, Float);
for_sycl_float_functions!(lanewise, Math);

impl<T: Float, const N: usize> Vector<T, N> {
    /// The representation of each lane.
    #[inline(always)]
    pub fn to_bits(self) -> Vector<T::Bits, N> {
        self.map_lanes(T::to_bits)
    }

    /// The vector whose lanes have these representations.
    #[inline(always)]
    pub fn from_bits(bits: Vector<T::Bits, N>) -> Self {
        bits.map_lanes(T::from_bits)
    }
}

/// Methods of the integer tables.
macro_rules! lanewise_integer {
    (
        $trait:ident;
        $(unary { $($(#[$ud:meta])* $u:ident)* })? binary { $($(#[$bd:meta])* $b:ident)* }
        $(count { $($(#[$cd:meta])* $c:ident)* } count_argument { $($(#[$ad:meta])* $a:ident)* })?
        $(ternary { $($(#[$td:meta])* $t:ident)* })?
    ) => {
        impl<T: Integer, const N: usize> Vector<T, N> {
            $($($(#[$ud])* #[inline(always)] pub fn $u(self) -> Self {
                self.map_lanes(<T as $trait>::$u)
            })*)?
            $($(#[$bd])* #[inline(always)] pub fn $b(self, other: impl Into<Self>) -> Self {
                self.zip_lanes(other.into(), <T as $trait>::$b)
            })*
            $($($(#[$cd])* #[inline(always)] pub fn $c(self) -> Vector<u32, N> {
                self.map_lanes(<T as $trait>::$c)
            })*
            $($(#[$ad])* #[inline(always)] pub fn $a(self, n: impl Into<Vector<u32, N>>) -> Self {
                self.zip_lanes(n.into(), <T as $trait>::$a)
            })*)?
            $($($(#[$td])* #[inline(always)] pub fn $t(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
                let (a, b) = (a.into(), b.into());
                Vector(core::array::from_fn(|i| <T as $trait>::$t(self.0[i], a.0[i], b.0[i])))
            })*)?
        }
    };
}

for_std_integer_functions!(lanewise_integer, Integer);
for_sycl_integer_functions!(lanewise_integer, IntegerMath);

impl<T: Integer, const N: usize> Vector<T, N> {
    /// The absolute difference of each lane, which always fits the unsigned type.
    #[inline(always)]
    pub fn abs_diff(self, other: impl Into<Self>) -> Vector<T::Unsigned, N> {
        self.zip_lanes(other.into(), T::abs_diff)
    }
}

impl<T: VectorElement + Upsample<Low: VectorElement, Wide: VectorElement>, const N: usize> Vector<T, N> {
    /// Joins halves to integers of twice the size; see [`Upsample`].
    #[inline(always)]
    pub fn upsample(self, low: Vector<T::Low, N>) -> Vector<T::Wide, N> {
        self.zip_lanes(low, T::upsample)
    }
}
