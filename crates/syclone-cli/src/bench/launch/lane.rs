//! Launches without events on an in-order queue: its fast path.

use std::cell::{OnceCell, RefCell};

use syclone::prelude::*;

use super::{START, all_counted, count, empty, made, work};
use crate::bench::measure::{Steps, Verdict};
use crate::bench::version::Version;
use crate::failure::Failure;

/// What the versions launch on.
pub struct Lane {
    /// Allocated by the version that needs it, so that what goes wrong then is that version's.
    count: OnceCell<RefCell<UsmShared<u32>>>,
    launches: usize,
}

impl Lane {
    /// A counter for so many launches.
    pub fn new(launches: usize) -> Self {
        Lane { count: OnceCell::new(), launches }
    }

    fn count(&self, queue: &Queue) -> Result<&RefCell<UsmShared<u32>>, Failure> {
        made(&self.count, || Ok(RefCell::new(queue.alloc_shared(1)?)))
    }

    /// The versions, each with whether its time lasts until the kernels have ended.
    pub fn versions<'a>(&'a self, queue: &'a Queue) -> impl Iterator<Item = (bool, Version<'a>)> {
        let each = "an empty kernel on an in-order queue, without events; the queue is waited for each time";
        let submit = "an empty kernel on an in-order queue, without events: the time to submit, not to the end";
        [
            (true, self.empty("wait-each-no-events", each, queue, true)),
            (true, self.chained(queue)),
            (false, self.empty("submit-only-no-events", submit, queue, false)),
        ]
        .into_iter()
    }

    fn empty<'a>(&'a self, name: &str, note: &str, queue: &'a Queue, wait: bool) -> Version<'a> {
        let steps = Steps {
            poison: move || Ok(queue.wait()?),
            run: move || {
                for _ in 0..self.launches {
                    queue.launch(1, empty())?;
                    if wait {
                        queue.wait()?;
                    }
                }
                Ok(())
            },
            verify: move || {
                queue.wait()?;
                Ok(Verdict { max_rel_err: 0.0, ok: true })
            },
        };
        noted(name, note, self.launches, steps)
    }

    fn chained<'a>(&'a self, queue: &'a Queue) -> Version<'a> {
        let steps = Steps {
            poison: move || {
                self.count(queue)?.borrow_mut().host_mut()?.fill(START);
                Ok(())
            },
            run: move || {
                let mut count_in = self.count(queue)?.borrow_mut();
                for _ in 0..self.launches {
                    queue.launch(1, count(count_in.item_mut()))?;
                }
                Ok(queue.wait()?)
            },
            verify: move || Ok(all_counted(&self.count(queue)?.borrow().host()?, self.launches)),
        };
        let note = "launches on an in-order queue, without events, each of which adds one to the same element";
        noted("batched-no-events", note, self.launches, steps)
    }
}

fn noted<'a>(
    name: &str,
    note: &str,
    launches: usize,
    steps: impl crate::bench::measure::Contender + 'a,
) -> Version<'a> {
    let mut version = Version::new(name, work(launches), steps);
    version.note = Some(note.to_owned());
    version
}
