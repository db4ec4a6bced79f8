use std::sync::Arc;

use crate::abi::GroupCx;
use crate::abi::tests::{awkward, tree, with_memory};
use crate::kernel::{KernelParam, LANES, Reducer, Reduction};
use crate::types::ops::{Minimum, Plus, ReduceOp};
use crate::types::{DeviceCopy, Vector, bf16, f16};

/// Reduces `value(i)` for `items` items in chunks of `chunk`, visiting the chunks in the order of `visit`.
fn reduce<T: DeviceCopy, O: ReduceOp<T>>(
    start: T,
    include_initial: bool,
    (items, chunk): (usize, usize),
    value: impl Fn(usize) -> T,
    visit: impl Fn(usize) -> usize,
) -> T {
    let mut result = start;
    // SAFETY: the result lives through the function, which touches it again only after the reduction.
    let reducer = unsafe { Reducer::<T, O>::from_raw(&raw mut result, include_initial, None) };
    let chunks = items.div_ceil(chunk);
    let mut reductions: Vec<Arc<dyn Reduction>> = Vec::new();
    let reducer = KernelParam::with_chunks(reducer, chunks, &mut reductions);
    with_memory(|memory| {
        for id in (0..chunks).map(visit) {
            let first = id * chunk;
            // SAFETY: one group at a time, inside `with_memory`.
            let group = unsafe { GroupCx::range([first], [chunk.min(items - first)], [items], id, memory) };
            let bound = reducer.bind(&group);
            for i in 0..group.size() {
                bound.combine(value(first + i), i);
            }
        }
    });
    // SAFETY: all chunks are done; once.
    unsafe { reductions[0].finish() };
    result
}

#[test]
fn sums_follow_the_fixed_tree_whatever_order_the_chunks_run_in() {
    let (items, chunk) = (1000, 150);
    let forward = reduce::<f32, Plus>(9.0, false, (items, chunk), awkward, |id| id);
    let backward = reduce::<f32, Plus>(9.0, false, (items, chunk), awkward, |id| 6 - id);
    let sums: Vec<f32> = (0..7)
        .map(|id| {
            let mut lanes = [0.0; LANES];
            for i in id * chunk..items.min((id + 1) * chunk) {
                lanes[(i - id * chunk) % LANES] += awkward(i);
            }
            tree(&lanes, |a, b| a + b)
        })
        .collect();
    assert_eq!(forward.to_bits(), tree(&sums, |a, b| a + b).to_bits());
    assert_eq!(forward.to_bits(), backward.to_bits());
}

#[test]
fn the_value_before_takes_part_only_when_asked() {
    let sum = |include| reduce::<u64, Plus>(10, include, (100, 7), |i| i as u64, |id| id);
    assert_eq!((sum(true), sum(false)), (4960, 4950));
    let least = |include| reduce::<f32, Minimum>(-7.0, include, (5, 2), |i| i as f32, |id| id);
    assert_eq!((least(true), least(false)), (-7.0, 0.0));
}

#[test]
fn a_reduction_over_no_items_is_the_initial_value_or_the_identity() {
    let none = |include| reduce::<i32, Plus>(10, include, (0, 8), |_| unreachable!("no items"), |id| id);
    assert_eq!((none(true), none(false)), (10, 0));
}

#[test]
fn sums_of_halves_are_kept_wide_and_rounded_once() {
    // A partial result in bf16 would stop growing at 256, one in f16 at 2048.
    let ones = reduce::<bf16, Plus>(bf16::ONE, true, (640_000, 320_000), |_| bf16::ONE, |id| id);
    assert_eq!(ones, bf16::from_f32(640_001.0));
    let halves = reduce::<f16, Plus>(f16::ZERO, false, (192_000, 192_000), |_| f16::from_f32(0.25), |id| id);
    assert_eq!(halves, f16::from_f32(48_000.0));
    let lanes = |_| Vector::new([bf16::ONE, bf16::from_f32(-0.5)]);
    let sums = reduce::<Vector<bf16, 2>, Plus>(lanes(0), false, (64_000, 64_000), lanes, |id| id);
    assert_eq!(sums, Vector::new([64_000.0, -32_000.0].map(bf16::from_f32)));
}
