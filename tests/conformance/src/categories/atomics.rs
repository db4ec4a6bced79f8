//! `atomic_ref` and `atomic_fence`.

use syclone::prelude::*;

#[kernel]
fn fetches(item: Item<1>, x: AtomicView<i32>) {
    let i = item.id(0) as i32;
    x.atomic(0).fetch_add(i);
    x.atomic(1).fetch_sub(i);
    x.atomic(2).fetch_min(i - 500);
    x.atomic(3).fetch_max(i);
    x.atomic(4).fetch_and(!(1 << (i % 16)));
    x.atomic(5).fetch_or(1 << (i % 16));
    x.atomic(6).fetch_xor(i);
}

#[kernel]
fn wide(item: Item<1>, x: AtomicView<u64>) {
    let i = item.id(0) as u64;
    x.atomic(0).fetch_add(i << 33);
    x.atomic(1).fetch_max(i << 40);
    x.atomic(2).fetch_sub(1);
}

#[kernel]
fn floats(item: Item<1>, x: AtomicView<f32>) {
    let v = (item.id(0) % 8) as f32;
    x.atomic(0).fetch_add(v);
    x.atomic(1).fetch_min(-v);
    x.atomic(2).fetch_max(v);
    x.atomic(3).fetch_sub(1.0);
}

/// Each item takes a number of its own.
#[kernel]
fn tickets(item: Item<1>, next: AtomicView<u32>, ticket: ItemMut<u32>) {
    ticket[item] = next.atomic(0).fetch_add(1);
}

/// A sum by compare-exchange, with the values that each exchange found.
#[kernel]
fn by_exchange(item: Item<1>, sum: AtomicView<u32>, tries: ItemMut<u32>) {
    let mut seen = sum.atomic(0).load();
    let mut count = 0u32;
    loop {
        count += 1;
        let (old, done) = sum.atomic(0).compare_exchange(seen, seen + 3);
        if done {
            break;
        }
        seen = old;
    }
    tries[item] = count;
}

#[kernel]
fn swaps(item: Item<1>, x: AtomicView<u64>, found: ItemMut<u64>) {
    found[item] = x.atomic(0).exchange(item.id(0) as u64 + 1);
}

#[kernel]
fn stores(item: Item<1>, x: AtomicView<u32>) {
    x.atomic(item.id(0)).store(item.id(0) as u32 * 2);
}

/// A histogram in local memory, then in global memory.
#[kernel]
fn histogram(item: NdItem<1>, x: View<u32>, bins: AtomicView<u32>) {
    let mine = local::<[u32; 8]>();
    if item.local_id(0) < 8 {
        mine[item.local_id(0)] = 0;
    }
    item.barrier();
    mine.atomic(x[item] as usize % 8).fetch_add(1);
    item.barrier();
    if item.local_id(0) < 8 {
        let count = mine.atomic(item.local_id(0)).load();
        bins.atomic(item.local_id(0)).order(Order::Relaxed).scope(Scope::Device).fetch_add(count);
    }
}

/// The last group to arrive sums what all groups have written.
#[kernel]
fn last_one_sums(item: NdItem<1>, parts: AtomicView<u32>, arrived: AtomicView<u32>, sum: AtomicView<u32>) {
    let group = item.group_id(0);
    if item.local_id(0) == 0 {
        parts.atomic(group).store(group as u32 * 7 + 1);
        fence(Order::Release, Scope::Device);
        let before = arrived.atomic(0).order(Order::AcqRel).fetch_add(1);
        if before + 1 == item.group_range(0) as u32 {
            fence(Order::Acquire, Scope::Device);
            let mut all = 0;
            for part in 0..item.group_range(0) {
                all += parts.atomic(part).load();
            }
            sum.atomic(0).store(all);
        }
    }
}

/// One item hands a value to its neighbour through two flags in local memory, with a barrier between.
#[kernel]
fn hands_over(item: NdItem<1>, out: ItemMut<u32>) {
    let value = local::<[u32; 16]>();
    let flag = local::<[u32; 16]>();
    let lid = item.local_id(0);
    value[lid] = lid as u32 * 5;
    fence(Order::Release, Scope::WorkGroup);
    flag.atomic(lid).order(Order::Release).store(1);
    item.barrier();
    let next = (lid + 1) % item.local_range(0);
    let seen = flag.atomic(next).order(Order::Acquire).load();
    fence(Order::Acquire, Scope::WorkGroup);
    out[item] = value[next] * seen;
}

/// Atomic operations.
pub mod atomic_ref {
    use super::*;

    crate::tests! {
        fn every_integer_operation_of_many_items_adds_up(queue) {
            let n = 2000i32;
            let x = Buffer::from_vec(vec![10, 10, 10, 10, -1, 0, 0]);
            queue.submit(|h| h.parallel_for(n as usize, fetches(x.atomic(h))))?;
            let sum: i32 = (0..n).sum();
            let xor = (0..n).fold(0, |a, b| a ^ b);
            assert_eq!(x.to_vec()?, [10 + sum, 10 - sum, -500, n - 1, !0xffff, 0xffff, xor]);
        }

        needs Atomic64; fn operations_on_64_bits_keep_the_high_half(queue) {
            let x = Buffer::from_vec(vec![0u64, 0, 1000]);
            queue.submit(|h| h.parallel_for(1000, wide(x.atomic(h))))?;
            assert_eq!(x.to_vec()?, [499_500 << 33, 999 << 40, 0]);
        }

        fn float_operations_add_up_where_the_sums_are_exact(queue) {
            let x = Buffer::from_vec(vec![0.5f32, 0.0, 0.0, 0.0]);
            queue.submit(|h| h.parallel_for(800, floats(x.atomic(h))))?;
            assert_eq!(x.to_vec()?, [2800.5, -7.0, 7.0, -800.0]);
        }

        fn fetch_add_gives_each_item_a_number_of_its_own(queue) {
            let (next, ticket) = (Buffer::from_vec(vec![100u32]), Buffer::<u32>::new(999));
            queue.submit(|h| h.parallel_for(999, tickets(next.atomic(h), ticket.write(h))))?;
            let mut given = ticket.to_vec()?;
            given.sort_unstable();
            assert_eq!(given, (100..1099).collect::<Vec<_>>());
            assert_eq!(next.to_vec()?, [1099]);
        }

        fn compare_exchange_succeeds_once_for_each_change(queue) {
            let (sum, tries) = (Buffer::from_vec(vec![1u32]), Buffer::<u32>::new(500));
            queue.submit(|h| h.parallel_for(500, by_exchange(sum.atomic(h), tries.write(h))))?;
            assert_eq!(sum.to_vec()?, [1501]);
            assert!(tries.to_vec()?.iter().all(|&count| count >= 1));
        }

        needs Atomic64; fn exchange_loses_no_value(queue) {
            let (x, found) = (Buffer::from_vec(vec![0u64]), Buffer::<u64>::new(300));
            queue.submit(|h| h.parallel_for(300, swaps(x.atomic(h), found.write(h))))?;
            let mut all = found.to_vec()?;
            all.push(x.to_vec()?[0]);
            all.sort_unstable();
            assert_eq!(all, (0..=300).collect::<Vec<_>>());
        }

        fn a_store_is_seen_after_the_command(queue) {
            let x = Buffer::<u32>::new(64);
            queue.submit(|h| h.parallel_for(64, stores(x.atomic(h))))?;
            assert_eq!(x.to_vec()?, (0..64).map(|i| i * 2).collect::<Vec<_>>());
        }

        fn atomics_work_on_local_memory_too(queue) {
            let x: Vec<u32> = (0..960).map(|i| (i * i + 3) % 11).collect();
            let mut expected = [0u32; 8];
            x.iter().for_each(|&value| expected[value as usize % 8] += 1);
            let (input, bins) = (Buffer::from_vec(x), Buffer::<u32>::new(8));
            queue.submit(|h| h.parallel_for(NdRange::new(960, 32), histogram(input.read(h), bins.atomic(h))))?;
            assert_eq!(bins.to_vec()?, expected);
        }
    }
}

/// Fences.
pub mod atomic_fence {
    use super::*;

    crate::tests! {
        fn what_was_written_before_a_release_is_seen_after_the_acquire(queue) {
            let groups = 50;
            let (parts, arrived, sum) = (Buffer::<u32>::new(groups), Buffer::<u32>::new(1), Buffer::<u32>::new(1));
            let shape = NdRange::new(groups * 4, 4);
            queue.submit(|h| {
                h.parallel_for(shape, last_one_sums(parts.atomic(h), arrived.atomic(h), sum.atomic(h)))
            })?;
            assert_eq!(sum.to_vec()?, [(0..50).map(|g| g * 7 + 1).sum::<u32>()]);
        }

        fn fences_of_a_group_order_its_local_memory(queue) {
            let out = Buffer::<u32>::new(48);
            queue.submit(|h| h.parallel_for(NdRange::new(48, 16), hands_over(out.write(h))))?;
            assert_eq!(out.to_vec()?, (0..48).map(|i| (i % 16 + 1) % 16 * 5).collect::<Vec<_>>());
        }
    }
}
