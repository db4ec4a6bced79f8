//! Operators and comparisons of vectors, lane by lane.
//!
//! A vector combines with a vector of its own type or with one scalar of its element's type on the right; numbers
//! written as literals also stand on the left. Shift counts may have any integer type, as with scalars.

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::called_at::located;
use super::scalar::{Integer, VectorElement};
use super::vector::Vector;

/// Operators between equal types.
macro_rules! binary {
    ($($op:ident $method:ident $assign:ident $assign_method:ident)*) => {$(
        impl<T: VectorElement + $op<Output = T>, const N: usize> $op for Vector<T, N> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $method(self, other: Self) -> Self {
                located(|| self.zip_lanes(other, |a, b| a.$method(b)))
            }
        }
        impl<T: VectorElement + $op<Output = T>, const N: usize> $op<T> for Vector<T, N> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $method(self, other: T) -> Self {
                located(|| self.map_lanes(|a| a.$method(other)))
            }
        }
        impl<T: VectorElement + $op<Output = T>, const N: usize> $assign for Vector<T, N> {
            #[inline(always)]
            #[track_caller]
            fn $assign_method(&mut self, other: Self) {
                *self = (*self).$method(other);
            }
        }
        impl<T: VectorElement + $op<Output = T>, const N: usize> $assign<T> for Vector<T, N> {
            #[inline(always)]
            #[track_caller]
            fn $assign_method(&mut self, other: T) {
                *self = (*self).$method(other);
            }
        }
    )*};
}

binary! {
    Add add AddAssign add_assign
    Sub sub SubAssign sub_assign
    Mul mul MulAssign mul_assign
    Div div DivAssign div_assign
    Rem rem RemAssign rem_assign
    BitAnd bitand BitAndAssign bitand_assign
    BitOr bitor BitOrAssign bitor_assign
    BitXor bitxor BitXorAssign bitxor_assign
}

/// Shifts, by any integer type.
macro_rules! shifts {
    ($($op:ident $method:ident $assign:ident $assign_method:ident)*) => {$(
        impl<T: VectorElement + $op<U, Output = T>, U: Integer, const N: usize> $op<Vector<U, N>> for Vector<T, N> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $method(self, count: Vector<U, N>) -> Self {
                located(|| self.zip_lanes(count, |a, b| a.$method(b)))
            }
        }
        impl<T: VectorElement + $op<U, Output = T>, U: Integer, const N: usize> $op<U> for Vector<T, N> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $method(self, count: U) -> Self {
                located(|| self.map_lanes(|a| a.$method(count)))
            }
        }
        impl<T: VectorElement, U, const N: usize> $assign<U> for Vector<T, N>
        where
            Self: $op<U, Output = Self>,
        {
            #[inline(always)]
            #[track_caller]
            fn $assign_method(&mut self, count: U) {
                *self = (*self).$method(count);
            }
        }
    )*};
}

shifts! {
    Shl shl ShlAssign shl_assign
    Shr shr ShrAssign shr_assign
}

impl<T: VectorElement + Neg<Output = T>, const N: usize> Neg for Vector<T, N> {
    type Output = Self;
    #[inline(always)]
    #[track_caller]
    fn neg(self) -> Self {
        located(|| self.map_lanes(|a| -a))
    }
}

impl<T: VectorElement + Not<Output = T>, const N: usize> Not for Vector<T, N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map_lanes(|a| !a)
    }
}

/// A scalar on the left. Orphan rules allow this only type by type.
macro_rules! scalar_left {
    ($($t:ident)*; $($op:ident $method:ident)*) => {
        scalar_left!(@each [$($t)*] $($op $method)*);
    };
    (@each [$($t:ident)*] $op:ident $method:ident $($rest:tt)*) => {
        $(impl<const N: usize> $op<Vector<$t, N>> for $t {
            type Output = Vector<$t, N>;
            #[inline(always)]
            #[track_caller]
            fn $method(self, vector: Vector<$t, N>) -> Vector<$t, N> {
                located(|| vector.map_lanes(|lane| self.$method(lane)))
            }
        })*
        scalar_left!(@each [$($t)*] $($rest)*);
    };
    (@each [$($t:ident)*]) => {};
}

scalar_left!(f32 f64 i32 i64 u32 u64; Add add Sub sub Mul mul Div div);

/// Comparisons that give a vector of `bool`.
macro_rules! comparisons {
    ($bound:ident: $($(#[$doc:meta])* $name:ident $method:ident)*) => {
        impl<T: VectorElement + $bound, const N: usize> Vector<T, N> {$(
            $(#[$doc])*
            #[inline(always)]
            pub fn $name(self, other: impl Into<Self>) -> Vector<bool, N> {
                self.zip_lanes(other.into(), |a, b| a.$method(&b))
            }
        )*}
    };
}

comparisons! {
    PartialEq:
    /// Which lanes are equal.
    lanes_eq eq
    /// Which lanes differ.
    lanes_ne ne
}
comparisons! {
    PartialOrd:
    /// Which lanes are less.
    lanes_lt lt
    /// Which lanes are less or equal.
    lanes_le le
    /// Which lanes are greater.
    lanes_gt gt
    /// Which lanes are greater or equal.
    lanes_ge ge
}

impl<const N: usize> Vector<bool, N> {
    /// Whether any lane is true.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(false, |a, &b| a | b)
    }

    /// Whether all lanes are true.
    #[inline(always)]
    pub fn all(self) -> bool {
        self.0.iter().fold(true, |a, &b| a & b)
    }

    /// Lane by lane, `yes` where the mask is true and `no` where it is false: SYCL's `select(no, yes, mask)`.
    #[inline(always)]
    pub fn select<T: VectorElement>(self, yes: Vector<T, N>, no: Vector<T, N>) -> Vector<T, N> {
        // A choice between values, not a branch, which keeps the lanes together in one register.
        Vector(core::array::from_fn(|i| core::hint::select_unpredictable(self.0[i], yes.0[i], no.0[i])))
    }
}
