//! What an inline kernel cannot capture is one error, at the variable.

use syclone::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Holder {
    parts: [f32; 2],
}

struct Plain {
    x: f32,
}

fn launch(queue: &Queue, out: &Buffer<f32>) -> syclone::Result<()> {
    let values = vec![1.0f32; 4];
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = values[item.id(0)]))
    })?;
    let text = String::from("text");
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = text.len() as f32))
    })?;
    let plain = Plain { x: 1.0 };
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = plain.x))
    })?;
    queue.submit(|h| h.parallel_for([4], syclone::kernel!(|item: Item<1>| out[item] = 1.0)))?;
    let pair = (1.0f32, 2u32);
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = pair.0))
    })?;
    let slice: &[f32] = &values;
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| y[item] = slice[item.id(0)]))
    })?;
    let array = [1.0f32; 2];
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| {
            array[1] += 1.0;
            y[item] = array[1];
        }))
    })?;
    let holder = Holder { parts: array };
    queue.submit(|h| {
        let y = out.write(h);
        h.parallel_for([4], syclone::kernel!(|item: Item<1>| {
            let second = holder;
            second.parts[1] = 1.0;
            y[item] = second.parts[1];
        }))
    })?;
    Ok(())
}

fn main() {}
