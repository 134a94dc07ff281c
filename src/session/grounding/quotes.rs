//! Words in quotation marks.

/// Shortest quotation, in words: one or two in quotation marks are a term, not what somebody said.
const WORDS_MIN: usize = 3;

/// A text as its words alone, in small letters, each between two spaces: `"Well, it's 3 %"` is ` well its 3 `.
pub fn wordwise(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    for c in text.chars() {
        if c.is_alphanumeric() {
            words.extend(c.to_lowercase());
        } else if !is_within(c) && !words.ends_with(' ') {
            words.push(' ');
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

/// What parts no words: apostrophes, and what nobody sees.
fn is_within(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// A quotation as the stretches that must each stand in a source: an ellipsis or an insertion in brackets ends one.
pub(super) fn parts(quotation: &str) -> Vec<String> {
    let mut plain = String::with_capacity(quotation.len());
    let mut depth = 0_usize;
    for c in quotation.replace("...", "…").chars() {
        match c {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                plain.push('…');
            }
            _ if depth > 0 => {}
            c => plain.push(c),
        }
    }
    plain.split('…').map(wordwise).filter(|part| !part.trim().is_empty()).collect()
}

/// The quotations of a text that claim to be somebody's words, with their places.
pub(super) fn claims(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        match (open, c) {
            (Some((from, close)), c) if closes(close, c) => {
                found.push((from, &text[from..at]));
                open = None;
            }
            // Quotation marks of a paragraph that ends within them open none of the next one.
            (Some(_), '\n') if text[at + 1..].starts_with('\n') => open = None,
            (None, '"') => open = Some((at + 1, '"')),
            (None, '“' | '”') => open = Some((at + c.len_utf8(), '”')),
            (None, '„') => open = Some((at + c.len_utf8(), '„')),
            (None, '«') => open = Some((at + c.len_utf8(), '»')),
            (None, '»') => open = Some((at + c.len_utf8(), '«')),
            _ => {}
        }
    }
    found.extend(in_single_marks(text));
    found.retain(|(_, words)| wordwise(words).split_whitespace().count() >= WORDS_MIN);
    found.sort_by_key(|(at, _)| *at);
    found
}

/// What stands between `‘` at the beginning of a word and `’` at the end of one: within a word it is an apostrophe. One at
/// the end of a word, `the analysts’ time`, ends what is quoted too early, and what is left of it stands in the source too.
fn in_single_marks(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut open = None;
    let mut before = ' ';
    let is_word = |c: char| c.is_alphanumeric() || is_within(c);
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        match c {
            '‘' if !is_word(before) && after.starts_with(char::is_alphanumeric) => {
                open = Some(at + c.len_utf8());
            }
            '’' if !before.is_whitespace() && !after.starts_with(is_word) => {
                found.extend(open.take().map(|from| (from, &text[from..at])));
            }
            '\n' if after.starts_with('\n') => open = None,
            _ => {}
        }
        before = c;
    }
    found
}

fn closes(open: char, c: char) -> bool {
    match open {
        // Germans close with what others open with.
        '„' => matches!(c, '“' | '”' | '"'),
        '”' => matches!(c, '”' | '"'),
        open => c == open,
    }
}
