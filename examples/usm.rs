//! Unified shared memory: typed allocations that kernels take directly, without a buffer.
//!
//! Borrowing decides who may name the memory: `x.view()` borrows, `x.item_mut()` borrows mutably. The runtime orders
//! commands on it as on buffers.

use syclone::prelude::*;

#[kernel]
fn scale(item: Item<1>, factor: f32, x: View<f32>, y: ItemMut<f32>) {
    y[item] = factor * x[item];
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let n = 8;

    // Shared memory: the host writes, kernels work, the host reads.
    let mut x = queue.alloc_shared::<f32>(n)?;
    for (i, x) in x.host_mut()?.iter_mut().enumerate() {
        *x = i as f32;
    }
    let mut y = queue.alloc_shared::<f32>(n)?;
    queue.parallel_for(n, scale(2.0, x.view(), y.item_mut()))?;
    println!("shared: {:?}", y.host()?);
    assert_eq!(y.host()?[7], 14.0);

    // Device memory: the host copies.
    let mut on_device = queue.alloc_device::<f32>(n)?;
    queue.copy(&y, &mut on_device)?;
    let mut result = queue.alloc_device::<f32>(n)?;
    queue.fill(&mut result, -1.0)?;

    // One allocation in two parts, which one kernel may take together.
    let (mut first, second) = result.split_at_mut(4)?;
    queue.copy_from_slice(&[5.0, 6.0, 7.0, 8.0], &mut first)?;
    drop(second);
    let tail = on_device.slice(4..)?;
    let (_, mut rest) = result.split_at_mut(4)?;
    queue.parallel_for(4, scale(10.0, tail.view(), rest.item_mut()))?;
    let result = queue.to_vec(&result)?;
    println!("device: {result:?}");
    assert_eq!(result, [5.0, 6.0, 7.0, 8.0, 80.0, 100.0, 120.0, 140.0]);
    Ok(())
}
