//! Texts that kernels send to the host: what `kprintln!` prints and `kassert!` says.
//!
//! A [`Template`] is a format string as Rust writes it. The macro parses the user's, checks it and numbers its arguments;
//! what it then hands on names every argument by its number. All ways to run a kernel make their texts here, so they
//! agree to the letter, and with Rust: `{:>8.3}` means what it means to `format!`. A vector is its lanes, each formatted
//! alike, in brackets.

mod number;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::value::Value;

/// A format string, taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Template {
    /// Its pieces in order.
    pub pieces: Vec<Piece>,
}

/// A part of a format string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text as it comes out: `{{` has become `{`.
    Text(String),
    /// An argument.
    Argument(Argument, Spec),
}

/// Which argument a `{…}` stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The one after the last such: `{}`.
    Next,
    /// By its number: `{0}`.
    Number(usize),
    /// By its name: `{x}`.
    Name(String),
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spec {
    /// What fills up the width, if not spaces.
    pub fill: Option<char>,
    /// To which side a shorter text goes, if not to its type's.
    pub align: Option<Align>,
    /// `+`: numbers that are not negative get a sign too.
    pub plus: bool,
    /// `#`: a prefix, such as `0x`.
    pub prefix: bool,
    /// `0`: zeros between sign and digits fill up the width.
    pub zeros: bool,
    /// The least number of characters.
    pub width: usize,
    /// Digits after the point.
    pub precision: Option<usize>,
    /// The notation.
    pub notation: Notation,
}

/// Where a text stands in its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// `<`
    Left,
    /// `^`
    Middle,
    /// `>`
    Right,
}

/// How a number is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Notation {
    /// The plain form.
    #[default]
    Plain,
    /// `?`: floats always have a point or an exponent.
    Debug,
    /// `x`
    LowerHex,
    /// `X`
    UpperHex,
    /// `b`
    Binary,
    /// `o`
    Octal,
    /// `e`
    LowerExp,
    /// `E`
    UpperExp,
}

impl Notation {
    /// The letter behind the colon.
    pub fn letter(self) -> &'static str {
        ["", "?", "x", "X", "b", "o", "e", "E"][self as usize]
    }

    /// Whether only integers have it.
    pub fn is_for_integers(self) -> bool {
        matches!(self, Notation::LowerHex | Notation::UpperHex | Notation::Binary | Notation::Octal)
    }

    /// Whether only floats have it.
    pub fn is_for_floats(self) -> bool {
        matches!(self, Notation::LowerExp | Notation::UpperExp)
    }
}

/// Why a text is no format string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateError(pub String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Takes a format string apart.
    ///
    /// # Errors
    /// Braces that do not match, and what Rust's format strings have and these do not.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        parse::template(text)
    }

    /// The text for these arguments. Arguments of a parsed text have numbers; one that there is no value for is left out.
    pub fn format(&self, args: &[Value]) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Argument(Argument::Number(number), spec) => {
                    if let Some(value) = args.get(*number) {
                        number::write(&mut text, value, spec);
                    }
                }
                Piece::Argument(..) => {}
            }
        }
        text
    }
}

/// The format string, as it is parsed again.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Piece::Argument(argument, spec) => {
                    let spec = spec.to_string();
                    let colon = if spec.is_empty() { "" } else { ":" };
                    match argument {
                        Argument::Next => write!(f, "{{{colon}{spec}}}")?,
                        Argument::Number(number) => write!(f, "{{{number}{colon}{spec}}}")?,
                        Argument::Name(name) => write!(f, "{{{name}{colon}{spec}}}")?,
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(align) = self.align {
            if let Some(fill) = self.fill {
                write!(f, "{fill}")?;
            }
            f.write_str(["<", "^", ">"][align as usize])?;
        }
        for (is_set, sign) in [(self.plus, "+"), (self.prefix, "#"), (self.zeros, "0")] {
            if is_set {
                f.write_str(sign)?;
            }
        }
        if self.width > 0 {
            write!(f, "{}", self.width)?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        f.write_str(self.notation.letter())
    }
}

/// The text of a template for these arguments, where the template is one that a macro has checked.
pub fn format(template: &str, args: &[Value]) -> String {
    match Template::parse(template) {
        Ok(template) => template.format(args),
        // Not what a macro wrote: the text itself says most.
        Err(_) => template.to_owned(),
    }
}
