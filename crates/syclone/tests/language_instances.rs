//! Traits with parameters, implemented for instances of generic structs, in every way.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;
use syclone_test_helpers::{Couple, Meet};

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Duo<T>(T, T);

#[device_fn]
trait Mix<T: Scalar>: DeviceCopy {
    fn mixed(&self, x: T) -> T;

    fn mixed_twice(self, x: T) -> T {
        self.mixed(self.mixed(x))
    }
}

#[device_fn]
impl Mix<f32> for Duo<f32> {
    fn mixed(&self, x: f32) -> f32 {
        self.0 * x + self.1
    }
}

#[device_fn]
impl Mix<u32> for Duo<f32> {
    fn mixed(&self, x: u32) -> u32 {
        self.0 as u32 + 10 * x
    }
}

#[device_fn]
impl Mix<f32> for Duo<i32> {
    fn mixed(&self, x: f32) -> f32 {
        x - (self.0 * self.1) as f32
    }
}

#[device_fn]
trait Scale: DeviceCopy {
    fn scaled(&self, by: f32) -> f32;
}

#[device_fn]
impl<T: Scalar> Scale for Duo<T> {
    fn scaled(&self, by: f32) -> f32 {
        (self.0 + self.1).to_f64() as f32 * by
    }
}

#[kernel(fallback)]
fn direct(item: NdItem<1>, a: View<Duo<f32>>, b: View<Duo<i32>>, x: View<f32>, out: ItemMut<[f32; 6]>) {
    let own = a[item];
    item.barrier();
    out[item] = [
        own.mixed(x[item]),
        own.mixed(x[item] as u32) as f32,
        b[item].mixed(x[item]),
        a[item].mixed_twice(2u32) as f32,
        a[item].scaled(2.0) + b[item].scaled(0.5),
        b[item].mixed_twice(x[item]),
    ];
}

#[kernel]
fn bounded<C: Mix<f32> + Scale>(item: Item<1>, c: View<C>, x: View<f32>, out: ItemMut<[f32; 3]>) {
    out[item] = [c[item].mixed(x[item]), c[item].mixed_twice(0.5), c[item].scaled(4.0)];
}

const FLOATS: [Duo<f32>; 4] = [Duo(1.0, 2.0), Duo(-0.5, 4.0), Duo(3.0, 0.25), Duo(8.0, -1.0)];
const INTS: [Duo<i32>; 4] = [Duo(1, 2), Duo(-3, 4), Duo(7, 0), Duo(5, -6)];
const X: [f32; 4] = [0.5, 3.0, 7.25, 10.0];

#[test]
fn instances_side_by_side_are_called_directly() {
    in_every_way(|queue, way| {
        let (a, b, x) =
            (Buffer::from_vec(FLOATS.to_vec()), Buffer::from_vec(INTS.to_vec()), Buffer::from_vec(X.to_vec()));
        let out = Buffer::<[f32; 6]>::new(4);
        run(queue, |h| h.parallel_for(NdRange::new(4, 2), direct(a.read(h), b.read(h), x.read(h), out.write(h))));
        for i in 0..4 {
            let (a, b, x) = (FLOATS[i], INTS[i], X[i]);
            let product = (b.0 * b.1) as f32;
            let expected = [
                a.0 * x + a.1,
                (a.0 as u32 + 10 * x as u32) as f32,
                x - product,
                (a.0 as u32 + 10 * (a.0 as u32 + 20)) as f32,
                (a.0 + a.1) * 2.0 + (b.0 + b.1) as f32 * 0.5,
                x - product - product,
            ];
            assert_eq!(out.host_read().unwrap()[i], expected, "{way:?}");
        }
    });
}

#[test]
fn instances_are_called_through_bounds() {
    in_every_way(|queue, way| {
        let (a, b, x) =
            (Buffer::from_vec(FLOATS.to_vec()), Buffer::from_vec(INTS.to_vec()), Buffer::from_vec(X.to_vec()));
        let out = Buffer::<[f32; 3]>::new(4);
        run(queue, |h| h.parallel_for(4, bounded(a.read(h), x.read(h), out.write(h))));
        for i in 0..4 {
            let (a, x) = (FLOATS[i], X[i]);
            let expected = [a.0 * x + a.1, a.0 * (a.0 * 0.5 + a.1) + a.1, (a.0 + a.1) * 4.0];
            assert_eq!(out.host_read().unwrap()[i], expected, "{way:?}");
        }
        run(queue, |h| h.parallel_for(4, bounded(b.read(h), x.read(h), out.write(h))));
        for i in 0..4 {
            let (b, x) = (INTS[i], X[i]);
            let product = (b.0 * b.1) as f32;
            let expected = [x - product, 0.5 - product - product, (b.0 + b.1) as f32 * 4.0];
            assert_eq!(out.host_read().unwrap()[i], expected, "{way:?}");
        }
    });
}

/// Two values of other instances, which no kernel spells.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Both {
    floats: Duo<f32>,
    ints: Duo<i32>,
}

#[device_fn]
fn swapped(duo: Duo<f32>) -> Duo<f32> {
    Duo::<f32>(duo.1, duo.0)
}

#[device_fn]
fn mixed_by<C: Mix<T>, T: Scalar>(c: C, x: T) -> T {
    c.mixed(x) + c.mixed_twice(x)
}

#[kernel]
fn on_values_of_unspelled_types(item: Item<1>, both: View<Both>, x: View<f32>, out: ItemMut<[f32; 5]>) {
    let copy = both[item];
    out[item] = [
        both[item].floats.mixed(x[item]) + both[item].floats.mixed(3u32) as f32,
        copy.ints.mixed(0.5),
        swapped(copy.floats).mixed(x[item]) + swapped(both[item].floats).mixed_twice(2u32) as f32,
        mixed_by::<Duo<f32>, u32>(copy.floats, 7) as f32 + mixed_by::<Duo<f32>, f32>(copy.floats, 0.25),
        mixed_by::<Duo<i32>, f32>(copy.ints, x[item]),
    ];
}

fn by(c: Duo<f32>, x: f32) -> f32 {
    c.0 * x + c.1
}

fn by_integer(c: Duo<f32>, x: u32) -> u32 {
    c.0 as u32 + 10 * x
}

#[test]
fn instances_are_called_on_fields_results_and_captures() {
    in_every_way(|queue, way| {
        let both: Vec<Both> = (0..4).map(|i| Both { floats: FLOATS[i], ints: INTS[i] }).collect();
        let (both, x) = (Buffer::from_vec(both), Buffer::from_vec(X.to_vec()));
        let (five, one) = (Buffer::<[f32; 5]>::new(4), Buffer::<f32>::new(4));
        run(queue, |h| h.parallel_for(4, on_values_of_unspelled_types(both.read(h), x.read(h), five.write(h))));
        for i in 0..4 {
            let (a, b, x) = (FLOATS[i], INTS[i], X[i]);
            let product = (b.0 * b.1) as f32;
            let other = Duo(a.1, a.0);
            let expected = [
                by(a, x) + by_integer(a, 3) as f32,
                0.5 - product,
                by(other, x) + by_integer(other, by_integer(other, 2)) as f32,
                (by_integer(a, 7) + by_integer(a, by_integer(a, 7))) as f32 + (by(a, 0.25) + by(a, by(a, 0.25))),
                (x - product) + (x - product - product),
            ];
            assert_eq!(five.host_read().unwrap()[i], expected, "{way:?}");
        }
        let (floats, ints) = (FLOATS[1], INTS[1]);
        run(queue, |h| {
            let (x, out) = (x.read(h), one.write(h));
            h.parallel_for(
                4,
                syclone::kernel!(|item: Item<1>| {
                    out[item] = floats.mixed(x[item]) + floats.mixed(2u32) as f32 + ints.mixed(x[item]);
                }),
            )
        });
        let expected = X.map(|x| by(floats, x) + by_integer(floats, 2) as f32 + (x + 12.0));
        assert_eq!(one.host_read().unwrap()[..], expected, "{way:?}");
    });
}

/// What a call asks for says which instance it means, and literals have their defaults.
#[device_fn]
trait Part<T>: DeviceCopy {
    type Rest: Scalar;
    const SHIFT: u32;

    fn part(&self) -> T;

    fn rest(self, x: T) -> Self::Rest;
}

#[device_fn]
impl Part<u32> for Duo<f32> {
    type Rest = f64;
    const SHIFT: u32 = 3;

    fn part(&self) -> u32 {
        self.0 as u32 + Self::offset()
    }

    fn rest(self, x: u32) -> f64 {
        self.1 as f64 / x as f64
    }
}

#[device_fn]
impl Part<f32> for Duo<f32> {
    type Rest = f32;
    const SHIFT: u32 = 4;

    fn part(&self) -> f32 {
        self.1 * 2.0
    }

    fn rest(self, x: f32) -> f32 {
        self.0 - x
    }
}

#[device_fn]
impl Part<f64> for Duo<f32> {
    type Rest = f32;
    const SHIFT: u32 = 5;

    fn part(&self) -> f64 {
        self.1 as f64 * 0.125
    }

    fn rest(self, x: f64) -> f32 {
        self.0 * 100.0 + x as f32
    }
}

#[device_fn]
impl Duo<f32> {
    fn offset() -> u32 {
        100
    }
}

#[device_fn]
fn rest_of<P: Part<u32, Rest = f64>>(p: P) -> f64 {
    p.rest(8) + P::SHIFT as f64
}

#[kernel(fallback)]
fn chosen_by_results(item: NdItem<1>, a: View<Duo<f32>>, out: ItemMut<[f64; 5]>) {
    let whole: u32 = a[item].part();
    let double: f32 = a[item].part();
    item.barrier();
    let part: f64 = a[item].part();
    let sum = 0.5 + part;
    out[item] = [
        whole as f64 + double as f64,
        sum,
        a[item].rest(4u32) + a[item].rest(0.5f32) as f64,
        a[item].rest(1.5) as f64,
        rest_of::<Duo<f32>>(a[item]) + (<Duo<f32> as Part<f32>>::SHIFT << 2) as f64,
    ];
}

#[test]
fn the_instance_is_what_arguments_and_results_say() {
    in_every_way(|queue, way| {
        let a = Buffer::from_vec(FLOATS.map(|a| Duo(a.0.abs(), a.1)).to_vec());
        let out = Buffer::<[f64; 5]>::new(4);
        run(queue, |h| h.parallel_for(NdRange::new(4, 2), chosen_by_results(a.read(h), out.write(h))));
        for (i, a) in FLOATS.into_iter().enumerate() {
            let (first, second) = (a.0.abs(), a.1 as f64);
            let expected = [
                (first as u32 + 100) as f64 + 2.0 * second,
                0.5 + second * 0.125,
                second / 4.0 + (first - 0.5) as f64,
                (first * 100.0 + 1.5) as f64,
                second / 8.0 + 3.0 + 16.0,
            ];
            assert_eq!(out.host_read().unwrap()[i], expected, "{way:?}");
        }
    });
}

/// Instances of another crate's trait and struct, there and here.
#[device_fn]
impl Meet<Duo<f32>> for Duo<i32> {
    fn meet(self, other: Duo<f32>) -> f32 {
        (self.0 + self.1) as f32 * other.0
    }
}

#[kernel]
fn of_another_crate(item: Item<1>, c: Couple<f32>, d: Couple<u32>, x: View<f32>, out: ItemMut<[f32; 3]>) {
    let own = Duo::<i32>(2, 3);
    out[item] = [
        c.meet(x[item]) + c.meet(2u32),
        d.meet(x[item]),
        own.meet(Duo::<f32>(x[item], 0.0)) + syclone_test_helpers::met::<Couple<f32>>(c),
    ];
}

#[test]
fn instances_of_other_crates_are_called() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(X.to_vec()), Buffer::<[f32; 3]>::new(4));
        let (c, d) = (Couple { left: 1.5, right: -2.0 }, Couple { left: 3, right: 4 });
        run(queue, |h| h.parallel_for(4, of_another_crate(c, d, x.read(h), out.write(h))));
        let expected = X.map(|x| [(1.5 * x - 2.0) + 3.5, 7.0 * x, 5.0 * x + (1.5 * 0.5 - 2.0)]);
        assert_eq!(out.host_read().unwrap()[..], expected, "{way:?}");
    });
}

/// Its values are all alike, and its instances are not.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Steps<const N: usize>;

#[device_fn]
impl Mix<f32> for Steps<1> {
    fn mixed(&self, x: f32) -> f32 {
        x + 1.0
    }
}

#[device_fn]
impl Mix<f32> for Steps<2> {
    fn mixed(&self, x: f32) -> f32 {
        x * 2.0
    }
}

#[device_fn]
trait Named: DeviceCopy {
    fn number(&self) -> f32;
}

#[device_fn]
impl<const N: usize> Named for Steps<N> {
    fn number(&self) -> f32 {
        N as f32
    }
}

#[kernel]
fn of_instances_without_values(item: Item<1>, one: Steps<1>, two: Steps<2>, x: View<f32>, out: ItemMut<[f32; 4]>) {
    out[item] = [one.mixed(x[item]), two.mixed(x[item]), one.number() * 10.0 + two.number(), (Steps::<7>).number()];
}

#[test]
fn instances_differ_where_their_fields_do_not() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(X.to_vec()), Buffer::<[f32; 4]>::new(4));
        run(queue, |h| h.parallel_for(4, of_instances_without_values(Steps::<1>, Steps::<2>, x.read(h), out.write(h))));
        assert_eq!(out.host_read().unwrap()[..], X.map(|x| [x + 1.0, x * 2.0, 12.0, 7.0]), "{way:?}");
    });
}

/// Its method is generic itself.
#[device_fn]
trait Lift<T: Scalar>: DeviceCopy {
    fn lifted<U: Float, const N: usize>(self, x: T) -> U;
}

#[device_fn]
impl Lift<u32> for Duo<f32> {
    fn lifted<U: Float, const N: usize>(self, x: u32) -> U {
        U::from_f64((self.0 + self.1) as f64 * (x as usize * N) as f64)
    }
}

#[device_fn]
impl Lift<i32> for Duo<i32> {
    fn lifted<U: Float, const N: usize>(self, x: i32) -> U {
        U::from_f64((self.0 - self.1 * x) as f64 + N as f64)
    }
}

#[device_fn]
fn lifted_of<C: Lift<T>, T: Scalar>(c: C, x: T) -> f64 {
    c.lifted::<f64, 2>(x)
}

#[kernel]
fn generic_methods(item: Item<1>, both: View<Both>, out: ItemMut<[f64; 3]>) {
    let floats = both[item].floats;
    out[item] = [
        floats.lifted::<f64, 3>(2) + both[item].ints.lifted::<f32, 4>(5) as f64,
        lifted_of::<Duo<f32>, u32>(floats, 9),
        lifted_of::<Duo<i32>, i32>(both[item].ints, -9),
    ];
}

#[test]
fn methods_of_instances_are_generic_themselves() {
    in_every_way(|queue, way| {
        let both: Vec<Both> = (0..4).map(|i| Both { floats: FLOATS[i], ints: INTS[i] }).collect();
        let (both, out) = (Buffer::from_vec(both), Buffer::<[f64; 3]>::new(4));
        run(queue, |h| h.parallel_for(4, generic_methods(both.read(h), out.write(h))));
        let expected: [[f64; 3]; 4] = std::array::from_fn(|i| {
            let (sum, ints) = ((FLOATS[i].0 + FLOATS[i].1) as f64, INTS[i]);
            let lifted = |x: i32, n: i32| (ints.0 - ints.1 * x + n) as f64;
            [sum * 6.0 + lifted(5, 4), sum * 18.0, lifted(-9, 2)]
        });
        assert_eq!(out.host_read().unwrap()[..], expected, "{way:?}");
    });
}

/// All instances at once, bounded more than the struct.
#[device_fn]
trait Blend<T: Scalar>: DeviceCopy {
    fn blended(self, by: T) -> T;

    fn blended_back(&self, by: T) -> T {
        by - self.blended(by)
    }
}

#[device_fn]
impl<T: Float> Blend<T> for Duo<T> {
    fn blended(self, by: T) -> T {
        self.0 + (self.1 - self.0) * by
    }
}

#[device_fn]
impl Blend<i32> for Duo<f32> {
    fn blended(self, by: i32) -> i32 {
        if by > 3 { 3 } else { by * 2 }
    }
}

#[device_fn]
fn first_of<T: Scalar>(duo: Duo<T>) -> Duo<T> {
    Duo::<T>(duo.0, duo.0)
}

#[kernel(fallback)]
fn of_all_instances<T: Float>(item: NdItem<1>, x: View<Duo<T>>, by: T, out: ItemMut<[T; 4]>) {
    let own = x[item];
    item.barrier();
    let one = Duo::<f32>(0.0, 1.0);
    let six = (one.blended(2) + one.blended_back(5)) as f64 * one.blended(1.0f32) as f64;
    out[item] = [own.blended(by), first_of::<T>(own).blended(by), own.blended_back(by), T::from_f64(six)];
}

#[test]
fn an_impl_for_all_instances_is_called_on_each() {
    fn check<T: Float + std::fmt::Debug>(values: [Duo<T>; 3], by: T) {
        in_every_way(|queue, way| {
            let (x, out) = (Buffer::from_vec(values.to_vec()), Buffer::<[T; 4]>::new(3));
            run(queue, |h| h.parallel_for(NdRange::new(3, 3), of_all_instances(x.read(h), by, out.write(h))));
            for (i, duo) in values.into_iter().enumerate() {
                let blended = duo.0 + (duo.1 - duo.0) * by;
                assert_eq!(out.host_read().unwrap()[i], [blended, duo.0, by - blended, T::from_f64(6.0)], "{way:?}");
            }
        });
    }
    check([Duo(1.0f32, 2.0), Duo(-0.5, 4.0), Duo(3.0, 0.25)], 0.25);
    check([Duo(1.0f64, 2.0), Duo(-0.5, 4.0), Duo(3.0, 0.25)], 0.75);
}
