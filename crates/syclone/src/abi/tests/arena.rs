use crate::abi::arena::{Arena, BLOCK_ALIGN};

#[test]
fn blocks_are_aligned_and_do_not_overlap_over_many_chunks() {
    let arena = Arena::new();
    let mut blocks = Vec::new();
    for i in 0..300usize {
        let bytes = 1 + i * 37;
        let ptr = arena.alloc(bytes, 8);
        assert_eq!(ptr as usize % BLOCK_ALIGN, 0);
        // SAFETY: the block has this many bytes.
        unsafe { ptr.write_bytes(i as u8, bytes) };
        blocks.push((ptr, bytes, i as u8));
    }
    for (ptr, bytes, value) in blocks {
        // SAFETY: the block was filled above, and none has been released.
        let block = unsafe { std::slice::from_raw_parts(ptr, bytes) };
        assert!(block.iter().all(|&byte| byte == value));
    }
}

#[test]
fn released_blocks_are_handed_out_again_also_across_chunks() {
    let arena = Arena::new();
    let first = arena.alloc(100, 1);
    let mark = arena.mark();
    let second = arena.alloc(100, 1);
    for _ in 0..10 {
        arena.alloc(50_000, 1);
    }
    arena.release(mark);
    assert_eq!(arena.alloc(100, 1), second);
    arena.reset();
    assert_eq!(arena.alloc(100, 1), first);
}

#[test]
fn a_loop_that_releases_needs_no_more_memory_the_longer_it_runs() {
    let arena = Arena::new();
    arena.alloc(60_000, 1);
    let mark = arena.mark();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1000 {
        seen.insert(arena.alloc(30_000, 1));
        seen.insert(arena.alloc(300_000, 1));
        arena.release(mark);
    }
    assert!(seen.len() <= 3, "{} different blocks", seen.len());
}

#[test]
fn large_alignments_are_honoured() {
    let arena = Arena::new();
    arena.alloc(1, 1);
    assert_eq!(arena.alloc(10, 4096) as usize % 4096, 0);
}
