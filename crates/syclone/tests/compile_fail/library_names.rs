//! Device functions that are called like the library's, which calls would mean.
use syclone::prelude::*;

#[device_fn]
fn max(a: i32, b: i32) -> i32 {
    a * 100 + b
}

mod inner {
    use syclone::prelude::*;

    #[device_fn]
    pub fn min<T: Scalar>(a: T) -> T {
        a
    }

    #[device_fn]
    pub fn fence(item: NdItem<1>) {
        item.barrier();
    }
}

#[device_fn]
fn local(a: i32) -> i32 {
    a
}

#[kernel]
fn calls(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
    out[item] = max(x[item], 3);
}

fn main() {}
