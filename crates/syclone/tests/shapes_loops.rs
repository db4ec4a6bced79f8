//! Loops around barriers, and barriers around loops.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

/// What `rounds` rounds of "take your neighbour's value, double it, add the round" leave.
fn rounds(x: &[u32], rounds: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut v = x.to_vec();
    for round in rounds {
        v = map(&v, |i| (v[(i + 1) % v.len()] * 2 + round) % 1009);
    }
    v
}

#[device_fn]
fn turn(item: NdItem<1>, tile: Local<[u32; 64]>, v: u32, round: u32) -> u32 {
    let me = item.local_id(0);
    tile[me] = v;
    item.barrier();
    let next = tile[(me + 1) % item.local_range(0)];
    item.barrier();
    (next * 2 + round) % 1009
}

#[kernel(fallback)]
fn for_loop(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for round in 0..5 {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    out[item] = v;
}
shape!(a_barrier_in_a_for, for_loop, |x, _| rounds(x, 0..5));

#[kernel(fallback)]
fn for_reversed(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for round in (1..6).rev() {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    out[item] = v;
}
shape!(a_barrier_in_a_reversed_for, for_reversed, |x, _| rounds(x, (1..6).rev()));

#[kernel(fallback)]
fn for_stepped(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    let step = item.group_id(0) + 1;
    for round in (0..=9).rev().step_by(step) {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    for round in (0..9).step_by(step).rev() {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    out[item] = v;
}
shape!(a_barrier_in_a_for_that_steps_both_ways, for_stepped, |x, g| {
    rounds(&rounds(x, (0..=9).rev().step_by(g + 1)), (0..9).step_by(g + 1).rev())
});

#[kernel(fallback)]
fn for_mutable(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for mut round in 0..4 {
        round += v % 3;
        tile[item.local_id(0)] = v;
        item.barrier();
        round *= 2;
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    for mut round in 0..3 {
        round *= 5;
        tile[item.local_id(0)] = v;
        item.barrier();
        for _ in 0..2 {
            round += 1;
        }
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    out[item] = v;
}
shape!(the_variable_of_a_for_can_be_each_items_own, for_mutable, |x, _| {
    let mut v = x.to_vec();
    for round in 0..4 {
        v = map(&v, |i| (v[(i + 1) % v.len()] * 2 + (round + v[i] % 3) * 2) % 1009);
    }
    rounds(&v, (0..3).map(|r| r * 5 + 2))
});

#[kernel(fallback)]
fn while_loop(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    let mut round = 0;
    while round < 7 {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
        round += 2;
    }
    out[item] = v * 10 + round;
}
shape!(a_barrier_in_a_while, while_loop, |x, _| rounds(x, [0, 2, 4, 6]).iter().map(|v| v * 10 + 8).collect::<Vec<_>>());

#[kernel(fallback)]
fn loop_loop(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    let mut round = 0;
    loop {
        if round == 3 {
            round += 1;
            continue;
        }
        tile[item.local_id(0)] = v;
        item.barrier();
        if round >= 6 {
            break;
        }
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
        if round == 4 {
            round = 6;
            continue;
        }
        round += 1;
    }
    out[item] = v * 10 + round;
}
shape!(breaks_and_continues_before_and_after_a_barrier, loop_loop, |x, _| {
    rounds(x, [0, 1, 2, 4]).iter().map(|v| v * 10 + 6).collect::<Vec<_>>()
});

#[kernel(fallback)]
fn jumps_as_values(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for round in 0..8 {
        let extra = if round == 2 { continue } else { round * 3 };
        tile[item.local_id(0)] = v;
        item.barrier();
        let next = tile[(item.local_id(0) + 1) % item.local_range(0)];
        item.barrier();
        v = (next * 2
            + match round {
                5 => break,
                1 => 100,
                _ => extra,
            })
            % 1009;
    }
    out[item] = v;
}
shape!(jumps_stand_where_values_do, jumps_as_values, |x, _| rounds(x, [0, 100, 9, 12]));

#[kernel(fallback)]
fn nested(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for a in 0..3u32 {
        let mut inner = 0;
        for b in (0..=a).rev() {
            for _ in 0..2 {
                tile[item.local_id(0)] = v + inner;
                item.barrier();
                v = (tile[(item.local_id(0) + 1) % item.local_range(0)] - inner) % 1009;
                v = (v * 2 + a * b) % 1009;
                item.barrier();
                inner += 1;
            }
        }
        item.barrier();
    }
    out[item] = v;
}
shape!(a_barrier_in_nested_fors, nested, |x, _| rounds(x, [0, 0, 1, 1, 0, 0, 4, 4, 2, 2, 0, 0]));

#[kernel(fallback)]
fn labelled(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    let n = item.group_id(0) as u32;
    'outer: for a in 0..6 {
        let mut b = 0;
        'inner: loop {
            if b == 2 && a == n {
                b = 7;
                continue 'inner;
            }
            if b > 3 {
                continue 'outer;
            }
            tile[item.local_id(0)] = v;
            item.barrier();
            if a == 4 && b == 1 {
                break 'outer;
            }
            v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + a * 10 + b) % 1009;
            item.barrier();
            if a == 1 && b == 3 {
                break 'inner;
            }
            b += 1;
        }
        v += 1;
    }
    out[item] = v;
}
shape!(labels_lead_out_of_nested_loops_around_a_barrier, labelled, |x, g| {
    let mut v = x.to_vec();
    for a in 0..5 {
        let many = if a == 4 {
            1
        } else if a == g as u32 {
            2
        } else {
            4
        };
        v = rounds(&v, (0..many).map(|b| a * 10 + b));
        if a == 1 && a != g as u32 {
            v.iter_mut().for_each(|v| *v += 1);
        }
    }
    v
});

#[kernel(fallback)]
fn block_with_label(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    'done: {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = tile[(item.local_id(0) + 1) % item.local_range(0)] * 2;
        if item.group_id(0) == 1 {
            break 'done;
        }
        item.barrier();
        tile[item.local_id(0)] = v;
        item.barrier();
        v = tile[(item.local_id(0) + 1) % item.local_range(0)] * 2;
    }
    item.barrier();
    out[item] = v;
}
shape!(a_labelled_block_around_a_barrier, block_with_label, |x, g| if g == 1 {
    rounds(x, [0])
} else {
    rounds(x, [0, 0])
});

#[kernel(fallback)]
fn carried(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut current = x[item];
    let mut previous = 0;
    let mut sum = 0;
    for _ in 0..6 {
        let old = previous;
        previous = current;
        tile[item.local_id(0)] = current;
        item.barrier();
        current = (tile[(item.local_id(0) + 1) % item.local_range(0)] + old) % 1009;
        item.barrier();
        sum = (sum * 2 + previous + old) % 1009;
    }
    out[item] = current + previous * 1009 + sum % 1000 * 1_020_000;
}
shape!(values_are_carried_from_turn_to_turn_across_a_barrier, carried, |x, _| {
    let n = x.len();
    let (mut current, mut previous, mut sum) = (x.to_vec(), vec![0; n], vec![0; n]);
    for _ in 0..6 {
        let old = previous;
        previous = current.clone();
        current = map(&current, |i| (previous[(i + 1) % n] + old[i]) % 1009);
        sum = map(&sum, |i| (sum[i] * 2 + previous[i] + old[i]) % 1009);
    }
    map(x, |i| current[i] + previous[i] * 1009 + sum[i] % 1000 * 1_020_000)
});

#[kernel(fallback)]
fn tree(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let n = item.local_range(0);
    tile[me] = x[item];
    let mut stride = 32;
    item.barrier();
    let mut strides = 0;
    while stride > 0 {
        strides += stride as u32;
        if me < stride && me + stride < n {
            tile[me] += tile[me + stride];
        }
        stride /= 2;
        item.barrier();
        strides += stride as u32 * 100;
    }
    out[item] = tile[0] * 10_000 + strides;
}
shape!(a_stride_changes_between_its_uses_around_a_barrier, tree, |x, _| {
    vec![x.iter().sum::<u32>() * 10_000 + 63 + 31 * 100; x.len()]
});

#[kernel(fallback)]
fn tree_with_bound(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    tile[me] = x[item];
    if me + item.local_range(0) < 64 {
        let mut i = me + item.local_range(0);
        while i < 64 {
            tile[i] = 0;
            i += item.local_range(0);
        }
    }
    let mut stride = 32;
    item.barrier();
    while stride > 0 {
        if me < stride {
            tile[me] += tile[me + stride];
        }
        item.barrier();
        stride >>= 1;
    }
    out[item] = tile[0];
}
#[kernel(fallback)]
fn tree_with_strided_items(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let mut i = me;
    while i < 64 {
        tile[i] = if i < item.local_range(0) { x[item.group_id(0) * item.local_range(0) + i] } else { 0 };
        i += item.local_range(0);
    }
    item.barrier();
    let mut sum = 0;
    for s in 0..6 {
        let stride = 32 >> s;
        i = me;
        while i < stride {
            tile[i] += tile[i + stride];
            i += item.local_range(0);
        }
        item.barrier();
        sum += tile[0] * 0;
        item.barrier();
    }
    out[item] = tile[0] + sum;
}
shape!(a_tree_of_more_places_than_items, tree_with_strided_items, |x, _| vec![x.iter().sum::<u32>(); x.len()]);

#[test]
fn a_tree_whose_branch_bounds_the_items() {
    // Groups of at least half the tree's width, so that every place has its item.
    let mut random = shapes::Random::new();
    for size in [32, 33, 48, 64] {
        let values = random.vec(size * 2);
        let expected: Vec<u32> = values.chunks(size).flat_map(|x| vec![x.iter().sum::<u32>(); size]).collect();
        let x = Buffer::from_vec(values);
        shapes::agree("tree", &expected, |h, out| {
            h.parallel_for(NdRange::new(size * 2, size), shapes::splits(tree_with_bound(x.read(h), out.write(h))))
        });
    }
}

#[kernel(fallback)]
fn computed_bound(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut bound = 0;
    for k in 0..=item.group_id(0) as u32 {
        bound += k;
    }
    let mut v = x[item];
    for round in 0..bound + 1 {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
    }
    bound += 1;
    item.barrier();
    out[item] = v * 100 + bound;
}
shape!(an_inner_loop_computes_the_bound_of_a_loop_around_a_barrier, computed_bound, |x, g| {
    let bound = (0..=g as u32).sum::<u32>() + 1;
    rounds(x, 0..bound).iter().map(|v| v * 100 + bound).collect::<Vec<_>>()
});

#[kernel(fallback)]
fn read_bound(item: NdItem<1>, x: View<u32>, n: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    let mut round = 0;
    while round < n[item.group_id(0)] {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = (tile[(item.local_id(0) + 1) % item.local_range(0)] * 2 + round) % 1009;
        item.barrier();
        round += 1;
    }
    out[item] = v;
}
#[test]
fn a_bound_can_be_read_from_a_view_at_the_groups_place() {
    shapes::groups(
        |x, g| rounds(x, 0..[3, 0, 6][g]),
        |h, shape, x, out| {
            let n = Buffer::from_vec(vec![3, 0, 6]);
            h.parallel_for(shape, shapes::splits(read_bound(x.read(h), n.read(h), out.write(h))))
        },
    );
}

#[kernel(fallback)]
fn while_any(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let mut v = x[item];
    let mut turns = 0;
    while g.any(v > 20) {
        if v > 20 {
            v -= 7;
        }
        turns += 1;
        if turns == 5 {
            v /= 2;
            continue;
        }
        v -= min(v, turns % 2);
    }
    out[item] = v * 100 + turns;
}
shape!(a_while_whose_condition_is_collective, while_any, |x, _| {
    let (mut v, mut turns) = (x.to_vec(), 0);
    while v.iter().any(|&v| v > 20) {
        turns += 1;
        for v in &mut v {
            *v -= if *v > 20 { 7 } else { 0 };
            if turns == 5 { *v /= 2 } else { *v -= (*v).min(turns % 2) }
        }
    }
    v.iter().map(|v| v * 100 + turns).collect::<Vec<_>>()
});

#[kernel(fallback)]
fn varying_loops_between(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let v = x[item];
    let mut sum = 0;
    'k: for k in 0..v {
        let mut j = k;
        while j > 0 {
            j /= 2;
            if j == 3 {
                continue 'k;
            }
            if sum > 500 {
                break 'k;
            }
        }
        sum += k;
    }
    tile[item.local_id(0)] = sum;
    item.barrier();
    let mut tries = 0;
    let found = loop {
        sum = sum * 3 % 101;
        if sum % 7 == 3 || tries == 20 {
            break sum;
        }
        sum += 1;
        tries += 1;
    };
    out[item] = tile[(item.local_id(0) + 1) % item.local_range(0)] * 1000 + found;
}
shape!(loops_of_each_items_own_stay_between_barriers, varying_loops_between, |x, _| {
    let sums: Vec<u32> = x
        .iter()
        .map(|&v| {
            let mut sum = 0;
            for k in 0..v {
                let mut chain =
                    std::iter::successors(Some(k / 2), |&j| (j > 0).then_some(j / 2)).take(if k == 0 { 0 } else { 99 });
                let skip = chain.any(|j| j == 3);
                if k > 0 && sum > 500 && (k / 2 != 3) {
                    break;
                }
                sum += if skip { 0 } else { k };
            }
            sum
        })
        .collect();
    let found = |mut sum: u32| {
        for _ in 0..20 {
            sum = sum * 3 % 101;
            if sum % 7 == 3 {
                return sum;
            }
            sum += 1;
        }
        sum * 3 % 101
    };
    map(x, |i| sums[(i + 1) % x.len()] * 1000 + found(sums[i]))
});

#[kernel(fallback)]
fn helpers_turn(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for round in 0..4 {
        v = turn(item, tile, v, round);
    }
    out[item] = v;
}
shape!(a_helper_with_a_barrier_in_a_loop, helpers_turn, |x, _| rounds(x, 0..4));
