//! Device methods that share their names with built-in ones, on whatever receivers, in every way.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Stretch {
    from: u32,
    to: u32,
}

#[device_fn]
impl Stretch {
    fn len(self) -> u32 {
        self.to - self.from
    }

    fn step(&mut self, by: u32) {
        self.from += by;
        self.to += by;
    }

    fn max(&self, other: Stretch) -> Stretch {
        if self.len() < other.len() { other } else { *self }
    }

    fn convert<T: Scalar>(self) -> T {
        T::from_scalar(self.to)
    }
}

/// Methods of numbers and arrays by a trait, with names that these lack.
#[device_fn]
trait Measure: DeviceCopy {
    fn extent(self) -> f32;

    fn count(&self) -> f32 {
        self.extent() + 0.5
    }
}

#[device_fn]
impl Measure for Stretch {
    fn extent(self) -> f32 {
        self.len() as f32
    }
}

#[device_fn]
impl Measure for f32 {
    fn extent(self) -> f32 {
        self * 2.0
    }
}

#[device_fn]
impl Measure for [u32; 2] {
    fn extent(self) -> f32 {
        (self[0] + self[1]) as f32
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Path {
    first: Stretch,
    ends: [u32; 2],
    weight: f32,
}

#[device_fn]
fn moved(stretch: Stretch, by: u32) -> Stretch {
    let mut own = stretch;
    own.step(by);
    own
}

#[device_fn]
fn measured<M: Measure>(x: M, y: &M) -> f32 {
    x.extent() + y.count()
}

#[device_fn]
fn higher<T: DeviceCopy + Ord>(x: T, y: T) -> T {
    x.max(y)
}

const PATHS: [Path; 2] = [
    Path { first: Stretch { from: 2, to: 5 }, ends: [7, 1], weight: 4.0 },
    Path { first: Stretch { from: 1, to: 9 }, ends: [3, 8], weight: 6.25 },
];

const LONG: Stretch = Stretch { from: 10, to: 15 };

#[kernel(fallback)]
fn on_parts_and_results(item: NdItem<1>, x: View<Path>, out: ItemMut<[f32; 8]>) {
    let mut own = x[item].first;
    own.step(3);
    item.barrier();
    let ends = x[item].ends;
    out[item] = [
        x[item].first.len() as f32 + own.from as f32,
        moved(x[item].first, 4).max(LONG).len() as f32,
        x[item].first.max(own).convert::<f32>(),
        x[item].weight.extent() + x[item].weight.sqrt(),
        x[item].ends.count() + ends.len() as f32,
        measured::<Stretch>(x[item].first, &own) + LONG.extent(),
        measured::<f32>(x[item].weight, &2.0) + (x[item].weight + 1.0).count(),
        higher::<u32>(x[item].ends[0], 5) as f32,
    ];
}

fn expected(path: Path) -> [f32; 8] {
    let Path { first: Stretch { from, to }, ends, weight } = path;
    let len = (to - from) as f32;
    [
        len + (from + 3) as f32,
        len.max(5.0),
        to as f32,
        weight * 2.0 + weight.sqrt(),
        (ends[0] + ends[1]) as f32 + 0.5 + 2.0,
        len + len + 0.5 + 5.0,
        weight * 2.0 + 4.5 + (weight + 1.0) * 2.0 + 0.5,
        ends[0].max(5) as f32,
    ]
}

#[test]
fn methods_by_names_of_built_in_ones_are_found_on_fields_elements_and_results() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(PATHS.to_vec()), Buffer::<[f32; 8]>::new(2));
        run(queue, |h| h.parallel_for(NdRange::new(2, 2), on_parts_and_results(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), PATHS.map(expected), "{way:?}");
    });
}

#[test]
fn inline_kernels_call_them_on_what_they_captured_and_memory_keeps_its_own() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(PATHS.to_vec()), Buffer::<[f32; 4]>::new(2));
        let (stretch, weight, ends) = (LONG, 2.25f32, [4u32, 6]);
        run(queue, |h| {
            let (x, out) = (x.read(h), out.write(h));
            let kernel = syclone::kernel!(|item: Item<1>| {
                let longer = x[item].first.max(stretch);
                out[item] = [
                    (stretch.len() + longer.len()) as f32,
                    (x.len() + x.extent(0)) as f32,
                    weight.sqrt() + weight.extent() + x[item].weight.sqrt(),
                    ends.count() + ends.len() as f32,
                ];
            });
            h.parallel_for(2, kernel)
        });
        let expected = PATHS.map(|path| {
            let len = path.first.to - path.first.from;
            [5.0 + len.max(5) as f32, 4.0, 1.5 + 4.5 + path.weight.sqrt(), 10.5 + 2.0]
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}

#[device_fn]
fn as_double<T: DeviceCopy>(x: T) -> f64
where
    f64: From<T>,
{
    f64::from(x)
}

#[device_fn]
fn added(sum: &mut f32, x: &f32) -> f32 {
    let again = x;
    *sum += *again;
    *sum * *x
}

#[kernel]
fn conversions_and_references(item: Item<1>, scale: Spec<f32>, x: View<[i16; 2]>, out: ItemMut<[f64; 4]>) {
    let mut sum = *scale;
    let product = added(&mut sum, &2.0);
    let lanes = I16x2::from(x[item]);
    out[item] = [
        as_double::<i16>(x[item][1]) + f64::from(x[item][0]),
        f64::from(product) + f64::from(x[item][0] == x[item][1]),
        f64::from(lanes.x + lanes.y),
        i64::from(x[item][0]) as f64 + f64::from(sum),
    ];
}

#[test]
fn numbers_vectors_and_arrays_are_converted_and_references_followed() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![[3i16, -4], [5, 5]]), Buffer::<[f64; 4]>::new(2));
        run(queue, |h| h.parallel_for(2, conversions_and_references(0.5, x.read(h), out.write(h))));
        let expected = [[3i16, -4], [5, 5]].map(|[a, b]| {
            let (a64, b64) = (f64::from(a), f64::from(b));
            [a64 + b64, 5.0 + f64::from(u8::from(a == b)), a64 + b64, a64 + 2.5]
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}
