//! The chunks of one command: who takes which, and how many are left.

use std::ops::Range;
use std::sync::OnceLock;

use crate::Error;
use crate::sync::{AtomicUsize, Ordering};

/// Claims and results of a command's chunks.
pub(crate) struct Chunks {
    pub(crate) total: usize,
    /// One claim takes this share of the chunks that are left; one chunk for 0.
    pub(crate) claim_share: usize,
    /// All of them together are not worth waking a sleeper.
    pub(crate) are_light: bool,
    /// The next chunk to claim; may pass `total` by a claim per worker.
    pub(crate) next: AtomicUsize,
    /// Chunks that have not ended.
    pub(crate) unfinished: AtomicUsize,
    /// The first failure; later chunks are skipped.
    pub(crate) failure: OnceLock<Error>,
}

impl Chunks {
    /// Chunks of which none has been claimed, each to be claimed alone.
    pub(crate) fn new(total: usize) -> Self {
        Chunks {
            total,
            claim_share: 0,
            are_light: false,
            next: AtomicUsize::new(0),
            unfinished: AtomicUsize::new(total),
            failure: OnceLock::new(),
        }
    }

    /// The most chunks of one claim.
    const MOST_AT_ONCE: usize = 16;

    /// Claims chunks that nobody has claimed.
    pub(crate) fn claim(&self) -> Option<Range<usize>> {
        let count = match self.claim_share {
            0 => 1,
            // Few at the end, so that all workers end at about the same time.
            share => {
                let left = self.total.saturating_sub(self.next.load(Ordering::Relaxed));
                (left / share).clamp(1, Chunks::MOST_AT_ONCE)
            }
        };
        let first = self.next.fetch_add(count, Ordering::Relaxed);
        (first < self.total).then(|| first..self.total.min(first + count))
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
