use super::*;

const SETS: &[Isa] = &[Isa::Baseline, Isa::Avx2];

#[test]
fn the_best_available_set_is_used_unless_the_variable_says_otherwise() {
    assert_eq!(Isa::choose(SETS, None), Ok(Isa::Avx2));
    assert_eq!(Isa::choose(SETS, Some(" ")), Ok(Isa::Avx2));
    assert_eq!(Isa::choose(SETS, Some("baseline")), Ok(Isa::Baseline));
}

#[test]
fn a_set_that_the_processor_lacks_or_nobody_knows_is_an_error_that_lists_the_choices() {
    for value in ["avx512", "sse9"] {
        let error = Isa::choose(SETS, Some(value)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(value) && text.contains("(baseline, avx2)") && text.contains("SYCLONE_CPU_ISA"),
            "{text}"
        );
    }
}

#[test]
fn every_processor_has_the_baseline() {
    assert_eq!(Isa::available().first(), Some(&Isa::Baseline));
}
