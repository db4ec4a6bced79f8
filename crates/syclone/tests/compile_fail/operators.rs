//! Operators on structs.
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceCopy)]
struct Complex {
    re: f32,
    im: f32,
}

impl std::ops::Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl std::ops::MulAssign<f32> for Complex {
    fn mul_assign(&mut self, by: f32) {
        self.re *= by;
        self.im *= by;
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Taker(i32);

#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    z: Complex,
    by: f32,
}

impl std::ops::Add<Taker> for View<i32> {
    type Output = i32;

    fn add(self, taker: Taker) -> i32 {
        taker.0
    }
}

impl PartialEq<Taker> for View<i32> {
    fn eq(&self, taker: &Taker) -> bool {
        taker.0 == 1
    }
}

#[kernel]
fn of_elements(item: Item<1>, x: View<Complex>, y: ItemMut<Complex>) {
    y[item] = x[item] + y[item];
}

#[device_fn]
fn of_variables(z: Complex, by: f32) -> Complex {
    let mut own = z;
    own *= by + 1.0;
    own
}

#[device_fn]
impl Complex {
    fn twice(self) -> Complex {
        self + self
    }
}

fn main() {
    let z = Complex { re: 1.0, im: 0.0 };
    let _ = syclone::kernel!(|item: Item<1>| {
        let own: Complex = z;
        let sum = own + z;
    });
    let x = Buffer::from_vec(vec![1; 4]);
    let queue = Queue::new(&Device::from_env().unwrap()).unwrap();
    let (taker, pair) = (Taker(1), Pair { z, by: 2.0 });
    let _ = queue.submit(|h| {
        let (x, y) = (x.read(h), x.write(h));
        h.parallel_for(4, syclone::kernel!(|item: Item<1>| {
            let own = x;
            let scaled = pair.by * 2.0;
            y[item] = own + taker;
            let equal = x == taker;
            let sum = pair.z + pair.z;
        }))
    });
}
