//! Index spaces: what they are made from, and how large they are.

use syclone::{LaunchShape, NdRange, Range};

#[test]
fn a_zero_extent_makes_the_size_zero_even_beside_huge_ones() {
    assert_eq!(Range::from([usize::MAX, usize::MAX, 0]).size(), Some(0));
    assert_eq!(Range::from([usize::MAX, 2]).size(), None);
    assert_eq!(Range::from([usize::MAX]).size(), Some(usize::MAX));
}

#[test]
fn numbers_tuples_and_arrays_make_the_same_range() {
    assert_eq!(Range::from(5), Range::from((5,)));
    assert_eq!(Range::from((5, 6)), Range::new([5, 6]));
    assert_eq!(Range::from((5, 6, 7)).extents(), [5, 6, 7]);
}

#[test]
fn a_plain_range_leaves_the_group_size_open_and_an_nd_range_sets_it() {
    assert_eq!(LaunchShape::from((4, 6)), LaunchShape { global: [4, 6], local: None, sub_group_size: None });
    assert_eq!(
        LaunchShape::from(NdRange::new([4, 6], [2, 3]).sub_group_size(4)),
        LaunchShape { global: [4, 6], local: Some([2, 3]), sub_group_size: Some(4) }
    );
}
