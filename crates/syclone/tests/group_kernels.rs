//! Joint scans, several reductions at once and barriers that some items miss, in every way that a kernel can run.

use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

/// Runs `test` once a way, on a queue of the CPU device.
fn in_every_way(test: impl Fn(&Queue)) {
    let device = Device::select("cpu").expect("the CPU device is always there");
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
    let device = Device::select("cpu").expect("the CPU device is always there");
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
