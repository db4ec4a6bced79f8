//! Device functions and traits: one kernel, generic over what it applies.
//!
//! `#[device_fn]` makes functions, `impl` blocks and traits callable from kernels, in this crate and in others. The
//! compiler makes a kernel of its own for each type, so a trait costs nothing at run time.

use syclone::prelude::*;

/// A function that a layer of a network applies to each value.
#[device_fn]
trait Activation {
    fn apply(x: f32) -> f32;
}

struct Relu;
struct LeakyRelu;
struct Sigmoid;

#[device_fn]
impl Activation for Relu {
    fn apply(x: f32) -> f32 {
        x.max(0.0)
    }
}

#[device_fn]
impl Activation for LeakyRelu {
    fn apply(x: f32) -> f32 {
        if x > 0.0 { x } else { 0.1 * x }
    }
}

#[device_fn]
impl Activation for Sigmoid {
    fn apply(x: f32) -> f32 {
        1.0 / (1.0 + negative_exp(x))
    }
}

#[device_fn]
fn negative_exp(x: f32) -> f32 {
    (-x).exp()
}

#[kernel]
fn layer<A: Activation>(item: Item<1>, bias: f32, x: View<f32>, y: ItemMut<f32>) {
    y[item] = A::apply(x[item] + bias);
}

fn run<A: Activation + 'static>(queue: &Queue, name: &str) -> Result<Vec<f32>> {
    let x = Buffer::from_vec(vec![-3.0, -1.0, 0.0, 2.0]);
    let y = Buffer::<f32>::new(4);
    queue.submit(|h| h.parallel_for(4, layer::<A>(1.0, x.read(h), y.write(h))))?;
    let y = y.to_vec()?;
    println!("{name:>8}: {y:?}");
    Ok(y)
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    assert_eq!(run::<Relu>(&queue, "relu")?, [0.0, 0.0, 1.0, 3.0]);
    assert_eq!(run::<LeakyRelu>(&queue, "leaky")?, [-0.2, 0.0, 1.0, 3.0]);
    let sigmoid = run::<Sigmoid>(&queue, "sigmoid")?;
    assert!(sigmoid.iter().zip([0.1192, 0.5, 0.7311, 0.9526]).all(|(y, exact)| (y - exact).abs() < 1e-4));
    Ok(())
}
