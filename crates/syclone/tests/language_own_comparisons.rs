//! Comparisons of the user's own that are device functions: `#[device_fn] impl PartialEq` and `impl PartialOrd`.

mod rig;

use rig::{assert_says, failure, in_every_way, run, same_as_on_the_host};
use std::cmp::Ordering;
use syclone::prelude::*;

/// Equal by the key alone; the larger key comes first.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Key {
    key: f32,
    payload: u32,
}

#[device_fn]
impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

#[device_fn]
impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        other.key.partial_cmp(&self.key)
    }

    fn lt(&self, other: &Key) -> bool {
        other.key < self.key
    }
}

/// Derived, of what is not.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
struct Entry {
    rank: u8,
    keys: [Key; 2],
    tag: i32,
}

/// Equal modulo two.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(u8)]
enum Parity {
    Zero,
    One,
    Two,
}

#[device_fn]
impl PartialEq<Parity> for Parity {
    fn eq(&self, other: &Parity) -> bool {
        *self as u8 % 2 == *other as u8 % 2
    }
}

/// Near each other, in any number's type. Its order is said by `le` alone.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Near<T>(T, u32);

#[device_fn]
fn floor_of<T: Scalar>(x: T) -> f64 {
    x.to_f64().floor()
}

#[device_fn]
impl<T: Scalar> PartialEq for Near<T> {
    fn eq(&self, other: &Near<T>) -> bool {
        floor_of::<T>(self.0) == floor_of::<T>(other.0)
    }
}

#[device_fn]
impl<T: Scalar> std::cmp::PartialOrd for Near<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.to_f64().floor().partial_cmp(&other.0.to_f64().floor())
    }

    fn le(&self, other: &Self) -> bool {
        floor_of::<T>(self.0) <= floor_of::<T>(other.0)
    }
}

/// Derived of a generic one.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
struct Around {
    near: Near<f32>,
    far: bool,
}

#[device_fn]
fn are_equal<T: DeviceCopy + PartialEq>(a: T, b: T) -> bool {
    a == b
}

#[device_fn]
fn is_first<T: DeviceCopy + PartialOrd>(a: T, b: &T) -> bool {
    a <= *b
}

fn entries() -> Vec<Entry> {
    let keys = [0.0, -0.0, 1.5, f32::NAN, 1.5];
    let key = |i: usize| Key { key: keys[i % 5], payload: i as u32 };
    (0..15).map(|i| Entry { rank: (i / 12) as u8, keys: [key(i), key(i * i + 2)], tag: (i % 2) as i32 }).collect()
}

/// Comparisons of all sorts, which Rust itself evaluates on the host.
#[device_fn]
fn comparisons(own: Entry, x: Entry) -> [bool; 18] {
    [
        own == x,
        own != x,
        own < x,
        own <= x,
        own > x,
        own >= x,
        own.keys[0] == x.keys[0],
        own.keys[0] != x.keys[1],
        own.keys[0] < x.keys[1],
        own.keys[1] <= x.keys[0],
        own.keys[1] > x.keys[0],
        own.keys[0] >= x.keys[0],
        own.keys == x.keys,
        own.keys < x.keys,
        (own.tag, own.keys[0]) == (x.tag, x.keys[0]),
        (own.tag, own.keys[0]) != (x.tag, x.keys[0]),
        (own.keys[0], own.tag) <= (x.keys[0], x.tag),
        [own, x] == [x, own],
    ]
}

/// One bit for each element that it is compared with.
type Bits = [u32; 20];

#[kernel(fallback)]
fn of_entries(item: NdItem<1>, x: View<Entry>, out: ItemMut<Bits>) {
    let own = x[item];
    let mut all = [0; 20];
    item.barrier();
    for i in 0..x.len() {
        let other = x[i];
        let held = comparisons(own, other);
        for c in 0..18 {
            all[c] += (held[c] as u32) << i;
        }
        all[18] += (are_equal::<Key>(own.keys[0], x[i].keys[0]) as u32) << i;
        all[19] += (is_first::<Entry>(own, &other) as u32) << i;
    }
    out[item] = all;
}

/// By the keys' numbers, as their blocks say it.
fn expected(own: &Entry, x: &Entry) -> [bool; 20] {
    let equal = |a: Key, b: Key| a.key == b.key;
    let order = |a: Key, b: Key| b.key.partial_cmp(&a.key);
    let chain = |orders: &[Option<Ordering>]| {
        orders.iter().copied().find(|order| *order != Some(Ordering::Equal)).unwrap_or(Some(Ordering::Equal))
    };
    let [a, b] = own.keys;
    let [c, d] = x.keys;
    let keys = chain(&[order(a, c), order(b, d)]);
    let all = chain(&[own.rank.partial_cmp(&x.rank), keys, own.tag.partial_cmp(&x.tag)]);
    let is_equal = own.rank == x.rank && equal(a, c) && equal(b, d) && own.tag == x.tag;
    let at_most = |order: Option<Ordering>| matches!(order, Some(Ordering::Less | Ordering::Equal));
    [
        is_equal,
        !is_equal,
        all == Some(Ordering::Less),
        at_most(all),
        all == Some(Ordering::Greater),
        at_most(all.map(Ordering::reverse)),
        equal(a, c),
        !equal(a, d),
        order(a, d) == Some(Ordering::Less),
        at_most(order(b, c)),
        order(b, c) == Some(Ordering::Greater),
        at_most(order(c, a)),
        equal(a, c) && equal(b, d),
        keys == Some(Ordering::Less),
        own.tag == x.tag && equal(a, c),
        own.tag != x.tag || !equal(a, c),
        at_most(chain(&[order(a, c), own.tag.partial_cmp(&x.tag)])),
        is_equal,
        equal(a, c),
        at_most(all),
    ]
}

#[test]
fn own_comparisons_are_those_of_their_device_functions() {
    let all = entries();
    same_as_on_the_host(
        &all.clone(),
        |own| {
            let mut bits: Bits = [0; 20];
            for (i, x) in all.iter().enumerate() {
                for (sum, held) in bits.iter_mut().zip(expected(&own, x)) {
                    *sum += u32::from(held) << i;
                }
            }
            bits
        },
        |h, shape, x, out| h.parallel_for(shape, of_entries(x.read(h), out.write(h))),
    );
}

#[kernel]
fn of_generic(item: Item<1>, x: View<Near<f32>>, y: View<Around>, out: ItemMut<[bool; 12]>) {
    let (own, around, whole, first) = (x[item], y[item], Near::<i32>(x[item].0 as i32, 7), y[0]);
    out[item] = [
        own == x[0],
        own != x[0],
        own < x[0],
        own <= x[0],
        own > x[0],
        own >= x[0],
        around == y[0],
        around < y[0],
        around >= y[0],
        are_equal::<Near<f32>>(own, y[0].near),
        is_first::<Around>(around, &first),
        whole == Near::<i32>(1, 8),
    ];
}

#[test]
fn own_comparisons_of_generic_structs_are_called() {
    let values = [1.25f32, 1.75, 0.5, -0.5, f32::NAN, 2.0];
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(values.iter().enumerate().map(|(i, x)| Near(*x, i as u32)).collect::<Vec<_>>());
        let around = |(i, x): (usize, &f32)| Around { near: Near(*x, i as u32), far: i == 1 };
        let y = Buffer::from_vec(values.iter().enumerate().map(around).collect::<Vec<_>>());
        let out = Buffer::<[bool; 12]>::new(6);
        run(queue, |h| h.parallel_for(6, of_generic(x.read(h), y.read(h), out.write(h))));
        for (i, value) in values.iter().enumerate() {
            let (own, first, far) = (value.floor(), values[0].floor(), i == 1);
            let order = own.partial_cmp(&first);
            let with_far = if own == first { far.partial_cmp(&false) } else { order };
            let holds = |order: Option<Ordering>| {
                use Ordering::{Equal, Greater, Less};
                let any_of = |all: &[Ordering]| order.is_some_and(|order| all.contains(&order));
                [any_of(&[Less]), any_of(&[Less, Equal]), any_of(&[Greater]), any_of(&[Greater, Equal])]
            };
            let ([lt, le, gt, ge], [far_lt, far_le, _, far_ge]) = (holds(order), holds(with_far));
            let equal = own == first;
            let expected =
                [equal, !equal, lt, le, gt, ge, equal && !far, far_lt, far_ge, equal, far_le, *value as i32 == 1];
            assert_eq!(out.host_read().unwrap()[i], expected, "{way:?}, {value}");
        }
    });
}

#[kernel]
fn of_enums(item: Item<1>, x: View<Parity>, out: ItemMut<[bool; 3]>) {
    let is_one = match x[item] {
        Parity::One => true,
        _ => false,
    };
    out[item] = [x[item] == Parity::Two, x[item] != x[0], is_one];
}

#[test]
fn an_enum_may_have_its_own_equality() {
    in_every_way(|queue, way| {
        let x = Buffer::from_vec(vec![Parity::Zero, Parity::One, Parity::Two]);
        let out = Buffer::<[bool; 3]>::new(3);
        run(queue, |h| h.parallel_for(3, of_enums(x.read(h), out.write(h))));
        let expected = [[true, false, false], [false, true, true], [true, false, false]];
        assert_eq!(*out.host_read().unwrap(), expected, "{way:?}");
    });
}

/// An order that its device function does not have.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Odd(i32);

#[device_fn]
impl PartialOrd for Odd {
    fn partial_cmp(&self, other: &Odd) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }

    fn lt(&self, other: &Odd) -> bool {
        self.0 > other.0
    }
}

#[kernel]
fn by_the_function(item: Item<1>, x: View<Odd>, out: ItemMut<bool>) {
    out[item] = x[item] < x[0];
}

#[kernel]
fn by_the_order(item: Item<1>, x: View<Odd>, out: ItemMut<bool>) {
    out[item] = x[item] > x[0];
}

#[test]
fn an_order_that_contradicts_its_device_function_is_an_error_of_the_interpreter() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![Odd(1), Odd(2)]), Buffer::<bool>::new(2));
        run(queue, |h| h.parallel_for(2, by_the_function(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [false, true], "{way:?}");
    });
    let checked = Queue::new(&Device::cpu_checked().unwrap()).unwrap();
    let (x, out) = (Buffer::from_vec(vec![Odd(1), Odd(2)]), Buffer::<bool>::new(2));
    let text = failure(&checked, |h| h.parallel_for(2, by_the_order(x.read(h), out.write(h))));
    assert_says(&text, &["Odd is compared in line", "is not the derived one"]);
}

#[kernel]
fn by_the_order_of_parts<const FORM: u32>(item: Item<1>, x: View<Odd>, out: ItemMut<bool>) {
    let (a, b) = (x[item], x[0]);
    out[item] = match FORM {
        0 => (a, 1) < (b, 1),
        1 => [a] <= [b],
        2 => (1, [a]) > (1, [b]),
        _ => ((1, a), 2) >= ((1, b), 2),
    };
}

#[track_caller]
fn expect_contradiction<const FORM: u32>() {
    let checked = Queue::new(&Device::cpu_checked().unwrap()).unwrap();
    let (x, out) = (Buffer::from_vec(vec![Odd(1), Odd(2)]), Buffer::<bool>::new(2));
    let text = failure(&checked, |h| h.parallel_for(2, by_the_order_of_parts::<FORM>(x.read(h), out.write(h))));
    assert_says(&text, &["Odd is compared in line", "`partial_cmp` and the block's functions agree"]);
}

#[test]
fn an_order_that_contradicts_its_device_function_is_an_error_in_arrays_and_tuples() {
    expect_contradiction::<0>();
    expect_contradiction::<1>();
    expect_contradiction::<2>();
    expect_contradiction::<3>();
}

/// Each of its operators says something of its own.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Erratic(i32);

#[device_fn]
impl PartialOrd for Erratic {
    fn partial_cmp(&self, other: &Erratic) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }

    fn lt(&self, other: &Erratic) -> bool {
        self.0 + 1 < other.0
    }

    fn le(&self, other: &Erratic) -> bool {
        self.0 % 2 == other.0
    }

    fn gt(&self, other: &Erratic) -> bool {
        self.0 > other.0 + 2
    }

    fn ge(&self, other: &Erratic) -> bool {
        self.0 * 2 >= other.0
    }
}

/// Rust asks the last part of a tuple for the operator, where those before are equal.
#[device_fn]
fn at_the_end(a: Erratic, b: Erratic) -> [bool; 6] {
    [
        (1, a) < (1, b),
        (1, a) <= (1, b),
        (1, a) > (1, b),
        (1, a) >= (1, b),
        (a.0, (2, a)) <= (a.0, (2, b)),
        (1, a) > (0, b),
    ]
}

#[kernel(fallback)]
fn ends(item: NdItem<1>, x: View<Erratic>, out: ItemMut<[bool; 6]>) {
    out[item] = at_the_end(x[item], x[2]);
}

#[test]
fn the_last_part_of_a_tuple_is_compared_by_the_operator_itself() {
    let x: Vec<Erratic> = (0..6).map(Erratic).collect();
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(x.clone()), Buffer::<[bool; 6]>::new(6));
        run(queue, |h| h.parallel_for(NdRange::new(6, 3), ends(x.read(h), out.write(h))));
        for i in 0..6 {
            let expected = at_the_end(Erratic(i), Erratic(2));
            assert_eq!(out.host_read().unwrap()[i as usize], expected, "{way:?}, {i}");
        }
    });
}

/// Its equality has what a device function may have.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Careful {
    at: u32,
    values: [f32; 4],
}

#[device_fn]
impl PartialEq for Careful {
    fn eq(&self, other: &Careful) -> bool {
        kassert!(self.at < 100, "at {}", self.at);
        self.values[self.at as usize] == other.values[self.at as usize]
    }
}

#[kernel]
fn careful(item: Item<1>, x: View<Careful>, out: ItemMut<bool>) {
    out[item] = [x[0], x[item]] == [x[item], x[item]];
}

#[test]
fn what_goes_wrong_in_a_comparison_is_an_error_of_the_event() {
    let of = |at| Careful { at, values: [0.0, 1.0, 2.0, 3.0] };
    in_every_way(|queue, way| {
        for (at, says) in [(4, "array"), (100, "at 100")] {
            let (x, out) = (Buffer::from_vec(vec![of(at), of(1)]), Buffer::<bool>::new(2));
            let text = failure(queue, |h| h.parallel_for(2, careful(x.read(h), out.write(h))));
            assert!(text.contains(says), "{way:?}: {text}");
        }
        let (x, out) = (Buffer::from_vec(vec![of(3), of(1)]), Buffer::<bool>::new(2));
        run(queue, |h| h.parallel_for(2, careful(x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [true, true], "{way:?}");
    });
}

/// Compares itself with itself for ever.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Endless(u32);

#[device_fn]
impl PartialEq for Endless {
    fn eq(&self, other: &Endless) -> bool {
        (*self, 1) == (*other, 1)
    }
}

#[kernel]
fn endless(item: Item<1>, x: View<Endless>, out: ItemMut<bool>) {
    out[item] = x[item] == x[0];
}

#[test]
fn an_equality_that_asks_itself_is_refused_before_it_runs() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![Endless(1)]), Buffer::<bool>::new(1));
        let text = failure(queue, |h| h.parallel_for(1, endless(x.read(h), out.write(h))));
        assert!(text.contains("eq -> eq"), "{way:?}: {text}");
    });
}
