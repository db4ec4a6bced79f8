//! `syclone bench gemm`: one matrix product, from the plain loop to blocked kernels.

mod access_count;
mod conclusion;
mod naive;
mod reference;
mod shape;
#[cfg(test)]
mod tests;
mod verdict;
mod versions;

use super::report::{Column, Problem};
use super::{Description, Progress, Session, version};
use crate::args::{Dtype, GemmArgs};
use crate::failure::Failure;
use crate::host::element::Element;

use reference::Reference;
use shape::{Inputs, Shape};

/// What the table shows.
const COLUMNS: &[Column] = &[
    Column::Version,
    Column::Ms,
    Column::Spread,
    Column::Runs,
    Column::Gflops,
    Column::Speedup,
    Column::PercentOfFma,
    Column::Bytes,
    Column::MaxRelErr,
    Column::Ok,
];

/// Runs it in the element type that was asked for.
pub fn run(args: &GemmArgs) -> Result<(), Failure> {
    match args.dtype {
        Dtype::F32 => run_typed::<f32>(args),
        Dtype::F64 => run_typed::<f64>(args),
    }
}

fn run_typed<T: Element>(args: &GemmArgs) -> Result<(), Failure> {
    let shape = Shape {
        m: args.m.unwrap_or(args.n),
        n: args.n,
        k: args.k.unwrap_or(args.n),
    };
    let mut session = Session::open(&args.common)?;
    session.require_memory(shape.bytes(T::DTYPE.bytes(), 2))?;
    let progress = Progress::new(2 * (1 + session.repeat));
    session.measure_peaks(T::DTYPE, &progress);
    progress.step("computing the float64 reference");
    let inputs = Inputs::<T>::random(shape, session.seed)?;
    let reference = Reference::compute(&inputs, &mut session.target.team)?;
    let mut versions = versions::native(&inputs, &reference)?;
    let rows = version::rows(&mut versions, session.repeat, &progress);
    drop(progress);
    let description = Description {
        benchmark: "gemm",
        problem: Problem::Gemm {
            m: shape.m,
            n: shape.n,
            k: shape.k,
        },
        dtype: T::DTYPE,
        columns: COLUMNS,
        chart: Column::Gflops,
        baseline: versions::BASELINE,
    };
    session.finish(&description, rows, conclusion::sentences)
}
