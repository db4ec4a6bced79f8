//! Traits with parameters whose methods are called like built-in ones.
use syclone::prelude::*;

#[device_fn]
trait Combine<T: Scalar>: DeviceCopy {
    fn combined(&self, x: T) -> T;

    fn max(self, x: T) -> T;
}

fn main() {}
