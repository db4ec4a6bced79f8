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

#[kernel]
fn several<T: Copy>(item: Item<1>, x: View<Pair>, t: T, n: u32, z: View<f32>, y: ScatterMut<[Pair; 2]>) {
    let pair = x[item];
    y[0] = [pair, x[n as usize]];
    if z[0] > pair.a {
        y[1][0].a += pair.a;
    }
    let _ = t;
}

#[kernel]
fn with_groups(item: NdItem<1>, x: View<Pair>, y: GroupMut<f32>) {
    let tile = local::<[Pair; 16]>();
    tile[item.local_id(0)] = x[item];
    item.barrier();
    let sum = item.group().reduce(tile[0].a + x[0].a, Plus);
    y[item.group()] = sum;
}

#[kernel]
fn specialised(item: Item<1>, pair: Spec<Pair>, s: Reducer<Pair, Plus>, y: ItemMut<f32>) {
    y[item] = pair.get().a;
    s.combine(pair.get());
}

#[kernel]
fn reduced<T: Scalar>(item: Item<1>, x: View<f32>, s: Reducer<f32, BitXor>, t: Reducer<T, Plus>) {
    s.combine(x[item]);
    t.combine(T::zeroed());
}

#[kernel]
fn as_type_of_a_function<T>(item: Item<1>, f: T, y: ItemMut<f32>) {
    let _ = f;
    y[item] = 1.0;
}

#[kernel(fallback)]
fn both_forms(item: NdItem<2>, x: View<Pair, 2>, y: ItemMut<Pair, 2>) {
    item.barrier();
    y[item] = x[item];
}

#[kernel]
fn once(x: View<Pair>, y: ScatterMut<Pair>) {
    for i in 0..x.len() {
        y[i] = x[i];
    }
}

#[derive(Clone, Copy)]
struct Other(f32);

#[kernel]
fn reduced_alone(item: Item<1>, x: View<f32>, s: Reducer<Other, Plus>) {
    s.combine(Other(x[item]));
}

#[kernel]
fn local_alone(item: NdItem<1>, y: ItemMut<f32>) {
    let tile = local::<[Other; 16]>();
    tile[item.local_id(0)] = Other(1.0);
    item.barrier();
    y[item] = tile[0].0;
}

#[kernel]
fn literal_alone(item: Item<1>, y: ItemMut<f32>) {
    let pair = Pair { a: 1.0 };
    y[item] = pair.a;
}

fn main() {}
