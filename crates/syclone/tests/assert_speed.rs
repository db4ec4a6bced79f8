//! What assertions cost that never fail. `docs/performance.md` has the figures, which need a release build:
//! `cargo test --release -p syclone --test assert_speed -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use syclone::prelude::*;

/// A polynomial: enough arithmetic that it matters whether the loop over items is vectorised.
#[device_fn]
fn polynomial(x: f32) -> f32 {
    let y = ((((x * 0.5 + 0.25) * x + 0.75) * x + 1.5) * x - 0.125) * x + 2.0;
    ((((y * 0.25 + x) * y - 0.75) * x + y) * y - 0.5) * x + y
}

#[kernel]
fn plain(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let i = item.id(0);
    y[item] = polynomial(x[i]);
}

#[kernel]
fn index_asserted(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let i = item.id(0);
    kassert!(i < x.len(), "item {i} of {}", x.len());
    y[item] = polynomial(x[i]);
}

#[kernel]
fn value_asserted(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let value = x[item];
    kassert!(value >= 0.0 && value <= 1.0, "{value} is no fraction");
    y[item] = polynomial(value);
}

#[kernel]
fn result_asserted(item: Item<1>, x: View<f32>, y: ItemMut<f32>) {
    let i = item.id(0);
    let result = polynomial(x[i]);
    kassert!(result == result, "{result}");
    y[item] = result;
}

#[kernel]
fn gathers(item: Item<1>, at: View<u32>, x: View<f32>, y: ItemMut<f32>) {
    y[item] = polynomial(x[at[item] as usize]);
}

#[kernel]
fn gather_asserted(item: Item<1>, at: View<u32>, x: View<f32>, y: ItemMut<f32>) {
    let i = at[item] as usize;
    kassert!(i < x.len(), "index {i} of {}", x.len());
    y[item] = polynomial(x[i]);
}

/// The shortest time of many.
fn shortest(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(400) {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}

#[test]
#[ignore = "measures; see above"]
fn assertions_that_hold() {
    let queue = Queue::new(&Device::cpu_with_threads(1).expect("a device")).expect("a queue");
    let n = 1 << 19;
    let at = Buffer::from_vec((0..n as u32).collect::<Vec<_>>());
    let (x, y) = (Buffer::from_vec(vec![0.5f32; n]), Buffer::<f32>::new(n));
    let time = |name: &str, group: &dyn Fn(&Handler<'_>) -> Result<()>| {
        let best = shortest(|| queue.submit(group).expect("submits").wait().expect("runs"));
        println!("{name:20} {:6.3} ns an item", best.as_secs_f64() * 1e9 / n as f64);
    };
    time("plain", &|h| h.parallel_for(n, plain(x.read(h), y.write(h))));
    time("index asserted", &|h| h.parallel_for(n, index_asserted(x.read(h), y.write(h))));
    time("value asserted", &|h| h.parallel_for(n, value_asserted(x.read(h), y.write(h))));
    time("result asserted", &|h| h.parallel_for(n, result_asserted(x.read(h), y.write(h))));
    time("gather", &|h| h.parallel_for(n, gathers(at.read(h), x.read(h), y.write(h))));
    time("gather, asserted", &|h| h.parallel_for(n, gather_asserted(at.read(h), x.read(h), y.write(h))));
}
