//! Functions and macros of the library that are not imported, in kernels: what rustc says of any function.
#![allow(dead_code)]

mod missing {
    use syclone::prelude::{Item, ItemMut, View, kernel};

    #[kernel]
    fn calls(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
        kassert!(x[item] > 0);
        kassert!(x[item] > 1);
        out[item] = max(x[item], 3);
    }
}

fn main() {}
