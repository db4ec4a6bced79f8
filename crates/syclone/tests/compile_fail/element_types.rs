//! Types that cannot lie in device memory: each error names the remedy.
use syclone::prelude::*;

#[derive(Clone, Copy)]
struct Pair {
    a: f32,
}

#[kernel]
fn view_of_structs(item: Item<1>, x: View<Pair>, y: ItemMut<f32>) {
    y[item] = x[item].a;
}

#[kernel]
fn a_struct(item: Item<1>, p: Pair, y: ItemMut<f32>) {
    y[item] = p.a;
}

#[kernel]
fn view_of_tuples(item: Item<1>, x: View<(f32, u32)>, y: ItemMut<f32>) {
    y[item] = x[item].0;
}

#[kernel]
fn in_local_memory(item: NdItem<1>, x: LocalAccessor<Pair>, y: ItemMut<f32>) {
    y[item] = x[item.local_id(0)].a;
}

fn main() {}
