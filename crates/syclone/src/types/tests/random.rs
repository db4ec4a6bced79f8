//! Random inputs from a seed that a failing test prints.

/// A small generator (SplitMix64): every seed gives another sequence.
pub(super) struct Random(u64);

impl Random {
    /// A generator with a seed from `SYCLONE_TEST_SEED` or the clock. The seed is printed, so that the output of a
    /// failed test tells it.
    pub(super) fn new() -> Self {
        let variable = syclone_runtime::environment::variable("SYCLONE_TEST_SEED");
        let given = variable.map(|seed| seed.parse().expect("SYCLONE_TEST_SEED is a whole number below 2^64"));
        let clock = || std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_nanos() as u64);
        let seed = given.unwrap_or_else(clock);
        println!("SYCLONE_TEST_SEED={seed}");
        Random(seed)
    }

    /// The next 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low..high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// A number in `low..high` that is as often small as large: the logarithm is uniform, the sign random where
    /// `low` is negative.
    pub(super) fn spread(&mut self, low: f64, high: f64) -> f64 {
        let greatest = high.abs().max(low.abs());
        let magnitude = (self.between((greatest * 1e-12).max(1e-30).ln(), greatest.ln())).exp();
        let signed = if low < 0.0 && self.bits() & 1 == 1 { -magnitude } else { magnitude };
        signed.clamp(low, high)
    }
}
