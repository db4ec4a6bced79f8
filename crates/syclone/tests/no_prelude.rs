//! A crate without std's prelude has kernels all the same: what macros print names everything by its whole path, and calls
//! no methods of traits that may be out of scope.

#![no_implicit_prelude]

use ::std::assert_eq;
use ::std::clone::Clone;
use ::std::cmp::{PartialEq, PartialOrd};
use ::std::iter::Iterator;
use ::std::marker::Copy;
use ::syclone::abi::ways::{Way, with_way};
use ::syclone::prelude::{
    AtomicView, Buffer, Device, DeviceCopy, Item, ItemMut, LocalAccessor, Maximum, NdItem, NdRange, Plus, Queue,
    Reducer, Scalar, View, device_fn, kassert, kernel, local, max,
};

#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceCopy)]
struct Pair<T> {
    a: T,
    b: [T; 2],
}

#[derive(Clone, Copy, PartialEq, DeviceCopy)]
#[repr(u8)]
enum Kind {
    Odd,
    Even,
}

/// Its default calls a method of its own, which the trait itself is asked for.
#[device_fn]
trait Score: DeviceCopy {
    const WEIGHT: u32;

    fn score(&self, x: u32) -> u32;

    fn scored_once(self) -> u32 {
        self.score(1)
    }
}

#[device_fn]
impl Score for Pair<u32> {
    const WEIGHT: u32 = 4;

    fn score(&self, x: u32) -> u32 {
        self.a + x + self.b[1]
    }
}

#[device_fn]
trait Combine<T: Scalar>: DeviceCopy {
    fn combined(&self, x: T) -> T;
}

#[device_fn]
impl<T: Scalar> Combine<T> for Pair<T> {
    fn combined(&self, x: T) -> T {
        self.b[0] * x
    }
}

#[device_fn]
impl<T: Scalar> Pair<T> {
    fn first(self) -> T {
        self.a
    }

    fn set(&mut self, value: T) {
        self.a = value;
    }
}

#[device_fn]
fn running(item: NdItem<1>, x: u32) -> u32 {
    item.group().inclusive_scan(x, Plus)
}

#[kernel(fallback)]
fn all_sorts<S: Score + Combine<u32>>(
    item: NdItem<1>,
    s: S,
    pairs: View<Pair<u32>>,
    rounds: u32,
    space: LocalAccessor<u32>,
    count: AtomicView<u32>,
    most: Reducer<u32, Maximum>,
    out: ItemMut<u32>,
) {
    let tile = local::<[u32; 4]>();
    let mut mine = pairs[item];
    mine.set(mine.first() + 1);
    space[item.local_id(0)] = mine.a;
    tile[item.local_id(0)] = mine.a;
    item.barrier();
    let mut value = 0;
    for round in 0..rounds {
        value += space[3 - item.local_id(0)];
        item.barrier();
        if round == 1 {
            break;
        }
    }
    let kind = if value % 2 == 0 { Kind::Even } else { Kind::Odd };
    value = max(running(item, value), tile[item.local_id(0)]);
    count.atomic(0).fetch_add(1);
    most.combine(value);
    kassert!(value < 1000, "{value} in {}", item.local_id(0));
    out[item] = value
        + s.score(2)
        + s.scored_once()
        + S::WEIGHT
        + s.combined(3)
        + (mine == pairs[item]) as u32
        + match kind {
            Kind::Odd => 1000,
            Kind::Even => 2000,
        };
}

#[kernel]
fn roots(item: Item<2>, x: View<f32, 2>, out: ItemMut<f32, 2>) {
    out[item] = x[item].sqrt();
}

#[test]
fn kernels_need_nothing_of_the_prelude() {
    let queue = Queue::new(&Device::from_env().expect("a device")).expect("a queue");
    for way in Way::ALL {
        let pairs = Buffer::from_vec((0..8).map(|a| Pair { a, b: [0; 2] }).collect());
        let (count, most, out) = (Buffer::<u32>::new(1), Buffer::<u32>::new(1), Buffer::<u32>::new(8));
        let event = with_way(way, || {
            queue.submit(|h| {
                let (pairs, count, most) = (pairs.read(h), count.atomic(h), most.reduce(h, Maximum));
                let s = Pair { a: 1u32, b: [2, 3] };
                let kernel = all_sorts(s, pairs, 2, LocalAccessor::new(4), count, most, out.write(h));
                h.parallel_for(NdRange::new(8, 4), kernel)
            })
        });
        event.expect("submits").wait().expect("runs");
        // Two rounds of the mirrored number, summed from the group's first item on; scores of 6 and 5, 4, and 3 * 2.
        let expected: [u32; 8] = ::std::array::from_fn(|i| {
            let doubled = |item: usize| 2 * (i as u32 / 4 * 4 + 3 - item as u32 + 1);
            (0..=i % 4).map(doubled).sum::<u32>() + 6 + 5 + 4 + 6 + 2000
        });
        assert_eq!(out.to_vec().expect("the result")[..], expected, "{way:?}");
        assert_eq!(count.to_vec().expect("the count")[..], [8]);
        assert_eq!(most.to_vec().expect("the maximum")[..], [52]);
    }
}

#[test]
fn range_kernels_and_inline_ones_neither() {
    let queue = Queue::new(&Device::from_env().expect("a device")).expect("a queue");
    let (x, out) = (Buffer::<f32, 2>::new([2, 2]), Buffer::<f32, 2>::new([2, 2]));
    x.copy_from_slice(&[4.0, 9.0, 16.0, 25.0]).expect("copies");
    queue.submit(|h| h.parallel_for([2, 2], roots(x.read(h), out.write(h)))).expect("submits");
    let by = 3.0;
    let event = queue.submit(|h| {
        let out = out.read_write(h);
        h.parallel_for([2, 2], ::syclone::kernel!(|item: Item<2>| out[item] += by))
    });
    event.expect("submits").wait().expect("runs");
    assert_eq!(out.to_vec().expect("the result")[..], [5.0, 6.0, 7.0, 8.0]);
}
