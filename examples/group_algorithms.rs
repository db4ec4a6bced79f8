//! Group and sub-group algorithms: compact an array, keeping what passes a test.
//!
//! Each group counts what it keeps with a scan over its items; a second scan over the groups' counts says where each
//! group writes. The sub-group version of the count uses a vote.

use syclone::prelude::*;

const GROUP: usize = 64;

#[device_fn]
fn keep(x: u32) -> bool {
    x % 3 == 0
}

/// How many elements each group keeps, from the votes of its sub-groups.
#[kernel]
fn count(item: NdItem<1>, x: View<u32>, counts: GroupMut<u32>) {
    let sub_group = item.sub_group();
    let votes = sub_group.ballot(keep(x[item]));
    let own = if sub_group.local_id() == 0 { votes.count_ones() } else { 0 };
    let total = item.group().reduce(own, Plus);
    counts[item] = total;
}

/// Where each group begins to write: a scan that one group makes over all counts.
#[kernel]
fn place(item: NdItem<1>, counts: View<u32>, starts: ScatterMut<u32>) {
    item.group().joint_exclusive_scan(counts, starts, Plus);
}

/// Writes what is kept.
#[kernel]
fn compact(item: NdItem<1>, x: View<u32>, starts: View<u32>, out: ScatterMut<u32>) {
    let kept = keep(x[item]);
    let before = item.group().exclusive_scan(kept as u32, Plus);
    if kept {
        out[(starts[item.group_id(0)] + before) as usize] = x[item];
    }
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let n = 4096;
    let values: Vec<u32> = (0..n as u32).map(|i| i * 7 % 1000).collect();
    let x = Buffer::from_slice(&values);
    let groups = n / GROUP;
    let (counts, starts, out) = (Buffer::<u32>::new(groups), Buffer::<u32>::new(groups), Buffer::<u32>::new(n));
    let shape = NdRange::new(n, GROUP).sub_group_size(16);

    queue.submit(|h| h.parallel_for(shape, count(x.read(h), counts.write(h))))?;
    // SAFETY: the group's scan writes each element once.
    queue.submit(|h| unsafe {
        h.parallel_for_unchecked(NdRange::new(32, 32), place(counts.read(h), starts.scatter(h)))
    })?;
    // SAFETY: the scans give every kept element a place of its own.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(shape, compact(x.read(h), starts.read(h), out.scatter(h))) })?;

    let expected: Vec<u32> = values.into_iter().filter(|x| x % 3 == 0).collect();
    println!("kept {} of {n}, by group: {:?} …", expected.len(), &counts.host_read()?[..8]);
    assert_eq!(out.host_read()?[..expected.len()], expected);
    Ok(())
}
