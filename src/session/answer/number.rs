//! Numbers as people write them, with marks between the thousands and before the decimals.

/// Why a text is not read as a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// `1,200` is the one number to some people and the other to others.
    Either {
        /// With a mark between the thousands.
        whole: String,
        /// With a decimal mark, written so that it is read as that.
        broken: String,
    },
    /// The marks are where none belong.
    Misplaced,
}

/// A number without marks between its thousands and with a point before its decimals. What is written in another way,
/// such as `1e3`, comes back as it is.
///
/// ```
/// use anteroom::session::answer::plain_number;
/// assert_eq!(plain_number("1,5"), Ok("1.5".to_owned()));
/// assert_eq!(plain_number("1.200,5"), Ok("1200.5".to_owned()));
/// assert!(plain_number("1,200").is_err());
/// ```
pub fn plain_number(text: &str) -> Result<String, Unclear> {
    let text = text.trim();
    let digits = text.trim_start_matches(['+', '-']);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let groups: Vec<&str> = digits.split(is_mark).collect();
    let marks: Vec<char> = digits.chars().filter(|c| is_mark(*c)).collect();
    let is_counted = |c: char| c.is_ascii_digit() || is_mark(c);
    if text.len() > digits.len() + 1 || !digits.chars().all(is_counted) || marks.is_empty() {
        return Ok(text.to_owned());
    }
    let is_decimal = |mark: char| matches!(mark, ',' | '.');
    match (&*marks, &*groups) {
        ([mark], [before, after]) if is_decimal(*mark) => {
            let broken = format!("{sign}{before}.{after}");
            if !is_grouped(&groups) {
                return Ok(broken);
            }
            let short = broken.trim_end_matches('0').trim_end_matches('.').to_owned();
            let broken = if is_grouped(&short.split('.').collect::<Vec<_>>()) {
                broken + "0"
            } else {
                short
            };
            Err(Unclear::Either { whole: format!("{sign}{before}{after}"), broken })
        }
        ([first, rest @ ..], _) if rest.iter().all(|mark| mark == first) => {
            let whole = is_grouped(&groups).then(|| format!("{sign}{}", groups.concat()));
            whole.ok_or(Unclear::Misplaced)
        }
        ([first, between @ .., last], [thousands @ .., decimals])
            if is_decimal(*last)
                && first != last
                && between.iter().all(|mark| mark == first)
                && is_grouped(thousands) =>
        {
            Ok(format!("{sign}{}.{decimals}", thousands.concat()))
        }
        _ => Err(Unclear::Misplaced),
    }
}

const fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | ' ' | '\'' | '’' | '\u{a0}' | '\u{202f}')
}

/// Whether digits stand in thousands: up to three that begin with no zero, then three each.
fn is_grouped(groups: &[&str]) -> bool {
    let Some((first, rest)) = groups.split_first() else { return false };
    let first = first.trim_start_matches('-');
    (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && !rest.is_empty()
        && rest.iter().all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_where_it_can_mean_one_thing_alone() {
        for (written, meant) in [
            ("12", "12"),
            ("+12", "12"),
            ("1,5", "1.5"),
            ("-1.5", "-1.5"),
            ("0.125", "0.125"),
            ("0,125", "0.125"),
            ("1234,567", "1234.567"),
            ("1,2000", "1.2000"),
            ("1 200", "1200"),
            ("1’200", "1200"),
            ("1,200,000", "1200000"),
            ("-1.200.000", "-1200000"),
            ("1,200.5", "1200.5"),
            ("1.200,50", "1200.50"),
            ("1 200 000,5", "1200000.5"),
            ("1e3", "1e3"),
            ("many", "many"),
        ] {
            let read = plain_number(written).unwrap_or_else(|why| panic!("{written}: {why:?}"));
            assert_eq!(read.trim_start_matches('+'), meant, "{written}");
        }
        for misplaced in ["1.2.3", "1,20,000", "1,200 300", "1.200.5", "12 34", "1 2,5"] {
            assert_eq!(plain_number(misplaced), Err(Unclear::Misplaced), "{misplaced}");
        }
    }

    #[test]
    fn what_can_mean_two_numbers_is_offered_in_two_ways_that_cannot() {
        for (written, meant) in [
            ("1,200", ("1200", "1.2")),
            ("1.000", ("1000", "1")),
            ("-12.125", ("-12125", "-12.1250")),
        ] {
            let Err(Unclear::Either { whole, broken }) = plain_number(written) else { panic!() };
            assert_eq!((&*whole, &*broken), meant);
            for offered in [whole, broken] {
                assert!(plain_number(&offered).is_ok(), "{offered}");
            }
        }
    }
}
