//! The plain loops that everything is compared with, on one thread and without syclone.

use crate::host::element::Element;
use crate::host::simd::versions;

use super::shape::Inputs;

/// The textbook order: each element of C is finished before the next begins, so B is read down its columns.
pub fn naive_ijk<T: Element>(inputs: &Inputs<T>, c: &mut [T]) {
    let (n, k) = (inputs.shape.n, inputs.shape.k);
    for (row, c) in c.chunks_exact_mut(n).enumerate() {
        let a = &inputs.a[row * k..][..k];
        for (column, c) in c.iter_mut().enumerate() {
            let mut sum = T::default();
            for (p, a) in a.iter().enumerate() {
                sum = a.mul_add_if::<false>(inputs.b[p * n + column], sum);
            }
            *c = sum;
        }
    }
}

versions! {
    /// The same loops with the inner two exchanged: B and C are read along their rows, and the compiler makes vectors.
    pub fn naive_ikj<T: Element, const FUSED: bool>(inputs: &Inputs<T>, c: &mut [T]) {
        let (n, k) = (inputs.shape.n, inputs.shape.k);
        for (row, c) in c.chunks_exact_mut(n).enumerate() {
            c.fill(T::default());
            for (a, b) in inputs.a[row * k..][..k].iter().zip(inputs.b.chunks_exact(n)) {
                for (c, b) in c.iter_mut().zip(b) {
                    *c = a.mul_add_if::<FUSED>(*b, *c);
                }
            }
        }
    }
}
