//! Whether a product is right.

use crate::bench::measure::Verdict;
use crate::host::element::Element;

use super::reference::Expected;

/// Compares every element with the reference.
///
/// The error of an element is its distance from the float64 result over the magnitude of its row and column, (|A|·|B|):
/// relative to the result itself, an element whose products cancel would look wrong however well it was computed.
pub fn judge<T: Element>(output: &[T], reference: &[Expected]) -> Verdict {
    if output.len() != reference.len() {
        return Verdict { max_rel_err: f64::INFINITY, ok: false };
    }
    let errors = output.iter().zip(reference).map(|(value, expected)| error(value.wide(), *expected));
    let max_rel_err = errors.fold(0.0, f64::max);
    Verdict { max_rel_err, ok: max_rel_err <= T::TOLERANCE }
}

/// Never NaN: `f64::max` would skip it.
fn error(value: f64, expected: Expected) -> f64 {
    let distance = (value - expected.value).abs();
    if distance == 0.0 {
        return 0.0;
    }
    let relative = distance / expected.magnitude;
    if relative.is_nan() { f64::INFINITY } else { relative }
}
