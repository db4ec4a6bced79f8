//! The page on errors has a row for every error.

const SOURCE: &str = include_str!("../src/error.rs");
const PAGE: &str = include_str!("../../../docs/errors.md");

/// The variants of the enum, by how the formatter writes them.
fn variants() -> Vec<&'static str> {
    let body = SOURCE.split_once("pub enum Error {").expect("the enum").1;
    let body = body.split_once("\n}").expect("its end").0;
    let name = |line: &'static str| {
        let line = line.strip_prefix("    ")?;
        let end = line.find([' ', ',', '(']).unwrap_or(line.len());
        line.starts_with(|first: char| first.is_ascii_uppercase()).then_some(&line[..end])
    };
    body.lines().filter_map(name).collect()
}

#[test]
fn every_error_is_explained_with_its_cause_and_remedy() {
    let variants = variants();
    assert!(variants.len() >= 28 && variants.contains(&"OutOfBounds"), "{variants:?}");
    let missing: Vec<&str> =
        variants.into_iter().filter(|variant| !PAGE.contains(&format!("\n| `{variant}` |"))).collect();
    assert!(missing.is_empty(), "docs/errors.md lacks {missing:?}");
}
