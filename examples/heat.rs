//! A stencil: heat that spreads in a plate, two buffers that take turns.
//!
//! Nothing here waits between the steps: each reads what the one before it wrote, so the runtime orders them.

use syclone::prelude::*;

#[kernel]
fn spread(item: Item<2>, now: View<f32, 2>, next: ItemMut<f32, 2>) {
    let (y, x) = (item.id(0), item.id(1));
    let inside = y > 0 && y + 1 < now.extent(0) && x > 0 && x + 1 < now.extent(1);
    // The rim keeps its temperature.
    next[item] = if inside {
        let around = now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]];
        now[item] + 0.2 * (around - 4.0 * now[item])
    } else {
        now[item]
    };
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let (rows, columns) = (24, 64);
    let mut plate = vec![0.0f32; rows * columns];
    plate[..columns].fill(1.0);
    let mut now = Buffer::from_vec_with(plate.clone(), [rows, columns])?;
    let mut next = Buffer::from_vec_with(plate.clone(), [rows, columns])?;
    let steps = 400;
    for _ in 0..steps {
        queue.submit(|h| h.parallel_for([rows, columns], spread(now.read(h), next.write(h))))?;
        std::mem::swap(&mut now, &mut next);
    }

    // The same on the host.
    for _ in 0..steps {
        let old = plate.clone();
        for y in 1..rows - 1 {
            for x in 1..columns - 1 {
                let i = y * columns + x;
                let around = old[i - columns] + old[i + columns] + old[i - 1] + old[i + 1];
                plate[i] = old[i] + 0.2 * (around - 4.0 * old[i]);
            }
        }
    }
    let heat = now.host_read()?;
    for row in heat.chunks(columns).step_by(2) {
        println!("{}", row.iter().map(|&t| b" .:-=+*#%@"[(t * 9.0) as usize] as char).collect::<String>());
    }
    assert!(heat.iter().zip(&plate).all(|(a, b)| (a - b).abs() < 1e-5));
    Ok(())
}
