use super::*;

/// Every finite value of a 16-bit format, from its definition.
fn decode(bits: u16, mantissa_bits: u32, exponent_bits: u32) -> Option<f64> {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    let mantissa = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
    let bias = (1 << (exponent_bits - 1)) - 1;
    match exponent {
        0 => Some(sign * mantissa * 2f64.powi(1 - bias)),
        e if e == (1 << exponent_bits) - 1 => None,
        e => Some(sign * (1.0 + mantissa) * 2f64.powi(e - bias)),
    }
}

#[test]
fn every_f16_and_bf16_survives_the_way_through_f32() {
    for bits in 0..=u16::MAX {
        if let Some(value) = decode(bits, 10, 5) {
            assert_eq!(f64::from(f16_to_f32(bits)).to_bits(), value.to_bits(), "f16 {bits:#x}");
            assert_eq!(f16_from_f32(f16_to_f32(bits)), bits);
        }
        if let Some(value) = decode(bits, 7, 8) {
            assert_eq!(f64::from(bf16_to_f32(bits)).to_bits(), value.to_bits(), "bf16 {bits:#x}");
            assert_eq!(bf16_from_f32(bf16_to_f32(bits)), bits);
        }
    }
}

#[test]
fn rounding_goes_to_the_nearest_and_ties_go_to_even() {
    for bits in 0..0x7bffu16 {
        let (low, high) = (decode(bits, 10, 5).unwrap(), decode(bits + 1, 10, 5).unwrap());
        let middle = (low + high) / 2.0;
        assert_eq!(f16_from_f64(middle), if bits % 2 == 0 { bits } else { bits + 1 });
        assert_eq!(f16_from_f64(middle.next_down()), bits);
        assert_eq!(f16_from_f64(middle.next_up()), bits + 1);
    }
    for bits in 0..0x7f7fu16 {
        let (low, high) = (decode(bits, 7, 8).unwrap(), decode(bits + 1, 7, 8).unwrap());
        let middle = (low + high) / 2.0;
        assert_eq!(bf16_from_f64(middle), if bits % 2 == 0 { bits } else { bits + 1 });
        assert_eq!(bf16_from_f64(middle.next_up()), bits + 1);
    }
}

#[test]
fn values_over_the_range_become_infinite_and_nan_stays_nan() {
    assert_eq!(f16_from_f32(65519.0), 0x7bff);
    assert_eq!(f16_from_f32(65520.0), 0x7c00);
    assert_eq!(f16_from_f32(f32::NEG_INFINITY), 0xfc00);
    assert_eq!(f16_from_f64(1e-300), 0);
    assert_eq!(f16_from_f64(-1e-300), 0x8000);
    assert!(f16_to_f32(f16_from_f32(f32::NAN)).is_nan());
    assert!(bf16_to_f32(bf16_from_f32(f32::NAN)).is_nan());
    assert_eq!(bf16_from_f32(f32::MAX), 0x7f80);
    assert!(f16_to_f32(f16_from_f32(f32::from_bits(0x7f80_0001))).is_nan());
}
