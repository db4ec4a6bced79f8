//! Inputs that look random and can be had again: every report names the seed they came from.

use std::time::{SystemTime, UNIX_EPOCH};

use super::element::{Element, filled};
use crate::failure::Failure;

/// The SplitMix64 generator: a counter and a mixing step, the same on every machine.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A multiple of 2^-23 in -1 to 1: exact in every element type.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / f64::from(1u32 << 23) - 1.0
    }

    /// `len` values of [`Random::unit`].
    pub fn values<T: Element>(&mut self, len: usize) -> Result<Vec<T>, Failure> {
        let mut data = filled(len, T::default(), "random inputs")?;
        data.iter_mut().for_each(|value| *value = T::nearest(self.unit()));
        Ok(data)
    }
}

/// A seed that differs from run to run. 32 bits, so that every JSON reader keeps all of them.
pub fn fresh_seed() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Random::new(since_epoch.as_nanos() as u64).bits() >> 32
}
