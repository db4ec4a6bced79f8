//! Format strings that do not fit their values, and where a device function cannot print.
use syclone::prelude::*;

#[kernel]
fn formats(item: Item<1>, n: u32, x: ItemMut<u32>) {
    kprintln!(n);
    kprintln!("{} {}", n);
    kprintln!("{}", n, n + 1);
    kprintln!("{:q}", n);
    kprintln!("{:.*}", 3, n);
    kprintln!("{n.x}");
    kprintln!("{", n);
    kprintln!("{}", item);
    kprintln!("{a} {}", a = n, 5);
    kassert!();
    kassert!(n > 0, n);
    kassert!(n > 0, "{} {}", n);
    x[item] = n;
}

#[device_fn]
fn without_item(n: u32) -> u32 {
    kprintln!("{n}");
    n
}

#[kernel]
fn sums(item: NdItem<1>, n: u32) {
    kassert!(n > 0, "{}", item.group().reduce(n, Plus));
}

fn main() {}
