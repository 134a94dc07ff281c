//! Words of people as data: what is taken out of them when they come in, and how they stand within Markdown and XML.

/// Whether a character steers a terminal or a page instead of being read: control characters but for line ends and
/// tabs, and marks that turn the direction of what follows.
pub const fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_ascii_control() || matches!(c, '\u{80}'..='\u{9f}'),
    }
}

/// What somebody typed, without the characters that steer.
///
/// ```
/// use anteroom::model::text::typed;
/// assert_eq!(typed("one\r\ntwo \u{1b}[31mred\u{202e}\0"), "one\ntwo [31mred");
/// ```
pub fn typed(text: &str) -> String {
    text.chars().filter(|c| !steers(*c)).collect()
}

/// As text of XML, also within the quotation marks of an attribute. What XML 1.0 cannot hold at all is left out.
///
/// ```
/// use anteroom::model::text::xml;
/// assert_eq!(xml("\"1 < 2\"\u{1b} & so on"), "&quot;1 &lt; 2&quot; &amp; so on");
/// ```
pub fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// A noun with its article.
///
/// ```
/// use anteroom::model::text::one;
/// assert_eq!((one("role"), one("achievement")), ("a role".to_owned(), "an achievement".to_owned()));
/// ```
pub fn one(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// Words of a person as they stand within Markdown: nothing in them is a link, a heading or HTML.
///
/// ```
/// use anteroom::model::text::quoted;
/// assert_eq!(quoted("[here](https://evil.example)"), r"\[here\](https://evil.example)");
/// assert_eq!(quoted("# 1 < 2"), r"\# 1 \< 2");
/// assert_eq!(quoted("+44 20"), "+44 20");
/// ```
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    // Nothing of the line yet; nothing but digits.
    let (mut begins, mut counts) = (true, true);
    let mut left = text.chars();
    while let Some(c) = left.next() {
        if begins && matches!(c, ' ' | '\t') {
            // A line that is set in would be code.
            continue;
        }
        // `+44` is a number, `+ 44` an entry of a list, `---` a line across the page.
        let alone = left.clone().next().is_none_or(|next| next == c || next.is_whitespace());
        let marks = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '|' | '~' => true,
            '#' | '+' | '-' | '=' => begins && alone,
            '.' | ')' => counts && alone,
            _ => false,
        };
        if marks {
            out.push('\\');
        }
        begins = matches!(c, '\n' | '\r');
        counts = begins || (counts && c.is_ascii_digit());
        out.push(c);
    }
    out
}
