//! Tests of what macro output calls, against plain loops over the items.

mod alive;
mod arena;
mod collectives;
mod group_cx;
mod lock_step;
mod message;
mod scans;

use super::{GroupCx, GroupMemory, PerItem};

/// The group sizes and sub-group sizes that every collective is tested with: whole and partial sub-groups.
pub(crate) const SIZES: [usize; 4] = [1, 3, 33, 48];
pub(crate) const WIDTHS: [usize; 5] = [1, 4, 8, 16, 32];

#[repr(align(64))]
struct Block([u8; 4096]);

/// Runs `test` with the memory of one worker.
pub(crate) fn with_memory<R>(test: impl FnOnce(&GroupMemory) -> R) -> R {
    let mut block = Box::new(Block([0xAA; 4096]));
    // SAFETY: the block is aligned and outlives the memory, and nothing else uses it.
    let memory = unsafe { GroupMemory::new(block.0.as_mut_ptr(), block.0.len()) };
    test(&memory)
}

/// Group 0 of a one-dimensional launch of one group.
pub(crate) fn one_group(memory: &GroupMemory, size: usize, width: usize) -> GroupCx<1> {
    // SAFETY: the tests run one group at a time, inside `with_memory`.
    unsafe { GroupCx::nd_range([0], [1], [size], width, 0, memory) }
}

/// Runs `test` with a group of each size and sub-group width.
pub(crate) fn for_all_groups(test: impl Fn(&GroupCx<1>)) {
    for size in SIZES {
        for width in WIDTHS {
            with_memory(|memory| {
                test(&one_group(memory, size, width));
                assert!(!memory.has_report(), "size {size}, width {width}");
            });
        }
    }
}

/// A variable with the value `f(i)` for item `i`.
pub(crate) fn per_item<const D: usize, T: Copy>(group: &GroupCx<D>, f: impl Fn(usize) -> T) -> PerItem<T> {
    let values = group.per_item();
    for i in 0..group.size() {
        values.set(i, f(i));
    }
    values
}

/// All values of a variable.
pub(crate) fn all_values<const D: usize, T: Copy>(group: &GroupCx<D>, values: PerItem<T>) -> Vec<T> {
    (0..group.size()).map(|i| values.get(i)).collect()
}

/// The halving tree as the documentation states it.
pub(crate) fn tree<T: Copy>(values: &[T], op: impl Fn(T, T) -> T) -> T {
    let mut v = values.to_vec();
    let mut s = v.len().next_power_of_two() / 2;
    while s > 0 {
        for i in 0..s {
            if i + s < v.len() {
                v[i] = op(v[i], v[i + s]);
            }
        }
        s /= 2;
    }
    v[0]
}

/// A value that is different for each item and that additions of floats round.
pub(crate) fn awkward(i: usize) -> f32 {
    (i as f32 + 0.1) * if i.is_multiple_of(3) { 1e6 } else { -0.37 }
}
