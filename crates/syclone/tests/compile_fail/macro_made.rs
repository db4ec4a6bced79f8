//! Names of a macro's own that its caller cannot mean, and names that cannot be told apart.

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

macro_rules! with_a_parameter {
    ($name:ident) => {
        #[kernel]
        fn own_parameter(item: Item<1>, x: View<f32>, $name: View<f32>, out: ItemMut<f32>) {
            out[item] = x[item] + $name[item];
        }
    };
}

with_a_parameter!(x);

fn main() {}
