//! The product in float64, and the magnitude that errors are relative to.
//!
//! All of it is computed, for every size: with vectors, blocks and all threads it costs a fraction of what the plain
//! single-thread loop costs, so nothing needs to be sampled and every element of every version is checked.

use crate::failure::Failure;
use crate::host::element::{Element, filled};
use crate::host::simd::versions;
use crate::host::team::Team;

use super::shape::Inputs;

/// Rows of C that a thread computes at once: each row of B that it reads serves all of them.
const ROWS: usize = 4;
/// Columns at once: the sums of the rows stay in the first-level cache.
const COLUMNS: usize = 256;

/// What an output is compared with.
pub struct Reference {
    /// A·B, each product and sum in float64, and |A|·|B|: what the sum would be without cancellation.
    pub elements: Vec<Expected>,
}

/// One element of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// The sum of the products.
    pub value: f64,
    /// The sum of the products' magnitudes.
    pub magnitude: f64,
}

impl Reference {
    /// Computes it on all members of the team.
    pub fn compute<T: Element>(inputs: &Inputs<T>, team: &mut Team) -> Result<Self, Failure> {
        let n = inputs.shape.n;
        let mut elements = filled(inputs.shape.m * n, Expected::default(), "the float64 reference")?;
        team.for_each_piece(&mut elements, ROWS * n, &|band, elements| rows(inputs, band * ROWS, elements));
        Ok(Reference { elements })
    }
}

versions! {
    /// Rows of the reference, from `first` on.
    fn rows<T: Element, const FUSED: bool>(inputs: &Inputs<T>, first: usize, elements: &mut [Expected]) {
        let (n, k) = (inputs.shape.n, inputs.shape.k);
        let count = elements.len() / n;
        for start in (0..n).step_by(COLUMNS) {
            let width = COLUMNS.min(n - start);
            let mut values = [[0.0f64; COLUMNS]; ROWS];
            let mut magnitudes = [[0.0f64; COLUMNS]; ROWS];
            for p in 0..k {
                let b = &inputs.b[p * n + start..][..width];
                for row in 0..count {
                    let a = inputs.a[(first + row) * k + p].wide();
                    let sums = values[row][..width].iter_mut().zip(&mut magnitudes[row][..width]);
                    for ((value, magnitude), b) in sums.zip(b) {
                        let product = a * b.wide();
                        *value += product;
                        *magnitude += product.abs();
                    }
                }
            }
            for row in 0..count {
                let elements = &mut elements[row * n + start..][..width];
                for (place, element) in elements.iter_mut().enumerate() {
                    *element = Expected { value: values[row][place], magnitude: magnitudes[row][place] };
                }
            }
        }
    }
}
