//! Groups, sub-groups, local memory and atomics as kernels use them, in every way that a kernel can run.

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
fn describe_sub_groups(
    item: NdItem<1>,
    ids: ItemMut<[u32; 4]>,
    results: ItemMut<[u32; 4]>,
    votes: ItemMut<[bool; 3]>,
) {
    let sg = item.sub_group();
    ids[item] = [
        sg.id() as u32,
        sg.local_id() as u32,
        sg.size() as u32,
        sg.max_size() as u32,
    ];
    let sum = sg.reduce(1u32, Plus);
    let scan = sg.inclusive_scan(1u32, Plus);
    let first = sg.broadcast(item.local_id(0) as u32, 0);
    let next = sg.shuffle_down(item.local_id(0) as u32, 1);
    results[item] = [sum, scan, first, next];
    let any = sg.any(sg.local_id() == 1);
    let all = sg.all(sg.local_id() < 16);
    let ballot = sg.ballot(sg.local_id() != 0);
    votes[item] = [any, all, ballot == (1u32 << (sg.size() as u32 - 1)) * 2 - 2];
}

#[test]
fn partial_sub_groups_have_no_absent_lanes() {
    in_every_way(|queue| {
        for size in [1usize, 3, 33, 48] {
            for width in [1usize, 4, 8, 16] {
                let (ids, results, votes) = (
                    Buffer::<[u32; 4]>::new(size),
                    Buffer::<[u32; 4]>::new(size),
                    Buffer::<[bool; 3]>::new(size),
                );
                let shape = NdRange::new([size], [size]).sub_group_size(width);
                queue
                    .submit(|h| {
                        h.parallel_for(
                            shape,
                            describe_sub_groups(ids.write(h), results.write(h), votes.write(h)),
                        )
                    })
                    .expect("submits")
                    .wait()
                    .expect("runs");
                let (ids, results, votes) = (
                    ids.host_read().expect("reads"),
                    results.host_read().expect("reads"),
                    votes.host_read().expect("reads"),
                );
                for i in 0..size {
                    let (id, lane) = (i / width, i % width);
                    let n = width.min(size - id * width);
                    assert_eq!(
                        ids[i],
                        [id, lane, n, width].map(|x| x as u32),
                        "{i} of {size}, {width}"
                    );
                    let next = if lane + 1 < n { i + 1 } else { i };
                    assert_eq!(
                        results[i],
                        [n, lane + 1, id * width, next].map(|x| x as u32),
                        "{i} of {size}"
                    );
                    assert_eq!(votes[i], [n > 1, true, true], "{i} of {size}, {width}");
                }
            }
        }
    });
}

#[kernel(fallback)]
fn scan_all(item: NdItem<1>, x: View<i32>, out: ItemMut<[i32; 6]>) {
    let g = item.group();
    let v = x[item.local_id(0)];
    let product = g.exclusive_scan(v, Multiplies);
    let with_init = g.inclusive_scan_init(v, 10, Plus);
    let greatest = g.exclusive_scan(v, Maximum);
    let place = g.exclusive_scan(1, Plus);
    let total = g.reduce(v, Plus);
    let last = g.broadcast(v, g.size() - 1);
    out[item] = [product, with_init, greatest, place, total, last];
}

#[test]
fn group_scans_begin_with_their_identity_or_their_initial_value() {
    in_every_way(|queue| {
        let run = |values: &[i32]| {
            let n = values.len();
            let (x, out) = (Buffer::from_slice(values), Buffer::<[i32; 6]>::new(n));
            queue
                .submit(|h| {
                    h.parallel_for(NdRange::new([n], [n]), scan_all(x.read(h), out.write(h)))
                })
                .expect("submits")
                .wait()
                .expect("runs");
            out.host_read().expect("reads").to_vec()
        };
        let column =
            |rows: &[[i32; 6]], k: usize| rows.iter().map(|row| row[k]).collect::<Vec<_>>();
        assert_eq!(column(&run(&[2, 3, 4]), 0), [1, 2, 6]);
        assert_eq!(column(&run(&[1, 2, 3]), 1), [11, 13, 16]);
        assert_eq!(column(&run(&[-3, -5, -1]), 2), [i32::MIN, -3, -3]);
        let rows = run(&[1; 48]);
        assert_eq!(column(&rows, 3), (0..48).collect::<Vec<_>>());
        assert!(rows.iter().all(|row| row[4..] == [48, 1]));
    });
}

#[kernel(fallback)]
fn joint_scans(
    item: NdItem<1>,
    x: View<i32>,
    tile: LocalAccessor<i32>,
    out: ScatterMut<i32>,
    sum: GroupMut<i32>,
) {
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
        let (x, out, sum) = (
            Buffer::from_vec(vec![1; 10]),
            Buffer::<i32>::new(10),
            Buffer::<i32>::new(1),
        );
        queue
            .submit(|h| {
                let kernel = joint_scans(
                    x.read(h),
                    LocalAccessor::new(2),
                    out.scatter(h),
                    sum.write(h),
                );
                // SAFETY: `out` is written by the group's scan alone.
                unsafe { h.parallel_for_unchecked(NdRange::new([5], [5]), kernel) }
            })
            .expect("submits")
            .wait()
            .expect("runs");
        assert_eq!(
            out.host_read().expect("reads")[..],
            (0..10).collect::<Vec<_>>()
        );
        assert_eq!(sum.host_read().expect("reads")[0], 50);
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
    for k in 0..(item.group_id(0) % 7) * 50 {
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
fn local_memory_belongs_to_one_group() {
    in_every_way(|queue| {
        let other_queue = Queue::new(queue.device()).expect("a queue");
        for _ in 0..20 {
            let outs = [Buffer::<u32>::new(64), Buffer::<u32>::new(64)];
            for (queue, out) in [queue, &other_queue].into_iter().zip(&outs) {
                queue
                    .submit(|h| {
                        let kernel = local_is_the_groups(out.write(h), LocalAccessor::new(1));
                        h.parallel_for(NdRange::new([128], [2]), kernel)
                    })
                    .expect("submits");
            }
            for out in &outs {
                assert_eq!(
                    out.host_read().expect("reads")[..],
                    (0..64).collect::<Vec<u32>>()
                );
            }
        }
    });
}

#[kernel]
fn atomics(
    item: Item<1>,
    x: View<f32>,
    floats: AtomicView<f32>,
    ints: AtomicView<i64>,
    olds: ItemMut<i64>,
) {
    let v = x[item];
    floats.atomic(0).fetch_max(v);
    floats.atomic(1).fetch_min(v);
    floats.atomic(2).fetch_add(v);
    olds[item] = ints.atomic(0).fetch_add(1);
    ints.atomic(1)
        .order(Order::AcqRel)
        .scope(Scope::Device)
        .fetch_add(1 << 33);
    let swapped = floats.atomic(3).compare_exchange(f32::NAN, 7.0);
    if swapped.1 {
        ints.atomic(2).store(item.id(0) as i64);
    }
}

#[test]
fn atomics_on_floats_and_wide_integers_do_not_lose_or_hang() {
    in_every_way(|queue| {
        let n = 4096;
        let values: Vec<f32> = (0..n)
            .map(|i| {
                if i == 77 {
                    f32::NAN
                } else {
                    (i % 512) as f32 - 5.0
                }
            })
            .collect();
        let x = Buffer::from_vec(values);
        let floats = Buffer::from_vec(vec![f32::NEG_INFINITY, f32::INFINITY, 0.0, f32::NAN]);
        let ints = Buffer::from_vec(vec![0i64, 0, -1]);
        let olds = Buffer::<i64>::new(n);
        queue
            .submit(|h| {
                h.parallel_for(
                    n,
                    atomics(x.read(h), floats.atomic(h), ints.atomic(h), olds.write(h)),
                )
            })
            .expect("submits")
            .wait()
            .expect("runs");
        let floats = floats.host_read().expect("reads");
        assert_eq!((floats[0], floats[1], floats[3]), (506.0, -5.0, 7.0));
        assert!(floats[2].is_nan());
        let ints = ints.host_read().expect("reads");
        assert_eq!((ints[0], ints[1]), (4096, 4096 << 33));
        assert!((0..4096).contains(&ints[2]));
        let mut olds = olds.host_read().expect("reads").to_vec();
        olds.sort_unstable();
        assert_eq!(olds, (0..4096).collect::<Vec<_>>());
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
    let values: Vec<f32> = (0..100_003)
        .map(|i| ((i * 7919) % 1013) as f32 * 0.37 - 100.0)
        .collect();
    let reference: f64 = values.iter().map(|&v| v as f64).sum();
    let magnitude: f64 = values.iter().map(|&v| v.abs() as f64).sum();
    let x = Buffer::from_vec(values.clone());
    let run = || {
        let (sum, least) = (
            Buffer::from_vec(vec![5.0f32]),
            Buffer::from_vec(vec![-1000.0f32]),
        );
        queue
            .submit(|h| {
                let kernel = sums(x.read(h), sum.reduce(h, Plus), least.reduce(h, Minimum));
                h.parallel_for(values.len(), kernel)
            })
            .expect("submits")
            .wait()
            .expect("runs");
        (
            sum.host_read().expect("reads")[0],
            least.host_read().expect("reads")[0],
        )
    };
    let (first, least) = run();
    assert!(
        (first as f64 - reference).abs() <= 5.0 + 1e-6 * magnitude,
        "{first} for {reference}"
    );
    assert!(least == -100.0 || least == -1000.0);
    for _ in 0..5 {
        assert_eq!(run().0.to_bits(), first.to_bits());
    }
}

#[kernel]
fn reads_too_far(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
    let place = if item.id(0) == 77 {
        x.len() + 1000
    } else {
        item.id(0)
    };
    out[item] = x[place] + 1;
}

#[kernel]
fn writes_too_far(item: Item<1>, out: ScatterMut<u32>) {
    let place = if item.id(0) == 77 {
        out.len() + 1000
    } else {
        item.id(0)
    };
    out[place] = 9;
}

#[test]
fn an_index_out_of_bounds_is_reported_with_kernel_and_parameter_and_touches_nothing_else() {
    in_every_way(|queue| {
        let (x, out) = (Buffer::from_vec(vec![1u32; 256]), Buffer::<u32>::new(256));
        let error = |event: Result<Event>| {
            event
                .expect("submits")
                .wait()
                .expect_err("out of bounds")
                .to_string()
        };
        let read =
            error(queue.submit(|h| h.parallel_for(256, reads_too_far(x.read(h), out.write(h)))));
        assert!(
            read.contains("reads_too_far") && read.contains("'x'"),
            "{read}"
        );
        // SAFETY: each element has one writer.
        let write =
            error(queue.submit(|h| unsafe {
                h.parallel_for_unchecked(256, writes_too_far(x.scatter(h)))
            }));
        assert!(
            write.contains("writes_too_far") && write.contains("'out'"),
            "{write}"
        );
        let next = Buffer::<i32>::new(4);
        queue
            .submit(|h| h.parallel_for(4, count(next.write(h))))
            .expect("submits")
            .wait()
            .expect("an ordinary kernel still runs");
        assert_eq!(next.host_read().expect("reads")[..], [0, 1, 2, 3]);
    });
}

#[kernel]
fn count(item: Item<1>, out: ItemMut<i32>) {
    out[item] = item.id(0) as i32;
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
            let event =
                queue.submit(|h| h.parallel_for(shape, some_return_early(x.read(h), out.write(h))));
            event
                .expect("submits")
                .wait()
                .map(|()| out.host_read().expect("reads").to_vec())
        };
        assert_eq!(
            run([0, 0, 0, 0, 1, 2, 3, 4]).expect("whole groups"),
            [7, 7, 7, 7, 1, 2, 3, 4]
        );
        let error = run([1, 1, 1, 1, 1, 0, 1, 0])
            .expect_err("two items of a group return")
            .to_string();
        assert!(
            error.contains("some_return_early") && error.contains('2') && error.contains('4'),
            "{error}"
        );
    });
}
