//! Group algorithms: `group_functions`, the scans, `sub_group` and `function objects`.

use super::written;
use syclone::prelude::*;

#[kernel]
fn votes(item: NdItem<1>, x: View<u32>, limit: u32, out: GroupMut<[bool; 3]>) {
    let low = x[item] < limit;
    let (any, all, none) = (item.group().any(low), item.group().all(low), item.group().none(low));
    if item.local_linear_id() == 0 {
        out[item.group()] = [any, all, none];
    }
}

#[kernel]
fn moves(item: NdItem<1>, x: View<u32>, id: usize, out: ItemMut<[u32; 5]>) {
    let group = item.group();
    let v = x[item];
    let from_one = group.broadcast(v, id);
    let left = group.shift_left(v, 1);
    let right = group.shift_right(v, 2);
    let crossed = group.permute_xor(v, 1);
    let selected = group.select(v, (item.local_id(0) + 3) % item.local_range(0));
    out[item] = [from_one, left, right, crossed, selected];
}

#[kernel]
fn reduces(item: NdItem<2>, x: View<i32, 2>, out: GroupMut<[i32; 3], 2>) {
    let (sum, least, most) = (
        item.group().reduce(x[item], Plus),
        item.group().reduce(x[item], Minimum),
        item.group().reduce(x[item], Maximum),
    );
    if item.local_linear_id() == 0 {
        out[item.group()] = [sum, least, most];
    }
}

#[kernel]
fn joint_reduces(item: NdItem<1>, x: View<i32>, part: usize, out: GroupMut<i32>) {
    let sum = item.group().joint_reduce(x.span(item.group_id(0) * part, part), Plus);
    if item.local_linear_id() == 0 {
        out[item.group()] = sum;
    }
}

#[kernel]
fn joint_votes(item: NdItem<1>, x: View<bool>, out: GroupMut<[bool; 3]>) {
    let (any, all, none) = (item.group().joint_any(x), item.group().joint_all(x), item.group().joint_none(x));
    if item.local_linear_id() == 0 {
        out[item.group()] = [any, all, none];
    }
}

#[kernel]
fn scans(item: NdItem<1>, x: View<i32>, before: ItemMut<[i32; 2]>, with: ItemMut<[i32; 2]>) {
    let group = item.group();
    let (sum, most) = (group.exclusive_scan(x[item], Plus), group.exclusive_scan_init(x[item], 3, Maximum));
    before[item] = [sum, most];
    let (sum, most) = (group.inclusive_scan(x[item], Plus), group.inclusive_scan_init(x[item], 3, Maximum));
    with[item] = [sum, most];
}

#[kernel]
fn sub_group_scans(item: NdItem<1>, x: View<i32>, out: ItemMut<[i32; 3]>) {
    let sub = item.sub_group();
    let (sum, before, with) =
        (sub.reduce(x[item], Plus), sub.exclusive_scan(x[item], Plus), sub.inclusive_scan(x[item], Plus));
    out[item] = [sum, before, with];
}

#[kernel]
fn joint_scans(item: NdItem<1>, x: View<u32>, before: ScatterMut<u32>, with: ScatterMut<u32>) {
    item.group().joint_exclusive_scan(x, before, Plus);
    item.group().joint_inclusive_scan(x, with, Plus);
}

#[kernel]
fn sub_group_says(item: NdItem<1>, out: ItemMut<[usize; 5]>) {
    let sub = item.sub_group();
    out[item] = [sub.id(), sub.local_id(), sub.size(), sub.max_size(), sub.count()];
}

#[kernel]
fn shuffles(item: NdItem<1>, x: View<u32>, out: ItemMut<[u32; 6]>) {
    let sub = item.sub_group();
    let v = x[item];
    let one = sub.broadcast(v, 2);
    let by_index = sub.shuffle(v, (sub.local_id() + 1) % sub.size());
    let up = sub.shuffle_up(v, 1);
    let down = sub.shuffle_down(v, 1);
    let crossed = sub.shuffle_xor(v, 1);
    let odd = sub.ballot(v % 2 == 1);
    out[item] = [one, by_index, up, down, crossed, odd];
}

#[kernel]
fn sub_group_votes(item: NdItem<1>, x: View<u32>, out: ItemMut<[bool; 3]>) {
    let sub = item.sub_group();
    let (any, all, none) = (sub.any(x[item] > 5), sub.all(x[item] > 5), sub.none(x[item] > 5));
    out[item] = [any, all, none];
}

#[kernel]
fn sub_group_spans(item: NdItem<1>, x: View<u32>, flags: View<bool>, out: ItemMut<[u32; 4]>) {
    let sub = item.sub_group();
    let (start, len) = (sub.id() * 5, sub.id() * 40);
    let (sum, part) = (sub.joint_reduce(x.span(start, len), Plus), flags.span(sub.id(), 2));
    let (any, all, none) = (sub.joint_any(part), sub.joint_all(part), sub.joint_none(part));
    out[item] = [sum, any as u32, all as u32, none as u32];
}

#[kernel]
fn sub_group_joint_scans(item: NdItem<1>, x: View<u32>, part: usize, before: ScatterMut<u32>, with: ScatterMut<u32>) {
    let sub = item.sub_group();
    let start = sub.id() * part;
    let own = x.span(start, part);
    sub.joint_exclusive_scan(own, before.span(start, part), Plus);
    sub.joint_inclusive_scan(own, with.span(start, part), Plus);
}

#[kernel]
fn every_integer_operator(item: NdItem<1>, x: View<u32>, out: GroupMut<[u32; 7]>) {
    let group = item.group();
    let v = x[item];
    let (sum, product) = (group.reduce(v, Plus), group.reduce(v, Multiplies));
    let (least, most) = (group.reduce(v, Minimum), group.reduce(v, Maximum));
    let (and, or, xor) = (group.reduce(v, BitAnd), group.reduce(v, BitOr), group.reduce(v, BitXor));
    if item.local_linear_id() == 0 {
        out[group] = [sum, product, least, most, and, or, xor];
    }
}

#[kernel]
fn every_logical_operator(item: NdItem<1>, x: View<bool>, out: GroupMut<[bool; 2]>) {
    let (and, or) = (item.group().reduce(x[item], LogicalAnd), item.group().reduce(x[item], LogicalOr));
    if item.local_linear_id() == 0 {
        out[item.group()] = [and, or];
    }
}

#[kernel]
fn least_of_floats(item: NdItem<1>, x: View<f32>, out: GroupMut<[f32; 2]>) {
    let (least, most) = (item.group().reduce(x[item], Minimum), item.group().reduce(x[item], Maximum));
    if item.local_linear_id() == 0 {
        out[item.group()] = [least, most];
    }
}

/// Numbers without a pattern.
pub(super) fn mixed(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) % 1000).collect()
}

/// Group functions but scans.
pub mod group_functions {
    use super::*;

    crate::tests! {
        fn any_all_and_none_ask_every_item_of_the_group(queue) {
            let x = mixed(60);
            for limit in [0, 1, 500, 1000] {
                let out: Vec<[bool; 3]> = written(queue, &x, 5, |h, x, out| {
                    h.parallel_for(NdRange::new(60, 12), votes(x.read(h), limit, out.write(h)))
                })?;
                let low = |group: &[u32]| {
                    let count = group.iter().filter(|&&v| v < limit).count();
                    [count > 0, count == group.len(), count == 0]
                };
                assert_eq!(out, x.chunks(12).map(low).collect::<Vec<_>>(), "below {limit}");
            }
        }

        fn values_move_from_item_to_item(queue) {
            let (x, size) = (mixed(48), 12);
            let out: Vec<[u32; 5]> = written(queue, &x, 48, |h, x, out| {
                h.parallel_for(NdRange::new(48, size), moves(x.read(h), 7, out.write(h)))
            })?;
            for (group, got) in x.chunks(size).zip(out.chunks(size)) {
                for i in 0..size {
                    assert_eq!((got[i][0], got[i][3], got[i][4]), (group[7], group[i ^ 1], group[(i + 3) % size]));
                    // What comes from beyond the group is not specified.
                    assert!(i + 1 >= size || got[i][1] == group[i + 1]);
                    assert!(i < 2 || got[i][2] == group[i - 2]);
                }
            }
        }

        fn reduce_combines_all_values_of_a_plane_of_items(queue) {
            let x: Vec<i32> = mixed(120).iter().map(|&v| v as i32 - 500).collect();
            let (input, out) = (Buffer::from_vec_with(x.clone(), [10, 12])?, Buffer::<[i32; 3], 2>::new([5, 3]));
            queue.submit(|h| h.parallel_for(NdRange::new([10, 12], [2, 4]), reduces(input.read(h), out.write(h))))?;
            let mut expected = Vec::new();
            for a in 0..5 {
                for b in 0..3 {
                    let of_group = (0..8).map(|i| x[(a * 2 + i / 4) * 12 + b * 4 + i % 4]);
                    let (least, most) = (of_group.clone().min(), of_group.clone().max());
                    expected.push([of_group.sum(), least.expect("eight"), most.expect("eight")]);
                }
            }
            assert_eq!(out.to_vec()?, expected);
        }

        fn joint_forms_take_more_elements_than_items(queue) {
            let x: Vec<i32> = mixed(99).iter().map(|&v| v as i32).collect();
            let out: Vec<i32> = written(queue, &x, 3, |h, x, out| {
                h.parallel_for(NdRange::new(12, 4), joint_reduces(x.read(h), 33, out.write(h)))
            })?;
            assert_eq!(out, x.chunks(33).map(|part| part.iter().sum::<i32>()).collect::<Vec<_>>());

            for (values, expected) in [
                (vec![true; 9], [true, true, false]),
                (vec![false; 9], [false, false, true]),
                (vec![false, false, true, false, true], [true, false, false]),
            ] {
                let out: Vec<[bool; 3]> = written(queue, &values, 1, |h, x, out| {
                    h.parallel_for(NdRange::new(4, 4), joint_votes(x.read(h), out.write(h)))
                })?;
                assert_eq!(out, [expected]);
            }
        }
    }
}

/// What items got of a scan: by sum, and by maximum.
type Scanned = Vec<[i32; 2]>;

/// Exclusive and inclusive scans of groups of so many items, and what was scanned.
fn check_scans(queue: &Queue, size: usize) -> Result<(Scanned, Scanned, Vec<i32>)> {
    let x: Vec<i32> = mixed(3 * size).iter().map(|&v| v as i32 - 300).collect();
    let (input, before, with) =
        (Buffer::from_slice(&x), Buffer::<[i32; 2]>::new(3 * size), Buffer::<[i32; 2]>::new(3 * size));
    let shape = NdRange::new(3 * size, size);
    queue.submit(|h| h.parallel_for(shape, scans(input.read(h), before.write(h), with.write(h))))?;
    Ok((before.to_vec()?, with.to_vec()?, x))
}

/// The scans of the parts of `x` of so many elements, by sum and by maximum from 3, exclusive or inclusive.
fn scanned(x: &[i32], size: usize, inclusive: bool) -> Scanned {
    let mut all = Vec::new();
    for group in x.chunks(size) {
        for i in 0..group.len() {
            let part = &group[..i + usize::from(inclusive)];
            all.push([part.iter().sum(), part.iter().copied().fold(3, i32::max)]);
        }
    }
    all
}

/// Joint scans of `len` elements by 8 items: exclusive and inclusive.
fn joint(queue: &Queue, x: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
    let (input, before, with) = (Buffer::from_slice(x), Buffer::<u32>::new(x.len()), Buffer::<u32>::new(x.len()));
    queue.submit(|h| {
        let kernel = joint_scans(input.read(h), before.scatter(h), with.scatter(h));
        // SAFETY: the one group's scans write each element once.
        unsafe { h.parallel_for_unchecked(NdRange::new(8, 8), kernel) }
    })?;
    Ok((before.to_vec()?, with.to_vec()?))
}

/// The sum, exclusive scan and inclusive scan of sub-groups.
fn in_sub_groups(queue: &Queue) -> Result<(Vec<[i32; 3]>, Vec<i32>, usize)> {
    let width = queue.device().info().default_sub_group_size;
    let x: Vec<i32> = mixed(4 * width).iter().map(|&v| v as i32).collect();
    let shape = NdRange::new(4 * width, 2 * width).sub_group_size(width);
    let out: Vec<[i32; 3]> =
        written(queue, &x, 4 * width, |h, x, out| h.parallel_for(shape, sub_group_scans(x.read(h), out.write(h))))?;
    Ok((out, x, width))
}

/// Joint scans by two sub-groups, one with a single item, of `part` elements each: exclusive and inclusive.
fn joint_in_sub_groups(queue: &Queue, x: &[u32], part: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let width = queue.device().info().default_sub_group_size;
    let (input, before, with) = (Buffer::from_slice(x), Buffer::<u32>::new(x.len()), Buffer::<u32>::new(x.len()));
    queue.submit(|h| {
        let kernel = sub_group_joint_scans(input.read(h), part, before.scatter(h), with.scatter(h));
        let shape = NdRange::new(width + 1, width + 1).sub_group_size(width);
        // SAFETY: each sub-group writes a part of its own.
        unsafe { h.parallel_for_unchecked(shape, kernel) }
    })?;
    Ok((before.to_vec()?, with.to_vec()?))
}

/// Exclusive scans.
pub mod exclusive_scan {
    use super::*;

    crate::tests! {
        fn an_item_gets_what_the_items_before_it_have_together(queue) {
            for size in [1, 2, 7, 32, 33] {
                let (before, _, x) = check_scans(queue, size)?;
                assert_eq!(before, scanned(&x, size, false), "groups of {size}");
            }
        }

        fn a_joint_scan_takes_more_elements_than_items(queue) {
            let x = mixed(50);
            let (before, _) = joint(queue, &x)?;
            assert_eq!(before, (0..50).map(|i| x[..i].iter().sum()).collect::<Vec<u32>>());
        }

        fn a_sub_group_scans_its_own_items(queue) {
            let (out, x, width) = in_sub_groups(queue)?;
            for (i, got) in out.iter().enumerate() {
                assert_eq!(got[1], x[i / width * width..i].iter().sum(), "item {i}");
            }
        }

        fn sub_groups_scan_a_span_each(queue) {
            let x = mixed(90);
            let (before, _) = joint_in_sub_groups(queue, &x, 45)?;
            assert_eq!(before, (0..90).map(|i| x[i / 45 * 45..i].iter().sum()).collect::<Vec<u32>>());
        }
    }
}

/// Inclusive scans.
pub mod inclusive_scan {
    use super::*;

    crate::tests! {
        fn an_item_gets_what_it_and_the_items_before_it_have_together(queue) {
            for size in [1, 2, 7, 32, 33] {
                let (_, with, x) = check_scans(queue, size)?;
                assert_eq!(with, scanned(&x, size, true), "groups of {size}");
            }
        }

        fn a_joint_scan_takes_more_elements_than_items(queue) {
            let x = mixed(50);
            let (_, with) = joint(queue, &x)?;
            assert_eq!(with, (0..50).map(|i| x[..=i].iter().sum()).collect::<Vec<u32>>());
        }

        fn a_sub_group_scans_its_own_items(queue) {
            let (out, x, width) = in_sub_groups(queue)?;
            for (i, got) in out.iter().enumerate() {
                assert_eq!(got[2], x[i / width * width..=i].iter().sum(), "item {i}");
            }
        }

        fn sub_groups_scan_a_span_each(queue) {
            let x = mixed(90);
            let (_, with) = joint_in_sub_groups(queue, &x, 45)?;
            assert_eq!(with, (0..90).map(|i| x[i / 45 * 45..=i].iter().sum()).collect::<Vec<u32>>());
        }
    }
}

/// Sub-groups.
pub mod sub_group {
    use super::*;

    crate::tests! {
        fn items_of_a_group_are_cut_into_sub_groups_in_order(queue) {
            for &width in &queue.device().info().sub_group_sizes {
                let size = 2 * width + 1;
                let out = Buffer::<[usize; 5]>::new(2 * size);
                let shape = NdRange::new(2 * size, size).sub_group_size(width);
                queue.submit(|h| h.parallel_for(shape, sub_group_says(out.write(h))))?;
                let says = |i: usize| {
                    let (id, lane) = (i % size / width, i % size % width);
                    [id, lane, width.min(size - id * width), width, size.div_ceil(width)]
                };
                assert_eq!(out.to_vec()?, (0..2 * size).map(says).collect::<Vec<_>>(), "sub-groups of {width}");
            }
        }

        fn values_move_between_the_lanes(queue) {
            let width = queue.device().info().default_sub_group_size;
            let x = mixed(2 * width);
            let shape = NdRange::new(2 * width, 2 * width).sub_group_size(width);
            let out: Vec<[u32; 6]> = written(queue, &x, 2 * width, |h, x, out| {
                h.parallel_for(shape, shuffles(x.read(h), out.write(h)))
            })?;
            for (group, got) in x.chunks(width).zip(out.chunks(width)) {
                let odd = group.iter().enumerate().fold(0, |mask, (i, v)| mask | ((v % 2) << i));
                for i in 0..width {
                    let expected = [
                        group[2 % width],
                        group[(i + 1) % width],
                        group[i.saturating_sub(1)],
                        group[(i + 1).min(width - 1)],
                        group[i ^ 1],
                        odd,
                    ];
                    assert_eq!(got[i], expected, "lane {i} of {width}");
                }
            }
        }

        fn any_all_and_none_ask_the_lanes(queue) {
            let width = queue.device().info().default_sub_group_size;
            // One sub-group with low values only, one with high ones only, one with both.
            let x: Vec<u32> = (0..3 * width).map(|i| [1, 9, (i % 2 * 9) as u32][i / width]).collect();
            let shape = NdRange::new(3 * width, 3 * width).sub_group_size(width);
            let out: Vec<[bool; 3]> = written(queue, &x, 3 * width, |h, x, out| {
                h.parallel_for(shape, sub_group_votes(x.read(h), out.write(h)))
            })?;
            let expected = [[false, false, true], [true, true, false], [true, false, false]];
            assert_eq!(out, (0..3 * width).map(|i| expected[i / width]).collect::<Vec<_>>());
        }

        fn joint_forms_take_a_span_for_each_sub_group(queue) {
            let width = queue.device().info().default_sub_group_size;
            // Sub-groups 0 and 1 are whole, and 2 has one item; their spans have 0, 40 and 80 elements.
            let x = mixed(90);
            let flags = vec![true, true, false, false];
            let size = 2 * width + 1;
            let (input, out) = (Buffer::from_slice(&x), Buffer::<[u32; 4]>::new(size));
            let flags = Buffer::from_vec(flags);
            let shape = NdRange::new(size, size).sub_group_size(width);
            queue.submit(|h| {
                h.parallel_for(shape, sub_group_spans(input.read(h), flags.read(h), out.write(h)))
            })?;
            let votes = [[1, 1, 0], [1, 0, 0], [0, 0, 1]];
            let expected = |i: usize| {
                let id = i / width;
                let [any, all, none] = votes[id];
                [x[id * 5..id * 45].iter().sum(), any, all, none]
            };
            assert_eq!(out.to_vec()?, (0..size).map(expected).collect::<Vec<_>>());
        }

        fn a_size_that_the_device_does_not_have_is_an_error_with_those_that_it_has(queue) {
            let out = Buffer::<[usize; 5]>::new(7);
            let shape = NdRange::new(7, 7).sub_group_size(7);
            let error = queue.submit(|h| h.parallel_for(shape, sub_group_says(out.write(h)))).expect_err("seven");
            assert!(matches!(error, Error::SubGroupSizeUnsupported { .. }), "{error}");
            let one = queue.device().info().sub_group_sizes[0].to_string();
            assert!(error.to_string().contains(&one), "{error}");
        }
    }
}

/// Operators.
pub mod function_objects {
    use super::*;

    crate::tests! {
        fn every_operator_combines_integers_as_rust_does(queue) {
            let x: Vec<u32> = mixed(36).iter().map(|&v| v | 1).collect();
            let out: Vec<[u32; 7]> = written(queue, &x, 4, |h, x, out| {
                h.parallel_for(NdRange::new(36, 9), every_integer_operator(x.read(h), out.write(h)))
            })?;
            let combined = |group: &[u32]| {
                let fold = |f: fn(u32, u32) -> u32| group.iter().copied().reduce(f).expect("nine");
                [
                    fold(u32::wrapping_add),
                    fold(u32::wrapping_mul),
                    fold(u32::min),
                    fold(u32::max),
                    fold(|a, b| a & b),
                    fold(|a, b| a | b),
                    fold(|a, b| a ^ b),
                ]
            };
            assert_eq!(out, x.chunks(9).map(combined).collect::<Vec<_>>());
        }

        fn logical_operators_combine_truths(queue) {
            let x: Vec<bool> = [[true; 4], [false; 4], [true, false, true, true]].concat();
            let out: Vec<[bool; 2]> = written(queue, &x, 3, |h, x, out| {
                h.parallel_for(NdRange::new(12, 4), every_logical_operator(x.read(h), out.write(h)))
            })?;
            assert_eq!(out, [[true, true], [false, false], [false, true]]);
        }

        fn minimum_and_maximum_ignore_nan(queue) {
            let x = vec![1.0, f32::NAN, -3.0, 2.0, f32::NEG_INFINITY, 5.0, f32::NAN, f32::INFINITY];
            let out: Vec<[f32; 2]> = written(queue, &x, 2, |h, x, out| {
                h.parallel_for(NdRange::new(8, 4), least_of_floats(x.read(h), out.write(h)))
            })?;
            assert_eq!(out, [[-3.0, 2.0], [f32::NEG_INFINITY, f32::INFINITY]]);
        }

        fn an_operator_knows_what_changes_nothing(_queue) {
            assert_eq!((<Plus as ReduceOp<i32>>::identity(), <Multiplies as ReduceOp<i32>>::identity()), (0, 1));
            assert_eq!(<Minimum as ReduceOp<i32>>::identity(), i32::MAX);
            assert_eq!(<Maximum as ReduceOp<f32>>::identity(), f32::NEG_INFINITY);
            assert_eq!((<BitAnd as ReduceOp<u8>>::identity(), <BitXor as ReduceOp<u8>>::identity()), (255, 0));
            assert!(<LogicalAnd as ReduceOp<bool>>::identity() && !<LogicalOr as ReduceOp<bool>>::identity());
        }
    }
}
