//! Methods of traits with parameters on values of whatever types, in every way: rustc says which method a call means.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;
use syclone_test_helpers::{Couple, Meet};

/// Its `impl` stands above the type, and names it by an alias.
#[device_fn]
impl Tint<f32> for Alias {
    fn tinted(&self, x: f32) -> f32 {
        self.red * x
    }
}

#[device_fn]
impl Tint<u32> for Alias {
    fn tinted(&self, x: u32) -> u32 {
        self.red as u32 + x
    }
}

type Alias = Colour;

#[device_fn]
trait Tint<T: Scalar>: DeviceCopy {
    fn tinted(&self, x: T) -> T;

    fn tinted_twice(self, x: T) -> T {
        self.tinted(self.tinted(x))
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Colour {
    red: f32,
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Framed {
    inner: Colour,
    couple: Couple<f32>,
}

/// A type of another crate.
#[device_fn]
impl Tint<f32> for Couple<f32> {
    fn tinted(&self, x: f32) -> f32 {
        self.left + self.right * x
    }
}

#[kernel(fallback)]
fn of_aliases_and_other_crates(item: NdItem<1>, x: View<Framed>, c: Couple<f32>, out: ItemMut<[f32; 6]>) {
    let own: Alias = x[item].inner;
    item.barrier();
    out[item] = [
        own.tinted(2.0f32),
        x[item].inner.tinted_twice(3u32) as f32,
        c.tinted(4.0),
        x[item].couple.tinted_twice(0.5f32),
        x[item].couple.meet(1.5f32),
        own.tinted_twice(2.0f32),
    ];
}

const FRAMED: [Framed; 2] = [
    Framed { inner: Colour { red: 3.0 }, couple: Couple { left: 1.0, right: 2.0 } },
    Framed { inner: Colour { red: 5.0 }, couple: Couple { left: -1.0, right: 0.5 } },
];

#[test]
fn types_by_other_names_and_of_other_crates_have_them() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(FRAMED.to_vec()), Buffer::<[f32; 6]>::new(2));
        let c = Couple { left: 0.25, right: 2.0 };
        run(queue, |h| h.parallel_for(NdRange::new(2, 2), of_aliases_and_other_crates(x.read(h), c, out.write(h))));
        let expected = FRAMED.map(|Framed { inner: Colour { red }, couple: Couple { left, right } }| {
            let of_couple = |x: f32| left + right * x;
            [
                red * 2.0,
                red * 2.0 + 3.0,
                8.25,
                of_couple(of_couple(0.5)),
                syclone_test_helpers::Meet::meet(Couple { left, right }, 1.5f32),
                red * red * 2.0,
            ]
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}

/// All instances at once, of a type without parameters.
#[device_fn]
trait Widen<T: Scalar>: DeviceCopy {
    fn widened(self, x: T) -> f64;
}

#[device_fn]
impl<U: Scalar> Widen<U> for Colour {
    fn widened(self, x: U) -> f64 {
        self.red as f64 + x.to_f64() * 2.0
    }
}

/// Its parameter is a constant, which the array's length tells.
#[device_fn]
trait Window<const N: usize>: DeviceCopy {
    fn summed(&self, x: [f32; N]) -> f32;
}

#[device_fn]
impl Window<2> for Colour {
    fn summed(&self, x: [f32; 2]) -> f32 {
        self.red + x[0] + x[1]
    }
}

#[device_fn]
impl Window<3> for Colour {
    fn summed(&self, x: [f32; 3]) -> f32 {
        self.red * (x[0] + x[1] + x[2])
    }
}

/// Its parameter has a default.
#[device_fn]
trait Fade<T = f32>: DeviceCopy {
    fn faded(&mut self, by: T);
}

#[device_fn]
impl Fade for Colour {
    fn faded(&mut self, by: f32) {
        self.red *= by;
    }
}

#[kernel]
fn of_parameters_that_the_type_lacks(item: Item<1>, x: View<Framed>, out: ItemMut<[f64; 5]>) {
    let mut own = x[item].inner;
    own.faded(0.5);
    out[item] = [
        x[item].inner.widened(3u8),
        x[item].inner.widened(0.25f64) + own.widened(1),
        own.summed([1.0, 2.0]) as f64,
        x[item].inner.summed([1.0, 2.0, 3.0]) as f64,
        <Colour as Widen<f32>>::widened(own, 1.5) + <Colour as Window<2>>::summed(&own, [0.5, 0.5]) as f64,
    ];
}

#[test]
fn parameters_need_not_be_the_types() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(FRAMED.to_vec()), Buffer::<[f64; 5]>::new(2));
        run(queue, |h| h.parallel_for(2, of_parameters_that_the_type_lacks(x.read(h), out.write(h))));
        let expected = FRAMED.map(|framed| {
            let red = framed.inner.red as f64;
            [red + 6.0, red + 0.5 + red * 0.5 + 2.0, red * 0.5 + 3.0, red * 6.0, red * 0.5 + 3.0 + red * 0.5 + 1.0]
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Place<const N: usize>;

#[device_fn]
trait Count<T>: DeviceCopy {
    fn counted(&self, at: T) -> f32;
}

/// More blocks of one type than anyone writes by hand.
macro_rules! counts {
    ($($n:literal)*) => { $(
        #[device_fn]
        impl Count<Place<$n>> for Colour {
            fn counted(&self, at: Place<$n>) -> f32 {
                let _ = at;
                self.red + $n as f32
            }
        }
    )* };
}

counts!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);

#[kernel]
fn of_many_blocks(item: Item<1>, x: View<Framed>, out: ItemMut<[f32; 3]>) {
    let own = x[item].inner;
    out[item] = [own.counted(Place::<0>), x[item].inner.counted(Place::<16>), own.counted(Place::<19>)];
}

#[test]
fn a_type_has_any_number_of_instances() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(FRAMED.to_vec()), Buffer::<[f32; 3]>::new(2));
        run(queue, |h| h.parallel_for(2, of_many_blocks(x.read(h), out.write(h))));
        let expected = FRAMED.map(|framed| [0.0, 16.0, 19.0].map(|n| framed.inner.red + n));
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}

/// Instances that differ in their results alone.
#[device_fn]
trait Give<T>: DeviceCopy {
    fn given(&self) -> T;
}

#[device_fn]
impl Give<f32> for Alias {
    fn given(&self) -> f32 {
        self.red
    }
}

#[device_fn]
impl Give<u32> for Alias {
    fn given(&self) -> u32 {
        self.red as u32 * 10
    }
}

#[device_fn]
impl Give<Couple<f32>> for Alias {
    fn given(&self) -> Couple<f32> {
        Couple::<f32> { left: self.red, right: self.red * 2.0 }
    }
}

#[device_fn]
fn given_by<G: Give<f32> + Give<u32>>(g: &G) -> f32 {
    let whole: u32 = g.given();
    let part: f32 = g.given();
    part + whole as f32 * 1000.0
}

#[kernel(fallback)]
fn of_results(item: NdItem<1>, x: View<Framed>, out: ItemMut<[f32; 3]>) {
    let own = x[item].inner;
    let whole: u32 = own.given();
    item.barrier();
    let couple: Couple<f32> = x[item].inner.given();
    let sum = 0.5f32 + couple.tinted(own.given());
    out[item] = [whole as f32, sum, given_by::<Colour>(&own)];
}

#[test]
fn results_alone_choose_the_instance() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(FRAMED.to_vec()), Buffer::<[f32; 3]>::new(2));
        run(queue, |h| h.parallel_for(NdRange::new(2, 2), of_results(x.read(h), out.write(h))));
        let expected = FRAMED.map(|framed| {
            let red = framed.inner.red;
            [red * 10.0, 0.5 + red + red * 2.0 * red, red + red * 10_000.0]
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}

/// A method of the type's own comes before that of a trait, as in Rust.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Own(f32);

#[device_fn]
impl Own {
    fn tinted(&self, x: f32, y: f32) -> f32 {
        self.0 + x * y
    }
}

#[device_fn]
impl Tint<f32> for Own {
    fn tinted(&self, x: f32) -> f32 {
        self.0 - x
    }
}

/// Called like a built-in method.
#[device_fn]
trait Measured: DeviceCopy {
    fn length(&self) -> f32;
}

#[device_fn]
impl Measured for Own {
    fn length(&self) -> f32 {
        self.0 * 100.0
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Holds {
    own: Own,
    colour: Colour,
}

#[device_fn]
fn length_of<S: Measured>(s: S, x: F32x2) -> f32 {
    s.length() + x.length()
}

#[kernel]
fn of_own_methods(item: Item<1>, x: View<Holds>, out: ItemMut<[f32; 4]>) {
    let own = x[item].own;
    out[item] = [
        own.tinted(2.0, 3.0),
        own.tinted_twice(1.0f32),
        x[item].own.length() + F32x2::new([3.0, 4.0]).length(),
        length_of::<Own>(own, F32x2::new([6.0, 8.0])),
    ];
}

#[kernel]
fn only_lengths(item: Item<1>, x: View<Holds>, out: ItemMut<f32>) {
    out[item] = x[item].own.length();
}

#[test]
fn own_methods_and_names_of_built_in_ones_mean_what_they_mean_in_rust() {
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(vec![Holds { own: Own(2.0), colour: FRAMED[0].inner }]);
        let (four, one) = (Buffer::<[f32; 4]>::new(1), Buffer::<f32>::new(1));
        run(queue, |h| h.parallel_for(1, of_own_methods(x.read(h), four.write(h))));
        assert_eq!(*four.host_read().unwrap(), [[8.0, 2.0 - (2.0 - 1.0), 205.0, 210.0]], "{way:?}");
        run(queue, |h| h.parallel_for(1, only_lengths(x.read(h), one.write(h))));
        assert_eq!(*one.host_read().unwrap(), [200.0], "{way:?}");
    });
}

#[test]
fn captured_values_have_them_too() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(FRAMED.to_vec()), Buffer::<[f32; 4]>::new(2));
        let (framed, own) = (FRAMED[1], Own(3.0));
        run(queue, |h| {
            let (x, out) = (x.read(h), out.write(h));
            h.parallel_for(
                2,
                syclone::kernel!(|item: Item<1>| {
                    let colour = framed.inner;
                    let whole: u32 = colour.given();
                    out[item] = [
                        colour.tinted(2.0f32) + whole as f32,
                        x[item].couple.tinted(2.0) + framed.couple.tinted_twice(1.0),
                        own.length() + own.tinted(1.0, 2.0),
                        colour.widened(1u16) as f32 + colour.counted(Place::<17>),
                    ]
                }),
            )
        });
        let expected = FRAMED.map(|framed| {
            let Couple { left, right } = framed.couple;
            [10.0 + 50.0, left + right * 2.0 + (-1.0 + 0.5 * -0.5), 305.0, 7.0 + 22.0]
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}
