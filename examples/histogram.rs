//! Atomics: a histogram, counted in local memory first.
//!
//! Each group counts its part with atomics on local memory, which nobody else sees, and adds its counts to the global
//! ones at the end: one global atomic for each bin and group instead of one for each element.

use syclone::prelude::*;

const BINS: usize = 16;

#[kernel]
fn histogram(item: NdItem<1>, x: View<u8>, counts: AtomicView<u32>) {
    let own = local::<[u32; BINS]>();
    let bin = item.local_id(0);
    if bin < BINS {
        own[bin] = 0;
    }
    item.barrier();
    // Items share the elements out: neighbours read neighbours.
    let mut i = item.global_id(0);
    while i < x.len() {
        own.atomic(x[i] as usize % BINS).fetch_add(1);
        i += item.global_range(0);
    }
    item.barrier();
    if bin < BINS {
        counts.atomic(bin).fetch_add(own[bin]);
    }
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let data: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2654435761) >> 24) as u8).collect();
    let (x, counts) = (Buffer::from_slice(&data), Buffer::<u32>::new(BINS));
    queue.submit(|h| h.parallel_for(NdRange::new(1024, 64), histogram(x.read(h), counts.atomic(h))))?;

    let counts = counts.host_read()?;
    for (bin, &count) in counts.iter().enumerate() {
        println!("{bin:2} {count:6} {}", "#".repeat(count as usize / 200));
        assert_eq!(count as usize, data.iter().filter(|&&x| x as usize % BINS == bin).count());
    }
    Ok(())
}
