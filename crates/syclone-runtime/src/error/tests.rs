use super::*;

#[test]
fn an_error_is_one_lower_case_sentence_and_a_line_of_advice() {
    let error = Error::WorkGroupDoesNotDivide { kernel: "saxpy".into(), dimension: 0, global: 100, local: 64 };
    assert_eq!(
        error.to_string(),
        "kernel 'saxpy': work-group size 64 does not divide the global size 100 in dimension 0\n\
         round the global size up to 128 and guard the edge in the kernel, or choose a divisor"
    );
    let error = Error::WorkGroupDoesNotDivide { kernel: "saxpy".into(), dimension: 0, global: usize::MAX, local: 64 };
    assert!(error.to_string().ends_with("\nchoose a divisor, or a smaller global size"), "{error}");
    let error = Error::LocalMemoryTooLarge {
        kernel: "tiled".into(),
        device: "cpu:0".into(),
        asked: 131_072,
        limit: 65_536,
        largest_tile: Some(90),
    };
    assert_eq!(
        error.to_string(),
        "kernel 'tiled': 131072 bytes of local memory are over the limit of 65536 bytes on cpu:0\n\
         the largest tile that fits is 90"
    );
    // What comes from the environment does nothing to the terminal.
    let error = Error::InvalidEnvironment { variable: "V", value: "\u{1b}[2Jä\r".into(), expected: "1".into() };
    assert_eq!(error.to_string(), "V is set to '\\u{1b}[2Jä\\r'\nset it to 1, or unset it");
    let error =
        Error::InvalidSelector { selector: "cpu\u{7}".into(), available: vec!["cpu:0".into()], backends: &["cpu"] };
    assert!(error.to_string().starts_with("'cpu\\u{7}' is not a device selector\n"), "{error}");
    let error = Error::NoDevice { selector: "cuda:0".into(), available: vec!["cpu:0".into()] };
    assert_eq!(
        error.to_string(),
        "no device matches 'cuda:0'\navailable here: cpu:0; choose one of them with --device or SYCLONE_DEVICE"
    );
}

#[test]
fn the_first_cause_of_a_dependency_failure_is_the_failure_that_began_it() {
    let cause = Error::InvalidThreadCount { asked: 0, limit: 8 };
    let error = Error::DependencyFailed { command: "b".into(), first: Arc::new(cause.clone()) };
    assert_eq!(error.first_cause(), &cause);
    assert_eq!(cause.first_cause(), &cause);
    assert!(error.to_string().ends_with(&format!("first failure: {cause}")));
}

#[test]
fn an_error_stays_small_enough_to_return() {
    assert!(size_of::<Error>() <= 128, "{}", size_of::<Error>());
}

#[test]
fn an_access_out_of_bounds_names_what_it_was_outside_of_and_says_how_to_learn_more() {
    let text = |parameter: &'static str, extents: &[usize], device: &str| {
        let (device, extents) = (device.to_owned(), extents.to_vec());
        Error::OutOfBounds { kernel: "k".into(), device, parameter: parameter.into(), extents, count: 2 }.to_string()
    };
    assert_eq!(
        text("x", &[4], "cpu:0"),
        "kernel 'k' on cpu:0: access outside parameter 'x' of 4 elements (seen: 2)\n\
         reads gave zero and writes were dropped; check the index against the extent before use\n\
         run it with SYCLONE_DEVICE=cpu:check for the line, the item and the index"
    );
    let first = |parameter, extents: &[usize]| text(parameter, extents, "cpu:0").lines().next().unwrap().to_owned();
    assert_eq!(first("x", &[1]), "kernel 'k' on cpu:0: access outside parameter 'x' of 1 element (seen: 2)");
    assert_eq!(first("x", &[2, 3]), "kernel 'k' on cpu:0: access outside parameter 'x' of [2, 3] elements (seen: 2)");
    assert_eq!(first("an array", &[]), "kernel 'k' on cpu:0: access outside an array (seen: 2)");
    for checked in ["cpu:check", "cpu:check of its own, number 2"] {
        assert!(text("x", &[4], checked).ends_with("\nthe device's report names the line, the item and the index"));
    }
}

#[test]
fn an_assertion_names_as_many_numbers_of_its_item_as_the_kernel_has_dimensions() {
    for (item, text) in [(&[][..], ""), (&[4], "for item 4, "), (&[4, 5], "for item [4, 5], ")] {
        let (kernel, device, message, item) = ("k".into(), "cpu:0".into(), "no".to_owned(), item.to_vec());
        let error = Error::AssertionFailed { kernel, device, message, item, file: "a.rs".into(), line: 3 };
        let told = error.to_string();
        assert!(told.starts_with(&format!("kernel 'k' on cpu:0: no\n{text}in line 3 of a.rs")), "{error}");
    }
}
