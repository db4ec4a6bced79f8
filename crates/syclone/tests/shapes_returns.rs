//! Early returns of whole groups and of some of their items, before and after barriers.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

#[kernel(fallback)]
fn whole_groups(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let g = item.group_id(0);
    if g == 1 {
        return;
    }
    tile[item.local_id(0)] = x[item];
    item.barrier();
    if x[g * item.local_range(0)] > 50 {
        out[item] = 5;
        return;
    }
    out[item] = tile[(item.local_id(0) + 1) % item.local_range(0)] + 100;
    item.barrier();
}
shape!(whole_groups_return_before_a_barrier, whole_groups, |x, g| map(x, |i| match g {
    1 => 0,
    _ if x[0] > 50 => 5,
    _ => x[(i + 1) % x.len()] + 100,
}));

#[kernel(fallback)]
fn all_by_value(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let v = x[item];
    if v < 200 && item.group_id(0) != 2 {
        out[item] = v + 1;
        return;
    }
    tile[item.local_id(0)] = v;
    item.barrier();
    out[item] = tile[item.local_range(0) - 1];
}
shape!(groups_whose_items_all_return_by_values_of_their_own, all_by_value, |x, g| map(x, |i| {
    if g == 2 { x[x.len() - 1] } else { x[i] + 1 }
}));

#[kernel(fallback)]
fn some_after_the_last(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let n = item.local_range(0);
    tile[item.local_id(0)] = x[item];
    item.barrier();
    out[item] = 1;
    let v = x[item];
    if v > 70 {
        return;
    }
    let mut sum = 0;
    for k in 0..n {
        if tile[k] > 40 {
            if v % 2 == 0 {
                out[item] = 2;
                return;
            }
        }
        sum += tile[k];
    }
    while sum > 50 {
        sum -= 50;
        if sum == v {
            return;
        }
    }
    out[item] = sum + 10;
}
shape!(some_items_return_after_the_last_barrier, some_after_the_last, |x, _| map(x, |i| {
    let v = x[i];
    if v > 70 {
        return 1;
    }
    if v % 2 == 0 && x.iter().any(|&y| y > 40) {
        return 2;
    }
    let mut sum: u32 = x.iter().sum();
    while sum > 50 {
        sum -= 50;
        if sum == v {
            return 1;
        }
    }
    sum + 10
}));

#[kernel(fallback)]
fn some_without_barriers(item: NdItem<1>, x: View<u32>, n: u32, out: ItemMut<u32>) {
    let v = x[item];
    if v < 20 {
        return;
    }
    let mut rounds = 0;
    for k in 0..n {
        rounds += k;
    }
    let mut sum = v;
    for k in 0..rounds {
        sum += x[k as usize] % 3;
    }
    if sum % 2 == 0 {
        out[item] = sum;
        return;
    }
    for k in 0..rounds * 2 {
        sum += x[k as usize % 2];
    }
    out[item] = sum;
}

#[test]
fn some_items_return_before_loops_that_a_strip_runs_together() {
    let mut random = shapes::Random::new();
    for size in shapes::SIZES {
        let values = random.vec(size * 3 + 3);
        let run = |v: u32| {
            if v < 20 {
                return 0;
            }
            let sum = v + (0..3).map(|k| values[k] % 3).sum::<u32>();
            if sum.is_multiple_of(2) { sum } else { sum + 3 * (values[0] + values[1]) }
        };
        let expected: Vec<u32> = values[..size * 3].iter().map(|&v| run(v)).collect();
        let x = Buffer::from_vec(values.clone());
        shapes::agree("returns", &expected, |h, out| {
            h.parallel_for(
                NdRange::new(size * 3, size),
                shapes::splits(some_without_barriers(x.read(h), 3, out.write(h))),
            )
        });
    }
}

#[kernel(fallback)]
fn in_a_loop(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for round in 0..5 {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = tile[(item.local_id(0) + 1) % item.local_range(0)] + 1;
        item.barrier();
        if round == 2 && item.group_id(0) == 0 {
            out[item] = v;
            return;
        }
        if round > 3 {
            return;
        }
    }
    out[item] = 1;
}
shape!(a_group_returns_out_of_a_loop_around_a_barrier, in_a_loop, |x, g| map(x, |i| {
    if g == 0 { x[(i + 3) % x.len()] + 3 } else { 0 }
}));

#[kernel(fallback)]
fn some_miss(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] < 50 {
        out[item] = 7;
        return;
    }
    item.barrier(); // the barrier that some miss
    out[item] = 1;
}

#[kernel(fallback)]
fn some_miss_in_a_loop(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    for round in 0..3 {
        item.barrier(); // reached by all twice, then by some
        if x[item] + round < 52 {
            return;
        }
    }
    out[item] = 1;
}

#[kernel(fallback)]
fn some_miss_a_reduction(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] < 50 {
        return;
    }
    let total = item.group().reduce(x[item], Plus); // the reduction that some miss
    out[item] = total;
}

#[kernel(fallback)]
fn some_miss_a_sub_groups(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] < 50 {
        return;
    }
    let next = item.sub_group().shuffle_down(x[item], 1); // the shuffle that some miss
    out[item] = next;
}

#[device_fn]
fn wait(item: NdItem<1>, x: u32) -> u32 {
    item.barrier(); // in a helper
    x + 1
}

#[kernel(fallback)]
fn some_miss_a_helper(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] < 50 {
        return;
    }
    out[item] = wait(item, x[item]); // the call that some miss
}

fn line_of(text: &str) -> usize {
    1 + include_str!("shapes_returns.rs").lines().position(|line| line.ends_with(text)).expect("a line that says this")
}

#[test]
fn a_barrier_that_some_items_miss_is_the_same_error_in_every_way() {
    // Seven of the second group's eight items go on.
    let values: Vec<u32> = (0..24).map(|i| if i == 11 { 0 } else { 90 }).collect();
    let x = Buffer::from_vec(values);
    let out = Buffer::<u32>::new(24);
    let shape = NdRange::new(24, 8);
    let check = |text: String, name: &str, comment: &str| {
        let line = line_of(comment);
        assert!(
            text.contains(name) && text.contains(&format!("line {line}")) && text.contains("7 of 8"),
            "{text} ({line})"
        );
    };
    let text = shapes::same_failure(|h| h.parallel_for(shape, shapes::splits(some_miss(x.read(h), out.write(h)))));
    check(text, "some_miss", "// the barrier that some miss");
    let text =
        shapes::same_failure(|h| h.parallel_for(shape, shapes::splits(some_miss_in_a_loop(x.read(h), out.write(h)))));
    check(text, "some_miss_in_a_loop", "// reached by all twice, then by some");
    let text =
        shapes::same_failure(|h| h.parallel_for(shape, shapes::splits(some_miss_a_reduction(x.read(h), out.write(h)))));
    check(text, "some_miss_a_reduction", "// the reduction that some miss");
    let text = shapes::same_failure(|h| {
        h.parallel_for(shape, shapes::splits(some_miss_a_sub_groups(x.read(h), out.write(h))))
    });
    check(text, "some_miss_a_sub_groups", "// the shuffle that some miss");
    // Where items run one by one, the helper's own barrier is what they miss; where the group calls it, the call is.
    for text in shapes::failures(|h| h.parallel_for(shape, shapes::splits(some_miss_a_helper(x.read(h), out.write(h)))))
    {
        let lines =
            ["// the call that some miss", "// in a helper"].map(|comment| format!("line {}", line_of(comment)));
        assert!(
            text.contains("some_miss_a_helper")
                && text.contains("7 of 8")
                && lines.iter().any(|line| text.contains(line)),
            "{text}"
        );
    }
}

#[test]
fn a_group_that_missed_a_barrier_does_not_stop_the_next_launch() {
    let x = Buffer::from_vec((0..24u32).map(|i| i % 2 * 90).collect());
    let out = Buffer::<u32>::new(24);
    for _ in 0..3 {
        shapes::same_failure(|h| h.parallel_for(NdRange::new(24, 8), some_miss(x.read(h), out.write(h))));
        let expected: Vec<u32> = (0..24).map(|i| if i / 8 == 1 { 0 } else { 5 }).collect();
        let all = Buffer::from_vec(vec![90u32; 24]);
        shapes::agree("next", &expected, |h, out| {
            h.parallel_for(NdRange::new(24, 8), whole_groups(all.read(h), out.write(h)))
        });
    }
}

#[kernel]
fn in_a_range(item: Item<2>, x: View<u32, 2>, n: u32, out: ItemMut<u32, 2>) {
    let v = x[item];
    if v < 30 {
        return;
    }
    let mut sum = 0;
    for k in 0..n as usize {
        sum += x[[k % x.extent(0), item.id(1)]] + x[[item.id(0), k % x.extent(1)]];
        if v > 70 && sum > 200 {
            out[item] = 1;
            return;
        }
    }
    let mut rounds = 0;
    while rounds < n {
        rounds += 2;
    }
    if sum % 2 == 0 {
        return;
    }
    for k in 0..rounds {
        sum += k * x[[0, item.id(1)]];
    }
    out[item] = sum;
}

#[test]
fn items_of_a_range_return_where_they_like() {
    let mut random = shapes::Random::new();
    for (rows, columns) in [(1, 1), (5, 33), (7, 65), (33, 3)] {
        let values = random.vec(rows * columns);
        let x = Buffer::from_vec_with(values.clone(), [rows, columns]).expect("as many as the extents say");
        let at = |r: usize, c: usize| values[r * columns + c];
        let expected: Vec<u32> = (0..rows * columns)
            .map(|i| {
                let (r, c) = (i / columns, i % columns);
                if at(r, c) < 30 {
                    return 0;
                }
                let mut sum = 0;
                for k in 0..5 {
                    sum += at(k % rows, c) + at(r, k % columns);
                    if at(r, c) > 70 && sum > 200 {
                        return 1;
                    }
                }
                if sum % 2 == 0 { 0 } else { sum + 15 * at(0, c) }
            })
            .collect();
        for way in syclone::abi::ways::Way::ALL {
            let out = Buffer::<u32, 2>::new([rows, columns]);
            syclone::abi::ways::with_way(way, || {
                shapes::queue().submit(|h| h.parallel_for([rows, columns], in_a_range(x.read(h), 5, out.write(h))))
            })
            .expect("valid")
            .wait()
            .expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?}");
        }
    }
}

#[kernel]
fn guards_of_a_range(item: Item<2>, x: View<u32, 2>, n: usize, out: ItemMut<u32, 2>) {
    let (r, c) = (item.id(0), item.id(1));
    if r == 0 || c == 0 {
        return;
    }
    let (above, left) = (r - 1, c - 1);
    let share = 100 / r;
    let mut sum = x[[above, left]] + share as u32;
    for k in 0..above {
        sum += x[[k, left]];
    }
    if n == 0 {
        return;
    }
    let each = 1000 / n;
    for k in 0..each - 100 / n {
        sum += (k / r) as u32 % 3;
    }
    out[item] = sum;
}

#[kernel(fallback)]
fn guards_of_groups(item: NdItem<1>, x: View<u32>, n: u32, out: ItemMut<u32>) {
    let (g, me) = (item.group_id(0), item.local_id(0));
    let v = x[item];
    if v < 200 && g == 0 {
        return;
    }
    let before = g - 1;
    let part = 60 / g;
    item.barrier();
    if n < v + 1000 {
        return;
    }
    let rest = n - v - 1000;
    out[item] = 0;
    for k in 0..1000 / (n / 2000) {
        out[item] += k / 100;
    }
    item.barrier();
    out[item] = rest + (before + part + me) as u32;
}

#[test]
fn what_a_return_guards_is_not_computed_before_it() {
    let mut random = shapes::Random::new();
    for (m, n, share) in [(1, 5, 4), (6, 40, 7), (9, 3, 0)] {
        let values = random.vec(m * n);
        let x = Buffer::from_vec_with(values.clone(), [m, n]).expect("as many as the extents say");
        let expected: Vec<u32> = (0..m * n)
            .map(|i| {
                let (r, c) = (i / n, i % n);
                if r == 0 || c == 0 || share == 0 {
                    return 0;
                }
                let above: u32 = (0..r - 1).map(|k| values[k * n + c - 1]).sum();
                let turns = 1000 / share - 100 / share;
                values[(r - 1) * n + c - 1]
                    + 100 / r as u32
                    + above
                    + (0..turns).map(|k| (k / r) as u32 % 3).sum::<u32>()
            })
            .collect();
        for way in syclone::abi::ways::Way::ALL {
            let out = Buffer::<u32, 2>::new([m, n]);
            syclone::abi::ways::with_way(way, || {
                shapes::queue().submit(|h| h.parallel_for([m, n], guards_of_a_range(x.read(h), share, out.write(h))))
            })
            .expect("valid")
            .wait()
            .expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?}");
        }
    }
    for n in [0, 5000] {
        let expected = |x: &[u32], g: usize| {
            map(x, |i| if g == 0 || n == 0 { 0 } else { n - x[i] - 1000 + (g - 1 + 60 / g + i) as u32 })
        };
        shapes::groups(expected, |h, shape, x, out| {
            h.parallel_for(shape, shapes::splits(guards_of_groups(x.read(h), n, out.write(h))))
        });
    }
}
