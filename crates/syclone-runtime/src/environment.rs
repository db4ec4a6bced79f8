//! Variables of the process's environment.

/// What a variable holds, without the spaces around it; nothing if it is unset or empty.
///
/// What is no Unicode is shown with replacement characters: it is a mistake like any other wrong value, and no reason to
/// take the variable for unset.
pub fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    let value = value.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}
