//! Every operator in reductions, scans and `reduction`s, moves between items, and votes over spans, in every way that a
//! kernel can run, against plain loops on the host.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

/// Items a group, in sub-groups of four and one of two.
const GROUP: usize = 6;
/// Items in all.
const SIZE: usize = 4 * GROUP;

fn shape() -> NdRange<1> {
    NdRange::new(SIZE, GROUP).sub_group_size(4)
}

/// The ids of the sub-group's first item and of the one after its last, for the item of this global id.
fn sub_group_of(i: usize) -> (usize, usize) {
    let start = i / GROUP * GROUP;
    if i % GROUP < 4 { (start, start + 4) } else { (start + 4, start + GROUP) }
}

/// A module with a kernel that uses an operator in all forms, and a test that compares it with a fold on the host.
macro_rules! operator {
    ($name:ident, $op:ident, $ty:ty, $identity:expr, $fold:expr, $values:expr) => {
        mod $name {
            use super::*;

            #[kernel(fallback)]
            fn forms(
                item: NdItem<1>,
                x: View<$ty>,
                start: $ty,
                whole: ItemMut<$ty>,
                up_to: ItemMut<$ty>,
                before: ItemMut<$ty>,
                part: ItemMut<$ty>,
                joint: GroupMut<$ty>,
                part_joint: ItemMut<$ty>,
                all: Reducer<$ty, $op>,
            ) {
                let (g, v) = (item.group(), x[item]);
                whole[item] = g.reduce(v, $op);
                up_to[item] = g.inclusive_scan(v, $op);
                before[item] = g.exclusive_scan_init(v, start, $op);
                part[item] = item.sub_group().reduce(v, $op);
                // A sub-group starts where its number says, and takes more elements than it has items.
                part_joint[item] = item.sub_group().joint_reduce(x.span(item.sub_group().id() * 3, 7), $op);
                let of_all = g.joint_reduce(x, $op);
                if item.local_id(0) == 0 {
                    joint[item] = of_all;
                }
                all.combine(v);
            }

            #[test]
            fn is_a_fold() {
                let x: Vec<$ty> = (0..SIZE).map($values).collect();
                let fold = |values: &[$ty], first: $ty| values.iter().copied().fold(first, $fold);
                let start = x[5];
                in_every_way(|queue, way| {
                    let values = Buffer::from_vec(x.clone());
                    let [whole, up_to, before, part, part_joint] = [(); 5].map(|()| Buffer::<$ty>::new(SIZE));
                    let (joint, all) = (Buffer::<$ty>::new(SIZE / GROUP), Buffer::<$ty>::new(1));
                    run(queue, |h| {
                        let kernel = forms(
                            values.read(h),
                            start,
                            whole.write(h),
                            up_to.write(h),
                            before.write(h),
                            part.write(h),
                            joint.write(h),
                            part_joint.write(h),
                            all.reduce(h, $op),
                        );
                        h.parallel_for(shape(), kernel)
                    });
                    let read = |buffer: &Buffer<$ty>| buffer.to_vec().expect("the result");
                    let [whole, up_to, before, part, part_joint] =
                        [&whole, &up_to, &before, &part, &part_joint].map(read);
                    for i in 0..SIZE {
                        let first = i / GROUP * GROUP;
                        assert_eq!(whole[i], fold(&x[first..first + GROUP], $identity), "{way:?}: group, item {i}");
                        assert_eq!(up_to[i], fold(&x[first..=i], $identity), "{way:?}: inclusive scan, item {i}");
                        assert_eq!(before[i], fold(&x[first..i], start), "{way:?}: exclusive scan, item {i}");
                        let (from, to) = sub_group_of(i);
                        assert_eq!(part[i], fold(&x[from..to], $identity), "{way:?}: sub-group, item {i}");
                        let own = (from - first) / 4 * 3;
                        let expected = fold(&x[own..own + 7], $identity);
                        assert_eq!(part_joint[i], expected, "{way:?}: sub-group's span, item {i}");
                    }
                    assert_eq!(read(&joint), vec![fold(&x, $identity); SIZE / GROUP], "{way:?}: joint");
                    assert_eq!(read(&all), [fold(&x, $identity)], "{way:?}: reduction");
                });
            }
        }
    };
}

/// Bits that no two items share all of.
fn bits(i: usize) -> u32 {
    !(1 << (i % 29)) ^ ((i as u32 * 0x0204_0810) & 0x1234_5678)
}

operator!(plus_i64, Plus, i64, 0, |a, b| a + b, |i| i as i64 * 1_000_003 - 7);
operator!(multiplies_u32, Multiplies, u32, 1, u32::wrapping_mul, |i| 2 * i as u32 + 3);
operator!(multiplies_f64, Multiplies, f64, 1.0, |a, b| a * b, |i| [2.0, 0.5, -4.0, -0.25, 1.0, 8.0, 0.125][i % 7]);
operator!(minimum_i16, Minimum, i16, i16::MAX, i16::min, |i| (i as i16 * 79 % 101) - 50);
operator!(maximum_f32, Maximum, f32, f32::NEG_INFINITY, f32::max, |i| (i * 37 % 23) as f32 - 30.0);
operator!(bit_and_u32, BitAnd, u32, u32::MAX, |a, b| a & b, bits);
operator!(bit_or_u64, BitOr, u64, 0, |a, b| a | b, |i| 1 << (i * 5 % 61));
operator!(bit_xor_i32, BitXor, i32, 0, |a, b| a ^ b, |i| bits(i) as i32);
operator!(bit_and_bool, BitAnd, bool, true, |a, b| a & b, |i| i % 5 != 1);
operator!(bit_xor_bool, BitXor, bool, false, |a, b| a ^ b, |i| i % 3 == 0);
operator!(logical_and, LogicalAnd, bool, true, |a, b| a && b, |i| i != 8);
operator!(logical_or, LogicalOr, bool, false, |a, b| a || b, |i| i == 14);
// Sums and products that have no rounding in the type.
operator!(plus_f16, Plus, f16, f16::from_f32(0.0), |a, b| a + b, |i| f16::from_f32(i as f32 * 0.5 - 3.0));
operator!(multiplies_f16, Multiplies, f16, f16::from_f32(1.0), |a, b| a * b, |i| {
    f16::from_f32([2.0, 0.5, -1.0, 4.0, 0.25, 1.0][i % 6])
});
operator!(maximum_f16, Maximum, f16, f16::from_f32(f32::NEG_INFINITY), |a, b| if b > a { b } else { a }, |i| {
    f16::from_f32((i * 11 % 17) as f32 - 20.5)
});

#[kernel(fallback)]
fn moves(
    item: NdItem<1>,
    mask: usize,
    x: View<u32>,
    ids: View<u32>,
    whole: ItemMut<[u32; 2]>,
    part: ItemMut<[u32; 2]>,
) {
    let (g, s) = (item.group(), item.sub_group());
    let (v, id) = (x[item], ids[item] as usize);
    whole[item] = [g.permute_xor(v, mask), g.select(v, id)];
    part[item] = [s.permute_xor(v, mask), s.select(v, id)];
}

#[test]
fn permute_xor_and_select_take_the_named_items_value_or_keep_their_own() {
    let x: Vec<u32> = (0..SIZE as u32).map(|i| 100 + i * i).collect();
    // Some name items past the group's end.
    let ids: Vec<u32> = (0..SIZE as u32).map(|i| [1, 2, 5, 3, 0, 7, 4, 6][i as usize % 8]).collect();
    let taken = |i: usize, from: usize, len: usize, local: usize| if local < len { x[from + local] } else { x[i] };
    in_every_way(|queue, way| {
        let (values, named) = (Buffer::from_vec(x.clone()), Buffer::from_vec(ids.clone()));
        for mask in 0..9 {
            let (whole, part) = (Buffer::<[u32; 2]>::new(SIZE), Buffer::<[u32; 2]>::new(SIZE));
            run(queue, |h| {
                let (whole, part) = (whole.write(h), part.write(h));
                h.parallel_for(shape(), moves(mask, values.read(h), named.read(h), whole, part))
            });
            let (whole, part) = (whole.to_vec().expect("the result"), part.to_vec().expect("the result"));
            for i in 0..SIZE {
                let id = ids[i] as usize;
                let start = i / GROUP * GROUP;
                let expected = [taken(i, start, GROUP, (i - start) ^ mask), taken(i, start, GROUP, id)];
                assert_eq!(whole[i], expected, "{way:?}: group, item {i}, mask {mask}, {id}");
                let (start, end) = sub_group_of(i);
                let expected = [taken(i, start, end - start, (i - start) ^ mask), taken(i, start, end - start, id)];
                assert_eq!(part[i], expected, "{way:?}: sub-group, item {i}, mask {mask}, {id}");
            }
        }
    });
}

#[kernel(fallback)]
fn span_votes(
    item: NdItem<1>,
    x: View<bool>,
    tile: LocalAccessor<bool>,
    memory: GroupMut<[u32; 3]>,
    local: GroupMut<[u32; 3]>,
) {
    let g = item.group();
    let first = item.group_id(0) * 10;
    tile[item.local_id(0)] = x[first + item.local_id(0)];
    item.barrier();
    let part = x.span(first, 10);
    let of_memory = [g.joint_any(part) as u32, g.joint_all(part) as u32, g.joint_none(part) as u32];
    let of_local = [g.joint_any(tile) as u32, g.joint_all(tile) as u32, g.joint_none(tile) as u32];
    if item.local_id(0) == 0 {
        memory[item] = of_memory;
        local[item] = of_local;
    }
}

#[test]
fn joint_any_all_and_none_look_at_every_element_of_a_span() {
    // Groups of six look at ten elements, and at the first six of them.
    let rows: [fn(usize) -> bool; 4] = [|_| false, |_| true, |i| i == 9, |i| i != 2];
    let x: Vec<bool> = rows.iter().flat_map(|row| (0..10).map(row)).collect();
    let votes = |values: &[bool]| {
        let (any, all) = (values.contains(&true), !values.contains(&false));
        [any as u32, all as u32, !any as u32]
    };
    in_every_way(|queue, way| {
        let values = Buffer::from_vec(x.clone());
        let (memory, local) = (Buffer::<[u32; 3]>::new(4), Buffer::<[u32; 3]>::new(4));
        run(queue, |h| {
            let kernel = span_votes(values.read(h), LocalAccessor::new(GROUP), memory.write(h), local.write(h));
            h.parallel_for(shape(), kernel)
        });
        let (memory, local) = (memory.to_vec().expect("the result"), local.to_vec().expect("the result"));
        for (group, row) in x.chunks(10).enumerate() {
            assert_eq!(memory[group], votes(row), "{way:?}: memory, group {group}");
            assert_eq!(local[group], votes(&row[..GROUP]), "{way:?}: local memory, group {group}");
        }
    });
}
