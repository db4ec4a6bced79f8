use super::*;

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
