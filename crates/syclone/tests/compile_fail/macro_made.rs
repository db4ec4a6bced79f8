//! Names of a macro's own that its caller cannot mean.

use syclone::prelude::*;

macro_rules! with_a_variable {
    ($value:expr) => {
        #[kernel]
        fn own_variable(item: Item<1>, out: ItemMut<f32>) {
            let x = 2.0;
            out[item] = x + $value;
        }
    };
}

with_a_variable!(x * 2.0);

fn main() {}
