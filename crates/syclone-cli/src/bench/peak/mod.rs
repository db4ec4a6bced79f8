//! The two ceilings that every figure is held against, measured on as many threads as the device has workers, or as there
//! are cores if those are fewer.

mod bandwidth;
mod fma;
#[cfg(test)]
mod tests;

pub use bandwidth::{sum, triad};

use crate::args::Dtype;
use crate::failure::Failure;
use crate::host::team::Team;

/// What the machine can do at most.
#[derive(Debug, Clone, Copy)]
pub struct Peaks {
    /// Fused multiply-adds from registers, two operations each.
    pub gflops: f64,
    /// The best of a read-only sum, a triad, and a triad with streaming stores.
    pub gbs: f64,
}

/// Measures both; about half a second.
pub fn measure(team: &mut Team, dtype: Dtype) -> Result<Peaks, Failure> {
    Ok(Peaks { gflops: fma::gflops(team, dtype), gbs: bandwidth::gbs(team)? })
}
