//! Macros that are called like the library's, in kernels.
#![allow(dead_code)]

/// A macro of the user's.
mod macros {
    use syclone::prelude::*;

    macro_rules! kprintln {
        ($text:literal) => {};
    }

    #[kernel]
    fn calls(item: Item<1>, out: ItemMut<i32>) {
        kprintln!("hello");
        out[item] = 1;
    }
}

/// One that takes anything.
mod catch_all {
    use syclone::prelude::*;

    macro_rules! kassert {
        ($($anything:tt)*) => {};
    }

    #[kernel]
    fn calls(item: Item<1>, out: ItemMut<i32>) {
        kassert!(out[item] > 0, "positive");
        out[item] = 1;
    }
}

fn main() {}
