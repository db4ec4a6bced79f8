//! A generic parameter needs the bound of what is done with it.
use syclone::prelude::*;

#[kernel]
fn only_copy<T: Copy>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
    y[item] = x[item];
}

fn main() {}
