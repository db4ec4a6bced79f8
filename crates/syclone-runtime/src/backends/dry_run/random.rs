//! Random numbers that a seed repeats.

/// SplitMix64: small, and good enough to choose with.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The `stream`th independent sequence of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // The remainder is less than `limit`, so it fits.
        (self.next() % limit as u64) as usize
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        // 53 bits are what a float holds exactly.
        ((self.next() >> 11) as f64) < probability * (1u64 << 53) as f64
    }
}
