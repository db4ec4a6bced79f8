//! Devices: `platform`, `device`, `device_selector` and `context`.

use syclone::prelude::*;

#[kernel]
fn plus_one(item: Item<1>, x: ItemMut<i32>) {
    x[item] += 1;
}

/// Back ends.
pub mod platform {
    use super::*;

    crate::tests! {
        fn the_device_is_among_those_of_its_machine(queue) {
            let own = queue.device().info().backend;
            assert!(Device::all().iter().any(|device| device.info().backend == own));
            assert!(!own.is_empty());
        }

        fn a_back_end_without_devices_says_why(queue) {
            let _ = queue;
            for missing in Device::unavailable_backends() {
                assert!(!missing.backend.is_empty() && !missing.reason.is_empty(), "{missing:?}");
            }
        }

        fn the_cpu_is_always_there(queue) {
            let _ = queue;
            let cpu = Device::select("cpu")?;
            assert!(cpu.has(Aspect::Cpu) && !cpu.has(Aspect::Gpu));
            assert!(Device::all().contains(&cpu));
        }
    }
}

/// Devices.
pub mod device {
    use super::*;

    crate::tests! {
        fn limits_are_such_as_kernels_need(queue) {
            let info = queue.device().info();
            assert!(!info.name.is_empty() && !info.driver_version.is_empty() && !info.selector.is_empty());
            assert!(info.compute_units >= 1);
            assert!(info.max_work_group_size >= 64);
            assert!(info.max_work_item_sizes.iter().all(|&size| size >= 1 && size <= info.max_work_group_size));
            assert!(info.local_memory_bytes >= 16 * 1024);
            assert!(info.max_allocation > 0 && info.global_memory_bytes >= info.max_allocation);
            assert!(info.sub_group_sizes.contains(&info.default_sub_group_size));
        }

        fn an_aspect_that_is_missing_is_an_error_that_names_it(queue) {
            let device = queue.device();
            for &aspect in Aspect::ALL {
                match device.require(aspect) {
                    Ok(()) => assert!(device.has(aspect) && device.info().aspects.contains(aspect)),
                    Err(error) => {
                        assert!(!device.has(aspect) && matches!(error, Error::AspectMissing { .. }));
                        assert!(error.to_string().contains(aspect.name()), "{error}");
                    }
                }
            }
            assert!(device.has(Aspect::Cpu) != device.has(Aspect::Gpu));
        }

        fn memory_in_use_is_counted(queue) {
            let device = queue.device();
            let before = device.memory_stats().in_use;
            let x = queue.alloc_device::<u8>(1 << 20)?;
            // Other tests allocate and free meanwhile; on a device of its own the numbers are exact.
            if device.is_checked() {
                assert!(device.memory_stats().in_use >= before + (1 << 20));
                assert!(device.memory_stats().high_water >= before + (1 << 20));
            }
            drop(x);
        }

        fn a_device_is_equal_to_itself_alone(queue) {
            let own = Device::cpu_with_threads(1)?;
            assert_eq!(own, own.clone());
            assert_ne!(&own, queue.device());
        }
    }
}

/// Selection.
pub mod device_selector {
    use super::*;

    crate::tests! {
        fn what_a_listed_device_prints_selects_it(queue) {
            let _ = queue;
            for device in Device::all() {
                assert_eq!(Device::select(&device.info().selector)?, device);
            }
        }

        fn a_selector_that_matches_nothing_lists_what_there_is(queue) {
            let _ = queue;
            let error = Device::select("cuda:77").expect_err("no such device");
            assert!(matches!(error, Error::NoDevice { .. }) && error.to_string().contains("cpu"), "{error}");
        }

        fn a_selector_of_no_form_is_an_error(queue) {
            let _ = queue;
            for text in ["cpu:", ":0", "cpu:x", "cpu:0:1", "c pu", "cpu:-1"] {
                let error = Device::select(text).expect_err(text);
                assert!(matches!(error, Error::InvalidSelector { .. } | Error::NoDevice { .. }), "{text}: {error}");
            }
        }

        fn the_default_is_a_device_of_this_machine(queue) {
            let _ = queue;
            assert!(Device::all().contains(&Device::default_device()?));
        }
    }
}

/// Memory and devices together.
pub mod context {
    use super::*;

    crate::tests! {
        fn queues_of_one_device_share_its_memory(queue) {
            let other = Queue::new(queue.device())?;
            let mut x = queue.alloc_device::<i32>(10)?;
            queue.fill(&mut x, 0)?;
            for _ in 0..4 {
                queue.parallel_for(10, plus_one(x.item_mut()))?;
                other.parallel_for(10, plus_one(x.item_mut()))?;
            }
            assert_eq!(other.to_vec(&x)?, [8; 10]);
        }

        fn buffers_go_from_device_to_device(queue) {
            let other = Queue::new(&Device::cpu_with_threads(1)?)?;
            let x = Buffer::from_vec(vec![0; 10]);
            for _ in 0..4 {
                queue.submit(|h| h.parallel_for(10, plus_one(x.read_write(h))))?;
                other.submit(|h| h.parallel_for(10, plus_one(x.read_write(h))))?;
            }
            assert_eq!(x.to_vec()?, [8; 10]);
        }

        fn memory_of_another_device_is_an_error_that_names_both(queue) {
            let other = Queue::new(&Device::cpu_with_threads(1)?)?;
            let mut x = other.alloc_device::<i32>(10)?;
            let error = queue.parallel_for(10, plus_one(x.item_mut())).expect_err("not its own");
            assert!(matches!(error, Error::ForeignArgument { .. }), "{error}");
            assert!(error.to_string().contains(&queue.device().info().selector), "{error}");
        }

        fn a_copy_crosses_devices(queue) {
            let other = Queue::new(&Device::cpu_with_threads(1)?)?;
            let (mut x, mut y) = (queue.alloc_device::<i32>(10)?, other.alloc_device::<i32>(10)?);
            queue.fill(&mut x, 6)?;
            queue.copy(&x, &mut y)?;
            other.parallel_for(10, plus_one(y.item_mut()))?;
            assert_eq!(other.to_vec(&y)?, [7; 10]);
        }
    }
}
