//! Operators on structs that have none in Rust either.
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Point {
    x: f32,
}

#[device_fn]
impl Point {
    fn norm(self) -> f32 {
        self.x
    }

    fn plus(self, other: Point) -> Point {
        self + other
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    first: Point,
    second: Point,
    both: [Point; 2],
}

#[device_fn]
fn origin() -> Point {
    Point { x: 0.0 }
}

#[kernel]
fn of_values(item: Item<1>, p: Point, y: ItemMut<f32>) {
    let sum = p + p - p;
    y[item] = sum.x;
    // With a method, for which the body is looked at twice.
    y[item] = p.norm();
}

#[kernel]
fn of_one(item: Item<1>, p: Point, y: ItemMut<f32>) {
    let negative = -p;
    y[item] = negative.x;
}

#[kernel]
fn with_a_number(item: Item<1>, p: Point, y: ItemMut<f32>) {
    let twice = 2.0 * p;
    y[item] = twice.x;
}

#[kernel]
fn assigned(item: Item<1>, p: Point, y: ItemMut<f32>) {
    let mut sum = p;
    sum += p;
    y[item] = sum.x;
}

#[kernel]
fn of_parts(item: Item<1>, pair: Pair, y: ItemMut<f32>) {
    let sum = pair.first + pair.second;
    let of_elements = pair.both[0] - pair.both[1];
    y[item] = sum.x + of_elements.x;
}

#[kernel]
fn of_elements(item: Item<1>, points: View<Point>, pairs: View<Pair>, y: ItemMut<f32>) {
    let product = points[item] * points[0];
    let of_parts = pairs[item].first / pairs[0].second;
    y[item] = product.x + of_parts.x;
}

#[kernel]
fn of_results(item: Item<1>, y: ItemMut<f32>) {
    let sum = origin() + origin();
    y[item] = sum.x;
}

#[kernel(fallback)]
fn in_lock_step(item: NdItem<1>, p: Point, y: ItemMut<f32>) {
    item.barrier();
    let sum = p + p;
    y[item] = sum.x;
}

#[device_fn]
fn in_a_function(p: Point) -> Point {
    p + p
}

fn in_an_inline_kernel(queue: &Queue, y: &Buffer<f32>, p: Point) -> Result<()> {
    queue.submit(|h| {
        let y = y.write(h);
        h.parallel_for(4, syclone::kernel!(|item: Item<1>| {
            y[item] = p.x;
            let sum = p + p;
            y[item] = sum.x;
        }))
    })?;
    Ok(())
}

fn main() {}
