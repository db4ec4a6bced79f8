//! Values: `bit_cast`, `marray` and `math_builtin_api`.

use super::written;
use syclone::prelude::*;

#[kernel]
fn float_bits(item: Item<1>, x: View<f32>, out: ItemMut<[u32; 2]>) {
    let bits = x[item].to_bits();
    out[item] = [bits, f32::from_bits(bits ^ 0x8000_0000).to_bits()];
}

#[kernel]
fn double_bits(item: Item<1>, x: View<f64>, out: ItemMut<u64>) {
    out[item] = x[item].to_bits();
}

#[kernel]
fn half_bits(item: Item<1>, x: View<u16>, out: ItemMut<[u16; 2]>) {
    out[item] = [f16::from_bits(x[item]).to_bits(), bf16::from_bits(x[item]).to_bits()];
}

#[kernel]
fn reversed(item: Item<1>, x: View<[i32; 5]>, out: ItemMut<[i32; 5]>) {
    let mut all = x[item];
    for i in 0..5 {
        all[i] = x[item][4 - i] * 2;
    }
    out[item] = all;
}

#[kernel]
fn matrix(item: Item<1>, x: View<[[f32; 3]; 3]>, out: ItemMut<[f32; 3]>) {
    let mut sums = [0.0f32; 3];
    for row in 0..3 {
        for column in 0..3 {
            sums[row] += x[item][row][column];
        }
    }
    out[item] = sums;
}

#[kernel]
fn rounding(item: Item<1>, x: View<f32>, out: ItemMut<[f32; 8]>) {
    let v = x[item];
    out[item] = [v.floor(), v.ceil(), v.trunc(), v.round(), v.round_ties_even(), v.abs(), v.fract(), v.copysign(-1.0)];
}

#[kernel]
fn transcendental(item: Item<1>, x: View<f32>, out: ItemMut<[f32; 12]>) {
    let v = x[item];
    out[item] = [
        v.sqrt(),
        v.exp(),
        v.ln(),
        v.sin(),
        v.cos(),
        v.tan(),
        v.atan(),
        v.sinh(),
        v.tanh(),
        v.cbrt(),
        v.powf(1.5),
        v.hypot(2.0),
    ];
}

#[kernel]
fn integers(item: Item<1>, x: View<u32>, out: ItemMut<[u32; 8]>) {
    let v = x[item];
    out[item] = [
        v.count_ones(),
        v.leading_zeros(),
        v.trailing_zeros(),
        v.rotate_left(5),
        v.abs_diff(1000),
        v.saturating_add(u32::MAX - 50),
        v.clamp(10, 100),
        v.mul_hi(0x8000_0001),
    ];
}

#[kernel]
fn common(item: Item<1>, x: View<f32>, out: ItemMut<[f32; 6]>) {
    let v = x[item];
    out[item] = [v.clamp(-1.0, 1.0), v.mix(10.0, 0.25), v.step(0.5), v.sign(), v.to_radians(), v.min(0.5).max(-0.5)];
}

#[kernel]
fn geometric(item: Item<1>, a: View<F32x3>, b: View<F32x3>, out: ItemMut<[f32; 3]>, normal: ItemMut<F32x3>) {
    let (u, v) = (a[item], b[item]);
    out[item] = [u.dot(v), u.length(), u.distance(v)];
    normal[item] = u.cross(v);
}

#[kernel]
fn relations(item: Item<1>, x: View<f32>, out: ItemMut<[bool; 5]>) {
    let v = x[item];
    out[item] = [v.is_nan(), v.is_finite(), v.is_infinite(), v.is_normal(), v.is_sign_negative()];
}

/// Numbers with everything that floats have.
fn special() -> Vec<f32> {
    vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        1e-40,
        -1e-40,
        3.7,
        1e10,
        -1e30,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        8_388_609.0,
        0.499_999_97,
    ]
}

/// Bits of numbers.
pub mod bit_cast {
    use super::*;

    crate::tests! {
        fn floats_keep_every_bit(queue) {
            let x = special();
            let out: Vec<[u32; 2]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), float_bits(x.read(h), out.write(h)))
            })?;
            let expected: Vec<[u32; 2]> = x.iter().map(|v| [v.to_bits(), v.to_bits() ^ 0x8000_0000]).collect();
            assert_eq!(out, expected);
        }

        needs Fp64; fn doubles_keep_every_bit(queue) {
            let x = vec![0.1, -0.0, f64::MAX, f64::NAN, 5e-324, f64::NEG_INFINITY];
            let out: Vec<u64> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), double_bits(x.read(h), out.write(h)))
            })?;
            assert_eq!(out, x.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
        }

        needs Fp16; fn every_half_keeps_its_bits(queue) {
            let x: Vec<u16> = (0..4096).map(|i| i * 16 + 3).collect();
            let out: Vec<[u16; 2]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), half_bits(x.read(h), out.write(h)))
            })?;
            assert_eq!(out, x.iter().map(|&v| [v, v]).collect::<Vec<_>>());
        }
    }
}

/// Arrays.
pub mod marray {
    use super::*;

    crate::tests! {
        fn arrays_are_values_that_are_indexed_and_assigned(queue) {
            let x: Vec<[i32; 5]> = (0..30).map(|i| [i, i + 1, i + 2, i + 3, i * i]).collect();
            let out: Vec<[i32; 5]> = written(queue, &x, 30, |h, x, out| {
                h.parallel_for(30, reversed(x.read(h), out.write(h)))
            })?;
            let expected: Vec<[i32; 5]> = x.iter().map(|v| std::array::from_fn(|i| v[4 - i] * 2)).collect();
            assert_eq!(out, expected);
        }

        fn arrays_of_arrays_are_matrices(queue) {
            let x: Vec<[[f32; 3]; 3]> =
                (0..7).map(|i| std::array::from_fn(|r| std::array::from_fn(|c| (i * 9 + r * 3 + c) as f32))).collect();
            let out: Vec<[f32; 3]> = written(queue, &x, 7, |h, x, out| {
                h.parallel_for(7, matrix(x.read(h), out.write(h)))
            })?;
            let expected: Vec<[f32; 3]> = x.iter().map(|m| m.map(|row| row.iter().sum())).collect();
            assert_eq!(out, expected);
        }
    }
}

/// Mathematical functions.
pub mod math_builtin_api {
    use super::*;

    crate::tests! {
        fn rounding_is_exact_for_every_kind_of_float(queue) {
            let x = special();
            let out: Vec<[f32; 8]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), rounding(x.read(h), out.write(h)))
            })?;
            for (got, v) in out.iter().zip(&x) {
                let expected = [
                    v.floor(), v.ceil(), v.trunc(), v.round(), v.round_ties_even(), v.abs(), v.fract(),
                    v.copysign(-1.0),
                ];
                let bits = |value: f32| if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
                assert_eq!(got.map(bits), expected.map(bits), "of {v}");
            }
        }

        fn transcendental_functions_are_within_their_bounds(queue) {
            let x: Vec<f32> = (1..400).map(|i| i as f32 * 0.0173).collect();
            let out: Vec<[f32; 12]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), transcendental(x.read(h), out.write(h)))
            })?;
            for (got, &v) in out.iter().zip(&x) {
                let v = f64::from(v);
                let exact = [
                    v.sqrt(), v.exp(), v.ln(), v.sin(), v.cos(), v.tan(), v.atan(), v.sinh(), v.tanh(), v.cbrt(),
                    v.powf(1.5), v.hypot(2.0),
                ];
                for (which, (&got, exact)) in got.iter().zip(exact).enumerate() {
                    // SYCL allows at most 16 units in the last place for these.
                    let unit = f64::from(f32::EPSILON) * exact.abs().max(f64::from(f32::MIN_POSITIVE));
                    let error = (f64::from(got) - exact).abs();
                    assert!(error <= 16.0 * unit, "function {which} of {v}: {got} for {exact}");
                }
            }
        }

        fn integer_functions_count_rotate_and_saturate(queue) {
            let x: Vec<u32> = vec![0, 1, 2, 50, 51, 1000, 0x8000_0000, 0xffff_ffff, 0x00ff_0100, 12_345_678];
            let out: Vec<[u32; 8]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), integers(x.read(h), out.write(h)))
            })?;
            let expected = x.iter().map(|&v| {
                [
                    v.count_ones(),
                    v.leading_zeros(),
                    v.trailing_zeros(),
                    v.rotate_left(5),
                    v.abs_diff(1000),
                    v.saturating_add(u32::MAX - 50),
                    v.clamp(10, 100),
                    ((u64::from(v) * 0x8000_0001) >> 32) as u32,
                ]
            });
            assert_eq!(out, expected.collect::<Vec<_>>());
        }

        fn common_functions_follow_their_formulas(queue) {
            let x = vec![-3.0f32, -0.5, 0.0, 0.25, 0.5, 0.75, 2.0];
            let out: Vec<[f32; 6]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), common(x.read(h), out.write(h)))
            })?;
            for (got, &v) in out.iter().zip(&x) {
                let sign = if v > 0.0 { 1.0 } else if v < 0.0 { -1.0 } else { 0.0 };
                assert_eq!(got[0], v.clamp(-1.0, 1.0));
                assert_eq!(got[1], v + (10.0 - v) * 0.25);
                assert!(got[2] == 0.0 || got[2] == 1.0);
                assert_eq!(got[3], sign);
                assert!((got[4] - v.to_radians()).abs() <= 1e-6);
                assert_eq!(got[5], v.clamp(-0.5, 0.5));
            }
        }

        fn geometric_functions_measure_vectors(queue) {
            let a: Vec<F32x3> = (0..20).map(|i| F32x3::new([i as f32, 3.0, -1.0])).collect();
            let b: Vec<F32x3> = (0..20).map(|i| F32x3::new([2.0, i as f32 * 0.5, 4.0])).collect();
            let (u, v) = (Buffer::from_slice(&a), Buffer::from_slice(&b));
            let (out, normal) = (Buffer::<[f32; 3]>::new(20), Buffer::<F32x3>::new(20));
            queue.submit(|h| h.parallel_for(20, geometric(u.read(h), v.read(h), out.write(h), normal.write(h))))?;
            let (out, normal) = (out.to_vec()?, normal.to_vec()?);
            for i in 0..20 {
                let (p, q) = (a[i].to_array().map(f64::from), b[i].to_array().map(f64::from));
                let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
                let apart = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
                let expected = [dot(p, q), dot(p, p).sqrt(), dot(apart, apart).sqrt()];
                for (&got, exact) in out[i].iter().zip(expected) {
                    assert!((f64::from(got) - exact).abs() <= 1e-5 * (1.0 + exact.abs()), "{got} for {exact}");
                }
                let cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
                for (&got, exact) in normal[i].to_array().iter().zip(cross) {
                    assert!((f64::from(got) - exact).abs() <= 1e-5 * (1.0 + exact.abs()), "{got} for {exact}");
                }
            }
        }

        fn relational_functions_tell_kinds_of_floats_apart(queue) {
            let x = special();
            let out: Vec<[bool; 5]> = written(queue, &x, x.len(), |h, x, out| {
                h.parallel_for(x.len(), relations(x.read(h), out.write(h)))
            })?;
            let expected = x.iter().map(|v| {
                [v.is_nan(), v.is_finite(), v.is_infinite(), v.is_normal(), v.is_sign_negative()]
            });
            assert_eq!(out, expected.collect::<Vec<_>>());
        }
    }
}
