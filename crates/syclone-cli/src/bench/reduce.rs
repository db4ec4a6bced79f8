//! `syclone bench reduce`: the sum of an array, by a tree in local memory, by a tree of sub-group shuffles, and by
//! `reduction`.

use syclone::prelude::*;

use super::measure::{Steps, Verdict};
use super::report::{Column, Problem, Work};
use super::version::{self, Version};
use super::{Description, Progress, Session};
use crate::args::{Dtype, ReduceArgs};
use crate::failure::Failure;
use crate::host::element::{Element, on_device};
use crate::host::random::Random;

/// The version that the others are relative to.
const BASELINE: &str = "tree";
/// Work-items of a group; the tree halves them down to one.
const GROUP: usize = 256;
/// Versions in all.
const VERSIONS: usize = 3;

/// A work-group adds up [`GROUP`] elements by halving: a barrier after each of the eight steps.
#[kernel(work_group_size(GROUP))]
fn tree(item: NdItem<1>, x: View<f32>, sums: GroupMut<f32>) {
    let partial = local::<[f32; GROUP]>();
    let id = item.local_id(0);
    let place = item.global_id(0);
    partial[id] = if place < x.len() { x[place] } else { 0.0 };
    item.barrier();
    let mut half = GROUP / 2;
    while half > 0 {
        if id < half {
            partial[id] += partial[id + half];
        }
        item.barrier();
        half /= 2;
    }
    if id == 0 {
        sums[item] = partial[0];
    }
}

/// Each sub-group adds up its elements by shuffles, then the first item of each leaves its sum in local memory.
#[kernel(work_group_size(GROUP), sub_group_size(16))]
fn shuffle_tree(item: NdItem<1>, x: View<f32>, sums: GroupMut<f32>) {
    let partial = local::<[f32; GROUP]>();
    let sub_group = item.sub_group();
    let place = item.global_id(0);
    let mut sum = if place < x.len() { x[place] } else { 0.0 };
    sum += sub_group.shuffle_xor(sum, 8);
    sum += sub_group.shuffle_xor(sum, 4);
    sum += sub_group.shuffle_xor(sum, 2);
    sum += sub_group.shuffle_xor(sum, 1);
    if sub_group.local_id() == 0 {
        partial[sub_group.id()] = sum;
    }
    item.barrier();
    if item.local_id(0) == 0 {
        let mut total = 0.0;
        for idx in 0..GROUP / 16 {
            total += partial[idx];
        }
        sums[item] = total;
    }
}

/// Each work-item hands its element to the runtime.
#[kernel]
fn reduction(item: Item<1>, x: View<f32>, sum: Reducer<f32, Plus>) {
    sum.combine(x[item]);
}

/// Runs it.
pub fn run(args: &ReduceArgs) -> Result<(), Failure> {
    let mut session = Session::open(&args.common)?;
    session.require_memory(args.n.checked_mul(5))?;
    let queue = session.target.queue(QueueOptions::new())?;
    let progress = Progress::new(VERSIONS * (1 + session.repeat));
    session.measure_peaks(Dtype::F32, &progress);
    let sums = Sums::new(args.n, session.seed)?;
    let mut versions = vec![sums.tree(&queue), sums.shuffle_tree(&queue), sums.reduction(&queue)];
    let rows = version::rows(&mut versions, session.repeat, &progress);
    drop(versions);
    drop(progress);
    let description = Description {
        benchmark: "reduce",
        problem: Problem::Size { n: args.n },
        dtype: Dtype::F32,
        columns: Column::OF_MEMORY,
        chart: Column::Gbs,
        baseline: BASELINE,
    };
    session.finish(&description, rows, |_| Vec::new())
}

/// The array, the sums of its groups, and the result.
struct Sums {
    n: usize,
    x: Buffer<f32>,
    partial: Buffer<f32>,
    total: Buffer<f32>,
    expected: f64,
    magnitude: f64,
}

impl Sums {
    fn new(n: usize, seed: u64) -> Result<Self, Failure> {
        let values: Vec<f32> = Random::new(seed).values(n)?;
        let expected = values.iter().map(|value| f64::from(*value)).sum();
        let magnitude = values.iter().map(|value| f64::from(value.abs())).sum();
        Ok(Sums {
            n,
            x: on_device(&values, n)?,
            partial: Buffer::try_new(n.div_ceil(GROUP))?,
            total: Buffer::from_vec(vec![0.0]),
            expected,
            magnitude,
        })
    }

    /// A kernel that adds up each group, and then `reduction` on what the groups left.
    fn grouped<'a>(
        &'a self,
        name: &str,
        queue: &'a Queue,
        group: impl Fn(&Handler<'_>) -> Result<(), Error> + 'a,
    ) -> Version<'a> {
        let groups = self.partial.len();
        let mut version = self.version(name, queue, move || {
            queue.submit(&group)?;
            queue.submit(|h| h.parallel_for(groups, reduction(self.partial.read(h), self.total.reduce(h, Plus))))
        });
        version.groups = Some(groups);
        version.local_bytes = Some(GROUP * size_of::<f32>());
        version
    }

    fn tree<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        let launch = NdRange::new(self.partial.len() * GROUP, GROUP);
        let mut version =
            self.grouped(BASELINE, queue, move |h| h.parallel_for(launch, tree(self.x.read(h), self.partial.write(h))));
        version.note = Some(format!("groups of {GROUP}, local memory, a barrier a step"));
        version
    }

    fn shuffle_tree<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        let launch = NdRange::new(self.partial.len() * GROUP, GROUP);
        let mut version = self.grouped("shuffle-tree", queue, move |h| {
            h.parallel_for(launch, shuffle_tree(self.x.read(h), self.partial.write(h)))
        });
        version.note = Some(format!("groups of {GROUP}, sub-groups of 16, four shuffles"));
        version
    }

    fn reduction<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        self.version("reduction", queue, || {
            queue.submit(|h| h.parallel_for(self.n, reduction(self.x.read(h), self.total.reduce(h, Plus))))
        })
    }

    fn version<'a>(
        &'a self,
        name: &str,
        queue: &'a Queue,
        submit: impl Fn() -> Result<Event, Error> + 'a,
    ) -> Version<'a> {
        let steps = Steps {
            poison: || {
                queue.fill(&self.partial, f32::NAN)?;
                queue.fill(&self.total, f32::NAN)?;
                Ok(queue.wait()?)
            },
            run: move || Ok(submit()?.wait()?),
            verify: || {
                let total = self.total.host_read()?;
                let pairs = total.iter().map(|value| (f64::from(*value), self.expected));
                Ok(Verdict::of(pairs, self.magnitude, f32::TOLERANCE))
            },
        };
        let work =
            Work { flops: Some(self.n as f64), bytes: Some(size_of::<f32>() as u64 * self.n as u64), launches: None };
        Version::new(name, work, steps)
    }
}
