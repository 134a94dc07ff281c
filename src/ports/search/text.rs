//! What strangers wrote, as plain text of a bounded length.

/// One line: white space as single blanks, nothing that cannot be seen, cut with `…` at so many characters.
///
/// ```
/// use anteroom::ports::search::text::plain;
/// assert_eq!(plain(" a\u{0}\n\u{200b}b \u{202e}c", 10), "a b c");
/// assert_eq!(plain("abcdef", 4), "abc…");
/// ```
pub fn plain(text: &str, max: usize) -> String {
    let mut line = String::new();
    let (mut length, mut is_apart) = (0_usize, false);
    for character in text.chars() {
        if is_hidden(character) {
            continue;
        }
        if character.is_whitespace() || character.is_control() {
            is_apart = !line.is_empty();
            continue;
        }
        let wanted = 1 + usize::from(is_apart);
        if length + wanted > max {
            return shortened(line, length, max);
        }
        if std::mem::take(&mut is_apart) {
            line.push(' ');
        }
        line.push(character);
        length += wanted;
    }
    line
}

/// Several lines, each as [`plain`] makes it, two line ends in a row at most, cut with `…` at `max` characters in all.
pub fn lines(text: &str, max: usize) -> String {
    let mut kept = String::new();
    let (mut left, mut was_blank) = (max, true);
    for line in text.lines() {
        let line = plain(line, left);
        if line.is_empty() && was_blank {
            continue;
        }
        was_blank = line.is_empty();
        let length = line.chars().count();
        kept.push_str(&line);
        kept.push('\n');
        left = left.saturating_sub(length + 1);
        if left == 0 {
            break;
        }
    }
    kept.trim_end().to_owned()
}

fn shortened(mut line: String, length: usize, max: usize) -> String {
    if length == max {
        line.pop();
    }
    if max > 0 {
        line.push('…');
    }
    line
}

/// Characters that take no room, turn the order of others round, or carry words that only machines read.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text without the markup that some services put around words they have found: tags gone, the usual entities resolved.
pub(super) fn unmarked(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        bare.push_str(&rest[..at]);
        let tag = &rest[at..];
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        if !is_tag {
            bare.push('<');
            rest = &tag[1..];
            continue;
        }
        rest = tag;
        // Where none ends any more there is none, however many seem to begin.
        let Some(end) = tag.find('>') else { break };
        rest = &tag[end + 1..];
    }
    bare.push_str(rest);
    // `&amp;` last, so that nothing is resolved twice.
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(bare, |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_length_and_nothing_hidden() {
        for (text, max, line) in [
            ("", 5, ""),
            ("  ", 5, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("ab cd", 3, "ab…"),
            ("ab cd", 4, "ab …"),
            ("a", 0, ""),
            ("a\u{e0041}\u{e0042}b", 9, "ab"),
            ("a\r\n\t b", 9, "a b"),
        ] {
            assert_eq!(plain(text, max).trim_end(), line.trim_end(), "{text:?}");
            assert!(plain(text, max).chars().count() <= max);
        }
        assert_eq!(lines("a\n\n\n\nb \n c\u{7}", 99), "a\n\nb\nc");
        assert_eq!(lines("abc\ndef", 5), "abc\n…");
    }

    #[test]
    fn markup_of_a_service_goes_and_what_only_looks_like_it_stays() {
        assert_eq!(unmarked("<strong>a</strong> &amp;lt; b &#x27;c&#39;"), "a &lt; b 'c'");
        assert_eq!(unmarked("1 < 2 and <3, a<"), "1 < 2 and <3, a<");
        assert_eq!(unmarked("<b>a</b> <c &lt; <d"), "a <c < <d");
        let open = "<a".repeat(500_000);
        assert_eq!(unmarked(&open), open);
    }
}
