//! `#[device_fn] impl` of std's traits.
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Complex {
    re: f32,
    im: f32,
}

#[device_fn]
impl std::ops::Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device_fn]
impl Default for Complex {
    fn default() -> Complex {
        Complex { re: 0.0, im: 0.0 }
    }
}

#[device_fn]
impl PartialEq for Complex {
    fn eq(&self, other: &Complex) -> bool {
        self.re == other.re
    }

    fn ne(&self, other: &Complex) -> bool {
        self.re != other.re
    }
}

#[device_fn]
impl PartialEq<f32> for Complex {
    fn eq(&self, other: &f32) -> bool {
        self.re == *other
    }
}

#[device_fn]
impl PartialOrd for Complex {
    fn partial_cmp(&self, other: &Complex) -> Option<std::cmp::Ordering> {
        self.re.partial_cmp(&other.re)
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Key(u32);

#[device_fn]
impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        let both = vec![self.0, other.0];
        both[0] == both[1]
    }
}

#[kernel]
fn is_equal(item: Item<1>, x: View<Key>, y: ItemMut<bool>) {
    y[item] = x[item] == x[0];
}

mod own {
    use syclone::prelude::*;

    #[device_fn]
    pub trait Sum: DeviceCopy {
        fn sum(self) -> f32;
    }

    #[device_fn]
    impl Sum for super::Complex {
        fn sum(self) -> f32 {
            self.re + self.im
        }
    }
}

fn main() {}
