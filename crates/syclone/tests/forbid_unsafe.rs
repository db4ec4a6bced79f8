//! A crate that forbids `unsafe` has kernels all the same: no macro puts the word where the crate wrote something else.

#![forbid(unsafe_code)]

use syclone::prelude::*;

#[derive(DeviceCopy, Clone, Copy, Debug, PartialEq)]
struct Pair {
    a: u32,
    b: u32,
}

#[device_fn]
trait Scored: DeviceCopy {
    fn score(&self) -> u32;
}

#[device_fn]
impl Scored for Pair {
    fn score(&self) -> u32 {
        self.a * 10 + self.b
    }
}

#[device_fn]
impl Pair {
    fn swapped(self) -> Pair {
        Pair { a: self.b, b: self.a }
    }
}

#[device_fn]
fn twice(x: &mut u32) {
    *x *= 2;
}

/// A function that synchronises.
#[device_fn]
fn rotated(item: NdItem<1>, all: Local<[u32; 4]>, x: u32) -> u32 {
    all[item.local_id(0)] = x;
    item.barrier();
    let found = all[(item.local_id(0) + 1) % 4];
    item.barrier();
    found
}

/// One of those whose barrier a loop of unknown length reaches.
#[device_fn]
fn waited(item: NdItem<1>, rounds: u32) -> u32 {
    let mut done = 0;
    while done < rounds {
        item.barrier();
        done += 1;
    }
    done
}

#[kernel]
fn on_range(item: Item<1>, x: View<Pair>, y: ItemMut<u32>, sum: Reducer<u32, Plus>) {
    let mut score = x[item].swapped().score();
    twice(&mut score);
    kassert!(score > 0, "a score");
    sum.combine(score);
    y[item] = score;
}

#[kernel(fallback)]
fn in_groups(item: NdItem<1>, y: ItemMut<u32>) {
    let all = local::<[u32; 4]>();
    let turned = rotated(item, all, item.global_id(0) as u32);
    y[item] = turned + item.group().reduce(turned, Plus);
}

#[kernel(fallback)]
fn in_lock_step(item: NdItem<1>, rounds: View<u32>, y: ItemMut<u32>) {
    y[item] = waited(item, rounds[0]);
}

#[test]
fn kernels_of_every_form_run() {
    let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
    let pairs: Vec<Pair> = (1..=8).map(|a| Pair { a, b: a + 1 }).collect();
    let x = Buffer::from_vec(pairs.clone());
    let (y, sum) = (Buffer::<u32>::new(8), Buffer::from_vec(vec![0]));
    queue.submit(|h| h.parallel_for(8, on_range(x.read(h), y.write(h), sum.reduce(h, Plus)))).unwrap();
    let expected: Vec<u32> = pairs.iter().map(|pair| 2 * (pair.b * 10 + pair.a)).collect();
    assert_eq!(y.to_vec().unwrap(), expected);
    assert_eq!(sum.to_vec().unwrap(), [expected.iter().sum::<u32>()]);

    queue.submit(|h| h.parallel_for(NdRange::new(8, 4), in_groups(y.write(h)))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [7, 8, 9, 6, 27, 28, 29, 26]);

    let rounds = Buffer::from_vec(vec![3]);
    queue.submit(|h| h.parallel_for(NdRange::new(8, 4), in_lock_step(rounds.read(h), y.write(h)))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3; 8]);

    queue
        .submit(|h| {
            let (x, y) = (x.read(h), y.write(h));
            h.parallel_for(8, syclone::kernel!(|item: Item<1>| y[item] = x[item].score()))
        })
        .unwrap();
    assert_eq!(y.to_vec().unwrap(), pairs.iter().map(Pair::score).collect::<Vec<_>>());
}
