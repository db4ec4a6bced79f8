//! Methods of types of other crates, reached only through a field, a result or a capture: no kernel spells the type.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;
use syclone_test_helpers::{Offset, Place, start_of};

/// This crate's trait for another crate's types.
#[device_fn]
trait Grow: DeviceCopy {
    fn grow(&self, x: f32) -> f32;

    fn grow_twice(self, x: f32) -> f32 {
        self.grow(self.grow(x))
    }
}

#[device_fn]
impl Grow for Offset {
    fn grow(&self, x: f32) -> f32 {
        self.shift(x) * 2.0
    }
}

#[device_fn]
impl Grow for f32 {
    fn grow(&self, x: f32) -> f32 {
        *self * x
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Own {
    place: Place,
}

/// Of every kind of receiver: a field, an element's field, a result, a result's field and a variable of one.
#[kernel(fallback)]
fn through_fields_and_results(item: NdItem<1>, x: View<Own>, out: ItemMut<[f32; 6]>) {
    let own = x[item];
    let start = own.place.start;
    item.barrier();
    out[item] = [
        own.place.start.shift(1.0),
        x[item].place.start.grow(1.0),
        start_of(own.place).grow_twice(1.0),
        own.place.weight.grow(3.0),
        start.grow(0.5),
        if start.shift(0.0) > 1.0 { x[item].place.weight.grow_twice(2.0) } else { start.grow_twice(0.25) },
    ];
}

#[device_fn]
fn in_a_device_function(own: &Own) -> f32 {
    own.place.start.grow(1.0) + own.place.weight.grow(2.0)
}

#[device_fn]
fn that_synchronises(item: NdItem<1>, own: Own) -> f32 {
    let sum = item.group().reduce(own.place.start.grow(1.0), Plus);
    sum + own.place.weight.grow(2.0)
}

#[kernel(fallback)]
fn through_functions(item: NdItem<1>, x: View<Own>, out: ItemMut<[f32; 2]>) {
    let own = x[item];
    out[item] = [in_a_device_function(&own), that_synchronises(item, own)];
}

fn values() -> Vec<Own> {
    (0..6).map(|i| Own { place: Place { start: Offset(i as f32 * 0.5), weight: 1.0 + i as f32 } }).collect()
}

#[test]
fn methods_of_fields_and_results_of_other_crates_types() {
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(values());
        let (six, two) = (Buffer::<[f32; 6]>::new(6), Buffer::<[f32; 2]>::new(6));
        let shape = NdRange::new(6, 3);
        run(queue, |h| h.parallel_for(shape, through_fields_and_results(x.read(h), six.write(h))));
        let grow = |s: f32, x: f32| (s + x) * 2.0;
        let expected: Vec<[f32; 6]> = values()
            .iter()
            .map(|own| {
                let (s, w) = (own.place.start.0, own.place.weight);
                let last = if s > 1.0 { w * (w * 2.0) } else { grow(s, grow(s, 0.25)) };
                [s + 1.0, grow(s, 1.0), grow(s, grow(s, 1.0)), w * 3.0, grow(s, 0.5), last]
            })
            .collect();
        assert_eq!(six.host_read().unwrap()[..], expected, "{way:?}");
        run(queue, |h| h.parallel_for(shape, through_functions(x.read(h), two.write(h))));
        let starts: Vec<f32> = values().iter().map(|own| grow(own.place.start.0, 1.0)).collect();
        let expected: Vec<[f32; 2]> = values()
            .iter()
            .enumerate()
            .map(|(i, own)| {
                let group: f32 = starts[i / 3 * 3..][..3].iter().sum();
                [starts[i] + own.place.weight * 2.0, group + own.place.weight * 2.0]
            })
            .collect();
        assert_eq!(two.host_read().unwrap()[..], expected, "{way:?}");
    });
}

#[test]
fn methods_of_captured_values_of_other_crates_types() {
    let (offset, place, weight) = (Offset(1.5), Place { start: Offset(0.5), weight: 3.0 }, 2.0f32);
    in_every_way(|queue, way| {
        let out = Buffer::<f32>::new(4);
        run(queue, |h| {
            let out = out.write(h);
            h.parallel_for(
                4,
                syclone::kernel!(|item: Item<1>| {
                    let i = item.id(0) as f32;
                    out[item] = offset.grow(i) + place.start.grow_twice(i) + weight.grow(i) + offset.shift(i);
                }),
            )
        });
        let expected = [0.0f32, 1.0, 2.0, 3.0].map(|i| {
            let (once, twice) = ((1.5 + i) * 2.0, (0.5 + (0.5 + i) * 2.0) * 2.0);
            once + twice + 2.0 * i + (1.5 + i)
        });
        assert_eq!(out.host_read().unwrap()[..], expected, "{way:?}");
    });
}
