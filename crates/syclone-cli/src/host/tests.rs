use std::sync::atomic::{AtomicUsize, Ordering};

use super::element::filled;
use super::random::Random;
use super::team::Team;

#[test]
fn a_seed_gives_the_same_values_again_and_another_seed_others() {
    let values = |seed| Random::new(seed).values::<f32>(100).unwrap();
    assert_eq!(values(7), values(7));
    assert_ne!(values(7), values(8));
}

#[test]
fn the_first_bits_are_those_of_splitmix64() {
    // The published sequence of seed 1234567.
    let mut random = Random::new(1234567);
    assert_eq!([random.bits(), random.bits()], [6457827717110365317, 3203168211198807973]);
}

#[test]
fn values_fill_minus_one_to_one_and_are_exact_in_f32() {
    let mut random = Random::new(3);
    let values: Vec<f64> = (0..10_000).map(|_| random.unit()).collect();
    assert!(values.iter().all(|v| (-1.0..1.0).contains(v) && f64::from(*v as f32) == *v));
    let mean = values.iter().sum::<f64>() / 10_000.0;
    assert!(mean.abs() < 0.05, "{mean}");
}

#[test]
fn every_member_of_a_team_runs_each_job_once() {
    for members in [1, 2, 5] {
        let mut team = Team::new(members).unwrap();
        let calls: Vec<AtomicUsize> = (0..members).map(|_| AtomicUsize::new(0)).collect();
        for _ in 0..100 {
            team.run(&|index| {
                calls[index].fetch_add(1, Ordering::Relaxed);
            });
        }
        assert!(calls.iter().all(|count| count.load(Ordering::Relaxed) == 100));
    }
}

#[test]
fn pieces_cover_the_data_once_with_a_short_last_one() {
    let mut team = Team::new(3).unwrap();
    let mut data = vec![0usize; 1003];
    team.for_each_piece(&mut data, 10, &|index, piece| piece.iter_mut().for_each(|v| *v += index + 1));
    assert!(data.iter().enumerate().all(|(place, v)| *v == place / 10 + 1));
}

#[test]
fn a_panic_in_a_member_reaches_the_caller_and_leaves_the_team_usable() {
    let mut team = Team::new(2).unwrap();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        team.run(&|index| assert_ne!(index, 1, "on purpose"));
    }));
    assert!(result.is_err());
    let ran = AtomicUsize::new(0);
    team.run(&|_| {
        ran.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(ran.into_inner(), 2);
}

#[test]
fn memory_that_cannot_be_had_is_an_error_value() {
    let error = filled(usize::MAX / 16, 0.0f64, "a test").unwrap_err();
    assert!(error.to_string().contains("a test"), "{error}");
}
