//! Group scans in place, exclusive, and over more elements than items.

use super::{all_values, one_group, per_item, with_memory};
use crate::abi::{Uniform, group};
use crate::kernel::{Local, LocalAccessor, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::{Maximum, Multiplies, Plus};

fn fill<T: DeviceCopy, const N: usize>(local: Local<[T; N]>, values: [T; N]) {
    // SAFETY: local memory of the running group.
    unsafe { *local.raw_span().ptr.cast() = values };
}

fn read<T: DeviceCopy, const N: usize>(local: Local<[T; N]>) -> [T; N] {
    // SAFETY: local memory of the running group.
    unsafe { *local.raw_span().ptr.cast() }
}

#[test]
fn an_exclusive_scan_in_place_does_not_overwrite_its_input_too_early() {
    with_memory(|memory| {
        let g = one_group(memory, 2, 4);
        let tile = g.local::<[i32; 2]>();
        fill(tile, [5, 0]);
        group::joint_exclusive_scan(&g, Uniform(tile), Uniform(tile), Plus);
        assert_eq!(read(tile), [0, 5]);
    });
}

#[test]
fn a_joint_scan_covers_more_elements_than_the_group_has_items() {
    with_memory(|memory| {
        let g = one_group(memory, 5, 4);
        let ones = g.local::<[i32; 10]>();
        let out = g.bind_local(&LocalAccessor::<i32>::new(10));
        fill(ones, [1; 10]);
        group::joint_exclusive_scan(&g, Uniform(ones), Uniform(out), Plus);
        let out = out.raw_span();
        // SAFETY: local memory of the running group.
        let out: Vec<i32> = (0..10).map(|i| unsafe { *out.ptr.add(i) }).collect();
        assert_eq!(out, (0..10).collect::<Vec<_>>());
    });
}

#[test]
fn an_exclusive_product_begins_with_one() {
    with_memory(|memory| {
        let g = one_group(memory, 3, 4);
        let x = per_item(&g, |i| [2, 3, 4][i]);
        assert_eq!(all_values(&g, group::exclusive_scan(&g, x, Multiplies)), [1, 2, 6]);
    });
}

#[test]
fn an_inclusive_scan_takes_its_initial_value_first() {
    with_memory(|memory| {
        let g = one_group(memory, 3, 4);
        let x = per_item(&g, |i| i as u32 + 1);
        assert_eq!(all_values(&g, group::inclusive_scan_init(&g, x, Uniform(10), Plus)), [11, 13, 16]);
    });
}

#[test]
fn an_exclusive_maximum_begins_with_the_lowest_value() {
    with_memory(|memory| {
        let g = one_group(memory, 3, 4);
        let ints = per_item(&g, |i| [-3i32, -5, -1][i]);
        assert_eq!(all_values(&g, group::exclusive_scan(&g, ints, Maximum)), [i32::MIN, -3, -3]);
        let floats = per_item(&g, |i| [-3.0f32, -5.0, -1.0][i]);
        assert_eq!(all_values(&g, group::exclusive_scan(&g, floats, Maximum)), [f32::NEG_INFINITY, -3.0, -3.0]);
    });
}

#[test]
fn an_exclusive_scan_of_ones_over_partial_sub_groups_is_the_local_id() {
    with_memory(|memory| {
        let g = one_group(memory, 48, 32);
        let scan = group::exclusive_scan(&g, Uniform(1usize), Plus);
        assert_eq!(all_values(&g, scan), (0..48).collect::<Vec<_>>());
    });
}
