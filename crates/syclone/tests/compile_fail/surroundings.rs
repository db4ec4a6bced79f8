//! What the surroundings of a function tell: attributes that stand where they cannot, and what only the host can call. Uses
//! of what is wrong are no errors of their own.

use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Ray {
    length: f32,
}

impl Ray {
    fn new(length: f32) -> Ray {
        Ray { length }
    }

    #[device_fn]
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    #[device_fn]
    fn doubled(&self) -> f32 {
        self.length * 2.0
    }

    #[kernel]
    fn scale(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
        y[item] = x[item.id(0)];
    }

    #[kernel]
    fn scale_by(&self, item: Item<1>, y: ItemMut<f32>) {
        y[item] = self.length;
    }
}

trait Shape: DeviceCopy {
    #[device_fn]
    fn area(self) -> f32 {
        1.0
    }

    fn volume(self) -> f32;

    #[kernel]
    fn areas(item: Item<1>, y: ItemMut<f32>) {
        y[item] = 1.0;
    }
}

impl Shape for Ray {
    #[device_fn]
    fn volume(self) -> f32 {
        0.0
    }
}

trait HostOnly {
    fn value() -> f32;
}

#[device_fn]
impl HostOnly for Ray {
    fn value() -> f32 {
        1.0
    }
}

#[device_fn]
trait WithoutCopies {
    fn apply(self, x: f32) -> f32;
}

fn plain(x: f32) -> f32 {
    x
}

#[kernel]
fn calls_what_is_misplaced(item: Item<1>, ray: Ray, y: ItemMut<f32>) {
    y[item] = Ray::twice(1.0) + ray.doubled();
}

#[kernel]
fn calls_a_plain_function(item: Item<1>, y: ItemMut<f32>) {
    y[item] = plain(1.0).sqrt();
}

#[kernel]
fn calls_a_plain_function_of_a_type(item: Item<1>, y: ItemMut<f32>) {
    let ray = Ray::new(1.0);
    y[item] = ray.length;
}

#[device_fn]
fn helper() -> f32 {
    plain(2.0)
}

fn launch(queue: &Queue, x: &Buffer<f32>, y: &Buffer<f32>) -> syclone::Result<Event> {
    queue.submit(|h| h.parallel_for([4], Ray::scale(x.read(h), y.write(h))))?;
    queue.submit(|h| {
        let y = y.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = plain(3.0)))
    })
}

fn main() {}
