//! Uniform code after items have returned: nobody who is gone may be asked, and nothing may fail in their name.

#[path = "rig/device.rs"]
mod device;

use device::device;
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

#[kernel]
fn count_after_return(item: Item<1>, first: usize, n: usize, x: View<u32>, out: ItemMut<u32>) {
    let i = item.global_id(0);
    if i < first {
        return;
    }
    let mut k = 0;
    let mut sum = 0;
    while k < n {
        sum += x[k];
        k += 1;
    }
    out[item] = sum;
}

#[kernel]
fn left_neighbour(item: Item<1>, n: u32, x: View<u32>, out: ItemMut<u32>) {
    let i = item.global_id(0);
    if i == 0 || n == 0 {
        return;
    }
    let left = i - 1;
    let share = 1000 / n;
    out[item] = x[left] + share;
}

fn queue() -> Queue {
    Queue::new(&device()).unwrap()
}

#[test]
fn a_strip_whose_first_items_have_returned_still_leaves_its_loop() {
    for way in Way::ALL {
        for first in [0, 1, 5, 63, 64, 70, 100] {
            let x = Buffer::from_vec((1..=10u32).collect::<Vec<_>>());
            let out = Buffer::from_vec(vec![7u32; 100]);
            with_way(way, || {
                queue().submit(|h| h.parallel_for(100, count_after_return(first, 10, x.read(h), out.read_write(h))))
            })
            .unwrap()
            .wait()
            .unwrap();
            let want: Vec<u32> = (0..100).map(|i| if i < first { 7 } else { 55 }).collect();
            assert_eq!(out.to_vec().unwrap(), want, "{way:?} from {first}");
        }
    }
}

#[test]
fn what_a_return_guards_is_not_computed_for_those_that_left() {
    for way in Way::ALL {
        for n in [0u32, 4] {
            let x = Buffer::from_vec((0..50u32).collect::<Vec<_>>());
            let out = Buffer::from_vec(vec![9u32; 50]);
            with_way(way, || queue().submit(|h| h.parallel_for(50, left_neighbour(n, x.read(h), out.read_write(h)))))
                .unwrap()
                .wait()
                .unwrap();
            let want: Vec<u32> = (0..50).map(|i| if i == 0 || n == 0 { 9 } else { i - 1 + 1000 / n }).collect();
            assert_eq!(out.to_vec().unwrap(), want, "{way:?} with {n}");
        }
    }
}
