//! Short vectors, on the host and in kernels.

use super::written;
use syclone::prelude::*;

#[kernel]
fn made(item: Item<1>, x: View<i32>, out: ItemMut<I32x4>) {
    let v = I32x4::new([x[item], 2, 3, x[item] + 1]);
    out[item] = v + I32x4::splat(10);
}

#[kernel]
fn arithmetic(item: Item<1>, a: View<F32x4>, b: View<F32x4>, out: ItemMut<[F32x4; 5]>) {
    let (u, v) = (a[item], b[item]);
    out[item] = [u + v, u - v, u * v, u / v, -u * 2.0 + 1.0];
}

#[kernel]
fn bits(item: Item<1>, a: View<U32x4>, b: View<U32x4>, out: ItemMut<[U32x4; 5]>) {
    let (u, v) = (a[item], b[item]);
    out[item] = [u & v, u | v, u ^ v, u << 3u32, u >> 2u32];
}

#[kernel]
fn swizzled(item: Item<1>, x: View<F32x4>, out: ItemMut<F32x4>, pair: ItemMut<F32x2>) {
    let v = x[item];
    out[item] = v.wzyx();
    pair[item] = v.lo() + v.odd();
}

#[kernel]
fn selected(item: Item<1>, a: View<F32x4>, b: View<F32x4>, out: ItemMut<F32x4>, any: ItemMut<[bool; 2]>) {
    let less = a[item].lanes_lt(b[item]);
    out[item] = less.select(a[item], b[item]);
    any[item] = [less.any(), less.all()];
}

#[kernel]
fn in_vectors(item: Item<1>, x: View<f32>, out: ScatterMut<f32>) {
    let v = x.load_vector::<4>(item.id(0));
    out.store_vector(item.id(0), v * v);
}

#[kernel]
fn of_three(item: Item<1>, x: View<F32x3>, out: ItemMut<f32>) {
    let v = x[item];
    out[item] = v.x + v.y + v.z;
}

#[kernel]
fn beyond(item: Item<1>, x: View<f32>, out: ItemMut<f32>) {
    let v = x.load_vector::<4>(item.id(0));
    out[item] = v.x + v.y + v.z + v.w;
}

#[kernel]
fn lanes_of_sixteen(item: Item<1>, x: View<I32x16>, out: ItemMut<I32x16>) {
    let mut v = x[item];
    for lane in 0..16 {
        v[lane] = v[lane] * lane as i32;
    }
    out[item] = v;
}

fn pairs() -> (Vec<F32x4>, Vec<F32x4>) {
    let a = (0..25).map(|i| F32x4::new([i as f32, 1.5, -2.0, i as f32 * 0.5])).collect();
    let b = (0..25).map(|i| F32x4::new([12.0, i as f32 + 0.25, 4.0, -1.0])).collect();
    (a, b)
}

/// Lanes, conversions and relations.
pub mod api {
    use super::*;

    crate::tests! {
        fn lanes_are_read_written_and_converted(_queue) {
            let v = F32x4::new([1.5, -2.5, 3.0, 4.0]);
            assert_eq!((F32x4::LANES, v.get(1), v[2], v.w), (4, -2.5, 3.0, 4.0));
            assert_eq!(v.with(0, 9.0).to_array(), [9.0, -2.5, 3.0, 4.0]);
            assert_eq!(v.convert::<i32>().to_array(), [1, -2, 3, 4]);
        }

        fn relations_give_masks_that_select(queue) {
            let (a, b) = pairs();
            let (u, v) = (Buffer::from_slice(&a), Buffer::from_slice(&b));
            let (out, any) = (Buffer::<F32x4>::new(25), Buffer::<[bool; 2]>::new(25));
            queue.submit(|h| h.parallel_for(25, selected(u.read(h), v.read(h), out.write(h), any.write(h))))?;
            for (i, (got, any)) in out.to_vec()?.iter().zip(any.to_vec()?).enumerate() {
                let (p, q) = (a[i].to_array(), b[i].to_array());
                assert_eq!(got.to_array(), std::array::from_fn(|lane| p[lane].min(q[lane])), "item {i}");
                let less = (0..4).filter(|&lane| p[lane] < q[lane]).count();
                assert_eq!(any, [less > 0, less == 4], "item {i}");
            }
        }

        fn sixteen_lanes_are_indexed_by_a_variable(queue) {
            let counted = |i| I32x16::new(std::array::from_fn(|lane| i * 100 + lane as i32));
            let x: Vec<I32x16> = (0..5).map(counted).collect();
            let out: Vec<I32x16> = written(queue, &x, 5, |h, x, out| {
                h.parallel_for(5, lanes_of_sixteen(x.read(h), out.write(h)))
            })?;
            for (got, v) in out.iter().zip(&x) {
                assert_eq!(got.to_array(), std::array::from_fn(|lane| v[lane] * lane as i32));
            }
        }
    }
}

/// How vectors are made.
pub mod constructors {
    use super::*;

    crate::tests! {
        fn a_vector_is_made_of_its_lanes_or_of_one_value(_queue) {
            assert_eq!(U8x3::new([1, 2, 3]).to_array(), [1, 2, 3]);
            assert_eq!(F64x8::splat(0.5).to_array(), [0.5; 8]);
            assert_eq!(I32x2::from([4, 5]).to_array(), [4, 5]);
            assert_eq!(F32x16::default().to_array(), [0.0; 16]);
        }

        fn kernels_make_vectors_of_what_they_computed(queue) {
            let (x, out) = (Buffer::from_vec((0..9).collect::<Vec<i32>>()), Buffer::<I32x4>::new(9));
            queue.submit(|h| h.parallel_for(9, made(x.read(h), out.write(h))))?;
            let got: Vec<[i32; 4]> = out.to_vec()?.iter().map(|v| v.to_array()).collect();
            assert_eq!(got, (0..9).map(|i| [i + 10, 12, 13, i + 11]).collect::<Vec<_>>());
        }
    }
}

/// Vectors in memory.
pub mod load_store {
    use super::*;

    crate::tests! {
        fn memory_of_scalars_is_read_and_written_in_vectors(queue) {
            let x: Vec<f32> = (0..64).map(|i| i as f32 - 20.0).collect();
            let (input, out) = (Buffer::from_slice(&x), Buffer::<f32>::new(64));
            // SAFETY: each item writes four elements of its own.
            queue.submit(|h| unsafe { h.parallel_for_unchecked(16, in_vectors(input.read(h), out.scatter(h))) })?;
            assert_eq!(out.to_vec()?, x.iter().map(|v| v * v).collect::<Vec<_>>());
        }

        fn three_lanes_take_the_room_of_three(queue) {
            assert_eq!(size_of::<F32x3>(), 12);
            let x: Vec<F32x3> = (0..11).map(|i| F32x3::new([i as f32, 10.0, 0.5])).collect();
            let out: Vec<f32> = written(queue, &x, 11, |h, x, out| {
                h.parallel_for(11, of_three(x.read(h), out.write(h)))
            })?;
            assert_eq!(out, (0..11).map(|i| i as f32 + 10.5).collect::<Vec<_>>());
        }

        #[mistaken]
        fn a_vector_that_is_partly_outside_is_an_error(queue) {
            let (x, out) = (Buffer::from_vec(vec![1.0f32; 10]), Buffer::<f32>::new(3));
            let event = queue.submit(|h| h.parallel_for(3, beyond(x.read(h), out.write(h))))?;
            assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })));
        }
    }
}

/// Operators.
pub mod operators {
    use super::*;

    crate::tests! {
        fn arithmetic_goes_lane_by_lane(queue) {
            let (a, b) = pairs();
            let (u, v) = (Buffer::from_slice(&a), Buffer::from_slice(&b));
            let out = Buffer::<[F32x4; 5]>::new(25);
            queue.submit(|h| h.parallel_for(25, arithmetic(u.read(h), v.read(h), out.write(h))))?;
            for (i, got) in out.to_vec()?.iter().enumerate() {
                let (p, q) = (a[i].to_array(), b[i].to_array());
                for lane in 0..4 {
                    let (x, y) = (p[lane], q[lane]);
                    let expected = [x + y, x - y, x * y, x / y, -x * 2.0 + 1.0];
                    assert_eq!(got.map(|v| v.get(lane)), expected, "item {i}, lane {lane}");
                }
            }
        }

        fn bit_operators_and_shifts_go_lane_by_lane(queue) {
            let a: Vec<U32x4> = (0..10).map(|i| U32x4::new([i, i * 77, 0xffff_0000, 0x1234_5678])).collect();
            let b: Vec<U32x4> = (0..10).map(|i| U32x4::new([3, !i, 0x00ff_ff00, i << 28])).collect();
            let (u, v, out) = (Buffer::from_slice(&a), Buffer::from_slice(&b), Buffer::<[U32x4; 5]>::new(10));
            queue.submit(|h| h.parallel_for(10, bits(u.read(h), v.read(h), out.write(h))))?;
            for (i, got) in out.to_vec()?.iter().enumerate() {
                for lane in 0..4 {
                    let (x, y) = (a[i][lane], b[i][lane]);
                    assert_eq!(got.map(|v| v.get(lane)), [x & y, x | y, x ^ y, x << 3, x >> 2], "item {i}");
                }
            }
        }
    }
}

/// Swizzles.
pub mod swizzles {
    use super::*;

    crate::tests! {
        fn lanes_are_taken_in_any_order(_queue) {
            let v = I32x4::new([1, 2, 3, 4]);
            assert_eq!(v.wzyx().to_array(), [4, 3, 2, 1]);
            assert_eq!(v.xxy().to_array(), [1, 1, 2]);
            assert_eq!((v.lo().to_array(), v.hi().to_array()), ([1, 2], [3, 4]));
            assert_eq!((v.even().to_array(), v.odd().to_array()), ([1, 3], [2, 4]));
            assert_eq!(v.swizzle2::<3, 0>().to_array(), [4, 1]);
        }

        fn kernels_swizzle_too(queue) {
            let x: Vec<F32x4> = (0..8).map(|i| F32x4::new([i as f32, 10.0, 20.0, 30.0])).collect();
            let (input, out, pair) = (Buffer::from_slice(&x), Buffer::<F32x4>::new(8), Buffer::<F32x2>::new(8));
            queue.submit(|h| h.parallel_for(8, swizzled(input.read(h), out.write(h), pair.write(h))))?;
            for (i, (got, pair)) in out.to_vec()?.iter().zip(pair.to_vec()?).enumerate() {
                assert_eq!(got.to_array(), [30.0, 20.0, 10.0, i as f32]);
                assert_eq!(pair.to_array(), [i as f32 + 10.0, 40.0]);
            }
        }
    }
}
