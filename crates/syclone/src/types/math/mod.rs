//! SYCL's mathematical functions that Rust's numbers lack.
//!
//! What Rust has keeps Rust's name and is an inherent method ([`Float`] and
//! [`Integer`](super::Integer) repeat them for generic code). The rest of SYCL's list is here: [`Math`] for
//! floats, [`IntegerMath`] for integers, both as methods of scalars and, lane by lane, of vectors.
//! `docs/math.md` has the whole table with the error of each function.
//!
//! Functions of `f32` are in `single.rs`, of `f64` in `double.rs`, of both in `shared.rs`; half precisions compute in `f32` and round.
//! `table.rs` is the list of names and shapes that everything else is generated from.

pub(crate) mod table;

mod double;
pub(crate) mod geometric;
mod integer;
mod shared;
mod single;

pub use self::geometric::Geometric;
pub use self::integer::{IntegerMath, Upsample};

use self::table::for_sycl_float_functions;
use super::half::{bf16, f16};
#[allow(unused_imports, reason = "documentation of the table links to it")]
use super::scalar::Float;

/// Declares the methods of [`Math`].
macro_rules! declare {
    (
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        binary_predicate { $($(#[$pd:meta])* $p:ident)* } exponent { $($(#[$ed:meta])* $e:ident)* }
        pair { $($(#[$qd:meta])* $q:ident)* } pair_exponent { $($(#[$xd:meta])* $x:ident)* }
        binary_pair_exponent { $($(#[$yd:meta])* $y:ident)* }
    ) => {
        $($(#[$ud])* fn $u(self) -> Self;)*
        $($(#[$bd])* fn $b(self, other: Self) -> Self;)*
        $($(#[$td])* fn $t(self, a: Self, b: Self) -> Self;)*
        $($(#[$id])* fn $i(self, n: i32) -> Self;)*
        $($(#[$pd])* fn $p(self, other: Self) -> bool;)*
        $($(#[$ed])* fn $e(self) -> i32;)*
        $($(#[$qd])* fn $q(self) -> (Self, Self);)*
        $($(#[$xd])* fn $x(self) -> (Self, i32);)*
        $($(#[$yd])* fn $y(self, other: Self) -> (Self, i32);)*
    };
}

/// SYCL's floating-point functions that Rust lacks, on `f16`, `bf16`, `f32` and `f64`.
///
/// ```
/// use syclone::types::Math;
/// assert_eq!(1.5f32.sinpi(), -1.0);
/// assert_eq!(6.0f64.frexp(), (0.75, 3));
/// assert_eq!(0.25f32.mix(0.75, 0.5), 0.5);
/// ```
#[allow(clippy::wrong_self_convention, reason = "numbers are passed by value")]
pub trait Math: Sized {
    for_sycl_float_functions!(declare);
}

/// [`Math`] from the functions of a module.
macro_rules! from_module {
    (
        $self:ty, $module:ident;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        binary_predicate { $($(#[$pd:meta])* $p:ident)* } exponent { $($(#[$ed:meta])* $e:ident)* }
        pair { $($(#[$qd:meta])* $q:ident)* } pair_exponent { $($(#[$xd:meta])* $x:ident)* }
        binary_pair_exponent { $($(#[$yd:meta])* $y:ident)* }
    ) => {
        impl Math for $self {
            $(#[inline(always)] fn $u(self) -> Self { $module::$u(self) })*
            $(#[inline(always)] fn $b(self, other: Self) -> Self { $module::$b(self, other) })*
            $(#[inline(always)] fn $t(self, a: Self, b: Self) -> Self { $module::$t(self, a, b) })*
            $(#[inline(always)] fn $i(self, n: i32) -> Self { $module::$i(self, n) })*
            $(#[inline(always)] fn $p(self, other: Self) -> bool { $module::$p(self, other) })*
            $(#[inline(always)] fn $e(self) -> i32 { $module::$e(self) })*
            $(#[inline(always)] fn $q(self) -> (Self, Self) { $module::$q(self) })*
            $(#[inline(always)] fn $x(self) -> (Self, i32) { $module::$x(self) })*
            $(#[inline(always)] fn $y(self, other: Self) -> (Self, i32) { $module::$y(self, other) })*
        }
    };
}

for_sycl_float_functions!(from_module, f32, single);
for_sycl_float_functions!(from_module, f64, double);

/// [`Math`] of a half precision through `f32`, except where the result depends on the spacing of the type's values.
macro_rules! through_single {
    (
        $self:ty;
        unary { $($(#[$ud:meta])* $u:ident)* } binary { $($(#[$bd:meta])* $b:ident)* }
        ternary { $($(#[$td:meta])* $t:ident)* } integer_argument { $($(#[$id:meta])* $i:ident)* }
        binary_predicate { $($(#[$pd:meta])* $p:ident)* } exponent { $($(#[$ed:meta])* $e:ident)* }
        pair { $($(#[$qd:meta])* $q:ident)* } pair_exponent { $($(#[$xd:meta])* $x:ident)* }
        binary_pair_exponent { $($(#[$yd:meta])* $y:ident)* }
    ) => {
        impl Math for $self {
            $(#[inline(always)] fn $u(self) -> Self { Self::from_f32(single::$u(self.to_f32())) })*
            $(#[inline(always)] fn $b(self, other: Self) -> Self {
                through_single!(@binary $b $self, self, other)
            })*
            $(#[inline(always)] fn $t(self, a: Self, b: Self) -> Self {
                Self::from_f32(single::$t(self.to_f32(), a.to_f32(), b.to_f32()))
            })*
            $(#[inline(always)] fn $i(self, n: i32) -> Self { Self::from_f32(single::$i(self.to_f32(), n)) })*
            $(#[inline(always)] fn $p(self, other: Self) -> bool { single::$p(self.to_f32(), other.to_f32()) })*
            $(#[inline(always)] fn $e(self) -> i32 { single::$e(self.to_f32()) })*
            $(#[inline(always)] fn $q(self) -> (Self, Self) {
                let (a, b) = single::$q(self.to_f32());
                (Self::from_f32(a), Self::from_f32(b))
            })*
            $(#[inline(always)] fn $x(self) -> (Self, i32) {
                let (a, n) = single::$x(self.to_f32());
                (Self::from_f32(a), n)
            })*
            $(#[inline(always)] fn $y(self, other: Self) -> (Self, i32) {
                let (a, n) = single::$y(self.to_f32(), other.to_f32());
                (Self::from_f32(a), n)
            })*
        }
    };
    (@binary nextafter $self:ty, $x:expr, $y:expr) => {
        <$self>::from_bits(next_half(
            $x.to_bits(), $y.to_bits(), $x.is_nan() | $y.is_nan(), $x.to_f32(), $y.to_f32(), <$self>::NAN.to_bits(),
        ))
    };
    (@binary $name:ident $self:ty, $x:expr, $y:expr) => {
        <$self>::from_f32(single::$name($x.to_f32(), $y.to_f32()))
    };
}

for_sycl_float_functions!(through_single, f16);
for_sycl_float_functions!(through_single, bf16);

/// `nextafter` on the bits of a 16-bit float: neighbours are neighbouring integers on each side of zero.
fn next_half(x: u16, y: u16, nan: bool, x_value: f32, y_value: f32, nan_bits: u16) -> u16 {
    if nan {
        nan_bits
    } else if x_value == y_value {
        y
    } else if x_value == 0.0 {
        (y & 0x8000) | 1
    } else if (x_value < y_value) == (x_value > 0.0) {
        x + 1
    } else {
        x - 1
    }
}
