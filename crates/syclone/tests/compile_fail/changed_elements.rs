//! A method that changes an element would change a copy of it.
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Counter(u32);

#[device_fn]
impl Counter {
    fn step(&mut self) {
        self.0 += 1;
    }

    fn add(&mut self) {
        self.0 += 2;
    }

    fn count(&self) -> u32 {
        self.0
    }
}

#[kernel]
fn changed_element(item: Item<1>, out: ItemMut<u32>) {
    let mut counters = [Counter(0); 2];
    counters[1].add();
    // The name of a built-in method.
    counters[0].step();
    out[item] = counters[1].count();
}

fn main() {}
