//! A device's memory: what its allocations hold, how much they may hold, and freed blocks for the next ones.
//!
//! A freed block goes to the pool, by its size class, and the next allocation of that class takes it: no system call, no
//! pages to be provided again. What the pool keeps is bounded by its own limit, counts towards the device's limit only
//! as long as nobody needs it, and goes back to the system by [`Device::trim_memory`], or when the system has no more.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::block::{Block, class};
use crate::Device;

/// The most that a pool keeps unless it is told otherwise, also on a device with much memory.
const POOL_LIMIT: usize = 1 << 30;

/// What a device's allocations hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryStats {
    /// Bytes that allocations hold now.
    pub in_use: usize,
    /// The most bytes ever held at once, or since [`Device::reset_high_water`].
    pub high_water: usize,
    /// Allocations made so far.
    pub allocations: u64,
    /// How many of them took a freed block from the pool.
    pub reused: u64,
    /// Bytes of freed blocks that the pool keeps.
    pub pooled: usize,
}

/// The counters behind [`MemoryStats`], and the pool; allocations keep it alive after their device.
#[derive(Debug, Default)]
pub(crate) struct MemoryAccount {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stats: MemoryStats,
    /// What was set; the device's own limits otherwise.
    limit: Option<usize>,
    pool_limit: Option<usize>,
    free: BTreeMap<usize, Vec<Block>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.stats.fmt(f)
    }
}

/// Why there was no memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    pub(super) in_use: usize,
    pub(super) limit: usize,
}

impl MemoryAccount {
    /// A block whose first `bytes` bytes are zero, on a device with `physical` bytes.
    pub(super) fn take(&self, bytes: usize, physical: usize) -> Result<Block, Refusal> {
        let (reused, number, limit, evicted) = {
            let mut state = self.lock();
            let limit = state.limit(physical);
            let refusal = Refusal { in_use: state.stats.in_use, limit };
            let class = class(bytes).ok_or(refusal)?;
            let total = state.stats.in_use.checked_add(bytes).filter(|&total| total <= limit).ok_or(refusal)?;
            let reused = state.take_pooled(class);
            // What lies in the pool is no reason to refuse.
            let evicted = state.evict(limit - total);
            state.stats.in_use = total;
            state.stats.high_water = state.stats.high_water.max(total);
            state.stats.allocations += 1;
            state.stats.reused += u64::from(reused.is_some());
            (reused.ok_or(class), state.stats.allocations, limit, evicted)
        };
        // Given back, and zeroed, without the lock.
        drop(evicted);
        let block = reused.or_else(|class| {
            Block::new(class, number)
                .or_else(|| {
                    // The system has no more; what the pool keeps may be enough.
                    (self.trim() > 0).then(|| Block::new(class, number)).flatten().or_else(|| Block::new(bytes, number))
                })
                .ok_or(())
        });
        match block {
            Ok(mut block) => {
                block.hand_out(bytes);
                Ok(block)
            }
            Err(()) => {
                let mut state = self.lock();
                state.stats.in_use -= bytes;
                Err(Refusal { in_use: state.stats.in_use, limit })
            }
        }
    }

    /// Takes a block back that was handed out for `bytes` bytes, on a device with `physical` bytes.
    pub(super) fn give_back(&self, block: Block, bytes: usize, physical: usize) {
        let mut state = self.lock();
        state.stats.in_use -= bytes;
        let room = state.pool_limit(physical).min(state.limit(physical).saturating_sub(state.stats.in_use));
        if state.stats.pooled.saturating_add(block.bytes()) <= room {
            state.stats.pooled += block.bytes();
            state.free.entry(block.bytes()).or_default().push(block);
            return;
        }
        drop(state);
        drop(block);
    }

    /// Gives the pool's blocks back to the system and says how many bytes that was.
    fn trim(&self) -> usize {
        let blocks = self.lock().evict(0);
        blocks.iter().map(Block::bytes).sum()
    }

    pub(crate) fn stats(&self) -> MemoryStats {
        self.lock().stats
    }

    pub(super) fn limit(&self, physical: usize) -> usize {
        self.lock().limit(physical)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn limit(&self, physical: usize) -> usize {
        self.limit.map_or(physical, |limit| limit.min(physical))
    }

    fn pool_limit(&self, physical: usize) -> usize {
        self.pool_limit.unwrap_or((physical / 8).min(POOL_LIMIT))
    }

    fn take_pooled(&mut self, class: usize) -> Option<Block> {
        let blocks = self.free.get_mut(&class)?;
        // The last one that came back is the likeliest to be in the caches.
        let block = blocks.pop();
        if blocks.is_empty() {
            self.free.remove(&class);
        }
        self.stats.pooled -= block.as_ref().map_or(0, Block::bytes);
        block
    }

    /// Takes blocks out, the largest first, until the pool keeps at most `keep` bytes.
    fn evict(&mut self, keep: usize) -> Vec<Block> {
        let mut evicted = Vec::new();
        while self.stats.pooled > keep
            && let Some((&class, _)) = self.free.last_key_value()
        {
            evicted.extend(self.take_pooled(class));
        }
        evicted
    }
}

/// The device's memory.
impl Device {
    /// The most bytes that all allocations together may hold: what was set, or the device's memory.
    pub fn memory_limit(&self) -> usize {
        self.memory().limit(self.info().global_memory_bytes)
    }

    /// Sets that limit; `None` is the device's memory, which is never exceeded. An allocation beyond it is
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); what is held already stays.
    pub fn set_memory_limit(&self, bytes: Option<usize>) {
        let evicted = {
            let mut state = self.memory().lock();
            state.limit = bytes;
            let keep = state.limit(self.info().global_memory_bytes).saturating_sub(state.stats.in_use);
            state.evict(keep)
        };
        drop(evicted);
    }

    /// The most bytes of freed blocks that are kept for later allocations: what was set, or an eighth of the device's
    /// memory, but at most a gibibyte.
    pub fn pool_limit(&self) -> usize {
        self.memory().lock().pool_limit(self.info().global_memory_bytes)
    }

    /// Sets that limit; `None` is the usual one, zero keeps nothing. Blocks beyond it go back to the system at once.
    pub fn set_pool_limit(&self, bytes: Option<usize>) {
        let evicted = {
            let mut state = self.memory().lock();
            state.pool_limit = bytes;
            let keep = state.pool_limit(self.info().global_memory_bytes);
            state.evict(keep)
        };
        drop(evicted);
    }

    /// Gives the freed blocks that the pool keeps back to the system, and says how many bytes that was.
    ///
    /// ```
    /// use syclone_runtime::{Device, MemoryObject};
    ///
    /// let device = Device::cpu_with_threads(1)?;
    /// drop(MemoryObject::allocate(&device, 1 << 20)?);
    /// assert_eq!(device.memory_stats().pooled, 1 << 20);
    /// assert_eq!(device.trim_memory(), 1 << 20);
    /// # Ok::<(), syclone_runtime::Error>(())
    /// ```
    pub fn trim_memory(&self) -> usize {
        self.memory().trim()
    }

    /// Begins to look for the high-water mark anew, from what is held now; gives the old one.
    pub fn reset_high_water(&self) -> usize {
        let mut state = self.memory().lock();
        let now = state.stats.in_use;
        std::mem::replace(&mut state.stats.high_water, now)
    }
}
