//! `syclone bench reduce`: the sum of an array, by a tree in local memory, by a tree of sub-group shuffles, by
//! `reduction`, and by native code beside them.
//!
//! The native sum runs on the same number of threads, on the very same memory, and takes turns with the kernels: it is
//! how fast this machine's memory can be read at all.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use syclone::prelude::*;

use super::measure::{Steps, Verdict};
use super::peak::sum;
use super::report::{Column, Problem, Work};
use super::version::{self, Version};
use super::{Description, Progress, Session};
use crate::args::{Dtype, ReduceArgs};
use crate::failure::Failure;
use crate::host::element::{Element, on_device};
use crate::host::random::Random;
use crate::host::simd;
use crate::host::team::Team;

/// The version that the others are relative to.
const BASELINE: &str = "tree";
/// The sum without syclone.
const NATIVE: &str = "native";
/// Work-items of a group; the tree halves them down to one.
const GROUP: usize = 256;
/// Versions in all.
const VERSIONS: usize = 4;

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
    let team = RefCell::new(&mut session.target.team);
    let mut versions =
        vec![sums.tree(&queue), sums.shuffle_tree(&queue), sums.reduction(&queue), sums.native(&queue, &team)];
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
    session.finish(&description, rows, |report| {
        let gbs = |name: &str| report.rows.iter().find(|row| row.version == name).and_then(|row| row.gbs);
        conclusion(gbs("reduction"), gbs(NATIVE))
    })
}

/// How `reduction` and the native sum compare.
fn conclusion(reduction: Option<f64>, native: Option<f64>) -> Vec<String> {
    let (Some(reduction), Some(native)) = (reduction, native) else { return Vec::new() };
    vec![format!("The reduction kernel reads {:.3} times as fast as the native sum.", reduction / native)]
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

    /// The sum without syclone, each thread on its own part.
    fn native<'a>(&'a self, queue: &'a Queue, team: &'a RefCell<&'a mut Team>) -> Version<'a> {
        let part = self.n.div_ceil(team.borrow().members());
        let steps = Steps {
            poison: || {
                self.poison(queue)?;
                // The threads are awake when the run begins.
                team.borrow_mut().run(&|_| ());
                Ok(())
            },
            run: move || {
                let x = self.x.host_read()?;
                let x: &[f32] = &x;
                let total = Mutex::new(0.0);
                team.borrow_mut().run(&|member| {
                    let own = sum(x.chunks(part).nth(member).unwrap_or_default());
                    *total.lock().unwrap_or_else(PoisonError::into_inner) += own;
                });
                let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
                self.total.host_write()?[0] = total as f32;
                Ok(())
            },
            verify: || self.judge(),
        };
        let mut version = Version::new(NATIVE, self.work(), steps);
        version.note =
            Some(format!("native code for {}, without syclone, on the same memory", simd::instruction_set()));
        version
    }

    fn version<'a>(
        &'a self,
        name: &str,
        queue: &'a Queue,
        submit: impl Fn() -> Result<Event, Error> + 'a,
    ) -> Version<'a> {
        let steps =
            Steps { poison: || self.poison(queue), run: move || Ok(submit()?.wait()?), verify: || self.judge() };
        Version::new(name, self.work(), steps)
    }

    fn poison(&self, queue: &Queue) -> Result<(), Failure> {
        queue.fill(&self.partial, f32::NAN)?;
        queue.fill(&self.total, f32::NAN)?;
        Ok(queue.wait()?)
    }

    fn judge(&self) -> Result<Verdict, Failure> {
        let total = self.total.host_read()?;
        let pairs = total.iter().map(|value| (f64::from(*value), self.expected));
        Ok(Verdict::of(pairs, self.magnitude, f32::TOLERANCE))
    }

    fn work(&self) -> Work {
        Work { flops: Some(self.n as f64), bytes: Some(size_of::<f32>() as u64 * self.n as u64), launches: None }
    }
}

#[cfg(test)]
mod tests {
    use super::conclusion;

    #[test]
    fn the_conclusion_is_the_ratio_of_what_was_measured_and_nothing_where_something_was_not() {
        let said = conclusion(Some(45.0), Some(50.0));
        assert_eq!(said, ["The reduction kernel reads 0.900 times as fast as the native sum."]);
        assert!(conclusion(None, Some(50.0)).is_empty() && conclusion(Some(45.0), None).is_empty());
    }
}
