//! Variables of the process's environment, and texts from outside.

/// What a variable holds, without the spaces around it; nothing if it is unset or empty.
///
/// What is no Unicode is shown with replacement characters: it is a mistake like any other wrong value, and no reason to
/// take the variable for unset.
pub fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    let value = value.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// A text from the environment or a file as it may be shown: on a terminal, control characters would do something.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
