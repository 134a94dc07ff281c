//! The parts of an expression, as far as a check can tell them apart without running it.

/// A part of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'a> {
    /// A name, with what follows it after dots.
    Name(&'a str),
    /// A text, without its quotes.
    Text(&'a str),
    /// A number without a sign.
    Number(f64),
    /// Anything else.
    Sign(char),
}

/// The parts of an expression: names, texts, numbers and signs.
pub(crate) fn tokens(expression: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        let until = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
        let length = if matches!(first, '\'' | '"') {
            let text = &rest[1..];
            let end = text.find(first).unwrap_or(text.len());
            found.push(Token::Text(&text[..end]));
            (end + 2).min(rest.len())
        } else if first.is_alphabetic() || first == '_' {
            let end = until(|c| c.is_alphanumeric() || c == '_' || c == '.');
            found.push(Token::Name(&rest[..end]));
            end
        } else if first.is_ascii_digit() {
            let end = until(|c| c.is_ascii_digit() || matches!(c, '.' | '_'));
            let number = rest[..end].replace('_', "").parse();
            found.push(number.map_or(Token::Sign(first), Token::Number));
            end
        } else {
            found.push(Token::Sign(first));
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    found
}

/// What stands between the braces of a text.
pub(crate) fn expressions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let close = if rest[open..].starts_with("{{") { "}}" } else { "%}" };
        let inner = &rest[open + 2..];
        let Some(end) = inner.find(close) else { break };
        found.push(inner[..end].trim_matches('-').trim());
        rest = &inner[end + 2..];
    }
    found
}
