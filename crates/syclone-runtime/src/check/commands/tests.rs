use super::*;

/// A touch of memory that no command has named.
fn touch(addresses: Range<usize>, writes: bool) -> Touch {
    Touch { addresses, exactly: None, writes, object: None, parameter: "x".into(), location: SourceLocation::default() }
}

fn runs(number: u64, addresses: Range<usize>, writes: bool) -> usize {
    ran(number, &"k".into(), vec![touch(addresses, writes)]).len()
}

// Addresses of the tests are far apart, because all commands of the process are compared.

#[test]
fn commands_that_nothing_orders_race_if_one_writes() {
    let (a, b, c) = (submitted(1, false), submitted(1, false), submitted(1, false));
    assert_eq!(runs(a, 1000..1100, true), 0);
    assert_eq!(runs(b, 1096..1200, false), 1);
    assert_eq!(runs(c, 1196..1300, false), 0);
}

#[test]
fn commands_that_follow_each_other_do_not_race_even_through_others() {
    let (a, b, c) = (submitted(2, false), submitted(2, false), submitted(2, false));
    follows(b, a);
    follows(c, b);
    assert_eq!((runs(a, 2000..2100, true), runs(c, 2000..2100, true)), (0, 0));
}

#[test]
fn an_in_order_queue_orders_its_commands() {
    let (a, b) = (submitted(3, true), submitted(3, true));
    assert_eq!((runs(a, 3000..3100, true), runs(b, 3000..3100, true)), (0, 0));
}

#[test]
fn what_the_host_has_waited_for_is_before_what_it_submits_later() {
    let (a, b) = (submitted(4, false), submitted(4, false));
    seen(a);
    let c = submitted(4, false);
    assert_eq!((runs(a, 4000..4100, true), runs(c, 4000..4100, true)), (0, 0));
    // This one was submitted before.
    assert_eq!(runs(b, 4000..4100, false), 2);
}

#[test]
fn a_wait_for_a_queue_says_nothing_of_what_is_submitted_meanwhile() {
    const QUEUE: usize = 1 << 40;
    let a = submitted(QUEUE, false);
    let below = next_number();
    let meanwhile = submitted(QUEUE, false);
    seen_queue(QUEUE, below);
    let later = submitted(QUEUE, false);
    assert_eq!((runs(a, 8000..8100, true), runs(meanwhile, 8200..8300, true)), (0, 0));
    assert_eq!(runs(later, 8000..8300, true), 1);
}

#[test]
fn one_name_for_the_memory_is_an_order() {
    let named = |object| vec![Touch { object, ..touch(5000..5100, true) }];
    let (a, b, c) = (submitted(5, false), submitted(5, false), submitted(5, false));
    assert_eq!(ran(a, &"k".into(), named(Some(1))).len(), 0);
    assert_eq!(ran(b, &"k".into(), named(Some(1))).len(), 0);
    assert_eq!(ran(c, &"k".into(), named(Some(2))).len(), 2);
}

#[test]
fn who_finds_memory_where_other_memory_was_comes_later() {
    let named = |object| vec![Touch { object: Some(object), ..touch(6000..6100, true) }];
    let [a, b, c] = [(); 3].map(|()| submitted(6, false));
    assert_eq!(ran(a, &"k".into(), named(61)).len(), 0);
    gone(61);
    assert_eq!(ran(b, &"k".into(), named(62)).len(), 0);
    assert_eq!(ran(c, &"k".into(), named(63)).len(), 1);
}

#[test]
fn commands_that_share_a_range_and_no_byte_do_not_race() {
    let [a, b, c] = [(); 3].map(|()| submitted(7, false));
    let some = |first, shift, word| {
        vec![Touch { exactly: Some(Cells { first, shift, words: vec![word] }), ..touch(first..first + 32, true) }]
    };
    assert_eq!(ran(a, &"k".into(), some(7000, 2, 0b0101_0101)).len(), 0);
    assert_eq!(ran(b, &"k".into(), some(7000, 2, 0b1010_1010)).len(), 0);
    // Three bytes of the second's, in other cells.
    let reports = ran(c, &"k".into(), some(7005, 0, 0b111));
    assert_eq!(reports.len(), 1);
    assert!(reports[0].message.contains(", 3 bytes of which"), "{}", reports[0].message);
}
