//! Names of firms that are broken off at the edge of a column, put together.

use super::super::{dates, doubt, lines::Line, place, words};

/// Most words of the end of a name.
const END_MAX: usize = 3;

/// The lines without those that say how long something lasted, with `2015 – 2019    Fellow, Acme State` and `University, Smallville` as one.
pub(super) fn unbroken(lines: &[Line]) -> Vec<Line> {
    let longest = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or_default();
    let mut whole: Vec<Line> = Vec::with_capacity(lines.len());
    let mut is_after_gap = false;
    for line in lines {
        // `4 years 1 month` stands between a firm and the titles there.
        if is_length_alone(line) {
            is_after_gap |= line.after_gap;
            continue;
        }
        let after_gap = std::mem::take(&mut is_after_gap) || line.after_gap;
        let line = &Line { after_gap, ..line.clone() };
        match whole.last_mut() {
            Some(last) if goes_on(last, line, longest) => {
                last.text = format!("{} {}", last.text, line.text);
            }
            _ => whole.push(line.clone()),
        }
    }
    whole
}

/// Whether a line says how long something lasted, and not when: `2014 – 2019 (5 years)` does.
fn is_length_alone(line: &Line) -> bool {
    !line.bullet
        && line.level == 0
        && words::is_length(&line.text)
        && dates::find(&line.text).is_none()
}

/// Whether the name of a firm behind a title goes on before its town: its last word stands below, or what it is called.
fn goes_on(above: &Line, line: &Line, longest: usize) -> bool {
    let is_plain = !line.after_gap && !line.bullet && line.level == 0 && !line.text.contains('\t');
    let Some((name, town)) = line.text.split_once(", ").filter(|_| is_plain) else { return false };
    let Some((_, entry)) = above.text.split_once('\t').filter(|_| begins_with_period(above)) else {
        return false;
    };
    let Some((title, firm)) = entry.rsplit_once(", ") else { return false };
    let is_kind = |name: &str| doubt::is_only_a_kind(name) || doubt::is_only_a_firm(name);
    let is_short = name.split_whitespace().count() <= END_MAX;
    let ends_in_kind = firm.rsplit(' ').next().is_some_and(is_kind);
    words::is_position(title)
        // Letters are not all of one width, and some lines were put together.
        && above.text.chars().count() * 4 >= longest * 3
        && !firm.contains('\t')
        && is_short
        && name.starts_with(char::is_uppercase)
        && dates::find(&line.text).is_none()
        && is_end(town)
        && (is_kind(name) || ends_in_kind && !words::is_position(name) && !place::is_place(&line.text))
}

fn begins_with_period(line: &Line) -> bool {
    dates::find(&line.text).is_some_and(|period| period.at.start == 0 && period.start.is_some())
}

/// Whether towns and regions, and nothing else, stand at the end of a line.
fn is_end(text: &str) -> bool {
    let text = text.trim_end_matches('.');
    let is_name = |part: &str| {
        part.starts_with(char::is_uppercase) && part.split_whitespace().count() <= END_MAX
    };
    place::is_place(text)
        || text.split(", ").all(is_name)
            && !words::is_position(text)
            && !words::is_organisation(text)
}

#[cfg(test)]
mod tests {
    use super::{super::super::lines::lines, *};
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn names_of_firms_go_on_below_where_their_column_ends() {
        for (above, below) in [
            ("2015 – 2019\tResearch Fellow in Chemistry, Acme State", "University, Nullwich, WV."),
            (
                "2015 – 2019\tKrankenpfleger auf der Station, Acme Universität",
                "Nullstadt, Nullstadt.",
            ),
            ("2015 – 2019\tStaff Nurse on a surgical ward, St Nulla", "Hospital, Leeds"),
            ("2015 – 2019\tAccountant for the whole trade, Nulla", "Council, Leeds, UK"),
        ] {
            let found = unbroken(&lines(&format!("{above}\n{below}\nA short line")));
            assert_eq!(found[0].text, format!("{above} {below}"));
        }
        for (above, below) in [
            ("2015 – 2019\tEngineer, Pumps", "Acme, Leeds"),
            ("2015 – 2019\tEngineer, Acme Ltd", "Leeds, UK"),
            ("Engineer for pumps, Acme State", "University, Nullwich"),
        ] {
            let found = unbroken(&lines(&format!("{above}\n{below}")));
            assert_eq!(found.len(), 2, "{above}");
        }
    }

    #[test]
    fn long_entries_beside_their_periods_may_end_in_a_stop() {
        for (entry, firm) in [
            (
                "Associate Professor of Organic Chemistry, Acme Valley University of Science, Leeds.",
                "Acme Valley University of Science",
            ),
            (
                "Assistant Professor of Social History, Acme Valley University, Charleston, West Virginia.",
                "Acme Valley University",
            ),
            (
                "Research Fellow in Organic Chemistry, Acme State\nUniversity, Charleston, WV.",
                "Acme State University",
            ),
        ] {
            let text = format!("Ada Byron\n\n## Experience\n\n2019 – 2021\t{entry}\nBuilt a rig");
            let draft = draft(&text);
            assert_eq!(draft.skeleton_timeline["work"][0]["name"], firm, "{entry}");
        }
    }

    #[test]
    fn a_length_alone_is_no_line_of_an_entry() {
        for (text, count) in
            [("Acme\n4 years 1 month\nFitter", 2), ("Acme\n2014 - 2019 (5 jaar)", 2)]
        {
            assert_eq!(unbroken(&lines(text)).len(), count, "{text}");
        }
    }
}
