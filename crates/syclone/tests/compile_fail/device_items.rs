//! What `#[device_fn]` stands on, and what its functions may be.
use syclone::prelude::*;

#[device_fn]
struct Pair {
    a: f32,
}

#[derive(Clone, Copy, DeviceCopy)]
struct Ray {
    origin: f32,
}

impl Ray {
    #[device_fn]
    fn length(&self) -> f32 {
        self.origin
    }
}

#[device_fn]
trait Shape: DeviceCopy {
    fn name(&self) -> String;
}

#[device_fn]
trait Filter {
    fn apply(&self, x: f32) -> f32;
}

#[device_fn]
unsafe fn careful(x: f32) -> f32 {
    x
}

#[device_fn]
fn slice(x: &[f32]) -> f32 {
    x[0]
}

fn main() {}
