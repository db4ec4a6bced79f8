//! Kernels without groups: loops that strips of items run together, branches, reductions, single tasks.

mod shapes;

use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

#[kernel]
fn one(item: Item<1>, x: View<u32>, n: usize, out: ItemMut<u32>) {
    let i = item.id(0);
    let v = x[item];
    let mut sum = 0;
    let mut last = v;
    for k in 0..n {
        if k % 5 == 4 {
            continue;
        }
        let w = x[(i + k) % x.len()];
        sum += w;
        if w > 50 {
            last = w;
        }
        for j in 0..w % 3 {
            sum += j;
        }
        if k > 20 {
            break;
        }
    }
    let jump = (sum % 3) as usize;
    'outer: for k in (0..n).rev().step_by(2) {
        for j in 0..jump {
            sum += x[j] % 2;
            if sum % 11 == 0 {
                break 'outer;
            }
        }
        let odd = if k % 2 == 1 {
            1
        } else if k == 6 {
            continue;
        } else {
            3
        };
        sum += odd;
    }
    let mut k = 0;
    while k < n {
        let mut m = x[k % x.len()];
        while m > 30 {
            m /= 2;
            last += 1;
        }
        sum += m;
        k += 3;
    }
    out[item] = sum + last * 100_000;
}

fn one_on_the_host(x: &[u32], n: usize, i: usize) -> u32 {
    let (mut sum, mut last) = (0, x[i]);
    for k in (0..n.min(22)).filter(|k| k % 5 != 4) {
        let w = x[(i + k) % x.len()];
        sum += w + (0..w % 3).sum::<u32>();
        if w > 50 {
            last = w;
        }
    }
    let jump = (sum % 3) as usize;
    let mut go = true;
    for k in (0..n).rev().step_by(2) {
        for &w in &x[..jump] {
            if go {
                sum += w % 2;
                go = sum % 11 != 0;
            }
        }
        if go && k != 6 {
            sum += if k % 2 == 1 { 1 } else { 3 };
        }
    }
    for k in (0..n).step_by(3) {
        let mut m = x[k % x.len()];
        while m > 30 {
            m /= 2;
            last += 1;
        }
        sum += m;
    }
    sum + last * 100_000
}

#[test]
fn loops_of_a_range_run_as_if_item_by_item() {
    let mut random = shapes::Random::new();
    for len in [2usize, 3, 31, 32, 33, 48, 63, 65, 200] {
        for n in [0, 1, 7, 30] {
            let values = random.vec(len);
            let expected: Vec<u32> = (0..len).map(|i| one_on_the_host(&values, n, i)).collect();
            let x = Buffer::from_vec(values);
            shapes::agree(&format!("{len} {n}"), &expected, |h, out| {
                h.parallel_for(len, one(x.read(h), n, out.write(h)))
            });
        }
    }
}

#[kernel]
fn two(item: Item<2>, x: View<u32, 2>, out: ItemMut<u32, 2>) {
    let (r, c) = (item.id(0), item.id(1));
    let bound = r / 2 + 1;
    let mut sum = 0;
    for mut k in 0..bound {
        k = (k + c) % x.extent(1);
        sum += x[[r, k]];
    }
    if r % 2 == 0 {
        let mut k = r;
        loop {
            sum += x[[k % x.extent(0), c]];
            if k == 0 {
                break;
            }
            k /= 2;
        }
    } else if c % 2 == 0 {
        for k in 0..bound {
            sum += x[[r, (k * c) % x.extent(1)]];
        }
    } else {
        return;
    }
    match r {
        0 => sum += 1,
        1 | 2 => {
            for k in 0..x.extent(1) {
                sum += x[[0, k]] % 2;
            }
        }
        _ => {}
    }
    out[item] = sum + bound as u32 * 100_000;
}

#[kernel]
fn three(item: Item<3>, x: View<u32, 3>, out: ItemMut<u32, 3>) {
    let mut sum = x[item];
    let plane = item.id(0) * 2;
    for z in 0..x.extent(0) {
        for y in 0..=item.id(1) {
            let scale = (z * 3 + y + plane) as u32;
            for w in 0..item.id(2) % 3 {
                sum += x[[z, y, w]] * scale;
            }
            if y > 2 {
                break;
            }
        }
    }
    if sum % 2 == 0 {
        return;
    }
    out[item] = sum;
}

#[test]
fn loops_bounded_by_the_row_run_in_two_and_three_dimensions() {
    let mut random = shapes::Random::new();
    let queue = shapes::queue();
    for (m, n) in [(1, 1), (4, 3), (7, 33), (5, 70)] {
        let values = random.vec(m * n);
        let at = |r: usize, c: usize| values[r * n + c];
        let expected: Vec<u32> = (0..m * n)
            .map(|i| {
                let (r, c) = (i / n, i % n);
                let bound = r / 2 + 1;
                let mut sum: u32 = (0..bound).map(|k| at(r, (k + c) % n)).sum();
                if r % 2 == 0 {
                    let mut k = r;
                    while k > 0 {
                        sum += at(k % m, c);
                        k /= 2;
                    }
                    sum += at(0, c);
                } else if c % 2 == 0 {
                    sum += (0..bound).map(|k| at(r, k * c % n)).sum::<u32>();
                } else {
                    return 0;
                }
                sum += match r {
                    0 => 1,
                    1 | 2 => (0..n).map(|k| at(0, k) % 2).sum(),
                    _ => 0,
                };
                sum + bound as u32 * 100_000
            })
            .collect();
        for way in Way::ALL {
            let x = Buffer::from_vec_with(values.clone(), [m, n]).expect("as many as the extents say");
            let out = Buffer::<u32, 2>::new([m, n]);
            let event = with_way(way, || queue.submit(|h| h.parallel_for([m, n], two(x.read(h), out.write(h)))));
            event.expect("valid").wait().expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?} {m} {n}");
        }
    }
    for extents in [[1, 1, 3], [3, 5, 4], [2, 3, 37]] {
        let values = random.vec(extents.iter().product());
        let at = |z: usize, y: usize, w: usize| values[(z * extents[1] + y) * extents[2] + w];
        let expected: Vec<u32> = (0..values.len())
            .map(|i| {
                let (z, y, w) = (i / (extents[1] * extents[2]), i / extents[2] % extents[1], i % extents[2]);
                let mut sum = at(z, y, w);
                for a in 0..extents[0] {
                    for b in 0..=y.min(3) {
                        sum += (0..w % 3).map(|c| at(a, b, c) * (a * 3 + b + z * 2) as u32).sum::<u32>();
                    }
                }
                if sum % 2 == 0 { 0 } else { sum }
            })
            .collect();
        for way in Way::ALL {
            let x = Buffer::from_vec_with(values.clone(), extents).expect("as many as the extents say");
            let out = Buffer::<u32, 3>::new(extents);
            let event = with_way(way, || queue.submit(|h| h.parallel_for(extents, three(x.read(h), out.write(h)))));
            event.expect("valid").wait().expect("ends");
            assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?} {extents:?}");
        }
    }
}

#[kernel]
fn reduced(
    item: Item<1>,
    x: View<u32>,
    n: u32,
    sum: Reducer<u32, Plus>,
    high: Reducer<u32, Maximum>,
    odd: Reducer<u32, BitOr>,
) {
    let v = x[item];
    if v > 90 {
        return;
    }
    sum.combine(v);
    if v % 2 == 1 {
        odd.combine(v);
        for k in 0..n {
            if v > 60 {
                high.combine(v + k);
            }
            sum.combine(k);
        }
    }
    for k in 0..n {
        sum.combine(x[k as usize] % 2);
    }
}

#[kernel(fallback)]
fn reduced_in_groups(
    item: NdItem<1>,
    x: View<u32>,
    sum: Reducer<u32, Plus>,
    low: Reducer<u32, Minimum>,
    out: ItemMut<u32>,
) {
    let g = item.group();
    let v = x[item];
    if v % 3 == 0 {
        sum.combine(v);
    }
    let total = g.reduce(v, Plus);
    if item.local_id(0) == 0 {
        sum.combine(total);
        low.combine(total);
    }
    for k in 0..3 {
        item.barrier();
        sum.combine(k);
    }
    out[item] = total;
}

#[test]
fn several_reductions_stand_in_branches_and_loops() {
    let mut random = shapes::Random::new();
    let queue = shapes::queue();
    for len in [3usize, 33, 1000, 5000] {
        let values = random.vec(len);
        let x = Buffer::from_vec(values.clone());
        let taken: Vec<u32> = values.iter().copied().filter(|&v| v <= 90).collect();
        let odd: Vec<u32> = taken.iter().copied().filter(|v| v % 2 == 1).collect();
        let sum = taken.iter().sum::<u32>()
            + odd.len() as u32 * 3
            + taken.len() as u32 * values[..3].iter().map(|v| v % 2).sum::<u32>();
        let high = odd.iter().filter(|&&v| v > 60).map(|v| v + 2).max().unwrap_or(0);
        for way in Way::ALL {
            let outs = [5, 1, 0].map(|first| Buffer::from_vec(vec![first]));
            let event = with_way(way, || {
                queue.submit(|h| {
                    let [sum, high, odd] = &outs;
                    h.parallel_for(
                        len,
                        reduced(x.read(h), 3, sum.reduce(h, Plus), high.reduce(h, Maximum), odd.reduce(h, BitOr)),
                    )
                })
            });
            event.expect("valid").wait().expect("ends");
            let got = outs.map(|out| out.host_read().expect("the result")[0]);
            let bits = odd.iter().fold(0, |all, v| all | v);
            assert_eq!(got, [sum, high, bits], "{way:?} {len}");
        }
    }
    for size in shapes::SIZES {
        let values = random.vec(size * 4);
        let x = Buffer::from_vec(values.clone());
        let totals: Vec<u32> = values.chunks(size).map(|x| x.iter().sum()).collect();
        let sum =
            values.iter().filter(|&v| v % 3 == 0).sum::<u32>() + totals.iter().sum::<u32>() + 3 * values.len() as u32;
        for way in Way::ALL {
            let (all, low) = (Buffer::from_vec(vec![0]), Buffer::from_vec(vec![u32::MAX]));
            let out = Buffer::<u32>::new(values.len());
            let event = with_way(way, || {
                queue.submit(|h| {
                    let kernel =
                        reduced_in_groups(x.read(h), all.reduce(h, Plus), low.reduce(h, Minimum), out.write(h));
                    h.parallel_for(NdRange::new(values.len(), size), shapes::splits(kernel))
                })
            });
            event.expect("valid").wait().expect("ends");
            let got = [all.host_read().expect("the result")[0], low.host_read().expect("the result")[0]];
            assert_eq!(got, [sum, *totals.iter().min().unwrap()], "{way:?} {size}");
        }
    }
}

#[kernel]
fn alone(x: View<u32>, n: usize, out: ScatterMut<u32>) {
    let mut table = [0u32; 8];
    if n > x.len() {
        return;
    }
    for k in 0..n {
        let v = x[k];
        if v > 90 {
            break;
        }
        table[(v % 8) as usize] += v;
        let mut j = k;
        while j > 0 {
            out[j] = out[j - 1] + 1;
            j -= 1;
        }
        out[0] = v;
    }
    for k in 0..8 {
        out[n + k] = table[k];
    }
}

#[test]
fn a_single_task_has_every_control_flow() {
    let mut random = shapes::Random::new();
    for n in [0usize, 1, 5, 40] {
        let values = random.vec(40);
        let mut expected = vec![0; n + 8];
        for &v in &values[..n] {
            if v > 90 {
                break;
            }
            expected[n + v as usize % 8] += v;
        }
        let taken = values[..n].iter().position(|&v| v > 90).unwrap_or(n);
        for (k, &value) in values[..taken].iter().enumerate() {
            for j in (1..=k).rev() {
                expected[j] = expected[j - 1] + 1;
            }
            expected[0] = value;
        }
        let x = Buffer::from_vec(values);
        shapes::agree("alone", &expected, |h, out| h.single_task(alone(x.read(h), n, out.scatter(h))));
    }
}
