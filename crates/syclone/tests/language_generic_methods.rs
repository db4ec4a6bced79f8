//! Methods with generic parameters of their own, and methods of traits with parameters, in every way.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;
use syclone_test_helpers::Offset;

/// Methods that are generic themselves.
#[device_fn]
trait Power: DeviceCopy {
    fn power<const N: usize>(self) -> f32;

    fn scaled<T: Float>(&self, by: T) -> T;

    /// Its default calls both.
    fn both<T: Float, const N: usize>(self, by: T) -> T {
        self.scaled::<T>(by) + T::from_f64(self.power::<N>() as f64)
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Base(f32);

#[device_fn]
impl Power for Base {
    fn power<const N: usize>(self) -> f32 {
        let mut product = 1.0;
        for _ in 0..N {
            product *= self.0;
        }
        product
    }

    fn scaled<T: Float>(&self, by: T) -> T {
        T::from_f64(self.0 as f64) * by
    }
}

#[device_fn]
impl Base {
    fn times<T: Float, const N: usize>(self, x: [T; N]) -> T {
        let mut sum = T::ZERO;
        for i in 0..N {
            sum += x[i] * self.scaled::<T>(x[i]);
        }
        sum
    }
}

#[kernel(fallback)]
fn through_a_bound<P: Power, T: Float, const N: usize>(item: NdItem<1>, p: View<P>, by: T, out: ItemMut<T>) {
    let own = p[item];
    let first = own.power::<N>() + p[item].power::<2>();
    item.barrier();
    out[item] =
        own.scaled::<T>(by) + own.both::<T, N>(by) + T::from_f64(first as f64) + T::from_f64(own.scaled::<f64>(0.5));
}

#[kernel(fallback)]
fn of_a_known_type(item: NdItem<1>, p: View<Base>, offsets: View<Offset>, out: ItemMut<f64>) {
    let own = p[item];
    let sum = own.times::<f64, 3>([1.0, 2.0, own.power::<3>() as f64]) + p[item].times::<f32, 1>([2.0]) as f64;
    item.barrier();
    out[item] = sum + offsets[item].shift_times::<f64, 2>(0.5) + offsets[item].shift_times::<f32, 1>(0.25) as f64;
}

#[test]
fn methods_have_types_and_constants_of_their_own() {
    let bases = [1.5f32, -2.0, 0.25, 3.0];
    in_every_way(|queue, way| {
        let p = Buffer::from_vec(bases.map(Base).to_vec());
        let (out, wide) = (Buffer::<f32>::new(4), Buffer::<f64>::new(4));
        let shape = NdRange::new(4, 2);
        run(queue, |h| h.parallel_for(shape, through_a_bound::<Base, f32, 3>(p.read(h), 2.0, out.write(h))));
        let expected = bases.map(|b| 2.0 * b + (2.0 * b + b * b * b) + (b * b * b + b * b) + 0.5 * b);
        assert_eq!(out.host_read().unwrap()[..], expected, "{way:?}");
        let offsets = Buffer::from_vec(bases.map(|b| Offset(2.0 * b)).to_vec());
        run(queue, |h| h.parallel_for(shape, of_a_known_type(p.read(h), offsets.read(h), wide.write(h))));
        let expected = bases.map(|b| {
            let b = b as f64;
            b + b * 4.0 + (b * b * b) * (b * b * b) * b + 4.0 * b + (0.5 + 4.0 * b) + (0.25 + 2.0 * b)
        });
        assert_eq!(wide.host_read().unwrap()[..], expected, "{way:?}");
    });
}

/// Traits with a parameter.
#[device_fn]
trait Combine<T: Scalar>: DeviceCopy {
    fn combined(&self, x: T) -> T;

    fn combined_twice(self, x: T) -> T {
        self.combined(self.combined(x))
    }
}

#[device_fn]
impl Combine<f32> for Base {
    fn combined(&self, x: f32) -> f32 {
        self.0 + x
    }
}

#[device_fn]
impl Combine<u32> for Base {
    fn combined(&self, x: u32) -> u32 {
        self.0 as u32 * 10 + x
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Steps<const N: usize>;

#[device_fn]
trait Advance<T, const BY: usize>: DeviceCopy {
    fn advance(self, x: T) -> T;
}

#[device_fn]
impl<T: Integer, const N: usize, const BY: usize> Advance<T, BY> for Steps<N> {
    fn advance(self, x: T) -> T {
        let mut x = x;
        for _ in 0..N * BY {
            x += T::ONE;
        }
        x
    }
}

#[kernel]
fn of_a_trait_with_a_parameter<C: Combine<f32>, S: Advance<u32, 2>>(
    item: Item<1>,
    c: C,
    s: S,
    x: View<u32>,
    out: ItemMut<[f32; 3]>,
) {
    out[item] = [c.combined(x[item] as f32), c.combined_twice(0.5), s.advance(x[item]) as f32];
}

#[kernel]
fn of_two_instances<C: Combine<f32> + Combine<u32>>(item: Item<1>, c: C, x: View<u32>, out: ItemMut<[f32; 2]>) {
    out[item] = [c.combined(x[item] as f32), c.combined(x[item]) as f32];
}

#[kernel]
fn of_instances_for_a_known_type(item: Item<1>, c: Base, x: View<u32>, out: ItemMut<[f32; 3]>) {
    let y = x[item] as f32;
    out[item] = [c.combined(y), c.combined_twice(x[item]) as f32, c.combined(7u32) as f32];
}

#[test]
fn traits_have_parameters_and_types_several_instances() {
    in_every_way(|queue, way| {
        let x = Buffer::from_vec((0..4u32).collect());
        let (three, two) = (Buffer::<[f32; 3]>::new(4), Buffer::<[f32; 2]>::new(4));
        let (c, s) = (Base(2.0), Steps::<3>);
        run(queue, |h| h.parallel_for(4, of_a_trait_with_a_parameter(c, s, x.read(h), three.write(h))));
        let expected: [[f32; 3]; 4] = std::array::from_fn(|i| [2.0 + i as f32, 4.5, 6.0 + i as f32]);
        assert_eq!(three.host_read().unwrap()[..], expected, "{way:?}");
        run(queue, |h| h.parallel_for(4, of_two_instances(c, x.read(h), two.write(h))));
        let expected: [[f32; 2]; 4] = std::array::from_fn(|i| [2.0 + i as f32, 20.0 + i as f32]);
        assert_eq!(two.host_read().unwrap()[..], expected, "{way:?}");
        run(queue, |h| h.parallel_for(4, of_instances_for_a_known_type(c, x.read(h), three.write(h))));
        let expected: [[f32; 3]; 4] = std::array::from_fn(|i| [2.0 + i as f32, 40.0 + i as f32, 27.0]);
        assert_eq!(three.host_read().unwrap()[..], expected, "{way:?}");
    });
}
