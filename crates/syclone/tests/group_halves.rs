//! Sums and products of 16-bit floats in groups: kept in `f32` and rounded once, in every way that a kernel can run,
//! against `f64` on the host.

mod rig;

use rig::{in_every_way, run};
use syclone::kernel::LocalAccessor;
use syclone::prelude::*;
use syclone::types::Scalar;

/// Items a group, in sub-groups of 32 and one of 4.
const GROUP: usize = 100;
/// Items of a sub-group.
const SUB_GROUP: usize = 32;
/// Items in all.
const SIZE: usize = 3 * GROUP;
/// Results of an item.
const FORMS: usize = 10;

/// Declares a kernel with every form of an operator; the results are those of [`expected`], in its order.
macro_rules! forms {
    ($name:ident, $op:ident) => {
        #[kernel(fallback)]
        fn $name<T: Scalar>(item: NdItem<1>, start: T, x: View<T>, scans: LocalAccessor<T>, out: ItemMut<[T; FORMS]>) {
            let (g, sg, i, v) = (item.group(), item.sub_group(), item.local_id(0), x[item]);
            let own = x.span(item.group_id(0) * GROUP, GROUP);
            g.joint_inclusive_scan(own, scans.span(0, GROUP), $op);
            g.joint_exclusive_scan(own, scans.span(GROUP, GROUP), $op);
            let of_sub_group = x.span(item.group_id(0) * GROUP + sg.id() * SUB_GROUP, sg.size());
            let reduced =
                [g.reduce(v, $op), g.joint_reduce(own, $op), sg.reduce(v, $op), sg.joint_reduce(of_sub_group, $op)];
            let up_to = [g.inclusive_scan(v, $op), scans[i], sg.inclusive_scan_init(v, start, $op)];
            let before = [g.exclusive_scan(v, $op), scans[GROUP + i], g.exclusive_scan_init(v, start, $op)];
            out[item] = [
                reduced[0], reduced[1], reduced[2], reduced[3], up_to[0], up_to[1], up_to[2], before[0], before[1],
                before[2],
            ];
        }
    };
}

forms!(sums, Plus);
forms!(products, Multiplies);

/// What the item gets of values that are combined without rounding.
fn expected(x: &[f64], item: usize, start: f64, identity: f64, apply: fn(f64, f64) -> f64) -> [f64; FORMS] {
    let fold = |values: &[f64], first: f64| values.iter().copied().fold(first, apply);
    let group = item / GROUP * GROUP;
    let first = group + (item - group) / SUB_GROUP * SUB_GROUP;
    let (whole, part) = (group..group + GROUP, first..(first + SUB_GROUP).min(group + GROUP));
    let [whole, part] = [whole, part].map(|items| fold(&x[items], identity));
    let (up_to, before) = (fold(&x[group..=item], identity), fold(&x[group..item], identity));
    let (part_from, before_from) = (fold(&x[first..=item], start), fold(&x[group..item], start));
    [whole, whole, part, part, up_to, up_to, part_from, before, before, before_from]
}

/// Compares both kernels' results with the host's; combinations of these values are exact in `f32`.
fn check<T: Scalar>(round: fn(f64) -> T, bits: fn(T) -> u16) {
    // Sums up to thousands, in eighths: 16 bits hold few of them.
    let addends = |i: usize| ((i * 37 % 101) as f64 + 3.0) / 8.0;
    // Products of a few numbers that no power of two is.
    let factors = |i: usize| if i % 33 == 5 { 1.0 + 1.0 / 128.0 } else { [2.0, 0.5, -1.0][i % 3] };
    let compare = |what: &str, values: Vec<f64>, start: f64, identity: f64, apply: fn(f64, f64) -> f64| {
        let x: Vec<T> = values.iter().map(|&value| round(value)).collect();
        assert!(x.iter().zip(&values).all(|(x, value)| x.to_f64() == *value), "{what}: the inputs are exact");
        in_every_way(|queue, way| {
            let (x, out) = (Buffer::from_vec(x.clone()), Buffer::<[T; FORMS]>::new(SIZE));
            run(queue, |h| {
                let (x, start, scans, out) = (x.read(h), round(start), LocalAccessor::new(2 * GROUP), out.write(h));
                let shape = NdRange::new(SIZE, GROUP).sub_group_size(SUB_GROUP);
                match what {
                    "sums" => h.parallel_for(shape, sums(start, x, scans, out)),
                    _ => h.parallel_for(shape, products(start, x, scans, out)),
                }
            });
            for (item, results) in out.to_vec().expect("the results").into_iter().enumerate() {
                let expected = expected(&values, item, start, identity, apply);
                assert!(expected.iter().all(|&result| f64::from(result as f32) == result), "{what}: exact in f32");
                assert_eq!(
                    results.map(bits),
                    expected.map(round).map(bits),
                    "{way:?}, {what}: item {item}: {expected:?}"
                );
            }
        });
    };
    compare("sums", (0..SIZE).map(addends).collect(), 1000.0, 0.0, |a, b| a + b);
    compare("products", (0..SIZE).map(factors).collect(), 1.5, 1.0, |a, b| a * b);
}

#[test]
fn f16_is_rounded_once_for_each_result() {
    check::<f16>(f16::from_f64, f16::to_bits);
}

#[test]
fn bf16_is_rounded_once_for_each_result() {
    check::<bf16>(bf16::from_f64, bf16::to_bits);
}

#[kernel(fallback)]
fn sums_of_vectors(
    item: NdItem<1>,
    x: View<Vector<bf16, 4>>,
    out: ItemMut<[Vector<bf16, 4>; 2]>,
    all: Reducer<Vector<bf16, 4>, Plus>,
) {
    out[item] = [item.group().reduce(x[item], Plus), item.group().inclusive_scan(x[item], Plus)];
    all.combine(x[item]);
}

#[test]
fn each_lane_of_a_vector_is_rounded_once() {
    // One after another, a sum of ones would come to a halt at 256.
    let x = Vector::new([1.0, 3.0, 0.5, -2.0].map(bf16::from_f32));
    let times = |count: usize| Vector::new([1.0, 3.0, 0.5, -2.0].map(|lane| bf16::from_f64(lane * count as f64)));
    in_every_way(|queue, way| {
        let (values, out) = (Buffer::from_vec(vec![x; 2000]), Buffer::new(2000));
        let all = Buffer::new(1);
        run(queue, |h| {
            let kernel = sums_of_vectors(values.read(h), out.write(h), all.reduce(h, Plus));
            h.parallel_for(NdRange::new(2000, 1000), kernel)
        });
        for (item, results) in out.to_vec().expect("the results").into_iter().enumerate() {
            assert_eq!(results, [times(1000), times(item % 1000 + 1)], "{way:?}: item {item}");
        }
        assert_eq!(all.to_vec().expect("the results"), [times(2000)], "{way:?}");
    });
}
