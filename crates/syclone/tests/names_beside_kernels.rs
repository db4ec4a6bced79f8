//! A kernel takes its name among functions only: a type and a module may have it too, as beside any function.

use syclone::prelude::*;

mod twice {
    use syclone::prelude::*;

    pub const FACTOR: f32 = 2.0;

    /// Named like its module, and imported beside it.
    #[kernel]
    pub fn twice(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
        y[item] = x[item] * FACTOR;
    }
}
use twice::twice;

#[allow(non_camel_case_types)]
#[derive(Clone, Copy, DeviceCopy)]
struct shifted {
    by: f32,
}

#[kernel]
fn shifted(item: Item<1>, shift: shifted, x: View<f32>, y: ItemMut<f32>) {
    y[item] = x[item] + shift.by + twice::FACTOR;
}

#[kernel]
fn r#loop<T: Scalar>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
    y[item] = x[item];
}

#[test]
fn kernels_run_beside_types_and_modules_of_their_names() {
    let queue = Queue::new(&Device::default_device().unwrap()).unwrap();
    let (x, y) = (Buffer::from_slice(&[1.0f32, 2.0, 3.0]), Buffer::<f32>::new(3));
    let mut results = Vec::new();
    let mut run = |submit: &dyn Fn()| {
        submit();
        results.push(y.to_vec().unwrap());
    };
    run(&|| drop(queue.submit(|h| h.parallel_for(3, twice(x.read(h), y.write(h)))).unwrap()));
    let shift = shifted { by: 0.5 };
    run(&|| drop(queue.submit(|h| h.parallel_for(3, shifted(shift, x.read(h), y.write(h)))).unwrap()));
    run(&|| drop(queue.submit(|h| h.parallel_for(3, r#loop(x.read(h), y.write(h)))).unwrap()));
    assert_eq!(results, [[2.0, 4.0, 6.0], [3.5, 4.5, 5.5], [1.0, 2.0, 3.0]]);
}

/// Of the host, and not what kernels mean where a block has another of the name.
#[allow(dead_code)]
fn half(_: f32) -> f32 {
    f32::NAN
}

#[allow(dead_code)]
struct Third;

#[allow(dead_code)]
impl Third {
    fn of(_: f32) -> f32 {
        f32::NAN
    }
}

mod others {
    use syclone::prelude::*;

    #[derive(Clone, Copy, DeviceCopy)]
    pub struct Part(f32);

    #[device_fn]
    impl Part {
        pub fn of(x: f32) -> f32 {
            x / 3.0
        }
    }
}

macro_rules! make_half {
    () => {
        #[device_fn]
        fn half(x: f32) -> f32 {
            x / 2.0
        }
    };
}

#[test]
fn functions_and_types_of_a_block_that_macros_and_aliases_make_go_before_those_around() {
    make_half!();
    type Third = others::Part;

    #[kernel]
    fn parts(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
        y[item] = half(x[item]) + Third::of(x[item]);
    }

    let queue = Queue::new(&Device::default_device().unwrap()).unwrap();
    let (x, y) = (Buffer::from_slice(&[6.0f32, 12.0]), Buffer::<f32>::new(2));
    queue.submit(|h| h.parallel_for(2, parts(x.read(h), y.write(h)))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5.0, 10.0]);
    let inline = |h: &Handler<'_>| {
        let (x, y) = (x.read(h), y.write(h));
        h.parallel_for(2, syclone::kernel!(|item: Item<1>| y[item] = half(x[item]) - Third::of(x[item])))
    };
    queue.submit(inline).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1.0, 2.0]);
}
