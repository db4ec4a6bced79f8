//! Work-groups and local memory: a matrix product in tiles.
//!
//! The items of a work-group load a tile of each matrix into local memory together, wait for each other, and use every
//! element that they loaded once for each of them. The tile's size is a const parameter of the kernel.

use syclone::prelude::*;

#[kernel(work_group_size(B, B))]
fn product<const B: usize>(item: NdItem<2>, a: View<f32, 2>, b: View<f32, 2>, c: ItemMut<f32, 2>) {
    let tile_a = local::<[[f32; B]; B]>();
    let tile_b = local::<[[f32; B]; B]>();
    let (row, column) = (item.global_id(0), item.global_id(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let mut sum = 0.0;
    for t in 0..a.extent(1) / B {
        tile_a[lr][lc] = a[[row, t * B + lc]];
        tile_b[lr][lc] = b[[t * B + lr, column]];
        item.barrier();
        for k in 0..B {
            sum += tile_a[lr][k] * tile_b[k][lc];
        }
        item.barrier();
    }
    c[item] = sum;
}

fn main() -> Result<()> {
    let queue = QueueOptions::new().profiling(true).build(&Device::from_env()?)?;
    let n = 256;
    let a = Buffer::from_vec_with((0..n * n).map(|i| (i % 7) as f32).collect(), [n, n])?;
    let b = Buffer::from_vec_with((0..n * n).map(|i| (i % 5) as f32).collect(), [n, n])?;

    // The group size is the kernel's own, so a plain range of items is enough.
    let c8 = Buffer::<f32, 2>::new([n, n]);
    let c16 = Buffer::<f32, 2>::new([n, n]);
    let with_8 = queue.submit(|h| h.parallel_for([n, n], product::<8>(a.read(h), b.read(h), c8.write(h))))?;
    let with_16 = queue.submit(|h| h.parallel_for([n, n], product::<16>(a.read(h), b.read(h), c16.write(h))))?;

    for (tile, event) in [(8, with_8), (16, with_16)] {
        event.wait()?;
        if let Some(times) = event.profiling() {
            println!("tile {tile}: {:.2} ms", (times.end - times.start) as f64 / 1e6);
        }
    }
    let (row, column) = (3, 200);
    let expected: f32 = (0..n).map(|k| ((row * n + k) % 7) as f32 * ((k * n + column) % 5) as f32).sum();
    assert_eq!(c16.host_read()?[row * n + column], expected);
    assert_eq!(c8.to_vec()?, c16.to_vec()?);
    Ok(())
}
