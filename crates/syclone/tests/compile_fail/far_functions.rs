//! Functions and methods of types of other modules that are no device functions, or do not exist.
use syclone::prelude::*;

mod far {
    use syclone::prelude::*;

    #[derive(Clone, Copy, DeviceCopy)]
    pub struct Point {
        pub x: f32,
    }

    impl Point {
        pub fn new(x: f32) -> Self {
            Point { x }
        }

        pub fn twice(self) -> f32 {
            self.x * 2.0
        }
    }

    pub struct Tools;

    impl Tools {
        pub fn three_times(x: f32) -> f32 {
            x * 3.0
        }
    }

    #[derive(Clone, Copy, DeviceCopy)]
    pub struct Marked {
        pub x: f32,
    }

    #[device_fn]
    impl Marked {
        pub fn new(x: f32) -> Self {
            Marked { x }
        }
    }
}

use far::{Marked, Point, Tools};

#[kernel]
fn by_path(item: Item<1>, y: ItemMut<f32>) {
    y[item] = Point::new(1.0).x;
}

#[kernel]
fn of_a_type_that_is_no_value(item: Item<1>, y: ItemMut<f32>) {
    y[item] = Tools::three_times(y[item]);
}

#[kernel]
fn by_value(item: Item<1>, p: Point, y: ItemMut<f32>) {
    y[item] = p.twice();
}

#[kernel]
fn that_do_not_exist(item: Item<1>, y: ItemMut<f32>) {
    let marked = Marked::new(1.0);
    y[item] = marked.four_times();
    y[item] = Marked::zero().x;
}

#[kernel(fallback)]
fn in_lock_step(item: NdItem<1>, y: ItemMut<f32>) {
    let x = Point { x: y[item] }.twice();
    item.barrier();
    y[item] = x;
}

#[device_fn]
fn in_a_function(p: Point) -> f32 {
    p.twice() + Tools::three_times(1.0)
}

#[device_fn]
impl Marked {
    fn in_a_method(self, p: Point) -> f32 {
        self.x + p.twice()
    }
}

#[device_fn]
trait OfPoints {
    fn in_a_trait(p: Point) -> f32 {
        p.twice()
    }
}

fn in_an_inline_kernel(queue: &Queue, p: Point) {
    queue
        .parallel_for(8, syclone::kernel!(|_item: Item<1>| { let _x = p.twice(); }))
        .unwrap();
}

fn main() {}
