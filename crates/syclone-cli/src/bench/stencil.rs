//! `syclone bench stencil`: each point of a square grid from itself and its four neighbours.

use syclone::prelude::*;

use super::measure::{Steps, Verdict};
use super::report::{Column, Problem, Work};
use super::version::{self, Version};
use super::{Description, Progress, Session};
use crate::args::{Dtype, StencilArgs};
use crate::failure::Failure;
use crate::host::element::{Element, filled, on_device};
use crate::host::random::Random;
use crate::host::simd::versions;
use crate::host::team::Team;

const COLUMNS: &[Column] = &[
    Column::Version,
    Column::Ms,
    Column::Spread,
    Column::Runs,
    Column::Gbs,
    Column::Gflops,
    Column::Speedup,
    Column::PercentOfBandwidth,
    Column::MaxRelErr,
    Column::Ok,
];

/// The version that the others are relative to.
const BASELINE: &str = "native";
/// The weight of a point, and of each neighbour.
const WEIGHTS: [f32; 2] = [0.5, 0.125];
/// Side of a work-group of the `tiled` version.
const TILE: usize = 16;
/// Versions in all.
const VERSIONS: usize = 3;

/// One work-item a point, everything from global memory; the border stays as it is.
#[kernel]
fn range(item: Item<2>, weights: [f32; 2], x: View<f32, 2>, out: ItemMut<f32, 2>) {
    let (row, col) = (item.id(0), item.id(1));
    if row > 0 && row + 1 < x.extent(0) && col > 0 && col + 1 < x.extent(1) {
        let around = x[[row - 1, col]] + x[[row + 1, col]] + x[[row, col - 1]] + x[[row, col + 1]];
        out[item] = weights[0] * x[[row, col]] + weights[1] * around;
    } else {
        out[item] = x[[row, col]];
    }
}

/// A work-group copies its tile and the ring around it to local memory first.
#[kernel(work_group_size(TILE, TILE))]
fn tiled(item: NdItem<2>, weights: [f32; 2], x: View<f32, 2>, out: ItemMut<f32, 2>) {
    let tile = local::<[[f32; TILE + 2]; TILE + 2]>();
    let (rows, cols) = (x.extent(0), x.extent(1));
    let (row, col) = (item.global_id(0), item.global_id(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let inside = row < rows && col < cols;
    tile[lr + 1][lc + 1] = if inside { x[[row, col]] } else { 0.0 };
    if lr == 0 {
        tile[0][lc + 1] = if row > 0 && col < cols { x[[row - 1, col]] } else { 0.0 };
    }
    if lr == TILE - 1 {
        tile[TILE + 1][lc + 1] = if row + 1 < rows && col < cols { x[[row + 1, col]] } else { 0.0 };
    }
    if lc == 0 {
        tile[lr + 1][0] = if col > 0 && row < rows { x[[row, col - 1]] } else { 0.0 };
    }
    if lc == TILE - 1 {
        tile[lr + 1][TILE + 1] = if col + 1 < cols && row < rows { x[[row, col + 1]] } else { 0.0 };
    }
    item.barrier();
    if inside {
        let center = tile[lr + 1][lc + 1];
        if row > 0 && row + 1 < rows && col > 0 && col + 1 < cols {
            let around = tile[lr][lc + 1] + tile[lr + 2][lc + 1] + tile[lr + 1][lc] + tile[lr + 1][lc + 2];
            out[item] = weights[0] * center + weights[1] * around;
        } else {
            out[item] = center;
        }
    }
}

versions! {
    /// Row `row` of the result, in native code.
    fn native_row<T: Element, const FUSED: bool>(x: &[T], n: usize, row: usize, out: &mut [T]) {
        let middle = &x[row * n..][..n];
        out.copy_from_slice(middle);
        if row == 0 || row + 1 == n || n < 3 {
            return;
        }
        let (above, below) = (&x[(row - 1) * n..][..n], &x[(row + 1) * n..][..n]);
        let [own, other] = WEIGHTS.map(|weight| T::nearest(f64::from(weight)));
        let (one, zero) = (T::nearest(1.0), T::default());
        for (idx, out) in out[1..n - 1].iter_mut().enumerate() {
            let vertical = above[idx + 1].mul_add_if::<false>(one, below[idx + 1]);
            let horizontal = middle[idx].mul_add_if::<false>(one, middle[idx + 2]);
            let around = vertical.mul_add_if::<false>(one, horizontal);
            *out = own.mul_add_if::<FUSED>(middle[idx + 1], around.mul_add_if::<FUSED>(other, zero));
        }
    }
}

/// Runs it.
pub fn run(args: &StencilArgs) -> Result<(), Failure> {
    let mut session = Session::open(&args.common)?;
    let points = args.n.checked_mul(args.n);
    session.require_memory(points.and_then(|points| points.checked_mul(16)))?;
    let queue = session.target.queue(QueueOptions::new())?;
    let progress = Progress::new(VERSIONS * (1 + session.repeat));
    session.measure_peaks(Dtype::F32, &progress);
    let grid = Grid::new(args.n, session.seed)?;
    let mut versions = vec![grid.native(&mut session.target.team)?, grid.range(&queue), grid.tiled(&queue)];
    let rows = version::rows(&mut versions, session.repeat, &progress);
    drop(versions);
    drop(progress);
    let description = Description {
        benchmark: "stencil",
        problem: Problem::Size { n: args.n },
        dtype: Dtype::F32,
        columns: COLUMNS,
        chart: Column::Gbs,
        baseline: BASELINE,
    };
    session.finish(&description, rows, |_| Vec::new())
}

/// The grid, on the host and on the device, and the results.
struct Grid {
    n: usize,
    host: Vec<f32>,
    x: Buffer<f32, 2>,
    out: Buffer<f32, 2>,
}

impl Grid {
    fn new(n: usize, seed: u64) -> Result<Self, Failure> {
        let host: Vec<f32> = Random::new(seed).values(n * n)?;
        let x = on_device(&host, [n, n])?;
        Ok(Grid { n, host, x, out: Buffer::try_new([n, n])? })
    }

    /// The point's value in float64.
    fn expected(&self, place: usize) -> f64 {
        let (row, col, n) = (place / self.n, place % self.n, self.n);
        let value = |place: usize| f64::from(self.host[place]);
        if row == 0 || col == 0 || row + 1 == n || col + 1 == n {
            return value(place);
        }
        let around = value(place - n) + value(place + n) + value(place - 1) + value(place + 1);
        f64::from(WEIGHTS[0]) * value(place) + f64::from(WEIGHTS[1]) * around
    }

    /// Errors are relative to one, the largest magnitude that weights and inputs allow.
    fn judge(&self, out: &[f32]) -> Verdict {
        let pairs = out.iter().enumerate().map(|(place, value)| (f64::from(*value), self.expected(place)));
        Verdict::of(pairs, 1.0, f32::TOLERANCE)
    }

    /// Every point read once and written once: the neighbours come from the caches.
    fn work(&self) -> Work {
        let points = self.n as u64 * self.n as u64;
        let inner = self.n.saturating_sub(2) as f64;
        Work { flops: Some(6.0 * inner * inner), bytes: Some(2 * size_of::<f32>() as u64 * points), launches: None }
    }

    fn native<'a>(&'a self, team: &'a mut Team) -> Result<Version<'a>, Failure> {
        let out = std::cell::RefCell::new(filled(self.n * self.n, f32::NAN, "the results")?);
        let out = std::rc::Rc::new(out);
        let (poisoned, judged) = (out.clone(), out.clone());
        let steps = Steps {
            poison: move || {
                poisoned.borrow_mut().fill(f32::NAN);
                Ok(())
            },
            run: move || {
                let piece = ROWS * self.n;
                team.for_each_piece(&mut out.borrow_mut(), piece, &|idx, rows| {
                    for (offset, row) in rows.chunks_exact_mut(self.n).enumerate() {
                        native_row(&self.host, self.n, idx * ROWS + offset, row);
                    }
                });
                Ok(())
            },
            verify: move || Ok(self.judge(&judged.borrow())),
        };
        let mut version = Version::new(BASELINE, self.work(), steps);
        version.note = Some("native code on as many threads, without syclone".to_owned());
        Ok(version)
    }

    fn range<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        self.kernel("range", queue, move |h| {
            h.parallel_for([self.n, self.n], range(WEIGHTS, self.x.read(h), self.out.write(h)))
        })
    }

    fn tiled<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        let side = self.n.next_multiple_of(TILE);
        let launch = NdRange::new([side, side], [TILE, TILE]);
        let mut version = self.kernel("tiled-16", queue, move |h| {
            h.parallel_for(launch, tiled(WEIGHTS, self.x.read(h), self.out.write(h)))
        });
        version.tile = Some(TILE);
        version.local_bytes = Some((TILE + 2) * (TILE + 2) * size_of::<f32>());
        version.groups = Some((side / TILE) * (side / TILE));
        version.note = Some("the tile and the ring around it through local memory".to_owned());
        version
    }

    fn kernel<'a>(
        &'a self,
        name: &str,
        queue: &'a Queue,
        group: impl Fn(&Handler<'_>) -> Result<(), Error> + 'a,
    ) -> Version<'a> {
        let steps = Steps {
            poison: || Ok(queue.fill(&self.out, f32::NAN)?.wait()?),
            run: move || Ok(queue.submit(&group)?.wait()?),
            verify: || Ok(self.judge(&self.out.host_read()?)),
        };
        Version::new(name, self.work(), steps)
    }
}

/// Rows that a native thread takes at once.
const ROWS: usize = 16;
