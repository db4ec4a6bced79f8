//! The mathematical functions by name and shape: the one list that traits, half precisions, vectors, the
//! interpreter and the tests are generated from, so that none of them can miss one.
//!
//! Each `for_…` macro calls the macro it is given with the whole table, preceded by extra tokens if there are any.

/// Floating-point functions that Rust has as inherent methods.
macro_rules! for_std_float_functions {
    ($apply:ident $(, $($extra:tt)*)?) => {
        $apply! {
            $($($extra)*;)?
            unary {
                /// The sign as ±1; NaN stays NaN. SYCL's `sign`, which keeps zero, is [`Math::sign`].
                signum
                /// The square root.
                sqrt
                /// The cube root.
                cbrt
                /// e to the power of the value.
                exp
                /// Two to the power of the value.
                exp2
                /// `exp(x) - 1`, exact near zero (SYCL `expm1`).
                exp_m1
                /// The natural logarithm (SYCL `log`).
                ln
                /// The binary logarithm.
                log2
                /// The decimal logarithm.
                log10
                /// `ln(1 + x)`, exact near zero (SYCL `log1p`).
                ln_1p
                /// The sine.
                sin
                /// The cosine.
                cos
                /// The tangent.
                tan
                /// The arc sine.
                asin
                /// The arc cosine.
                acos
                /// The arc tangent.
                atan
                /// The hyperbolic sine.
                sinh
                /// The hyperbolic cosine.
                cosh
                /// The hyperbolic tangent.
                tanh
                /// The inverse hyperbolic sine.
                asinh
                /// The inverse hyperbolic cosine.
                acosh
                /// The inverse hyperbolic tangent.
                atanh
                /// The greatest integer that is not above the value.
                floor
                /// The least integer that is not below the value.
                ceil
                /// The nearest integer, halves away from zero.
                round
                /// The nearest integer, halves to even (SYCL `rint`).
                round_ties_even
                /// The value without its fraction.
                trunc
                /// The fraction with the sign of the value. SYCL's `fract`, which rounds down, is
                /// [`Math::floor_fract`].
                fract
                /// `1 / x`.
                recip
                /// Radians as degrees (SYCL `degrees`).
                to_degrees
                /// Degrees as radians (SYCL `radians`).
                to_radians
            }
            binary {
                /// The power (SYCL `pow`).
                powf
                /// The angle of the point (`other`, `self`).
                atan2
                /// `sqrt(x² + y²)` without overflow in between.
                hypot
                /// The value with the sign of another.
                copysign
                /// The least non-negative remainder.
                rem_euclid
                /// The quotient that belongs to [`rem_euclid`](Self::rem_euclid).
                div_euclid
            }
            ternary {
                /// `self * a + b` rounded once (SYCL `fma`).
                mul_add
            }
            integer_argument {
                /// The integer power (SYCL `pown`).
                powi
            }
            predicate {
                /// Whether it is NaN (SYCL `isnan`).
                is_nan
                /// Whether it is infinite (SYCL `isinf`).
                is_infinite
                /// Whether it is neither infinite nor NaN (SYCL `isfinite`).
                is_finite
                /// Whether it is neither zero, subnormal, infinite nor NaN (SYCL `isnormal`).
                is_normal
                /// Whether the sign bit is clear.
                is_sign_positive
                /// Whether the sign bit is set (SYCL `signbit`).
                is_sign_negative
            }
            pair {
                /// Sine and cosine (SYCL `sincos`).
                sin_cos
            }
        }
    };
}

/// Floating-point functions of SYCL's list that Rust lacks.
macro_rules! for_sycl_float_functions {
    ($apply:ident $(, $($extra:tt)*)?) => {
        $apply! {
            $($($extra)*;)?
            unary {
                /// The error function.
                erf
                /// One minus the error function, without cancellation.
                erfc
                /// The gamma function.
                tgamma
                /// The logarithm of the absolute value of the gamma function.
                lgamma
                /// `1 / sqrt(x)`.
                rsqrt
                /// Ten to the power of the value.
                exp10
                /// `sin(πx)`.
                sinpi
                /// `cos(πx)`.
                cospi
                /// `tan(πx)`.
                tanpi
                /// `asin(x) / π`.
                asinpi
                /// `acos(x) / π`.
                acospi
                /// `atan(x) / π`.
                atanpi
                /// The exponent as a float: `floor(log2(|x|))`, exact.
                logb
                /// 1 for positive, −1 for negative values, zero for zero with its sign, +0 for NaN.
                sign
            }
            binary {
                /// The positive difference: `max(x - y, 0)`, NaN if either is.
                fdim
                /// The next number towards another.
                nextafter
                /// The IEEE remainder: `x - n * y` where n is the integer nearest to `x / y`, ties to even.
                remainder
                /// `atan2(y, x) / π`.
                atan2pi
                /// The power of a base that is not negative; NaN otherwise.
                powr
                /// The one of greater magnitude.
                maxmag
                /// The one of smaller magnitude.
                minmag
                /// SYCL's `step(edge, x)`, called on x: 0 below the edge, otherwise 1.
                step
            }
            ternary {
                /// `self * a + b` in whichever rounding is quickest (here: rounded twice).
                mad
                /// The linear blend `self + (a - self) * b`.
                mix
                /// SYCL's `smoothstep(a, b, x)`, called on x: a smooth curve from 0 at `a` to 1 at `b`.
                smoothstep
            }
            integer_argument {
                /// The value times two to the power of n.
                ldexp
                /// The n-th root.
                rootn
            }
            binary_predicate {
                /// Whether neither is NaN (SYCL `isordered`).
                is_ordered
                /// Whether either is NaN (SYCL `isunordered`).
                is_unordered
                /// Whether one is less than the other, false for NaN (SYCL `islessgreater`).
                is_less_greater
            }
            exponent {
                /// The exponent: `floor(log2(|x|))`; `i32::MIN` for zero and NaN, `i32::MAX` for infinity.
                ilogb
            }
            pair {
                /// Fraction and integer part, both with the value's sign.
                modf
                /// SYCL's `fract`: the fraction above [`floor`](Float::floor), always below one, and the floor.
                floor_fract
            }
            pair_exponent {
                /// A fraction in `0.5..1` with the value's sign, and the exponent.
                frexp
                /// [`lgamma`](Math::lgamma) and the sign of the gamma function.
                lgamma_r
            }
            binary_pair_exponent {
                /// [`remainder`](Math::remainder) and the low bits of the quotient, with its sign.
                remquo
            }
        }
    };
}

/// Integer functions that Rust has as inherent methods.
macro_rules! for_std_integer_functions {
    ($apply:ident $(, $($extra:tt)*)?) => {
        $apply! {
            $($($extra)*;)?
            unary {
                /// The bytes in reverse order.
                swap_bytes
                /// The bits in reverse order.
                reverse_bits
                /// The negative, wrapping at the boundary.
                wrapping_neg
            }
            binary {
                /// The sum, wrapping at the boundary.
                wrapping_add
                /// The difference, wrapping at the boundary.
                wrapping_sub
                /// The product, wrapping at the boundary.
                wrapping_mul
                /// The sum, staying at the boundary (SYCL `add_sat`).
                saturating_add
                /// The difference, staying at the boundary (SYCL `sub_sat`).
                saturating_sub
                /// The product, staying at the boundary.
                saturating_mul
            }
            count {
                /// The number of ones (SYCL `popcount`).
                count_ones
                /// The number of zeros.
                count_zeros
                /// The number of zeros above the highest one (SYCL `clz`).
                leading_zeros
                /// The number of zeros below the lowest one (SYCL `ctz`).
                trailing_zeros
            }
            count_argument {
                /// The bits rotated left (SYCL `rotate`).
                rotate_left
                /// The bits rotated right.
                rotate_right
                /// The power.
                pow
            }
        }
    };
}

/// Integer functions of SYCL's list that Rust lacks.
macro_rules! for_sycl_integer_functions {
    ($apply:ident $(, $($extra:tt)*)?) => {
        $apply! {
            $($($extra)*;)?
            binary {
                /// `(x + y) >> 1` without overflow in between: rounds towards minus infinity.
                hadd
                /// `(x + y + 1) >> 1` without overflow in between: rounds up.
                rhadd
                /// The upper half of the product.
                mul_hi
                /// The product of two values of 24 bits, wrapping.
                mul24
            }
            ternary {
                /// `mul_hi(x, a) + b`, wrapping.
                mad_hi
                /// `x * a + b`, staying at the boundary.
                mad_sat
                /// `mul24(x, a) + b`, wrapping.
                mad24
            }
        }
    };
}

pub(crate) use {
    for_std_float_functions, for_std_integer_functions, for_sycl_float_functions, for_sycl_integer_functions,
};
