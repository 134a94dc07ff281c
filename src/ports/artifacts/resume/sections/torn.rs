//! Periods that a column of their own was torn off with: they stand one below the other, and their entries elsewhere.

use super::super::{dates, lines::Line, place, vocabulary::Section, words};
use super::Part;

/// Fewest periods below each other that were torn off.
const PERIODS_MIN: usize = 3;

/// A period, and the town below it.
type Beside = (String, Option<String>);

/// The parts, with every period beside the first line of its entry, where there are as many of both.
pub(super) fn mended(parts: Vec<Part>) -> Vec<Part> {
    let torn = parts.iter().enumerate().rev().find_map(|(at, part)| {
        let (begin, periods) = tail(&part.lines)?;
        Some((at, begin, periods))
    });
    let Some((at, begin, periods)) = torn else { return parts };
    let mut whole = parts.clone();
    whole[at].lines.truncate(begin);
    let is_undated = |part: &&mut Part| {
        let is_listed = matches!(part.section, Section::Work | Section::Education);
        is_listed && !part.lines.is_empty() && !part.lines.iter().any(holds_date)
    };
    let undated: Vec<&mut Part> = whole.iter_mut().filter(is_undated).collect();
    let count: usize = undated.iter().map(|part| firsts(&part.lines).len()).sum();
    if count == periods.len() {
        let mut periods = periods.into_iter();
        for part in undated {
            let firsts = firsts(&part.lines);
            put(&mut part.lines, &firsts, &mut periods);
        }
        return whole;
    }
    // The section holds nothing but its periods, and its entries stand under another heading.
    let is_bare = begin == 0 && parts[at].section == Section::Work;
    let strays = |part: &Part| {
        let is_other = matches!(part.section, Section::Contact | Section::Other | Section::Unknown);
        is_other && heads(&part.lines).len() == periods.len()
    };
    let Some(from) = parts.iter().position(strays).filter(|_| is_bare) else { return parts };
    let heads = heads(&parts[from].lines);
    let mut lines = whole[from].lines.split_off(heads[0]);
    let begins: Vec<usize> = heads.iter().map(|head| head - heads[0]).collect();
    put(&mut lines, &begins, &mut periods.into_iter());
    whole[at].lines = lines;
    whole
}

/// Puts the next periods beside some lines.
fn put(lines: &mut [Line], at: &[usize], periods: &mut impl Iterator<Item = Beside>) {
    for (line, (period, town)) in at.iter().zip(periods) {
        let line = &mut lines[*line];
        let town = town.map(|town| format!("\t{}", town.replace(" – ", ", "))).unwrap_or_default();
        line.text = format!("{}\t{period}{town}", line.text);
        line.after_gap = true;
    }
}

fn holds_date(line: &Line) -> bool {
    !line.bullet && dates::find(&line.text).is_some()
}

/// A line that is a date and nothing else.
fn is_period(line: &Line) -> bool {
    !line.bullet && dates::is_period(&line.text)
}

/// Where the periods at the end of a section begin, and these.
fn tail(lines: &[Line]) -> Option<(usize, Vec<Beside>)> {
    let is_town = |line: &Line| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let is_name =
            words.len() <= 3 && words.iter().all(|word| word.starts_with(char::is_uppercase));
        !line.bullet && !line.after_gap && (is_name || place::is_place(&line.text))
    };
    let is_length = |line: &Line| words::is_length(line.text.trim_matches(['(', ')']));
    let mut begin = lines.len();
    let mut town: Option<String> = None;
    let mut found: Vec<Beside> = Vec::new();
    for (at, line) in lines.iter().enumerate().rev() {
        if is_period(line) {
            found.push((line.text.clone(), town.take()));
            begin = at;
        } else if town.is_none() && is_town(line) {
            town = Some(line.text.clone());
        } else if !is_length(line) {
            break;
        }
    }
    found.reverse();
    // The first of them stands under an entry or a heading, as the others would.
    let stands_apart = begin == 0 || lines.get(begin).is_some_and(|line| line.after_gap);
    (found.len() >= PERIODS_MIN && stands_apart).then_some((begin, found))
}

/// The first lines of entries: those in the type of the first one, or at the beginning of a block.
fn firsts(lines: &[Line]) -> Vec<usize> {
    let level = lines.first().map_or(0, |line| line.level);
    let is_first = |at: &usize| {
        let line = &lines[*at];
        if level > 0 { line.level == level } else { *at == 0 || line.after_gap && !line.bullet }
    };
    (0..lines.len()).filter(is_first).collect()
}

/// Where a title and its firm stand above items.
fn heads(lines: &[Line]) -> Vec<usize> {
    let is_head = |window: &[Line]| {
        let [title, firm, item] = window else { return false };
        let names = |line: &Line| !line.bullet && !line.is_prose() && !holds_date(line);
        let is_role = words::is_position(&title.text) || words::is_organisation(&firm.text);
        names(title) && names(firm) && !firm.after_gap && item.bullet && is_role
    };
    let windows = lines.windows(3).enumerate();
    windows.filter(|(_, window)| is_head(window)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn periods_in_a_column_that_was_torn_off_are_put_beside_their_entries() {
        let work = "##### Engineer\nAcme Ltd\n• Pumps\n\n##### Fitter\nEmca Ltd\n• Valves";
        let studies = "##### BSc Physics\nUniversity of Leeds";
        let periods =
            "2019 – 2021\nLeeds\n\n2015 – 2019\nNulla das Minas – MG\n\n2010 – 2013\nLeeds";
        let head = "Ada Byron\n\n#### Experience";
        for text in [
            format!(
                "{head}\n\n{work}\n\n#### Education\n\n{studies}\n\n#### Hobbies\n• Tea\n\n{periods}"
            ),
            format!("{head}\n\n{work}\n\n#### Education\n\n{studies}\n\n{periods}"),
        ] {
            let draft = draft(&text);
            let (roles, schools) = (&draft.skeleton_timeline["work"], &draft.education_history);
            assert_eq!(roles[0]["startDate"], "2019", "{text}");
            assert_eq!(roles[1]["name"], "Emca Ltd", "{text}");
            assert_eq!(roles[1]["location"], "Nulla das Minas, MG", "{text}");
            assert_eq!(schools["education"][0]["endDate"], "2013", "{text}");
        }
    }

    #[test]
    fn entries_under_another_heading_than_their_periods_are_put_there() {
        let role = |title: &str| format!("{title}\nAcme Ltd, Leeds\n• Pumps\n\n");
        let roles = ["Engineer", "Fitter", "Welder"].map(role).concat();
        let periods = "2019 – 2021\n(2 years)\n\n2015 – 2019\n(4 years)\n\n2010 – 2015\n(5 years)";
        let text = format!(
            "# Ada Byron\n\n## About me\nI build pumps.\n{roles}## Skills\nRust, C\n\n## Experience\n\n{periods}"
        );
        let roles = &draft(&text).skeleton_timeline["work"];
        assert_eq!(roles[2]["position"], "Welder", "{roles}");
        assert_eq!(roles[2]["startDate"], "2010", "{roles}");
        assert_eq!(roles[0]["name"], "Acme Ltd", "{roles}");
    }
}
