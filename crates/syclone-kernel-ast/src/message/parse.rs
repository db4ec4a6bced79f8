//! Format strings.

use std::iter::Peekable;
use std::str::Chars;

use super::{Align, Argument, Notation, Piece, Spec, Template, TemplateError};

/// More than any line is wide; a device has to have room for what is asked.
const MAX_WIDTH: usize = 1000;

type Result<T> = std::result::Result<T, TemplateError>;

fn error<T>(message: impl Into<String>) -> Result<T> {
    Err(TemplateError(message.into()))
}

pub(super) fn template(text: &str) -> Result<Template> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '{' | '}' if chars.peek() == Some(&next) => {
                chars.next();
                plain.push(next);
            }
            '{' => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(argument(&mut chars)?);
            }
            '}' => return error("a `}` without its `{`: write `}}` for a brace of the text"),
            _ => plain.push(next),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(Template { pieces })
}

/// What comes after a `{`, up to its `}`.
fn argument(chars: &mut Peekable<Chars<'_>>) -> Result<Piece> {
    let mut inside = String::new();
    loop {
        match chars.next() {
            Some('}') => break,
            // `{:}>4}` would be a brace as the fill, which is as rare as it is hard to read.
            Some('{') | None => return error("a `{` without its `}`: write `{{` for a brace of the text"),
            Some(next) => inside.push(next),
        }
    }
    let (which, how) = inside.split_once(':').unwrap_or((&inside, ""));
    let which = which.trim();
    let argument = if which.is_empty() {
        Argument::Next
    } else if which.bytes().all(|byte| byte.is_ascii_digit()) {
        match which.parse() {
            Ok(number) => Argument::Number(number),
            Err(_) => return error(format!("there is no argument {which}")),
        }
    } else if which.chars().all(|c| c == '_' || c.is_alphanumeric()) {
        Argument::Name(which.to_owned())
    } else {
        return error(format!(
            "`{{{which}}}` is no name: pass the value as an argument, or give it a name, `{{x}}` and `x = {which}`"
        ));
    };
    Ok(Piece::Argument(argument, spec(how.trim_end())?))
}

/// What comes after the colon: `[[fill]align]['+']['#']['0'][width]['.' precision][notation]`.
fn spec(text: &str) -> Result<Spec> {
    let all: Vec<char> = text.chars().collect();
    let mut spec = Spec::default();
    let align = |c: Option<&char>| match c {
        Some('<') => Some(Align::Left),
        Some('^') => Some(Align::Middle),
        Some('>') => Some(Align::Right),
        _ => None,
    };
    let mut at = 0;
    if let Some(found) = align(all.get(1)) {
        (spec.fill, spec.align, at) = (Some(all[0]), Some(found), 2);
    } else if let Some(found) = align(all.first()) {
        (spec.align, at) = (Some(found), 1);
    }
    let flag = |at: &mut usize, sign: char| {
        let found = all.get(*at) == Some(&sign);
        *at += usize::from(found);
        found
    };
    spec.plus = flag(&mut at, '+');
    spec.prefix = flag(&mut at, '#');
    spec.zeros = flag(&mut at, '0');
    spec.width = number(&all, &mut at)?.unwrap_or(0);
    if all.get(at) == Some(&'.') {
        at += 1;
        spec.precision = number(&all, &mut at)?;
        if spec.precision.is_none() {
            return error("a precision is a number here: write `{:.3}`");
        }
    }
    let rest: String = all[at..].iter().collect();
    spec.notation = match rest.as_str() {
        "" => Notation::Plain,
        "?" => Notation::Debug,
        "x" => Notation::LowerHex,
        "X" => Notation::UpperHex,
        "b" => Notation::Binary,
        "o" => Notation::Octal,
        "e" => Notation::LowerExp,
        "E" => Notation::UpperExp,
        rest if rest.ends_with('$') => return error("a width or precision is a number here: write `{:5}`"),
        rest => {
            return error(format!(
                "`{rest}` is no notation of values: write nothing, `?`, `x`, `X`, `b`, `o`, `e` or `E`"
            ));
        }
    };
    if spec.prefix && !spec.notation.is_for_integers() {
        return error("`#` is for `x`, `X`, `b` and `o` only");
    }
    Ok(spec)
}

fn number(all: &[char], at: &mut usize) -> Result<Option<usize>> {
    let digits: String = all[*at..].iter().take_while(|c| c.is_ascii_digit()).collect();
    *at += digits.len();
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse() {
        Ok(number) if number <= MAX_WIDTH => Ok(Some(number)),
        _ => error(format!("a width or precision of {digits}: at most {MAX_WIDTH}")),
    }
}
