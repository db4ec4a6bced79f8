//! Sub-group operations in every control flow, with sub-groups of every size and partial ones.

mod shapes;

use syclone::prelude::*;

/// Runs a kernel with groups of every size cut into sub-groups of every size.
fn sub_groups(
    reference: impl Fn(&[u32], usize, &dyn Fn(usize) -> std::ops::Range<usize>) -> Vec<u32>,
    launch: impl Fn(&Handler<'_>, NdRange<1>, &Buffer<u32>, &Buffer<u32>) -> Result<()>,
) {
    for width in [1, 4, 8, 16, 32] {
        shapes::groups(
            |x, g| {
                let n = x.len();
                reference(x, g, &|i: usize| i / width * width..(i / width * width + width).min(n))
            },
            |h, shape, x, out| launch(h, shape.sub_group_size(width), x, out),
        );
    }
}

macro_rules! sub_group_shape {
    ($name:ident, $kernel:ident, $check:expr, $reference:expr) => {
        #[test]
        fn $name() {
            sub_groups($reference, |h, shape, x, out| h.parallel_for(shape, $check($kernel(x.read(h), out.write(h)))));
        }
    };
}

#[kernel(fallback)]
fn shuffles(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let sg = item.sub_group();
    let v = x[item];
    let mut w = sg.shuffle_xor(v, 1) + sg.shuffle_up(v, 2) * 2 + sg.shuffle_down(sg.shuffle(v, 3), 1);
    for k in 0..2 {
        w = 100 + sg.shift_left(w, 1) + k + sg.permute_xor(v, 2) - sg.select(v, sg.size() - 1);
    }
    out[item] = w;
}
sub_group_shape!(shuffles_nest_and_run_in_loops, shuffles, shapes::splits, |x, _, lanes| {
    let own = |v: &[u32], i: usize, j: isize| {
        let range = lanes(i);
        if j >= range.start as isize && j < range.end as isize { v[j as usize] } else { v[i] }
    };
    let index: Vec<usize> = (0..x.len()).collect();
    let third: Vec<u32> = index.iter().map(|&i| own(x, i, lanes(i).start as isize + 3)).collect();
    let xor = |i: usize, mask: usize| own(x, i, (lanes(i).start + ((i - lanes(i).start) ^ mask)) as isize);
    let mut w: Vec<u32> =
        index.iter().map(|&i| xor(i, 1) + own(x, i, i as isize - 2) * 2 + own(&third, i, i as isize + 1)).collect();
    for k in 0..2 {
        w = index.iter().map(|&i| own(&w, i, i as isize + 1) + k + xor(i, 2) + 100 - x[lanes(i).end - 1]).collect();
    }
    w
});

#[kernel(fallback)]
fn votes(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let sg = item.sub_group();
    let v = x[item];
    sg.barrier();
    let mut result = sg.reduce(v, Plus) + sg.exclusive_scan(v, Plus) * 3;
    if sg.any(v > 90) {
        result += 1000;
    }
    let low = sg.all(v < 80);
    let mask = sg.ballot(v % 2 == 0);
    result += mask.count_ones() * 10_000 + low as u32 * 5000 + sg.broadcast(v, 0) * 1_000_000;
    out[item] = result;
}
sub_group_shape!(votes_reductions_and_scans_are_the_sub_groups_own, votes, shapes::splits, |x, _, lanes| {
    (0..x.len())
        .map(|i| {
            let own = &x[lanes(i)];
            let before: u32 = x[lanes(i).start..i].iter().sum();
            own.iter().sum::<u32>()
                + before * 3
                + own.iter().any(|&v| v > 90) as u32 * 1000
                + own.iter().filter(|&v| v % 2 == 0).count() as u32 * 10_000
                + own.iter().all(|&v| v < 80) as u32 * 5000
                + own[0] * 1_000_000
        })
        .collect()
});

#[kernel(fallback)]
fn in_a_sub_groups_branch(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let sg = item.sub_group();
    let v = x[item];
    if sg.id() == 0 {
        out[item] = sg.reduce(v, Maximum);
    } else if sg.any(v > 70) {
        sg.barrier();
        out[item] = sg.inclusive_scan(v, Plus) + 1000;
    } else {
        out[item] = v;
    }
}
sub_group_shape!(
    an_operation_in_a_branch_that_its_sub_group_takes_together,
    in_a_sub_groups_branch,
    |k| shapes::falls_back("`if`", k),
    |x, _, lanes| {
        (0..x.len())
            .map(|i| {
                let own = &x[lanes(i)];
                match lanes(i).start {
                    0 => *own.iter().max().unwrap(),
                    first if own.iter().any(|&v| v > 70) => x[first..=i].iter().sum::<u32>() + 1000,
                    _ => x[i],
                }
            })
            .collect()
    }
);

#[kernel(fallback)]
fn in_a_sub_groups_loop(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let sg = item.sub_group();
    let mut v = x[item];
    let mut turns = 0;
    while sg.any(v > 10) {
        v = if v > 10 { v / 2 } else { v };
        turns += 1;
    }
    let mut sum = 0;
    for k in 0..sg.id() % 3 + 1 {
        sum += sg.reduce(v + k as u32, Plus);
    }
    out[item] = turns * 1000 + sum;
}
sub_group_shape!(
    loops_that_a_sub_group_runs_together,
    in_a_sub_groups_loop,
    |k| shapes::falls_back("`loop`", k),
    |x, _, lanes| {
        (0..x.len())
            .map(|i| {
                let mut own = x[lanes(i)].to_vec();
                let mut turns = 0;
                while own.iter().any(|&v| v > 10) {
                    own.iter_mut().filter(|v| **v > 10).for_each(|v| *v /= 2);
                    turns += 1;
                }
                let id = lanes(i).start / lanes(0).len();
                let sum: u32 = (0..id % 3 + 1).map(|k| own.iter().map(|v| v + k as u32).sum::<u32>()).sum();
                turns * 1000 + sum
            })
            .collect()
    }
);

#[kernel(fallback)]
fn both_levels(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let partial = local::<[u32; 64]>();
    let sg = item.sub_group();
    let own = sg.reduce(x[item], Plus);
    if sg.local_id() == 0 {
        partial[sg.id()] = own;
    }
    item.barrier();
    let mut all = 0;
    for k in 0..sg.count() {
        all += partial[k];
    }
    out[item] = all * 10 + (item.group().reduce(own, Maximum) % 10);
}
sub_group_shape!(sub_groups_feed_the_group, both_levels, shapes::splits, |x, _, lanes| {
    let sums: Vec<u32> = (0..x.len()).map(|i| x[lanes(i)].iter().sum()).collect();
    vec![x.iter().sum::<u32>() * 10 + sums.iter().max().unwrap() % 10; x.len()]
});
