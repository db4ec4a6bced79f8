//! Where a barrier can stand, and what lives across it.

mod shapes;

use syclone::prelude::*;

/// Each item's successor in its group.
fn next(x: &[u32], i: usize) -> u32 {
    x[(i + 1) % x.len()]
}

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

#[kernel(fallback)]
fn none(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let v = x[item];
    out[item] = v + 1;
}
shape!(a_kernel_needs_no_barrier, none, |x, _| map(x, |i| x[i] + 1));

#[kernel(fallback)]
fn first(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    item.barrier();
    out[item] = x[item] * 2;
}
shape!(a_barrier_can_be_the_first_statement, first, |x, _| map(x, |i| x[i] * 2));

#[kernel(fallback)]
fn last(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    out[item] = x[item] * 3;
    item.barrier();
}
shape!(a_barrier_can_be_the_last_statement, last, |x, _| map(x, |i| x[i] * 3));

#[kernel(fallback)]
fn tail(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    out[item] = x[item] * 3;
    item.barrier()
}
shape!(a_barrier_can_be_the_value_of_the_body, tail, |x, _| map(x, |i| x[i] * 3));

#[kernel(fallback)]
fn only_barriers(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    item.barrier();
    item.barrier();
}
shape!(a_kernel_can_be_all_barriers, only_barriers, |x, _| vec![0u32; x.len()]);

#[kernel(fallback)]
fn twice(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    tile[me] = x[item];
    item.barrier();
    item.barrier();
    let v = tile[(me + 1) % item.local_range(0)];
    item.group().barrier();
    tile[me] = v;
    let g = item.group();
    g.barrier();
    out[item] = tile[(me + 1) % item.local_range(0)];
}
shape!(barriers_can_follow_each_other_under_each_name, twice, |x, _| map(x, |i| x[(i + 2) % x.len()]));

#[kernel(fallback)]
fn declared_everywhere(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let before = x[item] * 7 % 31;
    let mut across = x[item] % 13;
    tile[item.local_id(0)] = before;
    item.barrier();
    let between = tile[(item.local_id(0) + 1) % item.local_range(0)];
    across += between;
    item.barrier();
    let after = across * 2 + between;
    out[item] = before + across * 100 + after * 10_000;
}
shape!(variables_can_be_declared_before_between_and_after, declared_everywhere, |x, _| map(x, |i| {
    let before = x[i] * 7 % 31;
    let between = next(x, i) * 7 % 31;
    let across = x[i] % 13 + between;
    before + across * 100 + (across * 2 + between) * 10_000
}));

#[kernel(fallback)]
fn shadowed(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let v = x[item];
    let w = v % 5;
    {
        let v = v * 2 + 1;
        tile[item.local_id(0)] = v;
        item.barrier();
        let mut w = tile[(item.local_id(0) + 1) % item.local_range(0)] + v;
        item.barrier();
        w += 1;
        tile[item.local_id(0)] = w;
    }
    item.barrier();
    let v = v + tile[item.local_id(0)] * 100;
    item.barrier();
    out[item] = v * 10 + w;
}
shape!(inner_and_outer_variables_of_one_name_both_live, shadowed, |x, _| map(x, |i| {
    let w = next(x, i) * 2 + 1 + x[i] * 2 + 1 + 1;
    (x[i] + w * 100) * 10 + x[i] % 5
}));

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Sample {
    a: u32,
    b: [u32; 2],
    on: bool,
}

#[kernel(fallback)]
fn kinds_of_values(item: NdItem<1>, x: View<u32>, out: ItemMut<[u32; 4]>) {
    let v = x[item];
    let pair = (v, v as f32 * 0.5);
    let mut array = [v, v + 1, v + 2];
    let mut cell = Sample { a: v, b: [v * 2, v * 3], on: v % 2 == 0 };
    let mut vector = F32x4::new([v as f32, 1.0, 2.0, 3.0]);
    let odd = v % 2 == 1;
    let unit = ();
    item.barrier();
    array[(v % 3) as usize] += 50;
    cell.b[1] += 1;
    cell.on = !cell.on;
    vector += F32x4::splat(1.0);
    item.barrier();
    let _ = unit;
    let k = (v % 2) as usize;
    out[item] = [
        pair.0 + (pair.1 * 2.0) as u32,
        array[0] + array[1] * 1000 + array[2] * 1_000_000,
        cell.a + cell.b[k] * 1000 + cell.on as u32 * 1_000_000,
        (vector.x + vector.w) as u32 * 10 + odd as u32,
    ];
}
shape!(tuples_arrays_structs_vectors_and_bools_live_across, kinds_of_values, |x: &[u32], _| x
    .iter()
    .map(|&v| {
        let mut array = [v, v + 1, v + 2];
        array[v as usize % 3] += 50;
        let b = [v * 2, v * 3 + 1];
        [
            v + v,
            array[0] + array[1] * 1000 + array[2] * 1_000_000,
            v + b[v as usize % 2] * 1000 + (v % 2) * 1_000_000,
            (v + 1 + 4) * 10 + v % 2,
        ]
    })
    .collect::<Vec<_>>());

#[kernel(fallback)]
fn private_array(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut seen = [0u32; 4];
    let me = item.local_id(0);
    for round in 0..4 {
        tile[me] = x[item] + round as u32;
        item.barrier();
        seen[round] = tile[(me + round) % item.local_range(0)];
        item.barrier();
    }
    let mut sum = 0;
    for round in 0..4 {
        sum = sum * 3 + seen[3 - round];
    }
    out[item] = sum + seen[(x[item] % 4) as usize];
}
shape!(private_arrays_are_filled_and_indexed_across_barriers, private_array, |x, _| map(x, |i| {
    let seen: Vec<u32> = (0..4).map(|r| x[(i + r) % x.len()] + r as u32).collect();
    seen.iter().rev().fold(0, |sum, s| sum * 3 + s) + seen[x[i] as usize % 4]
}));

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Body {
    place: [f32; 3],
    mass: f32,
    count: u32,
}

#[kernel(fallback)]
fn kinds_of_local(item: NdItem<1>, x: View<u32>, bytes: LocalAccessor<u8>, out: ItemMut<u32>) {
    let flags = local::<[bool; 64]>();
    let bodies = local::<[Body; 64]>();
    let total = local::<Body>();
    let grid = local::<[[u64; 4]; 64]>();
    let me = item.local_id(0);
    let v = x[item];
    flags[me] = v % 2 == 0;
    bodies[me] = Body { place: [v as f32; 3], mass: 1.0, count: 0 };
    bytes[me] = v as u8;
    for k in 0..4 {
        grid[me][k] = (v as u64) << 33;
    }
    item.barrier();
    let you = (me + 1) % item.local_range(0);
    let even = flags[you];
    item.barrier();
    bodies[me].count += 2;
    bodies[me].place[1] *= 2.0;
    bodies[me].place[2] += bodies[me].mass;
    bodies[me].mass -= 0.5;
    grid[you][me % 4] += 1;
    if me == 0 {
        total.count = 5;
        total.place[1] = 2.5;
        total.count *= 2;
    }
    item.barrier();
    let b = bodies[you];
    let sum = b.place[0] + b.place[1] + b.place[2] + b.mass;
    let high = (grid[me][0] >> 33) as u32;
    out[item] = even as u32
        + b.count * 10
        + (sum * 2.0) as u32 * 100
        + (high + bytes[you] as u32) * 1_000_000
        + total.count * ((total.place[1] * 2.0) as u32 - 4);
}

#[test]
fn local_memory_holds_bools_bytes_structs_and_rows() {
    let expected = |x: &[u32], _: usize| {
        map(x, |i| {
            let (v, n) = (x[i], next(x, i));
            let even = (n % 2 == 0) as u32;
            let sum = (n + 2 * n + n + 1) * 2 + 1;
            even + 20 + sum * 100 + (v + n) * 1_000_000 + 10
        })
    };
    shapes::groups(expected, |h, shape, x, out| {
        let bytes = LocalAccessor::new(shape.local()[0]);
        h.parallel_for(shape, shapes::splits(kinds_of_local(x.read(h), bytes, out.write(h))))
    });
}

#[kernel(fallback)]
fn counted(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let counts = local::<[u32; 5]>();
    let me = item.local_id(0);
    if me < 5 {
        counts[me] = 0;
    }
    if me == 0 {
        for k in item.local_range(0)..5 {
            counts[k] = 0;
        }
    }
    item.barrier();
    let v = (x[item] % 5) as usize;
    counts.atomic(v).fetch_add(1);
    item.barrier();
    let many = counts[v];
    item.barrier();
    counts.atomic((v + 1) % 5).fetch_max(many);
    item.barrier();
    out[item] = many * 100 + counts[v];
}
shape!(atomics_on_local_memory_meet_at_barriers, counted, |x: &[u32], _| map(x, |i| {
    let count = |v: u32| x.iter().filter(|&&y| y % 5 == v).count() as u32;
    let v = x[i] % 5;
    count(v) * 100 + count(v).max(count((v + 4) % 5))
}));

#[kernel(fallback)]
fn in_two_dimensions(item: NdItem<2>, x: View<u32, 2>, out: ItemMut<u32, 2>) {
    let tile = local::<[[u32; 9]; 5]>();
    let (r, c) = (item.local_id(0), item.local_id(1));
    tile[r][c] = x[item];
    let mine = x[[item.global_id(0), item.global_id(1)]] % 7;
    item.barrier();
    let mut sum = mine;
    for k in 0..item.local_range(1) {
        sum = sum * 3 % 1009 + tile[r][k];
    }
    for k in 0..item.local_range(0) {
        sum = sum * 5 % 1009 + tile[k][c];
    }
    item.barrier();
    tile[r][c] = sum;
    item.barrier();
    out[item] = tile[item.local_range(0) - 1 - r][item.local_range(1) - 1 - c] * 10 + mine;
}

#[kernel(fallback)]
fn in_three_dimensions(item: NdItem<3>, x: View<u32, 3>, out: ItemMut<u32, 3>) {
    let tile = local::<[u32; 64]>();
    let (z, y, w) = (item.local_id(0), item.local_id(1), item.local_id(2));
    let (ny, nw) = (item.local_range(1), item.local_range(2));
    let me = (z * ny + y) * nw + w;
    tile[me] = x[item];
    let odd = (item.global_id(2) + item.global_id(1)) as u32 % 2;
    item.barrier();
    let mut sum = odd;
    for k in 0..nw {
        sum = sum * 3 % 1009 + tile[(z * ny + y) * nw + k];
    }
    item.barrier();
    tile[item.local_linear_id()] = sum;
    item.barrier();
    out[item] = tile[(z * ny + (ny - 1 - y)) * nw + w] * 10 + odd;
}

#[test]
fn barriers_work_in_two_dimensions() {
    let mut random = shapes::Random::new();
    for (rows, columns) in [(1, 1), (1, 9), (3, 8), (5, 9), (4, 1)] {
        let (m, n) = (rows * 2, columns * 3);
        let values = random.vec(m * n);
        let at = |r: usize, c: usize| values[r * n + c];
        let sum = |r: usize, c: usize| {
            let (r0, c0) = (r / rows * rows, c / columns * columns);
            let row = (0..columns).fold(at(r, c) % 7, |sum, k| sum * 3 % 1009 + at(r, c0 + k));
            (0..rows).fold(row, |sum, k| sum * 5 % 1009 + at(r0 + k, c))
        };
        let expected: Vec<u32> = (0..m * n)
            .map(|i| {
                let (r, c) = (i / n, i % n);
                let opposite =
                    (r / rows * rows + rows - 1 - r % rows, c / columns * columns + columns - 1 - c % columns);
                sum(opposite.0, opposite.1) * 10 + at(r, c) % 7
            })
            .collect();
        for way in syclone::abi::ways::Way::ALL {
            let x = Buffer::from_vec_with(values.clone(), [m, n]).expect("as many as the extents say");
            let out = Buffer::<u32, 2>::new([m, n]);
            let shape = NdRange::new([m, n], [rows, columns]);
            syclone::abi::ways::with_way(way, || {
                let kernel = |h: &Handler<'_>| shapes::splits(in_two_dimensions(x.read(h), out.write(h)));
                shapes::queue().submit(|h| h.parallel_for(shape, kernel(h))).expect("valid").wait().expect("ends")
            });
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?} {rows} {columns}");
        }
    }
}

#[test]
fn barriers_work_in_three_dimensions() {
    let mut random = shapes::Random::new();
    for local in [[1, 1, 1], [2, 3, 5], [1, 4, 8], [3, 1, 9], [2, 2, 1]] {
        let global = [local[0] * 2, local[1], local[2] * 2];
        let values = random.vec(global.iter().product());
        let at = |p: [usize; 3]| values[(p[0] * global[1] + p[1]) * global[2] + p[2]];
        let sum = |p: [usize; 3]| {
            let first = p[2] / local[2] * local[2];
            (0..local[2]).fold((p[2] + p[1]) as u32 % 2, |sum, k| sum * 3 % 1009 + at([p[0], p[1], first + k]))
        };
        let expected: Vec<u32> = (0..values.len())
            .map(|i| {
                let p = [i / (global[1] * global[2]), i / global[2] % global[1], i % global[2]];
                let mirrored = p[1] / local[1] * local[1] + local[1] - 1 - p[1] % local[1];
                sum([p[0], mirrored, p[2]]) * 10 + (p[2] + p[1]) as u32 % 2
            })
            .collect();
        for way in syclone::abi::ways::Way::ALL {
            let x = Buffer::from_vec_with(values.clone(), global).expect("as many as the extents say");
            let out = Buffer::<u32, 3>::new(global);
            syclone::abi::ways::with_way(way, || {
                let kernel = |h: &Handler<'_>| shapes::splits(in_three_dimensions(x.read(h), out.write(h)));
                let shape = NdRange::new(global, local);
                shapes::queue().submit(|h| h.parallel_for(shape, kernel(h))).expect("valid").wait().expect("ends")
            });
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?} {local:?}");
        }
    }
}
