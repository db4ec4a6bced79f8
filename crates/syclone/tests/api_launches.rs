//! Launches without events: the fast path of in-order queues, through the typed API.

#[path = "rig/device.rs"]
mod device;

use device::device;
use syclone::prelude::*;

#[kernel]
fn axpy(item: Item<1>, a: f64, x: View<f64>, y: ItemMut<f64>) {
    y[item] += a * x[item];
}

#[kernel]
fn strays(item: Item<1>, x: View<f64>, y: ItemMut<f64>) {
    y[item] = x[item.id(0) + x.extent(0)];
}

#[kernel]
fn once(y: ScatterMut<f64>) {
    y[0] = 1.0;
}

#[test]
fn launches_of_all_sizes_and_commands_keep_the_order_of_the_queue() {
    let queue = Queue::in_order(&device()).unwrap();
    let n = 100_000;
    let (mut x, mut y) = (queue.alloc_shared::<f64>(n).unwrap(), queue.alloc_device::<f64>(n).unwrap());
    queue.fill(&mut y, 0.0).unwrap();
    for round in 1..=20 {
        queue.fill(&mut x, 1.0).unwrap();
        queue.launch(n, axpy(1.0, x.view(), y.item_mut())).unwrap();
        queue.launch(10, axpy(2.0, x.view(), y.item_mut())).unwrap();
        queue.launch_single_task(once(x.scatter_mut())).unwrap();
        let out = queue.to_vec(&y).unwrap();
        assert_eq!((out[0], out[n - 1]), (3.0 * round as f64, round as f64));
    }
}

#[test]
fn errors_of_launches_are_the_queues_and_what_they_wrote_is_no_result() {
    let queue = Queue::in_order(&device()).unwrap();
    let (x, mut y) = (queue.alloc_shared::<f64>(8).unwrap(), queue.alloc_shared::<f64>(8).unwrap());
    queue.launch(8, strays(x.view(), y.item_mut())).unwrap();
    let error = queue.wait().unwrap_err();
    assert!(matches!(&error, Error::OutOfBounds { kernel, parameter, .. } if kernel == "strays" && parameter == "x"));
    assert_eq!(y.host().unwrap_err().first_cause(), &error);
    queue.fill(&mut y, 3.0).unwrap();
    queue.launch(8, axpy(1.0, x.view(), y.item_mut())).unwrap();
    assert_eq!(y.host().unwrap()[..], [3.0; 8]);
    queue.wait().unwrap();
    let too_many = queue.launch(usize::MAX, axpy(1.0, x.view(), y.item_mut()));
    assert!(matches!(too_many, Err(Error::LaunchShape { .. })));
    let gone = {
        let short_lived = queue.alloc_shared::<f64>(8).unwrap();
        axpy(1.0, short_lived.view(), y.item_mut())
    };
    assert!(matches!(queue.launch(8, gone), Err(Error::StaleArgument { .. })));
}

#[test]
fn a_recording_queue_and_an_out_of_order_one_take_launches_as_commands() {
    let queue = Queue::new(&device()).unwrap();
    let (mut x, mut y) = (queue.alloc_shared::<f64>(8).unwrap(), queue.alloc_shared::<f64>(8).unwrap());
    queue.fill(&mut x, 1.0).unwrap();
    queue.launch(8, axpy(1.0, x.view(), y.item_mut())).unwrap();
    let (graph, ()) = queue.record(|queue| queue.launch(8, axpy(10.0, x.view(), y.item_mut()))).unwrap();
    assert_eq!(graph.len(), 1);
    queue.replay(&graph.instantiate().unwrap()).unwrap();
    assert_eq!(y.host().unwrap()[..], [11.0; 8]);
}
