use std::cell::Cell;
use std::hash::Hasher;

use super::*;

thread_local! {
    static COMPARISONS: Cell<usize> = const { Cell::new(0) };
}

/// A step's number that counts how often it is compared.
struct Counted(usize);

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        COMPARISONS.set(COMPARISONS.get() + 1);
        self.0 == other.0
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

fn failure(message: &str) -> Arc<Error> {
    Arc::new(Error::KernelPanic { kernel: "k".into(), device: "cpu:0".into(), message: message.to_owned() })
}

#[test]
fn a_step_has_the_first_failure_that_reached_it_and_the_replay_the_first_of_all() {
    let mut failures = Failures::default();
    failures.add(&failure("first"), [1, 2].into_iter());
    failures.add(&failure("second"), [2, 3].into_iter());
    assert_eq!(failures.of(&2), Some(failure("first")));
    assert_eq!((failures.of(&3), failures.of(&4)), (Some(failure("second")), None));
    assert_eq!((failures.take_first(), failures.take_first()), (Some(failure("first")), None));
}

#[test]
fn a_failing_graph_looks_at_each_of_its_steps_a_few_times_however_many_there_are() {
    for steps in [1_000, 30_000] {
        let (mut failures, first) = (Failures::default(), failure("first"));
        COMPARISONS.set(0);
        // A chain in which each step inherits what the one before did, and all of them need the first.
        failures.add(&first, (1..steps).map(Counted));
        for step in 1..steps {
            let inherited = failures.of(&Counted(step)).expect("it was added");
            failures.add(&inherited, std::iter::once(Counted(step + 1)));
        }
        assert!(COMPARISONS.get() < 8 * steps, "{} comparisons for {steps} steps", COMPARISONS.get());
    }
}
