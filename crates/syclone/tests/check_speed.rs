//! How fast the checked device is: operations of work-items a second, a memory access or an operator each.
//!
//! `cargo test --release -p syclone --test check_speed -- --ignored --nocapture` prints them. At least five million are
//! promised.

use std::fs;
use std::time::{Duration, Instant};

use syclone::prelude::*;

/// Two reads, a product, a sum and a write: five operations.
#[kernel]
fn saxpy(item: Item<1>, s: f32, x: View<f32>, y: ItemMut<f32>) {
    y[item] += s * x[item];
}

/// Five operators a round.
#[kernel]
fn mix(item: Item<1>, rounds: u32, y: ItemMut<u32>) {
    let mut a = item.id(0) as u32;
    for k in 0..rounds {
        a = ((a ^ (k << 3)) + (a >> 7)) & 0xffff;
    }
    y[item] = a;
}

/// In local memory, whose every number is watched for races: two reads, a product, a sum a step.
#[kernel(work_group_size(B, B))]
fn product<const B: usize>(item: NdItem<2>, n: usize, a: View<f32, 2>, b: View<f32, 2>, c: ItemMut<f32, 2>) {
    let tile_a = local::<[[f32; B]; B]>();
    let tile_b = local::<[[f32; B]; B]>();
    let (row, column) = (item.local_id(0), item.local_id(1));
    let mut sum = 0.0;
    for t in 0..n / B {
        tile_a[row][column] = a[[item.global_id(0), t * B + column]];
        tile_b[row][column] = b[[t * B + row, item.global_id(1)]];
        item.barrier();
        for k in 0..B {
            sum += tile_a[row][k] * tile_b[k][column];
        }
        item.barrier();
    }
    c[item] = sum;
}

/// Any index, so that global memory is watched for races: a read, a sum and a write.
#[kernel]
fn reversed(item: Item<1>, x: View<u32>, y: ScatterMut<u32>) {
    y[x.len() - 1 - item.id(0)] = x[item] + 1;
}

/// How long the process's threads have run, where the system tells; others on the machine then do not count.
fn processor_time() -> Option<Duration> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let spent = |task: fs::DirEntry| -> Option<u64> {
        fs::read_to_string(task.path().join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    tasks.map(|task| task.ok().and_then(spent)).sum::<Option<u64>>().map(Duration::from_nanos)
}

/// The shortest of some runs.
fn best(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let (start, before) = (Instant::now(), processor_time());
        run();
        match (before, processor_time()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed(),
        }
    };
    (0..5).map(time).min().expect("there are some")
}

#[test]
#[ignore = "a measurement, for a release build"]
fn at_least_five_million_operations_a_second() {
    let device = Device::cpu_checked().unwrap();
    let queue = Queue::new(&device).unwrap();
    let n = 200_000;
    let (x, y) = (Buffer::from_vec(vec![1.0f32; n]), Buffer::from_vec(vec![2.0f32; n]));
    let (from, to) = (Buffer::from_vec((0..n as u32).collect()), Buffer::<u32>::new(n));
    let matrix = || Buffer::<f32, 2>::new([64, 64]);
    let (a, b, c) = (matrix(), matrix(), matrix());
    let wait = |event: Result<Event>| event.unwrap().wait().unwrap();
    let times = [
        ("saxpy", 5 * n, best(|| wait(queue.submit(|h| h.parallel_for(n, saxpy(3.0, x.read(h), y.read_write(h))))))),
        ("mix", 5 * 200_000, best(|| wait(queue.submit(|h| h.parallel_for(200, mix(1000, to.write(h))))))),
        (
            "product",
            4 * 64 * 64 * 64,
            best(|| {
                wait(queue.submit(|h| {
                    h.parallel_for(NdRange::new([64, 64], [8, 8]), product::<8>(64, a.read(h), b.read(h), c.write(h)))
                }))
            }),
        ),
        (
            "reversed",
            3 * n,
            // SAFETY: each item writes its own element.
            best(|| {
                // SAFETY: each item writes the element at its mirrored place, which no other item does.
                wait(queue.submit(|h| unsafe { h.parallel_for_unchecked(n, reversed(from.read(h), to.scatter(h))) }))
            }),
        ),
    ];
    syclone::assert_clean!(device);
    for (name, operations, time) in times {
        let rate = operations as f64 / time.as_secs_f64() / 1e6;
        println!("{name:<10} {rate:6.1} million operations a second");
        assert!(rate >= 5.0, "{name}: {rate:.1} million operations a second");
    }
}
