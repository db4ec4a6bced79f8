//! Tokens of the tests' kernel texts.

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    Ident(String),
    Label(String),
    Int(i128, String),
    Float(String, String),
    Punct(&'static str),
    End,
}

const PUNCTS: [&str; 48] = [
    "<<=", ">>=", "..=", "->", "=>", "::", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "..", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^",
    "!", ",", ";", ":", ".", "@", "_", "#",
];

/// The tokens of a text, each with its line.
pub fn lex(text: &str) -> Vec<(Token, u32)> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let c = chars[at];
        if c == '\n' {
            line += 1;
            at += 1;
        } else if c.is_whitespace() {
            at += 1;
        } else if c == '/' && chars.get(at + 1) == Some(&'/') {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if c.is_ascii_digit() {
            let (token, end) = number(&chars, at, tokens.last().map(|(token, _)| token) == Some(&Token::Punct(".")));
            tokens.push((token, line));
            at = end;
        } else if c == '\'' {
            let end = word_end(&chars, at + 1);
            tokens.push((Token::Label(chars[at + 1..end].iter().collect()), line));
            at = end;
        } else if c.is_alphabetic() || (c == '_' && chars.get(at + 1).is_some_and(|next| next.is_alphanumeric())) {
            let end = word_end(&chars, at);
            tokens.push((Token::Ident(chars[at..end].iter().collect()), line));
            at = end;
        } else {
            let rest: String = chars[at..chars.len().min(at + 3)].iter().collect();
            let punct = PUNCTS.iter().find(|punct| rest.starts_with(**punct));
            let punct = punct.unwrap_or_else(|| panic!("line {line}: unknown character {c:?}"));
            tokens.push((Token::Punct(punct), line));
            at += punct.len();
        }
    }
    tokens.push((Token::End, line));
    tokens
}

fn word_end(chars: &[char], start: usize) -> usize {
    let mut end = start;
    while end < chars.len() && (chars[end].is_alphanumeric() || chars[end] == '_') {
        end += 1;
    }
    end
}

/// A number; behind a dot it is a tuple's position, which takes no fraction.
fn number(chars: &[char], start: usize, position: bool) -> (Token, usize) {
    let digit = |at: usize| chars.get(at).is_some_and(|c| c.is_ascii_digit() || *c == '_');
    let mut end = start;
    if chars[start] == '0' && matches!(chars.get(start + 1), Some('x' | 'b')) {
        let radix = if chars[start + 1] == 'x' { 16 } else { 2 };
        end = start + 2;
        while chars.get(end).is_some_and(|c| c.is_digit(radix) || *c == '_') {
            end += 1;
        }
        let digits: String = chars[start + 2..end].iter().filter(|c| **c != '_').collect();
        let suffix_end = word_end(chars, end);
        return (
            Token::Int(i128::from_str_radix(&digits, radix).unwrap(), chars[end..suffix_end].iter().collect()),
            suffix_end,
        );
    }
    while digit(end) {
        end += 1;
    }
    let mut float = false;
    if !position
        && chars.get(end) == Some(&'.')
        && !matches!(chars.get(end + 1), Some('.' | '_' | 'a'..='z' | 'A'..='Z'))
    {
        float = true;
        end += 1;
        while digit(end) {
            end += 1;
        }
    }
    if !position && chars.get(end) == Some(&'e') {
        float = true;
        end += 1;
        if matches!(chars.get(end), Some('-' | '+')) {
            end += 1;
        }
        while digit(end) {
            end += 1;
        }
    }
    let digits: String = chars[start..end].iter().filter(|c| **c != '_').collect();
    let suffix_end = word_end(chars, end);
    let suffix: String = chars[end..suffix_end].iter().filter(|c| **c != '_').collect();
    let token = if float || suffix.starts_with('f') {
        Token::Float(digits, suffix)
    } else {
        Token::Int(digits.parse().unwrap(), suffix)
    };
    (token, suffix_end)
}
