use super::*;

fn ms(value: u64) -> Duration {
    Duration::from_millis(value)
}

/// Counts what is done to it, and is right unless told otherwise.
#[derive(Default)]
struct Fake {
    poisoned: usize,
    runs: usize,
    verified: usize,
    clean: bool,
    takes: Duration,
    wrong_at_run: Option<usize>,
    fail_at_run: Option<usize>,
}

impl Contender for Fake {
    fn poison(&mut self) -> Result<(), Failure> {
        self.poisoned += 1;
        self.clean = true;
        Ok(())
    }

    fn run(&mut self) -> Result<(), Failure> {
        assert!(std::mem::take(&mut self.clean), "every run begins with a poisoned output");
        self.runs += 1;
        std::thread::sleep(self.takes);
        if self.fail_at_run == Some(self.runs) { Err(Failure::NotOk("on purpose".into())) } else { Ok(()) }
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        self.verified += 1;
        let ok = self.wrong_at_run.is_none_or(|run| self.runs < run);
        Ok(Verdict { max_rel_err: if ok { 1e-6 } else { 0.5 }, ok })
    }
}

fn measure_one(fake: &mut Fake, repeat: usize) -> Outcome {
    let contender: &mut dyn Contender = fake;
    measure([("fake", contender)].into_iter(), repeat, &Progress::hidden()).remove(0)
}

#[test]
fn the_median_of_odd_and_even_numbers_of_runs() {
    let timing = |values: &[u64]| Timing::new(values.iter().copied().map(ms).collect(), 1).unwrap();
    assert_eq!(timing(&[9, 1, 5]).median(), ms(5));
    assert_eq!(timing(&[9, 1, 5, 3]).median(), ms(4));
    assert_eq!(timing(&[7]).median(), ms(7));
    assert_eq!((timing(&[9, 1, 5]).min(), timing(&[9, 1, 5]).max()), (ms(1), ms(9)));
    assert!(Timing::new(Vec::new(), 1).is_none());
}

#[test]
fn the_first_run_and_one_before_each_short_run_are_left_out_and_both_ends_are_verified() {
    let mut fake = Fake::default();
    let Outcome::Timed { timing, verdict } = measure_one(&mut fake, 5) else { panic!("must be timed") };
    assert_eq!((timing.runs(), timing.warm_up_runs), (5, 6));
    assert!(verdict.ok);
    assert_eq!((fake.poisoned, fake.runs, fake.verified), (11, 11, 2));
}

#[test]
fn a_run_that_is_not_short_has_only_its_first_one_left_out() {
    let mut fake = Fake { takes: SHORT_RUN, ..Fake::default() };
    let Outcome::Timed { timing, .. } = measure_one(&mut fake, 2) else { panic!("must be timed") };
    assert_eq!((timing.runs(), timing.warm_up_runs, fake.runs), (2, 1, 3));
}

#[test]
fn a_wrong_first_result_is_not_timed() {
    let mut fake = Fake { wrong_at_run: Some(1), ..Fake::default() };
    assert!(matches!(measure_one(&mut fake, 5), Outcome::Wrong(Verdict { ok: false, .. })));
    assert_eq!(fake.runs, 1);
}

#[test]
fn a_result_that_goes_wrong_later_is_seen() {
    let mut fake = Fake { wrong_at_run: Some(4), ..Fake::default() };
    let Outcome::Timed { verdict, .. } = measure_one(&mut fake, 5) else { panic!("must be timed") };
    assert!(!verdict.ok);
    assert_eq!(verdict.max_rel_err, 0.5);
}

#[test]
fn a_run_that_fails_ends_that_version_only() {
    let mut bad = Fake { fail_at_run: Some(3), ..Fake::default() };
    let mut good = Fake::default();
    let versions: [(&str, &mut dyn Contender); 2] = [("bad", &mut bad), ("good", &mut good)];
    let outcomes = measure(versions.into_iter(), 4, &Progress::hidden());
    assert!(matches!(outcomes[0], Outcome::Failed(_)));
    assert!(matches!(outcomes[1], Outcome::Timed { .. }));
    assert_eq!((bad.runs, good.runs), (3, 9));
}

#[test]
fn slow_versions_get_fewer_runs_but_at_least_one() {
    assert_eq!(affordable_runs(ms(3500), 10), 2);
    assert_eq!(affordable_runs(ms(9999), 10), 1);
    assert_eq!(affordable_runs(ms(1), 10), 10);
    assert_eq!(affordable_runs(Duration::ZERO, 3), 3);
}

/// Takes a known time, and much more for what must not be counted.
struct Sleeper;

impl Contender for Sleeper {
    fn poison(&mut self) -> Result<(), Failure> {
        std::thread::sleep(ms(60));
        Ok(())
    }

    fn run(&mut self) -> Result<(), Failure> {
        std::thread::sleep(ms(5));
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        std::thread::sleep(ms(60));
        Ok(Verdict { max_rel_err: 0.0, ok: true })
    }
}

#[test]
fn a_run_of_known_length_is_timed_without_its_preparation_and_its_check() {
    let mut sleeper = Sleeper;
    let contender: &mut dyn Contender = &mut sleeper;
    let outcome = measure([("sleeper", contender)].into_iter(), 5, &Progress::hidden()).remove(0);
    let Outcome::Timed { timing, .. } = outcome else { panic!("must be timed") };
    assert!(timing.min() >= ms(5), "{timing:?}");
    // A busy machine may oversleep, but the shortest of five runs is no twelve times too long.
    assert!(timing.min() < ms(60), "{timing:?}");
}
