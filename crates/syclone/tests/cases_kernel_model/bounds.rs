//! Indices out of bounds: zeros, dropped writes, and an error that comes soon.

use std::time::{Duration, Instant};

use syclone::prelude::*;

use crate::rig::{assert_says, failure, in_every_way, run};

#[kernel(fallback)]
fn read_far(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let shared = local::<[u32; 64]>();
    let place = if item.global_id(0) == 77 { x.len() + 1000 } else { item.global_id(0) };
    shared[item.local_id(0)] = x[place];
    item.barrier();
    out[item] = shared[item.local_id(0)] + 1;
}

#[kernel(fallback)]
fn write_far(item: NdItem<1>, out: ScatterMut<u32>) {
    let place = if item.global_id(0) == 77 { out.len() + 1000 } else { item.global_id(0) };
    out[place] = 5;
    item.barrier();
    let below = 0usize.wrapping_sub(item.global_id(0) % 3 + 1);
    out[below] = 6;
}

#[kernel(fallback)]
fn index_local_far(item: NdItem<1>, out: ItemMut<u32>) {
    let shared = local::<[u32; 8]>();
    let mut private = [0u32; 4];
    shared[item.local_id(0)] = 1;
    private[item.local_id(0)] = 1;
    item.barrier();
    out[item] = private[item.local_id(0) % 4];
}

#[kernel]
fn add_one(item: Item<1>, data: ItemMut<u32>) {
    data[item] += 1;
}

#[test]
fn an_index_out_of_bounds_reads_zero_drops_writes_and_names_kernel_and_parameter() {
    in_every_way(|queue, way| {
        // Parameters lie between guards in one larger allocation, where a stray access would be seen.
        const GUARD: usize = 4096;
        let memory = Buffer::from_vec(vec![0xdead_beef_u32; 2 * GUARD + 256]);
        let middle = memory.slice(GUARD..GUARD + 256).expect("a part");
        let out = Buffer::<u32>::new(256);
        middle.copy_from_slice(&[3; 256]).expect("copies");
        let text = failure(queue, |h| h.parallel_for(NdRange::new(256, 64), read_far(middle.read(h), out.write(h))));
        assert_says(&text, &["read_far", "'x'"]);
        queue.fill(&out, 0).expect("submits");
        // SAFETY: every element has one writer, or none.
        let text = failure(queue, |h| unsafe {
            h.parallel_for_unchecked(NdRange::new(256, 64), write_far(middle.scatter(h)))
        });
        assert_says(&text, &["write_far", "'out'"]);
        queue.fill(&middle, 0).expect("submits");
        let memory = memory.to_vec().expect("the part was written anew");
        assert!(memory[..GUARD].iter().chain(&memory[GUARD + 256..]).all(|&word| word == 0xdead_beef), "{way:?}");
        let text = failure(queue, |h| h.parallel_for(NdRange::new(64, 16), index_local_far(out.write(h))));
        assert_says(&text, &["index_local_far", "local or private array"]);
        queue.fill(&out, 4).expect("submits");
        run(queue, |h| h.parallel_for(256, add_one(out.read_write(h))));
        assert!(out.host_read().expect("the next kernel works")[..] == [5; 256], "{way:?}");
    });
}

/// One item of 8 × 8 goes to another place, which one of its two indices puts outside.
#[kernel]
fn stray(item: Item<2>, row: usize, column: usize, x: View<i32, 2>, y: ScatterMut<i32, 2>) {
    let mut at = [item.id(0), item.id(1)];
    if at[0] == 3 && at[1] == 5 {
        at = [row, column];
    }
    y[at] = x[at] + 1;
}

#[test]
fn each_index_of_a_part_of_a_larger_matrix_has_its_own_bound() {
    in_every_way(|queue, way| {
        // Inside of the whole matrix, beyond it, and where the offset in bytes would wrap.
        for (row, column) in
            [(3, 8), (8, 5), (100, 0), (0, 1000), (usize::MAX, 5), (usize::MAX / 80 + 1, 0), (0, usize::MAX)]
        {
            let all = Buffer::from_vec_with(vec![1234; 30 * 20], [30, 20]).expect("as many elements");
            let part = all.slice(10..18).and_then(|rows| rows.columns(7..15)).expect("it is inside");
            let x = all.slice(1..9).and_then(|rows| rows.columns(2..10)).expect("it is inside");
            // SAFETY: every element has one writer, or none.
            let text = failure(queue, |h| unsafe {
                h.parallel_for_unchecked([8, 8], stray(row, column, x.read(h), part.scatter(h)))
            });
            assert_says(&text, &["stray", "'x'"]);
            queue.fill(&part, 0).expect("submits");
            for (i, value) in all.to_vec().expect("the part was written anew").into_iter().enumerate() {
                let inside = (10..18).contains(&(i / 20)) && (7..15).contains(&(i % 20));
                assert_eq!(value, if inside { 0 } else { 1234 }, "{way:?}: [{row}, {column}] reached element {i}");
            }
        }
    });
}

#[kernel(fallback)]
fn go_on(item: NdItem<1>, x: View<u32>, sums: ItemMut<u32>, marks: ScatterMut<u32>) {
    let shared = local::<[u32; 8]>();
    let mut private = [0u32; 4];
    let me = item.local_id(0);
    let place = if me == 77 { x.len() + 1000 } else { me };
    shared[me] = me as u32 + 1;
    private[me] = 100;
    item.barrier();
    sums[item] = 1_000_000 + shared[me] + private[me] + x[place];
    marks[place] = 5;
}

/// What a failed kernel wrote can be seen in memory that the host lent to it.
#[test]
fn every_item_of_a_group_goes_on_after_an_index_out_of_bounds_with_zero_for_what_it_read() {
    in_every_way(|queue, way| {
        let x: Vec<u32> = (0..256).map(|i| 1000 * i + 1000).collect();
        let (mut sums, mut marks) = ([u32::MAX; 256], [3u32; 256]);
        syclone::scope(|s| {
            let x = s.buffer(&x, 256).expect("lent");
            let (sums, marks) =
                (s.buffer_mut(&mut sums, 256).expect("lent"), s.buffer_mut(&mut marks, 256).expect("lent"));
            // SAFETY: every mark has one writer, or none.
            let text = failure(queue, |h| unsafe {
                let kernel = go_on(x.read(h), sums.write(h), marks.scatter(h));
                h.parallel_for_unchecked(NdRange::new(256, 256), kernel)
            });
            assert_says(&text, &["go_on"]);
        });
        for i in 0..256 {
            let shared = if i < 8 { i as u32 + 1 } else { 0 };
            let private = if i < 4 { 100 } else { 0 };
            let global = if i == 77 { 0 } else { x[i] };
            assert_eq!(sums[i], 1_000_000 + shared + private + global, "{way:?}: item {i} reads");
            assert_eq!(marks[i], if i == 77 { 3 } else { 5 }, "{way:?}: item {i} writes");
        }
    });
}

/// A test that would hang takes the whole run with it, so it is worth a clock.
#[test]
fn errors_come_within_seconds() {
    in_every_way(|queue, way| {
        let start = Instant::now();
        let out = Buffer::<u32>::new(64);
        for _ in 0..100 {
            failure(queue, |h| h.parallel_for(NdRange::new(64, 16), index_local_far(out.write(h))));
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{way:?}");
    });
}
