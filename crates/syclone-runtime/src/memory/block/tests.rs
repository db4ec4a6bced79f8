use super::*;

#[test]
fn size_classes_hold_what_is_asked_grow_with_it_and_waste_at_most_a_quarter() {
    let mut before = 0;
    for bytes in (1..100_000).chain((1 << 22) - 5000..(1 << 22) + 5000).chain((1 << 33) - 10..(1 << 33) + 10) {
        let class = class(bytes).unwrap();
        assert!(class >= bytes && class.is_multiple_of(64), "{bytes}: {class}");
        assert!(class >= before, "{bytes}: {class} after {before}");
        assert!(bytes < 256 || class - bytes <= bytes / 4, "{bytes}: {class}");
        assert_eq!(super::class(class), Some(class), "a class is its own");
        before = class;
    }
    assert_eq!(class(isize::MAX as usize + 1), None);
    assert_eq!(class(usize::MAX), None);
}

#[test]
fn a_block_is_aligned_zero_and_zero_again_when_handed_out_after_use() {
    for bytes in [64, 4096, MAPPED_FROM] {
        let mut block = Block::new(bytes, 3).unwrap();
        assert!(block.ptr().as_ptr().addr().is_multiple_of(ALIGNMENT));
        for owned in [bytes / 2, bytes / 4, bytes] {
            block.hand_out(owned);
            // SAFETY: inside the block.
            let seen = unsafe { std::slice::from_raw_parts_mut(block.ptr().as_ptr(), owned) };
            assert!(seen.iter().all(|byte| *byte == 0), "{owned} of {bytes}");
            seen.fill(7);
        }
        block.populate(0, bytes);
        // SAFETY: inside the block.
        assert_eq!(unsafe { *block.ptr().as_ptr().add(bytes - 1) }, 7);
    }
}

#[test]
fn maps_begin_at_different_places_in_their_pages() {
    let blocks: Vec<_> = (0..STAGGERS as u64).map(|number| Block::new(MAPPED_FROM, number).unwrap()).collect();
    let mut places: Vec<_> = blocks.iter().map(|block| block.ptr().as_ptr().addr() % (STAGGER * STAGGERS)).collect();
    places.sort_unstable();
    places.dedup();
    // The system may place maps as it likes, but not so that most of them meet.
    assert!(places.len() > STAGGERS / 2, "{places:?}");
}
