//! Device functions that synchronise, called from wherever a barrier can stand.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

fn rotated(x: &[u32], by: usize) -> Vec<u32> {
    map(x, |i| x[(i + by) % x.len()])
}

mod library {
    use syclone::prelude::*;

    /// The value of the item `by` places on, around the end.
    #[device_fn]
    pub fn rotate<T: DeviceCopy, const N: usize>(item: NdItem<1>, tile: Local<[T; N]>, x: T, by: usize) -> T {
        let me = item.local_id(0);
        tile[me] = x;
        item.barrier();
        let next = tile[(me + by) % item.local_range(0)];
        item.barrier();
        next
    }

    /// Two steps of [`rotate`].
    #[device_fn]
    pub fn rotate_twice<const N: usize>(item: NdItem<1>, tile: Local<[u32; N]>, x: u32) -> u32 {
        let once = rotate::<u32, N>(item, tile, x, 1);
        rotate::<u32, N>(item, tile, once, 1)
    }
}

#[device_fn]
fn wait(item: NdItem<1>) {
    item.barrier();
}

#[device_fn]
fn total(item: NdItem<1>, x: u32) -> u32 {
    item.group().reduce(x, Plus)
}

#[device_fn]
fn mean_and_rest(item: NdItem<1>, x: u32) -> (u32, u32) {
    let mean = total(item, x) / item.local_range(0) as u32;
    (mean, x.abs_diff(mean))
}

#[device_fn]
fn rounds(item: NdItem<1>, tile: Local<[u32; 64]>, x: u32, n: u32) -> u32 {
    let mut v = x;
    for round in 0..n {
        v = library::rotate::<u32, 64>(item, tile, v, 1) + round;
    }
    v
}

#[device_fn]
fn or_nothing(item: NdItem<1>, tile: Local<[u32; 64]>, x: u32, go: bool) -> u32 {
    if !go {
        return x + 1000;
    }
    library::rotate::<u32, 64>(item, tile, x, 1)
}

#[device_fn]
fn without_barriers(item: NdItem<1>, x: u32) -> u32 {
    if x > 50 {
        return item.local_id(0) as u32 + 500;
    }
    for k in 0..x {
        if k == 7 {
            return k;
        }
    }
    x
}

#[device_fn]
fn nothing_to_give(item: NdItem<1>, out: Local<[u32; 64]>, x: u32) {
    if x > 50 {
        return;
    }
    out[item.local_id(0)] = x;
}

#[device_fn]
fn only_ids(item: &NdItem<1>, x: u32) -> u32 {
    x + item.local_id(0) as u32 + item.group_id(0) as u32 * 100
}

#[kernel(fallback)]
fn as_a_statement(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    tile[item.local_id(0)] = x[item];
    wait(item);
    out[item] = tile[(item.local_id(0) + 1) % item.local_range(0)];
    wait(item)
}
shape!(a_barrier_in_a_helper, as_a_statement, |x, _| rotated(x, 1));

#[kernel(fallback)]
fn in_expressions(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let v = x[item];
    let sum = v * 2
        + library::rotate::<u32, 64>(item, tile, v, 1) * 3
        + only_ids(&item, v)
        + library::rotate::<u32, 64>(item, tile, v + 1, 2);
    let (mean, rest) = mean_and_rest(item, v);
    let nested = library::rotate::<u32, 64>(item, tile, library::rotate_twice::<64>(item, tile, total(item, v) + v), 1);
    out[item] = sum + mean * 3 + rest * 5 + nested % 100 * 10_000;
}
shape!(calls_stand_in_expressions_and_as_arguments, in_expressions, |x, g| {
    let n = x.len();
    let all: u32 = x.iter().sum();
    map(x, |i| {
        let at = |by: usize| x[(i + by) % n];
        let sum = x[i] * 2 + at(1) * 3 + x[i] + i as u32 + g as u32 * 100 + at(2) + 1;
        let mean = all / n as u32;
        sum + mean * 3 + x[i].abs_diff(mean) * 5 + (all + at(3)) % 100 * 10_000
    })
});

#[kernel(fallback)]
fn in_loops(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = rounds(item, tile, x[item], 3);
    let mut k = 0;
    while total(item, v) % 7 != 3 && k < 5 {
        v = rounds(item, tile, v + k, k);
        k += 1;
    }
    out[item] = v * 10 + k;
}
shape!(calls_in_loops_and_their_conditions, in_loops, |x, _| {
    let rounds = |x: &[u32], n: u32| {
        let mut v = x.to_vec();
        for round in 0..n {
            v = rotated(&v, 1).iter().map(|v| v + round).collect();
        }
        v
    };
    let mut v = rounds(x, 3);
    let mut k = 0;
    while v.iter().sum::<u32>() % 7 != 3 && k < 5 {
        v = rounds(&v.iter().map(|v| v + k).collect::<Vec<_>>(), k);
        k += 1;
    }
    v.iter().map(|v| v * 10 + k).collect::<Vec<_>>()
}, not split: "`loop`");

#[kernel(fallback)]
fn with_returns(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let v = x[item];
    let a = or_nothing(item, tile, v, item.group_id(0) != 1);
    let b = without_barriers(item, v);
    tile[item.local_id(0)] = 9;
    nothing_to_give(item, tile, v);
    out[item] = a + b * 10_000 + tile[item.local_id(0)] * 10_000_000;
}
shape!(helpers_return_early, with_returns, |x, g| map(x, |i| {
    let a = if g == 1 { x[i] + 1000 } else { x[(i + 1) % x.len()] };
    let b = match x[i] {
        51.. => i as u32 + 500,
        8.. => 7,
        v => v,
    };
    a + b * 10_000 + if x[i] > 50 { 9 } else { x[i] } * 10_000_000
}));

#[device_fn]
trait Combine {
    fn both(a: u32, b: u32) -> u32;
}

struct Sum;
struct Difference;

#[device_fn]
impl Combine for Sum {
    fn both(a: u32, b: u32) -> u32 {
        a + b
    }
}

#[device_fn]
impl Combine for Difference {
    fn both(a: u32, b: u32) -> u32 {
        a.abs_diff(b)
    }
}

#[device_fn]
fn with_neighbour<C: Combine, const N: usize>(item: NdItem<1>, tile: Local<[u32; N]>, x: u32, by: u32) -> u32 {
    let mut v = x;
    for k in 0..by {
        if k % 2 == 0 {
            v = C::both(v, library::rotate::<u32, N>(item, tile, v, 1));
        } else {
            v = v % 100;
        }
    }
    v
}

#[kernel(fallback)]
fn generic<C: Combine, const N: usize>(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; N]>();
    out[item] = with_neighbour::<C, N>(item, tile, x[item], 3);
}

#[test]
fn helpers_are_generic_over_traits_and_sizes() {
    fn expected(both: fn(u32, u32) -> u32) -> impl Fn(&[u32], usize) -> Vec<u32> {
        move |x, _| {
            let once = |x: &[u32]| map(x, |i| both(x[i], x[(i + 1) % x.len()]));
            once(&once(x).iter().map(|v| v % 100).collect::<Vec<_>>())
        }
    }
    shapes::groups(expected(|a, b| a + b), |h, shape, x, out| {
        h.parallel_for(shape, shapes::splits(generic::<Sum, 50>(x.read(h), out.write(h))))
    });
    shapes::groups(expected(u32::abs_diff), |h, shape, x, out| {
        h.parallel_for(shape, shapes::splits(generic::<Difference, 64>(x.read(h), out.write(h))))
    });
}

#[device_fn]
fn row_sum(item: NdItem<2>, tile: Local<[[u32; 9]; 5]>, x: u32) -> u32 {
    tile[item.local_id(0)][item.local_id(1)] = x;
    item.barrier();
    let mut sum = 0;
    for k in 0..item.local_range(1) {
        sum += tile[item.local_id(0)][k];
    }
    item.barrier();
    sum
}

#[kernel(fallback)]
fn in_two_dimensions(item: NdItem<2>, x: View<u32>, out: ItemMut<u32, 2>) {
    let tile = local::<[[u32; 9]; 5]>();
    let v = x[item.global_linear_id()];
    let sum = row_sum(item, tile, v);
    out[item] = row_sum(item, tile, sum % 7 + item.local_id(0) as u32)
        + sum * 1000
        + item.group().reduce(item.local_id(0) as u32, Plus);
}

#[test]
fn helpers_work_in_two_dimensions() {
    let mut random = shapes::Random::new();
    for (rows, columns) in [(1, 1), (5, 9), (4, 8), (3, 1)] {
        let n = columns * 2;
        let values = random.vec(rows * n);
        let x = Buffer::from_vec(values.clone());
        let expected: Vec<u32> = (0..rows * n)
            .map(|i| {
                let (r, c) = (i / n, i % n / columns * columns);
                let sum: u32 = values[r * n + c..][..columns].iter().sum();
                (sum % 7 + r as u32) * columns as u32 + sum * 1000 + (0..rows).sum::<usize>() as u32 * columns as u32
            })
            .collect();
        for way in syclone::abi::ways::Way::ALL {
            let out = Buffer::<u32, 2>::new([rows, n]);
            syclone::abi::ways::with_way(way, || {
                let kernel = |h: &Handler<'_>| shapes::splits(in_two_dimensions(x.read(h), out.write(h)));
                shapes::queue().submit(|h| h.parallel_for(NdRange::new([rows, n], [rows, columns]), kernel(h)))
            })
            .expect("valid")
            .wait()
            .expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?} {rows} {columns}");
        }
    }
}
