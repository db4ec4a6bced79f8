//! Branches around barriers and group operations.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

fn rotated(x: &[u32], by: usize) -> Vec<u32> {
    map(x, |i| x[(i + by) % x.len()])
}

#[kernel(fallback)]
fn if_only(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    if item.group_id(0) != 1 {
        tile[item.local_id(0)] = v;
        item.barrier();
        v = tile[(item.local_id(0) + 1) % item.local_range(0)];
    }
    out[item] = v;
}
shape!(a_barrier_in_an_if, if_only, |x, g| if g != 1 { rotated(x, 1) } else { x.to_vec() });

#[kernel(fallback)]
fn if_else(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let v = if item.group_id(0) % 2 == 0 {
        tile[me] = x[item] + 1;
        item.barrier();
        let next = tile[(me + 1) % item.local_range(0)];
        item.barrier();
        next
    } else {
        tile[me] = x[item] + 2;
        item.barrier();
        tile[(me + 2) % item.local_range(0)]
    };
    out[item] = v * 2;
}
shape!(barriers_in_both_branches_of_an_if_with_a_value, if_else, |x, g| {
    let by = g % 2 + 1;
    rotated(x, by).iter().map(|v| (v + by as u32) * 2).collect::<Vec<_>>()
});

#[kernel(fallback)]
fn else_if(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let n = item.local_range(0);
    let g = item.group_id(0);
    let mut v = x[item];
    tile[me] = v;
    if g == 0 {
        item.barrier();
        v += tile[(me + 1) % n];
    } else if x[g * n] > 50 {
        v += 3;
        item.barrier();
        v *= tile[(me + 2) % n];
        item.barrier();
        tile[me] = v;
    } else if g == 5 {
        item.barrier();
    } else {
        v += 7;
    }
    item.barrier();
    out[item] = v * 10 + tile[me] % 10
}
shape!(a_chain_of_else_ifs, else_if, |x, g| map(x, |i| {
    let (v, at) = (x[i], |by: usize| x[(i + by) % x.len()]);
    match g {
        0 => (v + at(1)) * 10 + v % 10,
        _ if x[0] > 50 => ((v + 3) * at(2)) * 10 + (v + 3) * at(2) % 10,
        _ => (v + 7) * 10 + v % 10,
    }
}));

#[kernel(fallback)]
fn if_around_for(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let mut v = x[item];
    if item.group_id(0) > 0 {
        for round in 0..item.group_id(0) {
            tile[me] = v;
            item.barrier();
            v = tile[(me + round + 1) % item.local_range(0)];
            item.barrier();
        }
    }
    for round in 0..4u32 {
        if round % 2 == 1 {
            tile[me] = v + round;
            item.barrier();
            v = tile[(me + 1) % item.local_range(0)];
        } else {
            v += round;
        }
        if round == 3 {
            continue;
        }
        item.barrier();
    }
    out[item] = v;
}
shape!(an_if_around_a_for_and_a_for_around_an_if, if_around_for, |x, g| {
    let mut v = x.to_vec();
    for round in 0..g {
        v = rotated(&v, round + 1);
    }
    v = rotated(&v, 1).iter().map(|v| v + 1 + 2 + 3).collect();
    rotated(&v, 1)
});

#[kernel(fallback)]
fn matches(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let n = item.local_range(0);
    let v = x[item];
    tile[me] = v;
    let first = x[item.group_id(0) * n];
    let w = match item.group_id(0) {
        0 => {
            item.barrier();
            tile[(me + 1) % n]
        }
        k @ 1..=2 if first % 2 == 0 => {
            item.barrier();
            let w = tile[(me + 1) % n];
            item.barrier();
            w + k as u32
        }
        mut k if first % 3 == 0 => {
            k += v as usize;
            item.barrier();
            k as u32 + tile[(me + 1) % n]
        }
        _ => v * 2,
    };
    item.barrier();
    match first % 4 {
        0 => item.barrier(),
        1 | 2 => {
            tile[me] = w;
            item.barrier();
        }
        _ => {}
    }
    item.barrier();
    out[item] = w * 1000 + tile[me];
}
shape!(a_match_with_guards_bindings_and_barriers_in_its_arms, matches, |x, g| map(x, |i| {
    let next = x[(i + 1) % x.len()];
    let w = match g {
        0 => next,
        _ if x[0] % 2 == 0 => next + g as u32,
        _ if x[0] % 3 == 0 => g as u32 + x[i] + next,
        _ => x[i] * 2,
    };
    w * 1000 + if [1, 2].contains(&(x[0] % 4)) { w } else { x[i] }
}));

#[kernel(fallback)]
fn tail_match(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    out[item] = x[item];
    match item.group_id(0) {
        0 => item.barrier(),
        1 => {
            if x[1] > 50 {
                item.barrier();
            }
        }
        _ => {
            tile[item.local_id(0)] = x[item];
            item.barrier();
            out[item] = tile[0];
        }
    }
}
shape!(a_match_at_the_end_with_barriers_in_its_arms, tail_match, |x, g| if g < 2 {
    x.to_vec()
} else {
    vec![x[0]; x.len()]
});

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
#[repr(u8)]
enum Mode {
    Next,
    Sum,
    Stay,
}

#[kernel(fallback)]
fn by_mode(item: NdItem<1>, mode: Mode, twice: bool, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let mut v = x[item];
    for _ in 0..if twice { 2 } else { 1 } {
        match mode {
            Mode::Next => {
                tile[item.local_id(0)] = v;
                item.barrier();
                v = tile[(item.local_id(0) + 1) % item.local_range(0)];
                item.barrier();
            }
            Mode::Sum => v = item.group().reduce(v, Plus) % 1009,
            Mode::Stay if twice => break,
            Mode::Stay => item.barrier(),
        }
        v += 1;
    }
    out[item] = v;
}

#[test]
fn an_argument_chooses_between_arms_with_barriers() {
    for mode in [Mode::Next, Mode::Sum, Mode::Stay] {
        for twice in [false, true] {
            let expected = |x: &[u32], _: usize| {
                let mut v = x.to_vec();
                for _ in 0..twice as usize + 1 {
                    match mode {
                        Mode::Next => v = rotated(&v, 1),
                        Mode::Sum => v = vec![v.iter().sum::<u32>() % 1009; x.len()],
                        Mode::Stay if twice => break,
                        Mode::Stay => {}
                    }
                    v.iter_mut().for_each(|v| *v += 1);
                }
                v
            };
            shapes::groups(expected, |h, shape, x, out| {
                h.parallel_for(shape, shapes::splits(by_mode(mode, twice, x.read(h), out.write(h))))
            });
        }
    }
}

#[kernel(fallback)]
fn collective_condition(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let g = item.group();
    let v = x[item];
    tile[item.local_id(0)] = v;
    if g.any(v > 95) {
        item.barrier();
        out[item] = tile[(item.local_id(0) + 1) % item.local_range(0)];
    } else if g.reduce(v, Maximum) > 80 && x[item.group_id(0) * item.local_range(0)] > 50 {
        out[item] = 1000;
    } else {
        out[item] = 2000
            + match g.reduce(v, Minimum) {
                0..=9 => g.broadcast(v, 0),
                low => low,
            };
    }
}
shape!(a_group_operation_in_a_condition_and_in_a_scrutinee, collective_condition, |x, _| {
    let (low, high) = (*x.iter().min().unwrap(), *x.iter().max().unwrap());
    map(x, |i| match () {
        () if high > 95 => x[(i + 1) % x.len()],
        () if high > 80 && x[0] > 50 => 1000,
        () => 2000 + if low <= 9 { x[0] } else { low },
    })
});

#[kernel(fallback)]
fn uniform_parts(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let g = item.group();
    let first = x[item.group_id(0) * item.local_range(0)];
    let v = if first % 2 == 0 {
        if first > 50 { 1 } else { 2 }
    } else {
        match first % 3 {
            0 => g.reduce(x[item], Plus),
            1 => {
                if x[item] > 50 {
                    3
                } else {
                    4
                }
            }
            _ => first,
        }
    };
    let flag = if first % 2 == 1 {
        g.any(x[item] == 7)
    } else if first % 4 == 0 {
        true
    } else {
        first > 3
    };
    out[item] = v * 10 + flag as u32;
}
shape!(a_branch_with_a_group_operation_beside_plain_values, uniform_parts, |x, _| map(x, |i| {
    let first = x[0];
    let v = match (first % 2, first % 3) {
        (0, _) => {
            if first > 50 {
                1
            } else {
                2
            }
        }
        (_, 0) => x.iter().sum(),
        (_, 1) => {
            if x[i] > 50 {
                3
            } else {
                4
            }
        }
        _ => first,
    };
    let flag = if first % 2 == 1 { x.contains(&7) } else { first % 4 == 0 || first > 3 };
    v * 10 + flag as u32
}));

#[kernel(fallback)]
fn varying_nests(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let me = item.local_id(0);
    let n = item.local_range(0);
    let v = x[item];
    tile[me] = v;
    item.barrier();
    let mut sum = 0;
    if v > 30 {
        for k in 0..n {
            if k == 20 {
                break;
            }
            if tile[k] > v {
                if v % 2 == 0 {
                    for j in 0..3 {
                        sum += tile[(k + j) % n];
                    }
                } else {
                    sum += 1;
                }
            } else if k % 2 == 1 {
                continue;
            }
            sum += k as u32;
        }
    } else {
        sum = match v {
            0 => 5,
            1..=9 => v * 3,
            w if w % 2 == 0 => {
                let mut w = w;
                while w > 2 {
                    w /= 2;
                }
                w
            }
            _ => 6,
        };
    }
    item.barrier();
    tile[me] = sum;
    item.barrier();
    out[item] = tile[n - 1 - me] + v * 1_000_000;
}
shape!(branches_of_each_items_own_nest_freely_between_barriers, varying_nests, |x, _| {
    let n = x.len();
    let sum = |v: u32| {
        if v > 30 {
            let mut sum = 0;
            for k in 0..n.min(20) {
                if x[k] > v {
                    sum += if v.is_multiple_of(2) { (0..3).map(|j| x[(k + j) % n]).sum() } else { 1 };
                    sum += k as u32;
                } else if k % 2 == 0 {
                    sum += k as u32;
                }
            }
            return sum;
        }
        match v {
            0 => 5,
            1..=9 => v * 3,
            _ if v % 2 == 1 => 6,
            mut w => {
                while w > 2 {
                    w /= 2;
                }
                w
            }
        }
    };
    map(x, |i| sum(x[n - 1 - i]) + x[i] * 1_000_000)
});
