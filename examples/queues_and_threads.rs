//! Several queues, used by several threads: commands meet only where their data does.

use std::thread;

use syclone::prelude::*;

#[kernel]
fn add(item: Item<1>, amount: u32, x: ItemMut<u32>) {
    x[item] += amount;
}

fn main() -> Result<()> {
    let device = Device::from_env()?;
    let shared = Buffer::<u32>::new(1000);
    let threads = 4;
    let rounds = 50;

    // Every thread has a queue of its own and a buffer of its own, and all of them add to one buffer.
    let own = thread::scope(|s| -> Result<Vec<u32>> {
        let workers: Vec<_> = (0..threads)
            .map(|id| {
                let (device, shared) = (&device, &shared);
                s.spawn(move || -> Result<u32> {
                    let queue = Queue::new(device)?;
                    let own = Buffer::<u32>::new(1000);
                    for _ in 0..rounds {
                        queue.submit(|h| h.parallel_for(1000, add(id, own.read_write(h))))?;
                        queue.submit(|h| h.parallel_for(1000, add(1, shared.read_write(h))))?;
                    }
                    // The first error of the commands of this queue, if there was one.
                    queue.wait()?;
                    Ok(own.host_read()?[999])
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("no thread panics")).collect()
    })?;
    println!("own: {own:?}, shared: {}", shared.host_read()?[0]);
    assert_eq!(own, [0, 50, 100, 150]);
    assert_eq!(shared.to_vec()?, vec![threads * rounds; 1000]);

    // An in-order queue runs its commands one after another even if they share no data.
    let queue = Queue::in_order(&device)?;
    let first = queue.submit(|h| h.fill(shared.write(h), 0))?;
    let second = queue.submit(|_| Ok(()))?;
    second.wait()?;
    println!("when the second had ended, the first was {:?}", first.status());
    Ok(())
}
