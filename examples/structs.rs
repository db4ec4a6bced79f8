//! Structs, enums and methods: bodies in a gravity field.
//!
//! `#[derive(DeviceCopy)]` lets a type cross between host and kernels; `#[device_fn]` on its `impl` makes its methods
//! callable there. The same methods work on the host.

use syclone::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device_fn]
impl Vec3 {
    fn plus(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    fn times(self, factor: f32) -> Vec3 {
        Vec3 { x: factor * self.x, y: factor * self.y, z: factor * self.z }
    }

    fn norm2(self) -> f32 {
        self.x * self.x + self.y * self.y + self.z * self.z
    }
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(u8)]
enum Kind {
    Fixed,
    Moving,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Body {
    at: Vec3,
    velocity: Vec3,
    mass: f32,
    kind: Kind,
}

#[device_fn]
impl Body {
    fn step(self, force: Vec3, dt: f32) -> Body {
        match self.kind {
            Kind::Fixed => self,
            Kind::Moving => {
                let velocity = self.velocity.plus(force.times(dt));
                Body { at: self.at.plus(velocity.times(dt)), velocity, mass: self.mass, kind: self.kind }
            }
        }
    }
}

#[kernel]
fn advance(item: Item<1>, dt: f32, bodies: View<Body>, next: ItemMut<Body>) {
    let own = bodies[item];
    let mut force = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
    for other in 0..bodies.len() {
        let body = bodies[other];
        let between = body.at.plus(own.at.times(-1.0));
        let distance2 = between.norm2() + 0.01;
        force = force.plus(between.times(body.mass / (distance2 * distance2.sqrt())));
    }
    next[item] = own.step(force, dt);
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let at = |x, y| Vec3 { x, y, z: 0.0 };
    let sun = Body { at: at(0.0, 0.0), velocity: at(0.0, 0.0), mass: 1.0, kind: Kind::Fixed };
    let planet = Body { at: at(1.0, 0.0), velocity: at(0.0, 1.0), mass: 1e-6, kind: Kind::Moving };
    let mut now = Buffer::from_vec(vec![sun, planet]);
    let mut next = Buffer::from_vec(vec![sun, planet]);
    for step in 0..600 {
        queue.submit(|h| h.parallel_for(2, advance(0.01, now.read(h), next.write(h))))?;
        std::mem::swap(&mut now, &mut next);
        if step % 100 == 99 {
            let planet = now.host_read()?[1].at;
            println!("t = {:.0}: ({:+.3}, {:+.3})", (step + 1) as f32 / 100.0, planet.x, planet.y);
        }
    }
    let bodies = now.to_vec()?;
    assert_eq!(bodies[0], sun);
    let radius = bodies[1].at.norm2().sqrt();
    assert!((0.9..1.1).contains(&radius), "the orbit stays an orbit: {radius}");
    Ok(())
}
