//! A text made ready for reading: white space made even, with what is known of lines and sentences beside it.

/// Words with a dot that end no sentence.
const SHORTENED: [&str; 12] =
    ["e.g", "i.e", "eg", "ie", "incl", "approx", "resp", "z.b", "vs", "dr", "mr", "no"];

/// Shortest line that may have been wrapped by a program, in bytes.
const WRAPPED_MIN: usize = 60;

/// A text as it is searched.
#[derive(Debug)]
pub(super) struct Text {
    /// Every run of white space is one space here.
    pub(super) plain: String,
    /// Where a space stands for the end of a line after which something new begins, in bytes; ascending.
    breaks: Vec<usize>,
    /// Where a sentence ends, in bytes, its end excluded; ascending.
    ends: Vec<usize>,
}

impl Text {
    pub(super) fn new(raw: &str) -> Self {
        let mut plain = String::with_capacity(raw.len());
        let (mut breaks, mut ends) = (Vec::new(), Vec::new());
        let mut line = 0;
        let mut letters = raw.chars().peekable();
        while let Some(letter) = letters.next() {
            if !letter.is_whitespace() {
                plain.push(if letter == '\u{2011}' { '-' } else { letter });
                continue;
            }
            let mut lines = usize::from(letter == '\n');
            while let Some(space) = letters.next_if(|next| next.is_whitespace()) {
                lines += usize::from(space == '\n');
            }
            // A line that goes on in small letters was only too long, and so was one that breaks off far to the right.
            let in_small = letters.peek().is_some_and(|next| next.is_lowercase());
            let is_item = !letters.peek().is_some_and(|next| next.is_alphanumeric());
            let breaks_off = plain.len() - line >= WRAPPED_MIN
                && !is_item
                && !plain.ends_with(['.', ':', ';', '!', '?']);
            if lines > 1 || (lines == 1 && !in_small && !breaks_off) {
                breaks.push(plain.len());
                // A heading belongs to what it leads in.
                if !plain.ends_with(':') {
                    ends.push(plain.len());
                }
            } else if ends_sentence(&plain) && !in_small {
                ends.push(plain.len());
            }
            plain.push(' ');
            if lines > 0 {
                line = plain.len();
            }
        }
        Self { plain, breaks, ends }
    }

    /// Whether a line ends within these bytes.
    pub(super) fn breaks_within(&self, start: usize, end: usize) -> bool {
        let first = self.breaks.partition_point(|at| *at < start);
        self.breaks.get(first).is_some_and(|at| *at < end)
    }

    /// The sentence around a place, at most `reach` bytes to either side, cut between letters.
    pub(super) fn sentence(&self, (start, end): (usize, usize), reach: usize) -> (usize, usize) {
        let after = self.ends.partition_point(|at| *at < end);
        let first = after.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let last = self.ends.get(after).copied().unwrap_or(self.plain.len());
        let from = first.unwrap_or(0).max(start.saturating_sub(reach)).min(start);
        let to = last.min(end.saturating_add(reach)).max(end);
        (self.plain.floor_char_boundary(from), self.plain.ceil_char_boundary(to))
    }

    /// The letters beside a place.
    pub(super) fn beside(&self, (start, end): (usize, usize)) -> (Option<char>, Option<char>) {
        (self.plain[..start].chars().next_back(), self.plain[end..].chars().next())
    }

    /// What stands between spaces around a place.
    pub(super) fn token(&self, (start, end): (usize, usize)) -> (usize, usize) {
        /// Longer than any address that somebody would write into a résumé.
        const REACH: usize = 200;
        let from = self.plain.floor_char_boundary(start.saturating_sub(REACH));
        let to = self.plain.ceil_char_boundary(end.saturating_add(REACH).min(self.plain.len()));
        let from = self.plain[from..start].rfind(' ').map_or(from, |at| from + at + 1);
        let to = self.plain[end..to].find(' ').map_or(to, |at| end + at);
        (from, to)
    }
}

fn ends_sentence(plain: &str) -> bool {
    let Some(said) = plain.strip_suffix('.') else { return plain.ends_with(['!', '?']) };
    let word = said.rsplit([' ', '(']).next().unwrap_or_default();
    !SHORTENED.iter().any(|short| word.eq_ignore_ascii_case(short))
}

/// Words of a piece of text, without the marks around them.
pub(super) fn words(piece: &str) -> impl DoubleEndedIterator<Item = &str> {
    piece
        .split([' ', '/', '(', ')', ',', ';', ':', '|', '·', '•'])
        .map(|word| word.trim_matches(['.', '!', '?', '"', '\'', '“', '”', '’', '-', '–', '*']))
        .filter(|word| !word.is_empty())
}
