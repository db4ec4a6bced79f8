//! Host tasks, events and times: a pipeline of which one stage runs on the host.
//!
//! A host task is a command like any other: it waits for its data, and what needs its results waits for it.

use syclone::prelude::*;

#[kernel]
fn square(item: Item<1>, x: ItemMut<u64>) {
    x[item] *= x[item];
}

fn main() -> Result<()> {
    let queue = QueueOptions::new().profiling(true).build(&Device::from_env()?)?;
    let n = 1 << 20;
    let x = Buffer::from_vec((0..n as u64).collect());
    let digest = Buffer::<u64>::new(1);

    let squared = queue.submit(|h| h.parallel_for(n, square(x.read_write(h))))?;
    let summed = queue.submit(|h| {
        let (x, mut digest) = (x.read(h), digest.write(h));
        h.host_task(move |task| {
            let sum = task.read(&x)?.iter().fold(0u64, |sum, &x| sum.wrapping_add(x));
            task.write(&mut digest)?[0] = sum;
            Ok::<(), Error>(())
        })
    })?;
    // No data in common with the others: only the event says that it comes last.
    let last = queue.submit(|h| {
        h.depends_on(&summed);
        h.host_task(|_| ())
    })?;
    last.wait()?;

    for (name, event) in [("kernel", &squared), ("host task", &summed)] {
        let times = event.profiling().expect("the queue profiles and the command has ended");
        let (waited, ran) = (times.start - times.submitted, times.end - times.start);
        println!("{name:>9}: waited {:>6} µs, ran {:>6} µs", waited / 1000, ran / 1000);
    }
    let n = n as u64;
    assert_eq!(digest.host_read()?[0], (n - 1) * n * (2 * n - 1) / 6);
    Ok(())
}
