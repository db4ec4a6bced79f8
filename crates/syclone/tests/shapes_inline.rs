//! The shapes again as inline kernels that capture handles and values.

mod shapes;

use syclone::prelude::*;

fn map(x: &[u32], f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..x.len()).map(f).collect()
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Line {
    slope: u32,
    offset: u32,
}

#[device_fn]
fn rotate(item: NdItem<1>, tile: LocalAccessor<u32>, x: u32) -> u32 {
    tile[item.local_id(0)] = x;
    item.barrier();
    let next = tile[(item.local_id(0) + 1) % item.local_range(0)];
    item.barrier();
    next
}

#[test]
fn barriers_in_captured_loops_and_branches() {
    for (rounds, twice, line) in [
        (0, false, Line { slope: 1, offset: 0 }),
        (3, true, Line { slope: 2, offset: 7 }),
        (5, false, Line { slope: 0, offset: 1 }),
    ] {
        let expected = |x: &[u32], g: usize| {
            let mut v = x.to_vec();
            for round in 0..rounds {
                if round == 4 {
                    break;
                }
                v = map(&v, |i| v[(i + 1) % v.len()] % 100 * line.slope + line.offset);
                if twice && g != 1 {
                    v = map(&v, |i| v[(i + 1) % v.len()]);
                }
            }
            v
        };
        shapes::groups(expected, |h, shape, x, out| {
            let tile = LocalAccessor::<u32>::new(shape.local()[0]);
            let (x, out) = (x.read(h), out.write(h));
            let kernel = syclone::kernel!(
                #[kernel(fallback)]
                |item: NdItem<1>| {
                    let me = item.local_id(0);
                    let n = item.local_range(0);
                    let mut v = x[item];
                    for round in 0..rounds {
                        if round == 4 {
                            break;
                        }
                        tile[me] = v;
                        item.barrier();
                        v = tile[(me + 1) % n] % 100 * line.slope + line.offset;
                        item.barrier();
                        if twice && item.group_id(0) != 1 {
                            v = rotate(item, tile, v);
                        }
                    }
                    out[item] = v;
                }
            );
            h.parallel_for(shape, shapes::splits(kernel))
        });
    }
}

#[test]
fn group_operations_and_returns_in_inline_kernels() {
    let limit = 50u32;
    let expected = |x: &[u32], g: usize| {
        let total: u32 = x.iter().sum();
        map(x, |i| match g {
            1 => 0,
            _ if x[i] > limit => 1,
            _ => total + x[..i].iter().sum::<u32>() * 3,
        })
    };
    shapes::groups(expected, |h, shape, x, out| {
        let (x, out) = (x.read(h), out.write(h));
        h.parallel_for(
            shape,
            syclone::kernel!(
                #[kernel(fallback)]
                |item: NdItem<1>| {
                    let g = item.group();
                    if item.group_id(0) == 1 {
                        return;
                    }
                    let v = x[item];
                    let total = g.reduce(v, Plus);
                    let before = g.exclusive_scan(v, Plus);
                    if v > limit {
                        out[item] = 1;
                        return;
                    }
                    out[item] = total + before * 3;
                }
            ),
        )
    });
}

#[test]
fn inline_range_kernels_reduce_and_return() {
    let mut random = shapes::Random::new();
    let values = random.vec(333);
    let (n, limit) = (3usize, 40u32);
    let x = Buffer::from_vec(values.clone());
    let expected: u32 = values.iter().filter(|&&v| v >= limit).map(|v| v + values[..n].iter().sum::<u32>()).sum();
    let sums: Vec<u32> = syclone::abi::ways::Way::ALL
        .map(|way| {
            let sum = Buffer::from_vec(vec![0u32]);
            let event = syclone::abi::ways::with_way(way, || {
                shapes::queue().submit(|h| {
                    let (x, sum) = (x.read(h), sum.reduce(h, Plus));
                    h.parallel_for(
                        values.len(),
                        syclone::kernel!(|item: Item<1>| {
                            if x[item] < limit {
                                return;
                            }
                            let mut own = x[item];
                            for k in 0..n {
                                own += x[k];
                            }
                            sum.combine(own)
                        }),
                    )
                })
            });
            event.expect("valid").wait().expect("ends");
            sum.host_read().expect("the result")[0]
        })
        .to_vec();
    assert_eq!(sums, [expected; 3]);
}

#[test]
fn captured_values_are_operands_of_group_operations() {
    let (n, start, source, odd) = (3u32, 10u32, 1usize, true);
    let expected = |x: &[u32], _: usize| {
        let len = x.len() as u32;
        map(x, |i| n * (i as u32 + 1) + (start + n * i as u32) + x[source % x.len()] + n * len + n + u32::from(odd))
    };
    shapes::groups(expected, |h, shape, x, out| {
        let (x, out) = (x.read(h), out.write(h));
        let kernel = syclone::kernel!(
            #[kernel(fallback)]
            |item: NdItem<1>| {
                let group = item.group();
                let scanned = group.inclusive_scan(n, Plus);
                let before = group.exclusive_scan_init(n, start, Plus);
                let one = group.broadcast(x[item], source % item.local_range(0));
                let sum = group.reduce(n, Plus);
                let same = item.sub_group().broadcast(n, 0);
                let all = item.sub_group().all(odd);
                out[item] = scanned + before + one + sum + same + if all { 1 } else { 0 };
            }
        );
        h.parallel_for(shape, kernel)
    });
}

#[test]
fn local_memory_of_inline_kernels_counts_towards_the_limit() {
    let out = Buffer::<u32>::new(8);
    let launch = shapes::queue().submit(|h| {
        let out = out.write(h);
        let kernel = syclone::kernel!(|item: NdItem<1>| {
            let tile = local::<[u32; 1 << 26]>();
            tile[item.local_id(0)] = 1;
            item.barrier();
            out[item] = tile[0];
        });
        h.parallel_for(NdRange::new(8, 8), kernel)
    });
    let text = launch.expect_err("no device has as much").to_string();
    assert!(text.contains("268435456 bytes of local memory are over the limit of"), "{text}");
}
