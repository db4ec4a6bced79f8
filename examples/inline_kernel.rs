//! A kernel where it is launched: `kernel!` takes a closure, which captures accesses and plain values.

use syclone::prelude::*;

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let x = Buffer::from_vec((1..=8).map(|i| i as f32).collect());
    let y = Buffer::from_vec(vec![100.0f32; 8]);
    let factor = 2.0f32;

    queue.submit(|h| {
        let (x, y) = (x.read(h), y.read_write(h));
        h.parallel_for(8, syclone::kernel!(|item: Item<1>| y[item] += factor * x[item]))
    })?;

    // In two dimensions, with a body of several statements.
    let table = Buffer::<u32, 2>::new([3, 4]);
    queue.submit(|h| {
        let table = table.write(h);
        h.parallel_for(
            [3, 4],
            syclone::kernel!(|item: Item<2>| {
                let (row, column) = (item.global_id(0) as u32, item.global_id(1) as u32);
                table[item] = 10 * row + column;
            }),
        )
    })?;

    let y = y.to_vec()?;
    println!("y = {y:?}\ntable = {:?}", table.to_vec()?);
    assert_eq!(y, [102.0, 104.0, 106.0, 108.0, 110.0, 112.0, 114.0, 116.0]);
    assert_eq!(table.host_read()?[6], 12);
    Ok(())
}
