use super::*;

#[test]
fn scratch_blocks_are_aligned_disjoint_and_stay_in_place_while_the_arena_grows() {
    let mut scratch = Scratch::default();
    let mut blocks = Vec::new();
    for (number, bytes) in [1usize, 64, 65, 100_000, 7, 1 << 20, 3].into_iter().enumerate() {
        let start = scratch.alloc(bytes, 64).unwrap();
        assert_eq!(start.addr() % 64, 0);
        // SAFETY: the arena lends `bytes` bytes here until the reset.
        unsafe { start.write_bytes(number as u8 + 1, bytes) };
        blocks.push((start, bytes));
    }
    for (number, &(start, bytes)) in blocks.iter().enumerate() {
        // SAFETY: as above; written just before.
        let block = unsafe { std::slice::from_raw_parts(start, bytes) };
        assert!(block.iter().all(|&byte| byte == number as u8 + 1), "block {number} was overwritten");
    }
}

#[test]
fn after_a_reset_the_arena_serves_the_same_needs_from_one_block() {
    let mut scratch = Scratch::default();
    for _ in 0..3 {
        (0..10).for_each(|_| drop(scratch.alloc(50_000, 16)));
        scratch.reset();
    }
    assert_eq!(scratch.blocks.len(), 1);
    let first = scratch.alloc(50_000, 16).unwrap();
    (0..9).for_each(|_| drop(scratch.alloc(50_000, 16)));
    assert_eq!(scratch.blocks.len(), 1);
    scratch.reset();
    assert_eq!(scratch.alloc(8, 8).unwrap(), first);
}

#[test]
fn alignments_over_a_cache_line_are_kept() {
    let mut scratch = Scratch::default();
    for align in [128, 4096, 65536] {
        assert_eq!(scratch.alloc(100, align).unwrap().addr() % align, 0);
    }
}

#[test]
fn a_scratch_request_that_overflows_is_an_error_value() {
    let mut scratch = Scratch::default();
    for bytes in [usize::MAX, usize::MAX - 64, isize::MAX as usize] {
        assert!(matches!(scratch.alloc(bytes, 64), Err(Error::OutOfMemory { asked, .. }) if asked >= bytes));
    }
}

#[test]
fn local_memory_is_aligned_and_as_long_as_asked() {
    let mut worker = Worker::new(3, 65536, "cpu:0".to_owned()).unwrap();
    let (start, bytes) = worker.local_memory();
    assert_eq!((start.addr() % 64, bytes, worker.index()), (0, 65536, 3));
    assert_eq!(worker.device(), "cpu:0");
}

#[test]
fn memory_that_the_system_does_not_have_is_an_error_that_names_the_workers_device() {
    let asked = isize::MAX as usize;
    let named = |error: Error| matches!(error, Error::OutOfMemory { device, asked: told, .. } if device == "card" && told >= asked);
    assert!(named(Worker::new(0, asked, "card".to_owned()).err().unwrap()));
    let mut worker = Worker::new(0, 64, "card".to_owned()).unwrap();
    assert!(named(worker.scratch().alloc(asked, 64).unwrap_err()));
}
