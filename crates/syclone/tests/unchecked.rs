//! Kernels without bounds checks, and the text of a kernel.

#[path = "rig/device.rs"]
mod device;

use device::device;
use syclone::Launch;
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

/// # Safety
/// `x` has an element for each item, and `order` is a permutation of the items' numbers.
#[kernel(unchecked, fallback)]
unsafe fn gather(item: NdItem<1>, order: View<u32>, x: View<f32>, out: ScatterMut<f32>) {
    let scratch = local::<[f32; 16]>();
    let lid = item.local_id(0);
    scratch[15 - lid] = x[order[item.global_id(0)] as usize];
    item.barrier();
    let mut pair = [0.0; 2];
    pair[lid % 2] = scratch[lid];
    out[item.global_id(0)] = pair[0] + pair[1];
}

#[test]
fn unchecked_kernels_compute_what_checked_ones_do() {
    let n = 64usize;
    let order: Vec<u32> = (0..n as u32).map(|i| (i * 37 + 11) % n as u32).collect();
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
    let want: Vec<f32> = (0..n).map(|i| x[order[i / 16 * 16 + 15 - i % 16] as usize]).collect();
    let queue = Queue::new(&device()).unwrap();
    for way in Way::ALL {
        let (order, x) = (Buffer::from_vec(order.clone()), Buffer::from_vec(x.clone()));
        let out = Buffer::<f32>::new(n);
        let submitted = with_way(way, || {
            // SAFETY: the order is a permutation, and each item writes its own element.
            queue.submit(|h| unsafe {
                let kernel = gather(order.read(h), x.read(h), out.scatter(h));
                h.parallel_for_unchecked(NdRange::new(n, 16), kernel)
            })
        });
        submitted.unwrap().wait().unwrap();
        assert_eq!(out.to_vec().unwrap(), want, "{way:?}");
    }
}

#[kernel]
fn halve<const N: usize>(item: Item<1>, x: View<f32>, out: ItemMut<f32>) {
    let mut value = x[item.global_id(0)];
    for _ in 0..N {
        value *= 0.5;
    }
    out[item] = value;
}

#[test]
fn a_kernel_prints_its_tree_as_readable_text() {
    let queue = Queue::new(&device()).unwrap();
    let (x, out) = (Buffer::from_vec(vec![1.0f32]), Buffer::<f32>::new(1));
    let mut text = String::new();
    queue
        .submit(|h| {
            let kernel = halve::<3>(x.read(h), out.write(h));
            text = kernel.text();
            h.parallel_for(1, kernel)
        })
        .unwrap()
        .wait()
        .unwrap();
    for part in ["halve", "for _ in 0..N", "value *= 0.5", "out[item] = value"] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert_eq!(out.to_vec().unwrap(), [0.125]);
}
