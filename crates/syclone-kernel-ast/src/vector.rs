//! Which lanes the swizzle methods of short vectors name.

/// What a swizzle gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Selection {
    /// One lane, as a scalar.
    Lane(u8),
    /// Lanes of a new vector.
    Lanes(Vec<u8>),
}

/// The lanes that a method without arguments chooses from a vector of so many lanes: `xy`, `lo`, `odd`, `s3`,
/// `swizzle3::<0, 0, 1>`; `None` if it is no swizzle.
pub(crate) fn swizzle(name: &str, consts: &[u8], lanes: u8) -> Option<Selection> {
    let half = lanes / 2;
    let chosen: Vec<u8> = match name {
        "lo" if lanes.is_multiple_of(2) => (0..half).collect(),
        "hi" if lanes.is_multiple_of(2) => (half..lanes).collect(),
        "even" if lanes.is_multiple_of(2) => (0..lanes).step_by(2).collect(),
        "odd" if lanes.is_multiple_of(2) => (1..lanes).step_by(2).collect(),
        _ if name.starts_with("swizzle") && !consts.is_empty() => consts.to_vec(),
        _ if name.len() == 2 && name.starts_with('s') => {
            let lane = u8::try_from(name.chars().nth(1)?.to_digit(16)?).ok()?;
            return (lane < lanes).then_some(Selection::Lane(lane));
        }
        _ if (1..=4).contains(&name.len()) && lanes <= 4 => name
            .chars()
            .map(|lane| "xyzw".find(lane).and_then(|lane| u8::try_from(lane).ok()))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    if chosen.iter().any(|&lane| lane >= lanes) {
        return None;
    }
    Some(match chosen.as_slice() {
        [lane] => Selection::Lane(*lane),
        _ => Selection::Lanes(chosen),
    })
}
