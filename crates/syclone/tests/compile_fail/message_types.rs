//! Values that cannot be printed, or not in that notation, and conditions that are none.
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    a: u32,
    b: u32,
}

#[kernel]
fn types(item: Item<1>, pair: Pair, x: View<f32>) {
    let array = [pair.a, pair.b];
    kprintln!("{}", pair);
    kprintln!("{}", array);
    kprintln!("{:x}", x[item]);
    kprintln!("{:e}", pair.a);
    kassert!(pair.a);
    kprintln!("{unknown}");
}

fn main() {
    kprintln!("on the host");
}
