//! A trace: what each command did, when and where, and which ones it waited for.
//!
//! ```sh
//! cargo run --release --example trace -- trace.json     # open the file at https://ui.perfetto.dev
//! cargo run --release --example trace | dot -Tsvg > graph.svg
//! ```

use std::fs::File;
use std::io::BufWriter;

use syclone::{Trace, prelude::*};

#[kernel]
fn scale(item: Item<1>, a: f32, x: View<f32>, y: ItemMut<f32>) {
    y[item] = a * x[item];
}

#[kernel]
fn add(item: Item<1>, x: View<f32>, y: View<f32>, z: ItemMut<f32>) {
    z[item] = x[item] + y[item];
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let n = 1 << 16;
    let queue = Queue::new(&Device::from_env()?)?;
    let [x, left, right, z] = [(); 4].map(|()| Buffer::<f32>::new(n));

    let trace = Trace::start_for(&[queue.device().clone()]);
    queue.fill(&x, 1.0)?;
    // Neither needs the other: they may run at once.
    queue.submit(|h| h.parallel_for(n, scale(2.0, x.read(h), left.write(h))))?;
    queue.submit(|h| h.parallel_for(n, scale(3.0, x.read(h), right.write(h))))?;
    queue.submit(|h| h.parallel_for(n, add(left.read(h), right.read(h), z.write(h))))?;
    queue.wait()?;
    let report = trace.finish();

    assert_eq!(z.host_read()?[n - 1], 5.0);
    let names: Vec<&str> = report.commands().iter().map(|command| &*command.name).collect();
    assert_eq!(names, ["fill", "scale", "scale", "add"]);
    // Both scalings need the fill, and the addition needs both.
    assert_eq!(report.dependencies().iter().filter(|dependency| dependency.data).count(), 4);
    match std::env::args().nth(1) {
        Some(path) => {
            report.write_json(BufWriter::new(File::create(&path)?))?;
            println!("{path}: {} commands", report.commands().len());
        }
        None => print!("{}", report.to_dot()),
    }
    Ok(())
}
