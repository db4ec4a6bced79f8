use crate::abi::GroupCx;
use crate::abi::tests::{one_group, with_memory};
use crate::kernel::Position;
use crate::types::DeviceCopy;

#[test]
fn tokens_are_positions_and_never_values_that_memory_could_hold() {
    with_memory(|memory| {
        // SAFETY: one group at a time, inside `with_memory`.
        let group = unsafe { GroupCx::nd_range([1, 2], [2, 3], [4, 5], 4, 0, memory) };
        let item = group.nd_item([3, 4]);
        assert_eq!(Position::<2>::position(item), [7, 14]);
        let by_reference: &crate::kernel::NdItem<2> = &item;
        assert_eq!(Position::<2>::position(by_reference), [7, 14]);
        assert_eq!(Position::<2>::position(group.group()), [1, 2]);
        assert_eq!(Position::<1>::position(9usize), [9]);
    });
    /// Two candidates for tokens that could be stored, one for those that cannot: `_` is ambiguous for the former.
    trait Storable<Which> {
        fn check() {}
    }
    impl<T> Storable<()> for T {}
    impl<T: DeviceCopy> Storable<u8> for T {}
    <crate::kernel::NdItem<2> as Storable<_>>::check();
    <crate::kernel::Item<1> as Storable<_>>::check();
    <crate::kernel::Group<3> as Storable<_>>::check();
    <crate::kernel::SubGroup as Storable<_>>::check();
}

#[test]
fn a_method_that_only_the_macro_can_translate_says_so() {
    let message = std::panic::catch_unwind(|| {
        with_memory(|memory| one_group(memory, 1, 1).nd_item([0]).barrier());
    });
    let message = *message.expect_err("a barrier outside of a kernel").downcast::<&str>().expect("a message");
    assert!(message.contains("only inside #[kernel]"), "{message}");
}
