//! The versions of the product, in the order of the table.

use crate::bench::measure::{Contender, Verdict};
use crate::bench::report::Work;
use crate::bench::version::Version;
use crate::failure::Failure;
use crate::host::element::{Element, filled};
use crate::host::simd;

use super::access_count;
use super::naive::{naive_ijk, naive_ikj};
use super::reference::Reference;
use super::shape::Inputs;
use super::verdict::judge;

/// The version that speed-ups are relative to.
pub const BASELINE: &str = "naive-1";

/// The plain loops.
pub fn native<'a, T: Element>(inputs: &'a Inputs<T>, reference: &'a Reference) -> Result<Vec<Version<'a>>, Failure> {
    let shape = inputs.shape;
    let native = |multiply| Native::new(inputs, reference, multiply);
    let mut naive =
        Version::new(BASELINE, work::<T>(inputs, access_count::one_element_each(shape)), native(naive_ijk)?);
    naive.note = Some("one thread, loops in the order i-j-k".to_owned());
    let mut ikj = Version::new("naive-ikj", work::<T>(inputs, access_count::row_by_row(shape)), native(naive_ikj)?);
    ikj.note = Some(format!(
        "one thread, loops in the order i-k-j, vectorised by the compiler for {}",
        simd::instruction_set()
    ));
    Ok(vec![naive, ikj])
}

/// What a version that moves `elements` does.
pub fn work<T: Element>(inputs: &Inputs<T>, elements: u64) -> Work {
    let bytes = elements * T::DTYPE.bytes() as u64;
    Work { flops: Some(inputs.shape.flops()), bytes: Some(bytes), launches: None }
}

/// A loop on the calling thread.
struct Native<'a, T> {
    inputs: &'a Inputs<T>,
    reference: &'a Reference,
    multiply: fn(&Inputs<T>, &mut [T]),
    output: Vec<T>,
}

impl<'a, T: Element> Native<'a, T> {
    fn new(
        inputs: &'a Inputs<T>,
        reference: &'a Reference,
        multiply: fn(&Inputs<T>, &mut [T]),
    ) -> Result<Self, Failure> {
        let output = filled(inputs.shape.m * inputs.shape.n, T::POISON, "a result")?;
        Ok(Native { inputs, reference, multiply, output })
    }
}

impl<T: Element> Contender for Native<'_, T> {
    fn poison(&mut self) -> Result<(), Failure> {
        self.output.fill(T::POISON);
        Ok(())
    }

    fn run(&mut self) -> Result<(), Failure> {
        (self.multiply)(std::hint::black_box(self.inputs), &mut self.output);
        std::hint::black_box(&self.output);
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(judge(&self.output, &self.reference.elements))
    }
}
