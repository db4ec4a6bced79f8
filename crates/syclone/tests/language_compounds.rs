//! Tuples, arrays and structs inside of each other: made, changed in place, compared, and handed to functions. Each body
//! runs in every way and as plain Rust.

#![allow(clippy::all, reason = "the bodies are written as in kernels, where clippy's advice does not hold")]

mod rig;

use syclone::prelude::*;

trait Inputs: Sized {
    fn inputs() -> Vec<Self>;
}

impl Inputs for u32 {
    fn inputs() -> Vec<u32> {
        (0..40).chain([99, 1000, 65_535]).collect()
    }
}

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Unit;

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Wrapped<T, const N: usize> {
    items: [T; N],
    count: u8,
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Deep {
    rows: [[Point; 2]; 3],
    inner: Wrapped<Wrapped<u16, 3>, 2>,
    unit: Unit,
    flags: [bool; 4],
}

const ORIGIN: Point = Point { x: 3, y: -4 };
const TABLE: [[i32; 3]; 2] = [[1, -2, 3], [40, 50, -60]];
const POINTS: [Point; 3] = [ORIGIN, Point { x: 1, y: 2 }, Point { x: -7, y: 0 }];

fn deep(x: i32) -> Deep {
    Deep {
        rows: [[Point { x, y: -x }; 2]; 3],
        inner: Wrapped { items: [Wrapped { items: [x as u16; 3], count: 1 }; 2], count: 2 },
        unit: Unit,
        flags: [x % 2 == 0, false, true, x > 3],
    }
}

impl Inputs for Deep {
    fn inputs() -> Vec<Deep> {
        (0..9).map(deep).collect()
    }
}

code! {
    fn parts_of_parts_are_read_and_changed_in_place(x: Deep) -> Deep {
        let mut d = x;
        d.rows[1][0].y += 5;
        d.rows[2] = d.rows[1];
        d.rows[(d.rows[0][1].x as usize) % 3][1] = Point { x: 9, y: ORIGIN.y };
        d.inner.items[1].items[2] ^= 0xff;
        d.inner.items[0] = d.inner.items[1];
        d.inner.items[0].count <<= 3;
        d.inner.count -= 1;
        d.flags[0] = !d.flags[3];
        d.flags[1] |= d.flags[2] & x.flags[0];
        d.unit = Unit;
        d
    }
}

code! {
    fn local_arrays_of_structs_and_tuples(x: u32) -> [i32; 8] {
        let mut points = [Point { x: 0, y: 0 }; 4];
        let mut pairs = [(0u8, [0i32; 2]); 3];
        let mut nested = ((1i32, [2i32, 3]), Point { x: x as i32, y: 1 });
        for i in 0..4 {
            points[i].x = i as i32 * x as i32;
            points[i].y -= points[(i + 3) % 4].x;
        }
        points[(x % 4) as usize].y *= 3;
        (points[0], points[3]) = (points[3], points[0]);
        for i in 0..3 {
            pairs[i].0 = (x + i as u32) as u8;
            pairs[i].1[i % 2] += 10 + pairs[(i + 2) % 3].0 as i32;
        }
        nested.0.1[(x % 2) as usize] <<= 4;
        nested.1.y = nested.0.1[1];
        (nested.0).0 = -nested.0.0;
        let (a, last) = (nested.0, nested.1);
        [
            points[0].x, points[1].y, points[2].y, points[3].x, pairs[1].0 as i32, pairs[2].1[0], pairs[1].1[1],
            a.0 + a.1[0] * 100 + last.y * 10_000,
        ]
    }
}

code! {
    fn constants_of_compound_types_are_indexed_and_taken_apart(x: u32) -> [i32; 6] {
        const LOCAL: [Point; 2] = [POINTS[2], Point { x: 70, y: TABLE[1][0] }];
        let i = (x % 3) as usize;
        let point = POINTS[i];
        [
            TABLE[(x % 2) as usize][i], TABLE[1][i] + ORIGIN.x, POINTS[i].y, point.x, LOCAL[i % 2].y,
            [10, 20, 30][i] + [POINTS[0], ORIGIN][i % 2].x,
        ]
    }
}

#[device_fn]
fn swap(a: &mut Point, b: &mut Point) {
    let t = *a;
    *a = *b;
    *b = t;
}

#[device_fn]
fn step(p: &mut Point, log: &mut [i32; 4], by: (i32, i32)) -> (i32, Point) {
    p.x += by.0;
    (*p).y -= by.1;
    log[(p.x & 3) as usize] += 1;
    (*log)[0] ^= p.y;
    if p.x > 20 {
        return (p.x, Point { x: 0, y: 1 });
    }
    record(log, &*p);
    (p.y, *p)
}

#[device_fn]
fn record(log: &mut [i32; 4], p: &Point) {
    for i in 0..log.len() {
        if p.x < i as i32 {
            return;
        }
        log[i] += p.y * i as i32;
    }
}

#[device_fn]
fn bump(x: &mut i32) {
    *x += 100;
    *x <<= 1;
}

#[device_fn]
impl Point {
    fn moved(mut self, mut by: i32) -> Self {
        by *= 2;
        self.x += by;
        self
    }
}

#[device_fn]
fn rows(x: i32) -> [(i32, [Point; 2]); 2] {
    [(x, [Point { x, y: 1 }; 2]), (x + 1, [Point { x: 2, y: x }, Point { x: 3, y: -x }])]
}

code! {
    fn references_to_variables_and_their_fields_are_handed_on(x: u32) -> [i32; 9] {
        let mut a = Point { x: x as i32, y: 5 };
        let mut b = Point { x: 1, y: 2 };
        let mut log = [0i32; 4];
        let mut pair = (7i32, Point { x: -1, y: -2 });
        swap(&mut a, &mut b);
        let mut sum = 0;
        for i in 0..3 {
            let (n, p) = step(&mut a, &mut log, (i, 2 * i));
            sum += n * 3 + p.x;
            if n > 50 { break; }
        }
        bump(&mut a.y);
        bump(&mut pair.0);
        swap(&mut pair.1, &mut b);
        let last = step(&mut pair.1, &mut log, (pair.0, a.x)).1;
        [a.x, a.y, b.x, sum, log[0], log[1] + log[3], pair.0, pair.1.y, last.x + rows(x as i32)[1].1[0].y + rows(3)[0].0 + a.moved(x as i32).moved(1).x]
    }
}

code! {
    fn compounds_are_compared(x: u32) -> [bool; 8] {
        let p = Point { x: x as i32 % 3, y: 1 };
        let q = Point { x: 1, y: 1 };
        let (a, b) = ([x % 2, 1, 2], [1, 1, 2]);
        [p == q, p != q, a == b, a != b, (x, true) == (5, x > 3), (x % 4, 1u8) != (2, 1), a < b, (x, 1) < (7, 0)]
    }
}

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Mixed {
    v: F32x4,
    list: [F32x2; 3],
    h: f16,
    n: i8,
}
impl Inputs for Mixed {
    fn inputs() -> Vec<Self> {
        (0..7)
            .map(|i| Mixed {
                v: F32x4::splat(i as f32),
                list: [F32x2::new([1.0, i as f32]); 3],
                h: f16::from_f32(i as f32),
                n: -i,
            })
            .collect()
    }
}
code! {
    fn vectors_in_structs_change_lane_by_lane(x: Mixed) -> Mixed {
        let mut m = x;
        m.v.x += 1.0;
        m.v[2] = m.list[1].y;
        m.list[2] = m.v.zw();
        m.list[(m.n & 1) as usize].x *= -2.0;
        m.list[0][1] -= m.v.dot(m.v);
        m.h += f16::from_f32(m.v.w);
        m.n = -m.n;
        m
    }
}

#[kernel(fallback)]
fn mixed_in_memory(item: NdItem<1>, x: View<Mixed>, out: ItemMut<Mixed>) {
    let tile = local::<[Mixed; 4]>();
    let me = item.local_id(0);
    tile[me] = x[item];
    tile[me].v.x += 1.0;
    tile[me].list[1].y = x[item].v.w;
    item.barrier();
    out[item] = tile[(me + 1) % 4];
    out[item].v.y -= 3.0;
    out[item].v[3] *= 2.0;
    out[item].list[me % 3][0] = x[item].list[2].yx().x;
    out[item].n += tile[me].n;
}

#[test]
fn vectors_in_structs_in_memory_change_lane_by_lane() {
    let x: Vec<Mixed> = Mixed::inputs()[..4].to_vec();
    rig::in_every_way(|queue, way| {
        let (a, out) = (Buffer::from_vec(x.clone()), Buffer::from_vec(x.clone()));
        rig::run(queue, |h| h.parallel_for(NdRange::new(4, 4), mixed_in_memory(a.read(h), out.write(h))));
        for i in 0..4 {
            let mut e = x[(i + 1) % 4];
            e.v.x += 1.0;
            e.list[1] = F32x2::new([1.0, e.v.w]);
            e.v.y -= 3.0;
            e.v[3] *= 2.0;
            e.list[i % 3][0] = x[i].list[2].y;
            e.n += x[i].n;
            assert_eq!(out.host_read().unwrap()[i], e, "{way:?} {i}");
        }
    });
}

/// The program's own types, though the standard library has types of these names.
mod grid {
    use syclone::prelude::*;

    #[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
    pub struct Cell {
        pub height: i32,
        pub walls: [bool; 4],
    }

    #[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
    pub struct Box(pub [i32; 2], pub [i32; 2]);
}

use grid::{Box, Cell};

#[device_fn]
fn contains(cell: Cell, bounds: &Box) -> bool {
    cell.height >= bounds.0[0] && cell.height < bounds.1[1]
}

code! {
    fn types_may_have_names_that_the_standard_library_has(x: u32) -> [i32; 3] {
        let cells: [Cell; 2] = [Cell { height: x as i32, walls: [x > 3; 4] }, grid::Cell { height: 7, walls: [false; 4] }];
        let mut bounds = Box([2, 1], [0, 30]);
        let first = contains(cells[0], &bounds) as i32;
        bounds.1[1] = cells[1].height;
        [first, contains(cells[0], &bounds) as i32, cells[0].walls[2] as i32]
    }
}
