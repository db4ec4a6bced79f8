//! Methods of device traits on values of known types: kernels find them by the traits in scope, in every way.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

#[device_fn]
trait Op: DeviceCopy {
    fn go(&self, x: f32) -> f32;

    fn twice(self, x: f32) -> f32 {
        self.go(self.go(x))
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct P;

#[device_fn]
impl Op for P {
    fn go(&self, x: f32) -> f32 {
        x + 1.0
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Scale {
    by: f32,
}

#[device_fn]
impl Scale {
    /// Is called before the trait's, which has the same name.
    fn twice(self, x: f32) -> f32 {
        x * self.by * 2.0 + P.go(0.0)
    }
}

#[device_fn]
impl Op for Scale {
    fn go(&self, x: f32) -> f32 {
        x * self.by
    }
}

/// A type that is not this crate's.
#[device_fn]
impl Op for f32 {
    fn go(&self, x: f32) -> f32 {
        x - *self
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
#[repr(u8)]
enum Sign {
    Plus,
    Minus,
}

#[device_fn]
impl Op for Sign {
    fn go(&self, x: f32) -> f32 {
        if *self == Sign::Minus { -x } else { x }
    }
}

#[kernel(fallback)]
fn on_known_types(item: NdItem<1>, scales: View<Scale>, signs: View<Sign>, x: View<f32>, out: ItemMut<f32>) {
    let scale = scales[item];
    let mut sum = P.go(x[item]);
    item.barrier();
    sum += scale.go(x[item]) + scale.twice(x[item]);
    sum += signs[item].twice(x[item]) * 8.0 + Sign::Minus.go(x[item]) + Sign::Plus.go(0.5);
    out[item] = sum + x[item].go(100.0) + 2.0f32.twice(0.25);
}

#[test]
fn a_method_of_a_trait_is_called_on_structs_enums_constants_and_numbers() {
    let x: Vec<f32> = (0..8).map(|i| i as f32 - 3.0).collect();
    let scales: Vec<Scale> = (0..8).map(|i| Scale { by: i as f32 }).collect();
    let signs: Vec<Sign> = (0..8).map(|i| if i % 3 == 0 { Sign::Minus } else { Sign::Plus }).collect();
    let expected: Vec<f32> = (0..8)
        .map(|i| {
            let (x, by) = (x[i], scales[i].by);
            let sum = x + 1.0 + x * by + (x * by * 2.0 + 1.0);
            sum + x * 8.0 - x + 0.5 + (100.0 - x) + (0.25 - 2.0 - 2.0)
        })
        .collect();
    in_every_way(|queue, way| {
        let (scales, signs) = (Buffer::from_vec(scales.clone()), Buffer::from_vec(signs.clone()));
        let (x, out) = (Buffer::from_vec(x.clone()), Buffer::<f32>::new(8));
        run(queue, |h| {
            let kernel = on_known_types(scales.read(h), signs.read(h), x.read(h), out.write(h));
            h.parallel_for(NdRange::new(8, 4), kernel)
        });
        assert_eq!(*out.host_read().unwrap(), expected[..], "{way:?}");
    });
    assert_eq!(P.twice(1.0), 3.0, "on the host");
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Outer {
    inner: Scale,
}

#[device_fn]
fn made(by: f32) -> Scale {
    Scale { by }
}

#[kernel]
fn on_types_that_are_not_spelled(item: Item<1>, outer: View<Outer>, out: ItemMut<f32>) {
    out[item] = outer[item].inner.go(3.0) + made(10.0).go(2.0);
}

#[test]
fn a_method_of_a_trait_is_called_on_fields_results_and_captures() {
    in_every_way(|queue, way| {
        let outer = Buffer::from_vec(vec![Outer { inner: Scale { by: 1.0 } }, Outer { inner: Scale { by: -2.0 } }]);
        let out = Buffer::<f32>::new(2);
        run(queue, |h| h.parallel_for(2, on_types_that_are_not_spelled(outer.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [23.0, 14.0], "{way:?}");
        let (scale, sign) = (Scale { by: 4.0 }, Sign::Minus);
        run(queue, |h| {
            let out = out.write(h);
            h.parallel_for(
                2,
                syclone::kernel!(|item: Item<1>| {
                    out[item] = scale.go(2.0) + scale.twice(1.0) + sign.twice(0.25) + sign.go(1.0);
                }),
            )
        });
        assert_eq!(*out.host_read().unwrap(), [16.25; 2], "{way:?}");
    });
}

/// Bounded less than the blocks of its methods.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Pair<T>(T, T);

#[device_fn]
impl<T: Float> Pair<T> {
    fn sum(self) -> T {
        self.first() + self.1
    }

    fn first(&self) -> T {
        self.0
    }
}

#[device_fn]
impl Pair<u32> {
    fn larger(&self) -> u32 {
        if self.0 > self.1 { self.0 } else { self.1 }
    }
}

#[device_fn]
impl<T: Float> Op for Pair<T> {
    fn go(&self, x: f32) -> f32 {
        self.sum().to_f32() * x
    }
}

#[kernel]
fn on_some_instances<T: Float>(item: Item<1>, p: View<Pair<T>>, q: View<Pair<u32>>, out: ItemMut<f32>) {
    out[item] = p[item].sum().to_f32() + p[item].go(10.0) + q[item].larger() as f32;
}

#[test]
fn methods_of_some_instances_of_a_generic_struct_are_found() {
    in_every_way(|queue, way| {
        let p = Buffer::from_vec(vec![Pair(1.0f64, 2.0), Pair(0.5, -4.0)]);
        let q = Buffer::from_vec(vec![Pair(7u32, 9), Pair(6, 5)]);
        let out = Buffer::<f32>::new(2);
        run(queue, |h| h.parallel_for(2, on_some_instances(p.read(h), q.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [42.0, -32.5], "{way:?}");
    });
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Raw {
    r#type: u32,
}

#[device_fn]
impl Raw {
    fn r#loop(&self) -> u32 {
        self.r#type + 1
    }

    fn r#plain(&self) -> u32 {
        self.r#loop() * 2
    }

    fn r#match(x: u32) -> u32 {
        x * 3
    }
}

#[device_fn]
fn r#while(x: u32) -> u32 {
    x + 5
}

#[kernel]
fn r#fn(item: Item<1>, raws: View<Raw>, out: ItemMut<u32>) {
    out[item] = raws[item].r#loop() + raws[item].plain() + Raw::r#match(10) + r#while(1000);
}

#[test]
fn methods_and_functions_have_raw_names() {
    in_every_way(|queue, way| {
        let raws = Buffer::from_vec(vec![Raw { r#type: 1 }, Raw { r#type: 40 }]);
        let out = Buffer::<u32>::new(2);
        run(queue, |h| h.parallel_for(2, r#fn(raws.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [2 + 4 + 30 + 1005, 41 + 82 + 30 + 1005], "{way:?}");
    });
}
