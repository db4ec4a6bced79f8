//! A command graph: the steps of a simulation, recorded once and replayed with one call each time.
//!
//! Submitting many small kernels costs more than running them. A graph pays for their order once.

use std::time::Instant;

use syclone::prelude::*;

const CELLS: usize = 256;
const STEPS: usize = 100;
const ROUNDS: usize = 50;

#[kernel]
fn diffuse(item: Item<1>, rate: f32, old: View<f32>, new: ItemMut<f32>) {
    let idx = item.id(0);
    let left = if idx == 0 { old[idx] } else { old[idx - 1] };
    let right = if idx + 1 == old.extent(0) { old[idx] } else { old[idx + 1] };
    new[item] = old[item] + rate * (left + right - 2.0 * old[item]);
}

/// Submits the steps of one round: to a queue that runs them, or to one that records them.
fn round(queue: &Queue, rate: f32, cells: &[Buffer<f32>; 2]) -> Result<Vec<Event>> {
    (0..STEPS)
        .map(|step| {
            let (old, new) = (&cells[step % 2], &cells[(step + 1) % 2]);
            queue.submit(|h| h.parallel_for(CELLS, diffuse(rate, old.read(h), new.write(h))))
        })
        .collect()
}

fn start() -> [Buffer<f32>; 2] {
    let mut cells = vec![0.0; CELLS];
    cells[CELLS / 2] = 1000.0;
    [Buffer::from_vec(cells), Buffer::new(CELLS)]
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;

    let plain = start();
    let began = Instant::now();
    for _ in 0..ROUNDS {
        round(&queue, 0.25, &plain)?;
    }
    queue.wait()?;
    let submitted = began.elapsed();

    let cells = start();
    let (graph, steps) = queue.record(|queue| round(queue, 0.25, &cells))?;
    let graph = graph.instantiate()?;
    let began = Instant::now();
    for _ in 0..ROUNDS {
        queue.replay(&graph)?;
    }
    queue.wait()?;
    let replayed = began.elapsed();

    let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / (ROUNDS * STEPS) as f64;
    println!("submitted one by one: {:.2} µs a kernel", each(submitted));
    println!("replayed as a graph:  {:.2} µs a kernel", each(replayed));
    assert_eq!(plain[0].to_vec()?, cells[0].to_vec()?);

    // The same graph with another rate in its first step.
    let (old, new) = (&cells[0], &cells[1]);
    graph.update(&steps[0], |h| h.parallel_for(CELLS, diffuse(0.125, old.read(h), new.write(h))))?;
    queue.replay(&graph)?.wait()?;
    let total: f32 = cells[0].host_read()?.iter().sum();
    assert!((total - 1000.0).abs() < 0.1, "diffusion loses nothing: {total}");
    Ok(())
}
