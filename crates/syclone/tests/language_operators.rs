//! Operators on operands whose type no token of the function spells: elements of array fields, results of methods, and
//! values of generic code, in every way. What is no number there is refused: `compile_fail/operators_on_parts.rs`.

mod rig;

use rig::{in_every_way, run, same_as_on_the_host};
use std::ops::{Add, AddAssign, BitXor, Mul, Neg, Shl};
use syclone::prelude::*;

#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Sample {
    values: [f32; 3],
    lanes: [I32x4; 2],
    bits: [u8; 2],
    flags: [bool; 2],
}

const SCALE: f32 = 0.5;

#[device_fn]
impl Sample {
    fn total(self) -> f32 {
        self.values[0] + self.values[1] * self.values[2]
    }

    fn is_even(&self) -> bool {
        self.bits[0] % 2 == 0
    }
}

fn samples() -> Vec<Sample> {
    let sample = |i: i32| Sample {
        values: [i as f32, 1.5, -0.25 * i as f32],
        lanes: [I32x4::splat(i), I32x4::new([1, -2, 3, i])],
        bits: [i as u8, 0b101],
        flags: [i % 2 == 0, i % 3 == 0],
    };
    (0..10).map(sample).collect()
}

#[kernel(fallback)]
fn of_parts(item: NdItem<1>, x: View<Sample>, y: ItemMut<[f32; 6]>) {
    let tile = local::<Sample>();
    let mut own = x[item];
    let mut total = own.total();
    total += x[item].total() * SCALE;
    own.values[1] -= x[item].values[2];
    own.lanes[0] += own.lanes[1] << 2;
    if item.local_id(0) == 0 {
        *tile = own;
    }
    item.barrier();
    let shared = -tile.values[0] + (*tile).total();
    let mixed = (!own.is_even() ^ own.flags[1]) | !x[item].flags[0];
    let bits = (own.bits[0] ^ own.bits[1]) >> 1;
    let (first, second) = (1, own.bits[1] & 3);
    y[item] = [
        total,
        own.values[1] % 1.0,
        (own.lanes[0] * own.lanes[1]).w as f32 + (-own.lanes[1]).y as f32,
        shared,
        mixed as u8 as f32,
        (bits + second + first) as f32,
    ];
}

#[test]
fn operators_take_numbers_wherever_they_come_from() {
    let all = samples();
    same_as_on_the_host(
        &all,
        |x| {
            let i = x.values[0];
            let total = |i: f32| i + 1.5 * (-0.25 * i);
            // The first of the group, whose second value has been changed.
            let first = (i / rig::GROUP as f32).floor() * rig::GROUP as f32;
            let (n, second) = (i as i32, 1.5 + 0.25 * i);
            [
                total(i) + total(i) * 0.5,
                second % 1.0,
                ((n + (n << 2)) * n + 2) as f32,
                -first + (first + (1.5 + 0.25 * first) * (-0.25 * first)),
                f32::from(u8::from(((n % 2 != 0) ^ (n % 3 == 0)) | (n % 2 != 0))),
                (((n as u8 ^ 0b101) >> 1) + 1 + 1) as f32,
            ]
        },
        |h, shape, x, y| h.parallel_for(shape, of_parts(x.read(h), y.write(h))),
    );
}

#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Pair<T>(T, T);

#[device_fn]
impl<T: DeviceCopy + Add<Output = T> + Mul<Output = T>> Pair<T> {
    fn product(&self) -> T {
        let sum = self.0 + self.1;
        sum * self.0
    }
}

#[device_fn]
fn doubled<T: DeviceCopy + AddAssign>(value: &mut T) {
    let own = *value;
    *value += own;
}

#[device_fn]
fn turned<T: DeviceCopy + Neg<Output = T>>(value: T) -> T {
    -(-(-value))
}

#[kernel]
fn generic<T: DeviceCopy + Add<Output = T> + Mul<Output = T> + Neg<Output = T> + AddAssign>(
    item: Item<1>,
    x: View<Pair<T>>,
    y: ItemMut<T>,
) {
    let mut sum = x[item].product();
    doubled::<T>(&mut sum);
    y[item] += turned::<T>(x[item].0) + sum;
}

#[kernel]
fn of_bits<T: DeviceCopy + BitXor<Output = T> + Shl<u32, Output = T>>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
    y[item] = (x[item] << 1) ^ x[item];
}

#[test]
fn generic_code_with_the_bounds_of_operators_takes_numbers_of_all_sorts() {
    in_every_way(|queue, way| {
        let pairs = vec![Pair(1.5f64, 2.0), Pair(-1.0, 0.5)];
        let (x, y) = (Buffer::from_vec(pairs), Buffer::from_vec(vec![100.0; 2]));
        run(queue, |h| h.parallel_for(2, generic::<f64>(x.read(h), y.read_write(h))));
        assert_eq!(*y.host_read().unwrap(), [100.0 - 1.5 + 2.0 * 5.25, 100.0 + 1.0 + 2.0 * 0.5], "{way:?}");

        let lanes = |a| I32x2::new([a, -a]);
        let x = Buffer::from_vec(vec![Pair(lanes(2), lanes(3)), Pair(lanes(0), lanes(1))]);
        let y = Buffer::from_vec(vec![lanes(1); 2]);
        run(queue, |h| h.parallel_for(2, generic::<I32x2>(x.read(h), y.read_write(h))));
        assert_eq!(*y.host_read().unwrap(), [I32x2::new([19, 21]), lanes(1)], "{way:?}");

        let (x, y) = (Buffer::from_vec(vec![5u32, 6]), Buffer::<u32>::new(2));
        run(queue, |h| h.parallel_for(2, of_bits::<u32>(x.read(h), y.write(h))));
        assert_eq!(*y.host_read().unwrap(), [15, 10], "{way:?}");
    });
}

/// The kernel is generic by what is around it.
fn doubled_by<T: DeviceCopy + Add<Output = T>>(queue: &Queue, x: &Buffer<T>, y: &Buffer<T>) {
    run(queue, |h| {
        let (x, y) = (x.read(h), y.write(h));
        h.parallel_for(2, syclone::kernel!(|item: Item<1>| y[item] = x[item] + x[item]))
    });
}

#[test]
fn inline_kernels_take_elements_of_what_they_captured() {
    in_every_way(|queue, way| {
        let (x, y) = (Buffer::from_vec(vec![1.5f32, -2.0]), Buffer::<f32>::new(2));
        doubled_by(queue, &x, &y);
        assert_eq!(*y.host_read().unwrap(), [3.0, -4.0], "{way:?}");
        let samples = Buffer::from_vec(samples());
        run(queue, |h| {
            let (x, y) = (samples.read(h), y.write(h));
            h.parallel_for(2, syclone::kernel!(|item: Item<1>| y[item] = x[item].values[1] + -x[item].total()))
        });
        assert_eq!(*y.host_read().unwrap(), [1.5, 1.5 - (1.0 - 0.375)], "{way:?}");
    });
}
