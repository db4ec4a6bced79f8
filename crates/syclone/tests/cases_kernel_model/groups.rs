//! Sub-groups and scans.

use syclone::prelude::*;

use crate::rig;
use crate::rig::{assert_says, failure, in_every_way, run};

/// What an item of a sub-group sees: ids, sizes, and the results of group algorithms.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Seen {
    id: u32,
    lane: u32,
    size: u32,
    max_size: u32,
    ones: u32,
    scan: u32,
    first: u32,
    next: u32,
    any: bool,
    all: bool,
    ballot: u32,
}

#[kernel(fallback)]
fn look_around(item: NdItem<1>, seen: ItemMut<Seen>) {
    let sg = item.sub_group();
    let me = item.local_id(0) as u32;
    let ones = sg.reduce(1u32, Plus);
    let scan = sg.inclusive_scan(1u32, Plus);
    let first = sg.broadcast(me, 0);
    let next = sg.shuffle_down(me, 1);
    let any = sg.any(me == 32);
    let all = sg.all(me < 32);
    let ballot = sg.ballot(me % 2 == 0);
    seen[item] = Seen {
        id: sg.id() as u32,
        lane: sg.local_id() as u32,
        size: sg.size() as u32,
        max_size: sg.max_size() as u32,
        ones,
        scan,
        first,
        next,
        any,
        all,
        ballot,
    };
}

#[test]
fn the_last_sub_group_of_a_group_is_as_small_as_it_is() {
    in_every_way(|queue, way| {
        let sizes = queue.device().info().sub_group_sizes.clone();
        for width in sizes {
            for group in [3usize, 33, 48, 1] {
                let seen = Buffer::from_vec(vec![Seen::zeroed(); 2 * group]);
                let shape = NdRange::new(2 * group, group).sub_group_size(width);
                run(queue, |h| h.parallel_for(shape, look_around(seen.write(h))));
                let seen = seen.host_read().expect("reads");
                for (i, seen) in seen.iter().enumerate() {
                    let me = i % group;
                    let (id, lane, start) = (me / width, me % width, me / width * width);
                    let n = width.min(group - start);
                    let members = start..start + n;
                    let expected = Seen {
                        id: id as u32,
                        lane: lane as u32,
                        size: n as u32,
                        max_size: width as u32,
                        ones: n as u32,
                        scan: lane as u32 + 1,
                        first: start as u32,
                        // From a lane that does not exist comes the item's own value.
                        next: if lane + 1 < n { me + 1 } else { me } as u32,
                        any: members.contains(&32),
                        all: start + n <= 32,
                        ballot: members.filter(|m| m % 2 == 0).map(|m| 1u32 << (m - start)).sum(),
                    };
                    assert_eq!(*seen, expected, "{way:?}: item {i}, groups of {group}, sub-groups of {width}");
                }
                let lanes: u32 = seen[..group].iter().filter(|seen| seen.lane == 0).map(|seen| seen.size).sum();
                assert_eq!(lanes as usize, group, "the sizes add up to the group");
            }
        }
    });
}

/// A sub-group of a group with several dimensions: id, lane, size, greatest size, sum of ones, first linear id.
macro_rules! look_around_in {
    ($($name:ident $dims:literal)*) => {$(
        #[kernel(fallback)]
        fn $name(item: NdItem<$dims>, seen: ItemMut<[usize; 6], $dims>) {
            let sg = item.sub_group();
            let ones = sg.reduce(1usize, Plus);
            let first = sg.broadcast(item.local_linear_id(), 0);
            seen[item] = [sg.id(), sg.local_id(), sg.size(), sg.max_size(), ones, first];
        }
    )*};
}

look_around_in! { look_around_2d 2 look_around_3d 3 }

#[test]
fn groups_of_several_dimensions_are_cut_along_their_linear_ids_by_the_size_that_the_device_names() {
    in_every_way(|queue, way| {
        let info = queue.device().info();
        let sizes = info.sub_group_sizes.iter().map(|&size| Some(size)).chain([None]);
        for asked in sizes {
            let width = asked.unwrap_or(info.default_sub_group_size);
            let check = |seen: &[usize; 6], local: usize, group: usize| {
                let start = local / width * width;
                let n = width.min(group - start);
                assert_eq!(*seen, [local / width, local % width, n, width, n, start], "{way:?}, {asked:?}");
            };
            // Groups of 3 × 11, two of them side by side.
            let seen = Buffer::from_vec_with(vec![[usize::MAX; 6]; 66], [3, 22]).expect("fits");
            let shape = NdRange::new([3, 22], [3, 11]);
            let shape = asked.map_or(shape, |size| shape.sub_group_size(size));
            run(queue, |h| h.parallel_for(shape, look_around_2d(seen.write(h))));
            for (i, seen) in seen.to_vec().expect("reads").iter().enumerate() {
                check(seen, i / 22 * 11 + i % 22 % 11, 33);
            }
            // One group of 3 × 1 × 16.
            let seen = Buffer::from_vec_with(vec![[usize::MAX; 6]; 48], [3, 1, 16]).expect("fits");
            let shape = NdRange::new([3, 1, 16], [3, 1, 16]);
            let shape = asked.map_or(shape, |size| shape.sub_group_size(size));
            run(queue, |h| h.parallel_for(shape, look_around_3d(seen.write(h))));
            for (i, seen) in seen.to_vec().expect("reads").iter().enumerate() {
                check(seen, i, 48);
            }
        }
    });
}

#[test]
fn a_sub_group_size_that_does_not_exist_is_refused_with_those_that_do() {
    let queue = rig::queue();
    let seen = Buffer::from_vec(vec![Seen::zeroed(); 8]);
    let text = failure(&queue, |h| h.parallel_for(NdRange::new(8, 8).sub_group_size(7), look_around(seen.write(h))));
    assert_says(&text, &["look_around", "sub-group size 7", "cpu", "[1, 4, 8, 16, 32]"]);
}

#[kernel(fallback)]
fn scan_in_place(item: NdItem<1>, data: ScatterMut<i32>) {
    item.group().joint_exclusive_scan(data, data, Plus);
}

#[kernel(fallback)]
fn scan_numbers(item: NdItem<1>, x: View<f32>, out: ItemMut<[f32; 5]>) {
    let g = item.group();
    let v = x[item.global_id(0)];
    let products = g.exclusive_scan(v, Multiplies);
    let sums = g.inclusive_scan_init(v, 10.0, Plus);
    let greatest = g.exclusive_scan(v, Maximum);
    let least = g.exclusive_scan(v, Minimum);
    let after = g.exclusive_scan_init(v, 0.5, Plus);
    out[item] = [products, sums, greatest, least, after];
}

#[kernel(fallback)]
fn scan_integers(item: NdItem<1>, x: View<i32>, out: ItemMut<[i32; 4]>) {
    let g = item.group();
    let v = x[item.global_id(0)];
    let greatest = g.exclusive_scan(v, Maximum);
    let least = g.exclusive_scan(v, Minimum);
    let products = g.exclusive_scan(v, Multiplies);
    let common = g.exclusive_scan(v, BitAnd);
    out[item] = [greatest, least, products, common];
}

#[kernel(fallback)]
fn count_before_me(item: NdItem<1>, out: ItemMut<[u32; 2]>) {
    let before = item.group().exclusive_scan(1u32, Plus);
    let lanes_before = item.sub_group().exclusive_scan(1u32, Plus);
    out[item] = [before, lanes_before];
}

#[test]
fn scans_in_place_read_before_they_write() {
    in_every_way(|queue, way| {
        for (values, expected, group) in
            [(vec![5, 0], vec![0, 5], 2), (vec![1; 10], (0..10).collect(), 5), (vec![3, 4, 5], vec![0, 3, 7], 8)]
        {
            let data = Buffer::from_vec(values);
            // SAFETY: only the group's own scan touches the data.
            run(queue, |h| unsafe {
                h.parallel_for_unchecked(NdRange::new(group, group), scan_in_place(data.scatter(h)))
            });
            assert_eq!(data.host_read().expect("reads")[..], expected, "{way:?}");
        }
    });
}

#[test]
fn scans_begin_with_the_identity_of_their_operator_or_with_what_they_are_given() {
    let scan = |queue: &Queue, values: &[f32]| {
        let (x, out) = (Buffer::from_slice(values), Buffer::<[f32; 5]>::new(values.len()));
        run(queue, |h| h.parallel_for(NdRange::new(values.len(), values.len()), scan_numbers(x.read(h), out.write(h))));
        out.to_vec().expect("reads")
    };
    in_every_way(|queue, way| {
        let column = |rows: &[[f32; 5]], k: usize| rows.iter().map(|row| row[k]).collect::<Vec<_>>();
        let rows = scan(queue, &[2.0, 3.0, 4.0]);
        assert_eq!(column(&rows, 0), [1.0, 2.0, 6.0], "{way:?}");
        assert_eq!(column(&rows, 4), [0.5, 2.5, 5.5], "{way:?}");
        assert_eq!(column(&scan(queue, &[1.0, 2.0, 3.0]), 1), [11.0, 13.0, 16.0], "{way:?}");
        let rows = scan(queue, &[-3.0, -5.0, -1.0]);
        assert_eq!(column(&rows, 2), [f32::NEG_INFINITY, -3.0, -3.0], "{way:?}");
        assert_eq!(column(&rows, 3), [f32::INFINITY, -3.0, -5.0], "{way:?}");
    });
}

#[test]
fn scans_of_integers_begin_with_the_ends_of_their_type() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_slice(&[-3, -5, -1]), Buffer::<[i32; 4]>::new(3));
        run(queue, |h| h.parallel_for(NdRange::new(3, 3), scan_integers(x.read(h), out.write(h))));
        let expected = [[i32::MIN, i32::MAX, 1, -1], [-3, -3, -3, -3], [-3, -5, 15, -3 & -5]];
        assert_eq!(out.host_read().expect("reads")[..], expected, "{way:?}");
    });
}

#[test]
fn a_scan_of_a_group_goes_on_across_its_sub_groups() {
    in_every_way(|queue, way| {
        let out = Buffer::<[u32; 2]>::new(96);
        run(queue, |h| h.parallel_for(NdRange::new(96, 48).sub_group_size(32), count_before_me(out.write(h))));
        let out = out.host_read().expect("reads");
        for (i, counts) in out.iter().enumerate() {
            let local = (i % 48) as u32;
            assert_eq!(*counts, [local, local % 32], "{way:?}");
        }
    });
}
