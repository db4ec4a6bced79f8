//! Comparisons of structs and enums: derived ones, in every way, and what is refused: those that are not derived.

mod rig;

use rig::{assert_says, failure, in_every_way, run, same_as_on_the_host};
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
struct Reading {
    half: f16,
    single: f32,
    kinds: [Kind; 2],
    brain: bf16,
}

/// The order is that of the discriminants.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
#[repr(u8)]
enum Kind {
    Late = 9,
    Early = 2,
}

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
struct Pair<T>(T, T);

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Holder {
    pair: Pair<f32>,
    reading: Reading,
}

#[device_fn]
fn swapped<T: Scalar>(pair: Pair<T>) -> Pair<T> {
    Pair::<T>(pair.1, pair.0)
}

#[device_fn]
fn are_equal<T: DeviceCopy + PartialEq>(a: T, b: T) -> bool {
    a == b
}

#[device_fn]
impl<T: Scalar> Pair<T> {
    fn is_even(self) -> bool {
        let other = swapped::<T>(self);
        self == other && !(self < other)
    }
}

fn readings() -> Vec<Reading> {
    let halves = [0.0, -0.0, 1.5, f32::NAN];
    let mut readings = Vec::new();
    for half in halves {
        for (single, kind) in [(0.0, Kind::Late), (-0.0, Kind::Early), (f32::NAN, Kind::Late), (2.0, Kind::Early)] {
            let (half, brain) = (f16::from_f32(half), bf16::from_f32(-half));
            readings.push(Reading { half, single, kinds: [kind, Kind::Late], brain });
        }
    }
    readings
}

#[kernel(fallback)]
fn of_readings(item: NdItem<1>, x: View<Reading>, out: ItemMut<[bool; 8]>) {
    let own = x[item];
    let mut all = [false; 8];
    item.barrier();
    for i in 0..x.len() {
        all[0] |= own == x[i];
        all[1] ^= own != x[i];
        all[2] ^= own < x[i];
        all[3] ^= own <= x[i];
        all[4] ^= x[i] > own;
        all[5] ^= own.kinds < x[i].kinds;
        all[6] ^= own.kinds[0] >= x[i].kinds[0] && (own.kinds, i) != (x[i].kinds, 3);
        all[7] ^= [own, own] == [x[i], own];
    }
    out[item] = all;
}

#[test]
fn derived_comparisons_are_those_of_their_fields() {
    let all = readings();
    same_as_on_the_host(
        &all.clone(),
        |own| {
            let mut out = [false; 8];
            for (i, x) in readings_in_groups().into_iter().enumerate() {
                out[0] |= own == x;
                out[1] ^= own != x;
                out[2] ^= own < x;
                out[3] ^= own <= x;
                out[4] ^= x > own;
                out[5] ^= own.kinds < x.kinds;
                out[6] ^= own.kinds[0] >= x.kinds[0] && (own.kinds, i) != (x.kinds, 3);
                out[7] ^= [own, own] == [x, own];
            }
            out
        },
        |h, shape, x, out| h.parallel_for(shape, of_readings(x.read(h), out.write(h))),
    );
}

/// As the rig pads them.
fn readings_in_groups() -> Vec<Reading> {
    let mut all = readings();
    all.resize(all.len().next_multiple_of(rig::GROUP), all[0]);
    all
}

#[kernel]
fn of_generic_structs(item: Item<1>, x: View<Pair<f32>>, holders: View<Holder>, out: ItemMut<[bool; 6]>) {
    let (own, holder) = (x[item], holders[item]);
    out[item] = [
        own == swapped::<f32>(own),
        own < holder.pair,
        swapped::<f32>(own) >= swapped::<f32>(holder.pair),
        are_equal::<Holder>(holder, holders[0]) || are_equal::<Pair<f32>>(own, holder.pair),
        own.is_even(),
        are_equal::<[Pair<u32>; 2]>([Pair::<u32>(1, 2); 2], [Pair::<u32>(1, item.id(0) as u32); 2]),
    ];
}

#[test]
fn derived_comparisons_of_generic_structs_are_known() {
    let pairs = [Pair(1.0f32, 2.0), Pair(-0.0, 0.0), Pair(f32::NAN, 1.0), Pair(3.0, 3.0), Pair(2.0, 1.0)];
    let holders: Vec<Holder> =
        (0..5).map(|i| Holder { pair: pairs[(i * 3 + 1) % 5], reading: readings()[5] }).collect();
    in_every_way(|queue, way| {
        let (x, h) = (Buffer::from_vec(pairs.to_vec()), Buffer::from_vec(holders.clone()));
        let out = Buffer::<[bool; 6]>::new(5);
        run(queue, |handler| {
            handler.parallel_for(5, of_generic_structs(x.read(handler), h.read(handler), out.write(handler)))
        });
        for i in 0..5 {
            let (own, holder) = (pairs[i], holders[i]);
            let other = Pair(own.1, own.0);
            let is_less = own < other;
            let expected = [
                own == other,
                own < holder.pair,
                other >= Pair(holder.pair.1, holder.pair.0),
                holder == holders[0] || own == holder.pair,
                own == other && !is_less,
                i == 2,
            ];
            assert_eq!(out.host_read().unwrap()[i], expected, "{way:?}, {i}");
        }
    });
}

/// Equal by the first field alone.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Key {
    key: u32,
    payload: u32,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.key == other.key
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<std::cmp::Ordering> {
        other.key.partial_cmp(&self.key)
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct WithKey {
    key: Key,
}

/// A generic one with its own bounds.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Near<T>(T);

impl<T: Scalar> PartialEq for Near<T> {
    fn eq(&self, other: &Near<T>) -> bool {
        self.0.to_f64().floor() == other.0.to_f64().floor()
    }
}

#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(u8)]
enum Parity {
    Zero,
    One,
    Two,
}

impl PartialEq for Parity {
    fn eq(&self, other: &Parity) -> bool {
        *self as u8 % 2 == *other as u8 % 2
    }
}

#[kernel]
fn equal_keys(item: Item<1>, x: View<Key>, out: ItemMut<bool>) {
    out[item] = x[item] == x[0];
}

#[kernel]
fn ordered_keys(item: Item<1>, x: View<Key>, out: ItemMut<bool>) {
    out[item] = x[item] < x[0];
}

#[kernel]
fn equal_inside(item: Item<1>, x: View<WithKey>, out: ItemMut<bool>) {
    out[item] = (x[item], 1) == (x[0], 1);
}

#[kernel]
fn equal_near(item: Item<1>, x: View<Near<f32>>, out: ItemMut<bool>) {
    out[item] = are_equal::<Near<f32>>(x[item], x[0]);
}

#[kernel]
fn equal_parities(item: Item<1>, x: View<Parity>, out: ItemMut<bool>) {
    out[item] = x[item] == x[0];
}

/// The error of the interpreter, and that of a checked device.
fn refusals<T: DeviceCopy>(
    values: &[T],
    launch: impl Fn(&Handler<'_>, usize, &Buffer<T>, &Buffer<bool>) -> Result<()>,
) -> [String; 2] {
    let refusal = |device: &Device| {
        let (x, out) = (Buffer::from_vec(values.to_vec()), Buffer::<bool>::new(values.len()));
        failure(&Queue::new(device).unwrap(), |h| launch(h, values.len(), &x, &out))
    };
    [with_way(Way::Interpreter, || refusal(&rig::device())), refusal(&Device::cpu_checked().unwrap())]
}

#[test]
fn a_comparison_that_is_not_derived_is_an_error() {
    let keys = [Key { key: 1, payload: 2 }, Key { key: 1, payload: 3 }];
    let refused = [
        ("Key", refusals(&keys, |h, n, x, out| h.parallel_for(n, equal_keys(x.read(h), out.write(h))))),
        ("Key", refusals(&keys, |h, n, x, out| h.parallel_for(n, ordered_keys(x.read(h), out.write(h))))),
        (
            "WithKey",
            refusals(&keys.map(|key| WithKey { key }), |h, n, x, out| {
                h.parallel_for(n, equal_inside(x.read(h), out.write(h)))
            }),
        ),
        (
            "Near",
            refusals(&[Near(1.5f32), Near(1.25)], |h, n, x, out| {
                h.parallel_for(n, equal_near(x.read(h), out.write(h)))
            }),
        ),
        (
            "Parity",
            refusals(&[Parity::Zero, Parity::One, Parity::Two], |h, n, x, out| {
                h.parallel_for(n, equal_parities(x.read(h), out.write(h)))
            }),
        ),
    ];
    for (name, texts) in refused {
        for text in texts {
            assert_says(&text, &[name, "is not the derived one", "write a method in a `#[device_fn] impl`"]);
        }
    }
}
