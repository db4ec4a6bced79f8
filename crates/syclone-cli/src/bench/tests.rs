use super::measure::{Steps, Verdict};
use super::report::Work;
use super::version::{Version, rows};
use super::*;

const COLUMNS: &[Column] = &[Column::Version, Column::Ms, Column::MaxRelErr, Column::Ok];

/// A version that is right until this run, and then as far off as `error` says; or that fails there.
fn version(name: &str, from_run: usize, error: Option<f64>) -> Version<'static> {
    let run = std::rc::Rc::new(std::cell::Cell::new(0));
    let runs = std::rc::Rc::clone(&run);
    let steps = Steps {
        poison: || Ok(()),
        run: move || {
            run.set(run.get() + 1);
            match error {
                None if run.get() >= from_run => Err(Failure::NotOk("on purpose".to_owned())),
                _ => Ok(()),
            }
        },
        verify: move || {
            let max_rel_err = if runs.get() >= from_run { error.unwrap_or(0.0) } else { 0.0 };
            Ok(Verdict { max_rel_err, ok: max_rel_err <= 1e-4 })
        },
    };
    Version::new(name, Work { flops: Some(1e6), ..Work::default() }, steps)
}

/// What a command ends in that measures these versions.
fn end_of(mut versions: Vec<Version<'static>>) -> Result<(), Failure> {
    let common = Common { device: Some("cpu".to_owned()), repeat: 3, seed: Some(1), json: None, html: None, csv: None };
    let session = Session::open(&common).unwrap();
    let rows = rows(&mut versions, session.repeat, &Progress::hidden());
    let description = Description {
        benchmark: "reduce",
        problem: Problem::Size { n: 1 },
        dtype: Dtype::F32,
        columns: COLUMNS,
        chart: Column::Ms,
        baseline: "first",
    };
    session.finish(&description, rows, |_| Vec::new())
}

#[test]
fn there_are_never_more_native_threads_than_cores_whatever_a_device_says_of_itself() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for (units, threads) in [(1, 1), (cores, cores), (cores + 1, cores), (usize::MAX, cores)] {
        assert_eq!(target::native_threads(units), threads, "{units} compute units");
    }
}

#[test]
fn a_command_ends_well_only_when_every_version_is_right_to_its_last_run() {
    let right = || version("right", 1, Some(1e-5));
    assert!(end_of(vec![right(), right()]).is_ok());
    for (name, from_run, error) in [
        ("wrong-at-once", 1, Some(2e-4)),
        ("wrong-at-last", 4, Some(2e-4)),
        ("not-a-number", 1, Some(f64::INFINITY)),
        ("fails-at-once", 1, None),
        ("fails-later", 3, None),
    ] {
        let failure = end_of(vec![right(), version(name, from_run, error), right()]).unwrap_err();
        assert_eq!((failure.exit_code(), failure.to_string()), (1, format!("not ok: {name}")));
    }
    let several = vec![version("first", 1, None), right(), version("last", 4, Some(1.0))];
    assert_eq!(end_of(several).unwrap_err().to_string(), "not ok: first, last");
}
