//! Roles that are the rows of a table, with what is said of the work in its last column.

use super::super::{dates, lines::Line};

/// Fewest rows of a table.
const ROWS_MIN: usize = 2;

/// Fewest words of what is said of the work; names have fewer, or no mark between them.
const TOLD_MIN: usize = 4;

/// The lines, with what stands behind the period in the rows of a table below it: `Acme    Fitter    2019 – 2021    Built
/// pumps; led a team`.
pub(super) fn apart(lines: Vec<Line>) -> Vec<Line> {
    let is_row = |line: &&Line| parted(line).is_some();
    if lines.iter().filter(is_row).count() < ROWS_MIN {
        return lines;
    }
    let mut found = Vec::new();
    for line in lines {
        let Some((head, told)) = parted(&line) else {
            found.push(line);
            continue;
        };
        let items = told.split("; ").filter(|item| item.contains(char::is_alphanumeric));
        let item = |text: &str| Line {
            text: text.trim().to_owned(),
            bullet: true,
            after_gap: false,
            level: 0,
        };
        found.push(Line { text: head.to_owned(), after_gap: true, ..line.clone() });
        found.extend(items.map(item));
    }
    found
}

/// A row with two names before its period, and what is said behind it.
fn parted(line: &Line) -> Option<(&str, &str)> {
    let (head, told) = line.text.rsplit_once('\t').filter(|_| !line.bullet)?;
    let (names, period) = head.rsplit_once('\t').filter(|(names, _)| names.contains('\t'))?;
    let is_period = dates::find(period)
        .is_some_and(|found| found.start.is_some() && found.at == (0..period.len()));
    let is_told = told.contains("; ") || told.split_whitespace().count() >= TOLD_MIN;
    (is_period && is_told && dates::find(names).is_none()).then_some((head, told))
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn what_is_said_in_the_last_column_of_a_table_is_below_the_role() {
        let text = "Ada Byron\nada@example.org\n\n## Experience\nEmployer\tPosition\tPeriod\tDuties\n\
                    Acme Ltd\tFitter\tMay 2019 – June 2021\tBuilt pumps for all the mills; led a team of nine; \
                    kept the books of the whole workshop\nEmca Ltd\tWelder\tMay 2016 – June 2018\tWelded pipes and \
                    rails all day";
        let draft = draft(text);
        let work = &draft.skeleton_timeline["work"];
        assert_eq!([&work[0]["name"], &work[1]["name"]], ["Acme Ltd", "Emca Ltd"]);
        assert_eq!([&work[0]["position"], &work[1]["position"]], ["Fitter", "Welder"]);
        assert_eq!(draft.highlights[0].len(), 3);
    }
}
