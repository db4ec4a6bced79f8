//! `syclone bench launch`: what it costs to have a kernel run that does nothing worth mentioning.
//!
//! The versions vary what decides the cost, in the terms of the latency benchmarks of other runtimes: whether the queue
//! is in-order, whether each launch makes an event, how many kernels there are to a sample (one timed run), and whether
//! the sample lasts until they have ended or only until they are submitted. `lane` has the launches without events, and
//! `graphs` the replays of command graphs.

mod graphs;
mod lane;

use std::cell::OnceCell;

use syclone::prelude::*;

use super::measure::{Steps, Verdict};
use super::report::{Column, Problem, Work};
use super::version::{self, Version};
use super::{Description, Progress, Session};
use crate::args::{Dtype, LaunchArgs};
use crate::failure::Failure;

const COLUMNS: &[Column] = &[
    Column::Version,
    Column::Ms,
    Column::Spread,
    Column::Runs,
    Column::UsEach,
    Column::Speedup,
    Column::MaxRelErr,
    Column::Ok,
];

/// The version that the others are relative to.
const BASELINE: &str = "wait-each";

/// Does nothing.
#[kernel]
fn empty(_item: Item<1>) {}

/// Adds one: the smallest work whose launches can be counted afterwards.
#[kernel]
fn count(item: Item<1>, count: ItemMut<u32>) {
    count[item] += 1;
}

/// A version, and what it has of what the options choose by.
struct Case<'a> {
    version: Version<'a>,
    in_order: bool,
    events: bool,
    completion: bool,
}

/// Runs it.
pub fn run(args: &LaunchArgs) -> Result<(), Failure> {
    let mut session = Session::open(&args.common)?;
    session.target.facts.peak_reason = Some("a launch has no rate to hold against them".to_owned());
    let queue = session.target.queue(QueueOptions::new())?;
    let in_order = session.target.queue(QueueOptions::new().in_order(true))?;
    let launches = args.n;
    let counter = Counter { count: Buffer::new(1), launches };
    let graphs = graphs::Graphs::new(launches);
    let lane = lane::Lane::new(launches);
    let mut cases = vec![
        case(
            [false, true, true],
            uncounted(BASELINE, "an empty kernel, waited for each time", launches, || {
                for _ in 0..launches {
                    queue.submit(|h| h.parallel_for(1, empty()))?.wait()?;
                }
                Ok(())
            }),
        ),
        case(
            [false, true, true],
            uncounted("batched", "an empty kernel, one wait for all", launches, || {
                for _ in 0..launches {
                    queue.submit(|h| h.parallel_for(1, empty()))?;
                }
                Ok(queue.wait()?)
            }),
        ),
        case(
            [true, true, true],
            uncounted("batched-in-order", "the same on an in-order queue", launches, || {
                for _ in 0..launches {
                    in_order.submit(|h| h.parallel_for(1, empty()))?;
                }
                Ok(in_order.wait()?)
            }),
        ),
        case([false, true, true], counter.version(&queue)),
        case(
            [false, true, false],
            submitting("submit-only", &queue, launches, || {
                for _ in 0..launches {
                    queue.submit(|h| h.parallel_for(1, empty()))?;
                }
                Ok(())
            }),
        ),
        case(
            [true, true, false],
            submitting("submit-only-in-order", &in_order, launches, || {
                for _ in 0..launches {
                    in_order.submit(|h| h.parallel_for(1, empty()))?;
                }
                Ok(())
            }),
        ),
    ];
    cases.extend(lane.versions(&in_order).map(|(completion, version)| case([true, false, completion], version)));
    cases.extend(graphs.versions(&queue).into_iter().map(|version| case([false, false, true], version)));
    let wanted = |asked: Option<bool>, has: bool| asked.is_none_or(|asked| asked == has);
    cases.retain(|case| {
        // Without it there is nothing to be relative to.
        case.version.name == BASELINE
            || wanted(args.in_order, case.in_order)
                && wanted(args.events, case.events)
                && wanted(args.measure_completion, case.completion)
    });
    let mut versions: Vec<Version<'_>> = cases.into_iter().map(|case| case.version).collect();
    let progress = Progress::new(versions.len() * (1 + session.repeat));
    let rows = version::rows(&mut versions, session.repeat, &progress);
    drop(versions);
    drop(progress);
    let description = Description {
        benchmark: "launch",
        problem: Problem::Size { n: launches },
        dtype: Dtype::F32,
        columns: COLUMNS,
        chart: Column::UsEach,
        baseline: BASELINE,
    };
    session.finish(&description, rows, |_| Vec::new())
}

fn case([in_order, events, completion]: [bool; 3], version: Version<'_>) -> Case<'_> {
    Case { version, in_order, events, completion }
}

/// What a cell holds, made now if it is empty.
fn made<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, Failure>) -> Result<&T, Failure> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let new = make()?;
    Ok(cell.get_or_init(|| new))
}

fn work(launches: usize) -> Work {
    Work { flops: None, bytes: None, launches: Some(launches) }
}

/// A version that leaves no result: that every launch ended well is all there is to verify.
fn uncounted<'a>(
    name: &str,
    note: &str,
    launches: usize,
    run: impl FnMut() -> Result<(), Failure> + 'a,
) -> Version<'a> {
    let steps = Steps { poison: || Ok(()), run, verify: || Ok(Verdict { max_rel_err: 0.0, ok: true }) };
    let mut version = Version::new(name, work(launches), steps);
    version.note = Some(note.to_owned());
    version
}

/// A version whose time ends when all is submitted; the next run begins when all has ended.
fn submitting<'a>(
    name: &str,
    queue: &'a Queue,
    launches: usize,
    run: impl FnMut() -> Result<(), Failure> + 'a,
) -> Version<'a> {
    let steps = Steps {
        poison: || Ok(queue.wait()?),
        run,
        verify: || {
            queue.wait()?;
            Ok(Verdict { max_rel_err: 0.0, ok: true })
        },
    };
    let mut version = Version::new(name, work(launches), steps);
    version.note = Some("the time to submit, not to the end of the kernels".to_owned());
    version
}

/// Launches that leave a trace.
struct Counter {
    count: Buffer<u32>,
    launches: usize,
}

impl Counter {
    /// Launches that depend on each other through a buffer, each adding one.
    fn version<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        let steps = Steps {
            poison: || Ok(queue.fill(&self.count, START)?.wait()?),
            run: || {
                for _ in 0..self.launches {
                    queue.submit(|h| h.parallel_for(1, count(self.count.read_write(h))))?;
                }
                Ok(queue.wait()?)
            },
            verify: || counted(&self.count, self.launches),
        };
        let mut version = Version::new("chained", work(self.launches), steps);
        version.note = Some("each launch adds one to the same element, so that each follows the one before".to_owned());
        version
    }
}

/// Whether `launches` launches have added one to each element.
fn counted(count: &Buffer<u32>, launches: usize) -> Result<Verdict, Failure> {
    Ok(all_counted(&count.host_read()?, launches))
}

fn all_counted(counts: &[u32], launches: usize) -> Verdict {
    let expected = START.wrapping_add(launches as u32);
    let ok = counts.iter().all(|&count| count == expected);
    Verdict { max_rel_err: if ok { 0.0 } else { f64::INFINITY }, ok }
}

/// What the counter is before a run.
const START: u32 = 1_000_000;
