//! What a kernel needs of a device that not every device has, on dry-run devices that lack it.

use syclone::prelude::*;
use syclone_runtime::DryRunOptions;

#[kernel]
fn plain(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = x[item] * 2.0 + item.global_id(0) as f32;
}

#[kernel]
fn doubles(item: Item<1>, y: ItemMut<f64>) {
    y[item] += 1.0;
}

#[kernel]
fn doubles_between(item: Item<1>, y: ItemMut<f32>) {
    let exact = y[item] as f64 * 3.0;
    y[item] = exact as f32;
}

#[device_fn]
fn third(x: f32) -> f32 {
    (x as f64 / 3.0) as f32
}

#[kernel]
fn doubles_in_a_function(item: Item<1>, y: ItemMut<f32>) {
    y[item] = third(y[item]);
}

#[derive(Clone, Copy, DeviceCopy)]
struct Sample {
    weight: f16,
    count: u32,
}

#[kernel]
fn halves_in_a_struct(item: Item<1>, y: ItemMut<Sample>) {
    y[item].count += 1;
}

#[kernel]
fn add_atomically<T: AtomicScalar>(item: Item<1>, x: T, cells: AtomicView<T>) {
    cells.atomic(item.global_id(0) % 2).fetch_add(x);
}

#[kernel]
fn add_locally(item: NdItem<1>, y: ItemMut<u32>) {
    let count = local::<[u64; 1]>();
    count.atomic(0).fetch_add(1);
    item.barrier();
    y[item] = count[0] as u32;
}

#[kernel]
fn generic<T: Scalar>(item: Item<1>, x: T, y: ItemMut<T>) {
    y[item] = x;
}

/// A queue of a device that has all features but these.
fn lacking(missing: &[Aspect]) -> Queue {
    let aspects = Aspect::ALL.iter().copied().filter(|aspect| !missing.contains(aspect));
    let device = DryRunOptions::new("small").aspects(aspects).run_kernels().build().expect("a device");
    Queue::new(device.device()).expect("a queue")
}

#[track_caller]
fn refused(queue: &Queue, kernel: &str, aspect: Aspect, group: impl FnOnce(&Handler<'_>) -> Result<()>) {
    let error = queue.submit(group).expect_err("the device lacks the feature");
    let text = error.to_string();
    assert!(text.contains(&format!("'{kernel}' needs {aspect}, which dry-run device 'small'")), "{text}");
    assert!(matches!(error, Error::KernelNotSupported { aspect: found, .. } if found == aspect), "{text}");
}

#[test]
fn a_kernel_of_doubles_is_refused_where_there_are_none_wherever_they_are() {
    let queue = lacking(&[Aspect::Fp64]);
    let (wide, narrow) = (Buffer::<f64>::new(4), Buffer::from_vec(vec![3.0f32; 4]));
    for _ in 0..2 {
        refused(&queue, "doubles", Aspect::Fp64, |h| h.parallel_for(4, doubles(wide.read_write(h))));
    }
    refused(&queue, "doubles_between", Aspect::Fp64, |h| h.parallel_for(4, doubles_between(narrow.read_write(h))));
    refused(&queue, "doubles_in_a_function", Aspect::Fp64, |h| {
        h.parallel_for(4, doubles_in_a_function(narrow.read_write(h)))
    });
    refused(&queue, "generic", Aspect::Fp64, |h| h.parallel_for(4, generic(1.0f64, wide.write(h))));
    assert_eq!(narrow.to_vec().expect("nothing ran"), [3.0; 4]);
    // The same generic kernel, and others, for other types.
    queue.submit(|h| h.parallel_for(4, generic(7.0f32, narrow.write(h)))).expect("no doubles").wait().expect("runs");
    assert_eq!(narrow.to_vec().expect("reads"), [7.0; 4]);
    let out = Buffer::<f32>::new(4);
    queue.submit(|h| h.parallel_for(4, plain(narrow.read(h), out.write(h)))).expect("no doubles");
    assert_eq!(out.to_vec().expect("reads"), [14.0, 15.0, 16.0, 17.0]);
}

#[test]
fn halves_and_wide_atomics_are_features_of_their_own() {
    let queue = lacking(&[Aspect::Fp16, Aspect::Atomic64]);
    let samples = Buffer::from_vec(vec![Sample { weight: f16::ONE, count: 0 }; 4]);
    refused(&queue, "halves_in_a_struct", Aspect::Fp16, |h| {
        h.parallel_for(4, halves_in_a_struct(samples.read_write(h)))
    });
    let wide = Buffer::<i64>::new(2);
    refused(&queue, "add_atomically", Aspect::Atomic64, |h| h.parallel_for(8, add_atomically(1i64, wide.atomic(h))));
    let floats = Buffer::<f64>::new(2);
    refused(&queue, "add_atomically", Aspect::Atomic64, |h| h.parallel_for(8, add_atomically(0.5, floats.atomic(h))));
    let counts = Buffer::<u32>::new(8);
    refused(&queue, "add_locally", Aspect::Atomic64, |h| {
        h.parallel_for(NdRange::new(8, 4), add_locally(counts.write(h)))
    });
    // Atomics of 32 bits, and values of 64 without atomics, need nothing.
    let narrow = Buffer::<f32>::new(2);
    queue.submit(|h| h.parallel_for(8, add_atomically(0.5f32, narrow.atomic(h)))).expect("32 bits");
    assert_eq!(narrow.to_vec().expect("reads"), [2.0; 2]);
    queue.submit(|h| h.parallel_for(2, generic(1i64 << 40, wide.write(h)))).expect("no atomics");
    assert_eq!(wide.to_vec().expect("reads"), [1 << 40; 2]);
}

#[test]
fn a_device_with_every_feature_runs_them_all() {
    let queue = lacking(&[]);
    let wide = Buffer::<i64>::new(2);
    queue.submit(|h| h.parallel_for(8, add_atomically(1i64 << 33, wide.atomic(h)))).expect("it has them");
    assert_eq!(wide.to_vec().expect("reads"), [1 << 35; 2]);
    let doubles_buffer = Buffer::<f64>::new(4);
    queue.submit(|h| h.parallel_for(4, doubles(doubles_buffer.read_write(h)))).expect("it has them");
    assert_eq!(doubles_buffer.to_vec().expect("reads"), [1.0; 4]);
}
