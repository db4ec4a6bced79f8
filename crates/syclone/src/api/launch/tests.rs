//! Launches without events while somebody else holds a lock. (That the queue's own locks are not taken is asked in the crate
//! `syclone-runtime`, which counts them.)

use std::sync::mpsc::channel;
use std::time::Duration;

use crate::prelude::*;

/// Long enough for any machine: a launch that waits for the lock does so for ever.
const FOR_EVER: Duration = Duration::from_secs(120);

#[device_fn]
fn half_of(x: f32) -> f32 {
    0.5 * x
}

#[kernel]
fn adds_half(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    y[item] += half_of(x[item]);
}

/// Launches of a thread that has launched before come and end while this thread holds what `lock` gives.
#[track_caller]
pub(crate) fn launches_go_on_while<L>(lock: impl FnOnce() -> L) {
    const LAUNCHES: usize = 500;
    let (says, heard) = channel();
    let (go, waits) = channel::<()>();
    let thread = std::thread::spawn(move || {
        let device = Device::cpu_with_threads(1).unwrap();
        let queue = Queue::in_order(&device).unwrap();
        let (mut x, mut y) = (queue.alloc_shared::<f32>(8).unwrap(), queue.alloc_shared::<f32>(8).unwrap());
        x.host_mut().unwrap().fill(2.0);
        let mut launch = || queue.launch(8, adds_half(x.view(), y.item_mut())).unwrap();
        launch();
        queue.wait().unwrap();
        says.send(()).unwrap();
        waits.recv().unwrap();
        (0..LAUNCHES).for_each(|_| launch());
        queue.wait().unwrap();
        says.send(()).unwrap();
        // Host accesses and the end of the memory may lock what they like.
        waits.recv().unwrap();
        y.host().unwrap().to_vec()
    });
    heard.recv_timeout(FOR_EVER).expect("the first launch ends");
    let locked = lock();
    go.send(()).unwrap();
    let ended = heard.recv_timeout(FOR_EVER);
    drop(locked);
    ended.expect("launches end while the lock is held");
    go.send(()).unwrap();
    assert_eq!(thread.join().unwrap(), [(LAUNCHES + 1) as f32; 8]);
}
