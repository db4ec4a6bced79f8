//! A kernel inside of an `impl`, which is all that is wrong.
use syclone::prelude::*;

struct Solver;

impl Solver {
    #[kernel]
    fn step(item: Item<1>, y: ItemMut<f32>) {
        y[item] = 1.0;
    }
}

fn launch(queue: &Queue, y: &Buffer<f32>) -> Result<()> {
    queue.submit(|h| h.parallel_for(4, Solver::step(y.write(h))))?;
    Ok(())
}

fn main() {}
