//! The parts of errors' texts that depend on their values.

use super::Name;

pub(super) fn list(available: &[String]) -> String {
    if available.is_empty() { "nothing".to_owned() } else { available.join(", ") }
}

/// What to do about a work-group size that does not divide; for the largest sizes there is no next multiple.
pub(super) fn dividing(global: usize, local: usize) -> String {
    match global.checked_next_multiple_of(local) {
        Some(next) => {
            format!("round the global size up to {next} and guard the edge in the kernel, or choose a divisor")
        }
        None => "choose a divisor, or a smaller global size".to_owned(),
    }
}

/// What an index was outside of: a parameter's name is one word, and other words stand for themselves.
pub(super) fn place(parameter: &Name, extents: &[usize]) -> String {
    let name = if parameter.contains(' ') { parameter.to_string() } else { format!("parameter '{parameter}'") };
    match extents {
        [] => name,
        [1] => format!("{name} of 1 element"),
        [len] => format!("{name} of {len} elements"),
        extents => format!("{name} of {extents:?} elements"),
    }
}

/// How to learn the index, unless the device has told it.
pub(super) fn where_exactly(device: &str) -> &'static str {
    // Or one of its own, which no selector finds.
    if device.starts_with("cpu:check") {
        "the device's report names the line, the item and the index"
    } else {
        "run it with SYCLONE_DEVICE=cpu:check for the line, the item and the index"
    }
}

pub(super) fn for_item(item: &[usize]) -> String {
    match item {
        [] => String::new(),
        [id] => format!("for item {id}, "),
        ids => format!("for item {ids:?}, "),
    }
}

pub(super) fn in_dimension(dimension: Option<usize>) -> String {
    dimension.map(|d| format!(" in dimension {d}")).unwrap_or_default()
}

pub(super) fn fitting_tile(largest: Option<usize>) -> String {
    match largest {
        Some(tile) => format!("the largest tile that fits is {tile}"),
        None => "use smaller local arrays".to_owned(),
    }
}
