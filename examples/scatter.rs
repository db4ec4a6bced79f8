//! Writing at any index: the one thing that needs an `unsafe` launch.
//!
//! An `ItemMut` is indexed by the item, so that each element has one writer and a race cannot be written down. A
//! `ScatterMut` is written at any index, and the caller promises that no two items meet. Bounds are checked all the same.

use syclone::prelude::*;

#[kernel]
fn transpose(item: Item<2>, x: View<f32, 2>, out: ScatterMut<f32, 2>) {
    out[[item.id(1), item.id(0)]] = x[item];
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let x = Buffer::from_vec_with((0..6).map(|i| i as f32).collect(), [2, 3])?;
    let out = Buffer::<f32, 2>::new([3, 2]);
    // SAFETY: item (i, j) alone writes element (j, i).
    queue.submit(|h| unsafe { h.parallel_for_unchecked([2, 3], transpose(x.read(h), out.scatter(h))) })?;
    println!("{:?} becomes {:?}", x.to_vec()?, out.to_vec()?);
    assert_eq!(out.to_vec()?, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    Ok(())
}
