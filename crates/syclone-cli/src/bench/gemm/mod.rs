//! `syclone bench gemm`: one matrix product, from the plain loop to blocked kernels.

mod access_count;
mod conclusion;
mod kernels;
mod naive;
mod portable;
mod reference;
mod shape;
#[cfg(test)]
mod tests;
mod verdict;
mod versions;

use syclone::types::Float;
use syclone::{Queue, QueueOptions};

use super::report::{Column, Problem};
use super::{Description, Progress, Session, version};
use crate::args::{Dtype, GemmArgs};
use crate::failure::Failure;
use crate::host::element::Element;

use portable::{Matrices, Study};
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

/// Outputs in memory at once: one for each native version, and the one that the kernels share.
const OUTPUTS: usize = 3;
/// The versions that are there whatever the tiles.
const OTHER_VERSIONS: usize = 6;

/// Runs it in the element type that was asked for.
pub fn run(args: &GemmArgs) -> Result<(), Failure> {
    match args.dtype {
        Dtype::F32 => run_typed::<f32>(args),
        Dtype::F64 => run_typed::<f64>(args),
    }
}

fn run_typed<T: Float + Element>(args: &GemmArgs) -> Result<(), Failure> {
    let shape = Shape { m: args.m.unwrap_or(args.n), n: args.n, k: args.k.unwrap_or(args.n) };
    let mut session = Session::open(&args.common)?;
    let tiles = distinct(&args.tiles);
    let version_count = tiles.len() + OTHER_VERSIONS;
    session.require_memory(shape.bytes(T::DTYPE.bytes(), OUTPUTS))?;
    session.require_tiles(&tiles, T::DTYPE)?;
    let queue = session.target.queue(QueueOptions::new())?;
    let progress = Progress::new(version_count * (1 + session.repeat));
    session.measure_peaks(T::DTYPE, &progress);
    progress.step("computing the float64 reference");
    let inputs = Inputs::<T>::random(shape, session.seed)?;
    let reference = Reference::compute(&inputs, &mut session.target.team)?;
    compare(session, &queue, &inputs, &reference, &tiles, progress)
}

/// Measures every version against the reference and writes the report; an error when one is wrong.
fn compare<T: Float + Element>(
    session: Session,
    queue: &Queue,
    inputs: &Inputs<T>,
    reference: &Reference,
    tiles: &[usize],
    progress: Progress,
) -> Result<(), Failure> {
    let Shape { m, n, k } = inputs.shape;
    let matrices = Matrices::new(inputs)?;
    let study = Study { inputs, matrices: &matrices, reference, queue };
    let mut versions = versions::native(inputs, reference)?;
    versions.extend(portable::versions(&study, tiles)?);
    let rows = version::rows(&mut versions, session.repeat, &progress);
    drop(progress);
    let description = Description {
        benchmark: "gemm",
        problem: Problem::Gemm { m, n, k },
        dtype: T::DTYPE,
        columns: COLUMNS,
        chart: Column::Gflops,
        baseline: versions::BASELINE,
    };
    session.finish(&description, rows, conclusion::sentences)
}

/// The tiles in the order in which they were first named: each is one version, however often it is listed.
fn distinct(tiles: &[usize]) -> Vec<usize> {
    let is_first = |(idx, tile): &(usize, &usize)| !tiles[..*idx].contains(tile);
    tiles.iter().enumerate().filter(is_first).map(|(_, tile)| *tile).collect()
}

impl Session {
    /// An error when the device has not the work-items or the local memory for a tile.
    fn require_tiles(&self, tiles: &[usize], dtype: Dtype) -> Result<(), Failure> {
        let info = self.target.device.info();
        // What cannot be counted fits nowhere.
        let items = |tile: usize| tile.saturating_mul(tile);
        let local = |tile: usize| items(tile).saturating_mul(2 * dtype.bytes());
        let fits = |tile: usize| items(tile) <= info.max_work_group_size && local(tile) <= info.local_memory_bytes;
        let Some(tile) = tiles.iter().copied().find(|tile| !fits(*tile)) else {
            return Ok(());
        };
        let largest = (1..=tile.min(info.max_work_group_size)).rev().find(|tile| fits(*tile)).unwrap_or(0);
        Err(Failure::Usage(format!(
            "tile {tile}: a work-group of {} items with {} bytes of local memory is over the limits of {}, {} items and \
             {} bytes; the largest tile that fits is {largest}",
            items(tile),
            local(tile),
            info.selector,
            info.max_work_group_size,
            info.local_memory_bytes
        )))
    }
}
