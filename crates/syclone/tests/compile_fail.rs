//! Mistakes in kernels, as the user sees them: one error each, at the user's own token, with what to write instead.

#[test]
fn every_mistake_is_one_error_with_advice_at_its_token() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
