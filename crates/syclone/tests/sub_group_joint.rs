//! Joint algorithms of sub-groups: each works on a span of its own, in every way that a kernel can run, with sub-groups
//! of every size and partial ones.

mod shapes;

use shapes::{GROUPS, Random, SIZES, agree, falls_back, splits};
use syclone::prelude::*;

/// The sizes of sub-groups.
const WIDTHS: [usize; 5] = [1, 4, 8, 16, 32];

/// Calls `f` with a launch of [`GROUPS`] groups for every size of group and sub-group, and what it is.
fn every_shape(mut f: impl FnMut(NdRange<1>, &Sub)) {
    for size in SIZES {
        for width in WIDTHS {
            f(NdRange::new(size * GROUPS, size).sub_group_size(width), &Sub { size, width });
        }
    }
}

/// How a launch is cut.
#[derive(Debug)]
struct Sub {
    size: usize,
    width: usize,
}

impl Sub {
    /// Sub-groups of a group.
    fn count(&self) -> usize {
        self.size.div_ceil(self.width)
    }

    /// The number of an item's sub-group among those of all groups.
    fn of(&self, item: usize) -> usize {
        item / self.size * self.count() + item % self.size / self.width
    }

    /// The global ids of an item's sub-group.
    fn items(&self, item: usize) -> std::ops::Range<usize> {
        let group = item / self.size * self.size;
        let first = group + (item - group) / self.width * self.width;
        first..(first + self.width).min(group + self.size)
    }

    /// Items of the launch.
    fn all(&self) -> usize {
        self.size * GROUPS
    }
}

/// The halving tree in which sums are defined.
fn tree(values: &[f32]) -> f32 {
    let mut values = values.to_vec();
    let mut half = values.len().next_power_of_two() / 2;
    while half > 0 {
        for i in 0..half.min(values.len().saturating_sub(half)) {
            values[i] += values[i + half];
        }
        half /= 2;
    }
    values.first().copied().unwrap_or(0.0)
}

#[kernel(fallback)]
fn sums(item: NdItem<1>, x: View<f32>, len: usize, out: ItemMut<u32>) {
    let sg = item.sub_group();
    let start = item.group_id(0) * sg.count() + sg.id();
    out[item] = sg.joint_reduce(x.span(start, len), Plus).to_bits();
}

#[test]
fn a_sub_group_sums_its_own_span_in_one_order_whatever_its_length() {
    every_shape(|shape, sub| {
        // Nothing, less than the sub-group has items, and more.
        for len in [0, 1, 3, sub.width, sub.width + 1, 77] {
            let x: Vec<f32> = (0..sub.count() * GROUPS + len).map(|i| (i * 37 % 101) as f32 * 0.37 - 11.0).collect();
            let expected: Vec<u32> = (0..sub.all()).map(|i| tree(&x[sub.of(i)..sub.of(i) + len]).to_bits()).collect();
            let x = Buffer::from_vec(x);
            agree(&format!("{sub:?}, {len} elements"), &expected, |h, out| {
                h.parallel_for(shape, splits(sums(x.read(h), len, out.write(h))))
            });
        }
    });
}

#[kernel(fallback)]
fn scans(item: NdItem<1>, x: View<u32>, len: usize, out: ScatterMut<u32>) {
    let sg = item.sub_group();
    let number = item.group_id(0) * sg.count() + sg.id();
    let own = x.span(number * len, len);
    let both = out.span(number * 2 * len, 2 * len);
    sg.joint_exclusive_scan(own, both.span(0, len), Plus);
    sg.joint_inclusive_scan(own, both.span(both.len() / 2, len), Maximum);
}

#[test]
fn scans_write_each_sub_groups_output_span() {
    let mut random = Random::new();
    every_shape(|shape, sub| {
        for len in [0, 1, sub.width, sub.width * 2 + 1] {
            let x = random.vec(sub.count() * GROUPS * len);
            let of_one = |x: &[u32]| {
                let before = (0..len).map(|i| x[..i].iter().sum());
                let with = (0..len).map(|i| *x[..=i].iter().max().unwrap());
                before.chain(with).collect::<Vec<u32>>()
            };
            let expected: Vec<u32> = x.chunks(len.max(1)).flat_map(of_one).collect();
            let x = Buffer::from_vec(x);
            agree(&format!("{sub:?}, {len} elements"), &expected, |h, out| {
                let kernel = splits(scans(x.read(h), len, out.scatter(h)));
                // SAFETY: each sub-group writes a part of its own.
                unsafe { h.parallel_for_unchecked(shape, kernel) }
            });
        }
    });
}

#[kernel(fallback)]
fn in_local_memory(item: NdItem<1>, x: View<u32>, sized: LocalAccessor<u32>, out: ItemMut<[u32; 4]>) {
    let tile = local::<[u32; 64]>();
    let sg = item.sub_group();
    let (me, first) = (item.local_id(0), sg.id() * sg.max_size());
    tile[me] = x[item];
    sized[me] = 7;
    // Without a barrier: a sub-group's algorithm comes after what its items did before, and before what they do next.
    let own = tile.span(first, sg.size());
    sg.joint_inclusive_scan(own, own, Plus);
    sg.joint_exclusive_scan(own, sized.span(first, sg.size()), Maximum);
    let read = [tile[me], sized[me], sg.joint_reduce(sized.span(first, sg.size()), Plus), 0];
    item.barrier();
    // All of them, which every sub-group reads.
    out[item] = [read[0], read[1], read[2], sg.joint_reduce(sized, Maximum)];
}

#[test]
fn spans_of_local_memory_show_what_the_items_wrote_before_and_what_is_written_after() {
    let mut random = Random::new();
    every_shape(|shape, sub| {
        let x = random.vec(sub.all());
        let with = |i: usize| x[sub.items(i).start..=i].iter().sum::<u32>();
        // Sums of numbers that are not negative only grow.
        let before = |i: usize| if i == sub.items(i).start { 0 } else { with(i - 1) };
        let expected: Vec<[u32; 4]> = (0..sub.all())
            .map(|i| {
                let group = i / sub.size * sub.size;
                let highest = (group..group + sub.size).map(before).max().unwrap();
                [with(i), before(i), sub.items(i).map(before).sum(), highest]
            })
            .collect();
        let x = Buffer::from_slice(&x);
        agree(&format!("{sub:?}"), &expected, |h, out| {
            let sized = LocalAccessor::new(sub.size);
            h.parallel_for(shape, splits(in_local_memory(x.read(h), sized, out.write(h))))
        });
    });
}

#[kernel(fallback)]
fn span_votes(item: NdItem<1>, x: View<bool>, len: usize, out: ItemMut<[u32; 6]>) {
    let tile = local::<[bool; 64]>();
    let sg = item.sub_group();
    let first = sg.id() * sg.max_size();
    tile[item.local_id(0)] = x[item];
    let (far, own) = (x.span(item.group_id(0) + sg.id(), len), tile.span(first, sg.size()));
    let (any, all, none) = (sg.joint_any(far), sg.joint_all(far), sg.joint_none(far));
    let of_local = [sg.joint_any(own) as u32, sg.joint_all(own) as u32, sg.joint_none(own) as u32];
    out[item] = [any as u32, all as u32, none as u32, of_local[0], of_local[1], of_local[2]];
}

#[test]
fn votes_look_at_every_element_of_the_sub_groups_span() {
    let mut random = Random::new();
    every_shape(|shape, sub| {
        for len in [0, 1, 3] {
            // Long runs of both, so that all three answers come.
            let x: Vec<bool> = (0..sub.all() + len + sub.count()).map(|_| random.below(3) > 0).collect();
            let votes = |x: &[bool]| [x.contains(&true), !x.contains(&false), !x.contains(&true)].map(u32::from);
            let expected: Vec<[u32; 6]> = (0..sub.all())
                .map(|i| {
                    let start = i / sub.size + i % sub.size / sub.width;
                    let ([a, b, c], [d, e, f]) = (votes(&x[start..start + len]), votes(&x[sub.items(i)]));
                    [a, b, c, d, e, f]
                })
                .collect();
            let x = Buffer::from_vec(x);
            agree(&format!("{sub:?}, {len} elements"), &expected, |h, out| {
                h.parallel_for(shape, splits(span_votes(x.read(h), len, out.write(h))))
            });
        }
    });
}

#[kernel(fallback)]
fn overlapping(item: NdItem<1>, shift: usize, back: usize, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let (sg, me) = (item.sub_group(), item.local_id(0));
    let first = me / 16 * 16;
    tile[me] = me as u32 + 1;
    sg.joint_inclusive_scan(tile.span(first + back, 8), tile.span(first + shift, 8), Plus);
    if item.group_id(0) > 0 {
        item.group().joint_exclusive_scan(tile.span(back, 12), tile.span(shift, 12), Plus);
    }
    out[item] = tile[me];
}

#[test]
fn spans_may_overlap_in_every_way() {
    for (shift, back) in [(0, 0), (1, 0), (3, 0), (0, 1), (0, 5)] {
        let expected: Vec<u32> = (0..2)
            .flat_map(|group| {
                let mut tile: Vec<u32> = (1..=32).collect();
                let mut scan = |first: usize, len: usize, inclusive: usize| {
                    let src = tile[first + back..first + back + len].to_vec();
                    for i in 0..len {
                        tile[first + shift + i] = src[..i + inclusive].iter().sum();
                    }
                };
                scan(0, 8, 1);
                scan(16, 8, 1);
                if group > 0 {
                    scan(0, 12, 0);
                }
                tile
            })
            .collect();
        let shape = NdRange::new(64, 32).sub_group_size(16);
        agree(&format!("from {back} to {shift}"), &expected, |h, out| {
            h.parallel_for(shape, splits(overlapping(shift, back, out.write(h))))
        });
    }
}

#[device_fn]
fn total(item: NdItem<1>, x: View<u32>, start: usize, len: usize) -> u32 {
    let of_sub_group = item.sub_group().joint_reduce(x.span(start + item.sub_group().id(), len), Plus);
    // The same for all items, as the caller knows.
    of_sub_group * 1000 + item.group().joint_reduce(x.span(start, len), Maximum)
}

#[device_fn]
fn running(item: NdItem<1>, tile: LocalAccessor<u32>, start: usize) {
    let sg = item.sub_group();
    let own = tile.span(start, sg.size());
    sg.joint_inclusive_scan(own, own, Plus);
}

#[kernel(fallback)]
fn in_helpers(item: NdItem<1>, x: View<u32>, tile: LocalAccessor<u32>, out: ItemMut<u32>) {
    let sg = item.sub_group();
    tile[item.local_id(0)] = x[item];
    running(item, tile, sg.id() * sg.max_size());
    out[item] = total(item, x, item.group_id(0), 2) + tile[item.local_id(0)] * 1_000_000;
}

#[test]
fn device_functions_call_them_with_spans_of_their_arguments() {
    let mut random = Random::new();
    every_shape(|shape, sub| {
        let x = random.vec(sub.all() + sub.count() + 2);
        let expected: Vec<u32> = (0..sub.all())
            .map(|i| {
                let group = i / sub.size;
                let start = group + i % sub.size / sub.width;
                let running: u32 = x[sub.items(i).start..=i].iter().sum();
                (x[start] + x[start + 1]) * 1000 + x[group].max(x[group + 1]) + running * 1_000_000
            })
            .collect();
        let x = Buffer::from_vec(x);
        agree(&format!("{sub:?}"), &expected, |h, out| {
            let tile = LocalAccessor::new(sub.size);
            h.parallel_for(shape, splits(in_helpers(x.read(h), tile, out.write(h))))
        });
    });
}

#[kernel(fallback)]
fn in_uniform_flow(item: NdItem<1>, x: View<u32>, rounds: usize, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let (sg, me) = (item.sub_group(), item.local_id(0));
    let own = tile.span(sg.id() * sg.max_size(), sg.size());
    let mut v = x[item];
    for k in 0..rounds {
        tile[me] = v + k as u32;
        if k % 2 == 0 {
            sg.joint_inclusive_scan(own, own, Plus);
        } else {
            item.barrier();
            v += sg.joint_reduce(tile.span(0, 1), Plus);
            item.barrier();
        }
        v = (v + tile[me] + sg.joint_reduce(own, Plus)) % 1000;
        item.barrier();
    }
    out[item] = v;
}

#[test]
fn uniform_loops_and_branches_around_them_split() {
    let mut random = Random::new();
    every_shape(|shape, sub| {
        let x = random.vec(sub.all());
        let mut expected = x.clone();
        for k in 0..4 {
            let mut tile: Vec<u32> = expected.iter().map(|v| v + k).collect();
            if k % 2 == 0 {
                let scanned = (0..sub.all()).map(|i| tile[sub.items(i).start..=i].iter().sum()).collect();
                tile = scanned;
            } else {
                (0..sub.all()).for_each(|i| expected[i] += tile[i / sub.size * sub.size]);
            }
            for i in 0..sub.all() {
                expected[i] = (expected[i] + tile[i] + tile[sub.items(i)].iter().sum::<u32>()) % 1000;
            }
        }
        let x = Buffer::from_vec(x);
        agree(&format!("{sub:?}"), &expected, |h, out| {
            h.parallel_for(shape, splits(in_uniform_flow(x.read(h), 4, out.write(h))))
        });
    });
}

#[kernel(fallback)]
fn in_a_sub_groups_flow(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    let (sg, me) = (item.sub_group(), item.local_id(0));
    let own = tile.span(sg.id() * sg.max_size(), sg.size());
    tile[me] = x[item];
    if sg.id() % 2 == 1 {
        sg.joint_inclusive_scan(own, own, Plus);
    }
    let mut v = tile[me];
    for _ in 0..sg.id() {
        v += sg.joint_reduce(own, Maximum);
    }
    // Ends when all elements are small, which is another time for each sub-group.
    let mut turns = 0;
    while sg.joint_reduce(own, Maximum) > 10 {
        tile[me] /= 2;
        turns += 1;
    }
    out[item] = v + turns * 100_000;
}

#[test]
fn flow_that_only_a_sub_group_shares_runs_in_lock_step() {
    let mut random = Random::new();
    every_shape(|shape, sub| {
        let x = random.vec(sub.all());
        let expected: Vec<u32> = (0..sub.all())
            .map(|i| {
                let (items, id) = (sub.items(i), i % sub.size / sub.width);
                let mut own = x[items.clone()].to_vec();
                if id % 2 == 1 {
                    own = (0..own.len()).map(|k| own[..=k].iter().sum()).collect();
                }
                let v = own[i - items.start] + own.iter().max().unwrap() * id as u32;
                let mut turns = 0;
                while own.iter().any(|&v| v > 10) {
                    own.iter_mut().for_each(|v| *v /= 2);
                    turns += 1;
                }
                v + turns * 100_000
            })
            .collect();
        let x = Buffer::from_vec(x);
        agree(&format!("{sub:?}"), &expected, |h, out| {
            h.parallel_for(shape, falls_back("`if`", in_a_sub_groups_flow(x.read(h), out.write(h))))
        });
    });
}

#[kernel(fallback)]
fn in_two_dimensions(item: NdItem<2>, x: View<i64>, out: ItemMut<i64, 2>) {
    let sg = item.sub_group();
    let sum = sg.joint_reduce(x.span(sg.id() * 3, 5), Plus);
    out[item] = sum * 100 + sg.joint_reduce(x, Minimum);
}

#[test]
fn sub_groups_of_a_group_in_two_dimensions_follow_the_linear_id() {
    let x: Vec<i64> = (0..32).map(|i| i * i - 60).collect();
    let expected: Vec<i64> = (0..60)
        .map(|i| {
            // Groups of 5 by 3 in a range of 10 by 6.
            let id = (i / 6 % 5 * 3 + i % 6 % 3) / 4;
            x[id * 3..id * 3 + 5].iter().sum::<i64>() * 100 - 60
        })
        .collect();
    let x = Buffer::from_vec(x);
    for way in syclone::abi::ways::Way::ALL {
        let out = Buffer::<i64, 2>::new([10, 6]);
        syclone::abi::ways::with_way(way, || {
            let shape = NdRange::new([10, 6], [5, 3]).sub_group_size(4);
            shapes::queue().submit(|h| h.parallel_for(shape, splits(in_two_dimensions(x.read(h), out.write(h)))))
        })
        .expect("valid")
        .wait()
        .expect("ends");
        assert_eq!(out.host_read().expect("the result")[..], expected[..], "{way:?}");
    }
}

#[kernel(fallback)]
fn too_far(item: NdItem<1>, x: View<u32>, start: usize, len: usize, out: ItemMut<u32>) {
    let sg = item.sub_group();
    out[item] = sg.joint_reduce(x.span(sg.id() + start, len), Plus);
}

#[kernel(fallback)]
fn too_short(item: NdItem<1>, x: View<u32>, room: LocalAccessor<u32>, out: ItemMut<u32>) {
    item.sub_group().joint_inclusive_scan(x, room, Plus);
    out[item] = room[0];
}

#[test]
fn spans_beyond_their_memory_and_outputs_that_are_too_short_are_errors() {
    let x = Buffer::from_vec(vec![1u32; 8]);
    let shape = NdRange::new(8, 8).sub_group_size(4);
    let fails = |launch: &dyn Fn(&Handler<'_>, &Buffer<u32>) -> Result<()>| {
        let out = Buffer::new(8);
        for text in shapes::failures(|h| launch(h, &out)) {
            assert!(text.contains("out of bounds") || text.contains("outside"), "{text}");
        }
    };
    // Only the second sub-group's span is too far, or both are.
    for (start, len) in [(0, 8), (7, 1), (usize::MAX - 1, 1), (2, usize::MAX)] {
        fails(&|h, out| h.parallel_for(shape, too_far(x.read(h), start, len, out.write(h))));
    }
    fails(&|h, out| h.parallel_for(shape, too_short(x.read(h), LocalAccessor::new(7), out.write(h))));
}

#[test]
fn inline_kernels_capture_their_spans_and_name_them() {
    use syclone::types::ops::Plus as Total;
    let mut random = Random::new();
    every_shape(|shape, sub| {
        let x = random.vec(sub.all());
        let expected: Vec<u32> = (0..sub.all())
            .map(|i| {
                let group = &x[i / sub.size * sub.size..][..sub.size];
                x[sub.items(i)].iter().sum::<u32>() * 1000 + group.iter().max().unwrap()
            })
            .collect();
        let x = Buffer::from_vec(x);
        agree(&format!("{sub:?}"), &expected, |h, out| {
            let tile = LocalAccessor::<u32>::new(sub.size);
            let (x, out) = (x.read(h), out.write(h));
            let kernel = syclone::kernel!(
                #[kernel(fallback)]
                |item: NdItem<1>| {
                    tile[item.local_id(0)] = x[item];
                    let sg = item.sub_group();
                    let own = tile.span(sg.id() * sg.max_size(), sg.size());
                    let all = tile.span(0, item.local_range(0));
                    item.barrier();
                    out[item] = sg.joint_reduce(own, Total) * 1000 + item.group().joint_reduce(all, Maximum);
                }
            );
            h.parallel_for(shape, kernel)
        });
    });
}
