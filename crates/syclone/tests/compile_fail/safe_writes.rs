//! A safe launch cannot race: an output is indexed by the item or the group, and a view is only read.
use syclone::prelude::*;

#[kernel]
fn writes_a_view(item: Item<1>, x: View<f32>) {
    x[0] = 1.0;
}

#[kernel]
fn writes_anywhere(item: Item<1>, out: ItemMut<f32>) {
    out[0] = 1.0;
}

#[kernel]
fn writes_for_another_group(item: NdItem<1>, out: GroupMut<f32>) {
    out[item.global_id(0)] += 1.0;
}

#[kernel]
fn reads_atomics(item: Item<1>, counts: AtomicView<u32>, out: ItemMut<u32>) {
    out[item] = counts[0];
}

#[kernel]
fn scatters(item: Item<1>, out: ScatterMut<f32>) {
    out[item.global_id(0)] = 1.0;
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::select("cpu")?)?;
    let x = Buffer::<f32, 1>::new([4]);
    queue.submit(|h| h.parallel_for([4], scatters(x.scatter(h))))?;
    Ok(())
}
