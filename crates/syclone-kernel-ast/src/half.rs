//! Conversions of the 16-bit floats, correctly rounded (to nearest, ties to even).

/// Bits of the `f16` nearest to a value.
pub fn f16_from_f64(value: f64) -> u16 {
    narrow(value, 10, 5)
}

/// Bits of the `f16` nearest to a value.
pub fn f16_from_f32(value: f32) -> u16 {
    narrow(f64::from(value), 10, 5)
}

/// Bits of the `bf16` nearest to a value.
pub fn bf16_from_f64(value: f64) -> u16 {
    narrow(value, 7, 8)
}

/// Bits of the `bf16` nearest to a value.
pub fn bf16_from_f32(value: f32) -> u16 {
    narrow(f64::from(value), 7, 8)
}

/// The value of an `f16`'s bits; exact.
pub fn f16_to_f32(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = u32::from(bits >> 10 & 0x1f);
    let mantissa = u32::from(bits & 0x3ff);
    match exponent {
        // Subnormals: a multiple of the smallest one, 2^-24.
        0 => sign * mantissa as f32 * f32::from_bits((127 - 24) << 23),
        0x1f => f32::from_bits(u32::from(bits & 0x8000) << 16 | 0x7f80_0000 | mantissa << 13),
        _ => f32::from_bits(u32::from(bits & 0x8000) << 16 | (exponent + 127 - 15) << 23 | mantissa << 13),
    }
}

/// The value of a `bf16`'s bits; exact.
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Rounds to a format with so many bits of mantissa and exponent.
fn narrow(value: f64, mantissa_bits: u32, exponent_bits: u32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u16) << 15;
    let infinity = ((1u64 << exponent_bits) - 1) << mantissa_bits;
    let mantissa = bits & ((1 << 52) - 1);
    let magnitude = if value.is_nan() {
        // The payload's top bits stay; the quiet bit keeps it from becoming an infinity.
        infinity | mantissa >> (52 - mantissa_bits) | 1 << (mantissa_bits - 1)
    } else {
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
        let bias = (1 << (exponent_bits - 1)) - 1;
        let significand = mantissa | 1 << 52;
        if exponent > bias {
            infinity
        } else if exponent > -bias {
            // A carry out of the mantissa moves into the exponent, up to infinity, as it should.
            let rounded = shift_to_even(significand, 52 - mantissa_bits) - (1 << mantissa_bits);
            (((exponent + bias) as u64) << mantissa_bits) + rounded
        } else {
            let below = (1 - bias - exponent) as u32;
            shift_to_even(significand, 52 - mantissa_bits + below)
        }
    };
    sign | magnitude as u16
}

fn shift_to_even(value: u64, shift: u32) -> u64 {
    if shift > 54 {
        return 0;
    }
    let quotient = value >> shift;
    let rest = value & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    quotient + u64::from(rest > half || (rest == half && quotient & 1 == 1))
}

#[cfg(test)]
mod tests;
