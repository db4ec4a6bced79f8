//! Methods of a type in several `#[device_fn] impl` blocks: kernels see all of them, in every way.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Complex {
    re: f32,
    im: f32,
}

#[device_fn]
impl Complex {
    const ONE: f32 = 1.0;

    fn conjugate(self) -> Complex {
        Complex { re: self.re, im: -self.im }
    }

    /// Calls a method of a later block.
    fn is_inside(&self) -> bool {
        self.norm() < Self::ONE * 25.5
    }
}

#[device_fn]
impl Complex {
    fn times(&self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    /// Calls methods of an earlier block and of its own.
    fn norm(&self) -> f32 {
        self.times(self.conjugate()).re
    }
}

/// A third one elsewhere, for a type of another path.
mod more {
    use syclone::prelude::*;

    #[device_fn]
    impl super::Complex {
        pub fn turn(&mut self) {
            let re = self.re;
            self.re = -self.im;
            self.im = re;
        }
    }

    /// Another type of the same name, which the blocks above have nothing to do with.
    #[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
    pub struct Complex(pub u32);

    #[device_fn]
    impl Complex {
        pub fn norm(&self) -> u32 {
            self.half() * 3
        }
    }

    #[device_fn]
    impl Complex {
        pub fn half(&self) -> u32 {
            self.0 / 2
        }
    }
}

#[kernel(fallback)]
fn of_a_struct(item: NdItem<1>, x: View<Complex>, y: View<more::Complex>, out: ItemMut<Complex>, n: ItemMut<u32>) {
    let mut value = x[item];
    item.barrier();
    value.turn();
    let inside = value.is_inside();
    out[item] = Complex { re: value.norm(), im: if inside { x[item].conjugate().im } else { 0.5 } };
    n[item] = y[item].norm() + y[item].half();
}

#[test]
fn kernels_see_the_methods_of_all_blocks_of_a_struct() {
    let values: Vec<Complex> = (0..6).map(|i| Complex { re: i as f32, im: 1.0 + i as f32 }).collect();
    let expected: Vec<Complex> = values
        .iter()
        .map(|v| {
            let norm = v.re * v.re + v.im * v.im;
            Complex { re: norm, im: if norm < 25.5 { -v.im } else { 0.5 } }
        })
        .collect();
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(values.clone());
        let y = Buffer::from_vec((0..6).map(more::Complex).collect());
        let (out, n) = (Buffer::<Complex>::new(6), Buffer::<u32>::new(6));
        run(queue, |h| {
            let shape = NdRange::new(6, 3);
            h.parallel_for(shape, of_a_struct(x.read(h), y.read(h), out.write(h), n.write(h)))
        });
        assert_eq!(*out.host_read().unwrap(), expected[..], "{way:?}");
        assert_eq!(*n.host_read().unwrap(), [0, 0, 4, 4, 8, 8], "{way:?}");
    });
    let mut value = values[2];
    value.turn();
    assert_eq!((value, value.norm()), (Complex { re: -3.0, im: 2.0 }, 13.0), "on the host");
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
#[repr(u8)]
enum Step {
    Stay,
    Left,
    Right,
}

#[device_fn]
impl Step {
    fn distance(self) -> i32 {
        match self {
            Step::Stay => 0,
            _ => 1,
        }
    }
}

#[device_fn]
impl Step {
    fn offset(self) -> i32 {
        if self == Step::Left { -self.distance() } else { self.distance() }
    }
}

#[kernel]
fn of_an_enum(item: Item<1>, steps: View<Step>, out: ItemMut<i32>) {
    out[item] = steps[item].offset() * 10 + steps[item].distance();
}

#[test]
fn kernels_see_the_methods_of_all_blocks_of_an_enum() {
    in_every_way(|queue, way| {
        let steps = Buffer::from_vec(vec![Step::Stay, Step::Left, Step::Right]);
        let out = Buffer::<i32>::new(3);
        run(queue, |h| h.parallel_for(3, of_an_enum(steps.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [0, -9, 11], "{way:?}");
    });
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Pair<T>(T, T);

#[device_fn]
impl<T: DeviceCopy> Pair<T> {
    fn swapped(self) -> Pair<T> {
        Pair::<T>(self.1, self.0)
    }
}

#[device_fn]
impl<T: DeviceCopy> Pair<T> {
    fn second(&self) -> T {
        self.swapped().0
    }
}

#[kernel]
fn of_a_generic<T: Float>(item: Item<1>, pairs: View<Pair<T>>, out: ItemMut<T>) {
    out[item] = pairs[item].second() - pairs[item].swapped().second();
}

#[test]
fn kernels_see_the_methods_of_all_blocks_of_a_generic_struct() {
    in_every_way(|queue, way| {
        let pairs = Buffer::from_vec(vec![Pair(1.0f64, 5.0), Pair(2.5, 0.5)]);
        let out = Buffer::<f64>::new(2);
        run(queue, |h| h.parallel_for(2, of_a_generic(pairs.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [4.0, -2.0], "{way:?}");
    });
}

#[device_fn]
fn marked(x: View<u32>, i: usize) -> u32 {
    x[i].wrapping_mul(3) | 0x100
}

/// What ends a block begins with a method's result, as its left operand.
#[kernel(fallback)]
fn ends_of_blocks(item: NdItem<1>, x: View<u32>, out: ItemMut<[u32; 4]>) {
    let i = item.global_id(0);
    let flipped = if i % 2 == 0 { x[i].wrapping_add(7) ^ 5 } else { x[i].min(4) & 6 };
    let small = { x[item].max(3) < 40 };
    item.barrier();
    let chosen = match i % 3 {
        0 => x[i].rotate_left(1) | x[i].count_ones(),
        _ => 1,
    };
    out[item] = [marked(x, i), flipped, small as u32, chosen];
}

#[test]
fn methods_of_elements_are_left_operands_at_the_end_of_blocks() {
    let x: Vec<u32> = (0..6).map(|i| i * 11).collect();
    in_every_way(|queue, way| {
        let (input, out) = (Buffer::from_slice(&x), Buffer::<[u32; 4]>::new(6));
        run(queue, |h| h.parallel_for(NdRange::new(6, 3), ends_of_blocks(input.read(h), out.write(h))));
        let expected: Vec<[u32; 4]> = (0..6)
            .map(|i| {
                let x = x[i];
                let flipped = if i % 2 == 0 { (x + 7) ^ 5 } else { x.min(4) & 6 };
                let chosen = if i % 3 == 0 { (x * 2) | x.count_ones() } else { 1 };
                [(x * 3) | 0x100, flipped, (x.max(3) < 40) as u32, chosen]
            })
            .collect();
        assert_eq!(out.host_read().unwrap()[..], expected, "{way:?}");
    });
}

/// What the standard library's collections have on the host, a type of the program's own has on a device.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Stack {
    held: [i32; 4],
    len: u32,
}

#[device_fn]
impl Stack {
    fn push(&mut self, value: i32) {
        self.held[self.len as usize] = value;
        self.len += 1;
    }

    fn pop(&mut self) -> i32 {
        self.len -= 1;
        self.held[self.len as usize]
    }
}

#[kernel(fallback)]
fn last_two(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    let mut stack = Stack { held: [0; 4], len: 0 };
    for i in 0..4 {
        stack.push(10 * x[item] + i);
    }
    item.barrier();
    let last = stack.pop();
    out[item] = 1000 * last + stack.pop();
}

#[test]
fn methods_may_be_called_push_and_pop() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec((0..6).collect()), Buffer::<i32>::new(6));
        run(queue, |h| h.parallel_for(NdRange::new(6, 3), last_two(x.read(h), out.write(h))));
        let expected: Vec<i32> = (0..6).map(|x| 1000 * (10 * x + 3) + 10 * x + 2).collect();
        assert_eq!(*out.host_read().unwrap(), expected[..], "{way:?}");
    });
}
