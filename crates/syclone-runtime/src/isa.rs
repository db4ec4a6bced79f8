//! The instruction sets that native kernels are compiled for, and the choice between them at run time.

use std::fmt;

use crate::{Error, Result};

/// The variable that forces a smaller instruction set, for tests and comparisons.
const VARIABLE: &str = "SYCLONE_CPU_ISA";

/// An instruction set that has its own version of each native kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// What the target always has (SSE2 on x86-64, NEON on AArch64).
    Baseline,
    /// AVX2 with FMA (and F16C).
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Isa {
    /// The name that `SYCLONE_CPU_ISA` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Baseline => "baseline",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// Every set that this processor has, the plainest first.
    pub fn available() -> Vec<Isa> {
        let mut sets = vec![Isa::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 =
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
            if avx2 {
                sets.push(Isa::Avx2);
                let avx512 = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
                if avx512 {
                    sets.push(Isa::Avx512);
                }
            }
        }
        sets
    }

    /// The set to use: the best available one, or what `SYCLONE_CPU_ISA` says.
    pub(crate) fn choose(available: &[Isa], variable: Option<&str>) -> Result<Isa> {
        let best = available.last().copied().unwrap_or(Isa::Baseline);
        let Some(value) = variable.map(str::trim).filter(|value| !value.is_empty()) else {
            return Ok(best);
        };
        available.iter().copied().find(|isa| isa.name() == value).ok_or_else(|| Error::InvalidEnvironment {
            variable: VARIABLE,
            value: value.to_owned(),
            expected: format!(
                "an instruction set of this processor ({})",
                available.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ")
            ),
        })
    }

    /// [`Isa::choose`] with this process's environment.
    pub(crate) fn from_env(available: &[Isa]) -> Result<Isa> {
        Isa::choose(available, crate::environment::variable(VARIABLE).as_deref())
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
