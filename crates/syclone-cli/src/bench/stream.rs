//! `syclone bench stream`: memory bandwidth by the five loops of BabelStream, and the triad as native code beside them.
//!
//! The native triad runs on the same number of threads, on the very same memory, and takes turns with the kernels: what
//! lies between the two is what the kernel model costs.

use std::cell::RefCell;

use syclone::prelude::*;

use super::measure::{Steps, Verdict};
use super::peak::triad;
use super::report::{Column, Problem, Row, Work};
use super::version::{self, Version};
use super::{Description, Progress, Session};
use crate::args::{Dtype, StreamArgs};
use crate::failure::Failure;
use crate::host::element::Element;
use crate::host::simd;
use crate::host::team::Team;

/// The version that the others are relative to.
const BASELINE: &str = "triad-native";
/// BabelStream's factor.
const SCALAR: f64 = 0.4;
/// BabelStream's first values of the arrays. Its loops write into each other's inputs; here the inputs keep these values, so
/// that the loops can take turns in any order and each result is known.
const START: [f64; 2] = [0.1, 0.2];
/// Below this many milliseconds a run is as long as it takes to wake up threads, some tens of microseconds.
const SHORT_MS: f64 = 0.2;
/// Versions in all.
const VERSIONS: usize = 6;

/// `c = a`
#[kernel]
fn copy<T: Float>(item: Item<1>, a: View<T>, c: ItemMut<T>) {
    c[item] = a[item];
}

/// `b = s · c`
#[kernel]
fn mul<T: Float>(item: Item<1>, scalar: T, c: View<T>, b: ItemMut<T>) {
    b[item] = scalar * c[item];
}

/// `c = a + b`
#[kernel]
fn add<T: Float>(item: Item<1>, a: View<T>, b: View<T>, c: ItemMut<T>) {
    c[item] = a[item] + b[item];
}

/// `c = a + s · b`
#[kernel]
fn triad_kernel<T: Float>(item: Item<1>, scalar: T, a: View<T>, b: View<T>, c: ItemMut<T>) {
    c[item] = a[item] + scalar * b[item];
}

/// The sum of `a · b`
#[kernel]
fn dot<T: Float>(item: Item<1>, a: View<T>, b: View<T>, sum: Reducer<T, Plus>) {
    sum.combine(a[item] * b[item]);
}

/// Runs it in the element type that was asked for.
pub fn run(args: &StreamArgs) -> Result<(), Failure> {
    match args.dtype {
        Dtype::F32 => run_typed::<f32>(args),
        Dtype::F64 => run_typed::<f64>(args),
    }
}

fn run_typed<T: Float + Element>(args: &StreamArgs) -> Result<(), Failure> {
    let mut session = Session::open(&args.common)?;
    session.require_memory(args.n.checked_mul(3 * T::DTYPE.bytes()))?;
    let queue = session.target.queue(QueueOptions::new())?;
    let progress = Progress::new(VERSIONS * (1 + session.repeat));
    session.measure_peaks(T::DTYPE, &progress);
    let arrays = Arrays::<T>::new(args.n)?;
    let team = RefCell::new(&mut session.target.team);
    let mut versions = arrays.versions(&queue, &team);
    let rows = version::rows(&mut versions, session.repeat, &progress);
    drop(versions);
    drop(progress);
    let description = Description {
        benchmark: "stream",
        problem: Problem::Size { n: args.n },
        dtype: T::DTYPE,
        columns: Column::OF_MEMORY,
        chart: Column::Gbs,
        baseline: BASELINE,
    };
    session.finish(&description, rows, |report| {
        let row = |name: &str| report.rows.iter().find(|row| row.version == name);
        conclusion(row("triad"), row(BASELINE))
    })
}

/// How the two triads compare, and whether their times say anything about memory.
fn conclusion(kernel: Option<&Row>, native: Option<&Row>) -> Vec<String> {
    let (Some(kernel), Some(native)) = (kernel, native) else { return Vec::new() };
    let (Some(kernel_gbs), Some(native_gbs)) = (kernel.gbs, native.gbs) else { return Vec::new() };
    let ratio = kernel_gbs / native_gbs;
    let mut sentences = vec![format!("The triad kernel reaches {ratio:.3} times the native triad's bandwidth.")];
    let ms = [kernel.ms, native.ms].into_iter().flatten().fold(0.0, f64::max);
    if ms < SHORT_MS {
        sentences.push(
            "Runs this short measure how soon threads wake up, and not memory: take a larger -n to compare.".to_owned(),
        );
    }
    sentences
}

/// The arrays: every version reads the first two, which never change, and overwrites the third or the sum.
struct Arrays<T: Float> {
    n: usize,
    a: Buffer<T>,
    b: Buffer<T>,
    c: Buffer<T>,
    sum: Buffer<T>,
}

impl<T: Float + Element> Arrays<T> {
    fn new(n: usize) -> Result<Self, Failure> {
        let array = |value| {
            let array = Buffer::try_new(n)?;
            array.host_write()?.fill(T::nearest(value));
            Ok::<_, Failure>(array)
        };
        Ok(Arrays { n, a: array(START[0])?, b: array(START[1])?, c: array(0.0)?, sum: Buffer::from_vec(vec![T::ZERO]) })
    }

    fn versions<'a>(&'a self, queue: &'a Queue, team: &'a RefCell<&'a mut Team>) -> Vec<Version<'a>> {
        let (n, scalar) = (self.n, T::nearest(SCALAR));
        let [a, b] = START;
        vec![
            self.kernel("copy", 2, 0, queue, a, move |h| h.parallel_for(n, copy(self.a.read(h), self.c.write(h)))),
            self.kernel("mul", 2, 1, queue, SCALAR * a, move |h| {
                h.parallel_for(n, mul(scalar, self.a.read(h), self.c.write(h)))
            }),
            self.kernel("add", 3, 1, queue, a + b, move |h| {
                h.parallel_for(n, add(self.a.read(h), self.b.read(h), self.c.write(h)))
            }),
            self.kernel("triad", 3, 2, queue, a + SCALAR * b, move |h| {
                h.parallel_for(n, triad_kernel(scalar, self.a.read(h), self.b.read(h), self.c.write(h)))
            }),
            self.dot(queue),
            self.native(team),
        ]
    }

    /// A kernel that gives every element of the third array the same value.
    fn kernel<'a>(
        &'a self,
        name: &str,
        arrays: u64,
        operations: u64,
        queue: &'a Queue,
        expected: f64,
        group: impl Fn(&Handler<'_>) -> Result<(), Error> + 'a,
    ) -> Version<'a> {
        let steps = Steps {
            poison: || Ok(queue.fill(&self.c, T::POISON)?.wait()?),
            run: move || Ok(queue.submit(&group)?.wait()?),
            verify: move || self.judge(expected),
        };
        Version::new(name, self.work(arrays, operations), steps)
    }

    fn dot<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        let steps = Steps {
            poison: || Ok(queue.fill(&self.sum, T::POISON)?.wait()?),
            run: || {
                let event = queue.submit(|h| {
                    h.parallel_for(self.n, dot(self.a.read(h), self.b.read(h), self.sum.reduce(h, Plus)))
                })?;
                Ok(event.wait()?)
            },
            verify: || {
                let expected = START[0] * START[1] * self.n as f64;
                let sum = self.sum.host_read()?;
                Ok(Verdict::of(sum.iter().map(|value| (value.wide(), expected)), expected, T::TOLERANCE))
            },
        };
        Version::new("dot", self.work(2, 2), steps)
    }

    /// The triad without syclone, each thread on its own part, as an OpenMP program's static schedule has it.
    fn native<'a>(&'a self, team: &'a RefCell<&'a mut Team>) -> Version<'a> {
        let part = self.n.div_ceil(team.borrow().members());
        let steps = Steps {
            // The threads fill too, so that they are awake when the run begins.
            poison: move || {
                let mut c = self.c.host_write()?;
                team.borrow_mut().for_each_piece(&mut c, part, &|_, c| c.fill(T::POISON));
                Ok(())
            },
            run: move || {
                let (a, b, mut c) = (self.a.host_read()?, self.b.host_read()?, self.c.host_write()?);
                let (a, b): (&[T], &[T]) = (&a, &b);
                team.borrow_mut().for_each_piece(&mut c, part, &|idx, c| {
                    let first = idx * part;
                    triad(c, &a[first..][..c.len()], &b[first..][..c.len()], T::nearest(SCALAR));
                });
                Ok(())
            },
            verify: || self.judge(START[0] + SCALAR * START[1]),
        };
        let mut version = Version::new(BASELINE, self.work(3, 2), steps);
        version.note =
            Some(format!("native code for {}, without syclone, on the same memory", simd::instruction_set()));
        version
    }

    fn work(&self, arrays: u64, operations: u64) -> Work {
        Work {
            flops: (operations > 0).then_some(operations as f64 * self.n as f64),
            bytes: Some(arrays * self.n as u64 * T::DTYPE.bytes() as u64),
            launches: None,
        }
    }

    fn judge(&self, expected: f64) -> Result<Verdict, Failure> {
        let values = self.c.host_read()?;
        Ok(Verdict::of(values.iter().map(|value| (value.wide(), expected)), expected, T::TOLERANCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(gbs: f64, ms: f64) -> Row {
        Row { gbs: Some(gbs), ms: Some(ms), ..Row::default() }
    }

    #[test]
    fn short_runs_are_said_to_measure_threads_and_not_memory() {
        let long = conclusion(Some(&row(9.0, 20.0)), Some(&row(10.0, 18.0)));
        assert_eq!(long, ["The triad kernel reaches 0.900 times the native triad's bandwidth."]);
        let short = conclusion(Some(&row(2.0, 0.001)), Some(&row(0.01, 0.05)));
        assert_eq!(short.len(), 2, "{short:?}");
        assert!(short[1].contains("take a larger -n"), "{short:?}");
        assert!(conclusion(None, Some(&row(1.0, 1.0))).is_empty());
    }
}
