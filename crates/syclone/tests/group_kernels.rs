//! Joint scans, several reductions at once and barriers that some items miss, in every way that a kernel can run.

mod rig;

use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

/// Runs `test` once a way, on a queue of the CPU device.
fn in_every_way(test: impl Fn(&Queue)) {
    let device = rig::device();
    for way in Way::ALL {
        eprintln!("{way:?}");
        with_way(way, || test(&Queue::new(&device).expect("a queue")));
    }
}

#[kernel(fallback)]
fn joint_scans(item: NdItem<1>, x: View<i32>, tile: LocalAccessor<i32>, out: ScatterMut<i32>, sum: GroupMut<i32>) {
    let g = item.group();
    g.joint_exclusive_scan(x, out, Plus);
    if item.local_id(0) == 0 {
        tile[0] = 5;
    }
    item.barrier();
    g.joint_exclusive_scan(tile, tile, Plus);
    let total = g.joint_reduce(tile.span(0, 2), Plus);
    sum[item] = total * 10 + tile[0];
}

#[test]
fn joint_scans_work_in_place_and_over_more_elements_than_items() {
    in_every_way(|queue| {
        let (x, out, sum) = (Buffer::from_vec(vec![1; 10]), Buffer::<i32>::new(10), Buffer::<i32>::new(1));
        queue
            .submit(|h| {
                let kernel = joint_scans(x.read(h), LocalAccessor::new(2), out.scatter(h), sum.write(h));
                // SAFETY: `out` is written by the group's scan alone.
                unsafe { h.parallel_for_unchecked(NdRange::new([5], [5]), kernel) }
            })
            .expect("submits")
            .wait()
            .expect("runs");
        assert_eq!(out.host_read().expect("reads")[..], (0..10).collect::<Vec<_>>());
        assert_eq!(sum.host_read().expect("reads")[0], 50);
    });
}

#[kernel]
fn sums(item: Item<1>, x: View<f32>, sum: Reducer<f32, Plus>, least: Reducer<f32, Minimum>) {
    sum.combine(x[item]);
    least.combine(x[item]);
}

#[test]
fn several_reductions_at_once_repeat_bit_for_bit() {
    let device = rig::device();
    let queue = Queue::new(&device).expect("a queue");
    let values: Vec<f32> = (0..100_003).map(|i| ((i * 7919) % 1013) as f32 * 0.37 - 100.0).collect();
    let reference: f64 = values.iter().map(|&v| v as f64).sum();
    let magnitude: f64 = values.iter().map(|&v| v.abs() as f64).sum();
    let x = Buffer::from_vec(values.clone());
    let run = || {
        let (sum, least) = (Buffer::from_vec(vec![5.0f32]), Buffer::from_vec(vec![-1000.0f32]));
        queue
            .submit(|h| {
                let kernel = sums(x.read(h), sum.reduce(h, Plus), least.reduce(h, Minimum));
                h.parallel_for(values.len(), kernel)
            })
            .expect("submits")
            .wait()
            .expect("runs");
        (sum.host_read().expect("reads")[0], least.host_read().expect("reads")[0])
    };
    let (first, least) = run();
    assert!((first as f64 - reference).abs() <= 5.0 + 1e-6 * magnitude, "{first} for {reference}");
    assert!(least == -100.0 || least == -1000.0);
    for _ in 0..5 {
        assert_eq!(run().0.to_bits(), first.to_bits());
    }
}

#[kernel(fallback)]
fn some_return_early(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] == 0 {
        return;
    }
    item.barrier();
    out[item] = x[item];
}

#[test]
fn a_barrier_that_some_items_miss_ends_in_an_error_and_one_that_all_or_none_reach_does_not() {
    in_every_way(|queue| {
        let run = |x: [u32; 8]| {
            let (x, out) = (Buffer::from_slice(&x), Buffer::from_vec(vec![7u32; 8]));
            let shape = NdRange::new([8], [4]);
            let event = queue.submit(|h| h.parallel_for(shape, some_return_early(x.read(h), out.write(h))));
            event.expect("submits").wait().map(|()| out.host_read().expect("reads").to_vec())
        };
        assert_eq!(run([0, 0, 0, 0, 1, 2, 3, 4]).expect("whole groups"), [7, 7, 7, 7, 1, 2, 3, 4]);
        let error = run([1, 1, 1, 1, 1, 0, 1, 0]).expect_err("two items of a group return").to_string();
        assert!(error.contains("some_return_early") && error.contains('2') && error.contains('4'), "{error}");
    });
}

#[kernel(fallback)]
fn broadcasts(item: NdItem<1>, x: View<u32>, ids: View<u32>, whole: ItemMut<u32>, part: ItemMut<u32>) {
    let id = ids[item.group_id(0)] as usize;
    whole[item] = item.group().broadcast(x[item] + 1, id);
    part[item] = item.sub_group().broadcast(x[item] + 1, id);
}

#[test]
fn a_broadcast_from_nobody_is_zero_in_a_group_and_ones_own_in_a_sub_group() {
    const SIZE: usize = 6;
    let ids = [0u32, 3, 5, 6, 7, u32::MAX];
    let x: Vec<u32> = (0..(SIZE * ids.len()) as u32).map(|i| i * 7).collect();
    rig::in_every_way(|queue, way| {
        let (values, named) = (Buffer::from_vec(x.clone()), Buffer::from_vec(ids.to_vec()));
        let (whole, part) = (Buffer::from_vec(vec![77; x.len()]), Buffer::from_vec(vec![77; x.len()]));
        rig::run(queue, |h| {
            let shape = NdRange::new(x.len(), SIZE).sub_group_size(4);
            h.parallel_for(shape, broadcasts(values.read(h), named.read(h), whole.write(h), part.write(h)))
        });
        let (whole, part) = (whole.host_read().unwrap(), part.host_read().unwrap());
        for i in 0..x.len() {
            let (group, local) = (i / SIZE, i % SIZE);
            let id = ids[group] as usize;
            let named = if id < SIZE { x[group * SIZE + id] + 1 } else { 0 };
            assert_eq!(whole[i], named, "{way:?}, item {i}");
            // Sub-groups of four and of two.
            let (start, len) = if local < 4 { (0, 4) } else { (4, 2) };
            let lane = if id < len { group * SIZE + start + id } else { i };
            assert_eq!(part[i], x[lane] + 1, "{way:?}, item {i}");
        }
    });
}

#[kernel(fallback)]
fn extremes(item: NdItem<1>, x: View<f32>, low: AtomicView<f32>, high: AtomicView<f64>) {
    let i = item.global_id(0);
    low.atomic(i).fetch_min(x[item]);
    high.atomic(i).fetch_max(x[item] as f64);
}

#[test]
fn atomic_extremes_keep_the_stored_zero_and_let_nan_lose_in_every_way() {
    let special = [0.0f32, -0.0, f32::NAN, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY];
    let pairs: Vec<(f32, f32)> = special.iter().flat_map(|&old| special.map(|new| (old, new))).collect();
    rig::in_every_way(|queue, way| {
        let x = Buffer::from_vec(pairs.iter().map(|pair| pair.1).collect());
        let low = Buffer::from_vec(pairs.iter().map(|pair| pair.0).collect());
        let high = Buffer::from_vec(pairs.iter().map(|pair| f64::from(pair.0)).collect());
        rig::run(queue, |h| {
            h.parallel_for(NdRange::new(pairs.len(), 7), extremes(x.read(h), low.atomic(h), high.atomic(h)))
        });
        let (low, high) = (low.host_read().unwrap(), high.host_read().unwrap());
        for (i, &(old, new)) in pairs.iter().enumerate() {
            // The stored value goes for a better number only, or if it is none.
            let least = if old.is_nan() || new < old { new } else { old };
            let most = if old.is_nan() || new > old { new } else { old };
            assert_eq!(format!("{:?}", low[i]), format!("{least:?}"), "{way:?}: min of {old} and {new}");
            assert_eq!(format!("{:?}", high[i]), format!("{:?}", f64::from(most)), "{way:?}: max of {old} and {new}");
        }
    });
}

#[kernel(fallback)]
fn wrapping_sums(
    item: NdItem<1>,
    x: View<u32>,
    out: ItemMut<u32>,
    sum: Reducer<u32, Plus>,
    product: Reducer<i8, Multiplies>,
) {
    let g = item.group();
    let v = x[item];
    sum.combine(v);
    product.combine(v as i8);
    out[item] =
        g.reduce(v, Plus) ^ g.inclusive_scan(v, Plus) ^ g.reduce(v, Multiplies) ^ item.sub_group().reduce(v, Plus);
}

#[test]
fn sums_and_products_of_integers_wrap_in_debug_builds_too() {
    let values = [u32::MAX, 3, 1 << 31, 7, u32::MAX - 1, 100];
    let fold = |x: &[u32], f: fn(u32, u32) -> u32| x.iter().copied().reduce(f).expect("not empty");
    let expected: Vec<u32> = (0..6)
        .map(|i| {
            let group = &values[i / 3 * 3..i / 3 * 3 + 3];
            let all = fold(group, u32::wrapping_add);
            all ^ fold(&group[..=i % 3], u32::wrapping_add) ^ fold(group, u32::wrapping_mul) ^ all
        })
        .collect();
    let product = values.iter().fold(1i8, |a, &v| a.wrapping_mul(v as i8));
    in_every_way(|queue| {
        let (x, out) = (Buffer::from_vec(values.to_vec()), Buffer::<u32>::new(6));
        let (sum, times) = (Buffer::<u32>::new(1), Buffer::<i8>::new(1));
        queue
            .submit(|h| {
                let kernel = wrapping_sums(x.read(h), out.write(h), sum.reduce(h, Plus), times.reduce(h, Multiplies));
                h.parallel_for(NdRange::new(6, 3), kernel)
            })
            .expect("submits")
            .wait()
            .expect("integers wrap");
        assert_eq!(out.host_read().expect("reads")[..], expected[..]);
        assert_eq!(sum.host_read().expect("reads")[0], fold(&values, u32::wrapping_add));
        assert_eq!(times.host_read().expect("reads")[0], product);
    });
}

#[kernel(fallback)]
fn all_write_their_groups_element(item: NdItem<1>, x: View<i32>, same: GroupMut<i32>, different: GroupMut<[i32; 4]>) {
    let sum = item.group().reduce(x[item], Plus);
    same[item.group()] = sum;
    different[item] = [x[item]; 4];
}

/// What `GroupMut` promises: agreement is kept, and disagreement leaves one of the values, whole.
#[test]
fn items_that_write_their_groups_element_at_once_leave_one_of_their_values_in_every_way() {
    let x: Vec<i32> = (0..60).map(|i| i * 31 % 17).collect();
    in_every_way(|queue| {
        let (same, different) = (Buffer::<i32>::new(10), Buffer::<[i32; 4]>::new(10));
        let input = Buffer::from_slice(&x);
        rig::run_with_reports(queue, |h| {
            let (same, different) = (same.write(h), different.write(h));
            h.parallel_for(NdRange::new(60, 6), all_write_their_groups_element(input.read(h), same, different))
        });
        for ((group, sum), left) in x.chunks(6).zip(same.to_vec().unwrap()).zip(different.to_vec().unwrap()) {
            assert_eq!(sum, group.iter().sum::<i32>());
            assert!(group.contains(&left[0]) && left == [left[0]; 4], "{left:?} of {group:?}");
        }
    });
}
