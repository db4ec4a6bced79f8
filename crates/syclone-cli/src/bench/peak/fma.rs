//! The arithmetic ceiling: a loop of independent multiply-adds that touches no memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::args::Dtype;
use crate::host::team::Team;

/// Multiply-adds in flight: more than any processor's latency times its number of units.
const CHAINS: usize = 16;
/// How long one attempt takes at least. Short enough to fall between two disturbances, long against starting it.
const ATTEMPT: Duration = Duration::from_millis(15);
/// The ceiling is the best of these.
const ATTEMPTS: usize = 8;
/// What multiplies: the chains stay finite and normal for ever.
const FACTOR: f64 = 0.999;
/// What is added.
const TERM: f64 = 0.001;

/// GFLOP/s of all members together.
pub fn gflops(team: &mut Team, dtype: Dtype) -> f64 {
    let chain = choose(dtype);
    let rounds = calibrate(chain);
    let members = team.members() as f64;
    let mut best = 0.0f64;
    for _ in 0..ATTEMPTS {
        let began = Instant::now();
        team.run(&|_| {
            black_box((chain.run)(rounds));
        });
        let seconds = began.elapsed().as_secs_f64();
        if seconds > 0.0 {
            best = best.max(members * chain.flops(rounds) / seconds / 1e9);
        }
    }
    best
}

/// A loop of multiply-adds for one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    /// Elements in one register.
    pub lanes: usize,
    /// Runs it; the result depends on every operation.
    pub run: fn(u64) -> f64,
}

impl Chain {
    fn flops(self, rounds: u64) -> f64 {
        2.0 * (self.lanes * CHAINS) as f64 * rounds as f64
    }
}

/// The best loop of this processor.
fn choose(dtype: Dtype) -> Chain {
    let all = available(dtype);
    all[all.len() - 1]
}

/// Every loop that this processor runs, the plainest first; never empty.
pub(super) fn available(dtype: Dtype) -> Vec<Chain> {
    let mut chains = vec![match dtype {
        Dtype::F32 => Chain { lanes: 4, run: baseline_f32 },
        Dtype::F64 => Chain { lanes: 2, run: baseline_f64 },
    }];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            chains.push(match dtype {
                Dtype::F32 => Chain { lanes: 8, run: x86::avx2_f32 },
                Dtype::F64 => Chain { lanes: 4, run: x86::avx2_f64 },
            });
        }
        if is_x86_feature_detected!("avx512f") {
            chains.push(match dtype {
                Dtype::F32 => Chain { lanes: 16, run: x86::avx512_f32 },
                Dtype::F64 => Chain { lanes: 8, run: x86::avx512_f64 },
            });
        }
    }
    chains
}

/// How many rounds an attempt needs.
fn calibrate(chain: Chain) -> u64 {
    let mut rounds = 1 << 10;
    loop {
        let began = Instant::now();
        black_box((chain.run)(rounds));
        if began.elapsed() >= ATTEMPT || rounds >= 1 << 40 {
            return rounds;
        }
        rounds *= 2;
    }
}

/// Arrays that the compiler turns into the target's plain vectors, with its multiply-add where that is one instruction.
macro_rules! baseline {
    ($name:ident, $ty:ident, $lanes:literal) => {
        fn $name(rounds: u64) -> f64 {
            let (factor, term) = (black_box(FACTOR as $ty), black_box(TERM as $ty));
            let mut chains = [[1.0 as $ty; $lanes]; CHAINS];
            for _ in 0..rounds {
                for value in chains.iter_mut().flatten() {
                    *value = if cfg!(target_arch = "aarch64") {
                        value.mul_add(factor, term)
                    } else {
                        *value * factor + term
                    };
                }
            }
            chains.iter().flatten().map(|value| f64::from(*value)).sum()
        }
    };
}

baseline!(baseline_f32, f32, 4);
baseline!(baseline_f64, f64, 2);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    use super::{CHAINS, FACTOR, TERM};

    macro_rules! chain {
        ($name:ident, $features:literal, $ty:ident, $set:ident, $fma:ident, $add:ident, $store:ident, $lanes:literal) => {
            /// Only listed by [`super::available`] when the processor has the instructions.
            pub fn $name(rounds: u64) -> f64 {
                #[target_feature(enable = $features)]
                fn run(rounds: u64) -> f64 {
                    let factor = $set(black_box(FACTOR as $ty));
                    let term = $set(black_box(TERM as $ty));
                    let mut chains = [$set(1.0); CHAINS];
                    for _ in 0..rounds {
                        for value in &mut chains {
                            *value = $fma(*value, factor, term);
                        }
                    }
                    let sum = chains.into_iter().fold($set(0.0), |sum, value| $add(sum, value));
                    let mut lanes = [0.0 as $ty; $lanes];
                    // SAFETY: the array has exactly as many lanes as the register, and the store needs no alignment.
                    unsafe { $store(lanes.as_mut_ptr(), sum) };
                    lanes.iter().map(|value| f64::from(*value)).sum()
                }
                // SAFETY: `available` lists this function after the processor has said that it has the instructions,
                // and nothing else calls it.
                unsafe { run(rounds) }
            }
        };
    }

    chain!(avx2_f32, "avx2,fma", f32, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_add_ps, _mm256_storeu_ps, 8);
    chain!(avx2_f64, "avx2,fma", f64, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_add_pd, _mm256_storeu_pd, 4);
    chain!(avx512_f32, "avx512f", f32, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_add_ps, _mm512_storeu_ps, 16);
    chain!(avx512_f64, "avx512f", f64, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_add_pd, _mm512_storeu_pd, 8);
}
