//! Kernels that print and assert: each item says what it found, and a wrong index ends the command with an error that
//! names the item, the line and the values.

use syclone::prelude::*;

#[kernel]
fn gather(item: Item<1>, index: View<u32>, x: View<f32>, y: ItemMut<f32>) {
    let i = index[item] as usize;
    kassert!(i < x.extent(0), "index {i} of {}", x.extent(0));
    if x[i] < 0.0 {
        kprintln!("item {} found {:>7.3} at {i}", item.global_id(0), x[i]);
    }
    y[item] = x[i];
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let x = Buffer::from_vec(vec![1.5, -0.25, 3.0, -12.125]);
    let y = Buffer::new(5);
    let run = |index: Vec<u32>| {
        let index = Buffer::from_vec(index);
        queue.submit(|h| h.parallel_for(5, gather(index.read(h), x.read(h), y.write(h))))?.wait()
    };

    // The lines come in the order of the items, whatever ran first.
    run(vec![3, 2, 1, 0, 1])?;
    assert_eq!(y.to_vec()?, [-12.125, 3.0, -0.25, 1.5, -0.25]);

    let error = run(vec![0, 2, 7, 2, 0]).expect_err("there is no element 7");
    println!("{error}");
    assert!(matches!(error, Error::AssertionFailed { item, .. } if item == [2]));

    // What an assertion ends is one command: the queue goes on.
    let _ = queue.wait();
    run(vec![0, 0, 0, 0, 0])?;
    assert_eq!(y.to_vec()?, [1.5; 5]);
    Ok(())
}
