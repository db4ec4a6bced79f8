//! The memory that a worker lends to the kernels it runs.

use crate::{Error, Result};

/// What a chunk of a kernel gets from the thread that runs it.
pub struct Worker {
    index: usize,
    local: Vec<Line>,
    scratch: Scratch,
    command: u64,
    device: String,
}

impl Worker {
    /// A worker of a device, with its local memory.
    pub(crate) fn new(index: usize, local_bytes: usize, device: String) -> Result<Worker> {
        let local = lines(local_bytes).ok_or_else(|| out_of_memory(&device, local_bytes))?;
        let scratch = Scratch { device: device.clone(), ..Scratch::default() };
        Ok(Worker { index, local, scratch, command: 0, device })
    }

    /// The selector of the device that it works for.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The worker's number, below the device's `compute_units`. No two chunks that run at once share it.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of the command that runs, if its device is checked.
    #[doc(hidden)]
    pub fn command(&self) -> u64 {
        self.command
    }

    /// Says which command runs.
    pub(crate) fn set_command(&mut self, number: u64) {
        self.command = number;
    }

    /// The block for the local memory of the group that runs: its first byte, aligned to 64, and its length
    /// (the device's `local_memory_bytes`). It holds whatever the last group left.
    pub fn local_memory(&mut self) -> (*mut u8, usize) {
        (self.local.as_mut_ptr().cast(), self.local.len() * size_of::<Line>())
    }

    /// Storage for values that live across regions of a group.
    pub fn scratch(&mut self) -> &mut Scratch {
        &mut self.scratch
    }
}

/// A cache line, the unit in which memory is lent.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A growing arena. Blocks that were handed out stay where they are until the next reset.
///
/// Once it has grown to a kernel's needs, handing out is adding to an offset.
///
/// A kernel gets it from [`Worker::scratch`], fresh for every chunk.
#[derive(Default)]
pub struct Scratch {
    /// The last one is handed out from; earlier ones are full but live.
    blocks: Vec<Vec<Line>>,
    /// Lines handed out from the last block.
    used: usize,
    /// Whose it is, for errors.
    device: String,
}

impl Scratch {
    /// The smallest block, in lines.
    const MIN_LINES: usize = 1024;

    /// `bytes` bytes of unspecified content, aligned to `align` (a power of two), until the next [`Scratch::reset`].
    ///
    /// The only error is [`Error::OutOfMemory`].
    pub fn alloc(&mut self, bytes: usize, align: usize) -> Result<*mut u8> {
        // Blocks are aligned to a line only; for more, leave room to move up.
        let slack = if align <= align_of::<Line>() { 0 } else { align };
        let wanted = bytes.checked_add(slack).ok_or_else(|| self.out_of_memory(bytes))?.div_ceil(size_of::<Line>());
        let room = self.blocks.last().map_or(0, |block| block.len() - self.used);
        if wanted > room || self.blocks.is_empty() {
            let held: usize = self.blocks.iter().map(Vec::len).sum();
            let count = wanted.max(held).max(Self::MIN_LINES);
            let block =
                count.checked_mul(size_of::<Line>()).and_then(lines).ok_or_else(|| self.out_of_memory(bytes))?;
            self.blocks.push(block);
            self.used = 0;
        }
        let block = self.blocks.last_mut().expect("a block was made above, if there was none");
        let start = block.as_mut_ptr().wrapping_add(self.used).cast::<u8>();
        self.used += wanted;
        Ok(if slack == 0 { start } else { start.wrapping_add(start.align_offset(align)) })
    }

    /// Takes everything back; pointers from before may no longer be used.
    pub fn reset(&mut self) {
        self.used = 0;
        if self.blocks.len() > 1 {
            // The last block is at least as large as all before it together: soon one is enough.
            self.blocks.drain(..self.blocks.len() - 1);
        }
    }

    fn out_of_memory(&self, bytes: usize) -> Error {
        out_of_memory(&self.device, bytes)
    }
}

/// Memory for so many bytes; none if the system has too little.
fn lines(bytes: usize) -> Option<Vec<Line>> {
    let count = bytes.div_ceil(size_of::<Line>());
    let mut lines = Vec::new();
    lines.try_reserve_exact(count).ok()?;
    lines.resize(count, Line([0; 64]));
    Some(lines)
}

/// The system had too little for what a worker of a device lends.
fn out_of_memory(device: &str, bytes: usize) -> Error {
    Error::OutOfMemory { device: device.to_owned(), asked: bytes, in_use: 0, limit: isize::MAX.unsigned_abs() }
}

#[cfg(test)]
mod tests;
