//! Periods that stand beside the last lines of their entries, as in the cells of a table that are set at the bottom.

use std::iter;

use super::super::{dates, lines::Line};

/// Fewest periods beside items that show that they stand there.
const CLOSING_MIN: usize = 2;

/// The lines with every period beside the first line of its entry, where all of them stand beside the last ones.
pub(super) fn opening(lines: Vec<Line>) -> Vec<Line> {
    let closing: Vec<(usize, String, String)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, closing(line)?)))
        .map(|(at, (rest, period))| (at, rest.to_owned(), period.to_owned()))
        .collect();
    if !all_close(&lines, &closing) {
        return lines;
    }
    let mut lines = lines;
    let mut first = 0;
    for (at, rest, period) in closing {
        lines[at].text = rest;
        lines[first].text = format!("{}\t{period}", lines[first].text);
        first = at + 1;
    }
    lines
}

/// Whether there are periods beside items, an entry ends below each period, and no period stands elsewhere.
fn all_close(lines: &[Line], closing: &[(usize, String, String)]) -> bool {
    let beside_items = closing.iter().filter(|(at, ..)| lines[*at].bullet).count();
    let begins = |at: usize| lines.get(at).is_none_or(|line| !line.bullet);
    let dated = lines
        .iter()
        .filter(|line| dates::find(&line.text).is_some_and(|period| period.start.is_some()))
        .count();
    let told = closing.iter().filter(|(at, ..)| {
        dates::find(&lines[*at].text).is_some_and(|period| period.start.is_some())
    });
    let is_long = |(at, before): (usize, Option<usize>)| at > before.map_or(0, |before| before + 1);
    let before = iter::once(None).chain(closing.iter().map(|(at, ..)| Some(*at)));
    let are_long = closing.iter().map(|(at, ..)| *at).zip(before).all(is_long);
    beside_items > 0
        && closing.len() >= CLOSING_MIN
        && begins(0)
        && closing.iter().all(|(at, ..)| begins(at + 1))
        && are_long
        && told.count() == dated
}

/// What stands in a line before the period in its last column, and the period.
fn closing(line: &Line) -> Option<(&str, &str)> {
    let (rest, last) = line.text.rsplit_once('\t')?;
    let period = dates::find(last).filter(|period| period.at == (0..last.len()));
    period.map(|_| (rest, last))
}

#[cfg(test)]
mod tests {
    use super::{super::super::lines::lines, *};

    fn texts(text: &str) -> Vec<String> {
        opening(lines(text)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn periods_beside_the_last_lines_of_entries_are_put_beside_the_first_ones() {
        let rows = "Engineer\nAcme Ltd\n• Pumps\t2019 – 2021\nFitter\nEmca Ltd\t2015 – 2019";
        let opened =
            ["Engineer\t2019 – 2021", "Acme Ltd", "Pumps", "Fitter\t2015 – 2019", "Emca Ltd"];
        assert_eq!(texts(rows), opened);
        // Beside their first lines, or said of the work.
        for rows in [
            "Engineer\t2019 – 2021\nAcme Ltd\nFitter\t2015 – 2019\nEmca Ltd",
            "Engineer\t2019 – 2021\nAcme Ltd\n• Pumps\t2020\nFitter\t2015 – 2019\n• Valves",
        ] {
            let plain: Vec<String> = lines(rows).into_iter().map(|line| line.text).collect();
            assert_eq!(texts(rows), plain);
        }
    }
}
