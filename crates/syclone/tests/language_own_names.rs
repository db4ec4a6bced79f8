//! Own types that are called like those of the standard library, in every way.

mod rig;

use rig::{in_every_way, run};
use syclone::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
struct Box {
    corner: [f32; 2],
    size: f32,
}

#[device_fn]
impl Box {
    fn new(corner: [f32; 2], size: f32) -> Box {
        Box { corner, size }
    }

    fn contains(&self, x: f32) -> bool {
        x >= self.corner[0] && x < self.corner[0] + self.size
    }
}

mod shapes {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug, DeviceCopy)]
    #[repr(u8)]
    pub enum Filter {
        None,
        Some,
        Ok,
    }

    #[device_fn]
    impl Filter {
        pub fn chosen(number: u32) -> Filter {
            match number % 3 {
                0 => Filter::None,
                1 => Self::Some,
                _ => Filter::Ok,
            }
        }
    }
}

use shapes::Filter;

#[kernel(fallback)]
fn filtered(item: NdItem<1>, x: View<f32>, out: ItemMut<[f32; 2]>) {
    let bounds = self::Box::new([1.0, 0.0], 2.5);
    let filter = Filter::chosen(item.global_id(0) as u32);
    item.barrier();
    let value = match filter {
        Filter::None => 0.0,
        Filter::Some if bounds.contains(x[item]) => x[item],
        _ => -x[item],
    };
    out[item] = [value, crate::Box::new([0.0; 2], x[item]).size * if filter == Filter::None { 2.0 } else { 1.0 }];
}

#[test]
fn own_types_have_names_of_the_standard_library() {
    in_every_way(|queue, way| {
        let x: Vec<f32> = (0..12).map(|i| i as f32 * 0.5).collect();
        let (input, out) = (Buffer::from_vec(x.clone()), Buffer::<[f32; 2]>::new(12));
        run(queue, |h| h.parallel_for(NdRange::new(12, 4), filtered(input.read(h), out.write(h))));
        for (i, x) in x.into_iter().enumerate() {
            let value = match i % 3 {
                0 => 0.0,
                1 if (1.0..3.5).contains(&x) => x,
                _ => -x,
            };
            let size = if i % 3 == 0 { 2.0 * x } else { x };
            assert_eq!(out.host_read().unwrap()[i], [value, size], "{way:?}, {i}");
        }
    });
}
