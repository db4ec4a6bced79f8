//! Plain methods by names of built-in ones.
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DeviceCopy)]
struct Span {
    from: u32,
    to: u32,
}

impl Span {
    fn len(self) -> u32 {
        self.to - self.from
    }

    fn recip(&self) -> f32 {
        1.0 / self.len() as f32
    }

    fn step(&mut self) {
        self.from += 1;
    }

    fn convert<T: Scalar>(self) -> T {
        T::from_scalar(self.to)
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Range {
    span: Span,
    weight: f32,
}

/// A plain trait, of numbers too.
trait Measure {
    fn length(&self) -> u32;
    fn isqrt(self) -> f32;
}

impl Measure for Span {
    fn length(&self) -> u32 {
        self.len()
    }

    fn isqrt(self) -> f32 {
        0.0
    }
}

impl Measure for f32 {
    fn length(&self) -> u32 {
        *self as u32
    }

    fn isqrt(self) -> f32 {
        self.sqrt().floor()
    }
}

#[device_fn]
fn widest(a: Span, b: Span) -> Span {
    a.max(b)
}

#[kernel]
fn of_parameters(item: Item<1>, whole: Span, out: ItemMut<u32>) {
    out[item] = whole.len() + whole.length();
}

#[kernel]
fn of_elements(item: Item<1>, x: View<Span>, out: ItemMut<f32>) {
    let mut own = x[item];
    own.step();
    out[item] = x[item].recip() + own.convert::<f32>();
}

#[kernel]
fn of_parts(item: Item<1>, x: View<Range>, out: ItemMut<f32>) {
    out[item] = x[item].span.recip() + x[item].weight.sqrt();
}

#[kernel]
fn of_results(item: Item<1>, x: View<Span>, out: ItemMut<u32>) {
    out[item] = widest(x[item], x[0]).len();
}

#[kernel]
fn of_numbers(item: Item<1>, x: View<f32>, y: View<Range>, out: ItemMut<f32>) {
    let product = x[item] * 2.0;
    out[item] = product.isqrt() + y[item].weight.isqrt();
}

#[device_fn]
impl Range {
    fn size_of_span(&self) -> u32 {
        self.span.len()
    }
}

fn main() {}
