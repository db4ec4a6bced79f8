//! `#[derive(DeviceCopy)]`
use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
enum Shape {
    Circle(f32),
    Square { side: f32 },
    Point,
}

#[derive(Clone, Copy, DeviceCopy)]
union Bits {
    float: f32,
    int: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
struct Borrowed<'a> {
    x: &'a f32,
}

#[derive(Clone, Copy, DeviceCopy)]
enum Nothing {}

#[derive(Clone, Copy, DeviceCopy)]
enum One {
    Only,
}

fn main() {}
