//! Buffers: shapes, ownership, order, host access, and what goes wrong.

#[path = "rig/device.rs"]
mod device;

use device::device;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use syclone::prelude::*;

fn queue() -> Queue {
    Queue::new(&device()).expect("a CPU queue")
}

#[test]
fn a_new_buffer_holds_zeros_and_knows_its_shape() {
    let buffer = Buffer::<f64, 3>::new([2, 3, 4]);
    assert_eq!((buffer.extents(), buffer.len(), buffer.is_empty()), ([2, 3, 4], 24, false));
    assert_eq!(buffer.to_vec().unwrap(), vec![0.0; 24]);
    assert_eq!(Buffer::<bool>::new(3).to_vec().unwrap(), [false; 3]);
}

#[test]
fn a_vector_moves_in_and_out_without_a_copy() {
    let vec = vec![1u16, 2, 3];
    let address = vec.as_ptr();
    let buffer = Buffer::from_vec(vec);
    queue().fill(&buffer, 5).unwrap();
    let back = buffer.into_vec().unwrap();
    assert_eq!(back, [5, 5, 5]);
    assert_eq!(back.as_ptr(), address);
}

#[test]
fn taking_the_vector_of_a_buffer_with_other_handles_copies_it() {
    let buffer = Buffer::from_vec(vec![1, 2, 3]);
    let other = buffer.clone();
    assert_eq!(buffer.into_vec().unwrap(), [1, 2, 3]);
    other.host_write().unwrap()[0] = 10;
    assert_eq!(other.to_vec().unwrap(), [10, 2, 3]);
}

#[test]
fn extents_that_do_not_fit_the_data_are_an_error_with_both_numbers() {
    let error = Buffer::from_vec_with(vec![0u8; 7], [2, 3]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { command: "buffer from a vector".into(), source_len: 7, target_len: 6 });
    let buffer = Buffer::from_vec_with((0..6).collect::<Vec<i32>>(), [2, 3]).unwrap();
    assert_eq!(buffer.reshape([3, 2]).unwrap().extents(), [3, 2]);
    assert!(matches!(buffer.reshape([5]), Err(Error::LengthMismatch { source_len: 6, target_len: 5, .. })));
    assert!(matches!(
        buffer.copy_to_slice(&mut [0; 5]),
        Err(Error::LengthMismatch { source_len: 6, target_len: 5, .. })
    ));
}

#[test]
fn sizes_that_overflow_or_exceed_the_memory_are_error_values_at_first_use() {
    let overflow = Buffer::<f64, 2>::try_new([usize::MAX, 2]).unwrap_err();
    assert!(matches!(&overflow, Error::SizeOverflow { extents, element_bytes: 8, .. } if extents == &[usize::MAX, 2]));
    let bytes = Buffer::<f64>::try_new(usize::MAX / 8).unwrap_err();
    assert!(matches!(bytes, Error::SizeOverflow { .. }));
    let memory = Buffer::<u8>::try_new(isize::MAX as usize - 4096).unwrap_err();
    assert!(matches!(memory, Error::OutOfMemory { .. }), "{memory}");

    let buffer = Buffer::<f64, 2>::new([usize::MAX, 2]);
    assert_eq!(buffer.to_vec().unwrap_err(), overflow);
    assert_eq!(buffer.slice(..1).unwrap_err(), overflow);
    let queue = queue();
    assert_eq!(queue.fill(&buffer, 1.0).unwrap_err(), overflow);
    assert_eq!(queue.submit(|h| h.fill(buffer.write(h), 1.0)).unwrap_err(), overflow);
    let ignored = queue.submit(|h| {
        let _access = buffer.read(h);
        Ok(())
    });
    assert_eq!(ignored.unwrap_err(), overflow);
    assert!(queue.wait().is_ok(), "nothing was submitted");
}

#[test]
fn empty_buffers_copy_fill_and_read_as_nothing() {
    let queue = queue();
    let (a, b) = (Buffer::<i32>::new(0), Buffer::<i32, 2>::new([0, 5]));
    queue.fill(&a, 1).unwrap().wait().unwrap();
    queue.copy(&a, &b).unwrap().wait().unwrap();
    queue.submit(|h| h.copy(b.read(h), a.write(h))).unwrap().wait().unwrap();
    assert_eq!(a.to_vec().unwrap(), []);
    assert_eq!(b.host_read().unwrap().len(), 0);
    assert_eq!(queue.to_vec(&b).unwrap(), []);
    queue.wait().unwrap();
}

#[test]
fn commands_on_one_buffer_run_in_the_order_of_their_submission() {
    let queue = queue();
    let (a, b) = (Buffer::from_vec(vec![1u64; 1000]), Buffer::<u64>::new(1000));
    for _ in 0..20 {
        queue
            .submit(|h| {
                let mut data = a.read_write(h);
                h.host_task(move |task| task.write(&mut data).map(|data| data.iter_mut().for_each(|x| *x *= 2)))
            })
            .unwrap();
        queue.submit(|h| h.copy(a.read(h), b.write(h))).unwrap();
    }
    assert_eq!(b.to_vec().unwrap(), vec![1 << 20; 1000]);
}

#[test]
fn host_access_waits_for_the_writer() {
    let queue = queue();
    let buffer = Buffer::from_vec(vec![0u8]);
    let event = queue
        .submit(|h| {
            let mut data = buffer.write(h);
            h.host_task(move |task| {
                std::thread::sleep(Duration::from_millis(50));
                task.write(&mut data).map(|data| data[0] = 7)
            })
        })
        .unwrap();
    assert_eq!(buffer.host_read().unwrap()[0], 7);
    event.wait().unwrap();
}

#[test]
fn a_command_waits_until_the_host_access_is_dropped() {
    let queue = queue();
    let buffer = Buffer::from_vec(vec![1, 2, 3]);
    let mut host = buffer.host_write().unwrap();
    let event = queue.fill(&buffer, 9).unwrap();
    host[0] = 100;
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(host[..], [100, 2, 3], "the fill has not run");
    assert!(matches!(event.wait(), Err(Error::WaitWouldDeadlock { .. })), "this wait could never end");
    drop(host);
    event.wait().unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [9; 3]);
}

#[test]
fn several_host_reads_may_live_at_once() {
    let buffer = Buffer::from_vec(vec![1, 2, 3]);
    let (first, second) = (buffer.host_read().unwrap(), buffer.host_read().unwrap());
    assert_eq!(first[..], second[..]);
    assert!(matches!(buffer.host_write(), Err(Error::WaitWouldDeadlock { .. })));
}

#[test]
fn a_buffer_may_be_dropped_while_commands_use_it() {
    let queue = queue();
    let (started, start) = mpsc::channel();
    let (result, end) = mpsc::channel();
    let buffer = Buffer::from_vec(vec![3u32; 64]);
    queue
        .submit(|h| {
            let data = buffer.read(h);
            h.host_task(move |task| {
                start.recv().unwrap();
                task.read(&data).map(|data| result.send(data.iter().sum::<u32>()).unwrap())
            })
        })
        .unwrap();
    drop(buffer);
    drop(queue);
    started.send(()).unwrap();
    assert_eq!(end.recv_timeout(Duration::from_secs(10)).unwrap(), 192);
}

#[test]
fn sub_buffers_share_memory_and_disjoint_ones_are_independent() {
    let queue = queue();
    let buffer = Buffer::from_vec_with((0..12).collect::<Vec<i32>>(), [4, 3]).unwrap();
    let (top, bottom) = (buffer.slice(..2).unwrap(), buffer.slice(2..).unwrap());
    assert_eq!((top.extents(), bottom.extents()), ([2, 3], [2, 3]));
    // One command may write one part and read the other.
    queue.submit(|h| h.copy(bottom.read(h), top.write(h))).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11]);
    // A command on one part does not wait for the host's access to the other.
    let held = top.host_read().unwrap();
    queue.fill(&bottom, 0).unwrap().wait().unwrap();
    assert_eq!(held[..], [6, 7, 8, 9, 10, 11]);
    drop(held);
    assert_eq!(buffer.slice(1..=2).unwrap().to_vec().unwrap(), [9, 10, 11, 0, 0, 0]);
    assert!(matches!(buffer.slice(3..5), Err(Error::PartOutside { start: 3, end: 5, extent: 4, .. })));
    #[allow(clippy::reversed_empty_ranges, reason = "the mistake under test")]
    let reversed = buffer.slice(3..2);
    assert!(reversed.is_err());
    assert_eq!(buffer.slice(4..).unwrap().len(), 0);
}

#[test]
fn one_command_cannot_write_memory_that_it_names_twice() {
    let queue = queue();
    let buffer = Buffer::from_vec(vec![0i32; 8]);
    let twice = queue.submit(|h| {
        let (_r, mut w) = (buffer.read(h), buffer.write(h));
        h.host_task(move |task| task.write(&mut w).map(|_| ()))
    });
    assert!(matches!(twice, Err(Error::AccessConflict { .. })), "{twice:?}");
    let overlap = queue.copy(&buffer.slice(0..5).unwrap(), &buffer.slice(3..8).unwrap());
    assert!(matches!(overlap, Err(Error::AccessConflict { .. })), "{overlap:?}");
    queue.copy(&buffer.slice(0..4).unwrap(), &buffer.slice(4..8).unwrap()).unwrap().wait().unwrap();
    let reads = queue.submit(|h| {
        let (first, second) = (buffer.read(h), buffer.read(h));
        h.host_task(move |task| {
            assert_eq!(task.read(&first)?, task.read(&second)?);
            Ok::<_, Error>(())
        })
    });
    reads.unwrap().wait().unwrap();
}

#[test]
fn an_access_of_another_command_group_is_refused() {
    let queue = queue();
    let buffer = Buffer::from_vec(vec![1, 2]);
    let mut leaked = None;
    queue
        .submit(|h| {
            leaked = Some(buffer.read(h));
            Ok(())
        })
        .unwrap();
    let leaked = leaked.unwrap();
    let copied = queue.submit(|h| h.copy(leaked, &Buffer::<i32>::new(2)));
    assert!(matches!(copied, Err(Error::StaleArgument { .. })), "{copied:?}");
    let read = queue.submit(|h| h.host_task(move |task| task.read(&leaked).map(|_| ()))).unwrap().wait();
    assert!(matches!(&read, Err(Error::HostTaskFailed { message, .. }) if message.contains("does not belong")));
    assert!(queue.wait().is_err(), "the queue reports it too, once");
    assert!(queue.wait().is_ok());
}

#[test]
fn a_failed_writer_fails_its_readers_until_the_buffer_is_written_anew() {
    let queue = queue();
    let (buffer, copy) = (Buffer::from_vec(vec![1, 2]), Buffer::<i32>::new(2));
    let ran = Arc::new(AtomicBool::new(false));
    let failed = queue
        .submit(|h| {
            let _data = buffer.write(h);
            h.host_task(|_| Err::<(), _>("no network"))
        })
        .unwrap();
    let flag = Arc::clone(&ran);
    let dependent = queue
        .submit(|h| {
            let _data = buffer.read(h);
            h.host_task(move |_| flag.store(true, Ordering::SeqCst))
        })
        .unwrap();
    let independent = queue.fill(&copy, 4).unwrap();
    assert!(matches!(failed.wait(), Err(Error::HostTaskFailed { message, .. }) if message == "no network"));
    let error = dependent.wait().unwrap_err();
    assert!(matches!(&error, Error::DependencyFailed { .. }) && error.to_string().contains("no network"), "{error}");
    assert!(!ran.load(Ordering::SeqCst));
    independent.wait().unwrap();
    assert!(buffer.host_read().is_err(), "the host must not take old values for results");
    queue.copy_from_slice(&[5, 6], &buffer).unwrap().wait().unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [5, 6]);
    assert!(queue.wait().is_err());
}

#[test]
fn the_host_replaces_what_a_failed_command_left() {
    let queue = queue();
    let buffer = Buffer::from_vec(vec![1, 2]);
    let failed = queue.submit(|h| {
        let _data = buffer.write(h);
        h.host_task(|_| Err::<(), _>("on purpose"))
    });
    assert!(failed.unwrap().wait().is_err());
    assert!(buffer.to_vec().is_err());
    buffer.copy_from_slice(&[7, 8]).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [7, 8]);
    let wrong = buffer.copy_from_slice(&[1]);
    assert!(matches!(wrong, Err(Error::LengthMismatch { source_len: 1, target_len: 2, .. })));
    assert!(queue.wait().is_err());
}

#[test]
fn structs_with_padding_fill_and_copy() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(C)]
    struct Padded {
        small: u8,
        large: u64,
    }
    // SAFETY: the description names both fields where `repr(C)` puts them.
    unsafe impl DeviceCopy for Padded {
        fn device_type() -> syclone_kernel_ast::types::Type {
            use syclone_kernel_ast::types::{Field, StructType, Type};
            Type::Struct(Arc::new(StructType {
                name: "Padded",
                path: "Padded",
                size: 16,
                align: 8,
                fields: vec![
                    Field { name: "small", ty: u8::device_type(), offset: 0 },
                    Field { name: "large", ty: u64::device_type(), offset: 8 },
                ],
                tuple: false,
                methods: Vec::new(),
                comparison: Default::default(),
            }))
        }
        fn zeroed() -> Self {
            Padded { small: 0, large: 0 }
        }
        fn to_value(&self) -> syclone_kernel_ast::value::Value {
            unreachable!("never passed to a kernel")
        }
    }
    let (queue, value) = (queue(), Padded { small: 3, large: u64::MAX });
    let (a, b) = (Buffer::<Padded>::new(100_000), Buffer::<Padded>::new(100_000));
    assert_eq!(a.to_vec().unwrap(), vec![Padded::zeroed(); 100_000]);
    queue.fill(&a, value).unwrap();
    queue.copy(&a, &b).unwrap();
    assert_eq!(b.into_vec().unwrap(), vec![value; 100_000]);
}
