use std::time::{Duration, Instant};

use crate::abi::tests::{one_group, with_memory};
use crate::kernel::{AtomicRef, AtomicScalar, AtomicView, KernelParam, LocalAccessor, Oob, fence};
use crate::types::{Order, Scope};

/// Runs `test` with a view of `values`, and gives what they are then.
fn with_view<T: AtomicScalar, const N: usize>(mut values: [T; N], test: impl FnOnce(AtomicView<T>)) -> [T; N] {
    // SAFETY: the values live through the test, which touches them only through the view.
    test(unsafe { AtomicView::from_raw(values.as_mut_ptr(), [N], None) }.with_fault(1));
    values
}

/// One atomic element for `items` items on four threads.
fn on_threads<T: AtomicScalar>(start: T, items: usize, each: impl Fn(AtomicRef<T>, usize) + Sync) -> T {
    with_view([start], |view| {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let each = &each;
                scope.spawn(move || {
                    for i in (thread..items).step_by(4) {
                        each(view.atomic(0, &mut Oob::in_a_test()), i);
                    }
                });
            }
        });
    })[0]
}

#[test]
fn minima_and_maxima_of_floats_compare_values_not_bits() {
    let max = |start: f32, values: &[f32]| {
        on_threads(start, values.len(), |x, i| {
            x.fetch_max(values[i]);
        })
    };
    let min = |start: f32, values: &[f32]| {
        on_threads(start, values.len(), |x, i| {
            x.fetch_min(values[i]);
        })
    };
    assert_eq!(max(-1.0, &(0..512).map(|i| i as f32).collect::<Vec<_>>()), 511.0);
    assert_eq!(max(f32::NEG_INFINITY, &[-5.0, -4.0, -3.0, -2.0, -1.0]), -1.0);
    assert_eq!(min(f32::INFINITY, &(-5..=5).map(|i| i as f32).collect::<Vec<_>>()), -5.0);
}

#[test]
fn a_nan_among_the_values_ends_and_has_the_documented_result() {
    let started = Instant::now();
    let nan_at_77 = |i: usize| if i == 77 { f32::NAN } else { i as f32 };
    assert_eq!(
        on_threads(f32::NEG_INFINITY, 256, |x, i| {
            x.fetch_max(nan_at_77(i));
        }),
        255.0
    );
    assert_eq!(
        on_threads(f32::INFINITY, 256, |x, i| {
            x.fetch_min(nan_at_77(i));
        }),
        0.0
    );
    assert_eq!(
        on_threads(f32::NAN, 256, |x, i| {
            x.fetch_max(i as f32);
        }),
        255.0
    );
    assert!(
        on_threads(0.0, 256, |x, i| {
            x.fetch_add(nan_at_77(i));
        })
        .is_nan()
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn equal_zeros_keep_the_stored_one() {
    for (start, other) in [(-0.0f64, 0.0f64), (0.0, -0.0)] {
        let kept = |x: f64| assert_eq!(x.to_bits(), start.to_bits());
        kept(on_threads(start, 8, |x, _| {
            x.fetch_max(other);
        }));
        kept(on_threads(start, 8, |x, _| {
            x.fetch_min(other);
        }));
    }
}

#[test]
fn compare_exchange_compares_bits() {
    let values = with_view([f32::NAN, 0.0], |view| {
        let [nan, zero] = [0, 1].map(|i| view.atomic(i, &mut Oob::in_a_test()));
        let (old, exchanged) = nan.compare_exchange(f32::NAN, 3.0);
        assert!(old.is_nan() && exchanged);
        assert_eq!(nan.compare_exchange(2.0, 4.0), (3.0, false));
        let (old, exchanged) = zero.compare_exchange(-0.0, 5.0);
        assert!(old.to_bits() == 0 && !exchanged);
    });
    assert_eq!(values, [3.0, 0.0]);
}

#[test]
fn sixty_four_bit_sums_are_not_split() {
    assert_eq!(
        on_threads(0i64, 10_000, |x, _| {
            x.fetch_add(1 << 33);
        }),
        85_899_345_920_000
    );
    assert_eq!(
        on_threads(0.0f64, 10_000, |x, _| {
            x.fetch_add(0.5);
        }),
        5000.0
    );
}

#[test]
fn the_old_values_of_a_counter_are_a_permutation() {
    let seen = std::sync::Mutex::new(Vec::new());
    on_threads(0u32, 4096, |x, _| seen.lock().expect("no thread panics").push(x.fetch_add(1)));
    let mut seen = seen.into_inner().expect("no thread panics");
    seen.sort_unstable();
    assert_eq!(seen, (0..4096).collect::<Vec<_>>());
}

#[test]
fn every_operation_gives_the_old_value_and_writes_the_new_one_in_every_order() {
    for order in [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst] {
        let values = with_view([12i32; 11], |view| {
            let x = |i: usize| view.atomic(i, &mut Oob::in_a_test()).order(order).scope(Scope::WorkGroup);
            assert_eq!(x(0).load(), 12);
            x(1).store(1);
            assert_eq!(x(2).exchange(2), 12);
            assert_eq!(x(3).compare_exchange(12, 3), (12, true));
            assert_eq!(x(4).fetch_add(i32::MAX), 12);
            assert_eq!(x(5).fetch_sub(20), 12);
            assert_eq!(x(6).fetch_and(10), 12);
            assert_eq!(x(7).fetch_or(3), 12);
            assert_eq!(x(8).fetch_xor(5), 12);
            assert_eq!(x(9).fetch_min(-4), 12);
            assert_eq!(x(10).fetch_max(40), 12);
            fence(order, Scope::System);
        });
        assert_eq!(values, [12, 1, 2, 3, 12i32.wrapping_add(i32::MAX), -8, 8, 15, 9, -4, 40]);
    }
}

#[test]
fn an_atomic_outside_gives_zero_drops_writes_and_is_reported() {
    let values = with_view([5u64, 6], |view| {
        let mut oob = Oob::in_a_test();
        let outside = view.atomic(2, &mut oob);
        assert_eq!(oob.bits(), 1);
        assert_eq!((outside.load(), outside.exchange(9), outside.fetch_add(9)), (0, 0, 0));
        assert_eq!(outside.compare_exchange(0, 9), (0, false));
        outside.store(9);
    });
    assert_eq!(values, [5, 6]);
}

#[test]
fn local_memory_has_atomics_too() {
    with_memory(|memory| {
        let group = one_group(memory, 8, 4);
        let bins = group.local::<[u32; 4]>();
        let grid = group.bind_local(&LocalAccessor::<f32, 2>::new([2, 2]).with_fault(2));
        let mut oob = Oob::in_a_test();
        for i in 0..8usize {
            bins.atomic(i % 4, &mut oob).fetch_add(i as u32);
            grid.atomic([i % 2, 1], &mut oob).fetch_add(0.5);
        }
        assert_eq!([0, 1, 2, 3].map(|i| bins.atomic(i, &mut oob).load()), [4, 6, 8, 10]);
        assert_eq!([[0, 0], [0, 1], [1, 1]].map(|at| grid.atomic(at, &mut oob).load()), [0.0, 2.0, 2.0]);
        assert_eq!(oob.bits(), 0);
        grid.atomic([2, 0], &mut oob);
        bins.atomic(4, &mut oob);
        assert_eq!(oob.bits(), 2 | 1 << 31);
    });
}
