//! Entries that are numbered, `1. Acme Ltd` and `2. Emca Ltd`, and headings: `I. Education`, `Part B – Skills`.

use super::{
    super::lines::{FRAMED, Line},
    section_of,
};

/// Fewest numbers that show that they count the entries.
const NUMBERS_MIN: usize = 2;

/// The lines without the numbers of entries, where these count from one.
pub(super) fn without(lines: Vec<Line>) -> Vec<Line> {
    let numbers: Vec<usize> =
        lines.iter().filter_map(|line| numbered(line).map(|(number, _)| number)).collect();
    let counts = numbers.iter().copied().eq(1..=numbers.len());
    if !counts || numbers.len() < NUMBERS_MIN {
        return lines;
    }
    let bare = |line: Line| {
        let text = numbered(&line).map_or(line.text.as_str(), |(_, rest)| rest).to_owned();
        Line { text, ..line }
    };
    lines.into_iter().map(bare).collect()
}

/// The lines without the Roman numbers of headings, where several headings that are known have them.
pub(super) fn without_roman(lines: Vec<Line>) -> Vec<Line> {
    let known = |line: &&Line| roman(line).is_some_and(|rest| section_of(rest).is_some());
    if lines.iter().filter(known).count() < NUMBERS_MIN {
        return lines;
    }
    let is_heading =
        |line: &Line, rest: &str| line.level > 0 || line.after_gap || section_of(rest).is_some();
    let bare = |line: Line| match roman(&line).filter(|rest| is_heading(&line, rest)) {
        Some(rest) => Line { text: rest.to_owned(), ..line },
        None => line,
    };
    lines.into_iter().map(bare).collect()
}

/// What stands behind the Roman number that a line begins with.
fn roman(line: &Line) -> Option<&str> {
    let (number, rest) = line.text.split_once(['.', ')', '-']).filter(|_| !line.bullet)?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let is_number = !number.is_empty() && number.chars().all(|c| "IVX".contains(c));
    (is_number && rest.starts_with(char::is_uppercase)).then_some(rest)
}

/// The number that a line begins with, and what stands behind it.
fn numbered(line: &Line) -> Option<(usize, &str)> {
    let (number, rest) = line.text.split_once(". ").filter(|_| !line.bullet)?;
    rest.starts_with(char::is_uppercase).then(|| Some((number.parse().ok()?, rest)))?
}

/// Fewest headings that count up, and fewest of them that are known.
const COUNTED_MIN: usize = 3;
const KNOWN_MIN: usize = 2;

/// The lines with headings that count up as headings without what counts them.
pub(super) fn unnumbered(lines: &[Line]) -> Vec<Line> {
    // No entry counts as far as the headings do, so that the longest run of numbers is theirs.
    let mut runs: Vec<Run> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((lead, count, rest)) = counted(line) else { continue };
        match runs.iter().position(|run| run.lead == lead && run.next == count) {
            Some(run) => runs[run].enter(at, rest),
            None if count == 1 && runs.len() < RUNS_MAX => {
                let mut run = Run { lead, next: 1, heads: Vec::new(), known: 0 };
                run.enter(at, rest);
                runs.push(run);
            }
            None => {}
        }
    }
    let mut lines = lines.to_vec();
    let is_one = |run: &&Run| run.heads.len() >= COUNTED_MIN && run.known >= KNOWN_MIN;
    let Some(run) = runs.iter().find(is_one) else { return lines };
    for (at, rest) in &run.heads {
        let line = &mut lines[*at];
        line.text.clone_from(rest);
        line.after_gap = true;
        line.bullet = false;
        line.level = if line.level == 0 { FRAMED } else { line.level };
    }
    lines
}

/// Most runs of numbers that are followed.
const RUNS_MAX: usize = 8;

/// Lines that count up.
#[derive(Debug)]
struct Run {
    /// The word before the count.
    lead: String,
    next: usize,
    heads: Vec<(usize, String)>,
    known: usize,
}

impl Run {
    fn enter(&mut self, at: usize, rest: String) {
        self.known += usize::from(section_of(&rest).is_some());
        self.heads.push((at, rest));
        self.next += 1;
    }
}

/// Longest heading behind its number, in words.
const HEAD_MAX: usize = 6;

/// The word before the count of a heading, the count, and the heading without what it says in brackets.
fn counted(line: &Line) -> Option<(String, usize, String)> {
    let (mark, rest) = line.text.split_once(' ')?;
    let (lead, mark, rest) = match count(mark.trim_end_matches(['.', ')', ':'])) {
        Some(_) if mark.ends_with(['.', ')']) => ("", mark, rest),
        Some(_) => return None,
        None => {
            let (count, rest) = rest.split_once(' ')?;
            let is_parted = count.ends_with([':', '.']) || rest.starts_with(['–', '—', '-', ':']);
            (mark, count, Some(rest).filter(|_| is_parted)?)
        }
    };
    let count = count(mark.trim_end_matches(['.', ')', ':']))?;
    let rest = rest.trim_start_matches(['–', '—', '-', ':', ' ']);
    let rest = rest.split_once(" (").map_or(rest, |(before, _)| before);
    let is_head = rest.starts_with(char::is_uppercase)
        && rest.split_whitespace().count() <= HEAD_MAX
        && !rest.contains(|c: char| c.is_ascii_digit() || c == '\t');
    is_head.then(|| (lead.to_owned(), count, rest.to_owned()))
}

/// What `3`, `C` and `III` count.
fn count(mark: &str) -> Option<usize> {
    const ROMAN: [&str; 10] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"];
    if let Ok(number) = mark.parse::<usize>() {
        return Some(number).filter(|number| (1..100).contains(number));
    }
    let letters = ('A'..='H').position(|letter| mark.chars().eq([letter]));
    letters.or_else(|| ROMAN.iter().position(|roman| *roman == mark)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::{draft, lines::lines},
        *,
    };

    #[test]
    fn headings_that_count_up_are_headings() {
        for marks in
            [["1.", "2.", "3."], ["Part A –", "Part B –", "Part C –"], ["I.", "II.", "III."]]
        {
            let [one, two, three] = marks;
            let text = format!(
                "{one} Studies\n2010 – 2013\tBSc\n{two} Employment history (latest first)\n1. Acme Ltd\n2. Emca Ltd\n{three} Skills\nGo"
            );
            let found = unnumbered(&lines(&text));
            let heads: Vec<&str> = found
                .iter()
                .filter(|line| line.level == FRAMED)
                .map(|line| line.text.as_str())
                .collect();
            assert_eq!(heads, ["Studies", "Employment history", "Skills"], "{text}");
        }
        let entries = lines("1. Acme Ltd\n2. Emca Ltd\n3. Ocme Ltd");
        assert_eq!(unnumbered(&entries), entries);
    }

    fn texts(text: &str) -> Vec<String> {
        without(lines(text)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn roman_numbers_of_headings_are_no_parts_of_them() {
        let said = |text: &str| -> Vec<String> {
            without_roman(lines(text)).into_iter().map(|line| line.text).collect()
        };
        assert_eq!(
            said("I. Education\nIV. Skills\n\nV. Juggling"),
            ["Education", "Skills", "Juggling"]
        );
        assert_eq!(said("I. Education\nV. Juggling"), ["I. Education", "V. Juggling"]);
    }

    #[test]
    fn numbers_that_count_entries_are_no_parts_of_names() {
        assert_eq!(texts("1. Acme Ltd\nFitter\n2. Emca Ltd"), ["Acme Ltd", "Fitter", "Emca Ltd"]);
        for names in [["1. FC Null", "Fitter"], ["1. FC Null", "3. Emca Ltd"]] {
            assert_eq!(texts(&names.join("\n")), names);
        }
    }

    #[test]
    fn skills_are_counted_too() {
        let text = "Ada Byron\n\n## Skills\n1. Welding\n\n2. Null pest control\n3. Excel\n\n## Hobbies\nTea";
        assert_eq!(draft(text).skills, ["Welding", "Null pest control", "Excel"]);
    }
}
