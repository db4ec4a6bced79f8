//! Short vectors, half precision and the functions of SYCL's list.

use syclone::prelude::*;

/// Turns and fades a colour: red, green, blue, opacity.
#[kernel]
fn shade(item: Item<1>, light: f32, pixels: ItemMut<F32x4>) {
    let pixel = pixels[item];
    let mut turned = pixel.zxyw();
    turned.w = pixel.w.clamp(0.0, 1.0);
    let lit = (turned * light).min(1.0);
    pixels[item] = turned.mix(lit, 0.5);
}

/// Four neighbours at a time: vector number `i` begins at element `4 * i`.
#[kernel]
fn lengths(item: Item<1>, x: View<f16>, out: ItemMut<f32>) {
    let v = x.load_vector::<4>(item.id(0)).convert::<f32>();
    out[item] = v.length() + v.x.cospi();
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let pixels = Buffer::from_vec(vec![F32x4::new([0.2, 0.4, 0.8, 2.0]); 3]);
    queue.submit(|h| h.parallel_for(3, shade(2.0, pixels.read_write(h))))?;
    let shaded = pixels.host_read()?[2];
    println!("shaded: {shaded:?}");
    let expected = [0.9, 0.3, 0.6, 1.0];
    assert!((0..4).all(|lane| (shaded.get(lane) - expected[lane]).abs() < 1e-6));

    let x = Buffer::from_vec([0.0, 3.0, 4.0, 0.0, 1.0, 1.0, 1.0, 1.0].map(f16::from_f32).to_vec());
    let out = Buffer::<f32>::new(2);
    queue.submit(|h| h.parallel_for(2, lengths(x.read(h), out.write(h))))?;
    println!("lengths: {:?}", out.host_read()?);
    assert_eq!(out.to_vec()?, [6.0, 1.0]);
    Ok(())
}
