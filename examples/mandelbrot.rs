//! The Mandelbrot set: items that take very different times. Prints it, or writes an image.
//!
//!     cargo run --release --example mandelbrot -- mandelbrot.pgm

use std::io::Write as _;

use syclone::prelude::*;

const STEPS: u32 = 255;

#[kernel]
fn mandelbrot(item: Item<2>, left: f32, top: f32, width: f32, height: f32, steps: ItemMut<u8, 2>) {
    let re = left + width * item.id(1) as f32 / item.range(1) as f32;
    let im = top + height * item.id(0) as f32 / item.range(0) as f32;
    let (mut x, mut y) = (0.0f32, 0.0f32);
    let mut n = 0;
    while n < STEPS && x * x + y * y <= 4.0 {
        let t = x * x - y * y + re;
        y = 2.0 * x * y + im;
        x = t;
        n += 1;
    }
    steps[item] = n as u8;
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let queue = Queue::new(&Device::from_env()?)?;
    let file = std::env::args_os().nth(1);
    let (rows, columns) = if file.is_some() { (800, 1200) } else { (24, 78) };
    let steps = Buffer::<u8, 2>::new([rows, columns]);
    queue.submit(|h| h.parallel_for([rows, columns], mandelbrot(-2.2, -1.2, 3.2, 2.4, steps.write(h))))?;
    let steps = steps.host_read()?;
    match file {
        Some(path) => {
            let mut image = std::fs::File::create(&path)?;
            write!(image, "P5\n{columns} {rows}\n255\n")?;
            image.write_all(&steps)?;
            println!("wrote {}", path.display());
        }
        None => {
            for row in steps.chunks(columns) {
                let shade = |&n: &u8| b" .,:;i1tfLCG08@"[(n.ilog2() as usize * 2).min(14)] as char;
                println!("{}", row.iter().map(|n| shade(n.max(&1))).collect::<String>());
            }
        }
    }
    // The middle of the picture lies inside the set, its corner far outside.
    assert_eq!(steps[rows / 2 * columns + columns / 2], STEPS as u8);
    assert!(steps[0] < 3);
    Ok(())
}
