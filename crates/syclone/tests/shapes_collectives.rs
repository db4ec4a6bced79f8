//! Where group operations can stand, and what becomes of their results.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

fn sum(x: &[u32]) -> u32 {
    x.iter().sum()
}

fn scan(x: &[u32], i: usize) -> u32 {
    x[..i].iter().sum()
}

#[kernel(fallback)]
fn operands(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let (g, v) = (item.group(), x[item]);
    let w = v + g.reduce(v, Plus) * 3 + g.reduce(v, Maximum) + item.local_id(0) as u32;
    out[item] = w - g.exclusive_scan(v, Plus) + g.inclusive_scan(v, Plus) * g.broadcast(2, 0);
}
shape!(several_in_one_statement, operands, |x, _| map(x, |i| {
    x[i] + sum(x) * 3 + x.iter().max().unwrap() + i as u32 - scan(x, i) + scan(x, i + 1) * 2
}));

#[kernel(fallback)]
fn nested(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let v = x[item];
    let high = g.reduce(g.exclusive_scan(v % 5, Plus) + v, Maximum);
    let own = g.shift_left(g.broadcast(v, (g.reduce(v, Plus) % item.local_range(0) as u32) as usize) + v, 1);
    out[item] = high * 1000 + own;
}
shape!(one_as_the_argument_of_another, nested, |x, _| {
    let small: Vec<u32> = x.iter().map(|v| v % 5).collect();
    let high = (0..x.len()).map(|i| scan(&small, i) + x[i]).max().unwrap();
    let one = x[sum(x) as usize % x.len()];
    map(x, |i| high * 1000 + one + x[if i + 1 < x.len() { i + 1 } else { i }])
});

#[kernel(fallback)]
fn bounds(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let mut v = x[item];
    for k in 0..g.reduce(v, Minimum) % 4 + 1 {
        v = g.shift_right(v, 1) + k;
    }
    for k in (0..=g.reduce(v, Maximum)).rev().step_by(g.reduce(x[item], Plus) as usize % 40 + 30) {
        v += k % 7;
        item.barrier();
    }
    out[item] = v;
}
shape!(one_as_the_bound_of_a_loop_around_barriers, bounds, |x, _| {
    let mut v = x.to_vec();
    for k in 0..x.iter().min().unwrap() % 4 + 1 {
        v = map(&v, |i| v[if i > 0 { i - 1 } else { i }] + k);
    }
    for k in (0..=*v.iter().max().unwrap()).rev().step_by(sum(x) as usize % 40 + 30) {
        v.iter_mut().for_each(|v| *v += k % 7);
    }
    v
});

#[kernel(fallback)]
fn reassigned(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let v = x[item];
    let mut total = g.reduce(v, Plus);
    let mut rounds = 0;
    while total > 20 {
        total /= 2;
        rounds += 1;
        item.barrier();
    }
    let mut own = g.reduce(v, Maximum);
    own += v;
    let mut looped = g.reduce(v, Minimum);
    for k in 0..3 {
        looped += k;
    }
    item.barrier();
    if v % 2 == 0 {
        own -= 1;
    }
    total = g.reduce(own, Minimum) + total;
    let mut changed = g.exclusive_scan(v, Plus);
    changed *= 2;
    item.barrier();
    changed += total;
    out[item] = changed + own * 10_000 + rounds + looped * 7;
}
shape!(results_are_changed_and_assigned_again, reassigned, |x, _| {
    let (mut total, mut rounds) = (sum(x), 0);
    while total > 20 {
        total /= 2;
        rounds += 1;
    }
    let own = map(x, |i| x.iter().max().unwrap() + x[i] - (x[i] % 2 == 0) as u32);
    total += own.iter().min().unwrap();
    map(x, |i| scan(x, i) * 2 + total + own[i] * 10_000 + rounds + (x.iter().min().unwrap() + 3) * 7)
});

#[kernel(fallback)]
fn declared_types(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let wide: u64 = g.reduce(1 << 33, Plus);
    let small: i8 = g.inclusive_scan(-1, Plus);
    let mut next: u16 = g.shift_left(7, 1);
    next += 1;
    let flag: bool = g.any(x[item] > 98);
    out[item] = (wide >> 33) as u32 + (-(small as i32)) as u32 * 100 + next as u32 * 100_000 + flag as u32;
}
shape!(declared_types_reach_the_operands, declared_types, |x, _| map(x, |i| {
    x.len() as u32 + (i + 1) as u32 * 100 + 800_000 + x.iter().any(|&v| v > 98) as u32
}));

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Counter {
    n: u32,
    last: u32,
}

#[device_fn]
impl Counter {
    fn add(&mut self, by: u32) {
        self.n += by;
        self.last = by;
    }

    fn plus(self, by: u32) -> u32 {
        self.n + by
    }
}

#[device_fn]
fn store(to: &mut u32, value: u32) -> u32 {
    let old = *to;
    *to = value;
    old
}

#[kernel(fallback)]
fn changing_receivers(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let v = x[item];
    let mut counter = Counter { n: v, last: 0 };
    counter.add(g.reduce(v, Plus));
    counter.add(g.exclusive_scan(v, Plus));
    let mut slot = v;
    let old = store(&mut slot, g.reduce(v, Maximum));
    let mut array = [v, v + 1];
    array[(v % 2) as usize] += g.reduce(1u32, Plus);
    let both = [g.reduce(v, Minimum), v, g.inclusive_scan(v, Plus)];
    let pair = (counter.plus(g.broadcast(v, 0)), Counter { n: v, last: g.reduce(v, Plus) }.last);
    out[item] = counter.n
        + counter.last
        + old * 3
        + slot * 5
        + array[0] * 7
        + both[0]
        + both[1] * 2
        + both[2] * 3
        + pair.0
        + pair.1 * 11;
}
shape!(methods_and_references_change_the_variable_itself, changing_receivers, |x, _| map(x, |i| {
    let (v, all) = (x[i], sum(x));
    let n = v + all + scan(x, i);
    let array = v + if v % 2 == 0 { x.len() as u32 } else { 0 };
    n + scan(x, i)
        + v * 3
        + x.iter().max().unwrap() * 5
        + array * 7
        + x.iter().min().unwrap()
        + v * 2
        + scan(x, i + 1) * 3
        + n
        + x[0]
        + all * 11
}));

#[kernel(fallback)]
fn indexed_before(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let g = item.group();
    let me = item.local_id(0);
    let n = item.local_range(0);
    tile[me] = x[item];
    item.barrier();
    let v = tile[(me + 1) % n] + g.reduce(x[item], Plus);
    tile[me] = v;
    item.barrier();
    let w = tile[(me + 1) % n].min(g.reduce(v, Maximum)) + tile[me];
    item.barrier();
    tile[me] = g.exclusive_scan(tile[(me + 1) % n] % 10, Plus);
    let tops = local::<[u32; 4]>();
    if me == 0 {
        tops[3] = 0;
    }
    item.barrier();
    tops.atomic(3).fetch_max(g.shift_left(v, 1));
    item.barrier();
    out[item] = v + w * 100 + tile[me] * 1_000_000 + tops[3] % 10;
}
shape!(what_is_read_before_an_operation_stays_read, indexed_before, |x, _| {
    let n = x.len();
    let v = map(x, |i| x[(i + 1) % n] + sum(x));
    let high = v.iter().max().unwrap();
    let digits = map(x, |i| v[(i + 1) % n] % 10);
    let top = (0..n).map(|i| v[(i + 1).min(n - 1)]).max().unwrap();
    map(x, |i| v[i] + (v[(i + 1) % n].min(*high) + v[i]) * 100 + scan(&digits, i) * 1_000_000 + top % 10)
});

#[kernel(fallback)]
fn logical(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let v = x[item];
    let a = g.any(v > 90) && v > 10;
    let b = (g.all(v > 5) || v % 2 == 0) && !a;
    let c = if g.none(v == 50) { 4 } else { 0 };
    let k = g.reduce(v, BitXor) as usize;
    let d = [1, 2, 3, 4][k % 4];
    out[item] = a as u32 + b as u32 * 2 + c + d * 10 + (g.reduce(v > 3, LogicalAnd) as u32) * 100;
}
shape!(one_in_the_left_operand_of_a_logical_operator, logical, |x, _| map(x, |i| {
    let a = x.iter().any(|&v| v > 90) && x[i] > 10;
    let b = (x.iter().all(|&v| v > 5) || x[i] % 2 == 0) && !a;
    let c = if x.contains(&50) { 0 } else { 4 };
    let d = x.iter().fold(0, |all, v| all ^ v) % 4 + 1;
    a as u32 + b as u32 * 2 + c + d * 10 + x.iter().all(|&v| v > 3) as u32 * 100
}));

#[kernel(fallback)]
fn float_tree(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let v = x[item] as f32 * 0.1 + 1e-3;
    let total = g.reduce(v, Plus);
    let part = g.inclusive_scan(v, Plus);
    out[item] = total.to_bits() ^ part.to_bits();
}
shape!(float_sums_have_one_order, float_tree, |x, _| {
    let v: Vec<f32> = x.iter().map(|&v| v as f32 * 0.1 + 1e-3).collect();
    let mut tree = v.clone();
    let mut s = v.len().next_power_of_two() / 2;
    while s > 0 {
        for i in 0..s {
            if i + s < v.len() {
                tree[i] += tree[i + s];
            }
        }
        s /= 2;
    }
    let mut part = 0.0;
    (0..v.len())
        .map(|i| {
            part = if i == 0 { v[0] } else { part + v[i] };
            tree[0].to_bits() ^ part.to_bits()
        })
        .collect::<Vec<u32>>()
});

#[kernel(fallback)]
fn arguments_beside_strips(item: NdItem<2>, x: View<u32, 2>, out: ItemMut<u32, 2>) {
    let g = item.group();
    let row = (item.global_id(0) * 3 + 1) / 2;
    let mut sum = 0;
    for k in 0..x.extent(1) {
        sum += x[[item.global_id(0), k]] * (row + k) as u32;
    }
    let high = g.reduce(item.local_id(0), Maximum) as u32 + g.reduce(row, Plus) as u32;
    item.barrier();
    for k in 0..row {
        sum += k as u32 * x[[k % x.extent(0), item.global_id(1)]];
    }
    let last = g.exclusive_scan(row as u32, Plus);
    out[item] = sum + high + last + row as u32;
}

#[test]
fn a_rows_own_values_live_across_strips_and_operations() {
    let mut random = shapes::Random::new();
    for (rows, columns) in [(1, 1), (3, 8), (5, 9), (2, 40)] {
        let (m, n) = (rows * 2, columns * 2);
        let values = random.vec(m * n);
        let at = |r: usize, c: usize| values[r * n + c];
        let row = |r: usize| (r * 3).div_ceil(2);
        let expected: Vec<u32> = (0..m * n)
            .map(|i| {
                let (r, c) = (i / n, i % n);
                let first = r / rows * rows;
                let mut sum: u32 = (0..n).map(|k| at(r, k) * (row(r) + k) as u32).sum();
                sum += (0..row(r)).map(|k| k as u32 * at(k % m, c)).sum::<u32>();
                let high = rows - 1 + (first..first + rows).map(|r| row(r) * columns).sum::<usize>();
                let last = (first..r).map(|r| row(r) * columns).sum::<usize>() + row(r) * (c % columns);
                sum + (high + last + row(r)) as u32
            })
            .collect();
        for way in syclone::abi::ways::Way::ALL {
            let x = Buffer::from_vec_with(values.clone(), [m, n]).expect("as many as the extents say");
            let out = Buffer::<u32, 2>::new([m, n]);
            syclone::abi::ways::with_way(way, || {
                let kernel = |h: &Handler<'_>| shapes::splits(arguments_beside_strips(x.read(h), out.write(h)));
                shapes::queue().submit(|h| h.parallel_for(NdRange::new([m, n], [rows, columns]), kernel(h)))
            })
            .expect("valid")
            .wait()
            .expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?} {rows} {columns}");
        }
    }
}

#[kernel(fallback)]
fn joint(item: NdItem<1>, x: View<u32>, tile: LocalAccessor<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let (me, n) = (item.local_id(0), item.local_range(0));
    let first = item.group_id(0) * n;
    tile[me] = x[item];
    tile[me + n] = me as u32;
    item.barrier();
    for round in 0..2 {
        g.joint_inclusive_scan(tile, tile, Plus);
        if g.joint_reduce(tile.span(0, n), Maximum) % 2 == round {
            tile[me] += 1;
        }
        item.barrier();
    }
    let global = g.joint_reduce(x.span(first, n), Plus);
    out[item] = tile[me] % 1000 + tile[me + n] % 1000 * 1000 + global * 1_000_000;
}

#[test]
fn joint_operations_work_over_local_and_global_spans_in_loops() {
    let expected = |x: &[u32], _: usize| {
        let n = x.len();
        let mut tile: Vec<u32> = x.iter().copied().chain(0..n as u32).collect();
        for round in 0..2 {
            tile = (0..2 * n).map(|i| scan(&tile, i + 1)).collect();
            if tile[..n].iter().max().unwrap() % 2 == round {
                tile[..n].iter_mut().for_each(|v| *v += 1);
            }
        }
        map(x, |i| tile[i] % 1000 + tile[i + n] % 1000 * 1000 + sum(x) * 1_000_000)
    };
    shapes::groups(expected, |h, shape, x, out| {
        let tile = LocalAccessor::new(shape.local()[0] * 2);
        h.parallel_for(shape, shapes::splits(joint(x.read(h), tile, out.write(h))))
    });
}
