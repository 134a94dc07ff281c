//! The lines of a résumé, cleaned of bullets and marks.

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
        found.push(Line { text, bullet, after_gap });
        after_gap = false;
    }
    found
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
        let stops = self.text.ends_with('.') && words > 4;
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

const BULLETS: [char; 16] =
    ['•', '▪', '◦', '●', '‣', '○', '■', '□', '∙', '·', '➢', '►', '-', '*', '–', '+'];

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
