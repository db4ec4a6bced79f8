//! What user traits consist of besides methods: constants, types, functions that are generic themselves, defaults and
//! supertraits; and arithmetic on const parameters.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

/// A number that is stored as another.
#[device_fn]
trait Code {
    type Stored: Scalar;
    type Table: Lookup;
    const BITS: u32;
    const WEIGHTS: [f32; 3];
    const NAMED: Pair = Pair { low: 1, high: 2 };

    fn encode(x: f32) -> Self::Stored;

    fn decode(x: Self::Stored) -> f32;

    fn around(x: f32) -> f32 {
        let stored: Self::Stored = Self::encode(x);
        Self::decode(stored) + Self::WEIGHTS[1] + Self::NAMED.high as f32
    }

    fn weighted<T: Float, const N: usize>(x: [T; N]) -> T {
        let mut sum = T::ZERO;
        for i in 0..N {
            sum += x[i] * T::from_f64(Self::WEIGHTS[i % 3] as f64);
        }
        sum
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Pair {
    low: u32,
    high: u32,
}

#[device_fn]
trait Lookup: DeviceCopy {
    const SIZE: usize;

    fn make(seed: u32) -> Self;

    fn at(&self, i: usize) -> u32;

    fn sum(self) -> u32 {
        let mut sum = 0;
        for i in 0..Self::SIZE {
            sum += self.at(i);
        }
        sum
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Powers<const N: usize> {
    of: [u32; N],
}

#[device_fn]
impl<const N: usize> Lookup for Powers<N> {
    const SIZE: usize = N;

    fn make(seed: u32) -> Self {
        let mut of = [0; N];
        for i in 0..N {
            of[i] = if i == 0 { 1 } else { of[i - 1] * seed };
        }
        Self { of }
    }

    fn at(&self, i: usize) -> u32 {
        self.of[i]
    }
}

struct Eighths;

#[device_fn]
impl Code for Eighths {
    type Stored = i16;
    type Table = Powers<4>;
    const BITS: u32 = 16;
    const WEIGHTS: [f32; 3] = [0.5, 0.25, 2.0];

    fn encode(x: f32) -> i16 {
        (x * 8.0) as i16
    }

    fn decode(x: i16) -> f32 {
        x as f32 / 8.0
    }
}

struct Signs;

#[device_fn]
impl Code for Signs {
    type Stored = u8;
    type Table = Powers<2>;
    const BITS: u32 = u8::BITS;
    const WEIGHTS: [f32; 3] = [1.0; 3];
    const NAMED: Pair = Pair { low: 10, high: 20 };

    fn encode(x: f32) -> u8 {
        if x < 0.0 { 1 } else { 0 }
    }

    fn decode(x: u8) -> f32 {
        match x {
            0 => 1.0,
            _ => -1.0,
        }
    }
}

#[device_fn]
fn table_of<C: Code>(seed: u32) -> C::Table {
    C::Table::make(seed)
}

#[kernel(fallback)]
fn coded<C: Code>(item: NdItem<1>, x: View<f32>, stored: ItemMut<C::Stored>, out: ItemMut<[f32; 5]>) {
    let value: C::Stored = C::encode(x[item]);
    stored[item] = value;
    item.barrier();
    let table: C::Table = table_of::<C>(3);
    let direct = <C::Table as Lookup>::make(2);
    let list = [value; 2];
    out[item] = [
        C::decode(list[1]) * C::BITS as f32,
        C::around(x[item]) + C::NAMED.low as f32 + <C as Code>::WEIGHTS[2],
        table.at(1) as f32 + direct.sum() as f32 + C::Table::make(5).at(1) as f32,
        (<C as Code>::Table::SIZE * 2 + C::Table::SIZE) as f32,
        C::weighted::<f32, 4>([1.0, 2.0, 3.0, x[item]]) + C::weighted::<f64, 1>([0.5]) as f32,
    ];
}

fn check<C: Code + 'static>(expected: impl Fn(f32) -> (C::Stored, [f32; 5]))
where
    C::Stored: PartialEq + std::fmt::Debug,
{
    let x = [-2.5f32, -0.125, 0.0, 1.0, 3.375, 100.0];
    in_every_way(|queue, way| {
        let input = Buffer::from_vec(x.to_vec());
        let (stored, out) = (Buffer::<C::Stored>::new(6), Buffer::<[f32; 5]>::new(6));
        run(queue, |h| {
            let kernel = coded::<C>(input.read(h), stored.write(h), out.write(h));
            h.parallel_for(NdRange::new(6, 3), kernel)
        });
        for (i, x) in x.into_iter().enumerate() {
            let (code, numbers) = expected(x);
            assert_eq!(stored.host_read().unwrap()[i], code, "{way:?} for {x}");
            assert_eq!(out.host_read().unwrap()[i], numbers, "{way:?} for {x}");
        }
    });
}

#[test]
fn traits_have_constants_types_and_generic_functions() {
    check::<Eighths>(|x| {
        let weighted = 1.0 * 0.5 + 2.0 * 0.25 + 3.0 * 2.0 + x * 0.5 + 0.25;
        ((x * 8.0) as i16, [x * 16.0, x + 0.25 + 2.0 + 1.0 + 2.0, 3.0 + 15.0 + 5.0, 12.0, weighted])
    });
    check::<Signs>(|x| {
        let sign = if x < 0.0 { -1.0 } else { 1.0 };
        let code = u8::from(x < 0.0);
        (code, [sign * 8.0, sign + 1.0 + 20.0 + 10.0 + 1.0, 3.0 + 3.0 + 5.0, 6.0, 6.0 + x + 0.5])
    });
}

const BASE: usize = 3;

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Matrix<const R: usize, const C: usize>([[f32; C]; R]);

#[device_fn]
impl<const R: usize, const C: usize> Matrix<R, C> {
    const CELLS: usize = R * C;

    fn transposed(self) -> Matrix<C, R> {
        let mut out = Matrix::<C, R>([[0.0; R]; C]);
        for r in 0..R {
            for c in 0..C {
                out.0[c][r] = self.0[r][c];
            }
        }
        out
    }

    fn times<const K: usize>(&self, other: Matrix<C, K>) -> Matrix<R, K> {
        let mut out = Matrix::<R, K>([[0.0; K]; R]);
        for r in 0..R {
            for k in 0..K {
                for c in 0..C {
                    out.0[r][k] += self.0[r][c] * other.0[c][k];
                }
            }
        }
        out
    }
}

#[device_fn]
fn power_of_two<const N: u32>() -> u32 {
    1 << N
}

#[kernel]
fn products<const R: usize, const C: usize, const FLAG: bool>(
    item: Item<1>,
    m: View<Matrix<R, C>>,
    out: ItemMut<Matrix<R, R>>,
    numbers: ItemMut<[usize; 4]>,
) {
    const TWICE: usize = BASE * 2;
    let square = m[item].times::<R>(m[item].transposed());
    out[item] = if FLAG { square } else { square.transposed() };
    let halves = [1usize; TWICE];
    numbers[item] = [
        Matrix::<R, C>::CELLS * (R + 1) / C,
        halves.len() + (R << 2 | C) % TWICE,
        power_of_two::<5>() as usize + power_of_two::<{ BASE as u32 + 1 }>() as usize,
        if FLAG && R > C { R - C } else { C - R.min(C) },
    ];
}

#[test]
fn const_parameters_take_part_in_arithmetic() {
    in_every_way(|queue, way| {
        let values = vec![Matrix([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]), Matrix([[0.0, 1.0, 0.0], [4.0, 4.0, -4.0]])];
        let (m, out) = (Buffer::from_vec(values.clone()), Buffer::<Matrix<2, 2>>::new(2));
        let numbers = Buffer::<[usize; 4]>::new(2);
        run(queue, |h| h.parallel_for(2, products::<2, 3, true>(m.read(h), out.write(h), numbers.write(h))));
        let expected: Vec<Matrix<2, 2>> = values
            .iter()
            .map(|m| {
                let dot = |a: usize, b: usize| (0..3).map(|c| m.0[a][c] * m.0[b][c]).sum::<f32>();
                Matrix([[dot(0, 0), dot(0, 1)], [dot(1, 0), dot(1, 1)]])
            })
            .collect();
        assert_eq!(out.host_read().unwrap()[..], expected, "{way:?}");
        assert_eq!(numbers.host_read().unwrap()[0], [6, 6 + 11 % 6, 32 + 16, 1], "{way:?}");
    });
}

/// A trait of all numbers.
#[device_fn]
trait Grow: DeviceCopy {
    fn grow(self) -> Self;

    fn twice(self) -> Self {
        self.grow().grow()
    }
}

#[device_fn]
impl<T: Scalar> Grow for T {
    fn grow(self) -> T {
        self + self
    }
}

#[kernel]
fn constrained<A: Code<Stored = i16>, B>(item: Item<1>, x: View<f32>, out: ItemMut<i16>)
where
    B: Code<Stored = A::Stored>,
{
    let sum = A::encode(x[item]) + B::encode(1.0);
    out[item] = sum.grow() + (sum % 5).twice() + (x[item].grow() as i16).twice();
}

#[test]
fn a_trait_for_all_numbers_and_bounds_on_types_of_traits() {
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(vec![1.0f32, -2.0, 0.5]);
        let out = Buffer::<i16>::new(3);
        run(queue, |h| h.parallel_for(3, constrained::<Eighths, Eighths>(x.read(h), out.write(h))));
        let expected = [1.0f32, -2.0, 0.5].map(|x| {
            let sum = (x * 8.0) as i16 + 8;
            2 * sum + 4 * (sum % 5) + 4 * ((x + x) as i16)
        });
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}
