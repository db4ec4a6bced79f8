use super::*;
use crate::AccessMode;

fn object(bytes: usize) -> (Arc<MemoryObject>, usize) {
    let object = MemoryObject::from_vec(vec![0u8; bytes]);
    let first = object.ptr().addr();
    (object, first)
}

#[test]
fn what_is_written_is_taken_out_of_what_is_not() {
    let (memory, at) = object(100);
    mark(&memory, at..at + 100);
    written(at + 10..at + 20);
    written(at + 15..at + 30);
    written(at + 90..at + 200);
    assert_eq!(of(&(at..at + 100)), [at..at + 10, at + 30..at + 90]);
    assert_eq!(of(&(at + 5..at + 40)), [at + 5..at + 10, at + 30..at + 40]);
    mark(&memory, at + 5..at + 35);
    assert_eq!(of(&(at..at + 40)), [at..at + 5, at + 5..at + 35, at + 35..at + 40]);
}

#[test]
fn marks_are_void_when_their_memory_is_gone() {
    let (memory, at) = object(64);
    mark(&memory, at..at + 64);
    drop(memory);
    assert!(of(&(at..at + 64)).is_empty());
}

#[test]
fn what_lies_between_the_rows_of_a_region_is_not_written() {
    let (memory, at) = object(40);
    mark(&memory, at..at + 40);
    written_in(&memory, &Region::rows(2, 3, 3, 10));
    assert_eq!(of(&(at..at + 30)), [at..at + 2, at + 5..at + 12, at + 15..at + 22, at + 25..at + 30]);
    written_in(&memory, &Region::range(7..7));
    assert_eq!(of(&(at + 5..at + 12)).first(), Some(&(at + 5..at + 12)));
}

#[test]
fn a_copy_takes_along_what_nobody_has_written() {
    let ((source, from), (target, to)) = (object(40), object(40));
    mark(&source, from + 4..from + 14);
    mark(&target, to..to + 40);
    let access = |object: &Arc<MemoryObject>, mode, region| Access::region(object, mode, region, "x");
    // Bytes 2 to 6 and 12 to 16, of which 4 to 6 and 12 to 14 are unwritten, to a range and to four rows.
    let read = access(&source, AccessMode::Read, Region::rows(2, 4, 2, 10));
    copied(&read, &access(&target, AccessMode::Write, Region::range(0..8)));
    assert_eq!(of(&(to..to + 10)), [to + 2..to + 4, to + 4..to + 6, to + 8..to + 10]);
    copied(&read, &access(&target, AccessMode::Write, Region::rows(20, 2, 4, 5)));
    let between = [to + 22..to + 25, to + 25..to + 27, to + 27..to + 30, to + 30..to + 32, to + 32..to + 35];
    assert_eq!(of(&(to + 20..to + 37)), between);
}
