//! Methods of type parameters, in every way: whatever else bounds them, and wherever the method comes from.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

#[device_fn]
trait Act {
    fn apply(x: f32) -> f32;
}

#[device_fn]
trait Filter: DeviceCopy {
    fn run(&self, x: f32) -> f32;
}

/// Its default uses its supertrait's method. Rust's operators have a trait of this name too.
#[device_fn]
trait Sub: Filter {
    fn run_less(&self, x: f32) -> f32 {
        self.run(x) - 1.0
    }
}

/// No device trait.
trait Marker {}

struct Relu;

#[device_fn]
impl Act for Relu {
    fn apply(x: f32) -> f32 {
        x.max(0.0)
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Gain {
    by: f32,
}

#[device_fn]
impl Filter for Gain {
    fn run(&self, x: f32) -> f32 {
        x * self.by
    }
}

#[device_fn]
impl Sub for Gain {}

impl Marker for Gain {}

#[kernel]
fn one_of_two_parameters_is_a_value<A: Act, F: Filter>(item: Item<1>, f: F, x: View<f32>, y: ItemMut<f32>) {
    y[item] = A::apply(x[item]) + f.run(x[item]);
}

#[kernel]
fn beside_a_marker<F: Marker + Filter>(item: Item<1>, f: F, x: View<f32>, y: ItemMut<f32>) {
    y[item] = f.run(x[item]);
}

#[kernel]
fn marked_in_the_where_clause<F>(item: Item<1>, f: View<F>, x: View<f32>, y: ItemMut<f32>)
where
    F: Filter + Marker,
{
    let own = f[0];
    y[item] = own.run(x[item]) + f[0].run(1.0);
}

#[kernel]
fn of_a_supertrait<F: Sub + Marker>(item: Item<1>, f: F, x: View<f32>, y: ItemMut<f32>) {
    y[item] = f.run(x[item]) + f.run_less(x[item]);
}

#[device_fn]
fn helper<A: Act, F: Marker + Filter>(f: F, x: f32) -> f32 {
    A::apply(f.run(x))
}

#[kernel]
fn in_a_device_function(item: Item<1>, f: Gain, x: View<f32>, y: ItemMut<f32>) {
    y[item] = helper::<Relu, Gain>(f, x[item]);
}

#[test]
fn a_method_is_found_through_the_bound_that_has_it() {
    let data = [-2.0f32, -0.5, 0.0, 1.0, 3.5];
    let gain = Gain { by: 3.0 };
    in_every_way(|queue, _| {
        let (x, y, gains) = (Buffer::from_vec(data.to_vec()), Buffer::<f32>::new(5), Buffer::from_vec(vec![gain]));
        let check = |expected: &dyn Fn(f32) -> f32| {
            assert_eq!(y.host_read().expect("the kernel ran")[..], data.map(expected));
        };
        let n = data.len();
        run(queue, |h| {
            let kernel = one_of_two_parameters_is_a_value::<Relu, Gain>(gain, x.read(h), y.write(h));
            h.parallel_for(n, kernel)
        });
        check(&|x| x.max(0.0) + x * 3.0);
        run(queue, |h| h.parallel_for(n, beside_a_marker(gain, x.read(h), y.write(h))));
        check(&|x| x * 3.0);
        run(queue, |h| h.parallel_for(n, marked_in_the_where_clause(gains.read(h), x.read(h), y.write(h))));
        check(&|x| x * 3.0 + 3.0);
        run(queue, |h| h.parallel_for(n, of_a_supertrait(gain, x.read(h), y.write(h))));
        check(&|x| x * 3.0 + (x * 3.0 - 1.0));
        run(queue, |h| h.parallel_for(n, in_a_device_function(gain, x.read(h), y.write(h))));
        check(&|x| (x * 3.0).max(0.0));
    });
}
