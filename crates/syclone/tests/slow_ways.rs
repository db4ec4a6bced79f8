//! Kernels that can only run in lock-step and do not say that this is accepted: each gets a warning of its own.

#![expect(deprecated, reason = "the warnings are the point")]

use syclone::prelude::*;

#[kernel]
fn first(item: NdItem<1>, rounds: View<u32>, y: ItemMut<u32>) {
    for _ in 0..rounds[item] {
        item.barrier();
    }
    y[item] = 1;
}

#[kernel]
fn second(item: NdItem<1>, rounds: View<u32>, y: ItemMut<u32>) {
    let mut done = 0;
    while done < rounds[item] {
        item.barrier();
        done += 1;
    }
    y[item] = done;
}

#[test]
fn one_module_may_have_several_of_them() {
    let queue = Queue::new(&Device::select("cpu").unwrap()).unwrap();
    let (rounds, y) = (Buffer::from_vec(vec![5u32; 4]), Buffer::<u32>::new(4));
    queue.submit(|h| h.parallel_for(NdRange::new(4, 4), first(rounds.read(h), y.write(h)))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1; 4]);
    queue.submit(|h| h.parallel_for(NdRange::new(4, 4), second(rounds.read(h), y.write(h)))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5; 4]);
}
