//! Uploads, kernels and downloads keep their order, across queues and devices.

use std::time::{Duration, Instant};

use syclone::kernel::{ScatterMut as Scatter, View as Reads};
use syclone::prelude::*;

use crate::rig::run;

#[kernel]
fn double(item: Item<1>, data: ItemMut<i32>) {
    data[item] *= 2;
}

#[kernel]
fn increment(item: Item<1>, data: ItemMut<i32>) {
    data[item] += 1;
}

#[kernel]
fn slowly_double(item: Item<1>, rounds: u32, data: ItemMut<i32>) {
    let mut busy = 1u32;
    for k in 0..rounds {
        busy = busy.wrapping_mul(1_664_525).wrapping_add(k ^ busy >> 3);
    }
    // It never is, but that takes the loop to know.
    data[item] *= 2 + (busy == 0x1234_5678) as i32;
}

#[kernel]
fn add_both(item: Item<1>, left: View<i32>, right: View<i32>, out: ItemMut<i32>) {
    out[item] = left[item] + right[item];
}

#[kernel]
fn add_to(item: Item<1>, x: View<i32>, amount: i32, out: ItemMut<i32>) {
    out[item] = x[item] + amount;
}

#[test]
fn ten_thousand_uploads_kernels_and_downloads_keep_their_order() {
    let device = Device::select("cpu").expect("every machine has the CPU device");
    let queues = [Queue::new(&device).expect("a queue"), Queue::in_order(&device).expect("a queue")];
    for queue in &queues {
        let mut x = queue.alloc_device::<i32>(3).expect("memory");
        let mut y = queue.alloc_device::<i32>(3).expect("memory");
        for round in 0..10_000 {
            let e1 = queue.copy_from_slice(&[1, 2, 3], &mut x).expect("submits");
            let e2 = queue.submit(|h| {
                h.depends_on(&e1);
                h.parallel_for(3, double(x.item_mut()))
            });
            let e2 = e2.expect("submits");
            let download = queue.download(&x).expect("submits");
            e2.wait().expect("runs");
            assert_eq!(download.wait().expect("reads"), [2, 4, 6], "round {round}");
            queue.fill(&mut x, 0).expect("submits");
            queue.parallel_for(3, increment(x.item_mut())).expect("submits");
            queue.copy(&x, &mut y).expect("submits");
            assert_eq!(queue.to_vec(&y).expect("reads"), [1, 1, 1], "round {round}");
        }
    }
}

/// How many rounds keep [`slowly_double`] busy for this long on this machine.
fn rounds_of_at_least(time: Duration, queue: &Queue) -> u32 {
    let data = Buffer::<i32>::new(3);
    let mut rounds = 1 << 20;
    loop {
        let start = Instant::now();
        run(queue, |h| h.parallel_for(3, slowly_double(rounds, data.read_write(h))));
        if start.elapsed() >= time {
            return rounds;
        }
        rounds *= 2;
    }
}

#[test]
fn diamonds_across_queues_and_devices_see_both_sides_even_behind_a_slow_kernel() {
    let device = Device::select("cpu").expect("every machine has the CPU device");
    let other_device = Device::cpu_with_threads(1).expect("a device");
    let queues =
        [Queue::new(&device), Queue::new(&device), Queue::new(&other_device)].map(|queue| queue.expect("a queue"));
    let slow = rounds_of_at_least(Duration::from_millis(50), &queues[0]);
    for round in 0..200 {
        let rounds = if round % 100 == 0 { slow } else { 10 };
        let start = Buffer::from_vec(vec![round, round + 1, round + 2]);
        let sides = [Buffer::<i32>::new(3), Buffer::<i32>::new(3)];
        let end = Buffer::<i32>::new(3);
        let e1 = queues[0].submit(|h| h.parallel_for(3, slowly_double(rounds, start.read_write(h)))).expect("submits");
        // A command that does nothing but depend.
        let e1 = queues[1].submit(|h| {
            h.depends_on(&e1);
            h.host_task(|_| ())
        });
        let e1 = e1.expect("submits");
        let middle: Vec<Event> = (0..2)
            .map(|side| {
                let group = queues[side + 1].submit(|h| {
                    h.depends_on(&e1);
                    h.parallel_for(3, add_to(start.read(h), 10 * (side as i32 + 1), sides[side].write(h)))
                });
                group.expect("submits")
            })
            .collect();
        run(&queues[0], |h| {
            h.depends_on_all(&middle);
            h.parallel_for(3, add_both(sides[0].read(h), sides[1].read(h), end.write(h)))
        });
        let expected = [0, 1, 2].map(|i| 4 * (round + i) + 30);
        assert_eq!(end.host_read().expect("reads")[..], expected, "round {round}");
    }
}

#[kernel]
fn twice_into(item: Item<1>, rounds: u32, from: View<i32>, to: ScatterMut<i32>) {
    let mut busy = 1u32;
    for k in 0..rounds {
        busy = busy.wrapping_mul(1_664_525).wrapping_add(k ^ busy >> 3);
    }
    to[item] = from[item] * (2 + (busy == 0x1234_5678) as i32);
}

#[kernel]
fn sum_into(item: Item<1>, left: View<i32>, right: View<i32>, to: ScatterMut<i32>) {
    to[item] = left[item] + right[item];
}

/// The commands here name no memory, so that nothing but their dependencies orders them.
#[test]
fn dependencies_alone_order_kernels_across_queues_and_devices() {
    const LEN: usize = 64;
    let device = Device::select("cpu").expect("every machine has the CPU device");
    let other_device = Device::cpu_with_threads(1).expect("a device");
    let queues =
        [Queue::new(&device), Queue::new(&device), Queue::new(&other_device)].map(|queue| queue.expect("a queue"));
    let slow = rounds_of_at_least(Duration::from_millis(50), &queues[0]);
    let mut memory: [Vec<i32>; 5] = std::array::from_fn(|_| vec![0; LEN]);
    let places = memory.each_mut().map(|part| part.as_mut_ptr());
    // SAFETY: the memory outlives the queues' last wait, and the dependencies keep each writer alone.
    let read = |part: usize| unsafe { Reads::<i32>::from_raw(places[part], [LEN], None) };
    // SAFETY: as above.
    let write = |part: usize| unsafe { Scatter::<i32>::from_raw(places[part], [LEN], None) };
    let twice = |queue: &Queue, after: &[&Event], rounds: u32, from: usize, to: usize| {
        let event = queue.submit(|h| {
            h.depends_on_all(after.iter().copied());
            // SAFETY: each item writes an element of its own.
            unsafe { h.parallel_for_unchecked(LEN, twice_into(rounds, read(from), write(to))) }
        });
        event.expect("submits")
    };
    for round in 0..1000 {
        let rounds = if round % 500 == 0 { slow } else { 10 };
        // SAFETY: no command runs between two rounds.
        unsafe { std::slice::from_raw_parts_mut(places[0], LEN) }.fill(round);
        let e1 = twice(&queues[round as usize % 3], &[], rounds, 0, 1);
        let e2 = twice(&queues[1], &[&e1], 10, 1, 2);
        let e3 = twice(&queues[2], &[&e1], rounds, 1, 3);
        // A command that does nothing but depend.
        let both = queues[0].submit(|h| {
            h.depends_on_all([&e2, &e3]);
            Ok(())
        });
        let both = both.expect("submits");
        let e4 = queues[round as usize % 2].submit(|h| {
            h.depends_on(&both);
            // SAFETY: each item writes an element of its own.
            unsafe { h.parallel_for_unchecked(LEN, sum_into(read(2), read(3), write(4))) }
        });
        e4.expect("submits").wait().expect("runs");
        // SAFETY: the last command has ended.
        let end = unsafe { std::slice::from_raw_parts(places[4], LEN) };
        assert_eq!(end, [8 * round; LEN], "round {round}");
    }
}

#[test]
fn an_in_order_queue_orders_kernels_that_name_no_memory() {
    const LEN: usize = 64;
    let device = Device::select("cpu").expect("every machine has the CPU device");
    let queue = Queue::in_order(&device).expect("a queue");
    let slow = rounds_of_at_least(Duration::from_millis(50), &queue);
    let mut memory: [Vec<i32>; 4] = std::array::from_fn(|_| vec![1; LEN]);
    let places = memory.each_mut().map(|part| part.as_mut_ptr());
    for round in 0..300 {
        for step in 0..3 {
            let rounds = if round == 0 && step == 0 { slow } else { 10 };
            // SAFETY: the memory outlives the wait below, and the queue runs one command at a time.
            let (from, to) = unsafe {
                (Reads::from_raw(places[step], [LEN], None), Scatter::from_raw(places[step + 1], [LEN], None))
            };
            // SAFETY: each item writes an element of its own.
            queue.submit(|h| unsafe { h.parallel_for_unchecked(LEN, twice_into(rounds, from, to)) }).expect("submits");
        }
        queue.wait().expect("runs");
        // SAFETY: no command runs.
        unsafe {
            let last = std::slice::from_raw_parts_mut(places[3], LEN);
            assert_eq!(last, [8; LEN], "round {round}");
            last.fill(0);
            std::slice::from_raw_parts_mut(places[1], LEN).fill(0);
            std::slice::from_raw_parts_mut(places[2], LEN).fill(0);
        }
    }
}
