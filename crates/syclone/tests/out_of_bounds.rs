//! Accesses out of bounds: every way to run a kernel names the same parameter, or none, with its extents and the device.

mod rig;

use rig::in_every_way;
use syclone::prelude::*;

/// What an error of an access out of bounds says of what the access was outside of.
fn outside(queue: &Queue, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> (String, Vec<usize>) {
    let error = queue.submit(group).expect("submits").wait().expect_err("an index is out of bounds");
    drop(queue.device().take_reports());
    let text = error.to_string();
    let Error::OutOfBounds { kernel, device, parameter, extents, count } = error else { panic!("{text}") };
    assert_eq!((&*kernel, &device), ("strays", &queue.device().info().selector), "{text}");
    assert!(count > 0 && text.starts_with(&format!("kernel 'strays' on {device}: access outside ")), "{text}");
    let checked = queue.device().is_checked();
    let advice = if checked { "the device's report names" } else { "run it with SYCLONE_DEVICE=cpu:check for" };
    assert!(text.contains(&format!("\n{advice} the line, the item and the index")), "{text}");
    (parameter.into_owned(), extents)
}

const NO_PARAMETER: &str = "a local or private array, or a vector";

/// Tests in which a kernel called `strays` leaves what `$expected` says.
macro_rules! strays {
    ($($(#[$attribute:meta])* $test:ident: ($parameter:expr, $extents:expr), |$h:ident| $launch:expr, $kernel:item)*) => {$(
        mod $test {
            use super::*;

            $(#[$attribute])*
            $kernel

            #[test]
            fn is_named() {
                in_every_way(|queue, way| {
                    let extents: &[usize] = &$extents;
                    let expected = ($parameter.to_owned(), extents.to_vec());
                    assert_eq!(outside(queue, |$h| $launch), expected, "{way:?}");
                });
            }
        }
    )*};
}

fn four() -> Buffer<u32> {
    Buffer::from_vec(vec![1; 4])
}

strays! {
    #[kernel]
    the_first_of_three: ("x", [4]), |h| h.parallel_for(3, strays(four().read(h), four().read(h), four().write(h))),
    fn strays(item: Item<1>, x: View<u32>, y: View<u32>, out: ItemMut<u32>) {
        let array = [7u32; 4];
        let far = item.global_id(0) + 100;
        out[item] = array[far] + y[far] + x[far];
    }

    #[kernel]
    a_parameter_of_two_dimensions: ("x", [2, 1]),
    |h| h.parallel_for([2, 1], strays(Buffer::<u32, 2>::new([2, 1]).read(h), Buffer::<u32, 2>::new([2, 1]).write(h))),
    fn strays(item: Item<2>, x: View<u32, 2>, out: ItemMut<u32, 2>) {
        out[item] = x[[item.id(1), item.id(0)]];
    }

    #[kernel]
    an_item_that_has_no_element: ("out", [4]), |h| h.parallel_for(5, strays(four().write(h))),
    fn strays(item: Item<1>, out: ItemMut<u32>) {
        out[item] = 1;
    }

    #[kernel(fallback)]
    local_memory_of_a_parameter: ("tile", [2, 3]),
    |h| h.parallel_for(NdRange::new(4, 4), strays(LocalAccessor::new([2, 3]), four().write(h))),
    fn strays(item: NdItem<1>, tile: LocalAccessor<u32, 2>, out: ItemMut<u32>) {
        tile[[0, item.local_id(0)]] = 1;
        item.barrier();
        out[item] = tile[[0, 0]];
    }

    #[kernel(fallback)]
    a_local_array: (NO_PARAMETER, []), |h| h.parallel_for(NdRange::new(4, 4), strays(four().write(h))),
    fn strays(item: NdItem<1>, out: ItemMut<u32>) {
        let tile = local::<[u32; 3]>();
        tile[item.local_id(0)] = 1;
        item.barrier();
        out[item] = tile[0];
    }

    #[kernel]
    a_private_array: (NO_PARAMETER, []), |h| h.parallel_for(4, strays(four().write(h))),
    fn strays(item: Item<1>, out: ItemMut<u32>) {
        let array = [7u32; 4];
        out[item] = array[item.global_id(0) + 100];
    }

    #[kernel]
    an_array_that_is_called_as_a_parameter: (NO_PARAMETER, []),
    |h| h.parallel_for(4, strays(four().read(h), four().write(h))),
    fn strays(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
        let x = [x[item]; 2];
        out[item] = x[item.global_id(0)];
    }

    #[kernel]
    a_lane_of_a_vector: (NO_PARAMETER, []), |h| h.parallel_for(5, strays(Buffer::<u32>::new(5).write(h))),
    fn strays(item: Item<1>, out: ItemMut<u32>) {
        let lanes = U32x4::splat(3);
        out[item] = lanes[item.global_id(0)];
    }

    #[kernel]
    a_lane_of_a_vector_that_was_passed: (NO_PARAMETER, []),
    |h| h.parallel_for(5, strays(U32x4::splat(3), Buffer::<u32>::new(5).write(h))),
    fn strays(item: Item<1>, lanes: U32x4, out: ItemMut<u32>) {
        out[item] = lanes[item.global_id(0)];
    }

    #[kernel]
    a_lane_of_an_element: (NO_PARAMETER, []),
    |h| h.parallel_for(5, strays(Buffer::from_vec(vec![U32x4::splat(3); 5]).read(h), Buffer::<u32>::new(5).write(h))),
    fn strays(item: Item<1>, x: View<U32x4>, out: ItemMut<u32>) {
        out[item] = x[item][item.global_id(0)];
    }

    #[kernel]
    lanes_that_are_loaded_together: ("x", [6]),
    |h| h.parallel_for(2, strays(Buffer::<u32>::new(6).read(h), four().write(h))),
    fn strays(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
        out[item] = x.load_vector::<4>(item.global_id(0)).sum();
    }

    #[kernel(fallback)]
    a_span_of_a_parameter: ("x", [4]), |h| h.parallel_for(NdRange::new(4, 4), strays(four().read(h), four().write(h))),
    fn strays(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
        let some = x.span(2, 3);
        out[item] = item.group().joint_reduce(some, Plus);
    }

    #[kernel(fallback)]
    a_span_of_local_memory: ("tile", [6]),
    |h| h.parallel_for(NdRange::new(4, 4), strays(LocalAccessor::new(6), four().write(h))),
    fn strays(item: NdItem<1>, tile: LocalAccessor<u32>, out: ItemMut<u32>) {
        tile[item.local_id(0)] = 1;
        item.barrier();
        out[item] = item.group().joint_reduce(tile.span(4, 3), Plus);
    }

    #[kernel(fallback)]
    the_target_of_a_scan: ("tile", [3]),
    |h| h.parallel_for(NdRange::new(4, 4), strays(four().read(h), LocalAccessor::new(3), four().write(h))),
    fn strays(item: NdItem<1>, x: View<u32>, tile: LocalAccessor<u32>, out: ItemMut<u32>) {
        item.group().joint_inclusive_scan(x, tile, Plus);
        item.barrier();
        out[item] = tile[0];
    }
}
