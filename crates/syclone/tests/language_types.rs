//! The types that kernels compute with: structs, enums, arrays, vectors, half precisions and generic ones.

#![allow(clippy::all, reason = "the bodies are written as in kernels, where clippy's advice does not hold")]

mod rig;

use syclone::prelude::*;

trait Inputs: Sized {
    fn inputs() -> Vec<Self>;
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
#[repr(u8)]
enum Shape {
    Point,
    Round,
    Square = 7,
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Vec2 {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Particle {
    id: u8,
    place: Vec2,
    speed: Vec2,
    history: [Vec2; 3],
    alive: bool,
    shape: Shape,
    weight: Weight<f64>,
}

/// A tuple struct, of any float.
#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Weight<T>(T, u16);

impl Inputs for Particle {
    fn inputs() -> Vec<Particle> {
        (0..12)
            .map(|i| Particle {
                id: i as u8,
                place: Vec2 { x: i as f32, y: -0.5 * i as f32 },
                speed: Vec2 { x: 1.0, y: 0.25 * i as f32 },
                history: [0.0, 1.0, 2.0].map(|t| Vec2 { x: t, y: i as f32 + t }),
                alive: i % 3 != 0,
                shape: [Shape::Point, Shape::Round, Shape::Square][i % 3],
                weight: Weight(i as f64 * 1.5, 60_000 + i as u16),
            })
            .collect()
    }
}

/// The functions of [`Vec2`] and [`Particle`], once for kernels and once for the host.
macro_rules! methods {
    ($(#[$attribute:meta])* $scale:ident $advance:ident $vec:ident $particle:ident) => {
        $(#[$attribute])*
        impl $vec {
            const UNIT: f32 = 2.0;

            fn new(x: f32, y: f32) -> Self {
                Self { x, y }
            }

            fn dot(self, other: $vec) -> f32 {
                self.x * other.x + self.y * other.y
            }

            fn plus(&self, other: &$vec) -> $vec {
                $vec::new(self.x + other.x, self.y + other.y)
            }

            fn $scale(&mut self, by: f32) {
                self.x *= by * Self::UNIT;
                self.y *= by * $vec::UNIT;
            }
        }

        $(#[$attribute])*
        impl $particle {
            fn $advance(&mut self, time: f32) -> u32 {
                let moved = Vec2::new(self.speed.x * time, self.speed.y * time);
                for i in 0..2 {
                    self.history[i] = self.history[i + 1];
                }
                self.history[2] = self.place;
                self.place = self.place.plus(&moved);
                self.history[0].x += 1.0;
                if self.place.dot(self.place) > 40.0 {
                    return 1;
                }
                self.alive = !self.alive;
                0
            }

            fn energy(&self) -> f32 {
                self.speed.dot(self.speed) * self.weight.0 as f32 + self.weight.1 as f32
            }
        }
    };
}

methods! { #[device_fn] scale advance Vec2 Particle }

/// The same for the host, without the macro: under other names.
mod host {
    pub fn energy(p: &super::Particle) -> f32 {
        (p.speed.x * p.speed.x + p.speed.y * p.speed.y) * p.weight.0 as f32 + p.weight.1 as f32
    }

    pub fn advance(p: &mut super::Particle, time: f32) -> u32 {
        p.history = [p.history[1], p.history[2], p.place];
        p.place.x += p.speed.x * time;
        p.place.y += p.speed.y * time;
        p.history[0].x += 1.0;
        if p.place.x * p.place.x + p.place.y * p.place.y > 40.0 {
            return 1;
        }
        p.alive = !p.alive;
        0
    }
}

#[kernel(fallback)]
fn simulate(item: NdItem<1>, particles: View<Particle>, out: ItemMut<Particle>, left: ItemMut<f32>) {
    let shared = local::<[Particle; 4]>();
    let me = item.local_id(0);
    shared[me] = particles[item];
    item.barrier();
    let mut p = shared[(me + 1) % 4];
    let gone = p.advance(0.5);
    p.speed.scale(0.25);
    item.barrier();
    shared[me].place.x += 100.0;
    shared[me].history[me % 3].y = 5.0;
    shared[me].weight.1 -= 1;
    item.barrier();
    let neighbour = shared[(me + 3) % 4];
    p.speed = Vec2 { x: neighbour.place.x, y: neighbour.history[0].y };
    out[item] = p;
    out[item].id += 1;
    out[item].history[2].x *= 2.0;
    out[item].weight = Weight::<f64>(out[item].weight.0 + 1.0, neighbour.weight.1);
    left[item] = particles[item].energy() + gone as f32 + particles[item].history[1].dot(neighbour.place);
}

#[test]
fn structs_are_nested_stored_shared_and_have_methods() {
    let inputs = Particle::inputs();
    let mut shared = inputs.clone();
    for (i, p) in shared.iter_mut().enumerate() {
        let me = i % 4;
        p.place.x += 100.0;
        p.history[me % 3].y = 5.0;
        p.weight.1 -= 1;
    }
    let (expected, left): (Vec<Particle>, Vec<f32>) = (0..inputs.len())
        .map(|i| {
            let (group, me) = (i / 4 * 4, i % 4);
            let mut p = inputs[group + (me + 1) % 4];
            let gone = host::advance(&mut p, 0.5);
            let neighbour = shared[group + (me + 3) % 4];
            p.speed = Vec2 { x: neighbour.place.x, y: neighbour.history[0].y };
            p.id += 1;
            p.history[2].x *= 2.0;
            p.weight = Weight(p.weight.0 + 1.0, neighbour.weight.1);
            let h = inputs[i].history[1];
            let dot = h.x * neighbour.place.x + h.y * neighbour.place.y;
            (p, host::energy(&inputs[i]) + gone as f32 + dot)
        })
        .unzip();
    rig::in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(inputs.clone()), Buffer::from_vec(inputs.clone()));
        let energies = Buffer::<f32>::new(inputs.len());
        let shape = NdRange::new(inputs.len(), 4);
        rig::run(queue, |h| h.parallel_for(shape, simulate(x.read(h), out.write(h), energies.write(h))));
        assert_eq!(out.host_read().expect("the result")[..], expected, "{way:?}");
        assert_eq!(energies.host_read().expect("the result")[..], left, "{way:?}");
    });
}

impl Inputs for Shape {
    fn inputs() -> Vec<Shape> {
        vec![Shape::Point, Shape::Round, Shape::Square, Shape::Round]
    }
}

code! {
    fn enums_are_compared_matched_stored_and_cast(shape: Shape) -> [u32; 5] {
        let next = match shape {
            Shape::Point => Shape::Round,
            Shape::Round | Shape::Square => Shape::Square,
        };
        let mut kept = [Shape::Point; 2];
        kept[1] = next;
        let same = kept[1] == shape;
        let other = kept[0] != shape;
        [shape as u32, next as u8 as u32, same as u32, other as u32, match (shape, same) { (Shape::Round, false) => 5, (_, true) => 6, _ => 7 }]
    }
}

impl Inputs for [f32; 3] {
    fn inputs() -> Vec<[f32; 3]> {
        (0..11).map(|i| [i as f32 * 1.1, 3.0 - i as f32, 1e5 / (i as f32 + 0.5)]).collect()
    }
}

code! {
    fn half_precisions_round_after_each_operation(x: [f32; 3]) -> [f32; 8] {
        let (a, b) = (f16::from_f32(x[0]), f16::from_f32(x[1]));
        let (c, d) = (bf16::from_f32(x[0]), bf16::from_f32(x[2]));
        let mut sum = f16::from_f32(2048.0);
        sum += f16::from_f32(1.0);
        let mut list = [a; 3];
        list[1] = b * a;
        let less = a < b || c >= d;
        [
            (a + b).to_f32(), (a * b - a).to_f32(), (c / d).to_f32(), (-d).to_f32(), sum.to_f32(), list[1].to_f32(),
            less as u8 as f32, f16::from_f32(x[2]).to_f32(),
        ]
    }
}

code! {
    fn vectors_have_lanes_names_and_swizzles(x: [f32; 3]) -> [f32; 12] {
        let mut v = F32x4::new([x[0], x[1], x[2], 1.0]);
        let w = v.wzyx() * 2.0 - F32x4::splat(x[1]);
        v.x = w.y;
        v[2] += w[3];
        v.w *= 3.0;
        let small = v.xyz() + w.zyx();
        let pair = small.xy();
        let lane = (x[0] as usize) % 4;
        let mut vectors = [v; 2];
        vectors[1] += w;
        vectors[0].y = 7.0;
        vectors[1][lane] = -1.0;
        let dot = v.dot(w);
        [
            small.x, small.y, small.z, pair.dot(pair), v[lane], w.max(v).w, vectors[0].y, vectors[1].x, vectors[1].z, dot,
            vectors[1][3 - lane], Vector::<f32, 2>::splat(x[0]).length(),
        ]
    }
}

code! {
    fn vectors_of_all_lane_counts_add_up(x: [f32; 3]) -> [f32; 5] {
        let (a, b) = (F32x2::splat(x[0]), F32x3::new([x[0], x[1], x[2]]));
        let (c, d) = (F32x8::splat(x[1]), F32x16::splat(x[2]));
        let mut e = U32x4::new([1, 2, 3, 4]);
        e <<= 2u32;
        e = e ^ U32x4::splat(5);
        [a.sum(), b.sum(), (c + c * 2.0).sum(), d.max(F32x16::splat(3.0)).sum(), e.sum() as f32]
    }
}

#[kernel]
fn scaled<T: Scalar, const N: usize>(item: Item<1>, x: View<T>, scale: [T; N], out: ItemMut<T>) {
    let mut sum = T::ZERO;
    for k in 0..N {
        sum += x[item] * scale[k] + T::ONE;
    }
    out[item] = sum;
}

fn check_scaled<T: Scalar + std::fmt::Debug>(x: [T; 4], scale: [T; 2], expected: [T; 4]) {
    rig::in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_slice(&x), Buffer::<T>::new(4));
        rig::run(queue, |h| h.parallel_for(4, scaled::<T, 2>(x.read(h), scale, out.write(h))));
        assert_eq!(out.host_read().expect("the result")[..], expected, "{way:?}");
    });
}

#[test]
fn one_kernel_serves_every_scalar() {
    check_scaled([1u8, 2, 3, 4], [2, 3], [7, 12, 17, 22]);
    check_scaled([-1i16, 2, -3, 4], [2, 3], [-3, 12, -13, 22]);
    check_scaled([1u64 << 40, 2, 3, 4], [2, 3], [(5 << 40) + 2, 12, 17, 22]);
    check_scaled([-1i64, 2, 3, 4], [2, 3], [-3, 12, 17, 22]);
    check_scaled([0.5f32, 2.0, 3.0, 4.0], [2.0, 3.0], [4.5, 12.0, 17.0, 22.0]);
    check_scaled([0.5f64, 2.0, 3.0, 4.0], [2.0, 3.0], [4.5, 12.0, 17.0, 22.0]);
    let half = |values: [f32; 4]| values.map(f16::from_f32);
    check_scaled(half([0.5, 2.0, 3.0, 4.0]), [2.0, 3.0].map(f16::from_f32), half([4.5, 12.0, 17.0, 22.0]));
    let bhalf = |values: [f32; 4]| values.map(bf16::from_f32);
    check_scaled(bhalf([0.5, 2.0, 3.0, 4.0]), [2.0, 3.0].map(bf16::from_f32), bhalf([4.5, 12.0, 17.0, 22.0]));
}

/// The bits of a number, counted in a way that has one bit at a time.
#[device_fn]
fn bits_of<T: Integer>(x: T) -> u32 {
    let mut count = 0;
    for bit in 0..T::BITS {
        if (x >> bit) & T::ONE == T::ONE {
            count += 1;
        }
    }
    count
}

#[kernel]
fn count_bits<T: Integer>(item: Item<1>, x: View<T>, out: ItemMut<[u32; 2]>) {
    out[item] = [bits_of::<T>(x[item]), x[item].leading_zeros()];
}

#[test]
fn generic_integers_have_their_width() {
    fn check<T: Integer>(values: [T; 3]) {
        rig::in_every_way(|queue, way| {
            let (x, out) = (Buffer::from_slice(&values), Buffer::<[u32; 2]>::new(3));
            rig::run(queue, |h| h.parallel_for(3, count_bits::<T>(x.read(h), out.write(h))));
            let expected = values.map(|x| [x.count_ones(), x.leading_zeros()]);
            assert_eq!(out.host_read().expect("the result")[..], expected, "{way:?} {}", T::BITS);
        });
    }
    check([0u8, 0x5a, u8::MAX]);
    check([-1i16, 0x15a, i16::MIN]);
    check([0u32, 0x1234_5678, u32::MAX]);
    check([-1i64, 0x1234_5678_9abc, i64::MIN]);
}

#[kernel]
fn polynomial(
    item: Item<1>,
    degree: Spec<u32>,
    factors: Spec<[f32; 4]>,
    exact: Spec<bool>,
    place: Spec<Vec2>,
    root: Spec<f32>,
    x: View<f32>,
    out: ItemMut<f32>,
) {
    let mut sum = 0.0;
    for k in 0..factors.len() {
        if k < *degree as usize {
            sum = sum * x[item] + factors[k];
        }
    }
    if *exact {
        sum += place.x + place.plus(&Vec2::new(1.0, 1.0)).dot(*place) + root.sqrt();
    }
    out[item] = sum;
}

#[kernel]
fn specialised_operands(item: Item<1>, s: Spec<f32>, f: Spec<[f32; 2]>, x: View<f32>, out: ItemMut<[f32; 4]>) {
    let copy = *s;
    let mut sum = x[item] + *s;
    sum += *s;
    out[item] = [*s * 2.0, sum, -*s + f[1], copy * f[0] - x[item]];
}

#[test]
fn specialised_arguments_are_operands() {
    rig::in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![0.5f32, -3.0]), Buffer::<[f32; 4]>::new(2));
        rig::run(queue, |h| h.parallel_for(2, specialised_operands(1.5, [4.0, 8.0], x.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [[3.0, 3.5, 6.5, 5.5], [3.0, 0.0, 6.5, 9.0]], "{way:?}");
    });
}

#[test]
fn specialised_arguments_are_read_like_values() {
    let factors = [1.0, -2.0, 3.0, 0.5];
    let values = [0.0, 1.0, -2.0];
    rig::in_every_way(|queue, way| {
        for degree in 0..=4u32 {
            let (x, out) = (Buffer::from_slice(&values), Buffer::<f32>::new(3));
            rig::run(queue, |h| {
                let kernel = polynomial(
                    degree,
                    Spec::new(factors),
                    degree > 2,
                    Vec2 { x: 0.5, y: 2.0 },
                    16.0,
                    x.read(h),
                    out.write(h),
                );
                h.parallel_for(3, kernel)
            });
            let expected = values.map(|x| {
                let sum = factors[..degree as usize].iter().fold(0.0, |sum, factor| sum * x + factor);
                if degree > 2 { sum + 0.5 + (1.5 * 0.5 + 3.0 * 2.0 + 4.0) } else { sum }
            });
            assert_eq!(out.host_read().expect("the result")[..], expected, "{way:?} {degree}");
        }
    });
}

/// Every atomic operation on one type; items of one group, and of one sub-group, whom every scope holds.
macro_rules! atomic_operations {
    ($($name:ident $ty:ident $(bits $and:ident)?;)*) => {$(
        mod $name {
            use super::*;

            #[kernel(fallback)]
            fn operate(item: NdItem<1>, cells: AtomicView<$ty>, olds: ItemMut<[$ty; 3]>) {
                let x = item.global_id(0) as $ty;
                cells.atomic(0).fetch_add(x);
                cells.atomic(1).order(Order::AcqRel).scope(Scope::Device).fetch_sub(x);
                cells.atomic(2).order(Order::SeqCst).scope(Scope::System).fetch_max(x);
                cells.atomic(3).order(Order::Acquire).scope(Scope::WorkGroup).fetch_min(x);
                cells.atomic(4).order(Order::Release).store(7 as $ty);
                let old = cells.atomic(5).order(Order::Relaxed).scope(Scope::SubGroup).exchange(9 as $ty);
                let (seen, done) = cells.atomic(6).compare_exchange(5 as $ty, x);
                let loaded = cells.atomic(7).order(Order::Acquire).scope(Scope::WorkItem).load();
                $(
                    let $and = item.global_id(0) as $ty;
                    cells.atomic(8).fetch_and(!(1 << ($and % 8)));
                    cells.atomic(9).fetch_or(1 << ($and % 8));
                    cells.atomic(10).fetch_xor($and);
                )?
                fence(Order::SeqCst, Scope::Device);
                olds[item] = [old, if done { 1 as $ty } else { seen - seen }, loaded];
            }

            #[test]
            fn give_the_values_of_one_after_another() {
                rig::in_every_way(|queue, way| {
                    let start: Vec<$ty> = vec![1 as $ty, 1000 as $ty, 3 as $ty, 5 as $ty, 0 as $ty, 1 as $ty, 5 as $ty, 4 as $ty, 127 as $ty, 0 as $ty, 64 as $ty];
                    let (cells, olds) = (Buffer::from_vec(start), Buffer::<[$ty; 3]>::new(20));
                    let shape = NdRange::new(20, 20).sub_group_size(32);
                    rig::run(queue, |h| h.parallel_for(shape, operate(cells.atomic(h), olds.write(h))));
                    let cells = cells.host_read().expect("the result");
                    assert_eq!(cells[..6], [191 as $ty, 810 as $ty, 19 as $ty, 0 as $ty, 7 as $ty, 9 as $ty], "{way:?}");
                    assert!(cells[6] < 20 as $ty && cells[7] == 4 as $ty, "{way:?}");
                    $(let $and = 0; assert_eq!(cells[8..], [$and, 255, 64], "{way:?}");)?
                    let olds = olds.host_read().expect("the result");
                    let first = olds.iter().filter(|old| old[0] == 1 as $ty).count();
                    assert!(first == 1 && olds.iter().all(|old| old[0] == 1 as $ty || old[0] == 9 as $ty), "{way:?}");
                    // Whether an item found 5 there depends on the order, but somebody did.
                    assert!(olds.iter().any(|old| old[1] == 1 as $ty), "{way:?}");
                    assert!(olds.iter().all(|old| old[2] == 4 as $ty), "{way:?}");
                });
            }
        }
    )*};
}

atomic_operations! {
    atomic_operations_on_i32 i32 bits x;
    atomic_operations_on_u32 u32 bits x;
    atomic_operations_on_i64 i64 bits x;
    atomic_operations_on_u64 u64 bits x;
    atomic_operations_on_usize usize bits x;
    atomic_operations_on_isize isize bits x;
    atomic_operations_on_f32 f32;
    atomic_operations_on_f64 f64;
}

mod left {
    use syclone::prelude::*;

    /// One of two kernels called `fill`.
    #[kernel]
    pub fn fill(item: Item<1>, out: ItemMut<u32>) {
        out[item] = 1;
    }
}

mod right {
    use syclone::prelude::*;

    /// The other one.
    #[kernel]
    pub fn fill(item: Item<1>, value: u32, out: ItemMut<u32>) {
        out[item] = value;
    }
}

#[test]
fn two_kernels_of_one_name_in_different_modules_both_work() {
    rig::in_every_way(|queue, way| {
        let (a, b) = (Buffer::<u32>::new(3), Buffer::<u32>::new(3));
        rig::run(queue, |h| h.parallel_for(3, left::fill(a.write(h))));
        rig::run(queue, |h| h.parallel_for(3, right::fill(2, b.write(h))));
        assert_eq!(a.host_read().expect("the result")[..], [1; 3], "{way:?}");
        assert_eq!(b.host_read().expect("the result")[..], [2; 3], "{way:?}");
    });
}
