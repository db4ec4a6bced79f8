//! The problem: how large the matrices are, what is in them, and what memory that takes.

use crate::failure::Failure;
use crate::host::element::Element;
use crate::host::random::Random;

/// The sizes of C = A·B: A has M rows and K columns, B has K rows and N columns. All are row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// The inner size.
    pub k: usize,
}

impl Shape {
    /// A multiplication and an addition for each of M·N·K products.
    pub fn flops(self) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64
    }

    /// The bytes of the inputs, the float64 reference, and an output for each of `versions`; none when that is no number.
    pub fn bytes(self, element: usize, versions: usize) -> Option<usize> {
        let inputs = self.m.checked_mul(self.k)?.checked_add(self.k.checked_mul(self.n)?)?;
        let output = self.m.checked_mul(self.n)?;
        let reference = output.checked_mul(2 * size_of::<f64>())?;
        let outputs = output.checked_mul(versions)?;
        inputs.checked_add(outputs)?.checked_mul(element)?.checked_add(reference)
    }
}

/// The matrices.
pub struct Inputs<T> {
    /// Their sizes.
    pub shape: Shape,
    /// A, row by row.
    pub a: Vec<T>,
    /// B, row by row.
    pub b: Vec<T>,
}

impl<T: Element> Inputs<T> {
    /// Matrices with elements in -1 to 1.
    pub fn random(shape: Shape, seed: u64) -> Result<Self, Failure> {
        let mut random = Random::new(seed);
        Ok(Inputs { shape, a: random.values(shape.m * shape.k)?, b: random.values(shape.k * shape.n)? })
    }
}
