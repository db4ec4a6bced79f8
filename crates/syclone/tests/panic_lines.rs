//! What ends a kernel names the device and the line of the kernel, also where Rust or the library finds it out.

mod rig;

use rig::{assert_says, failure, in_every_way};
use syclone::prelude::*;

/// The line of this file that ends in `// at: name`, or the one before if that is all there is.
fn line(name: &str) -> u32 {
    let marker = format!("// at: {name}");
    let lines = (1..).zip(include_str!("panic_lines.rs").lines());
    let found: Vec<(u32, &str)> = lines.filter(|(_, line)| line.ends_with(&marker)).collect();
    assert_eq!(found.len(), 1, "lines that are marked `{name}`");
    found[0].0 - u32::from(found[0].1.trim() == marker)
}

/// Each kernel fails in every way, with its device and the marked line.
#[track_caller]
fn fails_at(name: &str, says: &str, group: impl Fn(&Handler<'_>) -> Result<()>) {
    in_every_way(|queue, way| {
        let text = failure(queue, &group);
        let device = format!("panicked on {}: ", queue.device().info().selector);
        let at = format!("in line {}", line(name));
        assert_says(&text, &[&device, says, &at]);
        // The digits end there.
        let next = text.split(&at).nth(1).and_then(|rest| rest.chars().next());
        assert!(next.is_none_or(|digit| !digit.is_ascii_digit()), "{way:?}: {text}");
    });
}

fn groups() -> NdRange<1> {
    NdRange::new([4], [4])
}

fn zeros() -> Buffer<i32> {
    Buffer::new(4)
}

#[kernel(fallback)]
fn vector_quotient(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    let v = Vector::<i32, 4>::new([x[item], 1, 2, 3]);
    let w = v / v; // at: vector quotient
    out[item] = w.x;
}

#[kernel(fallback)]
fn vector_by_scalar(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    let mut v = Vector::<i32, 4>::splat(6);
    v %= x[item]; // at: vector by scalar
    out[item] = v.y;
}

#[kernel(fallback)]
fn number_by_vector(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    let v = Vector::<i32, 2>::splat(x[item]);
    out[item] = (6 / v).x; // at: number by vector
}

#[kernel(fallback)]
fn wrapping_quotient(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = 6i32.wrapping_div(x[item]); // at: wrapping quotient
}

#[kernel(fallback)]
fn wrapping_remainder(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = x[0].wrapping_rem(x[item]); // at: wrapping remainder
}

#[kernel(fallback)]
fn argument_of_a_method(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    let one = 1i32;
    out[item] = one.wrapping_div(
        one / x[item], // at: argument of a method
    );
}

#[kernel(fallback)]
fn no_step(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    let mut sum = 0;
    for i in (0..4).step_by(x[item] as usize) {
        // at: no step
        sum += i;
    }
    out[item] = sum;
}

#[kernel(fallback)]
fn bad_bounds(item: NdItem<1>, x: View<f32>, out: ItemMut<f32>) {
    item.barrier();
    out[item] = x[item].clamp(1.0, x[item]); // at: bad bounds
}

#[kernel(fallback)]
fn bad_bounds_of_integers(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = x[item].clamp(1, x[item]); // at: bad bounds of integers
}

#[kernel(fallback)]
fn no_id(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = item.local_id(x[item] as usize + 1) as i32; // at: no id
}

#[kernel(fallback)]
fn no_range(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = item.group().range(x[item] as usize + 7) as i32; // at: no range
}

#[kernel(fallback)]
fn no_extent(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = x.extent(x[item] as usize + 1) as i32; // at: no extent
}

#[device_fn]
fn limit<T: Float>(value: T, low: T, high: T) -> T {
    value.clamp(low, high) // at: bad bounds in a function
}

#[kernel(fallback)]
fn bad_bounds_in_a_function(item: NdItem<1>, x: View<f64>, out: ItemMut<f64>) {
    item.barrier();
    out[item] = limit::<f64>(x[item], 1.0, 0.5);
}

#[kernel(fallback)]
fn no_local_extent(item: NdItem<1>, space: LocalAccessor<u32, 2>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = space.extent(2 + item.local_id(0)) as i32; // at: no local extent
}

#[kernel]
fn no_id_of_a_range(item: Item<2>, dim: usize, out: ItemMut<i32, 2>) {
    out[item] = item.id(dim) as i32; // at: no id of a range
}

macro_rules! fails {
    ($kernel:ident, $name:literal, $says:literal) => {
        fails_at($name, $says, |h| {
            let (x, out) = (Buffer::new(4), Buffer::new(4));
            h.parallel_for(groups(), $kernel(x.read(h), out.write(h)))
        })
    };
}

#[test]
fn divisions_by_zero_of_vectors_and_methods() {
    fails!(vector_by_scalar, "vector by scalar", "zero");
    fails!(number_by_vector, "number by vector", "zero");
    fails!(wrapping_quotient, "wrapping quotient", "zero");
    fails!(wrapping_remainder, "wrapping remainder", "zero");
    fails!(argument_of_a_method, "argument of a method", "zero");
    fails!(vector_quotient, "vector quotient", "zero");
}

#[test]
fn loops_bounds_and_dimensions() {
    fails!(no_step, "no step", "step 0");
    fails!(bad_bounds, "bad bounds", "");
    fails!(bad_bounds_of_integers, "bad bounds of integers", "");
    fails!(no_id, "no id", "dimension 1 of what has 1");
    fails!(no_range, "no range", "dimension 7 of what has 1");
    fails!(no_extent, "no extent", "dimension 1 of what has 1");
    fails_at("bad bounds in a function", "", |h| {
        let (x, out) = (Buffer::new(4), Buffer::new(4));
        h.parallel_for(groups(), bad_bounds_in_a_function(x.read(h), out.write(h)))
    });
    fails_at("no local extent", "dimension 2 of what has 2", |h| {
        let out = zeros();
        h.parallel_for(groups(), no_local_extent(LocalAccessor::new([1, 1]), out.write(h)))
    });
    fails_at("no id of a range", "dimension 2 of what has 2", |h| {
        let out = Buffer::new([2, 2]);
        h.parallel_for([2, 2], no_id_of_a_range(2, out.write(h)))
    });
}

#[cfg(debug_assertions)]
#[kernel(fallback)]
fn no_magnitude(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = (x[item] + i32::MIN).abs(); // at: no magnitude
}

#[cfg(debug_assertions)]
#[kernel(fallback)]
fn too_high_a_power(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    out[item] = (x[item] + 3).pow(40); // at: too high a power
}

#[cfg(debug_assertions)]
#[kernel(fallback)]
fn sum_of_vectors(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
    item.barrier();
    let v = Vector::<i32, 4>::splat(x[item] + i32::MAX);
    out[item] = (v + 1).x; // at: sum of vectors
}

#[test]
#[cfg(debug_assertions)]
fn overflows_of_vectors_and_methods_in_debug_builds() {
    fails!(no_magnitude, "no magnitude", "overflow");
    fails!(too_high_a_power, "too high a power", "overflow");
    fails!(sum_of_vectors, "sum of vectors", "overflow");
}

#[kernel(fallback)]
fn limited_lanes(item: NdItem<1>, x: View<f32>, out: ItemMut<f32>) {
    item.barrier();
    let v = Vector::<f32, 2>::splat(x[item]);
    out[item] = v.clamp(2.0, 1.0).x + x[item].limited(2.0, 1.0);
}

#[test]
fn bounds_of_vectors_and_of_limited_may_have_any_order() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::<f32>::new(4), Buffer::<f32>::new(4));
        rig::run_with_reports(queue, |h| h.parallel_for(groups(), limited_lanes(x.read(h), out.write(h))));
        assert_eq!(out.to_vec().expect("reads"), [2.0; 4], "{way:?}");
    });
}
