//! Texts cut to what a place takes, however a platform counts.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::text::typed;

/// How a platform counts the length of a text, one character at a time.
///
/// ```
/// use anteroom::chat::form::Measure;
/// let bytes = Measure(char::len_utf8);
/// assert_eq!(bytes.clip("a résumé", 6), "a r…");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Measure(pub fn(char) -> usize);

impl Measure {
    /// How long a text is.
    pub fn of(self, text: &str) -> usize {
        text.chars().map(self.0).sum()
    }

    /// The beginning of a plain text that is at most `max` long, with a mark where something is left out. It is cut
    /// between what people see as characters.
    pub fn clip(self, text: &str, max: usize) -> String {
        let text = typed(text);
        if self.of(&text) <= max {
            return text;
        }
        let (head, _) = self.split_at(&text, max.saturating_sub(self.of("…")));
        format!("{}…", head.trim_end())
    }

    /// A plain text for a place that must not be empty.
    pub(crate) fn clip_or(self, text: &str, max: usize, otherwise: &str) -> String {
        let text = self.clip(text.trim(), max);
        if is_blank(&text) { self.clip(otherwise, max) } else { text }
    }

    /// Cuts a plain text where it would become longer than `max`, between what people see as characters; a single one
    /// that is longer is cut all the same.
    pub fn split_at(self, text: &str, max: usize) -> (&str, &str) {
        let (mut length, mut end) = (0, 0);
        for (at, seen) in text.grapheme_indices(true) {
            let long = self.of(seen);
            if length + long > max {
                return if at == 0 { self.split_within(text, max) } else { text.split_at(end) };
            }
            length += long;
            end = at + seen.len();
        }
        (text, "")
    }

    /// Cuts a text within its first visible character, which alone is longer than `max`: between its code points. The
    /// first one is kept in any case.
    fn split_within(self, text: &str, max: usize) -> (&str, &str) {
        let mut length = 0;
        for (at, c) in text.char_indices() {
            length += (self.0)(c);
            // The first one goes along in any case, so that there is an end.
            if length > max && at > 0 {
                return text.split_at(at);
            }
        }
        (text, "")
    }

    /// Cuts a plain text into parts of at most `max`, at line ends where there are some, then at spaces. Parts in which
    /// there is nothing to see are left out.
    pub fn parts(self, text: &str, max: usize) -> Vec<String> {
        let mut parts = Vec::new();
        let mut left = text;
        while self.of(left) > max {
            let (head, _) = self.split_at(left, max);
            let cut = [head.rfind('\n'), head.rfind(' ')]
                .into_iter()
                .flatten()
                .find(|at| *at > head.len() / 2);
            let (part, rest) = left.split_at(cut.unwrap_or(head.len()));
            parts.push(part.trim_end().to_owned());
            left = if cut.is_some() { rest.get(1..).unwrap_or_default() } else { rest };
        }
        parts.push(left.to_owned());
        parts.retain(|part| !is_blank(part));
        parts
    }
}

/// Whether there is nothing to see in it: platforms refuse such a text where there must be one.
///
/// ```
/// use anteroom::chat::form::is_blank;
/// assert!(is_blank(" \u{200b}\u{3164}") && !is_blank("—"));
/// ```
pub fn is_blank(text: &str) -> bool {
    let unseen = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{3164}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{ffa0}' | '\u{2800}' | '\u{e0000}'..='\u{e007f}')
    };
    text.chars().all(unseen)
}
