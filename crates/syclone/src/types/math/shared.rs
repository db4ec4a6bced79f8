//! The functions of [`Math`](super::Math) that are written alike for `f32` and `f64`.

/// Defines them for the float type that the module calls `T`. The module has `ilogb`, `sin_cos_of_turn` and
/// `positive_root` of its own.
macro_rules! shared_functions {
    () => {
        #[inline(always)]
        pub(super) fn rsqrt(x: T) -> T {
            1.0 / x.sqrt()
        }

        /// The argument of a function of period two, as a quarter turn (0 to 3) and the rest in −1/4 to 1/4. Exact.
        #[inline(always)]
        fn quarter_turns(x: T) -> (i32, T) {
            let reduced = x - 2.0 * (x * 0.5).round_ties_even();
            let quarter = (2.0 * reduced).round_ties_even();
            // The cast of NaN gives zero, and NaN goes on in the rest.
            (quarter as i32 & 3, reduced - 0.5 * quarter)
        }

        #[inline(always)]
        pub(super) fn sinpi(x: T) -> T {
            let (quarter, rest) = quarter_turns(x);
            let (sin, cos) = sin_cos_of_turn(rest);
            let value = if quarter & 1 == 0 { sin } else { cos };
            let value = if quarter & 2 == 0 { value } else { -value };
            // Zeros have the sign of the argument.
            if value == 0.0 { (0.0 as T).copysign(x) } else { value }
        }

        #[inline(always)]
        pub(super) fn cospi(x: T) -> T {
            let (quarter, rest) = quarter_turns(x);
            let (sin, cos) = sin_cos_of_turn(rest);
            let value = if quarter & 1 == 0 { cos } else { -sin };
            let value = if quarter & 2 == 0 { value } else { -value };
            // Zeros are positive.
            if value == 0.0 { 0.0 } else { value }
        }

        #[inline(always)]
        pub(super) fn tanpi(x: T) -> T {
            sinpi(x) / cospi(x)
        }

        #[inline(always)]
        pub(super) fn logb(x: T) -> T {
            if x == 0.0 {
                T::NEG_INFINITY
            } else if x.is_finite() {
                ilogb(x) as T
            } else {
                x * x
            }
        }

        #[inline(always)]
        pub(super) fn sign(x: T) -> T {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else if x == 0.0 {
                x
            } else {
                0.0
            }
        }

        #[inline(always)]
        pub(super) fn maxmag(x: T, y: T) -> T {
            if x.abs() > y.abs() {
                x
            } else if y.abs() > x.abs() {
                y
            } else {
                x.max(y)
            }
        }

        #[inline(always)]
        pub(super) fn minmag(x: T, y: T) -> T {
            if x.abs() < y.abs() {
                x
            } else if y.abs() < x.abs() {
                y
            } else {
                x.min(y)
            }
        }

        #[inline(always)]
        pub(super) fn step(x: T, edge: T) -> T {
            if x < edge { 0.0 } else { 1.0 }
        }

        #[inline(always)]
        pub(super) fn mad(x: T, a: T, b: T) -> T {
            x * a + b
        }

        #[inline(always)]
        pub(super) fn mix(x: T, y: T, a: T) -> T {
            x + (y - x) * a
        }

        #[inline(always)]
        pub(super) fn smoothstep(x: T, low: T, high: T) -> T {
            // Not `clamp`: an edge of zero width gives NaN, which the maximum takes to zero.
            #[allow(clippy::manual_clamp, reason = "NaN goes to zero")]
            let t = ((x - low) / (high - low)).max(0.0).min(1.0);
            t * t * (3.0 - 2.0 * t)
        }

        #[inline(always)]
        pub(super) fn is_ordered(x: T, y: T) -> bool {
            !(x.is_nan() | y.is_nan())
        }

        #[inline(always)]
        pub(super) fn is_unordered(x: T, y: T) -> bool {
            x.is_nan() | y.is_nan()
        }

        #[inline(always)]
        pub(super) fn is_less_greater(x: T, y: T) -> bool {
            (x < y) | (x > y)
        }

        #[inline(always)]
        pub(super) fn modf(x: T) -> (T, T) {
            let whole = x.trunc();
            let rest = if x.is_infinite() { 0.0 } else { x - whole };
            (rest.copysign(x), whole)
        }

        #[inline(always)]
        pub(super) fn floor_fract(x: T) -> (T, T) {
            let floor = x.floor();
            // The difference rounds to one for tiny negative values.
            let below_one = 1.0 - T::EPSILON / 2.0;
            let rest = if x.is_infinite() { 0.0 } else { x - floor };
            let rest = if rest > below_one { below_one } else { rest };
            (if rest == 0.0 { rest.copysign(x) } else { rest }, floor)
        }

        /// Where the power of a base that is not negative is defined by limits that disagree.
        #[inline(always)]
        pub(super) fn powr(x: T, y: T) -> T {
            let undefined = is_unordered(x, y)
                | (x < 0.0)
                | ((y == 0.0) & ((x == 0.0) | x.is_infinite()))
                | ((x == 1.0) & y.is_infinite());
            if undefined { T::NAN } else { x.abs().powf(y) }
        }

        #[inline(always)]
        pub(super) fn rootn(x: T, n: i32) -> T {
            let odd = n & 1 == 1;
            if n == 0 || (x < 0.0 && !odd) {
                return T::NAN;
            }
            // Powers that LLVM computes without one where it knows `n`: the same bits as where it does not.
            let root = match n {
                1 => x.abs(),
                -1 => x.abs().recip(),
                2 => x.abs().sqrt(),
                _ => positive_root(x.abs(), n),
            };
            if odd { root.copysign(x) } else { root }
        }
    };
}

pub(super) use shared_functions;
