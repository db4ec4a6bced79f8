use super::*;

fn matched(selector: &str) -> Vec<(&'static str, usize)> {
    let selector = Selector::parse(selector).unwrap();
    let machine = [("cpu", 0), ("opencl", 0), ("opencl", 1), ("cuda", 0)];
    machine.into_iter().filter(|&(backend, index)| selector.matches(backend, index)).collect()
}

#[test]
fn a_star_matches_everything_and_a_back_end_all_of_its_devices() {
    assert_eq!(matched("*").len(), 4);
    assert_eq!(matched("opencl"), [("opencl", 0), ("opencl", 1)]);
    assert_eq!(matched("opencl:*"), [("opencl", 0), ("opencl", 1)]);
}

#[test]
fn an_index_matches_one_device_or_none() {
    assert_eq!(matched("opencl:1"), [("opencl", 1)]);
    assert_eq!(matched("cuda:7"), []);
}

#[test]
fn the_checked_device_has_a_name_of_its_own() {
    assert!(Selector::parse("cpu:check").unwrap().is_checked());
    assert_eq!(matched("cpu:check"), []);
    assert!(!Selector::parse("cpu:*").unwrap().is_checked());
    assert!(Selector::parse("cuda:check").is_none());
}

#[test]
fn spaces_around_and_letter_case_do_not_matter() {
    assert_eq!(matched(" CPU:0\n"), [("cpu", 0)]);
}

#[test]
fn anything_else_is_none() {
    for selector in ["", "gpu", "cpu:", "cpu:x", "cpu:-1", "cpu:+1", "cpu:0:1", "*:0", "cpu:99999999999999999999"] {
        assert_eq!(Selector::parse(selector), None, "{selector}");
    }
}
