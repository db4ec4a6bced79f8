//! Atomics, and local memory that belongs to one group.

use syclone::prelude::*;

use crate::rig::{in_every_way, run};

#[kernel]
fn greatest(item: Item<1>, x: View<f32>, cell: AtomicView<f32>) {
    cell.atomic(0).fetch_max(x[item]);
}

#[kernel]
fn least(item: Item<1>, x: View<f32>, cell: AtomicView<f32>) {
    cell.atomic(0).fetch_min(x[item]);
}

#[kernel]
fn sum(item: Item<1>, x: View<f32>, cell: AtomicView<f32>) {
    cell.atomic(0).fetch_add(x[item]);
}

#[kernel]
fn replace(_item: Item<1>, current: f32, new: f32, cell: AtomicView<f32>, done: AtomicView<u32>) {
    let (_, replaced) = cell.atomic(0).compare_exchange(current, new);
    if replaced {
        done.atomic(0).fetch_add(1);
    }
}

#[kernel]
fn add_wide(_item: Item<1>, cell: AtomicView<i64>) {
    cell.atomic(0).fetch_add(1 << 33);
}

#[kernel]
fn take_numbers(item: Item<1>, counter: AtomicView<u32>, numbers: ItemMut<u32>) {
    numbers[item] = counter.atomic(0).fetch_add(1);
}

#[test]
fn float_atomics_compare_values_and_end_with_nan() {
    in_every_way(|queue, way| {
        let cell =
            |start: f32, values: Vec<f32>, launch: fn(&Handler<'_>, &Buffer<f32>, &Buffer<f32>) -> Result<()>| {
                let (x, cell) = (Buffer::from_vec(values), Buffer::from_vec(vec![start]));
                run(queue, |h| launch(h, &x, &cell));
                cell.to_vec().expect("reads")[0]
            };
        let max = |h: &Handler<'_>, x: &Buffer<f32>, cell: &Buffer<f32>| {
            h.parallel_for(x.len(), greatest(x.read(h), cell.atomic(h)))
        };
        let min = |h: &Handler<'_>, x: &Buffer<f32>, cell: &Buffer<f32>| {
            h.parallel_for(x.len(), least(x.read(h), cell.atomic(h)))
        };
        let add = |h: &Handler<'_>, x: &Buffer<f32>, cell: &Buffer<f32>| {
            h.parallel_for(x.len(), sum(x.read(h), cell.atomic(h)))
        };
        assert_eq!(cell(-1.0, (0..512).map(|i| i as f32).collect(), max), 511.0, "{way:?}");
        assert_eq!(cell(f32::NEG_INFINITY, (-5..0).map(|i| i as f32).collect(), max), -1.0, "{way:?}");
        assert_eq!(cell(9.0, (-5..=5).map(|i| i as f32).collect(), min), -5.0, "{way:?}");
        let with_nan = || (0..256).map(|i| if i == 77 { f32::NAN } else { i as f32 }).collect::<Vec<_>>();
        // A NaN loses against any number; once added, it stays.
        assert_eq!(cell(-1.0, with_nan(), max), 255.0, "{way:?}");
        assert_eq!(cell(f32::NAN, vec![3.0, 4.0], min), 3.0, "{way:?}");
        assert!(cell(0.0, with_nan(), add).is_nan(), "{way:?}");
        // Zeros of both signs are equal, so the one that is there stays.
        assert_eq!(cell(-0.0, vec![0.0], max).to_bits(), (-0.0f32).to_bits(), "{way:?}");
        assert_eq!(cell(0.0, vec![-0.0], min).to_bits(), 0.0f32.to_bits(), "{way:?}");
        let replaced = |start: f32, current: f32| {
            let (cell, done) = (Buffer::from_vec(vec![start]), Buffer::<u32>::new(1));
            run(queue, |h| h.parallel_for(256, replace(current, 7.0, cell.atomic(h), done.atomic(h))));
            (cell.to_vec().expect("reads")[0], done.to_vec().expect("reads")[0])
        };
        assert_eq!(replaced(f32::NAN, f32::NAN), (7.0, 1), "{way:?}: bits are compared");
        assert_eq!(replaced(0.0, -0.0), (0.0, 0), "{way:?}: bits are compared");
    });
}

#[kernel]
fn extremes_f64(item: Item<1>, x: View<f64>, cells: AtomicView<f64>) {
    cells.atomic(0).fetch_max(x[item]);
    cells.atomic(1).fetch_min(x[item]);
    cells.atomic(2).fetch_add(x[item]);
}

#[kernel(fallback)]
fn extremes_in_local_memory(item: NdItem<1>, x: View<f32>, out: GroupMut<[f32; 3]>) {
    let cells = local::<[f32; 3]>();
    if item.local_id(0) == 0 {
        cells[0] = -1000.0;
        cells[1] = 1000.0;
        cells[2] = 0.0;
    }
    item.barrier();
    cells.atomic(0).fetch_max(x[item]);
    cells.atomic(1).fetch_min(x[item]);
    cells.atomic(2).fetch_add(x[item]);
    item.barrier();
    if item.local_id(0) == 0 {
        out[item] = [cells[0], cells[1], cells[2]];
    }
}

#[test]
fn float_atomics_of_both_widths_and_of_local_memory_find_extremes_of_both_signs() {
    in_every_way(|queue, way| {
        let x = Buffer::from_vec((-5..=500).map(|i| -f64::from(i) - 0.5).collect::<Vec<_>>());
        let cells = Buffer::from_vec(vec![f64::NEG_INFINITY, f64::INFINITY, 0.0]);
        run(queue, |h| h.parallel_for(x.len(), extremes_f64(x.read(h), cells.atomic(h))));
        // The sum of −i − 1/2 for i from −5 to 500.
        assert_eq!(cells.to_vec().expect("reads"), [4.5, -500.5, -125_488.0], "{way:?}");
        let x = Buffer::from_vec((0..96).map(|i| i as f32 - 70.0).collect::<Vec<_>>());
        let out = Buffer::<[f32; 3]>::new(3);
        run(queue, |h| h.parallel_for(NdRange::new(96, 32), extremes_in_local_memory(x.read(h), out.write(h))));
        let expected = [[-39.0, -70.0, -1744.0], [-7.0, -38.0, -720.0], [25.0, -6.0, 304.0]];
        assert_eq!(out.to_vec().expect("reads"), expected, "{way:?}");
    });
}

#[test]
fn wide_atomics_keep_both_halves_and_old_values_are_a_permutation() {
    in_every_way(|queue, way| {
        let cell = Buffer::<i64>::new(1);
        run(queue, |h| h.parallel_for(10_000, add_wide(cell.atomic(h))));
        assert_eq!(cell.host_read().expect("reads")[0], 85_899_345_920_000, "{way:?}");
        let (counter, numbers) = (Buffer::<u32>::new(1), Buffer::<u32>::new(4096));
        run(queue, |h| h.parallel_for(4096, take_numbers(counter.atomic(h), numbers.write(h))));
        let mut numbers = numbers.to_vec().expect("reads");
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..4096), "{way:?}");
    });
}

#[kernel]
fn all_of_64_bits(item: Item<1>, x: View<i64>, signed: AtomicView<i64>, unsigned: AtomicView<u64>) {
    let bit = 1u64 << (item.global_id(0) % 64);
    signed.atomic(0).fetch_max(x[item]);
    signed.atomic(1).fetch_min(x[item]);
    signed.atomic(2).fetch_sub(x[item]);
    unsigned.atomic(0).fetch_max(bit);
    unsigned.atomic(1).fetch_xor(bit);
    unsigned.atomic(2).fetch_sub(1);
}

#[test]
fn atomics_of_64_bits_know_the_sign_and_both_halves() {
    in_every_way(|queue, way| {
        let x: Vec<i64> = (0..1000).map(|i| (i - 700) << 33).collect();
        let expected = [299 << 33, -700 << 33, -x.iter().sum::<i64>()];
        let x = Buffer::from_vec(x);
        let (signed, unsigned) = (Buffer::from_vec(vec![i64::MIN, i64::MAX, 0]), Buffer::<u64>::new(3));
        run(queue, |h| h.parallel_for(1000, all_of_64_bits(x.read(h), signed.atomic(h), unsigned.atomic(h))));
        assert_eq!(signed.to_vec().expect("reads"), expected, "{way:?}");
        // The lower 40 bits are flipped 16 times, the others 15 times.
        let unsigned = unsigned.to_vec().expect("reads");
        assert_eq!(unsigned, [1 << 63, u64::MAX << 40, 0u64.wrapping_sub(1000)], "{way:?}");
    });
}

#[kernel(fallback)]
fn local_is_the_groups(item: NdItem<1>, out: GroupMut<u32>, other: LocalAccessor<u32>) {
    let a = local::<[u32; 2]>();
    let b = local::<[u32; 3]>();
    let g = item.group_id(0) as u32;
    if item.local_id(0) == 0 {
        a[0] = g;
        b[0] = g + 1000;
        other[0] = g + 2000;
    }
    item.barrier();
    let mut busy = 1u32;
    for k in 0..(item.group_id(0) % 7) * 20 {
        busy = busy * 3 + k as u32 % 5;
        busy = busy % 1000;
    }
    b[1 + item.local_id(0)] = busy;
    item.barrier();
    if item.local_id(0) == 1 {
        let same = b[0] == a[0] + 1000 && other[0] == a[0] + 2000;
        out[item] = if same { a[0] } else { 999_999 };
    }
}

#[test]
fn local_memory_never_leaks_into_another_group() {
    in_every_way(|queue, way| {
        let other = Queue::new(queue.device()).expect("a queue");
        let outs = [Buffer::<u32>::new(64), Buffer::<u32>::new(64)];
        for round in 0..100 {
            let mut events = Vec::new();
            for (queue, out) in [queue, &other].into_iter().zip(&outs) {
                queue.fill(out, u32::MAX).expect("submits");
                let launch = queue.submit(|h| {
                    h.parallel_for(NdRange::new(128, 2), local_is_the_groups(out.write(h), LocalAccessor::new(1)))
                });
                events.push(launch.expect("submits"));
            }
            for (event, out) in events.iter().zip(&outs) {
                event.wait().expect("runs");
                assert!(out.host_read().expect("reads").iter().copied().eq(0..64), "{way:?}, round {round}");
            }
        }
    });
}

/// Local memory of four kinds, filled by two items and compared by a third. What differs is counted from 100 000 on.
#[kernel(fallback)]
fn compare_all_kinds(
    item: NdItem<2>,
    bytes: LocalAccessor<u8>,
    matrix: LocalAccessor<f64, 2>,
    out: GroupMut<usize, 2>,
) {
    let fixed = local::<[u16; 5]>();
    let nested = local::<[[u64; 3]; 2]>();
    let g = item.group_linear_id();
    let me = item.local_linear_id();
    if me == 0 {
        for i in 0..bytes.len() {
            bytes[i] = (g + i) as u8;
        }
        for i in 0..5 {
            fixed[i] = (g * 5 + i) as u16;
        }
    }
    if me == 1 {
        for i in 0..matrix.extent(0) {
            for j in 0..matrix.extent(1) {
                matrix[[i, j]] = (g * 100 + i * 10 + j) as f64;
            }
        }
        for i in 0..2 {
            for j in 0..3 {
                nested[i][j] = (g * 1000 + i * 10 + j) as u64;
            }
        }
    }
    item.barrier();
    let mut busy = 1u32;
    for k in 0..(g % 11) * 50 {
        busy = (busy * 3 + k as u32 % 5) % 1000;
    }
    item.barrier();
    if me == 2 {
        let mut wrong = (busy > 1000) as usize;
        for i in 0..bytes.len() {
            wrong += (bytes[i] != (g + i) as u8) as usize;
        }
        for i in 0..5 {
            wrong += (fixed[i] != (g * 5 + i) as u16) as usize;
        }
        for i in 0..matrix.extent(0) {
            for j in 0..matrix.extent(1) {
                wrong += (matrix[[i, j]] != (g * 100 + i * 10 + j) as f64) as usize;
            }
        }
        for i in 0..2 {
            for j in 0..3 {
                wrong += (nested[i][j] != (g * 1000 + i * 10 + j) as u64) as usize;
            }
        }
        out[item.group()] = g + 100_000 * wrong;
    }
}

#[test]
fn local_memory_of_any_type_and_size_is_the_groups_own() {
    in_every_way(|queue, way| {
        let queues: [Queue; 3] = std::array::from_fn(|_| Queue::new(queue.device()).expect("a queue"));
        for round in 0..20 {
            let outs: [Buffer<usize, 2>; 3] = std::array::from_fn(|_| Buffer::new([7, 9]));
            for (queue, out) in queues.iter().zip(&outs) {
                // Odd sizes, so that what follows the bytes would lie askew if nobody aligned it.
                let (bytes, matrix) = (LocalAccessor::new(3 + round % 5), LocalAccessor::new([2 + round % 3, 3]));
                let launch = |h: &Handler<'_>| {
                    h.parallel_for(NdRange::new([7, 27], [1, 3]), compare_all_kinds(bytes, matrix, out.write(h)))
                };
                queue.submit(launch).expect("submits");
            }
            for out in outs {
                assert!(out.to_vec().expect("runs").into_iter().eq(0..63), "{way:?}, round {round}");
            }
        }
    });
}
