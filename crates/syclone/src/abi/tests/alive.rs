use super::{one_group, with_memory};
use crate::abi::{Alive, Divergence, Flow};

#[test]
fn a_group_goes_on_while_all_items_run_and_ends_when_all_have_returned() {
    with_memory(|memory| {
        let group = one_group(memory, 33, 8);
        let alive = Alive::new(&group);
        assert!((0..33).all(|i| alive.is(i)));
        assert_eq!(alive.at_barrier(&group, 1), Flow::Continue);
        assert_eq!(alive.first(&group), 0);
        (0..32).for_each(|i| alive.kill(i));
        assert_eq!((alive.first(&group), alive.none(&group)), (32, false));
        alive.kill(32);
        assert!(alive.none(&group));
        assert!((0..33).all(|i| !alive.is(i)));
        assert_eq!(alive.at_barrier(&group, 2), Flow::AllReturned);
        assert!(!memory.has_report());
    });
}

#[test]
fn a_barrier_that_some_items_returned_before_is_a_divergence_with_its_line() {
    with_memory(|memory| {
        let group = one_group(memory, 33, 8);
        let alive = Alive::new(&group);
        alive.kill(0);
        alive.kill(32);
        assert_eq!(alive.at_barrier(&group, 12), Flow::Diverged);
        assert_eq!(memory.take_divergence(), Some(Divergence { line: 12, arrived: 31, expected: 33 }));
    });
}
