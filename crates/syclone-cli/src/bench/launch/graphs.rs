//! Replays of command graphs of small kernels.

use std::cell::OnceCell;

use syclone::prelude::*;

use super::{START, count, counted, made, work};
use crate::bench::measure::Steps;
use crate::bench::version::Version;
use crate::failure::Failure;

/// Kernels of a graph: the launches of a timed run are its replays, and what is left over is one shorter graph.
const KERNELS: usize = 100;

/// Two graphs, each with the shorter one for the launches that are left over.
pub struct Graphs {
    launches: usize,
    chain: Graphed,
    side_by_side: Graphed,
}

/// One way to put the kernels in order.
struct Graphed {
    /// One element for each kernel, or one for all.
    counts: Vec<Buffer<u32>>,
    /// Recorded when the version is first poisoned, so that what goes wrong then is that version's.
    recorded: OnceCell<Recorded>,
}

struct Recorded {
    whole: ExecutableGraph,
    rest: ExecutableGraph,
}

impl Graphed {
    /// Graphs whose kernels take turns at `buffers` buffers.
    fn new(buffers: usize) -> Self {
        Graphed { counts: (0..buffers).map(|_| Buffer::new(1)).collect(), recorded: OnceCell::new() }
    }

    fn recorded(&self, queue: &Queue, launches: usize) -> Result<&Recorded, Failure> {
        let graph = |kernels: usize| -> Result<ExecutableGraph, Failure> {
            let graph = Graph::new(queue.device());
            for kernel in 0..kernels {
                graph.add(|h| h.parallel_for(1, count(self.counts[kernel % self.counts.len()].read_write(h))))?;
            }
            Ok(graph.instantiate()?)
        };
        made(&self.recorded, || Ok(Recorded { whole: graph(KERNELS)?, rest: graph(launches % KERNELS)? }))
    }

    fn version<'a>(&'a self, name: &str, note: &str, queue: &'a Queue, launches: usize) -> Version<'a> {
        let steps = Steps {
            poison: move || {
                self.recorded(queue, launches)?;
                for count in &self.counts {
                    queue.fill(count, START)?;
                }
                Ok(queue.wait()?)
            },
            run: move || {
                let Recorded { whole, rest } = self.recorded(queue, launches)?;
                for _ in 0..launches / KERNELS {
                    queue.replay(whole)?;
                }
                queue.replay(rest)?;
                Ok(queue.wait()?)
            },
            verify: move || {
                let mut worst = None;
                for (position, count) in self.counts.iter().enumerate() {
                    let share = |kernels: usize| {
                        kernels / self.counts.len() + usize::from(position < kernels % self.counts.len())
                    };
                    let expected = launches / KERNELS * share(KERNELS) + share(launches % KERNELS);
                    let verdict = counted(count, expected)?;
                    if worst.is_none() || !verdict.ok {
                        worst = Some(verdict);
                    }
                }
                Ok(worst.expect("there is at least one buffer"))
            },
        };
        let mut version = Version::new(name, work(launches), steps);
        version.note = Some(note.to_owned());
        version
    }
}

impl Graphs {
    /// The graphs for so many launches.
    pub fn new(launches: usize) -> Self {
        Graphs { launches, chain: Graphed::new(1), side_by_side: Graphed::new(KERNELS) }
    }

    /// The versions.
    pub fn versions<'a>(&'a self, queue: &'a Queue) -> Vec<Version<'a>> {
        let chain = "replays of a graph of 100 kernels, each of which follows the one before";
        let side_by_side = "replays of a graph of 100 kernels that are independent of each other";
        vec![
            self.chain.version("graph-chain", chain, queue, self.launches),
            self.side_by_side.version("graph-side-by-side", side_by_side, queue, self.launches),
        ]
    }
}
