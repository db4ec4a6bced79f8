//! The library's functions and macros in kernels go by Rust's names: imported one by one, by paths, beside device functions
//! that are called alike, in every way.

#![deny(unused_imports)]

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::{
    Buffer, F32x4, Item, ItemMut, NdItem, NdRange, Order, Scope, View, device_fn, fence, kassert, kernel, kprint,
    kprintln, local, max, min,
};

#[kernel(fallback, work_group_size(4))]
fn of_neighbours(item: NdItem<1>, x: View<i32>, out: ItemMut<[i32; 2]>) {
    let tile = local::<[i32; 4]>();
    tile[item.local_id(0)] = x[item];
    fence(Order::AcqRel, Scope::WorkGroup);
    item.barrier();
    let (own, other) = (x[item], tile[3 - item.local_id(0)]);
    kassert!(own != 1000);
    if own > 1000 {
        kprint!("{own}");
        kprintln!("{other}");
    }
    out[item] = [min(own, other), max(own, other)];
}

#[test]
fn names_imported_one_by_one_are_the_librarys() {
    in_every_way(|queue, way| {
        let x = [5, 1, 7, -2, 0, 0, 9, 8];
        let (input, out) = (Buffer::from_vec(x.to_vec()), Buffer::<[i32; 2]>::new(8));
        run(queue, |h| h.parallel_for(8, of_neighbours(input.read(h), out.write(h))));
        for i in 0..8 {
            let other = x[i / 4 * 4 + 3 - i % 4];
            assert_eq!(out.host_read().unwrap()[i], [x[i].min(other), x[i].max(other)], "{way:?}, {i}");
        }
    });
}

/// Nothing of the library's is imported here, and two functions of its names mean something else.
mod own {
    use syclone::prelude::{Item, ItemMut, NdItem, View, device_fn, kernel};

    #[device_fn]
    pub fn max(a: i32, b: i32) -> i32 {
        a * 100 + b
    }

    #[device_fn]
    pub fn min<T: syclone::prelude::Scalar>(a: T, b: T) -> T {
        a + b
    }

    #[device_fn]
    pub fn fence(item: NdItem<1>, x: i32) -> i32 {
        item.barrier();
        x + 1
    }

    #[kernel]
    pub fn of_both(item: Item<1>, x: View<i32>, out: ItemMut<[i32; 4]>) {
        let x = x[item];
        out[item] =
            [self::max(x, 3), syclone::prelude::max(x, 3), self::min::<i32>(x, 3), ::syclone::kernel::min(x, 3)];
    }

    #[kernel(fallback)]
    pub fn fenced(item: NdItem<1>, x: View<i32>, out: ItemMut<[i32; 4]>) {
        syclone::kassert!(x[item] < 100);
        let y = super::own::fence(item, x[item]);
        out[item] = [y, y, y, syclone::kernel::max(y, 4)];
    }
}

#[test]
fn device_functions_of_the_librarys_names_are_called_by_paths() {
    in_every_way(|queue, way| {
        let (input, out) = (Buffer::from_vec(vec![2, 4]), Buffer::<[i32; 4]>::new(2));
        run(queue, |h| h.parallel_for(2, own::of_both(input.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [[203, 3, 5, 2], [403, 4, 7, 3]], "{way:?}");
        run(queue, |h| h.parallel_for(NdRange::new(2, 2), own::fenced(input.read(h), out.write(h))));
        assert_eq!(*out.host_read().unwrap(), [[3, 3, 3, 4], [5; 4]], "{way:?}");
    });
    assert_eq!((own::max(2, 3), max(2, 3)), (203, 3));
}

#[device_fn]
fn clamped(x: f32) -> f32 {
    max(min(x, 1.0), 0.0)
}

#[test]
fn inline_kernels_and_device_functions_too() {
    in_every_way(|queue, way| {
        let values = [0.5, -1.0, 3.0, f32::NAN];
        let (input, out) = (Buffer::from_vec(values.to_vec()), Buffer::<f32>::new(4));
        let least = 0.25;
        run(queue, |h| {
            let (x, y) = (input.read(h), out.write(h));
            h.parallel_for(4, syclone::kernel!(|item: Item<1>| y[item] = max(clamped(x[item]), least)))
        });
        assert_eq!(*out.host_read().unwrap(), [0.5, 0.25, 1.0, 1.0], "{way:?}");
    });
}

#[test]
fn the_host_calls_them_as_well() {
    assert_eq!([min(2, 3), max(2, 3)], [2, 3]);
    assert_eq!([min(f32::NAN, 3.0), max(-0.5, f32::NAN)], [3.0, -0.5]);
    let (a, b) = (F32x4::new([1.0, 5.0, 2.0, 8.0]), F32x4::splat(3.0));
    assert_eq!((min(a, b), max(a, b)), (F32x4::new([1.0, 3.0, 2.0, 3.0]), F32x4::new([3.0, 5.0, 3.0, 8.0])));
    fence(Order::AcqRel, Scope::System);

    fn larger<T: syclone::prelude::Scalar>(a: T, b: T) -> T {
        max(a, b)
    }
    assert_eq!(larger(2u8, 9), 9);
}
