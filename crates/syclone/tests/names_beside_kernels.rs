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
