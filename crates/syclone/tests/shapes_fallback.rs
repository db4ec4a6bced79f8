//! Kernels whose barriers nobody can prove uniform: they run in lock-step, rightly or to an error, never for ever.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

#[kernel(fallback)]
fn by_local_memory(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let left = local::<[u32; 1]>();
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let mut v = x[item];
    if me == 0 {
        left[0] = v % 5;
    }
    item.barrier();
    while left[0] > 0 {
        tile[me] = v;
        item.barrier();
        v = tile[(me + 1) % item.local_range(0)] + 1;
        if me == 0 {
            left[0] -= 1;
        }
        item.barrier();
    }
    out[item] = v;
}
shape!(a_loop_whose_condition_is_in_local_memory, by_local_memory, |x, _| {
    let rounds = x[0] % 5;
    map(x, |i| x[(i + rounds as usize) % x.len()] + rounds)
}, not split: "`while`");

#[kernel(fallback)]
fn by_view(item: NdItem<1>, x: View<u32>, go: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    if go[item] > 0 {
        tile[item.local_id(0)] = v;
        item.barrier(); // under what each item reads
        v = tile[(item.local_id(0) + 1) % item.local_range(0)];
    }
    out[item] = v;
}

#[test]
fn a_branch_whose_condition_each_item_reads() {
    shapes::groups(
        |x, g| if g == 1 { x.to_vec() } else { map(x, |i| x[(i + 1) % x.len()]) },
        |h, shape, x, out| {
            let n = shape.local()[0];
            let go = Buffer::from_vec((0..n * shapes::GROUPS).map(|i| (i / n != 1) as u32).collect());
            h.parallel_for(shape, shapes::falls_back("`if`", by_view(x.read(h), go.read(h), out.write(h))))
        },
    );
}

#[kernel(fallback)]
fn different_barriers(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] > 50 {
        item.barrier(); // one of two
    } else {
        item.barrier(); // the other of two
    }
    out[item] = 1;
}

#[kernel(fallback)]
fn different_rounds(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let mut k = 0;
    while k < x[item] {
        item.barrier(); // more often for some
        k += 1;
    }
    out[item] = k;
}

#[kernel(fallback)]
fn breaks_out(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let mut k = 0;
    'outer: for _ in 0..10 {
        loop {
            k += 1;
            if k > x[item] {
                break 'outer;
            }
            item.barrier(); // left by some
            break;
        }
    }
    out[item] = k;
}

#[kernel(fallback)]
fn skips_an_operation(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let mut v = 0;
    if x[item] > 50 {
        v = g.reduce(x[item], Plus); // for some
    }
    out[item] = v;
}

fn line_of(text: &str) -> usize {
    1 + include_str!("shapes_fallback.rs").lines().position(|line| line.ends_with(text)).expect("a line that says this")
}

#[test]
fn items_that_part_ways_at_a_barrier_end_in_the_same_error_in_every_way() {
    let check = |text: String, name: &str, comments: &[&str], counts: &[&str]| {
        let lines: Vec<String> = comments.iter().map(|comment| format!("line {}", line_of(comment))).collect();
        assert!(
            text.contains(name)
                && lines.iter().any(|line| text.contains(line))
                && counts.iter().any(|n| text.contains(n)),
            "{text} {lines:?}"
        );
    };
    let out = Buffer::<u32>::new(16);
    let shape = NdRange::new(16, 8);
    let x = Buffer::from_vec((0..16).map(|i| if i > 10 { 90u32 } else { 5 }).collect());
    let mixed = Buffer::from_vec((0..16).map(|i| (i == 3) as u32).collect());
    let text = shapes::same_failure(|h| {
        h.parallel_for(shape, shapes::falls_back("`if`", different_barriers(x.read(h), out.write(h))))
    });
    check(text, "different_barriers", &["// one of two", "// the other of two"], &["3 of 8", "5 of 8"]);
    let text = shapes::same_failure(|h| {
        h.parallel_for(shape, shapes::falls_back("`while`", different_rounds(x.read(h), out.write(h))))
    });
    check(text, "different_rounds", &["// more often for some"], &["5 of 8"]);
    let few = Buffer::from_vec((0..16).map(|i| if i == 12 { 3u32 } else { 20 }).collect());
    let text =
        shapes::same_failure(|h| h.parallel_for(shape, shapes::falls_back("", breaks_out(few.read(h), out.write(h)))));
    check(text, "breaks_out", &["// left by some"], &["7 of 8"]);
    let text = shapes::same_failure(|h| {
        h.parallel_for(shape, shapes::falls_back("`if`", skips_an_operation(x.read(h), out.write(h))))
    });
    check(text, "skips_an_operation", &["// for some"], &["5 of 8"]);
    let text = shapes::same_failure(|h| h.parallel_for(shape, by_view(x.read(h), mixed.read(h), out.write(h))));
    check(text, "by_view", &["// under what each item reads"], &["1 of 8"]);
}

#[test]
fn items_that_meet_at_every_barrier_end_well() {
    let ones = vec![7u32; 24];
    let x = Buffer::from_vec(ones.clone());
    shapes::agree("rounds", &ones, |h, out| {
        h.parallel_for(NdRange::new(24, 8), different_rounds(x.read(h), out.write(h)))
    });
    shapes::agree("same branch", &[1; 24], |h, out| {
        h.parallel_for(NdRange::new(24, 8), different_barriers(x.read(h), out.write(h)))
    });
    shapes::agree("breaks", &[8; 24], |h, out| {
        h.parallel_for(NdRange::new(24, 8), breaks_out(x.read(h), out.write(h)))
    });
    shapes::agree("skips", &[0; 24], |h, out| {
        h.parallel_for(NdRange::new(24, 8), skips_an_operation(x.read(h), out.write(h)))
    });
}

#[device_fn]
fn maybe_waits(item: NdItem<1>, tile: Local<[u32; 64]>, x: u32, go: u32) -> u32 {
    if go == 0 {
        return x;
    }
    tile[item.local_id(0)] = x;
    item.barrier();
    tile[(item.local_id(0) + 1) % item.local_range(0)]
}

#[kernel(fallback)]
fn through_a_helper(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let v = maybe_waits(item, tile, x[item], item.group_id(0) as u32);
    item.barrier();
    let w = maybe_waits(item, tile, v + 1, 1);
    out[item] = w;
}
shape!(a_helper_that_cannot_be_split_inside_a_kernel_that_is, through_a_helper, |x, g| map(x, |i| {
    x[(i + 1 + (g > 0) as usize) % x.len()] + 1
}));

#[kernel(fallback)]
fn carried(item: NdItem<2>, x: View<u32, 2>, tile: LocalAccessor<u32>, out: ItemMut<u32, 2>) {
    let me = item.local_linear_id();
    let n = item.local_range(0) * item.local_range(1);
    let mut v = (x[item], 0u32);
    let mut k = 0;
    loop {
        tile[me] = v.0;
        item.barrier();
        if tile[0] % 3 == 0 || k == 5 {
            break;
        }
        let old = v.0;
        v.0 = tile[(me + 1) % n] + k;
        v.1 += old;
        k += 1;
        item.barrier();
    }
    out[item] = v.0 + v.1 * 100 + k * 1_000_000;
}

#[test]
fn values_are_carried_through_lock_step_loops_in_two_dimensions() {
    let mut random = shapes::Random::new();
    for (rows, columns) in [(1, 1), (3, 5), (4, 8)] {
        let values = random.vec(rows * columns * 2);
        let mut expected = vec![0; values.len()];
        let at = |g: usize, i: usize| (i / columns) * columns * 2 + g * columns + i % columns;
        for g in 0..2 {
            let n = rows * columns;
            let mut v: Vec<u32> = (0..n).map(|i| values[at(g, i)]).collect();
            let mut sums = vec![0; n];
            let mut k = 0;
            while !v[0].is_multiple_of(3) && k < 5 {
                sums = (0..n).map(|i| sums[i] + v[i]).collect();
                v = map(&v, |i| v[(i + 1) % n] + k);
                k += 1;
            }
            (0..n).for_each(|i| expected[at(g, i)] = v[i] + sums[i] * 100 + k * 1_000_000);
        }
        for way in syclone::abi::ways::Way::ALL {
            let x = Buffer::from_vec_with(values.clone(), [rows, columns * 2]).expect("as many as the extents say");
            let out = Buffer::<u32, 2>::new([rows, columns * 2]);
            let shape = NdRange::new([rows, columns * 2], [rows, columns]);
            syclone::abi::ways::with_way(way, || {
                let kernel = |h: &Handler<'_>| {
                    shapes::falls_back("`loop`", carried(x.read(h), LocalAccessor::new(rows * columns), out.write(h)))
                };
                shapes::queue().submit(|h| h.parallel_for(shape, kernel(h)))
            })
            .expect("valid")
            .wait()
            .expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?}");
        }
    }
}
