//! Buffers over the program's own data, without a copy: inside a scope that outlasts every command on them.
//!
//! A command runs after `submit` has returned. As with `std::thread::scope`, the end of the scope is what safe code
//! cannot skip: it waits, and then the slice holds what the kernels wrote.

use syclone::prelude::*;

#[kernel]
fn weigh(item: Item<1>, weights: View<f64>, data: ItemMut<f64>) {
    data[item] *= weights[item.id(0) % weights.len()];
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let weights = [1.0, 10.0, 100.0];
    let mut data = vec![2.0; 7];
    syclone::scope(|s| {
        let weights = s.buffer(&weights, 3)?;
        let data = s.buffer_mut(&mut data, 7)?;
        queue.submit(|h| h.parallel_for(7, weigh(weights.read(h), data.read_write(h))))?;
        queue.submit(|h| h.parallel_for(7, weigh(weights.read(h), data.read_write(h))))
    })?;
    println!("{data:?}");
    assert_eq!(data, [2.0, 200.0, 20000.0, 2.0, 200.0, 20000.0, 2.0]);
    Ok(())
}
