//! The lines of a résumé, cleaned of bullets and marks.

use super::{dates, vocabulary::vocabulary, words};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// What it says, without bullet and Markdown.
    pub(super) text: String,
    /// It began with a bullet.
    pub(super) bullet: bool,
    /// An empty line, or the beginning, stands above.
    pub(super) after_gap: bool,
}

/// The lines that say something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut after_gap = true;
    for raw in text.lines() {
        let (text, bullet) = unmarked(raw);
        if !text.chars().any(char::is_alphanumeric) {
            after_gap = true;
            continue;
        }
        let line = Line { text, bullet, after_gap };
        after_gap = false;
        match found.last_mut() {
            Some(last) if !line.after_gap && !line.bullet => {
                if let Some(whole) = joined(last, &line.text) {
                    last.text = whole;
                    continue;
                }
                if let Some((whole, rest)) = date_joined(&last.text, &line.text) {
                    last.text = whole;
                    if !rest.is_empty() {
                        found.push(Line { text: rest, ..line });
                    }
                    continue;
                }
            }
            _ => {}
        }
        found.push(line);
    }
    if found.last().is_some_and(|line| is_signature(&line.text)) {
        found.pop();
    }
    found
}

/// `Hamburg, 12. Januar 2025`, `Lyon, le 3 mai 2024`: where and when the résumé was written.
fn is_signature(text: &str) -> bool {
    let Some((place, day)) = text.split_once(',') else { return false };
    let day = day.trim();
    let day =
        ["den ", "le ", "a ", "em "].iter().find_map(|lead| day.strip_prefix(lead)).unwrap_or(day);
    place.split_whitespace().count() <= 3
        && !place.contains(|c: char| c.is_ascii_digit())
        && day.starts_with(|c: char| c.is_ascii_digit())
        && dates::find(day).is_some_and(|date| {
            date.end.is_some_and(|date| date.month.is_some())
                && date.start.is_none()
                && date.at == (0..day.len())
        })
}

/// Longest rest of a line that goes on in the next one, in words.
const REST_MAX: usize = 5;

/// A line and the next as one, where the first ends in the middle of something: an address of the web, a list.
fn joined(line: &Line, next: &str) -> Option<String> {
    let text = &line.text;
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let first = next.split(char::is_whitespace).next().unwrap_or_default();
    let is_address = (last.contains('/') || last.starts_with("www."))
        && last.contains('.')
        && !last.ends_with('.');
    let goes_on = first.chars().all(|c| c.is_alphanumeric() || "-_./?=&#%".contains(c));
    if is_address && last.ends_with(['/', '-', '_']) && goes_on {
        return Some(format!("{text}{next}"));
    }
    // The end of a name that was broken without a mark: no word of any language here stands alone like this.
    let is_tail =
        first == next && next.len() <= 20 && last.contains('/') && !next.contains(['.', '@', ':']);
    let is_small = next.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if is_address && is_tail && is_small && !vocabulary().labels.contains_key(next) {
        return Some(format!("{text}{next}"));
    }
    let host = last.rsplit('@').next().unwrap_or(last).trim_start_matches("www.");
    let is_host = host.len() < last.len() && !host.contains(['.', '/']);
    if is_host
        && first == next
        && next.contains('.')
        && !next.contains(['@', '/', ':'])
        && goes_on
        && next.starts_with(char::is_lowercase)
        && !last.ends_with(|c: char| !c.is_alphanumeric())
    {
        return Some(format!("{text}{next}"));
    }
    let breaks_mail =
        last.contains('@') && (last.ends_with(['.', '@', '-']) || first.starts_with('.'));
    if breaks_mail && goes_on && first.starts_with(|c: char| c.is_lowercase() || c == '.') {
        return Some(format!("{text}{next}"));
    }
    let short = next.split_whitespace().count() <= REST_MAX && !next.contains('\t');
    let is_list = text.ends_with(',') && short && !line.bullet && !next.contains('@');
    is_list.then(|| format!("{text} {next}"))
}

/// A period in a narrow column that goes on in the next line: `10.2018 –   Engineer` and `today   Acme`.
fn date_joined(line: &str, next: &str) -> Option<(String, String)> {
    let (period, rest) = line.split_once('\t').unwrap_or((line, ""));
    let (end, after) = next.split_once('\t').unwrap_or((next, ""));
    let starts = period.starts_with(|c: char| c.is_ascii_digit() || c.is_alphabetic());
    let whole = format!("{} {}", period.trim(), end.trim());
    let is_one = dates::find(&whole).is_some_and(|found| {
        found.start.is_some() && found.at.start == 0 && found.at.end == whole.len()
    });
    let was_one = dates::find(period).is_some_and(|found| {
        (found.end.is_some() && found.start.is_some() || found.lasts)
            && found.at.end == period.trim_end().len()
    });
    (starts && is_one && !was_one && period.split_whitespace().count() <= 5).then(|| {
        let first = if rest.is_empty() { whole } else { format!("{whole}\t{rest}") };
        (first, after.to_owned())
    })
}

impl Line {
    /// The parts of the line that tabs, wide gaps, bars and dots keep apart.
    pub(super) fn fields(&self) -> Vec<&str> {
        fields(&self.text)
    }

    /// It reads like running text rather than like a heading, a name or an entry.
    pub(super) fn is_prose(&self) -> bool {
        let words = self.text.split_whitespace().count();
        let lower = self.text.chars().next().is_some_and(char::is_lowercase);
        // `Acme Pumps & Valves Co.`
        let form = self.text.rsplit(' ').next().is_some_and(words::is_organisation);
        let stops = self.text.ends_with('.') && words > 3 && !form;
        lower || words > 16 || stops
    }
}

/// The parts of a text that tabs, wide gaps, bars and dots keep apart.
pub(super) fn fields(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some((at, width)) = SEPARATORS
        .iter()
        .filter_map(|separator| rest.find(separator).map(|at| (at, separator.len())))
        .min_by_key(|(at, _)| *at)
    {
        found.push(rest[..at].trim());
        rest = &rest[at + width..];
    }
    found.push(rest.trim());
    found.retain(|field| field.chars().any(char::is_alphanumeric));
    found
}

const SEPARATORS: [&str; 9] = ["\t", "   ", " | ", " ¦ ", " · ", " • ", " ∙ ", " // ", " ◆ "];

/// Takes off a bullet, and the marks of Markdown.
fn unmarked(raw: &str) -> (String, bool) {
    let line = raw.trim();
    let line = line.trim_start_matches(['#', '>']).trim_start();
    let plain = line.trim_start_matches(BULLETS);
    let taken = &line[..line.len() - plain.len()];
    let bullet = !taken.is_empty()
        && (plain.starts_with(char::is_whitespace) || !taken.ends_with(['-', '*', '–', '+']));
    let line = if bullet { plain } else { line };
    let line = line.replace("**", "").replace("__", "").replace('`', "");
    (linked(line.trim()).trim_matches('|').trim().to_owned(), bullet)
}

const BULLETS: [char; 20] = [
    '✓', '✔', '➤', '▸', '•', '▪', '◦', '●', '‣', '○', '■', '□', '∙', '·', '➢', '►', '-', '*', '–',
    '+',
];

/// `[text](address)` of Markdown becomes `text address`.
fn linked(line: &str) -> String {
    if !line.contains("](") {
        return line.to_owned();
    }
    line.replace("](", " ")
        .replace(['[', ')'], " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_and_markdown_are_taken_off() {
        let found = lines(
            "# Ada Byron\n\n- **Led** a team\n•Wrote\n--- \n-5 degrees\n*italic*\n[me](https://a.b)",
        );
        let texts: Vec<(&str, bool, bool)> =
            found.iter().map(|line| (line.text.as_str(), line.bullet, line.after_gap)).collect();
        assert_eq!(
            texts,
            [
                ("Ada Byron", false, true),
                ("Led a team", true, true),
                ("Wrote", true, false),
                ("-5 degrees", false, true),
                ("*italic*", false, false),
                ("me https://a.b", false, false),
            ]
        );
    }

    #[test]
    fn fields_are_kept_apart_by_more_than_a_space() {
        assert_eq!(
            fields("Acme Ltd\tLondon | a@b.org · 123   x"),
            ["Acme Ltd", "London", "a@b.org", "123", "x"]
        );
    }
}
